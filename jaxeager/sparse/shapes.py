"""coalesce, sum, reshape, transpose, slice, is_same_shape: changes of the coordinates."""

from __future__ import annotations

from builtins import slice as builtin_slice
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.core.further_names import also_named
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.rules.attrs import as_ints, as_shape
from jaxeager.ops.sparse import sparse_values as rows
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseCsrTensor, checked

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ShapeLike
    from jaxeager.sparse.tensors import SparseTensor


@names_operands
def is_same_shape(x: SparseTensor, y: SparseTensor) -> bool:
    """Return whether two tensors, sparse or dense, have the same shape.

    Args:
        x: tensor, sparse or dense.
        y: tensor, sparse or dense.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[1]], [3.0], [3])
        >>> paddle.sparse.is_same_shape(x, paddle.ones([3]))
        True
    """
    return list(x.shape) == list(y.shape)


def coalesce(x: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return a SparseCooTensor with sorted, distinct coordinates; entries of one place are added.

    Paddle: the result stops gradients; here they pass through.

    Args:
        x: SparseCooTensor.
        name: ignored.

    Raises:
        UnimplementedError: for any other tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[2, 0, 2]], [1.0, 5.0, 2.0], [3])
        >>> paddle.sparse.coalesce(x).values().tolist()
        [5.0, 3.0]
    """
    return checked(x, "coalesce").coalesce()


def _axes(axis, ndim: int) -> tuple[int, ...]:
    """Return the axes counted from the front, sorted.

    Raises:
        InvalidArgumentError: when one is out of range, or repeated.
    """
    axes = (axis,) if isinstance(axis, int) else as_ints(axis)
    axes = (axes,) if isinstance(axes, int) else axes
    for each in axes:
        if not -ndim <= each < ndim:
            raise InvalidArgumentError(
                f"The axis should be in the range [{-ndim}, {ndim}), but received {each}."
            )
    found = sorted(each % ndim for each in axes)
    if len(set(found)) < len(found):
        raise InvalidArgumentError(f"Each axis should be unique, but received {list(axes)}.")
    return tuple(found)


def sum(
    x: SparseTensor,
    axis: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return the sum of a sparse tensor's entries, as a sparse tensor.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        axis: axis or axes; all by default. For compressed rows, the last one or all.
        dtype: the dtype of the sum; bools and int32 are summed in int64.
        keepdim: whether to keep the axes, with size 1. Those of compressed rows are always kept.
        name: ignored.

    Returns:
        a sparse tensor of the same kind; shape [1] when no axis would be left. (Paddle: the
        coordinates are malformed then, and several axes are not all summed.)

    Raises:
        UnimplementedError: for another axis of compressed rows, and when all coordinates would be
            summed but not the dimensions of an entry.
        InvalidArgumentError: for an axis out of range.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 2]], [1.0, 4.0], [2, 3])
        >>> paddle.sparse.sum(x, axis=0).to_dense().tolist()
        [0.0, 0.0, 5.0]
    """
    checked(x, "sum")
    axes = tuple(range(x.ndim)) if axis is None else _axes(axis, x.ndim)
    if isinstance(x, SparseCsrTensor):
        if axes not in ((x.ndim - 1,), tuple(range(x.ndim))):
            raise UnimplementedError(
                f"sum of a SparseCsrTensor takes the axis None or -1, but received {axis}; call "
                "to_sparse_coo(2) first."
            )
        keepdim = True
    values = _summable(x._values, dtype)
    reduced = [each for each in axes if each < x.sparse_dim()]
    inner = [1 + each - x.sparse_dim() for each in axes if each >= x.sparse_dim()]
    if inner:
        values = paddle.sum(values, inner, keepdim=keepdim)
    if not reduced:
        shape = [*x.shape[: x.sparse_dim()], *values.shape[1:]]
        return x.rebuilt(values, x.coordinates(), shape)
    return _merge_over(x, values, reduced, keepdim)


def _summable(values, dtype):
    """Return the values in the dtype of their sum."""
    if dtype is not None:
        return values.astype(dtype)
    return values.astype("int64") if values._array.dtype.name in ("bool", "int32") else values


def _merge_over(x, values, reduced: list[int], keepdim: bool):
    """Add up the entries that differ only in the reduced coordinates."""
    found, dims = x.coordinates(), list(x.shape[: x.sparse_dim()])
    kept_axes = [each for each in range(len(dims)) if each not in reduced]
    if keepdim:
        found, dims = found.copy(), [1 if i in reduced else n for i, n in enumerate(dims)]
        found[reduced] = 0
    elif kept_axes:
        found, dims = found[kept_axes], [dims[each] for each in kept_axes]
    elif values.ndim > 1:
        raise UnimplementedError(
            "sum over all coordinates of a sparse tensor whose entries are not scalars needs "
            "keepdim=True; or sum its values() over axis 0."
        )
    else:
        found, dims = np.zeros((1, found.shape[1]), np.int64), [1]
    kept, at = host.unique_keys(host.keys_of(found, dims))
    summed = rows.sum_values(values, paddle.to_tensor(at), size=len(kept))
    return x.rebuilt(summed, host.coordinates_of(kept, dims), [*dims, *values.shape[1:]])


@also_named("input=x")
def reshape(x: SparseTensor, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor of another shape, with the entries in the same dense order.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        shape: one -1 is computed from the others, a 0 keeps that dimension. The dimensions of one
            entry cannot change.
        name: ignored.

    Raises:
        InvalidArgumentError: when the sizes differ, and for compressed rows of neither 2 nor 3
            dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 4.0], [2, 3])
        >>> paddle.sparse.reshape(x, [-1]).indices().tolist()
        [[2, 3]]
    """
    checked(x, "reshape")
    new = _full_shape(as_shape(shape), x.shape)
    count = len(new) - x.dense_dim()
    if count < 1 or list(new[count:]) != list(x.shape[x.sparse_dim() :]):
        raise InvalidArgumentError(
            f"reshape keeps the dimensions of one entry, {list(x.shape[x.sparse_dim() :])}, but "
            f"received the shape {list(new)}."
        )
    if isinstance(x, SparseCsrTensor) and len(new) not in (2, 3):
        raise InvalidArgumentError(
            f"SparseCsrTensor only support 2-D or 3-D matrix, but received {list(new)}."
        )
    keys = host.keys_of(x.coordinates(), x.shape[: x.sparse_dim()])
    order = np.argsort(keys, kind="stable") if x.is_sparse_csr() else np.arange(len(keys))
    values = rows.reshape(x._values, paddle.to_tensor(order))
    return x.rebuilt(values, host.coordinates_of(keys[order], new[:count]), new)


def _full_shape(shape: tuple[int, ...], old) -> list[int]:
    """Return a shape with -1 and 0 replaced.

    Raises:
        InvalidArgumentError: when its size differs.
    """
    new = [old[i] if size == 0 and i < len(old) else size for i, size in enumerate(shape)]
    size, known = int(np.prod(old)), int(np.prod([each for each in new if each != -1]))
    if new.count(-1) == 1 and known and size % known == 0:
        new[new.index(-1)] = size // known
    if any(each < 0 for each in new) or int(np.prod(new)) != size:
        raise InvalidArgumentError(
            f"The 'shape' in ReshapeOp is invalid: {list(old)} has {size} elements, which "
            f"{list(shape)} cannot hold."
        )
    return new


def transpose(x: SparseTensor, perm: Sequence[int], name: str | None = None) -> SparseTensor:
    """Return a sparse tensor with its dimensions in another order.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        perm: list of ints, each dimension once. The dimensions of one entry stay after those with
            coordinates.
        name: ignored.

    Raises:
        InvalidArgumentError: for a perm that is not a permutation, or mixes the two kinds of
            dimensions (Paddle's process crashes, or hangs).

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 4.0], [2, 3])
        >>> paddle.sparse.transpose(x, [1, 0]).indices().tolist()
        [[2, 0], [0, 1]]
    """
    checked(x, "transpose")
    perm, count = list(as_shape(perm)), x.sparse_dim()
    if sorted(perm) != list(range(x.ndim)) or sorted(perm[:count]) != list(range(count)):
        raise InvalidArgumentError(
            f"perm must name each of the {x.ndim} dimensions once, the {count} with coordinates "
            f"first, but received {perm}."
        )
    shape = [x.shape[each] for each in perm]
    found = x.coordinates()[perm[:count]]
    order = np.arange(found.shape[1])
    if isinstance(x, SparseCsrTensor):
        order = np.argsort(host.keys_of(found, shape), kind="stable")
    values = rows.transpose(x._values, paddle.to_tensor(order))
    if perm[count:] != list(range(count, x.ndim)):
        values = paddle.transpose(values, [0, *[1 + each - count for each in perm[count:]]])
    return x.rebuilt(values, found[:, order], shape)


def slice(
    x: SparseTensor,
    axes: Sequence[int] | Sequence[SparseTensor] | SparseTensor,
    starts: Sequence[int] | Sequence[SparseTensor] | SparseTensor,
    ends: Sequence[int] | Sequence[SparseTensor] | SparseTensor,
    name: str | None = None,
) -> SparseTensor:
    """Return a slice of a sparse tensor, as a sparse tensor.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        axes: list of ints.
        starts: list of ints, one per axis; negative ones count from the end.
        ends: list of ints, one per axis, exclusive.
        name: ignored.

    Raises:
        InvalidArgumentError: for lists of different lengths, or an axis out of range.

    Paddle: the gradient has the shape of the result, and entries that are not scalars are lost.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 4.0], [2, 3])
        >>> paddle.sparse.slice(x, [0, 1], [0, 1], [2, 3]).to_dense().tolist()
        [[0.0, 1.0], [0.0, 0.0]]
    """
    checked(x, "slice")
    axes, starts, ends = (list(as_shape(each)) for each in (axes, starts, ends))
    if not len(axes) == len(starts) == len(ends):
        raise InvalidArgumentError(
            f"The length of axes ({len(axes)}), of starts ({len(starts)}) and of ends "
            f"({len(ends)}) should be same."
        )
    _axes(axes, x.ndim)
    count, shape = x.sparse_dim(), list(x.shape)
    found = x.coordinates()
    inside = np.ones(found.shape[1], bool)
    first = np.zeros((count, 1), np.int64)
    inner = []
    for axis, start, end in zip((each % x.ndim for each in axes), starts, ends, strict=True):
        begin, stop, _ = builtin_slice(start, end).indices(shape[axis])
        shape[axis] = max(stop - begin, 0)
        if axis < count:
            inside &= (found[axis] >= begin) & (found[axis] < stop)
            first[axis] = begin
        else:
            inner.append((1 + axis - count, begin, begin + shape[axis]))
    values = rows.slice_values(x._values, paddle.to_tensor(np.flatnonzero(inside)))
    if inner:
        values = paddle.slice(values, *(list(each) for each in zip(*inner, strict=True)))
    return x.rebuilt(values, found[:, inside] - first, shape)
