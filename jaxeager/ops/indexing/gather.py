"""Reading elements at integer positions: gather, gather_nd, index_select, take_along_axis.

Note [Index bounds]
Positions in host or CPU memory are checked before the kernel runs and raise OutOfRangeError, or
InvalidIndexError where Paddle's error is a ValueError. On an accelerator, reading them would wait
for the device. There, a position out of range reads nan (the lowest integer for integers) and
writes nothing. FLAGS_check_index=1 makes the device check them (debug/checks/index_checks.py).
"""

from functools import partial
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidAxisError,
    InvalidIndexError,
    InvalidTypeError,
    OutOfRangeError,
)
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.indexing.dim_forms import gather_elements, with_dim
from jaxeager.ops.indexing.index_parse import can_be_looked_at, check_bounds, check_within
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Axis, as_int, as_whole
from jaxeager.ops.rules.axes import index_dtype, normal_axis
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def check_index(x, index, axis: int, refuser: str = "") -> None:
    """Check integer positions along an axis of x; see Note [Index bounds]. About 3 us.

    Args:
        x: the tensor.
        index: the positions.
        axis: the axis.
        refuser: the op whose name is in Paddle's error; "" where it has none.

    Raises:
        OutOfRangeError: for a position outside [-n, n).
        InvalidIndexError: the same, with the name of an op.
    """
    shape = x._array.shape
    array = getattr(index, "_array", index)
    is_integer = hasattr(array, "dtype") and (
        array.dtype.kind in "iu" or jnp.issubdtype(array.dtype, jnp.integer)
    )
    if is_integer and -len(shape) <= axis < len(shape):
        size = shape[axis]
        if refuser:
            check_within(array, -size, size, partial(_refused_by, refuser, size, axis))
        else:
            check_bounds(array, size, axis % len(shape))


def _refused_by(name: str, size: int, axis: int, index: int) -> InvalidIndexError:
    return InvalidIndexError(
        f"Variable value (index) of OP({name}) expected >= {-size} and < {size}, but got {index}. "
        f"Please check input value. It is a position along axis {axis}."
    )


def axis_of(x, axis) -> int:
    """Return an axis of x, counted from the front.

    Raises:
        InvalidAxisError: when it is out of range.
    """
    axis = as_int(axis, "axis")
    if not -x.ndim <= axis < x.ndim:
        raise InvalidAxisError(
            f"The axis must be in the range [{-x.ndim}, {x.ndim}), but received {axis}."
        )
    return axis % x.ndim


# ---- slices at positions along one axis


def _positions(index):
    """Return the positions; a matrix loses a last dimension of size 1."""
    index_dtype(index)
    if index.ndim == 2 and index.shape[1] == 1:
        return index[:, 0]
    if index.ndim > 1:
        raise ValueError(f"the index must have shape [n] or [n, 1], not {list(index.shape)}.")
    return index


def gather_forward(x, index, *, axis: Axis = 0):
    """Take slices at positions along an axis; a 0-D position removes it."""
    axis = normal_axis(0 if axis is None else axis, x.ndim)
    return jnp.take(x, _positions(index), axis, mode="fill")


def gather_vjp(x, index, dout, *, axis):
    """Add the gradient where the slices were read."""
    axis = normal_axis(0 if axis is None else axis, len(x.shape))
    places = _positions(index)
    usual = partial(_added_along, x.shape, axis)
    if not (axis and places.ndim):
        return usual(places, dout)
    in_rows = partial(_added_in_rows, x.shape, axis)
    return lax.platform_dependent(places, dout, cpu=in_rows, default=usual)


def _added_along(shape, axis: int, places, dout):
    """Return zeros of a shape with slices added at places along an axis."""
    where = (slice(None),) * axis + (places,)
    return jnp.zeros(shape, dout.dtype).at[where].add(dout)


def _added_in_rows(shape, axis: int, places, dout):
    """Do the work of ``_added_along`` on a CPU, where adding to rows takes a fifth of the time."""
    ahead = (shape[axis], *shape[:axis], *shape[axis + 1 :])
    added = _added_along(ahead, 0, places, jnp.moveaxis(dout, axis, 0))
    return jnp.moveaxis(added, 0, axis)


def gather_reference(x, index, axis=0):
    """Use NumPy's take."""
    index = index[:, 0] if np.ndim(index) == 2 else index
    return np.take(x, index, 0 if axis is None else axis)


def gather_samples():
    """Yield repeated and negative positions, each axis, one position, none."""
    x = values((4, 3))
    yield Sample(x, np.array([2, 0, 2]))
    yield Sample(x, np.array([1, -1]), axis=1)
    yield Sample(x, np.array(3))
    yield Sample(x, np.array([[1], [0]]))
    yield Sample(x, np.zeros(0, np.int64), axis=1)
    yield Sample(x, np.array([[2], [0]]))


def gather_errors():
    """Yield positions that are not integers, out of range, or of a wrong shape."""
    x = np.ones((2, 3))
    yield BadInput((x, np.ones(2)), {}, InvalidArgumentError, "must hold integers")
    yield BadInput((x, np.array([[1, 0]])), {}, InvalidArgumentError, "shape [n] or [n, 1]")


_gather = op(
    "gather",
    gather_forward,
    vjp=gather_vjp,
    saves="index",
    shapes="x",
    nondiff="index",
    public=None,
    reference=gather_reference,
    samples=gather_samples,
    errors=gather_errors,
    formula="dx = dout, added where x was read",
    doc="Take slices at positions along an axis.",
    dtypes=WITH_COMPLEX,
)


@composite()
@with_dim(gather_elements)
def gather(
    x: "Tensor",
    index: "Tensor | int",
    axis: "int | Tensor | None" = None,
    name: str | None = None,
    out: "Tensor | None" = None,
) -> "Tensor":
    """Return the slices of a tensor at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n] or [n, 1]; a 0-D one removes the axis.
        axis: the axis, the first by default.
        name: accepted for compatibility.
        out: tensor that becomes the result.

    Returns:
        Tensor with ``n`` slices along the axis. ``gather(x, dim, index)``, with a dimension as the
        second argument, is ``take_along_axis(x, index, dim, broadcast=False)``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.gather(paddle.to_tensor([5.0, 6.0, 7.0]), paddle.to_tensor([2, 0])).tolist()
        [7.0, 5.0]
    """
    if out is not None:
        return compute_into(out, lambda: gather(x, index, axis))
    axis = 0 if axis is None else as_whole(axis, "axis")
    check_index(x, index, axis)
    return _gather(x, index, axis)


def index_select_forward(x, index, *, axis: Axis = 0):
    """Take slices at positions along an axis."""
    index_dtype(index)
    if index.ndim != 1 and index.shape[1:] != (1,):
        raise ValueError(f"the index must have 1 dimension, not {index.ndim}.")
    return jnp.take(x, _positions(index), normal_axis(axis, x.ndim), mode="fill")


def index_select_samples():
    """Yield repeated and negative positions, each axis, none."""
    x = values((4, 3))
    yield Sample(x, np.array([2, 0, 2]))
    yield Sample(x, np.array([1, -1]), axis=-1)
    yield Sample(x, np.zeros(0, np.int64), axis=1)


def index_select_errors():
    """Yield positions that are not integers, and a matrix of positions."""
    x = np.ones((2, 3))
    yield BadInput((x, np.ones(2)), {}, InvalidArgumentError, "must hold integers")
    yield BadInput((x, np.array([[1, 0]])), {}, InvalidArgumentError, "must have 1 dimension")


_index_select = op(
    "index_select",
    index_select_forward,
    vjp=gather_vjp,
    saves="index",
    shapes="x",
    nondiff="index",
    public=None,
    reference=gather_reference,
    samples=index_select_samples,
    errors=index_select_errors,
    formula="dx = dout, added where x was read",
    doc="Take slices at positions along an axis.",
    dtypes=WITH_COMPLEX,
)


@composite()
def index_select(
    x: "Tensor", index: "Tensor | int", axis: "int | Tensor" = 0, name: str | None = None
) -> "Tensor":
    """Return the slices of a tensor at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n] or [n, 1].
        axis: the axis; ``index_select(x, axis, index)`` works too.
        name: accepted for compatibility.

    Returns:
        Tensor with ``n`` slices along the axis.

    Raises:
        InvalidIndexError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.index_select(x, paddle.to_tensor([1, 1]), axis=1).tolist()
        [[2.0, 2.0], [4.0, 4.0]]
    """
    if type(index) is int:
        index, axis = axis, index
    axis = as_int(axis, "axis")
    check_index(x, index, axis, "index_select")
    return _index_select(x, index, axis)


@composite()
def take(x: "Tensor", index: "Tensor", mode: str = "raise", name: str | None = None) -> "Tensor":
    """Return the elements at positions of the flattened tensor.

    Args:
        x: tensor of any shape.
        index: integer tensor of any shape.
        mode: the treatment of positions out of range: "raise", "wrap" around or "clip".
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``index``.

    Raises:
        InvalidTypeError: for positions that are not integers.
        InvalidArgumentError: for another mode.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.take(x, paddle.to_tensor([3, 0])).tolist()
        [4.0, 1.0]
    """
    if not jnp.issubdtype(raw(index).dtype, jnp.integer):
        raise InvalidTypeError(f"take: index must hold integers, not {raw(index).dtype.name}.")
    if mode not in ("raise", "wrap", "clip"):
        raise InvalidArgumentError(
            f"take: the mode must be 'raise', 'wrap' or 'clip', but received {mode!r}."
        )
    flat, positions = x.flatten(), index._array.reshape(-1)
    if mode == "wrap":
        positions = positions % max(x.size, 1)
    elif mode == "clip":
        positions = jnp.clip(positions, 0, x.size - 1)
    out = index_select(flat, wrap(positions), 0)
    return out if index.ndim == 1 else out.reshape(index.shape)


# ---- elements and slices at positions along several axes


def nd_index(index) -> tuple:
    """Return one index array per coordinate of positions [..., k]."""
    index_dtype(index)
    return tuple(jnp.moveaxis(index, -1, 0))


def gather_nd_forward(x, index):
    """Take elements or slices at positions [..., k], where k counts the leading dimensions."""
    if index.ndim == 0 or index.shape[-1] > x.ndim:
        raise ValueError(f"the index needs 0 to {x.ndim} coordinates in its last dimension.")
    if index.shape[-1] == 0:
        return jnp.broadcast_to(x, index.shape[:-1] + x.shape)
    return x.at[nd_index(index)].get(mode="fill")


def gather_nd_vjp(x, index, dout):
    """Add the gradient where the elements were read."""
    if index.shape[-1] == 0:
        return jnp.sum(dout, axis=tuple(range(index.ndim - 1)), dtype=dout.dtype)
    return jnp.zeros(x.shape, dout.dtype).at[nd_index(index)].add(dout)


def gather_nd_reference(x, index):
    """Use NumPy's indexing."""
    if np.shape(index)[-1] == 0:
        return np.broadcast_to(x, np.shape(index)[:-1] + np.shape(x))
    return x[tuple(np.moveaxis(index, -1, 0))]


def gather_nd_samples():
    """Yield elements, slices, one position, no coordinate."""
    x = values((3, 4, 2))
    yield Sample(x, np.array([[0, 1, 1], [2, 3, 0], [0, 1, 1]]))
    yield Sample(x, np.array([[[0, 1]], [[2, -1]]]))
    yield Sample(x, np.array([2]))
    yield Sample(x, np.zeros((2, 0), np.int64))


def gather_nd_errors():
    """Yield more coordinates than dimensions."""
    yield BadInput((np.ones((2, 3)), np.zeros((2, 3), int)), {}, InvalidArgumentError, "0 to 2")


_gather_nd = op(
    "gather_nd",
    gather_nd_forward,
    vjp=gather_nd_vjp,
    saves="index",
    shapes="x",
    nondiff="index",
    public=None,
    reference=gather_nd_reference,
    samples=gather_nd_samples,
    errors=gather_nd_errors,
    formula="dx = dout, added where x was read",
    doc="Take elements or slices at positions given by coordinates.",
    dtypes=WITH_COMPLEX,
)


def check_nd_index(x, index, kind: type[OutOfRangeError] = OutOfRangeError) -> None:
    """Check coordinates [..., k] against the leading dimensions of x; see Note [Index bounds].

    Raises:
        OutOfRangeError: or the given subclass, for a coordinate outside [-n, n).
    """
    shape, array = x._array.shape, index._array
    if array.ndim and array.shape[-1] <= len(shape):
        if can_be_looked_at(array):
            array = host_values(array)  # slicing it costs nothing
        for dim in range(array.shape[-1]):
            check_bounds(array[..., dim], shape[dim], dim, kind)


@composite()
def gather_nd(x: "Tensor", index: "Tensor", name: str | None = None) -> "Tensor":
    """Return the elements or slices of a tensor at positions given by coordinates.

    Args:
        x: tensor of any shape.
        index: integer tensor [..., k]: k coordinates for the first k dimensions.
        name: accepted for compatibility.

    Returns:
        Tensor of shape ``index.shape[:-1] + x.shape[k:]``.

    Raises:
        InvalidIndexError: for a coordinate out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.gather_nd(x, paddle.to_tensor([[0, 1], [1, 0]])).tolist()
        [2.0, 3.0]
    """
    check_nd_index(x, index, InvalidIndexError)
    return _gather_nd(x, index)
