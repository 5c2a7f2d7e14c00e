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
        """Begins it."""

    def __exit__(self, *exc_info: Any) -> None:
        """Ends it."""
