"""Reading element by element along one axis: take_along_axis and index_sample."""

from functools import partial
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.core.symbolic import broadcast_shapes
from jaxeager.errors import InvalidArgumentError, InvalidIndexError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.indexing.gather import axis_of, check_index
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Axis
from jaxeager.ops.rules.axes import index_dtype, normal_axis
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def along(indices, axis: int) -> tuple:
    """Return the index arrays that select ``indices`` along an axis, element by element."""
    others = range(indices.ndim)
    grids = [
        jnp.expand_dims(jnp.arange(n), [other for other in others if other != place])
        for place, n in enumerate(indices.shape)
    ]
    grids[axis] = indices
    return tuple(grids)


def take_along_axis_forward(arr, indices, *, axis: Axis):
    """Take one element per index along an axis."""
    axis = _checked_axis(arr, indices, axis)
    return arr.at[along(indices, axis)].get(mode="fill")


def _checked_axis(arr, indices, axis) -> int:
    index_dtype(indices)
    axis = normal_axis(axis, arr.ndim)
    if indices.ndim != arr.ndim:
        raise ValueError("arr and indices must have the same number of dimensions.")
    others = [i for i in range(arr.ndim) if i != axis]
    if any(indices.shape[i] > arr.shape[i] for i in others):
        raise ValueError("indices must not be larger than arr, except along the axis.")
    return axis


def take_along_axis_vjp(arr, indices, dout, *, axis):
    """Add the gradient where the elements were read."""
    where = along(indices, normal_axis(axis, arr.ndim))
    return jnp.zeros(arr.shape, dout.dtype).at[where].add(dout)


def take_along_axis_reference(arr, indices, axis):
    """Use NumPy's take_along_axis over the part of arr that the indices cover."""
    axis = axis % np.ndim(arr)
    part = [slice(None) if i == axis else slice(n) for i, n in enumerate(np.shape(indices))]
    return np.take_along_axis(arr[tuple(part)], indices, axis)


def take_along_axis_samples():
    """Yield repeated positions, each axis, fewer rows than arr has, none."""
    x = values((3, 4))
    yield Sample(x, np.array([[0, 0], [3, 1], [2, -1]]), axis=1)
    yield Sample(x, np.array([[2, 0, 1, 2]]), axis=0)
    yield Sample(x, np.array([[1, 0]]), axis=1)
    yield Sample(x, np.zeros((3, 0), np.int64), axis=-1)


def take_along_axis_errors():
    """Yield indices of another rank, and larger ones."""
    x = np.ones((2, 3))
    yield BadInput((x, np.array([0])), {"axis": 1}, InvalidArgumentError, "same number of dim")
    wide = np.zeros((4, 1), int)
    yield BadInput((x, wide), {"axis": 1}, InvalidArgumentError, "must not be larger")


_take_along_axis = op(
    "take_along_axis",
    take_along_axis_forward,
    vjp=take_along_axis_vjp,
    saves="arr indices",
    nondiff="indices",
    public=None,
    reference=take_along_axis_reference,
    samples=take_along_axis_samples,
    errors=take_along_axis_errors,
    formula="darr = dout, added where arr was read",
    doc="Take one element per index along an axis.",
    dtypes=WITH_COMPLEX,
)


def stretched_shape(arr, indices, axis: int) -> list[int]:
    """Return the shape arr and indices are broadcast to, with -1 at the axis.

    Raises:
        InvalidArgumentError: when they do not broadcast, or differ in rank.
    """
    shapes = [list(each.shape) for each in (arr, indices)]
    if len(shapes[0]) != len(shapes[1]):
        raise InvalidArgumentError(
            "arr and indices must have the same number of dimensions, but have the shapes "
            f"{shapes[0]} and {shapes[1]}."
        )
    for shape in shapes:
        shape[axis] = 1
    try:
        shape = list(broadcast_shapes(*shapes))
    except ValueError:
        raise InvalidArgumentError(
            f"arr and indices must broadcast except along axis {axis}, but have the shapes "
            f"{list(arr.shape)} and {list(indices.shape)}."
        ) from None
    shape[axis] = -1
    return shape


@composite(aliases="take_along_dim")
def take_along_axis(
    arr: "Tensor", indices: "Tensor", axis: int, broadcast: bool = True
) -> "Tensor":
    """Return one element per index along an axis.

    Args:
        arr: tensor of any shape.
        indices: integer tensor of as many dimensions.
        axis: the axis the indices count along.
        broadcast: whether the other dimensions are broadcast against each other.

    Returns:
        Tensor of the (broadcast) shape of ``indices``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.take_along_axis(x, paddle.to_tensor([[1], [0]]), 1).tolist()
        [[2.0], [3.0]]
    """
    axis = axis_of(arr, axis)
    check_index(arr, indices, axis)
    if broadcast:
        expand = ROWS["expand"].function
        shape = stretched_shape(arr, indices, axis)
        arr, indices = expand(arr, shape), expand(indices, shape)
    return _take_along_axis(arr, indices, axis)


def index_sample_forward(x, index):
    """Take one element per index from the same row of x."""
    index_dtype(index)
    if x.ndim != 2 or index.ndim != 2 or x.shape[0] != index.shape[0]:
        raise ValueError("takes matrices x and index with as many rows.")
    return x.at[along(index, 1)].get(mode="fill")


def index_sample_vjp(x, index, dout):
    """Add the gradient where the elements were read."""
    return jnp.zeros(x.shape, dout.dtype).at[along(index, 1)].add(dout)


def index_sample_reference(x, index):
    """Use NumPy's take_along_axis."""
    return np.take_along_axis(x, index, 1)


def index_sample_samples():
    """Yield repeated positions, and none."""
    x = values((3, 4))
    yield Sample(x, np.array([[0, 0], [3, 1], [2, 3]]))
    yield Sample(x, np.zeros((3, 0), np.int64))


def index_sample_errors():
    """Yield a different number of rows."""
    wrong = np.ones((2, 3)), np.zeros((3, 1), int)
    yield BadInput(wrong, {}, InvalidArgumentError, "as many rows")


_index_sample = op(
    "index_sample",
    index_sample_forward,
    vjp=index_sample_vjp,
    saves="index",
    shapes="x",
    nondiff="index",
    public=None,
    reference=index_sample_reference,
    samples=index_sample_samples,
    errors=index_sample_errors,
    formula="dx = dout, added where x was read",
    doc="Take elements of each row at positions.",
    dtypes=WITH_COMPLEX,
)


@composite()
def index_sample(x: "Tensor", index: "Tensor") -> "Tensor":
    """Return elements of each row of a matrix, at positions given per row.

    Args:
        x: tensor [n, d].
        index: integer tensor [n, k].

    Returns:
        Tensor [n, k].

    Raises:
        InvalidIndexError: for a position outside [0, d); see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.index_sample(x, paddle.to_tensor([[1], [0]])).tolist()
        [[2.0], [3.0]]
    """
    x_array, positions = raw(x), raw(index)
    if hasattr(positions, "dtype") and positions.dtype.kind in "iu" and np.ndim(x_array) == 2:
        count = x_array.shape[1]
        check_within(positions, 0, count, partial(_no_such_column, count))
    return _index_sample(x, index)


def _no_such_column(count: int, bad: int) -> InvalidIndexError:
    return InvalidIndexError(
        f"Variable value (index) of OP(index_sample) expected >= 0 and < {count}, but got {bad}. "
        "Please check input value."
    )
