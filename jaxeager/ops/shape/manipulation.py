"""Ops that change the shape or order of elements: reshape, transpose, flip and others."""

import math
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from numpy.exceptions import AxisError

from jaxeager.core.size_comparisons import equal_sizes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.derived.view_steps import reshaped, write_reshaped
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS, ViewRule
from jaxeager.ops.rules.attrs import Axes, Ints, Shape, as_shape
from jaxeager.ops.rules.axes import axes_from_front, normal_axes, normal_axis
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor


def like_x_vjp(x, dout):
    """Reshape the gradient to the shape of x."""
    return dout.reshape(x.shape)


# ---- another shape


def resolve_shape(shape: tuple[int, ...], old: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with -1 (the remaining size) and 0 (the old size at that place) filled in.

    In the shape of a tensor without elements, a 0 is just 0, as in Paddle.

    Raises:
        ValueError: when the sizes do not fit.
    """
    size = math.prod(old)
    if any(n < -1 for n in shape) or shape.count(-1) > 1:
        raise ValueError(f"the shape may hold one -1 and no smaller number, not {list(shape)}.")
    new = list(shape)
    if size:
        if 0 in new[len(old) :]:
            raise ValueError(f"a 0 in the shape {list(shape)} has no dimension of x to copy.")
        new = [old[i] if n == 0 else n for i, n in enumerate(new)]
    if -1 in new:
        known = math.prod(n for n in new if n > 0)
        place = new.index(-1)
        new[place] = (size or math.prod(n for n in old if n)) // known
        if not size and 0 not in new:
            new[place] = 0
    if math.prod(new) != size:
        raise ValueError(f"a tensor of {size} elements cannot take the shape {list(shape)}.")
    return tuple(new)


def reshape_forward(x, *, shape: Shape):
    """Return the elements in another shape."""
    return x.reshape(resolve_shape(shape, x.shape))


def reshape_reference(x, shape):
    """Use NumPy's reshape, where 0 means the old size at that place."""
    if np.size(x):
        shape = [np.shape(x)[i] if n == 0 else n for i, n in enumerate(shape)]
    return np.reshape(x, shape)


def reshape_samples():
    """Yield shapes with -1 and 0, 0-D and zero-size."""
    yield Sample(values((2, 3)), shape=[3, 2])
    yield Sample(values((2, 3, 4)), shape=[0, -1])
    yield Sample(values(()), shape=[1, 1])
    yield Sample(values((1,)), shape=[])
    yield Sample(values((0, 3)), shape=[3, 0])


def reshape_errors():
    """Yield sizes that do not fit, and two unknown dimensions."""
    yield BadInput((np.ones((2, 3)), [4, 2]), {}, InvalidArgumentError, "cannot take the shape")
    yield BadInput((np.ones((2, 3)), [-1, -1]), {}, InvalidArgumentError, "one -1")
    yield BadInput((np.ones((2, 3)), [-1, 4]), {}, InvalidArgumentError, "cannot take the shape")


def reshape_place(above, shape):
    """Return the place of the same memory in another shape, where strides allow it."""
    return reshaped(above, resolve_shape(shape, above.shape))


def _reshape_row(name: str):
    return op(
        name,
        reshape_forward,
        vjp=like_x_vjp,
        shapes="x",
        dtypes=WITH_COMPLEX,
        inplace=name == "reshape",
        view=ViewRule(write_reshaped, covers=True, place=reshape_place),
        public=None,
        reference=reshape_reference,
        samples=reshape_samples,
        errors=reshape_errors,
        formula="dx = dout, in the shape of x",
        doc="Give the elements of a tensor another shape.",
    )


_reshape = _reshape_row("reshape")
view_shape = _reshape_row("view_shape")


@composite()
def reshape(
    x: "Tensor", shape: "ShapeLike | int", *more: "int | Tensor", name: str | None = None
) -> "Tensor":
    """Return the elements of ``x`` in another shape.

    Args:
        x: tensor of any shape.
        shape: list of ints (or Tensors) or an integer tensor. One -1 is inferred from the others; a
            0 is replaced by the size of ``x`` at that place. ``reshape(x, 2, 3)`` works too.
        *more: further dimensions when ``shape`` is an int.
        name: accepted for compatibility.

    Returns:
        Tensor of the new shape; ``x`` itself if it already has that shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.reshape(paddle.ones([2, 6]), [0, 3, -1]).shape
        paddle.Size([2, 3, 2])
    """
    shape = as_shape((shape, *more) if more else shape)
    return x if shape == x._array.shape else _reshape(x, shape)


@composite()
def reshape_(
    x: "Tensor", shape: "ShapeLike | int", *more: "int | Tensor", name: str | None = None
) -> "Tensor":
    """Change the shape of ``x`` in place and return ``x``; see ``reshape``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 3])
        >>> x.reshape_([3, 2]) is x, x.shape
        (True, paddle.Size([3, 2]))
    """
    shape = as_shape((shape, *more) if more else shape)
    if shape == x._array.shape:
        return x
    return ROWS["reshape"].inplace_function(x, shape)


def squeeze_forward(x, *, axis: Axes = None):
    """Drop dimensions of size 1; named ones of another size stay. One may be named twice."""
    axes = range(x.ndim) if axis is None or axis == () else axes_from_front(axis, x.ndim)
    named = sorted(set(axes))
    return jnp.squeeze(x, tuple(i for i in named if i < x.ndim and equal_sizes(x.shape[i], 1)))


def squeeze_reference(x, axis=None):
    """Use NumPy's squeeze over the given axes that have size 1."""
    axes = range(np.ndim(x)) if axis is None else np.atleast_1d(axis) % max(np.ndim(x), 1)
    return np.squeeze(x, tuple({int(i) for i in axes if np.shape(x)[i] == 1}))


def squeeze_samples():
    """Yield all axes, one, several, one that stays, 0-D."""
    yield Sample(values((1, 3, 1)))
    yield Sample(values((1, 3, 1)), axis=0)
    yield Sample(values((1, 2, 1, 3)), axis=[0, -2])
    yield Sample(values((1, 2, 1)), axis=[0, -3])
    yield Sample(values((2, 3)), axis=0)
    yield Sample(values(()))


def squeeze_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)), 5), {}, InvalidArgumentError, "in the range [-2, 2)")


squeeze = op(
    "squeeze",
    squeeze_forward,
    vjp=like_x_vjp,
    shapes="x",
    inplace=True,
    view=ViewRule(write_reshaped, covers=True),
    reference=squeeze_reference,
    samples=squeeze_samples,
    errors=squeeze_errors,
    formula="dx = dout, in the shape of x",
    doc="Drop dimensions of size 1, all of them or those named.",
    example="paddle.squeeze(paddle.ones([1, 3, 1]), axis=0)",
    dtypes=WITH_COMPLEX,
)


def unsqueeze_forward(x, *, axis: Ints):
    """Insert dimensions of size 1, one after the other."""
    shape = list(x.shape)
    for each in (axis,) if isinstance(axis, int) else axis:
        shape.insert(normal_axis(each, len(shape) + 1), 1)
    return x.reshape(shape)


def unsqueeze_reference(x, axis):
    """Use NumPy's expand_dims, axis by axis."""
    for each in np.atleast_1d(axis).tolist():
        x = np.expand_dims(x, each)
    return x


def unsqueeze_place(above, axis):
    """Return the place of the same memory, with the strides of a contiguous tensor."""
    shape, strides = list(above.shape), list(above.strides)
    for each in (axis,) if isinstance(axis, int) else axis:
        at = normal_axis(each, len(shape) + 1)
        strides.insert(at, shape[at] * strides[at] if at < len(shape) else above.itemsize)
        shape.insert(at, 1)
    return np.lib.stride_tricks.as_strided(above, shape, strides)


def unsqueeze_samples():
    """Yield one axis, several, negative ones, 0-D, zero-size."""
    yield Sample(values((2, 3)), axis=1)
    yield Sample(values((2, 3)), axis=[0, 3])
    yield Sample(values((2, 3)), axis=[-1, 0])
    yield Sample(values(()), axis=0)
    yield Sample(values((0, 3)), axis=-1)


def unsqueeze_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)), [3, 0]), {}, InvalidArgumentError, "in the range [-3, 3)")


unsqueeze = op(
    "unsqueeze",
    unsqueeze_forward,
    vjp=like_x_vjp,
    shapes="x",
    inplace=True,
    view=ViewRule(write_reshaped, covers=True, place=unsqueeze_place),
    reference=unsqueeze_reference,
    samples=unsqueeze_samples,
    errors=unsqueeze_errors,
    formula="dx = dout, in the shape of x",
    doc="Insert dimensions of size 1 at the given places, one after the other.",
    example="paddle.unsqueeze(paddle.ones([2, 3]), axis=0)",
    dtypes=WITH_COMPLEX,
)


def flatten_forward(x, *, start_axis: int = 0, stop_axis: int = -1):
    """Merge neighboring dimensions into one; 0-D becomes 1-D."""
    return x.reshape(_flat_shape(x.shape, start_axis, stop_axis))


def _flat_shape(shape: tuple[int, ...], start_axis: int, stop_axis: int) -> tuple[int, ...]:
    start, stop = normal_axis(start_axis, len(shape)), normal_axis(stop_axis, len(shape))
    if not shape:
        return (1,)
    if start > stop:
        raise ValueError(f"start_axis {start_axis} is after stop_axis {stop_axis}.")
    return (*shape[:start], math.prod(shape[start : stop + 1]), *shape[stop + 1 :])


def flatten_place(above, start_axis=0, stop_axis=-1):
    """Return the place of the same memory with dimensions merged, where strides allow it."""
    return reshaped(above, _flat_shape(above.shape, start_axis, stop_axis))


def flatten_reference(x, start_axis=0, stop_axis=-1):
    """Use NumPy's reshape with the merged size computed."""
    if np.ndim(x) == 0:
        return np.reshape(x, 1)
    shape, stop = list(np.shape(x)), stop_axis % np.ndim(x)
    start = start_axis % np.ndim(x)
    return np.reshape(x, [*shape[:start], np.prod(shape[start : stop + 1]), *shape[stop + 1 :]])


def flatten_samples():
    """Yield all dimensions, some, 0-D and zero-size."""
    yield Sample(values((2, 3, 4)))
    yield Sample(values((2, 3, 4)), start_axis=1)
    yield Sample(values((2, 3, 4)), start_axis=-3, stop_axis=-2)
    yield Sample(values(()))
    yield Sample(values((2, 0, 4)), start_axis=1)


def flatten_errors():
    """Yield axes in the wrong order and out of range."""
    yield BadInput((np.ones((2, 3)), 1, 0), {}, InvalidArgumentError, "is after stop_axis")
    yield BadInput((np.ones((2, 3)), 0, 2), {}, InvalidArgumentError, "in the range [-2, 2)")


flatten = op(
    "flatten",
    flatten_forward,
    vjp=like_x_vjp,
    shapes="x",
    inplace=True,
    view=ViewRule(write_reshaped, covers=True, place=flatten_place),
    reference=flatten_reference,
    samples=flatten_samples,
    errors=flatten_errors,
    formula="dx = dout, in the shape of x",
    doc="Merge the dimensions from start_axis to stop_axis into one.",
    example="paddle.flatten(paddle.ones([2, 3, 4]), start_axis=1)",
    dtypes=WITH_COMPLEX,
)


# ---- another order


def transpose_forward(x, *, perm: Ints):
    """Reorder the dimensions."""
    return jnp.transpose(x, _permutation(perm, x.ndim))


def _permutation(perm, ndim: int) -> tuple[int, ...]:
    """Return the order of all dimensions; those after a shorter perm stay, as in Paddle."""
    perm = (perm,) if isinstance(perm, int) else perm
    axes = tuple(normal_axis(axis, ndim) for axis in perm)
    if sorted(axes) != list(range(len(axes))):
        raise ValueError(f"perm must name each of the {ndim} dimensions once, not {list(perm)}.")
    return (*axes, *range(len(axes), ndim))


def transpose_vjp(dout, *, perm):
    """Restore the order of the dimensions."""
    return jnp.transpose(dout, np.argsort(_permutation(perm, dout.ndim)).tolist())


def write_transposed(base, value, *, perm):
    """Restore the order of the dimensions."""
    return transpose_vjp(value, perm=perm)


def transpose_samples():
    """Yield orders of two, three and no dimensions."""
    yield Sample(values((2, 3)), perm=[1, 0])
    yield Sample(values((2, 3, 4)), perm=[2, 0, 1])
    yield Sample(values((2, 3, 4)), perm=[-1, 0, -2])
    yield Sample(values((2, 3, 4)), perm=[1, 0])
    yield Sample(values(()), perm=[])
    yield Sample(values((0, 3)), perm=[1, 0])


def transpose_reference(x, perm):
    """Use NumPy's transpose; dimensions after a shorter perm stay."""
    return np.transpose(x, (*perm, *range(len(perm), np.ndim(x))))


def transpose_errors():
    """Yield dimensions that are missing or given twice."""
    yield BadInput((np.ones((2, 3)), [1]), {}, InvalidArgumentError, "each of the 2 dimensions")
    yield BadInput((np.ones((2, 3)), [0, 0]), {}, InvalidArgumentError, "each of the 2 dimensions")
    yield BadInput((np.ones((2, 3)), [0, 2]), {}, InvalidArgumentError, "in the range [-2, 2)")


transpose = op(
    "transpose",
    transpose_forward,
    vjp=transpose_vjp,
    inplace=True,
    public=None,
    view=ViewRule(write_transposed, covers=True),
    reference=transpose_reference,
    samples=transpose_samples,
    errors=transpose_errors,
    formula="dx = dout, put back where x was read",
    doc="Reorder the dimensions: output dimension i is dimension perm[i] of x; the dimensions "
    "that a shorter perm leaves out stay in place.",
    example="paddle.transpose(paddle.ones([2, 3, 4]), [2, 0, 1])",
    dtypes=WITH_COMPLEX,
)


def flip_forward(x, *, axis: Ints):
    """Reverse the order along axes."""
    if axis != () and not x.ndim:
        raise AxisError(f"a 0-D tensor has no axis, but received {axis}.")
    return jnp.flip(x, _named_axes(axis, x.ndim))


def _named_axes(axis, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front; unlike in a reduction, no axes means no axes."""
    return () if axis == () else normal_axes(axis, ndim)


def flip_vjp(dout, *, axis):
    """Reverse the gradient along the same axes."""
    return jnp.flip(dout, _named_axes(axis, dout.ndim))


def flip_reference(x, axis):
    """Use NumPy's flip."""
    return np.flip(x, tuple(np.atleast_1d(axis).tolist()))


def flip_samples():
    """Yield one axis, several and zero-size."""
    yield Sample(values((2, 3)), axis=0)
    yield Sample(values((2, 3, 4)), axis=[0, -1])
    yield Sample(values((0, 3)), axis=1)


flip = op(
    "flip",
    flip_forward,
    vjp=flip_vjp,
    aliases="reverse",
    reference=flip_reference,
    samples=flip_samples,
    errors=squeeze_errors,
    formula="dx = flip(dout)",
    doc="Reverse the order of the elements along axes.",
    example="paddle.flip(paddle.to_tensor([1.0, 2.0, 3.0]), axis=0)",
    dtypes=WITH_COMPLEX,
)


def roll_forward(x, *, shifts: Ints, axis: Axes = None):
    """Move elements along axes; those that leave at one end re-enter at the other."""
    return _roll(x, shifts, axis)


def _roll(x, shifts, axis):
    if axis is None or axis == ():
        if isinstance(shifts, tuple) and len(shifts) != 1:
            raise ValueError(f"without an axis there is one shift, but {len(shifts)} were given.")
        return jnp.roll(x.reshape(-1), shifts).reshape(x.shape)
    axes = axes_from_front(axis, x.ndim)
    shifts = shifts if isinstance(shifts, tuple) else (shifts,)
    if len(shifts) != len(axes):
        raise ValueError(f"{len(shifts)} shifts were given for {len(axes)} axes.")
    return jnp.roll(x, shifts, axes)


def roll_vjp(x, dout, *, shifts, axis):
    """Move the gradient back."""
    back = tuple(-n for n in shifts) if isinstance(shifts, tuple) else -shifts
    return _roll(dout, back, axis)


def roll_reference(x, shifts, axis=None):
    """Use NumPy's roll."""
    axis = tuple(axis) if isinstance(axis, list) else axis
    return np.roll(x, shifts, axis)


def roll_samples():
    """Yield flat, one axis, several and zero-size."""
    yield Sample(values((2, 3)), shifts=1)
    yield Sample(values((2, 3)), shifts=-4, axis=1)
    yield Sample(values((2, 3, 4)), shifts=[1, 2], axis=[0, -1])
    yield Sample(values((2, 5)), shifts=[1, 1, -4], axis=[1, 0, -1])
    yield Sample(values((0, 3)), shifts=1, axis=0)


def roll_errors():
    """Yield an axis out of range and too few shifts."""
    yield BadInput((np.ones((2, 3)), 1, 5), {}, InvalidArgumentError, "in the range [-2, 2)")
    yield BadInput((np.ones((2, 3)), [1], [0, 1]), {}, InvalidArgumentError, "1 shifts were given")


roll = op(
    "roll",
    roll_forward,
    vjp=roll_vjp,
    shapes="x",
    reference=roll_reference,
    samples=roll_samples,
    errors=roll_errors,
    formula="dx = roll(dout, -shifts)",
    doc="Move the elements along axes; those that leave at one end enter at the other.",
    example="paddle.roll(paddle.to_tensor([1.0, 2.0, 3.0]), 1)",
    dtypes=WITH_COMPLEX,
)
