"""Finding and ordering elements: sort, topk, where, nonzero, unique, searchsorted.

The length of some outputs depends on values (``nonzero``, ``masked_select``, ``unique``) and is
computed on the host, so those functions wait for their input.
"""

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax, vmap

from jaxeager.arrays import ordering
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError, UnmatchedError
from jaxeager.ops.indexing.take_along import take_along_axis
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import Axis, WholeCount
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.far_places import check_reach, is_long, place_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def picked_vjp(x, indices, dout, *, axis):
    """Write the gradient where elements were selected along an axis, and 0 elsewhere."""
    axis = normal_axis(axis, x.ndim)
    if not x.ndim:
        return dout.reshape(())
    grids = list(jnp.indices(indices.shape, sparse=True))
    grids[axis] = indices
    return jnp.zeros(x.shape, dout.dtype).at[tuple(grids)].add(dout)


def axis_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)),), {"axis": 3}, InvalidArgumentError, "in the range [-2, 2)")


# ---- order


@real_only
def argsort_forward(x, *, axis: Axis = -1, descending: bool = False, stable: bool = False):
    """Sort along an axis; return also each element's old position. Equal elements keep order."""
    axis = normal_axis(axis, x.ndim)
    if not x.ndim:
        return x, jnp.zeros((), np.int64)
    indices = ordering.argsort(x, axis, descending)
    return jnp.take_along_axis(x, indices, axis), indices


def argsort_reference(x, axis=-1, descending=False, stable=False):
    """Use NumPy's stable argsort; descending order is ascending order of the flipped tensor."""
    if not np.ndim(x):
        return np.array(x), np.zeros((), np.int64)
    if descending:
        size = np.shape(x)[axis]
        indices = np.flip(size - 1 - np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
    else:
        indices = np.argsort(x, axis, kind="stable")
    return np.take_along_axis(x, indices, axis), indices


def argsort_samples():
    """Yield both directions, each axis, ties, 0-D and zero-size."""
    yield Sample(values((2, 3)))
    yield Sample(values((3, 2, 2)), axis=0, descending=True)
    yield Sample(np.array([2.0, 1.0, 2.0, 1.0]), descending=True)
    yield Sample(np.array([2.0, 1.0, 2.0, 1.0]))
    yield Sample(values(()))
    yield Sample(values((0, 3)), axis=0)


_argsort = op(
    "argsort",
    argsort_forward,
    vjp=picked_vjp,
    saves="indices",
    shapes="x",
    outputs="out indices",
    public=None,
    reference=argsort_reference,
    samples=argsort_samples,
    errors=axis_errors,
    formula="dx[indices] = dout",
    boundary="equal elements keep their order, as in Paddle.",
    doc="Sort along an axis and return where each element was.",
)


@composite()
def sort(
    x: "Tensor",
    axis: int = -1,
    descending: bool = False,
    stable: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Return the elements of a tensor in order along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis.
        descending: whether the largest is first.
        stable: whether equal elements keep their order; here they always do.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1.0, 2.0, 3.0]
    """
    return _argsort(x, axis, descending, stable)[0]


@composite()
def argsort(
    x: "Tensor",
    axis: int = -1,
    descending: bool = False,
    stable: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Return where the elements of the sorted tensor were, along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis.
        descending: whether the largest is first.
        stable: whether equal elements keep their order; here they always do.
        name: accepted for compatibility.

    Returns:
        int64 Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.argsort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1, 2, 0]
    """
    return _argsort(x, axis, descending, stable)[1]


@composite()
def msort(input: "Tensor") -> "Tensor":
    """Return the elements of a tensor in order along the first axis.

    ``input`` is a tensor of real numbers, of any shape; the result has its shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.msort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1.0, 2.0, 3.0]
    """
    return _argsort(input, 0)[0]


@real_only
def topk_forward(x, *, k: WholeCount, axis: Axis = None, largest: bool = True, sorted: bool = True):
    """Take the k largest (or smallest) elements along an axis; equal elements keep their order."""
    axis = normal_axis(-1 if axis is None else axis, x.ndim)
    line = jnp.moveaxis(x, axis, -1) if x.ndim else x.reshape(1)
    if not 1 <= k <= line.shape[-1]:
        raise ValueError(f"k must be in [1, {line.shape[-1]}], but received {k}.")
    if largest and not is_long(line.shape[-1]) and not is_symbolic(k):
        out, indices = ordering.largest(line, k)
    else:
        indices = argsort_forward(line, axis=-1, descending=largest)[1][..., :k]
        out = jnp.take_along_axis(line, indices, -1)
    indices = indices.astype(np.int64)
    if not x.ndim:
        return out.reshape(()), indices.reshape(())
    return jnp.moveaxis(out, -1, axis), jnp.moveaxis(indices, -1, axis)


def topk_vjp(x, indices, dout, *, axis):
    """Write the gradient where the elements were selected."""
    return picked_vjp(x, indices, dout, axis=-1 if axis is None else axis)


def topk_reference(x, k, axis=None, largest=True, sorted=True):
    """Take the start of NumPy's stable argsort."""
    axis = -1 if axis is None else axis
    indices = np.argsort(-x if largest else x, axis, kind="stable")
    indices = np.take(indices, np.arange(k), axis)
    return np.take_along_axis(x, indices, axis), indices


def topk_samples():
    """Yield both ends, each axis, all elements."""
    yield Sample(values((2, 5)), k=2)
    yield Sample(values((4, 3)), k=2, axis=0, largest=False)
    yield Sample(values((2, 3, 2)), k=3, axis=1)
    yield Sample(np.array([2.0, 1.0, 2.0, 2.0]), k=2, grad=False)
    yield Sample(np.array([1.0, 2.0, 1.0, 2.0]), k=3, largest=False, grad=False)


def topk_errors():
    """Yield a k that is too large, and one that is too small."""
    yield BadInput((np.ones((2, 3)), 5), {}, InvalidArgumentError, "k must be in [1, 3]")
    yield BadInput((np.ones((2, 3)), 0), {}, InvalidArgumentError, "k must be in [1, 3]")


_topk = op(
    "topk",
    topk_forward,
    public=None,
    vjp=topk_vjp,
    saves="x indices",
    outputs="out indices",
    reference=topk_reference,
    samples=topk_samples,
    errors=topk_errors,
    formula="dx[indices] = dout",
    boundary="the first of equal elements, as in Paddle.",
    doc="Take the k largest or smallest elements along an axis, and their positions.",
    example="paddle.topk(paddle.to_tensor([1.0, 3.0, 2.0]), k=2)",
)


class TopKRetType(NamedTuple):
    """The result of ``topk``.

    Attributes:
        values: the elements.
        indices: their positions along the axis, int64.
    """

    values: "Tensor"
    indices: "Tensor"


@composite()
def topk(
    x: "Tensor",
    k: "int | Tensor",
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: str | None = None,
) -> TopKRetType:
    """Return the k largest elements along an axis, the largest first, and their positions.

    Args:
        x: tensor of real numbers.
        k: the number of elements.
        axis: the axis; the last one by default.
        largest: False for the smallest elements.
        sorted: ignored; the result is always sorted.
        name: ignored.

    Returns:
        a named tuple: ``values``, and ``indices``, int64; both have the shape of x, but size k
        along the axis.

    Raises:
        InvalidArgumentError: for a k below 1, or above the size of the axis.

    Example:
        >>> import jaxeager as paddle
        >>> top = paddle.topk(paddle.to_tensor([1.0, 3.0, 2.0]), k=2)
        >>> top.values.tolist(), top.indices.tolist()
        ([3.0, 2.0], [1, 2])
    """
    return TopKRetType(*_topk(x, k, axis, largest, sorted))


@real_only
def kthvalue_forward(x, *, k: int, axis: Axis = None, keepdim: bool = False):
    """Take the k-th smallest element along an axis."""
    axis = normal_axis(-1 if axis is None else axis, x.ndim)
    out, indices = argsort_forward(x.reshape(1) if not x.ndim else x, axis=axis)
    if not 1 <= k <= out.shape[axis]:
        raise ValueError(f"k must be in [1, {out.shape[axis]}], but received {k}.")
    return tuple(_pick_one(each, k - 1, axis, keepdim, x.ndim) for each in (out, indices))


def _pick_one(array, position: int, axis: int, keepdim: bool, ndim: int):
    picked = lax.slice_in_dim(array, position, position + 1, axis=axis)
    return picked if keepdim and ndim else jnp.squeeze(picked, axis)


def one_picked_vjp(x, indices, dout, *, axis, keepdim):
    """Write the gradient where the one element was selected."""
    axis = normal_axis(-1 if axis is None else axis, x.ndim)
    if not keepdim and x.ndim:
        dout, indices = jnp.expand_dims(dout, axis), jnp.expand_dims(indices, axis)
    return picked_vjp(x, indices, dout, axis=axis)


def kthvalue_reference(x, k, axis=None, keepdim=False):
    """Take the k-th element of NumPy's stable argsort."""
    axis = -1 if axis is None else axis
    indices = np.take(np.argsort(x, axis, kind="stable"), [k - 1], axis)
    pair = np.take_along_axis(x, indices, axis), indices
    return pair if keepdim else tuple(np.squeeze(each, axis) for each in pair)


def kthvalue_samples():
    """Yield each axis, ties and kept dimensions."""
    yield Sample(values((2, 5)), k=2)
    yield Sample(values((4, 3)), k=1, axis=0, keepdim=True)
    yield Sample(np.array([2.0, 2.0, 1.0]), k=2)


kthvalue = op(
    "kthvalue",
    kthvalue_forward,
    vjp=one_picked_vjp,
    saves="x indices",
    outputs="out indices",
    reference=kthvalue_reference,
    samples=kthvalue_samples,
    errors=topk_errors,
    formula="dx[indices] = dout",
    boundary="one of equal elements gets the whole gradient, as in Paddle.",
    doc="Take the k-th smallest element along an axis, and its position.",
    example="paddle.kthvalue(paddle.to_tensor([3.0, 1.0, 2.0]), 2)",
)


@real_only
def mode_forward(x, *, axis: Axis = -1, keepdim: bool = False):
    """Take the most frequent element along an axis, the smallest of several; and its last place."""
    line = x.reshape(1) if not x.ndim else x
    axis = normal_axis(axis, x.ndim)
    out, indices = argsort_forward(line, axis=axis)
    places = lax.broadcasted_iota(place_dtype(out.shape[axis]), out.shape, axis)
    before = jnp.roll(out, 1, axis)
    is_start = (places == 0) | (out != before)
    starts = lax.cummax(jnp.where(is_start, places, 0), axis=axis)
    best = jnp.argmax(places - starts, axis=axis, keepdims=True)
    picked = (jnp.take_along_axis(each, best, axis) for each in (out, indices))
    return tuple(each if keepdim and x.ndim else jnp.squeeze(each, axis) for each in picked)


def mode_reference(x, axis=-1, keepdim=False):
    """Count the elements of each line."""
    lines = np.moveaxis(np.atleast_1d(x), axis, -1)
    flat = lines.reshape(-1, lines.shape[-1])
    found, counts = zip(*(np.unique(line, return_counts=True) for line in flat), strict=True)
    out = np.array([v[np.argmax(c)] for v, c in zip(found, counts, strict=True)])
    places = np.array([np.flatnonzero(r == v)[-1] for r, v in zip(flat, out, strict=True)])
    pair = out.reshape(lines.shape[:-1]), places.reshape(lines.shape[:-1])
    return tuple(np.expand_dims(each, axis) for each in pair) if keepdim else pair


def mode_samples():
    """Yield lines with one winner and with several, each axis."""
    yield Sample(np.array([[1.0, 2.0, 2.0, 1.0, 2.0], [3.0, 2.0, 2.0, 1.0, 1.0]]), grad=False)
    yield Sample(values((3, 2)), axis=0, keepdim=True)


mode = op(
    "mode",
    mode_forward,
    vjp=one_picked_vjp,
    saves="x indices",
    outputs="out indices",
    reference=mode_reference,
    samples=mode_samples,
    errors=axis_errors,
    formula="dx[indices] = dout",
    boundary="the last of equal elements gets the whole gradient, as in Paddle.",
    doc="Take the most frequent element along an axis, and its last position.",
    example="paddle.mode(paddle.to_tensor([1.0, 2.0, 2.0]))",
)


@real_only
def searchsorted_forward(sorted_sequence, values, *, out_int32: bool = False, right: bool = False):
    """Find the positions to insert values at in a sorted sequence."""
    side = "right" if right else "left"
    dtype = np.int32 if out_int32 else np.int64
    check_reach(dtype, sorted_sequence.shape[-1])
    if sorted_sequence.ndim == 1:
        found = jnp.searchsorted(sorted_sequence, values, side=side)
    else:
        if sorted_sequence.shape[:-1] != values.shape[:-1]:
            raise UnmatchedError("sorted_sequence and values must agree except in the last size.")
        rows = sorted_sequence.reshape(-1, sorted_sequence.shape[-1])
        queries = values.reshape(rows.shape[0], values.shape[-1])
        found = vmap(lambda row, query: jnp.searchsorted(row, query, side=side))(rows, queries)
        found = found.reshape(values.shape)
    return found.astype(dtype)


def searchsorted_reference(sorted_sequence, values, out_int32=False, right=False):
    """Use NumPy's searchsorted, row by row."""
    side, dtype = "right" if right else "left", np.int32 if out_int32 else np.int64
    if np.ndim(sorted_sequence) == 1:
        return np.asarray(np.searchsorted(sorted_sequence, values, side)).astype(dtype)
    rows = zip(sorted_sequence, values, strict=True)
    return np.array([np.searchsorted(row, query, side) for row, query in rows], dtype)


def searchsorted_samples():
    """Yield one sequence, one per row, equal values on both sides."""
    line = np.array([1.0, 3.0, 3.0, 5.0])
    yield Sample(line, np.array([[0.0, 3.0], [5.0, 9.0]]))
    yield Sample(line, np.array([0.0, 3.0, 5.0]), right=True, out_int32=True)
    yield Sample(np.array([[1.0, 2.0], [5.0, 6.0]]), np.array([[2.0], [7.0]]))
    yield Sample(line, np.array(4.0))


def searchsorted_errors():
    """Yield rows that do not match."""
    wrong = np.ones((2, 3)), np.ones((3, 1))
    yield BadInput(wrong, {}, InvalidArgumentError, "must agree")


_searchsorted = op(
    "searchsorted",
    searchsorted_forward,
    vjp=NONDIFF,
    public=None,
    reference=searchsorted_reference,
    samples=searchsorted_samples,
    errors=searchsorted_errors,
    doc="Find where values would be inserted into a sorted sequence to keep it sorted.",
)


@composite(method=False)
def searchsorted(
    sorted_sequence: "Tensor",
    values: "Tensor",
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
    *,
    side: str | None = None,
    sorter: "Tensor | None" = None,
) -> "Tensor":
    """Return the positions to insert values at so that a sorted sequence stays sorted.

    Args:
        sorted_sequence: tensor[n], or [..., n], sorted along the last dimension.
        values: tensor of any shape; [..., m] for a sequence [..., n].
        out_int32: whether the output is int32 instead of int64.
        right: whether the position of a value is after the elements equal to it.
        name: accepted for compatibility.
        side: "right" means ``right=True``; "left" leaves ``right`` unchanged.
        sorter: integer tensor of the shape of ``sorted_sequence``, the order that sorts it.

    Returns:
        Tensor of the shape of ``values``.

    Raises:
        InvalidArgumentError: when dimensions before the last differ, or for another ``side``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.searchsorted(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2.0])).tolist()
        [1]
    """
    if side not in (None, "left", "right"):
        raise InvalidArgumentError(f"side must be 'left' or 'right', but received {side!r}.")
    if sorter is not None:
        sorted_sequence = take_along_axis(sorted_sequence, sorter, -1)
    return _searchsorted(sorted_sequence, values, out_int32, right or side == "right")


@composite()
def bucketize(
    x: "Tensor",
    sorted_sequence: "Tensor",
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Return the index of the bucket each element of ``x`` falls into.

    Args:
        x: tensor of any shape.
        sorted_sequence: 1-D tensor of the bounds.
        out_int32: whether the output is int32 instead of int64.
        right: whether an element equal to a bound belongs to the bucket after it.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.bucketize(paddle.to_tensor([0.5, 2.0]), paddle.to_tensor([1.0, 3.0])).tolist()
        [0, 1]
    """
    if sorted_sequence.ndim != 1:
        raise InvalidArgumentError(
            f"bucketize: sorted_sequence must have 1 dimension, not {sorted_sequence.ndim}."
        )
    return _searchsorted(sorted_sequence, x, out_int32, right)
