"""Size: the shape of a tensor, a list of ints."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, SupportsIndex, overload

from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Size(list[int]):
    """A shape: a list of ints that also equals the same tuple.

    Its sums, multiples and slices are Sizes.

    Args:
        iterable: ints, which may include integer tensors of one element.

    Raises:
        InvalidTypeError: for a value that is not an integer.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 3]).shape
        paddle.Size([2, 3])
        >>> paddle.ones([2, 3]).shape == (2, 3), paddle.Size([2, 3]).numel()
        (True, 6)
    """

    __slots__ = ()

    def __init__(self, iterable: Iterable = ()):
        super().__init__(iterable)
        for position, size in enumerate(self):
            if type(size) is not int:
                self[position] = _as_int(size, position)

    def __repr__(self) -> str:
        return f"paddle.Size({list.__repr__(self)})"

    def __eq__(self, other):
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other):
        return Size([*self, *other])

    def __radd__(self, other):
        return Size([*other, *self])

    def __mul__(self, times):
        return Size(list.__mul__(self, times))

    __rmul__ = __mul__

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index):
        found = list.__getitem__(self, index)
        return Size(found) if type(index) is slice else found

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return math.prod(self)


def _as_int(size, position: int) -> int:
    if hasattr(size, "_storage"):
        size = size.item()
    if is_symbolic(size):
        return size
    try:
        return operator.index(size)
    except TypeError:
        raise InvalidTypeError(
            f"paddle.Size() takes an iterable of 'int' (item {position} is '{type(size).__name__}')"
        ) from None
