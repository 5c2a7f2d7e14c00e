"""Reductions: sum, mean, extremes, products, logical ones and positions of extremes."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.reductions.product_kernels import product_of_others
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import Axes, DType
from jaxeager.ops.rules.axes import count_of, normal_axes, spread
from jaxeager.ops.rules.precision import mean_of, widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values
from jaxeager.ops.rules.subnormals import is_nonzero

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


def reduction_samples():
    """Yield a matrix, several axes, kept dimensions and 0-D."""
    yield Sample(values((2, 3)))
    yield Sample(values((2, 3)), axis=1)
    yield Sample(values((2, 3, 4)), axis=[0, -1], keepdim=True)
    yield Sample(values((2, 3)), axis=-2, keepdim=True)
    yield Sample(values(()))


def summing_samples():
    """Add zero-size input, for which sums are defined but extremes are not."""
    yield from reduction_samples()
    yield Sample(values((0, 3)), axis=0)
    yield Sample(values((2, 0)))


def axis_errors():
    """Yield an axis out of range and one named twice."""
    yield BadInput((np.ones((2, 3)), 5), {}, InvalidArgumentError, "must be in the range [-2, 2)")
    yield BadInput((np.ones((2, 3)), [0, 0]), {}, InvalidArgumentError, "must differ")


def over(function, axis, keepdim, *arrays, **kwargs):
    """Call a NumPy reduction with Paddle's spelling of its attributes."""
    axis = tuple(axis) if isinstance(axis, (list, tuple)) else axis
    return function(*arrays, axis=axis, keepdims=keepdim, **kwargs)


# ---- sums


def sum_forward(x, *, axis: Axes = None, dtype: DType = None, keepdim: bool = False):
    """Sum the elements; bool and int32 in int64, as in Paddle."""
    if dtype is None:
        dtype = np.int64 if x.dtype in (np.bool_, np.int32) else x.dtype
    axes = normal_axes(axis, x.ndim)
    return jnp.sum(x.astype(dtype), axis=axes, keepdims=keepdim, dtype=dtype)


def sum_vjp(x, dout, *, axis, keepdim):
    """Pass the gradient of each sum to its elements."""
    return spread(dout, x.shape, axis, keepdim)


def sum_reference(x, axis=None, dtype=None, keepdim=False):
    """Compute NumPy's sum."""
    return over(np.sum, axis, keepdim, x, dtype=dtype)


sum = op(
    "sum",
    sum_forward,
    vjp=sum_vjp,
    shapes="x",
    reference=sum_reference,
    samples=summing_samples,
    errors=axis_errors,
    formula="dx = dout, broadcast to x",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Sum the elements over the given axes; the sum of bool and int32 tensors is int64.",
    example="paddle.sum(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1)",
)


def mean_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Average; of integers truncated towards zero, of bools whether one is True, as in Paddle."""
    axes = normal_axes(axis, x.ndim)
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return mean_of(x, axes, keepdim)
    total = jnp.sum(x, axis=axes, keepdims=keepdim, dtype=np.int64)
    count = 1 if x.dtype == np.bool_ else count_of(x.shape, axis) or 1
    return lax.div(total, jnp.full_like(total, count)).astype(x.dtype)


def mean_vjp(x, dout, *, axis, keepdim):
    """Pass an even share of the gradient to each element."""
    return spread(dout / (count_of(x.shape, axis) or 1), x.shape, axis, keepdim)


def mean_reference(x, axis=None, keepdim=False):
    """Compute NumPy's mean."""
    return over(np.mean, axis, keepdim, x)


_mean = op(
    "mean",
    mean_forward,
    vjp=mean_vjp,
    shapes="x",
    public=None,
    reference=mean_reference,
    samples=reduction_samples,
    errors=axis_errors,
    formula="dx = dout * size(out) / size(x), broadcast to x",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Average the elements over the given axes; integers give integers.",
)


@composite()
def mean(
    x: "Tensor",
    axis: "int | Sequence[int] | None" = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    dtype: "DTypeLike | None" = None,
) -> "Tensor":
    """Return the mean of the elements over the given axes.

    Args:
        x: tensor of any shape; the mean of integers is an integer, truncated towards zero.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.
        dtype: dtype to cast ``x`` to first; the cast is recorded.

    Returns:
        Tensor of the remaining axes.

    Raises:
        InvalidArgumentError: when an axis is out of range or named twice.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mean(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=0).tolist()
        [2.0, 3.0]
    """
    return _mean(x if dtype is None else x.astype(dtype), axis, keepdim)


def mean_all_forward(x):
    """Average all elements."""
    return mean_of(x, tuple(range(x.ndim)))


def mean_all_vjp(x, dout):
    """Pass an even share of the gradient to each element."""
    return jnp.broadcast_to(dout / (count_of(x.shape, None) or 1), x.shape)


def mean_all_samples():
    """Yield a matrix, a vector and 0-D."""
    yield Sample(values((2, 3)))
    yield Sample(values((5,)))
    yield Sample(values(()))


mean_all = op(
    "mean_all",
    mean_all_forward,
    vjp=mean_all_vjp,
    shapes="x",
    public=None,
    reference="numpy.mean",
    samples=mean_all_samples,
    formula="dx = dout / size(x)",
    doc="Average all elements; recorded by losses for their mean.",
    dtypes=WITH_COMPLEX,
)


@real_only
def logsumexp_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Compute log(sum(exp(x))) without overflow."""
    axes = normal_axes(axis, x.ndim)
    top = jnp.max(x, axis=axes, keepdims=True, initial=-jnp.inf)  # log(0) without elements
    top = jnp.where(jnp.isfinite(top), top, 0)
    out = jnp.log(jnp.sum(jnp.exp(x - top), axis=axes, keepdims=True)) + top
    return out if keepdim else jnp.squeeze(out, axes)


def logsumexp_vjp(x, out, dout, *, axis, keepdim):
    """Multiply the gradient by the softmax of x."""
    out, dout = (spread(each, x.shape, axis, keepdim) for each in (out, dout))
    return dout * jnp.exp(x - out)


def logsumexp_reference(x, axis=None, keepdim=False):
    """Compute the plain formula in float64."""
    return np.log(over(np.sum, axis, keepdim, np.exp(np.asarray(x, np.float64))))


def logsumexp_samples():
    """Add values for which the naive formula overflows float32."""
    yield from reduction_samples()
    yield Sample(values((2, 3), 80.0, 88.0), axis=1)


logsumexp = op(
    "logsumexp",
    logsumexp_forward,
    vjp=logsumexp_vjp,
    saves="x out",
    promote="float",
    reference=logsumexp_reference,
    samples=logsumexp_samples,
    errors=axis_errors,
    formula="dx = dout * exp(x - out)",
    boundary="0 for an element of -inf; nan when all are -inf, as in Paddle.",
    doc="Compute the logarithm of the sum of exponentials over the given axes.",
    example="paddle.logsumexp(paddle.to_tensor([[0.0, 1.0], [2.0, 3.0]]), axis=1)",
)


# ---- extremes: elements that tie share the gradient evenly


@real_only
def max_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Return the largest element."""
    return jnp.max(x, axis=normal_axes(axis, x.ndim), keepdims=keepdim)


@real_only
def min_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Return the smallest element."""
    return jnp.min(x, axis=normal_axes(axis, x.ndim), keepdims=keepdim)


def extreme_vjp(x, out, dout, *, axis, keepdim):
    """Split the gradient evenly between the elements that equal the extreme.

    Where the extreme is nan no element equals it, and 0 / 0 passes the nan on.
    """
    axes = normal_axes(axis, x.ndim)
    is_extreme = (x == spread(out, x.shape, axis, keepdim)).astype(dout.dtype)
    share = jnp.sum(is_extreme, axis=axes, keepdims=True)
    return is_extreme * spread(dout, x.shape, axis, keepdim) / share


def max_reference(x, axis=None, keepdim=False):
    """Compute NumPy's max."""
    return over(np.max, axis, keepdim, x)


def min_reference(x, axis=None, keepdim=False):
    """Compute NumPy's min."""
    return over(np.min, axis, keepdim, x)


def extreme_samples():
    """Add ties, where every tied element gets an even share, as in JAX."""
    yield from reduction_samples()
    yield Sample(np.array([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]]), axis=1)


def extreme_errors():
    """Add the reduction of an empty axis, which has no extreme."""
    yield from axis_errors()
    yield BadInput((np.ones((0, 3)), 0), {}, InvalidArgumentError, "zero-size")


def _extreme(name: str, forward, reference, doc: str):
    return op(
        name,
        forward,
        vjp=extreme_vjp,
        saves="x out",
        reference=reference,
        samples=extreme_samples,
        errors=extreme_errors,
        formula="dx = dout * t / sum(t), t = (x == out)",
        boundary="elements that tie share it equally; all nan when one is nan, as in Paddle.",
        doc=doc,
        example=f"paddle.{name}(paddle.to_tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1)",
    )


max = _extreme("max", max_forward, max_reference, "Take the maximum over the given axes.")
min = _extreme("min", min_forward, min_reference, "Take the minimum over the given axes.")
amax = _extreme(
    "amax", max_forward, max_reference, "Take the maximum; elements that tie share the gradient."
)
amin = _extreme(
    "amin", min_forward, min_reference, "Take the minimum; elements that tie share the gradient."
)


# ---- products


def prod_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Multiply the elements."""
    return jnp.prod(x, axis=normal_axes(axis, x.ndim), keepdims=keepdim, dtype=x.dtype)


def prod_vjp(x, dout, *, axis, keepdim):
    """Multiply the gradient by the product of the other elements."""
    axes = normal_axes(axis, x.ndim)
    if has_symbols([x.shape[each] for each in axes]):
        _, pull = jax.vjp(partial(prod_forward, axis=axis, keepdim=keepdim), x)
        return jnp.conj(pull(jnp.conj(dout))[0])
    others = jnp.conj(product_of_others(widened(x), axes))
    return (spread(dout, x.shape, axis, keepdim) * others).astype(x.dtype)


def prod_reference(x, axis=None, keepdim=False):
    """Compute NumPy's product."""
    return over(np.prod, axis, keepdim, x)


def prod_samples():
    """Add one zero and two: the gradient is exact, where out / x would be nan."""
    yield from summing_samples()
    yield Sample(np.array([[0.0, 3.0, -2.0], [0.0, 0.0, 5.0]]), axis=1)


_prod = op(
    "prod",
    prod_forward,
    vjp=prod_vjp,
    saves="x out",
    public=None,
    reference=prod_reference,
    samples=prod_samples,
    errors=axis_errors,
    formula="dx = dout * conj(product_of_others(x))",
    boundary="exact through zeros (Paddle: nan).",
    dtypes="float32 float64 bfloat16 complex128",
    doc="Multiply the elements over the given axes.",
)


@composite()
def prod(
    x: "Tensor",
    axis: "int | Sequence[int] | None" = None,
    keepdim: bool = False,
    dtype: "DTypeLike | None" = None,
    out: "Tensor | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return the product of the elements over the given axes.

    Paddle: its gradient is nan where an element is zero, and not conjugated for complex tensors.
    Here it is correct in both cases.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        dtype: dtype to cast ``x`` to first.
        out: a tensor that becomes the result.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.prod(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), axis=1).tolist()
        [2.0, 12.0]
    """
    if out is not None:
        return compute_into(out, lambda: prod(x, axis, keepdim, dtype))
    return _prod(x if dtype is None else x.astype(dtype), axis, keepdim)


# ---- logical


def all_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Return whether all elements are true."""
    return jnp.all(is_nonzero(x), axis=normal_axes(axis, x.ndim), keepdims=keepdim)


def any_forward(x, *, axis: Axes = None, keepdim: bool = False):
    """Return whether any element is true."""
    return jnp.any(is_nonzero(x), axis=normal_axes(axis, x.ndim), keepdims=keepdim)


def all_reference(x, axis=None, keepdim=False):
    """Compute NumPy's all."""
    return over(np.all, axis, keepdim, x)


def any_reference(x, axis=None, keepdim=False):
    """Compute NumPy's any."""
    return over(np.any, axis, keepdim, x)


def logical_samples():
    """Yield truth tables of several shapes."""
    table = np.array([[True, False, True], [True, True, True]])
    yield Sample(table)
    yield Sample(table, axis=1)
    yield Sample(table, axis=[0, 1], keepdim=True)
    yield Sample(np.array(False))
    yield Sample(np.zeros((0, 3), bool), axis=0)
    yield Sample(np.array([[1j, 0.0], [0.0, 0.0]]), axis=1)


all = op(
    "all",
    all_forward,
    vjp=NONDIFF,
    reference=all_reference,
    samples=logical_samples,
    errors=axis_errors,
    dtypes="bool",
    doc="Return whether all elements over the given axes are true.",
    example="paddle.all(paddle.to_tensor([[True, False], [True, True]]), axis=1)",
)
any = op(
    "any",
    any_forward,
    vjp=NONDIFF,
    reference=any_reference,
    samples=logical_samples,
    errors=axis_errors,
    dtypes="bool",
    doc="Return whether any element over the given axes is true.",
    example="paddle.any(paddle.to_tensor([[True, False], [False, False]]), axis=1)",
)
