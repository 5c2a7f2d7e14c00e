"""Views that strides can express: diagonals, windows, other strides, other dtypes."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError, OutOfRangeError, RefusedArgumentError
from jaxeager.graph.views.view_places import place_of
from jaxeager.ops.derived import view_steps
from jaxeager.ops.derived.view_steps import reshaped, retyped
from jaxeager.ops.indexing.box_rows import (
    slice_forward,
    slice_reference,
    slice_vjp,
    starts_array,
    write_slice,
)
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ViewRule
from jaxeager.ops.rules.attrs import DType, Shape, Sizes, as_dtype, as_int, as_shape, as_static
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values
from jaxeager.ops.shape.manipulation import transpose, view_shape

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor

# ---- the same memory in another shape or dtype


@composite()
def view(
    x: "Tensor",
    shape_or_dtype: "int | Sequence[int | Tensor] | DTypeLike",
    *more: "int | Tensor",
    name: str | None = None,
) -> "Tensor":
    """Return ``x`` in another shape, or its bytes read as another dtype; it shares x's memory.

    Args:
        x: tensor of any shape.
        shape_or_dtype: the shape, in which one -1 is inferred from the others (``view(2, 3)`` works
            too); or a dtype. A dtype of another size makes the last dimension longer or shorter.
        *more: further dimensions when the first one is an int.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape or dtype.

    Raises:
        InvalidArgumentError: when ``x`` is a view whose memory has no such view; see
            ``is_contiguous``. Use ``reshape``, which then copies.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([2, 6]).view([3, 4]).shape
        paddle.Size([3, 4])
    """
    if more:
        shape_or_dtype = (shape_or_dtype, *more)  # type: ignore[assignment]
    if not isinstance(shape_or_dtype, (int, list, tuple)):
        return _viewed_as(x, shape_or_dtype)
    return _viewed(x, as_shape(shape_or_dtype))


def _viewed(x, shape: tuple[int, ...]):
    """Return the view of that shape.

    Raises:
        InvalidArgumentError: when there is no such view.
    """
    place = place_of(x)
    if place is None:
        place = view_steps.stand_in(x._array.shape, x._array.dtype)
    if math.prod(shape) == place.size and reshaped(place, shape) is None:
        raise InvalidArgumentError(
            "The Tensor can not be viewed, please call reshape. Its memory layout does "
            f"not allow shape {list(place.shape)} to be viewed as {list(shape)} without a copy."
        )
    return view_shape(x, shape)


@composite()
def view_as(x: "Tensor", other: "Tensor", name: str | None = None) -> "Tensor":
    """Return ``x`` in the shape of another tensor.

    ``x`` is a tensor of any shape and dtype, and ``other`` one with as many elements; the result
    shares the memory of ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([6]).view_as(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    return _viewed(x, other._array.shape)


def _viewed_as(x, dtype):
    """Return the view of a dtype, or x itself if it has that dtype."""
    dtype = as_dtype(dtype)
    if dtype == x._array.dtype:
        return x
    place = place_of(x)
    if place is not None and dtype.itemsize != place.itemsize and not _has_dense_rows(place):
        raise InvalidArgumentError(
            f"input.strides[-1] must be 1 to view {place.dtype.name} as {dtype.name}, but got "
            f"{place.strides[-1] // place.itemsize if place.ndim else 0}. Call contiguous() first."
        )
    return _view_dtype(x, dtype)


def _has_dense_rows(place) -> bool:
    return bool(place.ndim) and place.strides[-1] == place.itemsize


def view_dtype_forward(x, *, dtype: DType):
    """Read the same bytes as another dtype."""
    if x.dtype == dtype:
        return x
    if np.bool_ in (x.dtype, dtype):
        raise ValueError("bool tensors have no bytes that could be read as another dtype.")
    if x.ndim == 0 and x.dtype.itemsize != dtype.itemsize:
        raise ValueError(
            f"input.strides[-1] must be 1 to view {x.dtype.name} as {dtype.name}, but got 0."
        )
    times = dtype.itemsize // x.dtype.itemsize
    if times > 1 and x.shape[-1] % times:
        raise ValueError(
            f"input.shape[{x.ndim - 1}]({x.shape[-1]}) must be multiple of {times} to view "
            f"{x.dtype.name} as {dtype.name}."
        )
    return _from_real(_as_real(x), dtype, x.shape)


def _as_real(x):
    """Return complex numbers as pairs along the last dimension."""
    if not jnp.iscomplexobj(x):
        return x
    pairs = jnp.stack([jnp.real(x), jnp.imag(x)], axis=-1)
    return pairs.reshape(*x.shape[:-1], -1) if x.ndim else pairs


def _from_real(x, dtype, shape: tuple):
    """Read real numbers as a dtype, which may be complex."""
    part = np.zeros((), dtype).real.dtype
    times = part.itemsize // x.dtype.itemsize
    if times > 1:
        x = x.reshape(*x.shape[:-1], -1, times)
    if x.dtype != part:
        x = lax.bitcast_convert_type(x, part)
    if times == 0:
        x = x.reshape(*x.shape[:-2], -1)
    if part == dtype:
        return x if shape else x.reshape(())
    x = x.reshape(*x.shape[:-1], -1, 2) if shape else x.reshape(2)
    return lax.complex(x[..., 0], x[..., 1])


def view_dtype_vjp(x, dout):
    """Read the gradient's bytes as the dtype of x, which is Paddle's convention."""
    return view_dtype_forward(dout, dtype=x.dtype)


def write_view_dtype(base, value, *, dtype):
    """Read the bytes as the dtype of the base."""
    return view_dtype_forward(value, dtype=np.dtype(base.dtype))


def view_dtype_place(above, dtype):
    """Return the place of the same memory with elements of another size."""
    if dtype.itemsize == above.itemsize:
        return retyped(above, dtype, above.shape, above.strides)
    last = above.shape[-1] * above.itemsize // dtype.itemsize
    strides = (*above.strides[:-1], dtype.itemsize)
    return retyped(above, dtype, (*above.shape[:-1], last), strides)


def view_dtype_reference(x, dtype):
    """Use NumPy's view."""
    return x.view(dtype)


def view_dtype_samples():
    """Yield real numbers as complex ones and back, and integers of half and double size."""
    yield Sample(values((2, 4)), dtype="complex128")
    yield Sample(values((2, 4)), dtype="float64")
    whole = np.arange(8, dtype=np.int32).reshape(2, 4)
    for dtype in ("float32", "int16", "int64"):
        yield Sample(whole, dtype=dtype, grad=False)


def view_dtype_errors():
    """Yield rows that do not fit, 0-D, and bool."""
    x, bad = np.ones((2, 3), np.float32), InvalidArgumentError
    yield BadInput((x, "float64"), {}, bad, "must be multiple of 2")
    yield BadInput((x[0, 0], "float64"), {}, bad, "strides[-1] must be 1")
    yield BadInput((x, "bool"), {}, bad, "bool tensors have no bytes")


_view_dtype = op(
    "view_dtype", view_dtype_forward, vjp=view_dtype_vjp, shapes="x", public=None,
    view=ViewRule(write_view_dtype, covers=True, retypes=True, place=view_dtype_place),
    dtypes="float64 complex128",
    reference=view_dtype_reference, samples=view_dtype_samples, errors=view_dtype_errors,
    formula="dx = the bytes of dout, read as the dtype of x",
    doc="Read the bytes of a tensor as another dtype.",
)  # fmt: skip


# ---- a part of an axis


def narrow_samples():
    """Yield the middle of an axis, its end, and an empty part."""
    x = values((4, 5))
    yield Sample(x, np.array([0, 1]), spans=(4, 3), steps=(1, 1), squeeze=())
    yield Sample(x, np.array([3, 0]), spans=(1, 5), steps=(1, 1), squeeze=())
    yield Sample(x, np.array([0, 0]), spans=(0, 5), steps=(1, 1), squeeze=())


_narrow = op(
    "narrow", slice_forward, vjp=slice_vjp, saves="starts", shapes="x", nondiff="starts",
    view=ViewRule(write_slice), public=None, grad_name="AsStridedGradNode", dtypes=WITH_COMPLEX,
    reference=slice_reference, samples=narrow_samples,
    formula="dx = dout, put where x was read",
    doc="Read a part of one dimension of a tensor.",
)  # fmt: skip


@composite()
def narrow(input: "Tensor", dim: int, start: "int | Tensor", length: int) -> "Tensor":
    """Return ``length`` elements along a dimension, from ``start`` on; it shares memory.

    Args:
        input: tensor with at least one dimension.
        dim: the dimension.
        start: int or integer tensor of one element; negative counts from the end.
        length: the number of elements.

    Returns:
        Tensor of the shape and dtype of ``input``, but of size ``length`` along the dimension.

    Raises:
        OutOfRangeError: for a dimension out of range.
        InvalidArgumentError: for a range outside the dimension.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.narrow(paddle.to_tensor([1, 2, 3, 4]), 0, 1, 2).tolist()
        [2, 3]
    """
    shape, start = input._array.shape, as_int(start, "start")
    if not shape:
        raise RefusedArgumentError("narrow() cannot be applied to a 0-dim tensor.")
    if not -len(shape) <= dim < len(shape):
        raise OutOfRangeError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, "
            f"{len(shape) - 1}], but got {dim})"
        )
    dim %= len(shape)
    size = shape[dim]
    if length < 0:
        raise RefusedArgumentError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise InvalidArgumentError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    start = start + size if start < 0 else start
    if start + length > size:
        raise RefusedArgumentError(
            f"start ({start}) + length ({length}) exceeds dimension size ({size})."
        )
    starts = starts_array((0,) * dim + (start,) + (0,) * (len(shape) - dim - 1))
    spans = (*shape[:dim], length, *shape[dim + 1 :])
    return _narrow(input, starts, spans, (1,) * len(shape), ())


# ---- diagonals


def diagonal_forward(x, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Take the diagonals of the matrices that two dimensions span."""
    first, second = plane(x.ndim, axis1, axis2)
    return jnp.diagonal(x, offset, first, second)


def plane(ndim: int, axis1: int, axis2: int) -> tuple[int, int]:
    """Return the two dimensions of the matrices that have diagonals, counted from the front.

    Raises:
        IndexError: for fewer than two dimensions, or one out of range.
        ValueError: when both are the same.
    """
    if ndim < 2:
        raise IndexError(
            f"Input's dim is out of range (expected at least 2 dimensions, but got {ndim})."
        )
    for name, axis in (("axis1", axis1), ("axis2", axis2)):
        if not -ndim <= axis < ndim:
            raise IndexError(
                f"{name} is out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
                f"but got {axis})."
            )
    first, second = axis1 % ndim, axis2 % ndim
    if first == second:
        raise ValueError(f"The dimensions should not be identical {axis1} vs {axis2}.")
    return first, second


def diagonal_reference(x, offset=0, axis1=0, axis2=1):
    """Use NumPy's diagonal."""
    return np.diagonal(x, offset, axis1, axis2)


def diagonal_samples():
    """Yield offsets on both sides, other planes, and an offset past the end."""
    yield Sample(values((3, 4)))
    yield Sample(values((3, 4)), offset=-1)
    yield Sample(values((2, 3, 4)), offset=1, axis1=2, axis2=0)
    yield Sample(values((2, 3)), offset=7)


def diagonal_errors():
    """Yield too few dimensions, and one plane of one dimension."""
    yield BadInput((np.ones(3),), {}, OutOfRangeError, "at least 2 dimensions, but got 1")
    yield BadInput((np.ones((2, 2)), 0, 1, 1), {}, InvalidArgumentError, "should not be identical")
    yield BadInput((np.ones((2, 2)), 0, 0, 5), {}, OutOfRangeError, "axis2 is out of range")


diagonal = op(
    "diagonal", diagonal_forward, shapes="x", view=ViewRule(), dtypes=WITH_COMPLEX,
    reference=diagonal_reference, samples=diagonal_samples, errors=diagonal_errors,
    formula="dx = dout, put where x was read: on the diagonals",
    doc="Take the diagonals of the matrices that two dimensions span, as a last dimension.",
    example="paddle.diagonal(paddle.ones([2, 3]))",
)  # fmt: skip


@composite()
def matrix_transpose(x: "Tensor", name: str | None = None) -> "Tensor":
    """Return a tensor with its last two dimensions exchanged; it shares memory.

    ``x`` is a tensor [..., n, m] of any dtype; the result is [..., m, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.matrix_transpose(paddle.ones([2, 3, 4])).shape
        paddle.Size([2, 4, 3])
    """
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"Tensor.ndim({x.ndim}) is required to be greater than or equal to 2."
        )
    return transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


# ---- windows


def tensor_unfold_forward(x, *, axis: int, size: int, step: int):
    """Return windows of an axis along a new last dimension."""
    if x.ndim == 0:
        x = x.reshape(1)
    axis = normal_axis(axis, x.ndim)
    count = _window_count(x.shape[axis], size, step)
    first = jnp.arange(count)[:, None] * step + jnp.arange(size)
    return jnp.moveaxis(jnp.take(x, first, axis=axis), axis + 1, -1)


def _window_count(length: int, size: int, step: int) -> int:
    if step <= 0:
        raise ValueError("paddle.unfold step must be greater than 0")
    if not 0 <= size <= length:
        raise ValueError(f"paddle.unfold size({size}) must be less than shape[axis]({length}).")
    return (length - size) // step + 1


def tensor_unfold_reference(x, axis, size, step):
    """Use NumPy's as_strided, with the stride of the axis twice."""
    x = x.reshape(1) if x.ndim == 0 else x
    axis %= x.ndim
    shape, strides = list(x.shape), list(x.strides)
    shape[axis] = _window_count(shape[axis], size, step)
    strides[axis] *= step
    both = [*shape, size], [*strides, x.strides[axis]]
    return np.lib.stride_tricks.as_strided(x, *both)


def tensor_unfold_samples():
    """Yield windows that overlap, that are adjacent, and that leave gaps."""
    yield Sample(values((7,)), axis=0, size=3, step=1)
    yield Sample(values((2, 6)), axis=-1, size=2, step=2)
    yield Sample(values((5, 2)), axis=0, size=2, step=3)


def tensor_unfold_errors():
    """Yield a window that is too long, and a step of 0."""
    x, bad = np.ones(4), InvalidArgumentError
    yield BadInput((x, 0, 5, 1), {}, bad, "paddle.unfold size(5) must be less than shape[axis](4)")
    yield BadInput((x, 0, 2, 0), {}, bad, "step must be greater than 0")


unfold = op(
    "tensor_unfold", tensor_unfold_forward, shapes="x", view=ViewRule(overlaps=True),
    public_name="unfold", reference=tensor_unfold_reference, samples=tensor_unfold_samples,
    errors=tensor_unfold_errors, dtypes=WITH_COMPLEX,
    formula="dx = dout, added where x was read: each window where it was",
    doc="Place windows of ``size`` elements, ``step`` apart, along a new last dimension.",
    example="paddle.unfold(paddle.to_tensor([1.0, 2.0, 3.0]), 0, 2, 1)",
)  # fmt: skip


# ---- any strides


def as_strided_forward(x, *, shape: Shape, stride: Sizes, offset: int = 0):
    """Read the element at ``offset + index * stride`` of the flat tensor."""
    positions = jnp.asarray(offset)
    for size, step in zip(shape, stride, strict=True):
        positions = positions[..., None] + jnp.arange(size) * step
    return x.reshape(-1)[positions]


def as_strided_reference(x, shape, stride, offset=0):
    """Use NumPy's as_strided."""
    flat = np.lib.stride_tricks.as_strided(x, (x.size,), (x.itemsize,))[offset:]
    return np.lib.stride_tricks.as_strided(flat, shape, [n * x.itemsize for n in stride])


def as_strided_samples():
    """Yield a transposed matrix, windows that overlap, a repeated element, and 0-D."""
    yield Sample(values((2, 3)), shape=(3, 2), stride=(1, 3))
    yield Sample(values((6,)), shape=(3, 2), stride=(1, 1), offset=2)
    yield Sample(values((6,)), shape=(2, 2), stride=(0, 2))
    yield Sample(values((6,)), shape=(), stride=(), offset=4)


_as_strided = op(
    "as_strided", as_strided_forward, shapes="x", view=ViewRule(overlaps=True), public=None,
    reference=as_strided_reference, samples=as_strided_samples, dtypes=WITH_COMPLEX,
    formula="dx = dout, added where x was read",
    doc="Read the memory of a tensor with other strides.",
)  # fmt: skip


@composite()
def as_strided(
    x: "Tensor",
    shape: "Sequence[int]",
    stride: "Sequence[int]",
    offset: int = 0,
    name: str | None = None,
) -> "Tensor":
    """Return a view of the memory of ``x`` with the given shape and strides.

    Args:
        x: tensor of any shape. If it is itself a view, the memory is that of its base, from the
            beginning, as in Paddle.
        shape: list of ints.
        stride: list of ints: the distance between neighbors in elements, per dimension.
        offset: the start in bytes, as in Paddle.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape, in the dtype of ``x``.

    Raises:
        InvalidArgumentError: when it would read outside of the memory (Paddle reads there), or the
            tensor that owned the memory no longer exists.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.as_strided(paddle.to_tensor([1, 2, 3, 4]), [3, 2], [1, 1]).tolist()
        [[1, 2], [2, 3], [3, 4]]
    """
    shape, stride = as_static(list(shape)), as_static(list(stride))
    itemsize = x._array.dtype.itemsize
    if len(shape) != len(stride) or any(n < 0 for n in shape) or offset % itemsize:
        raise InvalidArgumentError(
            f"as_strided: shape {list(shape)} needs sizes and one stride each, but the strides are "
            f"{list(stride)}; offset {offset} must be a multiple of {itemsize} bytes."
        )
    ends = [(n - 1) * step for n, step in zip(shape, stride, strict=True)]
    first = offset // itemsize + sum(end for end in ends if end < 0)
    last = offset // itemsize + sum(end for end in ends if end > 0)
    base = view_steps.memory_of(x, last + 1)
    size = base._array.size
    if 0 not in shape and not (first >= 0 and last < size):
        raise InvalidArgumentError(
            f"as_strided: shape {list(shape)}, stride {list(stride)} and offset {offset} reach "
            f"from element {first} to {last}, but the memory has {size} elements."
        )
    return _as_strided(base, shape, stride, offset // itemsize)
