"""Softmax and its logarithm along an axis, and samples from it."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.random import as_key
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Axis, OneAxis
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def softmax_samples():
    """Yield axes, large values, 0-D and zero-size."""
    yield Sample(values((2, 3)))
    yield Sample(values((2, 3, 2)), axis=1)
    yield Sample(values((3, 2)) * 30.0, axis=0)
    yield Sample(values(()))
    yield Sample(values((0, 3)))


def softmax_errors():
    """Yield an axis out of range."""
    yield BadInput((np.ones((2, 3)), 2), {}, InvalidArgumentError, "must be in the range [-2, 2)")


@real_only
def softmax_forward(x, *, axis: OneAxis = -1):
    """Compute exp(x) over its sum, after subtracting the largest x.

    No result is below the least normal number, except for -inf, where it is 0. So its logarithm and
    the slope of that are finite, unlike at 0. See Note [Subnormal numbers].
    """
    axis = normal_axis(axis, x.ndim)
    if not x.ndim:
        return jnp.ones_like(x)
    least = jnp.where(x == -jnp.inf, 0, jnp.finfo(x.dtype).tiny).astype(x.dtype)
    shares = jax.nn.softmax(x, axis=axis)
    return jnp.where(shares < least, least, shares)  # XLA's maximum may omit nan: cpu_reductions.py


def softmax_vjp(out, dout, *, axis):
    """Subtract the weighted mean of the gradient, and multiply by out."""
    if not out.ndim:
        return jnp.zeros_like(dout)
    return out * (dout - jnp.sum(dout * out, axis=axis, keepdims=True))


def softmax_reference(x, axis=-1):
    """Compute the plain formula of the differences to the largest element."""
    if not x.ndim:
        return np.ones_like(x)
    shares = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return shares / shares.sum(axis=axis, keepdims=True)


softmax = op(
    "softmax",
    in_float32(softmax_forward),
    vjp=in_float32(softmax_vjp),
    saves="out",
    inplace=True,
    public=None,
    reference=softmax_reference,
    samples=softmax_samples,
    errors=softmax_errors,
    formula="dx = out * (dout - sum(dout * out))",
    doc="Compute exp(x) divided by its sum along an axis; at least the least normal number of the "
    "dtype, but 0 of -inf (Paddle on a CPU: at least exp(-64) of the largest share).",
    example="paddle.nn.functional.softmax(paddle.to_tensor([1.0, 2.0]))",
)


@real_only
def log_softmax_forward(x, *, axis: OneAxis = -1):
    """Subtract the logarithm of the sum of exponentials."""
    axis = normal_axis(axis, x.ndim)
    return jax.nn.log_softmax(x, axis=axis) if x.ndim else jnp.zeros_like(x)


def log_softmax_vjp(out, dout, *, axis):
    """Subtract exp(out) times the sum of the gradient."""
    if not out.ndim:
        return jnp.zeros_like(dout)
    return dout - jnp.exp(out) * jnp.sum(dout, axis=axis, keepdims=True)


def log_softmax_reference(x, axis=-1):
    """Compute the plain formula of the differences to the largest element."""
    if not x.ndim:
        return np.zeros_like(x)
    x = x - x.max(axis=axis, keepdims=True, initial=-np.inf)
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))


log_softmax = op(
    "log_softmax",
    in_float32(log_softmax_forward),
    vjp=in_float32(log_softmax_vjp),
    saves="out",
    public=None,
    reference=log_softmax_reference,
    samples=softmax_samples,
    errors=softmax_errors,
    formula="dx = dout - exp(out) * sum(dout)",
    doc="Compute the logarithm of softmax along an axis.",
    example="paddle.nn.functional.log_softmax(paddle.to_tensor([1.0, 2.0]))",
)


@real_only
def gumbel_softmax_forward(
    x, key, *, temperature: float = 1.0, hard: bool = False, axis: Axis = -1
):
    """Add Gumbel noise before softmax; a hard sample is 1 at the largest element, else 0."""
    axis = normal_axis(axis, x.ndim)
    if not temperature > 0:
        raise ValueError(f"the temperature must be above 0, but is {temperature}.")
    noise = jax.random.gumbel(as_key(key), x.shape, jnp.float32).astype(x.dtype)
    noisy = (x + noise) / temperature
    soft = softmax_forward(noisy, axis=axis)
    if not hard or not x.ndim:
        return soft, soft
    return jax.nn.one_hot(soft.argmax(axis), x.shape[axis], dtype=x.dtype, axis=axis), soft


def gumbel_softmax_vjp(soft, dout, *, temperature, axis):
    """Apply softmax's rule over the temperature; a hard sample has the gradient of the soft one."""
    return softmax_vjp(soft, dout, axis=axis) / temperature


def gumbel_softmax_hidden_vjp(soft, dsoft, *, temperature, axis):
    """Apply the rule of the sample, of which this output is the soft one."""
    return gumbel_softmax_vjp(soft, dsoft, temperature=temperature, axis=axis)


def gumbel_softmax_samples():
    """Yield soft samples, a hard one, 0-D and zero-size."""
    yield Sample(values((2, 3)), jax.random.key(3))
    yield Sample(values((3, 2)), jax.random.key(3), temperature=0.5, axis=0)
    yield Sample(values((2, 3)), jax.random.key(3), hard=True, grad=False)
    yield Sample(values(()), jax.random.key(3))
    yield Sample(values((0, 3)), jax.random.key(3))


gumbel_softmax = op(
    "gumbel_softmax",
    in_float32(gumbel_softmax_forward),
    vjp=in_float32(gumbel_softmax_vjp),
    saves="out soft",
    hidden="soft",
    hidden_vjp=in_float32(gumbel_softmax_hidden_vjp),
    nondiff="key",
    public=None,
    samples=gumbel_softmax_samples,
    formula="dx = soft * (dout - sum(dout * soft)) / temperature",
    doc="Draw from the categorical distribution softmax(x): relaxed, or one-hot if hard.",
    example="paddle.nn.functional.gumbel_softmax(paddle.to_tensor([1.0, 2.0]))",
)
