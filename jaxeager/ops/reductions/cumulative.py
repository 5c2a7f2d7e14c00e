"""Running reductions along one axis: sums, products, log-sums and extremes."""

from functools import partial
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.arrays.running import running
from jaxeager.errors import OutOfRangeError
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import Axis, DType, WholeAxis
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.far_places import check_reach
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


def _unfold(x, axis):
    """Return the tensor and the axis to run along; flattened if no axis is given."""
    if axis is None:
        return x.reshape(-1), 0
    axis = normal_axis(axis, x.ndim)
    return (x, axis) if x.ndim else (x.reshape(1), 0)


def running_samples():
    """Yield flat, each axis, 0-D and zero-size."""
    yield Sample(values((2, 3)), axis=1)
    yield Sample(values((2, 3, 2)), axis=-2)
    yield Sample(values((0, 3)), axis=0)
    yield Sample(values(()), axis=0)


def running_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)), 5), {}, OutOfRangeError, "must be in the range [-2, 2)")


def cumsum_forward(x, *, axis: WholeAxis = None, dtype: DType = None):
    """Sum along an axis; integers in int64 unless a dtype is given, as in Paddle."""
    shape, flat = x.shape, axis is None
    x, axis = _unfold(x, axis)
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        x = x.astype(dtype or np.int64)
    out = lax.cumsum(x, axis)
    return out if flat else out.reshape(shape)


def cumsum_vjp(x, dout, *, axis):
    """Sum the gradient from the other end."""
    dout, axis = _unfold(dout, axis)
    return lax.cumsum(dout, axis, reverse=True).reshape(x.shape)


def cumsum_reference(x, axis=None, dtype=None):
    """Compute NumPy's cumsum; 0-D stays 0-D if an axis is given."""
    return np.cumsum(x, axis=axis) if np.ndim(x) else np.array(x)


_cumsum = op(
    "cumsum",
    cumsum_forward,
    vjp=cumsum_vjp,
    saves="x",
    inplace=True,
    public=None,
    reference=cumsum_reference,
    samples=lambda: (Sample(values((2, 3))), *running_samples()),
    errors=running_errors,
    formula="dx = reverse_cumsum(dout), in the shape of x",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Sum the elements up to each place along an axis.",
)


@composite()
def cumsum(
    x: "Tensor", axis: int | None = None, dtype: "DTypeLike | None" = None, name: str | None = None
) -> "Tensor":
    """Return the sums of the elements up to each place along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: dtype to cast ``x`` to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cumsum(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
        [[1.0, 2.0], [4.0, 6.0]]
    """
    return _cumsum(x if dtype is None else x.astype(dtype), axis, dtype)


@composite()
def cumsum_(
    x: "Tensor", axis: int | None = None, dtype: "DTypeLike | None" = None, name: str | None = None
) -> "Tensor":
    """Write the running sums of ``x`` into ``x`` and return it; see ``cumsum``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0, 2.0, 3.0]).cumsum_(0).tolist()
        [1.0, 3.0, 6.0]
    """
    if dtype is not None:
        x.cast_(dtype)
    return ROWS["cumsum"].inplace_function(x, axis, dtype)


def cumprod_forward(x, *, dim: Axis = 0):
    """Multiply along an axis."""
    flat, axis = _unfold(x, dim)
    return lax.cumprod(flat, axis).reshape(x.shape)


def cumprod_reference(x, dim=0):
    """Compute NumPy's cumprod; 0-D stays 0-D."""
    return np.cumprod(x, axis=dim) if np.ndim(x) else np.array(x)


def cumprod_samples():
    """Yield axes, 0-D, zero-size and zeros among the factors."""
    yield Sample(values((2, 3)), dim=1)
    yield Sample(values((2, 3, 2)), dim=-2)
    yield Sample(values(()), dim=0)
    yield Sample(values((0, 3)), dim=0)
    yield Sample(np.array([2.0, 0.0, 3.0, 4.0]), dim=0)


_cumprod = op(
    "cumprod",
    cumprod_forward,
    saves="x out",
    inplace=True,
    public=None,
    reference=cumprod_reference,
    samples=cumprod_samples,
    errors=running_errors,
    formula="dx_j = sum over i >= j of dout_i * conj(product of the x_k, k <= i, k != j)",
    boundary="exact through zeros, as in Paddle.",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Multiply the elements up to each place along an axis.",
)


@composite()
def cumprod(
    x: "Tensor",
    dim: int | None = None,
    *,
    dtype: "DTypeLike | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return the products of the elements up to each place along an axis.

    Args:
        x: tensor of any shape.
        dim: the axis; without it ``x`` is flattened first.
        dtype: dtype to cast ``x`` to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cumprod(paddle.to_tensor([1.0, 2.0, 3.0]), 0).tolist()
        [1.0, 2.0, 6.0]
    """
    x = x if dtype is None else x.astype(dtype)
    return _cumprod(x.flatten(), 0) if dim is None else _cumprod(x, dim)


@composite()
def cumprod_(
    x: "Tensor", dim: int | None = None, dtype: "DTypeLike | None" = None, name: str | None = None
) -> "Tensor":
    """Write the running products of ``x`` into ``x`` and return it; see ``cumprod``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([2.0, 2.0, 3.0]).cumprod_(0).tolist()
        [2.0, 4.0, 12.0]
    """
    if dtype is not None:
        x.cast_(dtype)
    if dim is None:
        x.flatten_()
    return ROWS["cumprod"].inplace_function(x, 0 if dim is None else dim)


@real_only
@in_float32
def logcumsumexp_forward(x, *, axis: Axis = None):
    """Compute running log-sums of exponentials without overflow."""
    shape, flat = x.shape, axis is None
    x, axis = _unfold(x, axis)
    out = running(jnp.logaddexp, x, axis, usual=lambda x: lax.cumlogsumexp(x, axis))
    return out if flat else out.reshape(shape)


def logcumsumexp_reference(x, axis=None):
    """Compute the plain formula in float64."""
    x = np.asarray(x, np.float64)
    return np.log(np.cumsum(np.exp(x), axis=axis)) if x.ndim else x


_logcumsumexp = op(
    "logcumsumexp",
    logcumsumexp_forward,
    saves="x out",
    promote="float",
    public=None,
    reference=logcumsumexp_reference,
    samples=running_samples,
    errors=running_errors,
    formula="dx = exp(x) * reverse_cumsum(dout * exp(-out))",
    boundary="a first element of -inf counts as itself (Paddle: gets 0).",
    doc="Compute the logarithm of the running sum of exponentials along an axis.",
)


@composite()
def logcumsumexp(
    x: "Tensor", axis: int | None = None, dtype: "DTypeLike | None" = None, name: str | None = None
) -> "Tensor":
    """Return the logarithms of the running sums of exponentials along an axis.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: dtype to cast ``x`` to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.logcumsumexp(paddle.to_tensor([0.0, 0.0]), 0)
        >>> [round(value, 4) for value in out.tolist()]
        [0.0, 0.6931]
    """
    return _logcumsumexp(x if dtype is None else x.astype(dtype), axis)


# ---- running extremes: of equal elements the latest counts; nan is kept from its position on


@real_only
def cummax_forward(x, *, axis: Axis = -1, dtype: DType = "int64"):
    """Find running maxima and their positions."""
    return _running_extreme(x, axis, dtype, jnp.greater_equal)


@real_only
def cummin_forward(x, *, axis: Axis = -1, dtype: DType = "int64"):
    """Find running minima and their positions."""
    return _running_extreme(x, axis, dtype, jnp.less_equal)


def _running_extreme(x, axis, dtype, beats):
    if dtype not in (np.int32, np.int64):
        raise ValueError(f"the dtype of the positions must be int32 or int64, not {dtype}.")
    flat, axis = _unfold(x, axis)
    check_reach(dtype, flat.shape[axis])

    def later_or_better(a, b):
        (a_value, a_place), (b_value, b_place) = a, b
        takes_b = beats(b_value, a_value)
        if jnp.issubdtype(x.dtype, jnp.inexact):
            takes_b = jnp.isnan(b_value) | (takes_b & ~jnp.isnan(a_value))
        return jnp.where(takes_b, b_value, a_value), jnp.where(takes_b, b_place, a_place)

    places = lax.broadcasted_iota(dtype, flat.shape, axis)
    usual = partial(lax.associative_scan, later_or_better, axis=axis)
    out, indices = running(later_or_better, (flat, places), axis, usual)
    return out.reshape(x.shape), indices.reshape(x.shape)


def running_extreme_vjp(x, indices, dout, *, axis):
    """Add the gradient of every running extreme to the element that it is."""
    dout, axis = _unfold(dout, axis)
    indices = indices.reshape(dout.shape)
    grids = list(jnp.indices(dout.shape, sparse=True))
    grids[axis] = indices
    return jnp.zeros_like(dout).at[tuple(grids)].add(dout).reshape(x.shape)


def cummax_reference(x, axis=-1, dtype="int64"):
    """Compute running maxima, one place after the other."""
    return _running_reference(x, axis, dtype, np.greater_equal)


def cummin_reference(x, axis=-1, dtype="int64"):
    """Compute running minima, one place after the other."""
    return _running_reference(x, axis, dtype, np.less_equal)


def _running_reference(x, axis, dtype, beats):
    if not np.ndim(x):
        return np.array(x), np.zeros((), dtype)
    lines = np.moveaxis(np.array(x), axis, 0)
    out, places = lines.copy(), np.zeros(lines.shape, dtype)
    for i in range(1, len(lines)):
        takes = beats(lines[i], out[i - 1])
        out[i] = np.where(takes, lines[i], out[i - 1])
        places[i] = np.where(takes, i, places[i - 1])
    return np.moveaxis(out, 0, axis), np.moveaxis(places, 0, axis)


def running_extreme_samples():
    """Yield axes, 0-D and zero-size, and ties, where the latest counts."""
    yield from running_samples()
    yield Sample(np.array([2.0, 2.0, 1.0, 3.0, 3.0]), axis=0)


def _running_extreme_row(name: str, forward, reference, doc: str):
    return op(
        name,
        forward,
        vjp=running_extreme_vjp,
        saves="x indices",
        outputs="out indices",
        public=None,
        reference=reference,
        samples=running_extreme_samples,
        errors=running_errors,
        formula="dx[indices] += dout",
        boundary="the latest of equal elements gets the gradient, as in Paddle.",
        doc=doc,
    )


_cummax = _running_extreme_row(
    "cummax", cummax_forward, cummax_reference, "Find running maxima and their positions."
)
_cummin = _running_extreme_row(
    "cummin", cummin_forward, cummin_reference, "Find running minima and their positions."
)


@composite()
def cummax(
    x: "Tensor", axis: int | None = None, dtype: "DTypeLike" = "int64", name: str | None = None
) -> "tuple[Tensor, Tensor]":
    """Return the largest elements up to each place along an axis, and their positions.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: the dtype of the positions, "int64" or "int32".
        name: accepted for compatibility.

    Returns:
        The running maxima and their positions, of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> out, indices = paddle.cummax(paddle.to_tensor([1.0, 3.0, 2.0]), 0)
        >>> out.tolist(), indices.tolist()
        ([1.0, 3.0, 3.0], [0, 1, 1])
    """
    return _cummax(x.flatten(), 0, dtype) if axis is None else _cummax(x, axis, dtype)


@composite()
def cummin(
    x: "Tensor", axis: int | None = None, dtype: "DTypeLike" = "int64", name: str | None = None
) -> "tuple[Tensor, Tensor]":
    """Return the smallest elements up to each place along an axis, and their positions.

    Args:
        x: tensor of any shape.
        axis: the axis; without it ``x`` is flattened first.
        dtype: the dtype of the positions, "int64" or "int32".
        name: accepted for compatibility.

    Returns:
        The running minima and their positions, of the shape of ``x`` (flat without an axis).

    Example:
        >>> import jaxeager as paddle
        >>> out, indices = paddle.cummin(paddle.to_tensor([3.0, 1.0, 2.0]), 0)
        >>> out.tolist(), indices.tolist()
        ([3.0, 1.0, 1.0], [0, 1, 1])
    """
    return _cummin(x.flatten(), 0, dtype) if axis is None else _cummin(x, axis, dtype)
