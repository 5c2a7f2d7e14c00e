"""paddle.batch: lists of items of a reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def batch(
    reader: Callable[..., Iterable], batch_size: int, drop_last: bool = False
) -> Callable[..., Iterator[list]]:
    """Return a reader that yields lists of ``batch_size`` items of another one.

    Args:
        reader: a function without arguments that returns an iterable.
        batch_size: the number of items of a list.
        drop_last: whether to drop a last list of fewer items.

    Returns:
        a function without arguments that returns a generator of lists.

    Raises:
        InvalidArgumentError: when ``batch_size`` is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.batch(lambda: range(5), 2)())
        [[0, 1], [2, 3], [4]]
    """
    batch_size = int(batch_size)
    if batch_size <= 0:
        raise InvalidArgumentError(
            f"batch_size should be a positive integer value, but got batch_size={batch_size}"
        )

    def batches():
        items = []
        for item in reader():
            items.append(item)
            if len(items) == batch_size:
                yield items
                items = []
        if items and not drop_last:
            yield items

    return batches
