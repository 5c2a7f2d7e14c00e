"""What a program asks about its mode: ops run when they are called, always."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import places

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def in_dynamic_mode() -> bool:
    """Says whether ops run when they are called: always.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.in_dynamic_mode()
        True
    """
    return True


def disable_static(place: PlaceLike | None = None) -> None:
    """Leaves everything as it is: ops always run when they are called.

    Args:
        place: the device that new tensors go to from now on, as in ``set_device``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.disable_static()
    """
    if place is not None:
        places.set_device(place)


def disable_signal_handler() -> None:
    """Leaves everything as it is: no signal handler is installed here that could be taken away.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.disable_signal_handler()
    """
