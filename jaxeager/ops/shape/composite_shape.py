"""Public functions over the shape rows: t, moveaxis, unflatten, diff, ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.exceptions import AxisError

from jaxeager.core import dtypes, ports
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidAxisError,
    InvalidTypeError,
    RefusedArgumentError,
)
from jaxeager.ops.indexing.gather import axis_of
from jaxeager.ops.register import composite
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import as_whole
from jaxeager.ops.rules.axes import normal_axes
from jaxeager.ops.shape.joining import concat
from jaxeager.ops.shape.manipulation import flatten, flip, reshape, transpose, unsqueeze
from jaxeager.ops.shape.questions import is_tensor

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike, TensorLike
    from jaxeager.tensor.tensor import Tensor

# ---- dimensions in another order


@composite(name="transpose", aliases="swapaxes swapdims")
def transpose_dims(
    x: Tensor,
    perm: int | Sequence[int] | None = None,
    *more: int,
    name: str | None = None,
    dim0: int | None = None,
    dim1: int | None = None,
) -> Tensor:
    """Return a tensor with its dimensions reordered: dimension i is dimension perm[i] of ``x``.

    Args:
        x: tensor of any shape.
        perm: list of all dimensions in their new order, or an int.
        *more: further dimensions when ``perm`` is an int: two of them are exchanged
            (``transpose(x, 0, 2)``), more are the order of all.
        name: accepted for compatibility.
        dim0: with ``dim1``, the two to exchange.
        dim1: see ``dim0``.

    Returns:
        Tensor of the dtype of ``x``, with the sizes in their new order.

    Raises:
        InvalidArgumentError: when ``perm`` does not name each dimension once.
        InvalidTypeError: when no argument gives the new order, or several do.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 3, 4])
        >>> paddle.transpose(x, [2, 0, 1]).shape, x.transpose(0, 1).shape
        (paddle.Size([4, 2, 3]), paddle.Size([3, 2, 4]))
        >>> paddle.swapaxes(x, 0, 2).shape
        paddle.Size([4, 3, 2])
    """
    if dim0 is not None or dim1 is not None:
        if dim0 is None or dim1 is None or perm is not None:
            raise InvalidTypeError("transpose() takes either perm, or dim0 and dim1 together.")
        return _exchanged(x, dim0, dim1)
    if perm is None:
        raise InvalidTypeError("transpose() missing 1 required positional argument: 'perm'")
    if not more:
        return transpose(x, perm)
    return _exchanged(x, perm, *more) if len(more) == 1 else transpose(x, (perm, *more))


def _exchanged(x, axis0, axis1):
    perm = list(range(x.ndim))
    first, second = axis_of(x, axis0), axis_of(x, axis1)
    perm[first], perm[second] = second, first
    return transpose(x, perm)


@composite()
def transpose_(x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
    """Reorder the dimensions of ``x`` in place and return it; see ``transpose``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 3]).transpose_([1, 0]).shape
        paddle.Size([3, 2])
    """
    return ROWS["transpose"].inplace_function(x, perm)


@composite()
def t(input: Tensor, name: str | None = None) -> Tensor:
    """Return a matrix transposed; tensors with fewer dimensions are returned unchanged.

    A tensor [n, m] of any dtype becomes [m, n].

    Raises:
        InvalidArgumentError: for more than two dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.t(paddle.ones([2, 3])).shape
        paddle.Size([3, 2])
    """
    _check_matrix("t", input)
    return transpose(input, [1, 0]) if input.ndim == 2 else input


@composite()
def t_(input: Tensor, name: str | None = None) -> Tensor:
    """Transpose a matrix in place and return it; see ``t``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 3]).t_().shape
        paddle.Size([3, 2])
    """
    _check_matrix("t_", input)
    return input.transpose_([1, 0]) if input.ndim == 2 else input


def _check_matrix(name: str, x) -> None:
    if x.ndim > 2:
        raise InvalidArgumentError(
            f"{name}: takes a tensor of at most 2 dimensions, but received one of {x.ndim}. "
            "Use transpose() to reorder more."
        )


@composite()
def moveaxis(
    x: Tensor,
    source: int | Sequence[int],
    destination: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """Return a tensor with dimensions moved; the others keep their order.

    Args:
        x: tensor of any shape.
        source: int, or list of ints: the dimensions to move.
        destination: their new positions.
        name: accepted for compatibility.

    Returns:
        Tensor of the dtype of ``x``, with the sizes in their new order.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.moveaxis(paddle.ones([2, 3, 4]), 0, 2).shape
        paddle.Size([3, 4, 2])
    """
    pair = [[each] if isinstance(each, int) else list(each) for each in (source, destination)]
    try:
        sources, targets = (list(normal_axes(tuple(each), x.ndim)) for each in pair)
    except AxisError as error:
        raise InvalidAxisError(f"moveaxis: {error}") from None
    except ValueError as error:
        raise InvalidArgumentError(f"moveaxis: {error}") from None
    if len(sources) != len(targets):
        raise RefusedArgumentError(
            f"moveaxis: {len(sources)} dimensions cannot move to {len(targets)} places."
        )
    perm = [i for i in range(x.ndim) if i not in sources]
    for target, each in sorted(zip(targets, sources, strict=True)):
        perm.insert(target, each)
    return transpose(x, perm)


@composite()
def permute(input: Tensor, dims: int | Sequence[int], *more: int) -> Tensor:
    """Return a tensor with its dimensions reordered: ``permute(x, 2, 0, 1)``, or a list.

    ``input`` is a tensor of any shape and dtype; dimension i of the result is its dimension
    ``dims[i]``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.permute(paddle.ones([2, 3, 4]), 2, 0, 1).shape
        paddle.Size([4, 2, 3])
    """
    return transpose(input, (dims, *more) if more else dims)


@composite()
def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Tensor:
    """Return a tensor rotated by 90 degrees in the plane of two axes, k times.

    Args:
        x: tensor with at least two dimensions.
        k: the number of rotations; a negative number rotates from the second axis to the first.
        axes: the plane.
        name: accepted for compatibility.

    Returns:
        Tensor of the dtype of ``x``; an odd ``k`` exchanges the sizes of the two axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rot90(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[2.0, 4.0], [1.0, 3.0]]
    """
    first, second = (axis_of(x, axis) for axis in axes)
    if first == second:
        raise InvalidArgumentError(f"rot90: the two axes must differ, but received {list(axes)}.")
    perm = list(range(x.ndim))
    perm[first], perm[second] = second, first
    turns = as_whole(k, "k") % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(flip(x, first), second)
    if turns == 1:
        return transpose(flip(x, second), perm)
    return flip(transpose(x, perm), second)


@composite()
def unflatten(x: Tensor, axis: int, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Return a tensor with one dimension split into several.

    Args:
        x: tensor with at least one dimension.
        axis: the dimension.
        shape: its new sizes; one -1 is inferred from the others.
        name: accepted for compatibility.

    Returns:
        Tensor of the dtype of ``x``, with these sizes instead of the dimension.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.unflatten(paddle.ones([2, 6]), 1, [3, -1]).shape
        paddle.Size([2, 3, 2])
    """
    axis = axis_of(x, axis)
    return reshape(x, [*x.shape[:axis], *shape, *x.shape[axis + 1 :]])


def _at_least(function, inputs):
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = inputs[0] if any(map(is_tensor, inputs[0])) else inputs
    outs = [function(x if is_tensor(x) else ports.to_tensor(x)) for x in inputs]
    return outs[0] if len(outs) == 1 else outs


@composite()
def atleast_1d(
    *inputs: TensorLike | Sequence[Tensor], name: str | None = None
) -> Tensor | list[Tensor]:
    """Return tensors with at least one dimension: 0-D ones get one.

    ``inputs`` are tensors, or what ``to_tensor`` takes; for one the result is a tensor, else a
    list. One list of tensors is taken for its elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_1d(paddle.to_tensor(1.0)).shape
        paddle.Size([1])
    """
    return _at_least(lambda x: reshape(x, [1]) if x.ndim == 0 else x, inputs)


@composite()
def atleast_2d(
    *inputs: TensorLike | Sequence[Tensor], name: str | None = None
) -> Tensor | list[Tensor]:
    """Return tensors with at least two dimensions: vectors become rows.

    ``inputs`` are tensors, or what ``to_tensor`` takes; for one the result is a tensor, else a
    list. One list of tensors is taken for its elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_2d(paddle.ones([3])).shape
        paddle.Size([1, 3])
    """

    def widen(x):
        if x.ndim == 0:
            return reshape(x, [1, 1])
        return unsqueeze(x, 0) if x.ndim == 1 else x

    return _at_least(widen, inputs)


@composite()
def atleast_3d(
    *inputs: TensorLike | Sequence[Tensor], name: str | None = None
) -> Tensor | list[Tensor]:
    """Return tensors with at least three dimensions: a vector becomes [1, n, 1].

    ``inputs`` are tensors, or what ``to_tensor`` takes; for one the result is a tensor, else a
    list. One list of tensors is taken for its elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.atleast_3d(paddle.ones([3])).shape
        paddle.Size([1, 3, 1])
    """

    def widen(x):
        if x.ndim == 0:
            return reshape(x, [1, 1, 1])
        if x.ndim == 1:
            return unsqueeze(x, [0, 2])
        return unsqueeze(x, 2) if x.ndim == 2 else x

    return _at_least(widen, inputs)


@composite()
def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the n-th differences between neighbors along an axis.

    Args:
        x: tensor with at least one dimension.
        n: the number of times to take the differences.
        axis: the axis.
        prepend: tensor to join before ``x`` first.
        append: tensor to join after ``x`` first.
        name: accepted for compatibility.

    Returns:
        Tensor that is n elements shorter along the axis; bool tensors give bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diff(paddle.to_tensor([1.0, 4.0, 9.0])).tolist()
        [3.0, 5.0]
    """
    axis = axis_of(x, axis)
    if n < 1:
        raise InvalidArgumentError(f"diff: n must be at least 1, but received {n}.")
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis) if len(parts) > 1 else x
    before = (slice(None),) * axis
    for _ in range(min(n, x.shape[axis])):  # after that many, no elements are left
        later, earlier = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
        x = later.logical_xor(earlier) if x.dtype == dtypes.bool_ else later.subtract(earlier)
    return x


@composite()
def ravel(input: Tensor) -> Tensor:
    """Return all the elements in one dimension; a view where ``reshape`` returns one.

    ``input`` is a tensor of any shape and dtype; of n elements the result is a tensor [n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ravel(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    return flatten(input)
