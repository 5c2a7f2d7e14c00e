"""The mode of a program: ops always run when they are called."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxeager.core import crashes, places
from jaxeager.errors import UnimplementedError

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def in_dynamic_mode() -> bool:
    """Return whether ops run when they are called: always True.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.in_dynamic_mode()
        True
    """
    return True


def disable_static(place: PlaceLike | None = None) -> None:
    """Do nothing but set ``place``: ops always run when they are called.

    Args:
        place: the device of new tensors from now on, as in ``set_device``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.disable_static()
    """
    if place is not None:
        places.set_device(place)


def enable_static() -> None:
    """Raise an error: there are no static graphs; ops always run when they are called.

    Raises:
        UnimplementedError: always.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.enable_static()
        Traceback (most recent call last):
            ...
        jaxeager.errors.UnimplementedError: (Unimplemented) There are no static graphs...
    """
    raise UnimplementedError(
        "There are no static graphs: ops run when they are called, always. Leave enable_static() "
        "out, and write the training as a loop that calls the layers."
    )


def disable_signal_handler() -> None:
    """Switch off Python's fault handler, which the import switches on to show where a crash is.

    A fault handler that the program has switched on itself stays.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.disable_signal_handler()
    """
    crashes.disable()


@contextlib.contextmanager
def _no_check_dy2st_diff() -> Iterator[None]:
    """Do nothing: Paddle ignores differences to a static graph in this context."""
    yield
