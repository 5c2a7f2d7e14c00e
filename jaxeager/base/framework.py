"""paddle.base.framework: the expected place, and the guards of the verbose log."""

import importlib
from typing import TYPE_CHECKING

from jaxeager.core import places
from jaxeager.framework import in_dynamic_mode as in_dygraph_mode

if TYPE_CHECKING:
    from jaxeager.debug.vlog.marks import backward_vlog_guard
    from jaxeager.debug.vlog.vlog import vlog_guard

_HOMES = {"backward_vlog_guard": "marks", "vlog_guard": "vlog"}

__all__ = ["backward_vlog_guard", "in_dygraph_mode", "vlog_guard"]


def _current_expected_place() -> places.Place:
    """Returns where new tensors go, as a CPUPlace, CUDAPlace, TPUPlace or CustomPlace.

    Example:
        >>> import jaxeager as paddle
        >>> place = paddle.base.framework._current_expected_place()
        >>> str(place) == str(paddle.ones([1]).place)
        True
    """
    place = places.place_of(places.current_device())
    return places.typed(place.kind, place.index)


_current_expected_place_ = _current_expected_place  # Paddle has both names


def _get_paddle_place(place) -> places.Place | None:
    """Returns the place that somebody names; None stays None.

    Args:
        place: "cpu", "gpu:0", a Place, a jax.Device or None.

    Raises:
        InvalidArgumentError: when the string names no kind of device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework._get_paddle_place("cpu")
        Place(cpu)
    """
    return None if place is None else places.as_place(place)


def __getattr__(name: str):
    """Imports the verbose log when it is first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"jaxeager.debug.vlog.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
