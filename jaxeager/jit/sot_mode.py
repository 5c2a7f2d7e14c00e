"""ENABLE_FALL_BACK: Paddle's choice between its two ways to read a function's code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from jaxeager.utils.environments import BooleanEnvironmentVariable, EnvironmentVariableGuard

ENV_ENABLE_SOT = BooleanEnvironmentVariable("ENABLE_FALL_BACK", True)


@contextlib.contextmanager
def sot_mode_guard(value: bool) -> Iterator[None]:
    """Set the environment variable ENABLE_FALL_BACK in a ``with`` block.

    ``to_static`` has one way, which traces the function; it gives what both of Paddle's give.

    Args:
        value: its value in the block.

    Example:
        >>> from jaxeager.jit.sot_mode import ENV_ENABLE_SOT, sot_mode_guard
        >>> with sot_mode_guard(False):
        ...     ENV_ENABLE_SOT.get()
        False
    """
    with EnvironmentVariableGuard(ENV_ENABLE_SOT, value):
        yield
