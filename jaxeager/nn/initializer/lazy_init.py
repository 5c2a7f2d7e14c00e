"""LazyGuard: in Paddle, parameters without memory until they are asked for."""

from __future__ import annotations

from typing import Any


class LazyGuard:
    """Makes layers within it as outside: their parameters have memory and values at once.

    ``parameter.initialize()``, which makes them in Paddle, finds them made.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.LazyGuard():
        ...     net = paddle.nn.Linear(2, 3)
        >>> for parameter in net.parameters():
        ...     parameter.initialize()
    """

    def __enter__(self) -> None:
        """Begin it."""

    def __exit__(self, *exc_info: Any) -> None:
        """End it."""


class LazyInitHelper:
    """What Paddle's LazyGuard switches; here it is never on, so layers are made at once."""

    _state = False

    def enable(self) -> None:
        """Do nothing: see LazyGuard."""

    def disable(self) -> None:
        """Do nothing: see LazyGuard."""


def lazy_init_helper() -> LazyInitHelper:
    """Return what programs ask whether parameters have values yet: ``_state`` is False."""
    return LazyInitHelper()
