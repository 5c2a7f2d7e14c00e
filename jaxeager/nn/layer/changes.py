"""A counter of changes to any Layer of the process, for code that must rebuild after a change."""

import itertools

_counter = itertools.count(1)
_last = 0


def note() -> None:
    """Note that an attribute of a Layer was set or deleted."""
    global _last
    _last = next(_counter)


def count() -> int:
    """Return a number that differs after each change.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.nn.layer import changes
        >>> layer, before = paddle.nn.Linear(2, 3), changes.count()
        >>> _ = layer.eval()
        >>> changes.count() > before
        True
    """
    return _last
