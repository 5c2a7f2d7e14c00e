"""Whether functions marked by ``to_static`` are compiled: the user's setting, and a tool's choice.

Note [How a marked function runs]
    A call reads one entry of a dict, ``switch["compiles"]``. It is False after
    ``enable_to_static(False)`` and while a tool chooses for each function; only then ``way_of``
    decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidTypeError
from jaxeager.graph.mode import grad_mode

if TYPE_CHECKING:
    from jaxeager.jit.static_function import StaticFunction

PLAIN, COMPILED, RECORDED = "plain", "compiled", "recorded"
switch = {"enabled": True, "compiles": True}
_picked: Callable[[StaticFunction], str] | None = None


def way_of(function: StaticFunction) -> str:
    """Return how a marked function runs: as plain Python, compiled, or in lazy mode."""
    if not switch["enabled"] or grad_mode.traced or grad_mode.capture is not None:
        return PLAIN
    return COMPILED if _picked is None else _picked(function)


def pick(how: Callable[[StaticFunction], str] | None) -> None:
    """Let a tool choose how each call of a marked function runs; None lets it run as marked.

    Args:
        how: returns PLAIN, COMPILED or RECORDED for a function.

    Example:
        >>> pick(lambda function: PLAIN)
        >>> pick(None)
    """
    global _picked
    _picked = how
    switch["compiles"] = switch["enabled"] and how is None


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Set whether marked functions are compiled, or run op by op.

    ``jit.save`` raises while it is off, as in Paddle.

    Args:
        enable_to_static_bool: True or False.

    Raises:
        InvalidTypeError: for any other value.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.jit.enable_to_static(True)
    """
    if not isinstance(enable_to_static_bool, bool):
        raise InvalidTypeError(f"It takes a bool, but received {enable_to_static_bool!r}.")
    switch["enabled"] = enable_to_static_bool
    switch["compiles"] = enable_to_static_bool and _picked is None


def is_enabled() -> bool:
    """Return the last setting of ``enable_to_static``.

    Example:
        >>> from jaxeager.jit.switching import is_enabled
        >>> is_enabled()
        True
    """
    return switch["enabled"]
