"""LazyGuard: in Paddle, it delays the allocation of parameters until they are requested."""

from __future__ import annotations


class LazyGuard:
    """Context in which layers are built as outside: parameters have memory and values immediately.

    ``parameter.initialize()``, which creates them in Paddle, finds them already created.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.LazyGuard():
        ...     net = paddle.nn.Linear(2, 3)
        >>> for parameter in net.parameters():
        ...     parameter.initialize()
    """

    def __enter__(self) -> None:
        """Enter the context."""

    def __exit__(self, *exc_info: object) -> None:
        """Leave the context."""


class LazyInitHelper:
    """The switch that Paddle's LazyGuard sets; always off here, so parameters are never delayed."""

    _state = False

    def enable(self) -> None:
        """Do nothing: see LazyGuard."""

    def disable(self) -> None:
        """Do nothing: see LazyGuard."""


def lazy_init_helper() -> LazyInitHelper:
    """Return the helper that programs query for pending initialization: ``_state`` is False."""
    return LazyInitHelper()
