"""Writing at positions given by one index tensor per dimension: index_put and index_fill."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values, on_device
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import listed
from jaxeager.ops.call.dispatch import scalar_of_dtype, wrap
from jaxeager.ops.indexing.gather import axis_of
from jaxeager.ops.indexing.index_parse import check_bounds, check_mask
from jaxeager.ops.indexing.scatter import last_writes, masked_like, write_last
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Tensors
from jaxeager.ops.rules.axes import as_first, index_dtype, same_dtype
from jaxeager.ops.rules.promotion import NUMBERS
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor


def index_put_forward(x, indices: Tensors, value, *, accumulate: bool = False):
    """Write or add values at the elements (or slices) that the indices select together."""
    x, value = as_first(x, value)
    same_dtype(x, value)
    places, shape = _places(x, indices)
    value = jnp.broadcast_to(value, shape + x.shape[len(places) :])
    if accumulate:
        return x.at[places].max(value) if x.dtype == bool else x.at[places].add(value)
    return write_last(x, places, value, shape)


def _places(x, indices) -> tuple:
    """Return the index arrays, broadcast against each other, and their shape."""
    if not 0 < len(indices) <= len(x.shape):
        raise ValueError(f"{len(indices)} indices were given for {len(x.shape)} dimensions.")
    for index in indices:
        index_dtype(index)
    places = tuple(jnp.broadcast_arrays(*indices))
    return places, places[0].shape


def index_put_vjp(x, indices, value, dout, *, accumulate):
    """Zero the gradient of x where values were written; read the value's gradient there."""
    places, shape = _places(x, indices)
    dvalue = dout[places]
    if accumulate:
        return dout, dvalue
    keeps = last_writes(x.shape[: len(places)], places, shape)
    return dout.at[places].set(jnp.zeros((), dout.dtype)), masked_like(keeps, dvalue)


def index_put_reference(x, indices, value, accumulate=False):
    """Use NumPy's assignment, where the last of equal positions wins, or unbuffered addition."""
    out = np.array(x)
    if accumulate:
        np.add.at(out, tuple(indices), value)
        return out
    places = np.broadcast_arrays(*indices)
    value = np.broadcast_to(value, places[0].shape + np.shape(x)[len(places) :])
    for each in np.ndindex(places[0].shape):
        out[tuple(place[each] for place in places)] = value[each]
    return out


def index_put_samples():
    """Yield elements, slices, broadcast values, equal positions, addition."""
    x = values((3, 4))
    pair = [np.array([0, 2]), np.array([1, -1])]
    yield Sample(x, pair, values((2,), seed=1))
    yield Sample(x, [np.array([2, 0, 2])], values((3, 4), seed=1))
    yield Sample(x, [np.array([2, 0, 2])], values((4,), seed=1), accumulate=True)
    yield Sample(x, [np.array([[0], [2]]), np.array([1, 3])], values((), seed=1))


def index_put_errors():
    """Yield more indices than dimensions, and a value that does not broadcast."""
    x, index = np.ones(3), np.array([0, 1])
    yield BadInput((x, [index, index], np.ones(2)), {}, InvalidArgumentError, "2 indices")
    yield BadInput((x, [index], np.ones(3)), {}, InvalidArgumentError, "index_put")


_index_put = op(
    "index_put",
    index_put_forward,
    vjp=index_put_vjp,
    saves="indices",
    shapes="x value",
    nondiff="indices",
    broadcast=True,
    inplace=True,
    public=None,
    reference=index_put_reference,
    samples=index_put_samples,
    errors=index_put_errors,
    formula="dx = dout, put where x stayed; dvalue = dout, added where value stayed",
    boundary="of values at one place the last one stays and gets the gradient (Paddle: each gets "
    "it).",
    doc="Write or add values at the elements that index tensors pick together.",
    dtypes=WITH_COMPLEX,
)


@composite()
def index_put(
    x: "Tensor",
    indices: "Sequence[Tensor]",
    value: "Tensor",
    accumulate: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Return a tensor with values written at the positions that index tensors give together.

    In Paddle, for equal positions, every value gets the gradient. Here only the one that stays.

    Args:
        x: tensor with at least one dimension.
        indices: tuple of integer tensors, one per leading dimension, or bool masks (the call
            waits for their values).
        value: tensor of the dtype of ``x``, broadcast.
        accumulate: whether to add instead of writing; the sum of bools is true where any is.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        OutOfRangeError: for a position out of range; see Note [Index bounds].

    Example:
        >>> import jaxeager as paddle
        >>> rows, columns = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 0])
        >>> paddle.index_put(paddle.zeros([2, 2]), (rows, columns), paddle.ones([2])).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    return _index_put(x, _integer_indices(x, indices), value, accumulate)


@composite()
def index_put_(
    x: "Tensor",
    indices: "Sequence[Tensor]",
    value: "Tensor",
    accumulate: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Write values into ``x`` at positions given by index tensors; see ``index_put``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.index_put_((paddle.to_tensor([1]),), paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    indices = _integer_indices(x, indices)
    return ROWS["index_put"].inplace_function(x, indices, value, accumulate)


def _integer_indices(x, indices) -> list:
    """Return integer index tensors, also for masks, after checking their bounds."""
    shape, dim, result = x._array.shape, 0, []
    for index in listed("index_put", "indices", indices, 1):
        array = index._array
        if dim + max(array.ndim if array.dtype == np.bool_ else 1, 1) > len(shape):
            raise InvalidArgumentError(
                f"index_put: more indices than the {len(shape)} dimensions of x were given."
            )
        if array.dtype == np.bool_:
            check_mask(array, shape, dim)
            result += [wrap(on_device(each)) for each in np.nonzero(host_values(array))]
            dim += array.ndim
            continue
        if jnp.issubdtype(array.dtype, jnp.integer):
            check_bounds(array, shape[dim], dim)
        result.append(index)
        dim += 1
    return result


@composite()
def index_fill(
    x: "Tensor", index: "Tensor", axis: int, value: "Number | Tensor", name: str | None = None
) -> "Tensor":
    """Return a tensor with a value written into the slices at positions along an axis.

    Args:
        x: tensor with at least one dimension.
        index: integer tensor [n].
        axis: the axis.
        value: number, or 0-D tensor.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.index_fill(paddle.zeros([3]), paddle.to_tensor([0, 2]), 0, 1.0).tolist()
        [1.0, 0.0, 1.0]
    """
    axis = axis_of(x, axis)
    value = _fill_tensor(x, value)
    perm = _swap_first(x, axis)
    return index_put(x.transpose(perm), (index,), value).transpose(perm)


@composite()
def index_fill_(
    x: "Tensor", index: "Tensor", axis: int, value: "Number | Tensor", name: str | None = None
) -> "Tensor":
    """Write a value into slices of ``x`` along an axis and return ``x``; see ``index_fill``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([3]).index_fill_(paddle.to_tensor([1]), 0, 2.0).tolist()
        [0.0, 2.0, 0.0]
    """
    axis = axis_of(x, axis)
    value = _fill_tensor(x, value)
    perm = _swap_first(x, axis)
    return index_put_(x.transpose_(perm), (index,), value).transpose_(perm)


def _fill_tensor(x, value) -> "Tensor":
    if type(value) in NUMBERS:
        return wrap(scalar_of_dtype(value, x._array.dtype))
    return value


def _swap_first(x, axis: int) -> list[int]:
    perm = list(range(x.ndim))
    perm[0], perm[axis] = axis, 0
    return perm
