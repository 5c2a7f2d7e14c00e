"""Writing element by element along one axis: put_along_axis and the scatter_* built on it."""

import math
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import broadcast_shapes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import scalar_of_dtype, wrap
from jaxeager.ops.indexing.gather import axis_of, check_index
from jaxeager.ops.indexing.scatter import last_writes, masked_like, write_last
from jaxeager.ops.indexing.take_along import along, stretched_shape
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Axis
from jaxeager.ops.rules.axes import index_dtype, normal_axis, same_dtype
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.promotion import NUMBERS
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor

REDUCTIONS = {
    "assign": "assign", "add": "add", "mul": "mul", "multiply": "mul", "mean": "mean",
    "amin": "amin", "amax": "amax",
}  # fmt: skip


def put_along_axis_forward(
    arr, indices, values, *, axis: Axis, reduce: str = "assign", include_self: bool = True
):
    """Write one value per index along an axis, or combine it with the element there."""
    places = _places(arr, indices, values, axis)
    values = _covered(values, indices)
    kind = _kind(reduce)
    if kind == "assign":
        if indices.shape[normal_axis(axis, arr.ndim)] == 1:
            return arr.at[places].set(values)
        return _from_axis(write_last(*_to_front(arr, indices, values, axis)), axis)
    if kind == "mean":
        total = _cleared(arr, places, include_self, 0).at[places].add(values)
        share = _count(arr, places, include_self).astype(arr.dtype)
        if jnp.issubdtype(arr.dtype, jnp.inexact):
            return total / share
        return jnp.floor_divide(total, share)
    start = _cleared(arr, places, include_self, _neutral(kind, arr.dtype)).at[places]
    combine = {"add": start.add, "mul": start.multiply, "amin": start.min, "amax": start.max}
    return combine[kind](values)


def _kind(reduce: str) -> str:
    if reduce not in REDUCTIONS:
        raise ValueError(f"reduce must be one of {', '.join(REDUCTIONS)}, not {reduce!r}.")
    return REDUCTIONS[reduce]


def _places(arr, indices, values, axis) -> tuple:
    """Return the index arrays of the writes.

    Raises:
        ValueError: when shapes or dtypes do not fit.
    """
    index_dtype(indices)
    same_dtype(arr, values)
    axis = normal_axis(axis, arr.ndim)
    if indices.ndim != arr.ndim or values.ndim != arr.ndim:
        raise ValueError("indices and values must have as many dimensions as arr.")
    if any(n > m for n, m in zip(indices.shape, values.shape, strict=True)):
        raise ValueError("indices must not be larger than values.")
    if any(indices.shape[i] > arr.shape[i] for i in range(arr.ndim) if i != axis):
        raise ValueError("indices must not be larger than arr, except along the axis.")
    return along(indices, axis)


def _covered(values, indices):
    """Return the leading part of the values, of the shape of the indices."""
    return values[tuple(slice(n) for n in indices.shape)]


def _to_front(arr, indices, values, axis) -> tuple:
    """Return the arguments of ``write_last``, with the axis moved to the front."""
    arr, indices, values = (jnp.moveaxis(each, axis, 0) for each in (arr, indices, values))
    return arr, along(indices, 0), values, indices.shape


def _from_axis(array, axis):
    return jnp.moveaxis(array, 0, axis)


def _cleared(arr, places, include_self: bool, neutral):
    """Return arr, with a neutral element at the written places unless arr itself counts."""
    return arr if include_self else arr.at[places].set(jnp.asarray(neutral, arr.dtype))


def _neutral(kind: str, dtype):
    """Return the element that leaves every other one unchanged."""
    if kind in ("add", "mul"):
        return 0 if kind == "add" else 1
    limits = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype)
    if hasattr(limits, "tiny"):
        return np.inf if kind == "amin" else -np.inf
    return limits.max if kind == "amin" else limits.min


def _count_dtype(places: tuple) -> np.dtype:
    """Return a dtype that can count the writes to one element; all of them may be to one."""
    return place_dtype(math.prod(broadcast_shapes(*[each.shape for each in places])))


def _count(arr, places, include_self: bool):
    """Return the number of values combined at each element, its own included if it counts."""
    written = jnp.zeros(arr.shape, _count_dtype(places)).at[places].add(1)
    return written + 1 if include_self else jnp.maximum(written, 1)


def put_along_axis_vjp(arr, indices, values, out, dout, *, axis, reduce, include_self):
    """Return the gradients of arr and the values, by the kind of reduction."""
    covered = _covered(values, indices)
    darr, dcovered = _shares(arr, indices, covered, out, dout, axis, _kind(reduce), include_self)
    rest = [(0, m - n) for n, m in zip(indices.shape, values.shape, strict=True)]
    return darr, jnp.pad(dcovered, rest)


def _shares(arr, indices, values, out, dout, axis, kind, include_self):
    places = along(indices, normal_axis(axis, arr.ndim))
    read = dout[places]
    if kind == "assign":
        front = _to_front(arr, indices, values, axis)
        keeps = _from_axis(last_writes(front[0].shape, front[1], front[3]), axis)
        return _cleared(dout, places, False, 0), masked_like(keeps, read)
    own = _cleared(dout, places, include_self, 0)
    if kind == "add":
        return own, read
    if kind == "mean":
        count = _count(arr, places, include_self).astype(dout.dtype)
        return own / count, read / count[places]
    if kind == "mul":
        return _product_vjp(arr, values, out, dout, own, places, include_self)
    return _extreme_vjp(arr, values, out, dout, places, include_self)


def _product_vjp(arr, values, out, dout, own, places, include_self):
    """Multiply the gradient of each factor by the product of the others, exact also at zeros."""
    factors = lax.stop_gradient(values)
    start = lax.stop_gradient(arr) if include_self else jnp.ones_like(arr)
    dtype = _count_dtype(places)
    zeros = (start == 0).astype(dtype).at[places].add((factors == 0).astype(dtype))
    one = jnp.ones((), arr.dtype)
    rest = (
        jnp.where(start == 0, one, start).at[places].multiply(jnp.where(factors == 0, one, factors))
    )

    def others(factor, product, zero_count, nonzero_product):
        is_zero = factor == 0
        exact = jnp.where(is_zero & (zero_count == 1), nonzero_product, 0)
        return jnp.where(is_zero, exact, product / jnp.where(is_zero, one, factor))

    dvalues = dout[places] * jnp.conj(others(values, out[places], zeros[places], rest[places]))
    is_written = jnp.zeros(arr.shape, bool).at[places].set(True)
    darr = jnp.where(is_written, own * jnp.conj(others(arr, out, zeros, rest)), own)
    return darr, dvalues


def _extreme_vjp(arr, values, out, dout, places, include_self):
    """Divide the gradient evenly among the numbers that equal the extreme."""
    wins = values == out[places]
    is_written = jnp.zeros(arr.shape, bool).at[places].set(True)
    own_win = jnp.where(is_written, include_self & (arr == out), True)
    dtype = _count_dtype(places)
    count = own_win.astype(dtype).at[places].add(wins.astype(dtype))
    share = dout / jnp.maximum(count, 1).astype(dout.dtype)
    zero = jnp.zeros((), dout.dtype)
    return jnp.where(own_win, share, zero), jnp.where(wins, share[places], zero)


def put_along_axis_reference(arr, indices, values, axis, reduce="assign", include_self=True):
    """Write one value after the other."""
    combine = {
        "add": np.add, "mul": np.multiply, "multiply": np.multiply, "mean": np.add,
        "amin": np.minimum, "amax": np.maximum, "assign": lambda old, new: new,
    }[reduce]  # fmt: skip
    out, counts = np.array(arr), np.full(np.shape(arr), int(include_self))
    for each in np.ndindex(np.shape(indices)):
        place = (*each[:axis], indices[each] % np.shape(arr)[axis], *each[axis + 1 :])
        is_first = counts[place] == 0
        out[place] = values[each] if is_first else combine(out[place], values[each])
        counts[place] += 1
    return out / np.maximum(counts, 1) if reduce == "mean" else out


def put_along_axis_samples():
    """Yield every reduction, equal positions among them, fewer rows than arr has.

    JAX has no rule for products and extremes of equal positions; separate tests cover their
    gradients.
    """
    x, index = values((3, 4), 0.5, 2.0), np.array([[0, 0], [3, 1], [2, -1]])
    update = values((3, 2), 0.5, 2.0, seed=1)
    yield Sample(x, index, update, axis=1)
    yield Sample(x, index[:, :1], update[:, :1], axis=1)
    yield Sample(x, np.array([[2, 0, 1]]), values((1, 3), seed=1), axis=0, reduce="add")
    yield Sample(x, index[:2, :1], values((3, 4), seed=1), axis=1)
    for reduce in ("add", "mean"):
        yield Sample(x, index, update, axis=1, reduce=reduce)
        yield Sample(x, index, update, axis=1, reduce=reduce, include_self=False)
    for reduce in ("mul", "amin", "amax"):
        yield Sample(x, index, update, axis=1, reduce=reduce, grad=False)
        yield Sample(x, index, update, axis=1, reduce=reduce, include_self=False, grad=False)


def put_along_axis_errors():
    """Yield values that are too small, and an unknown reduction."""
    x, index = np.ones((2, 3)), np.zeros((2, 1), int)
    wrong = (x, index, np.ones((1, 1)))
    yield BadInput(wrong, {"axis": 1}, InvalidArgumentError, "not be larger than values")
    unknown = {"axis": 1, "reduce": "median"}
    yield BadInput((x, index, np.ones((2, 1))), unknown, InvalidArgumentError, "must be one of")


_put_along_axis = op(
    "put_along_axis",
    put_along_axis_forward,
    vjp=put_along_axis_vjp,
    saves="arr indices values out",
    nondiff="indices",
    inplace=True,
    public=None,
    reference=put_along_axis_reference,
    samples=put_along_axis_samples,
    errors=put_along_axis_errors,
    formula="assign: darr = dout, 0 where written; dvalues = dout where the write stayed",
    boundary="of values assigned to one place the last one stays; elements that tie in amin, amax "
    "and mean share equally, the old one among them (Paddle: see put_along_axis).",
    doc="Write one value per index along an axis, or combine it with the element there.",
    dtypes=WITH_COMPLEX,
)


def _put_operands(arr, indices, values, axis, broadcast: bool) -> tuple:
    """Return the operands of the row, the values as a tensor of the shape of the indices."""
    axis = axis_of(arr, axis)
    check_index(arr, indices, axis)
    expand = ROWS["expand"].function
    if broadcast:
        shape = stretched_shape(arr, indices, axis)
        shape = [n if n != -1 else indices.shape[axis] for n in shape]
        indices = expand(indices, shape) if shape != indices.shape else indices
    if type(values) in NUMBERS:
        number = scalar_of_dtype(values, arr._array.dtype)
        values = wrap(jnp.broadcast_to(number, indices._array.shape))
    elif broadcast:
        values = expand(values, indices.shape)
    return arr, indices, values, axis


@composite()
def put_along_axis(
    arr: "Tensor",
    indices: "Tensor",
    values: "Tensor | Number",
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> "Tensor":
    """Return a tensor with one value per index written along an axis.

    In Paddle, gradients of "mul" are nan at zeros, and those of "amin" and "amax" count the element
    itself even when it is not included. Here both are right.

    Args:
        arr: tensor with at least one dimension.
        indices: integer tensor of as many dimensions.
        values: number, or tensor that broadcasts to the shape of ``indices``.
        axis: the axis the indices count along.
        reduce: "assign", "add", "mul" (or "multiply"), "mean", "amin" or "amax".
        include_self: whether the existing element takes part.
        broadcast: whether ``indices`` and ``values`` are broadcast.

    Returns:
        Tensor of the shape of ``arr``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.put_along_axis(x, paddle.to_tensor([[1], [0]]), 9.0, 1).tolist()
        [[1.0, 9.0], [9.0, 4.0]]
    """
    operands = _put_operands(arr, indices, values, axis, broadcast)
    return _put_along_axis(*operands, reduce, include_self)


@composite(public=None, method=True)
def put_along_axis_(
    arr: "Tensor",
    indices: "Tensor",
    values: "Tensor | Number",
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> "Tensor":
    """Write one value per index into ``arr`` along an axis; see ``put_along_axis``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.put_along_axis_(paddle.to_tensor([1]), 9.0, 0).tolist()
        [0.0, 9.0]
    """
    operands = _put_operands(arr, indices, values, axis, broadcast)
    return ROWS["put_along_axis"].inplace_function(*operands, reduce, include_self)


@composite()
def scatter_add(input: "Tensor", dim: int, index: "Tensor", src: "Tensor") -> "Tensor":
    """Return a tensor with elements of ``src`` added at indices along a dimension.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension the indices count along.
        index: integer tensor of as many dimensions.
        src: tensor at least as large as ``index``.

    Returns:
        Tensor of the shape of ``input``.

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([1, 1])
        >>> paddle.scatter_add(paddle.zeros([3]), 0, index, paddle.ones([2])).tolist()
        [0.0, 2.0, 0.0]
    """
    return put_along_axis(input, index, src, dim, "add", True, False)


@composite()
def scatter_add_(input: "Tensor", dim: int, index: "Tensor", src: "Tensor") -> "Tensor":
    """Add elements of ``src`` to ``input`` at indices along a dimension; see ``scatter_add``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.scatter_add_(0, paddle.to_tensor([1]), paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    return put_along_axis_(input, index, src, dim, "add", True, False)


@composite()
def scatter_reduce(
    input: "Tensor",
    dim: int,
    index: "Tensor",
    src: "Tensor",
    reduce: str,
    *,
    include_self: bool = True,
) -> "Tensor":
    """Return a tensor with elements of ``src`` combined into it at indices along a dimension.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension the indices count along.
        index: integer tensor of as many dimensions.
        src: tensor at least as large as ``index``.
        reduce: "sum", "prod", "mean", "amin" or "amax".
        include_self: whether the existing elements take part.

    Returns:
        Tensor of the shape of ``input``.

    Example:
        >>> import jaxeager as paddle
        >>> x, index = paddle.ones([2]), paddle.to_tensor([0, 0])
        >>> paddle.scatter_reduce(x, 0, index, paddle.to_tensor([2.0, 3.0]), "prod").tolist()
        [6.0, 1.0]
    """
    kinds = {"sum": "add", "prod": "mul", "mean": "mean", "amin": "amin", "amax": "amax"}
    if reduce not in kinds:
        raise InvalidArgumentError(
            f"scatter_reduce: reduce must be one of {', '.join(kinds)}, but received {reduce!r}."
        )
    return put_along_axis(input, index, src, dim, kinds[reduce], include_self, False)
