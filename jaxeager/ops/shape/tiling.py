"""Ops that repeat elements: tile, expand, repeat."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Axis, Ints, Shape, Tensors, as_int
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.far_places import is_long
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor

# ---- repeated along dimensions


def tile_forward(x, *, repeat_times: Ints):
    """Repeat a tensor along each dimension, counted from the last."""
    times = repeat_times if isinstance(repeat_times, tuple) else (repeat_times,)
    if any(n < 0 for n in times):
        raise ValueError(f"repeat_times must not be negative, but received {list(times)}.")
    sizes = (1,) * (len(times) - x.ndim) + x.shape
    times = (1,) * (x.ndim - len(times)) + times
    out = [size * count for size, count in zip(sizes, times, strict=True)]
    check_size("tile", out, x.dtype)  # jnp.tile would wrap around
    return jnp.tile(x, times)


def tile_reference(x, repeat_times):
    """Use NumPy's tile."""
    return np.tile(x, repeat_times)


def tile_samples():
    """Yield as many, more and fewer times than dimensions, 0-D and zero-size."""
    yield Sample(values((2, 3)), repeat_times=[2, 1])
    yield Sample(values((2, 3)), repeat_times=[2, 1, 3])
    yield Sample(values((2, 3)), repeat_times=2)
    yield Sample(values(()), repeat_times=[3])
    yield Sample(values((0, 3)), repeat_times=[1, 2])
    yield Sample(values((2, 3)), repeat_times=[0, 2])


def tile_errors():
    """Yield a negative count."""
    yield BadInput((np.ones((2, 3)), [2, -1]), {}, InvalidArgumentError, "must not be negative")


tile = op(
    "tile",
    tile_forward,
    shapes="x",
    reference=tile_reference,
    samples=tile_samples,
    errors=tile_errors,
    formula="dx = dout, added where x was read: the sum over the copies",
    doc="Repeat a tensor along its dimensions.",
    example="paddle.tile(paddle.to_tensor([1.0, 2.0]), [2, 2])",
    dtypes=WITH_COMPLEX,
)


@composite(public=None)
def repeat(input: "Tensor", repeats: "int | Sequence[int] | Tensor", *more: int) -> "Tensor":
    """Return a tensor repeated along each dimension; see ``tile``.

    Args:
        repeats: the number of repetitions per dimension: an int (``repeat(2, 3)`` works too), a
            list, or an integer tensor. Fewer numbers than dimensions count from the last one.
        *more: further numbers when ``repeats`` is an int.

    Returns:
        Tensor of the dtype of ``input``, with each size multiplied by its number.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1, 2]).repeat(2, 1).tolist()
        [[1, 2], [1, 2]]
    """
    return tile(input, (repeats, *more) if more else repeats)


def expand_forward(x, *, shape: Shape):
    """Broadcast to a shape; -1 keeps a dimension, and an empty shape all of them."""
    if not shape:
        return x
    if len(shape) < x.ndim:
        raise ValueError(f"the shape {list(shape)} has fewer dimensions than x ({x.ndim}).")
    missing = len(shape) - x.ndim
    old = (None,) * missing + x.shape
    if -1 in shape[:missing]:
        raise ValueError(f"the shape {list(shape)} has a -1 where x has no dimension.")
    return jnp.broadcast_to(x, [m if n == -1 else n for n, m in zip(shape, old, strict=True)])


def spread_vjp(x, dout):
    """Return the gradient; the caller sums it over the dimensions that were broadcast."""
    return dout


def expand_reference(x, shape):
    """Use NumPy's broadcast_to."""
    missing = len(shape) - np.ndim(x)
    old = (-1,) * missing + np.shape(x)
    return np.broadcast_to(x, [m if n == -1 else n for n, m in zip(shape, old, strict=True)])


def expand_samples():
    """Yield a new dimension, a broadcast one, -1, 0-D and zero-size."""
    yield Sample(values((3,)), shape=[2, 3])
    yield Sample(values((2, 1, 3)), shape=[4, 2, 5, -1])
    yield Sample(values((2, 3)), shape=[2, 3])
    yield Sample(values(()), shape=[2])
    yield Sample(values((1, 3)), shape=[0, 3])


def expand_errors():
    """Yield sizes that do not broadcast, and too few dimensions."""
    yield BadInput((np.ones(3), [2, 4]), {}, InvalidArgumentError, "expand")
    yield BadInput((np.ones((2, 3)), [3]), {}, InvalidArgumentError, "fewer dimensions")
    yield BadInput((np.ones(3), [-1, 3]), {}, InvalidArgumentError, "has no dimension")


_expand = op(
    "expand",
    expand_forward,
    vjp=spread_vjp,
    shapes="x",
    broadcast=True,
    public=None,
    reference=expand_reference,
    samples=expand_samples,
    errors=expand_errors,
    formula="dx = dout, summed to x",
    doc="Broadcast a tensor to a shape.",
    dtypes=WITH_COMPLEX,
)


@composite()
def expand(
    x: "Tensor", shape: "ShapeLike | int", *more: "int | Tensor", name: str | None = None
) -> "Tensor":
    """Return a tensor broadcast to a shape.

    Args:
        x: tensor of any shape.
        shape: list of ints, -1 to keep the dimension of ``x``. ``x.expand(2, 3)`` works too.
        *more: further dimensions when ``shape`` is an int.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.expand(paddle.to_tensor([1.0, 2.0]), [2, -1]).tolist()
        [[1.0, 2.0], [1.0, 2.0]]
    """
    return _expand(x, (shape, *more) if more else shape)


@composite()
def broadcast_to(x: "Tensor", shape: "ShapeLike", name: str | None = None) -> "Tensor":
    """Return a tensor broadcast to a shape; see ``expand``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_to(paddle.to_tensor([1.0, 2.0]), [3, 2]).shape
        paddle.Size([3, 2])
    """
    return _expand(x, shape)


def expand_as_forward(x, y):
    """Broadcast to the shape of another tensor."""
    return jnp.broadcast_to(x, y.shape)


def expand_as_reference(x, y):
    """Use NumPy's broadcast_to."""
    return np.broadcast_to(x, np.shape(y))


def expand_as_samples():
    """Yield vectors, broadcast dimensions and 0-D."""
    yield Sample(values((3,)), values((2, 3)))
    yield Sample(values((2, 1)), values((4, 2, 3)))
    yield Sample(values(()), values((2,)))


def expand_as_errors():
    """Yield shapes that do not broadcast."""
    yield BadInput((np.ones(3), np.ones((3, 2))), {}, InvalidArgumentError, "expand_as")


expand_as = op(
    "expand_as",
    expand_as_forward,
    vjp=spread_vjp,
    shapes="x",
    nondiff="y",
    broadcast=True,
    reference=expand_as_reference,
    samples=expand_as_samples,
    errors=expand_as_errors,
    formula="dx = dout, summed to x",
    doc="Broadcast a tensor to the shape of another one.",
    example="paddle.expand_as(paddle.to_tensor([1.0, 2.0]), paddle.ones([3, 2]))",
    dtypes=WITH_COMPLEX,
)


def broadcast_tensors_forward(input: Tensors):
    """Broadcast tensors against each other."""
    shape = jnp.broadcast_shapes(*(each.shape for each in input))
    return [jnp.broadcast_to(each, shape) for each in input]


def broadcast_tensors_vjp(input, dout):
    """Return the gradients; the caller sums them over the dimensions that were broadcast."""
    return dout


def broadcast_tensors_reference(input):
    """Use NumPy's broadcast_arrays."""
    return list(np.broadcast_arrays(*input))


def broadcast_tensors_samples():
    """Yield two and three tensors, and one."""
    yield Sample([values((3,)), values((2, 1), seed=1)])
    yield Sample([values((3,)), values(()), values((2, 2, 1), seed=2)])
    yield Sample([values((2, 3))])


def broadcast_tensors_errors():
    """Yield shapes that do not broadcast."""
    yield BadInput(([np.ones(3), np.ones(2)],), {}, InvalidArgumentError, "broadcast_tensors")


broadcast_tensors = op(
    "broadcast_tensors",
    broadcast_tensors_forward,
    vjp=broadcast_tensors_vjp,
    shapes="input",
    outputs="out[]",
    broadcast=True,
    reference=broadcast_tensors_reference,
    samples=broadcast_tensors_samples,
    errors=broadcast_tensors_errors,
    formula="dinput[k] = dout[k], summed to input",
    doc="Broadcast tensors against each other and return them as a list.",
    example="paddle.broadcast_tensors([paddle.ones([3]), paddle.zeros([2, 1])])",
    dtypes=WITH_COMPLEX,
)


def repeat_interleave_forward(x, *, repeats: int, axis: Axis = 0):
    """Repeat each slice along an axis."""
    if repeats < 0:
        raise ValueError(f"repeats must not be negative, but received {repeats}.")
    return jnp.repeat(x, repeats, normal_axis(axis, x.ndim))


def repeats_forward(x, repeats, *, axis: Axis = 0, total: int):
    """Repeat each slice along an axis by its count in repeats; total is the sum of counts."""
    axis = normal_axis(axis, x.ndim)
    if is_long(x.shape[axis]) or is_long(total):  # jnp.repeat counts in int32
        ends = jnp.cumsum(repeats, dtype=np.int64)
        return jnp.take(x, jnp.searchsorted(ends, jnp.arange(total), side="right"), axis)
    return jnp.repeat(x, repeats, axis, total_repeat_length=total)


def repeat_reference(x, repeats, axis=0, total=None):
    """Use NumPy's repeat."""
    return np.repeat(x, repeats, axis)


def repeat_samples():
    """Yield axes, a count of one and a count of zero."""
    yield Sample(values((2, 3)), repeats=2)
    yield Sample(values((2, 3)), repeats=3, axis=-1)
    yield Sample(values((2, 3)), repeats=0, axis=1)


def repeats_samples():
    """Yield different counts, zero among them."""
    yield Sample(values((2, 3)), np.array([1, 2, 0]), axis=1, total=3)
    yield Sample(values((2, 3)), np.array([2, 3]), axis=0, total=5)


_repeat_interleave = op(
    "repeat_interleave",
    repeat_interleave_forward,
    saves="x",
    public=None,
    reference=repeat_reference,
    samples=repeat_samples,
    formula="dx = dout, added where x was read: the sum over the copies",
    doc="Repeat each slice along an axis the same number of times.",
    dtypes=WITH_COMPLEX,
)
_repeat_interleave_with_tensor_index = op(
    "repeat_interleave_with_tensor_index",
    repeats_forward,
    saves="x repeats",
    nondiff="repeats",
    public=None,
    reference=repeat_reference,
    samples=repeats_samples,
    formula="dx = dout, added where x was read: the sum over the copies",
    doc="Repeat each slice along an axis its own number of times.",
    dtypes=WITH_COMPLEX,
)


@composite()
def repeat_interleave(
    x: "Tensor",
    repeats: "int | Tensor",
    axis: int | None = None,
    name: str | None = None,
    *,
    output_size: int | None = None,
) -> "Tensor":
    """Return a tensor with each slice along an axis repeated.

    Args:
        x: tensor of any shape.
        repeats: the number of repetitions: an int, or a tensor of one int per slice.
        axis: the axis; without it ``x`` is flattened first.
        name: accepted for compatibility.
        output_size: the length along the axis, which is checked: the counts in a tensor are read in
            any case. (With a wrong length, Paddle returns a wrong result.)

    Raises:
        InvalidArgumentError: for counts that do not fit, or another ``output_size``.

    Returns:
        Tensor that is longer along the axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.repeat_interleave(paddle.to_tensor([1.0, 2.0]), 2).tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    x, axis = (x.flatten(), 0) if axis is None else (x, as_int(axis, "axis"))
    if not hasattr(repeats, "_storage"):
        count: Any = repeats
        _check_output_size(output_size, count * x.shape[axis])
        return _repeat_interleave(x, repeats, axis)
    counts = repeats.numpy()  # type: ignore[union-attr]
    if counts.size == 1:
        _check_output_size(output_size, int(counts.reshape(())) * x.shape[axis])
        return _repeat_interleave(x, int(counts.reshape(())), axis)
    if counts.shape != (x.shape[axis],) or counts.min(initial=0) < 0:
        raise InvalidArgumentError(
            f"repeats must hold {x.shape[axis]} non-negative counts, one per slice along axis "
            f"{axis}, but received {counts.tolist()}."
        )
    total = sum(counts.tolist())  # NumPy's sum wraps around
    check_size("repeat_interleave", (total,), x._array.dtype)
    _check_output_size(output_size, total)
    return _repeat_interleave_with_tensor_index(x, repeats, axis, total)


def _check_output_size(given, found: int) -> None:
    if given is not None and given != found:
        raise InvalidArgumentError(
            "When output_size is provided, it should equal to sum of repeats tensor. But received "
            f"output_size = {given}, sum of repeats = {found}."
        )
