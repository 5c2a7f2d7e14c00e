"""Writing to diagonals and adding them up: fill_diagonal_, diagonal_scatter, trace."""

from functools import reduce
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import lesser
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from jaxeager.ops.call.dispatch import cast, raw
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Scalar
from jaxeager.ops.rules.axes import as_first, same_dtype
from jaxeager.ops.rules.promotion import NUMBERS
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values
from jaxeager.ops.shape.strided import diagonal_errors, plane

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor

# ---- one number along the main diagonal


def fill_diagonal_forward(x, *, value: Scalar, offset: int = 0, wrap: bool = False):
    """Write a number to a diagonal."""
    return jnp.where(_on_diagonal(x.shape, offset, wrap), value.astype(x.dtype), x)


def _on_diagonal(shape: tuple[int, ...], offset: int, wrap: bool):
    """Return a mask of the elements on the main diagonal, moved by offset columns."""
    if len(shape) < 2:
        raise ValueError(f"needs a tensor of at least 2 dimensions, but received {list(shape)}.")
    first, *others = (lax.broadcasted_iota(np.int64, shape, axis) for axis in range(len(shape)))
    length = reduce(lesser, shape)
    if wrap and len(shape) == 2:
        first, length = first % (shape[1] + 1), shape[1]
    found = (first < length) & (others[-1] == first + offset)
    for each in others[:-1]:
        found &= each == first
    return found


def fill_diagonal_vjp(dout, *, offset, wrap):
    """Zero the gradient where x was overwritten."""
    return jnp.where(_on_diagonal(dout.shape, offset, wrap), jnp.zeros((), dout.dtype), dout)


def fill_diagonal_reference(x, value, offset=0, wrap=False):
    """Write element by element."""
    out, columns = np.array(x), np.shape(x)[-1]
    for row in range(len(out) if wrap and out.ndim == 2 else min(out.shape)):
        place = row % (columns + 1) if wrap else row
        if place < columns and 0 <= place + offset < columns:
            out[(row,) * (out.ndim - 1) + (place + offset,)] = value
    return out


def fill_diagonal_samples():
    """Yield wide and tall matrices, offsets on both sides, wrapping, a cube, and no elements."""
    yield Sample(values((3, 4)), value=2.5)
    yield Sample(values((7, 3)), value=-1.0, offset=1, wrap=True)
    yield Sample(values((7, 3)), value=-1.0, offset=-2)
    yield Sample(values((3, 3, 3)), value=0.5, offset=1)
    yield Sample(values((2, 3)), value=0.5, offset=5)
    yield Sample(values((0, 3)), value=0.5)


def fill_diagonal_errors():
    """Yield too few dimensions."""
    text = "at least 2 dimensions, but received [3]"
    yield BadInput((np.ones(3), 1.0), {}, InvalidArgumentError, text)


_fill_diagonal = op(
    "fill_diagonal", fill_diagonal_forward, vjp=fill_diagonal_vjp, inplace=True, public=None,
    dtypes=WITH_COMPLEX, reference=fill_diagonal_reference, samples=fill_diagonal_samples,
    errors=fill_diagonal_errors,
    formula="dx = dout, put where x stayed: 0 where the number was written",
    doc="Write a number to the main diagonal.",
)  # fmt: skip


@composite(public=None)
def fill_diagonal_(
    x: "Tensor", value: "Number", offset: int = 0, wrap: bool = False, name: str | None = None
) -> "Tensor":
    """Write a number to the diagonal of ``x``, in place, and return ``x``.

    Args:
        x: tensor of at least two dimensions; with more than two, the diagonal is the elements whose
            indices are all equal.
        value: a number.
        offset: how many columns to the right of the diagonal to write; positions outside of the
            matrix are skipped.
        wrap: whether the diagonal starts again below, after one skipped row, when a matrix has more
            rows than columns; no effect for more than two dimensions.
        name: accepted for compatibility.

    Returns:
        ``x``.

    Raises:
        InvalidArgumentError: for fewer than two dimensions (Paddle's process dies), or a leaf that
            requires grad.
        InvalidTypeError: when ``value`` is not a number.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2, 3]).fill_diagonal_(1).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if type(value) not in NUMBERS and not hasattr(value, "_storage"):
        raise InvalidTypeError(
            f"fill_diagonal(): argument (position 2) must be double, but got {type(value).__name__}"
        )
    return ROWS["fill_diagonal"].inplace_function(x, value, offset, wrap)


# ---- a tensor along the diagonals of a plane


def _diagonal_at(shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> tuple:
    """Return the two dimensions of a plane, and its diagonal's indices along each of them."""
    first, second = plane(len(shape), dim1, dim2)
    rows, columns = max(-offset, 0), max(offset, 0)
    length = max(min(shape[first] - rows, shape[second] - columns), 0)
    return first, second, np.arange(length) + rows, np.arange(length) + columns


def fill_diagonal_tensor_forward(x, y, *, offset: int = 0, dim1: int = 0, dim2: int = 1):
    """Write a tensor to the diagonals of the matrices that two dimensions span."""
    x, y = as_first(x, y)
    same_dtype(x, y)
    first, second, rows, columns = _diagonal_at(x.shape, offset, dim1, dim2)
    last = jnp.moveaxis(x, (first, second), (-2, -1))
    wanted = (*last.shape[:-2], len(rows))
    if y.shape != wanted:
        raise ValueError(f"the y shape should be {list(wanted)}, but it is {list(y.shape)}.")
    return jnp.moveaxis(last.at[..., rows, columns].set(y), (-2, -1), (first, second))


def fill_diagonal_tensor_vjp(y, dout, *, offset, dim1, dim2):
    """Return dout off the diagonals for x, and dout on them for y."""
    zeros = jnp.zeros(y.shape, dout.dtype)
    options = {"offset": offset, "dim1": dim1, "dim2": dim2}
    dx = fill_diagonal_tensor_forward(dout, zeros, **options)
    return dx, jnp.diagonal(dout, offset, *plane(dout.ndim, dim1, dim2))


def fill_diagonal_tensor_reference(x, y, offset=0, dim1=0, dim2=1):
    """Use NumPy's put at the positions that its diagonal reads."""
    out = np.array(x)
    places = np.diagonal(np.arange(out.size).reshape(out.shape), offset, dim1, dim2)
    out.reshape(-1)[places.reshape(-1)] = np.reshape(y, -1)
    return out


def fill_diagonal_tensor_samples():
    """Yield both sides of the diagonal, another plane, and an offset past the end."""
    yield Sample(values((3, 4)), values((3,), seed=1))
    yield Sample(values((3, 4)), values((2,), seed=1), offset=-1)
    yield Sample(values((2, 3, 4)), values((3, 2), seed=1), offset=-1, dim1=2, dim2=0)
    yield Sample(values((2, 3)), values((0,)), offset=7)


def fill_diagonal_tensor_errors():
    """Yield a shape and a dtype that do not fit, and one plane of one dimension."""
    x, bad = np.ones((3, 4)), InvalidArgumentError
    yield BadInput((x, np.ones(2)), {}, bad, "the y shape should be [3], but it is [2]")
    yield BadInput((x, np.ones(3, np.int64)), {}, bad, "must have one dtype")
    yield BadInput((x, np.ones(3)), {"dim1": 1}, bad, "should not be identical")
    yield BadInput((x, np.ones(3)), {"dim1": 5}, OutOfRangeError, "axis1 is out of range")


_fill_diagonal_tensor = op(
    "fill_diagonal_tensor", fill_diagonal_tensor_forward, vjp=fill_diagonal_tensor_vjp,
    shapes="y", inplace=True, public=None, method=True, dtypes=WITH_COMPLEX,
    reference=fill_diagonal_tensor_reference, samples=fill_diagonal_tensor_samples,
    errors=fill_diagonal_tensor_errors,
    formula="dx = dout, put where x stayed; dy = diagonal(dout, offset, dim1, dim2)",
    boundary="no kinks. In Paddle y has no gradient.",
    doc="Write a tensor to the diagonals of the matrices that two dimensions span.",
    example="paddle.zeros([2, 2]).fill_diagonal_tensor(paddle.ones([2]))",
)  # fmt: skip


@composite()
def diagonal_scatter(
    x: "Tensor",
    y: "Tensor",
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    name: str | None = None,
) -> "Tensor":
    """Return ``x`` with ``y`` on the diagonals of the matrices that two dimensions span.

    In Paddle, gradients do not reach ``y``, and a ``y`` of another dtype is read as if it had the
    dtype of ``x``. Here ``y`` gets its gradient, and must have that dtype; but a complex tensor
    and one of floats become complex, as in Paddle.

    Args:
        x: tensor of at least two dimensions.
        y: tensor of the shape of ``diagonal(x, offset, axis1, axis2)``.
        offset: the diagonal: 0 is the main one, positive ones are to its right.
        axis1: the first dimension of the matrices.
        axis2: the second.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``, or complex.

    Raises:
        InvalidArgumentError: when the shape or dtype of ``y`` does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.diagonal_scatter(paddle.zeros([2, 2]), paddle.to_tensor([1.0, 2.0])).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """
    if y.is_complex() and x.is_floating_point():
        both = jnp.promote_types(raw(x).dtype, raw(y).dtype)
        x, y = cast(x, both), cast(y, both)
    return _fill_diagonal_tensor(x, y, offset, axis1, axis2)


# ---- the sum of a diagonal


def trace_forward(x, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Add up the diagonals of the matrices that two dimensions span."""
    if x.dtype == np.bool_:
        raise ValueError("trace adds numbers up, but received a bool tensor.")
    found = jnp.diagonal(x, offset, *plane(x.ndim, axis1, axis2))
    return jnp.sum(found, -1, dtype=x.dtype)


def trace_reference(x, offset=0, axis1=0, axis2=1):
    """Use NumPy's trace."""
    return np.trace(x, offset, axis1, axis2, dtype=np.asarray(x).dtype)


def trace_samples():
    """Yield offsets on both sides, other planes, integers, and an offset past the end."""
    yield Sample(values((3, 4)))
    yield Sample(values((3, 4)), offset=-1)
    yield Sample(values((2, 3, 4)), offset=1, axis1=2, axis2=0)
    yield Sample(values((2, 3)), offset=7)
    yield Sample(np.arange(6, dtype=np.int32).reshape(2, 3))


def trace_errors():
    """Yield the errors of a diagonal, and bool."""
    yield from diagonal_errors()
    yield BadInput((np.ones((2, 2), bool),), {}, InvalidArgumentError, "received a bool tensor")


trace = op(
    "trace", trace_forward, shapes="x", dtypes=WITH_COMPLEX, reference=trace_reference,
    samples=trace_samples, errors=trace_errors,
    formula="dx = dout, times the weights with which x was read: 1 on the diagonals",
    doc="Add up the diagonals of the matrices that two dimensions span.",
    example="paddle.trace(paddle.ones([2, 3]))",
)  # fmt: skip
