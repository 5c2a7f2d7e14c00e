"""Writing elements at integer positions: scatter, index_add, index_put, put_along_axis.

Note [Equal positions]
When an element is overwritten more than once, the last write stays, on every device, and only that
write gets a gradient. (XLA leaves the order undefined; in Paddle every write gets the gradient.)
"""

import math
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, UnequalDtypesError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.indexing.dim_forms import scatter_elements, scatter_elements_, with_dim
from jaxeager.ops.indexing.gather import check_index, check_nd_index, nd_index
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Axis, as_shape
from jaxeager.ops.rules.axes import index_dtype, normal_axis, same_dtype
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import Number, ShapeLike
    from jaxeager.tensor.tensor import Tensor


def last_writes(shape, places: tuple, count: tuple):
    """Return, per write, whether it is the last one to its place; see Note [Equal positions]."""
    dtype = place_dtype(math.prod(count))
    order = jnp.arange(math.prod(count), dtype=dtype).reshape(count)
    latest = jnp.full(shape, -1, dtype).at[places].max(order)
    return latest[places] == order


def write_last(x, places: tuple, updates, count: tuple):
    """Return x with updates written; a write that is not the last to its place is dropped."""
    indexed = x.shape[: len(places)]
    keeps = last_writes(indexed, places, count)
    first = jnp.where(places[0] < 0, places[0] + indexed[0], places[0])
    first = jnp.where(keeps, first, indexed[0])
    return x.at[(first, *places[1:])].set(updates, mode="drop")


def masked_like(keeps, grad):
    """Return the gradient of the writes that stayed, and 0 for the others."""
    keeps = keeps.reshape(keeps.shape + (1,) * (grad.ndim - keeps.ndim))
    return jnp.where(keeps, grad, jnp.zeros((), grad.dtype))


# ---- whole slices along the first axis


def scatter_forward(x, index, updates, *, overwrite: bool = True):
    """Write slices at positions along the first axis, or add up those with equal positions."""
    same_dtype(x, updates)
    index, updates = _slices(x, index, updates)
    if overwrite:
        return write_last(x, (index,), updates, index.shape)
    return x.at[index].set(jnp.zeros((), x.dtype)).at[index].add(updates)


def _slices(x, index, updates):
    """Return the positions [n] and the updates [n, ...].

    Raises:
        ValueError: when the shapes do not fit.
    """
    index_dtype(index)
    if index.ndim > 2 or (index.ndim == 2 and index.shape[1] != 1):
        raise ValueError(f"the index must have shape [n] or [n, 1], not {list(index.shape)}.")
    expected = (index.size, *x.shape[1:]) if index.ndim else x.shape[1:]
    if updates.shape != expected:
        raise ValueError(
            f"updates must have the shape {list(expected)}, one slice of x per position, not "
            f"{list(updates.shape)}."
        )
    return index.reshape(-1), updates.reshape(index.size, *x.shape[1:])


def scatter_vjp(index, updates, dout, *, overwrite):
    """Zero the gradient of x where slices were written; read the updates' gradient there."""
    index = index.reshape(-1)
    dx = dout.at[index].set(jnp.zeros((), dout.dtype))
    dupdates = dout[index]
    if overwrite:
        dupdates = masked_like(last_writes(dout.shape[:1], (index,), index.shape), dupdates)
    return dx, dupdates.reshape(updates.shape)


def scatter_reference(x, index, updates, overwrite=True):
    """Use NumPy's assignment, or addition after setting zero."""
    out, index = np.array(x), np.reshape(index, -1)
    updates = np.reshape(updates, (index.size, *np.shape(x)[1:]))
    if overwrite:
        for place, update in zip(index, updates, strict=True):
            out[place] = update
    else:
        out[index] = 0
        np.add.at(out, index, updates)
    return out


def scatter_samples():
    """Yield both kinds, equal positions, one position, negative ones."""
    x = values((4, 2))
    yield Sample(x, np.array([2, 0]), values((2, 2), seed=1))
    yield Sample(x, np.array([1, 3, 1]), values((3, 2), seed=1))
    yield Sample(x, np.array([1, 3, 1]), values((3, 2), seed=1), overwrite=False)
    yield Sample(x, np.array([[2], [-1]]), values((2, 2), seed=1))
    yield Sample(x, np.array(1), values((2,), seed=1))


def scatter_errors():
    """Yield updates of a wrong shape, and an index matrix."""
    x, updates = np.ones((4, 2)), np.ones((3, 2))
    index = np.array([0, 1])
    yield BadInput((x, index, updates), {}, InvalidArgumentError, "must have the shape [2, 2]")
    wide = np.zeros((2, 2), int)
    yield BadInput((x, wide, updates), {}, InvalidArgumentError, "shape [n] or [n, 1]")


_scatter = op(
    "scatter",
    scatter_forward,
    vjp=scatter_vjp,
    saves="index",
    shapes="updates",
    nondiff="index",
    inplace=True,
    public=None,
    reference=scatter_reference,
    samples=scatter_samples,
    errors=scatter_errors,
    formula="dx = dout, put where x stayed; dupdates = dout, put where updates stayed",
    boundary="of updates at one place the last one stays and gets the gradient (Paddle: each gets "
    "it).",
    doc="Write slices at positions along the first axis.",
    dtypes=WITH_COMPLEX,
)


@composite()
@with_dim(scatter_elements)
def scatter(
    x: "Tensor",
    index: "Tensor",
    updates: "Tensor",
    overwrite: bool = True,
    name: str | None = None,
    out: "Tensor | None" = None,
) -> "Tensor":
    """Return a tensor with slices written at positions along its first axis.

    In Paddle, for equal positions, every update gets the gradient. Here only the one that stays.

    Args:
        x: tensor [n, ...].
        index: integer tensor [m] or [m, 1].
        updates: tensor [m, ...] of the dtype of ``x``.
        overwrite: whether the last of equal positions counts; else the slices at the positions
            become the sums of their updates.
        name: accepted for compatibility.
        out: tensor that becomes the result.

    Returns:
        Tensor of the shape of ``x``. ``scatter(x, dim, index, src)``, with a dimension as the
        second argument, is ``put_along_axis(x, index, src, dim, broadcast=False)``; it accepts
        ``reduce``, and a number as ``value`` instead of ``src``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x, index = paddle.zeros([3]), paddle.to_tensor([2, 0])
        >>> paddle.scatter(x, index, paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 0.0, 1.0]
    """
    if out is not None:
        return compute_into(out, lambda: scatter(x, index, updates, overwrite))
    check_index(x, index, 0)
    return _scatter(x, index, updates, overwrite)


@composite()
@with_dim(scatter_elements_)
def scatter_(
    x: "Tensor", index: "Tensor", updates: "Tensor", overwrite: bool = True, name: str | None = None
) -> "Tensor":
    """Write slices into ``x`` at positions along its first axis; see ``scatter``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([3])
        >>> x.scatter_(paddle.to_tensor([1]), paddle.to_tensor([5.0])).tolist()
        [0.0, 5.0, 0.0]
    """
    check_index(x, index, 0)
    return ROWS["scatter"].inplace_function(x, index, updates, overwrite)


# ---- elements and slices at coordinates


def scatter_nd_add_forward(x, index, updates):
    """Add updates at positions [..., k]."""
    same_dtype(x, updates)
    depth = index.shape[-1] if index.ndim else 0
    if not index.ndim or depth > x.ndim or updates.shape != index.shape[:-1] + x.shape[depth:]:
        raise ValueError("updates must have the shape index.shape[:-1] + x.shape[k:].")
    if depth == 0:
        return x + jnp.sum(updates, axis=tuple(range(index.ndim - 1)), dtype=x.dtype)
    return x.at[nd_index(index)].add(updates)


def scatter_nd_add_vjp(index, updates, dout):
    """Return dout for x, and the gradient of the updates where they were added."""
    if index.shape[-1] == 0:
        return dout, jnp.broadcast_to(dout, updates.shape)
    return dout, dout[nd_index(index)]


def scatter_nd_add_reference(x, index, updates):
    """Use NumPy's unbuffered addition."""
    out = np.array(x)
    if np.shape(index)[-1] == 0:
        return out + np.sum(updates, axis=tuple(range(np.ndim(index) - 1)))
    np.add.at(out, tuple(np.moveaxis(index, -1, 0)), updates)
    return out


def scatter_nd_add_samples():
    """Yield elements, slices, equal positions, no coordinate."""
    x = values((3, 4))
    yield Sample(x, np.array([[0, 1], [2, 3], [0, 1]]), values((3,), seed=1))
    yield Sample(x, np.array([[2], [-1]]), values((2, 4), seed=1))
    yield Sample(x, np.zeros((2, 0), np.int64), values((2, 3, 4), seed=1))


def scatter_nd_add_errors():
    """Yield updates of a wrong shape."""
    wrong = np.ones((3, 4)), np.array([[0, 1]]), np.ones((1, 4))
    yield BadInput(wrong, {}, InvalidArgumentError, "index.shape[:-1]")


_scatter_nd_add = op(
    "scatter_nd_add",
    scatter_nd_add_forward,
    vjp=scatter_nd_add_vjp,
    saves="index",
    shapes="updates",
    nondiff="index",
    public=None,
    reference=scatter_nd_add_reference,
    samples=scatter_nd_add_samples,
    errors=scatter_nd_add_errors,
    formula="dx = dout; dupdates = gather_nd(dout, index)",
    doc="Add updates at positions given by coordinates.",
    dtypes=WITH_COMPLEX,
)


@composite()
def scatter_nd_add(
    x: "Tensor", index: "Tensor", updates: "Tensor", name: str | None = None
) -> "Tensor":
    """Return a tensor with updates added at positions given by coordinates.

    Args:
        x: tensor of any shape.
        index: integer tensor [..., k]: k coordinates for the first k dimensions.
        updates: tensor of shape ``index.shape[:-1] + x.shape[k:]``.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        OutOfRangeError: for a coordinate out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([[1], [1]])
        >>> paddle.scatter_nd_add(paddle.zeros([3]), index, paddle.ones([2])).tolist()
        [0.0, 2.0, 0.0]
    """
    dtypes = raw(x).dtype, raw(updates).dtype
    if dtypes[0] != dtypes[1]:
        raise UnequalDtypesError(
            "scatter_nd_add: x and updates must have one dtype, but theirs are "
            f"{dtypes[0].name} and {dtypes[1].name}."
        )
    check_nd_index(x, index)
    return _scatter_nd_add(x, index, updates)


@composite()
def scatter_nd(
    index: "Tensor", updates: "Tensor", shape: "ShapeLike", name: str | None = None
) -> "Tensor":
    """Return zeros of a shape with updates added at positions given by coordinates.

    ``index`` is an integer tensor [..., k], and ``updates`` a tensor of shape ``index.shape[:-1] +
    shape[k:]``, whose dtype the result has; see ``scatter_nd_add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.scatter_nd(paddle.to_tensor([[1], [1]]), paddle.ones([2]), [3]).tolist()
        [0.0, 2.0, 0.0]
    """
    dims, dtype = as_shape(shape), updates._array.dtype
    check_size("scatter_nd", dims, dtype)
    zeros = wrap(jnp.zeros(dims, dtype))
    return scatter_nd_add(zeros, index, updates)


# ---- slices along any axis


def index_add_forward(x, index, value, *, axis: Axis):
    """Add slices at positions along an axis."""
    same_dtype(x, value)
    index_dtype(index)
    axis = normal_axis(axis, x.ndim)
    expected = x.shape[:axis] + index.shape + x.shape[axis + 1 :]
    if index.ndim != 1 or value.shape != expected:
        raise ValueError(f"value must have the shape {list(expected)}, not {list(value.shape)}.")
    return x.at[(slice(None),) * axis + (index,)].add(value)


def index_add_vjp(index, value, dout, *, axis):
    """Return dout for x, and the gradient of the value where it was added."""
    return dout, jnp.take(dout, index, axis)


def index_add_reference(x, index, value, axis):
    """Use NumPy's unbuffered addition."""
    out = np.array(x)
    np.add.at(out, (slice(None),) * (axis % np.ndim(x)) + (index,), value)
    return out


def index_add_samples():
    """Yield each axis, equal and negative positions, none."""
    x = values((3, 4))
    yield Sample(x, np.array([2, 0, 2]), values((3, 4), seed=1), axis=0)
    yield Sample(x, np.array([1, -1]), values((3, 2), seed=1), axis=-1)
    yield Sample(x, np.zeros(0, np.int64), values((3, 0)), axis=1)


def index_add_errors():
    """Yield a value of a wrong shape."""
    wrong = np.ones((3, 4)), np.array([0, 1]), np.ones((3, 4))
    yield BadInput(wrong, {"axis": 0}, InvalidArgumentError, "must have the shape [2, 4]")


_index_add = op(
    "index_add",
    index_add_forward,
    vjp=index_add_vjp,
    saves="index",
    shapes="value",
    nondiff="index",
    inplace=True,
    public=None,
    reference=index_add_reference,
    samples=index_add_samples,
    errors=index_add_errors,
    formula="dx = dout; dvalue = index_select(dout, index)",
    doc="Add slices at positions along an axis.",
    dtypes=WITH_COMPLEX,
)


@composite()
def index_add(
    x: "Tensor",
    index: "Tensor | int",
    axis: "int | Tensor",
    value: "Tensor",
    alpha: "Number" = 1,
    name: str | None = None,
) -> "Tensor":
    """Return a tensor with slices added at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n].
        axis: the axis; ``index_add(x, axis, index, value)`` works too.
        value: tensor with n slices along the axis.
        alpha: number that ``value`` is multiplied by.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidIndexError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([2, 2])
        >>> paddle.index_add(paddle.zeros([3]), index, 0, paddle.ones([2])).tolist()
        [0.0, 0.0, 2.0]
    """
    if type(index) is int:
        index, axis = axis, index
    check_index(x, index, axis, "index_add")  # type: ignore[arg-type]
    return _index_add(x, index, value if alpha == 1 else value * alpha, axis)


@composite()
def index_add_(
    x: "Tensor",
    index: "Tensor | int",
    axis: "int | Tensor",
    value: "Tensor",
    alpha: "Number" = 1,
    name: str | None = None,
) -> "Tensor":
    """Add slices to ``x`` at positions along an axis and return ``x``; see ``index_add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2]).index_add_(paddle.to_tensor([1]), 0, paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    if type(index) is int:
        index, axis = axis, index
    check_index(x, index, axis, "index_add")  # type: ignore[arg-type]
    value = value if alpha == 1 else value * alpha
    return ROWS["index_add"].inplace_function(x, index, value, axis)
