"""The named forms of indexing: slice, strided_slice, and copies with a part replaced."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, OutOfRangeError, PreconditionNotMetError
from jaxeager.ops.indexing.gather import axis_of
from jaxeager.ops.indexing.getitem import read_box, read_part
from jaxeager.ops.indexing.index_parse import basic_index
from jaxeager.ops.indexing.setitem import with_box
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# ---- reading


@composite(name="slice")
def slice_along(
    input: Tensor,
    axes: Sequence[int],
    starts: Sequence[int | Tensor] | Tensor,
    ends: Sequence[int | Tensor] | Tensor,
) -> Tensor:
    """Return the part of a tensor between starts and ends along axes.

    Args:
        input: tensor of any shape.
        axes: dimensions to cut; one that is named twice is cut again.
        starts: first index per axis; may be negative.
        ends: index after the last per axis; clamped to the size.

    Returns:
        Tensor of the dtype of ``input``, shorter along the axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.slice(paddle.to_tensor([1, 2, 3, 4]), [0], [1], [3]).tolist()
        [2, 3]
    """
    return strided_slice_along(input, axes, starts, ends, [1] * len(axes))


@composite(name="strided_slice")
def strided_slice_along(
    x: Tensor,
    axes: Sequence[int],
    starts: Sequence[int | Tensor] | Tensor,
    ends: Sequence[int | Tensor] | Tensor,
    strides: Sequence[int | Tensor] | Tensor,
    name: str | None = None,
) -> Tensor:
    """Return every ``strides``-th element between starts and ends along axes.

    Args:
        x: tensor of any shape.
        axes: dimensions to cut; one that is named twice is cut again.
        starts: first index per axis.
        ends: index after the last per axis.
        strides: step per axis; negative reads backwards.

    Returns:
        Tensor of the dtype of ``x``, shorter along the axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.strided_slice(paddle.to_tensor([1, 2, 3, 4]), [0], [0], [4], [2]).tolist()
        [1, 3]
    """
    items = _slices(x, axes, starts, ends, strides)
    return read_box(x, basic_index(items, x._array.shape), records=True)


def _slices(x: Tensor, axes, starts, ends, strides) -> list[slice]:
    """Return a slice for each axis; an axis that is named twice is sliced one after the other."""
    whole = slice(None)
    items = [whole] * x.ndim
    for axis, *bounds in zip(axes, starts, ends, strides, strict=True):
        wanted = slice(*[as_int(each, "starts, ends and strides") for each in bounds])
        axis = axis_of(x, axis)
        first = items[axis]
        items[axis] = wanted if first is whole else _within(x._array.shape[axis], first, wanted)
    return items


def _within(size: int, first: slice, second: slice) -> slice:
    """Return the slice that selects what the second one selects of the first one's elements."""
    left = range(size)[first][second]
    return slice(left.start, left.stop if left.stop >= 0 else None, left.step)


@composite(public=None)
def split_with_sizes(self, split_sizes: Sequence[int | Tensor], dim: int = 0) -> list[Tensor]:
    """Return the parts of a tensor of given lengths along a dimension; they share its memory.

    Args:
        split_sizes: list of ints that add up to the size of the dimension.
        dim: the dimension.

    Returns:
        List of tensors.

    Raises:
        InvalidArgumentError: when a length is negative, or they do not add up.

    Example:
        >>> import jaxeager as paddle
        >>> [part.tolist() for part in paddle.to_tensor([1, 2, 3]).split_with_sizes([1, 2])]
        [[1], [2, 3]]
    """
    axis, sizes = axis_of(self, dim), [as_int(size, "split_sizes") for size in split_sizes]
    if any(size < 0 for size in sizes):
        raise InvalidArgumentError(
            "split_with_sizes expects split_sizes have only non-negative entries"
        )
    if sum(sizes) != self.shape[axis]:
        raise InvalidArgumentError(
            f"Split sizes add up to {sum(sizes)} but got the tensor's size of {self.shape[axis]}"
        )
    ends = [0, *accumulate(sizes)]
    return [read_part(self, axis, start, size) for start, size in zip(ends, sizes, strict=False)]


# ---- a copy with a part replaced


@composite()
def select_scatter(
    x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None
) -> Tensor:
    """Return ``x`` with ``values`` at one index of an axis.

    Args:
        x: tensor of at least one dimension.
        values: tensor of the shape of ``x`` without that axis; it is cast to the dtype of ``x``.
        axis: the axis.
        index: where; negative counts from the end.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        OutOfRangeError: for an axis or an index out of range. (Paddle returns ``x`` for such an
            index.)
        PreconditionNotMetError: when ``values`` has another shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.select_scatter(paddle.zeros([2, 2]), paddle.ones([2]), 1, 0).tolist()
        [[1.0, 0.0], [1.0, 0.0]]
    """
    shape, axis = x._array.shape, as_int(axis, "axis")
    if not -len(shape) <= axis < len(shape):
        raise OutOfRangeError(
            f"select_scatter: axis {axis} is not in [{-len(shape)}, {len(shape)}), as x has "
            f"{len(shape)} dimensions."
        )
    axis %= len(shape)
    rest = (*shape[:axis], *shape[axis + 1 :])
    if values._array.shape != rest:
        raise PreconditionNotMetError(
            "expected values to have a size equal to the slice of x. value size = "
            f"{list(values._array.shape)} slice size = {list(rest)}"
        )
    items = [slice(None)] * axis + [as_int(index, "index")]
    return with_box(x, items + [slice(None)] * (len(shape) - axis - 1), values)


@composite()
def slice_scatter(
    x: Tensor,
    value: Tensor,
    axes: Sequence[int],
    starts: Sequence[int | Tensor] | Tensor,
    ends: Sequence[int | Tensor] | Tensor,
    strides: Sequence[int | Tensor] | Tensor,
    name: str | None = None,
) -> Tensor:
    """Return ``x`` with ``value`` where ``strided_slice`` with the same arguments reads.

    Args:
        x: tensor of at least one dimension.
        value: tensor that broadcasts to the shape of that part; it is cast to the dtype of ``x``.
        axes: list of dimensions, which may be negative. (Paddle ignores a negative one.) Of one
            that is named twice the last counts.
        starts: first index per axis.
        ends: index after the last per axis; clamped to the size.
        strides: step per axis; negative goes backwards.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: for lists of different lengths, an axis out of range, or a value that
            does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x, value = paddle.zeros([4]), paddle.to_tensor([1.0, 2.0])
        >>> paddle.slice_scatter(x, value, [0], [0], [4], [2]).tolist()
        [1.0, 0.0, 2.0, 0.0]
    """
    parts = [axes, starts, ends, strides]
    if len({len(part) for part in parts}) > 1:
        raise InvalidArgumentError(
            "slice_scatter: axes, starts, ends and strides must have the same length, but have "
            f"{', '.join(str(len(part)) for part in parts)}."
        )
    items = [slice(None)] * x.ndim
    for axis, *bounds in zip(*parts, strict=True):
        start, end, step = (as_int(bound, "starts, ends and strides") for bound in bounds)
        items[axis_of(x, axis)] = slice(start, end, step)
    return with_box(x, items, value)
