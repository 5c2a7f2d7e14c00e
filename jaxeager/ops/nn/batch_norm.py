"""Batch normalization: each channel over the batch.

With one element per channel, or none, there are no statistics to train on: the input is returned,
as in Paddle.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.nn.normalization import channel_axis, check_size, moments, normal_grad
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.precision import copy_of, widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _other_axes(x, channel: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(x.ndim) if axis != channel)


def _along(vector, x, channel: int):
    """Return a vector of channels in float32 or wider, shaped to broadcast over x."""
    shape = [1] * x.ndim
    shape[channel] = -1
    return widened(vector).reshape(shape)


def _is_alone(x, channel: int, fixed: bool) -> bool:
    """Return whether each channel has at most one element, too few for statistics in training."""
    return not fixed and x.size <= x.shape[channel]


def batch_norm_forward(
    x,
    mean,
    variance,
    scale=None,
    bias=None,
    *,
    is_test: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    data_format: str = "NCHW",
    use_global_stats: bool = False,
):
    """Normalize each channel by the statistics of the batch, or by the running ones."""
    channel = channel_axis(x, data_format)
    for name, operand in (("mean", mean), ("variance", variance), ("scale", scale), ("bias", bias)):
        check_size(name, operand, x.shape[channel])
    wide, fixed = widened(x), is_test or use_global_stats
    if _is_alone(x, channel, fixed):
        return copy_of(x), mean, variance, widened(mean), jnp.ones_like(widened(variance))
    if fixed:
        batch_mean, batch_variance = _along(mean, x, channel), _along(variance, x, channel)
        mean_out, variance_out = mean, variance
    else:
        batch_mean, batch_variance = moments(wide, _other_axes(x, channel))
        mean_out = _running(mean, batch_mean, momentum)
        variance_out = _running(variance, batch_variance, momentum)
    inverse = lax.rsqrt(batch_variance + epsilon)
    out = (wide - batch_mean) * inverse
    out = out if scale is None else out * _along(scale, x, channel)
    out = out if bias is None else out + _along(bias, x, channel)
    saved = batch_mean.reshape(-1), inverse.reshape(-1)
    return out.astype(x.dtype), mean_out, variance_out, *saved


def _running(old, new, momentum: float):
    """Return an updated running statistic; gradients do not flow through it."""
    moved = momentum * widened(old) + (1 - momentum) * lax.stop_gradient(new).reshape(-1)
    return lax.stop_gradient(moved.astype(old.dtype))


def batch_norm_vjp(
    x,
    scale,
    bias,
    mean,
    variance,
    saved_mean,
    saved_variance,
    dout,
    *,
    is_test,
    epsilon,
    data_format,
    use_global_stats,
):
    """Return the gradients of x, scale and bias."""
    channel = channel_axis(x, data_format)
    axes, dwide = _other_axes(x, channel), widened(dout)
    fixed = is_test or use_global_stats
    if _is_alone(x, channel, fixed):
        nothing = [None if each is None else jnp.zeros_like(each) for each in (scale, bias)]
        return dout, *nothing
    if fixed:
        saved_mean, saved_variance = widened(mean), lax.rsqrt(widened(variance) + epsilon)
    inverse = _along(saved_variance, x, channel)
    normal = (widened(x) - _along(saved_mean, x, channel)) * inverse
    dnormal = dwide if scale is None else dwide * _along(scale, x, channel)
    dx = dnormal * inverse if fixed else normal_grad(dnormal, normal, inverse, axes)
    dscale = None if scale is None else jnp.sum(dwide * normal, axes)
    return dx, dscale, None if bias is None else jnp.sum(dwide, axes)


def batch_norm_reference(
    x,
    mean,
    variance,
    scale=None,
    bias=None,
    is_test=False,
    momentum=0.9,
    epsilon=1e-5,
    data_format="NCHW",
    use_global_stats=False,
):
    """Normalize with NumPy's mean and var."""
    moved = x if data_format == "NHWC" else np.moveaxis(x, 1, -1)
    flat = moved.reshape(-1, moved.shape[-1])
    if len(flat) < 2 and not (is_test or use_global_stats):
        return x, mean, variance
    batch_mean, batch_variance = flat.mean(0), flat.var(0)
    out_mean = momentum * mean + (1 - momentum) * batch_mean
    out_variance = momentum * variance + (1 - momentum) * batch_variance
    if is_test or use_global_stats:
        batch_mean, batch_variance, out_mean, out_variance = mean, variance, mean, variance
    out = (moved - batch_mean) / np.sqrt(batch_variance + epsilon)
    out = out * (1 if scale is None else scale) + (0 if bias is None else bias)
    return out if data_format == "NHWC" else np.moveaxis(out, -1, 1), out_mean, out_variance


def batch_norm_samples():
    """Yield training and evaluation, with and without scale and bias, both layouts, 2-D, 0, 1."""
    x, mean, variance = values((3, 2, 2, 3)), values((2,), seed=1), values((2,), 0.5, 2.0, seed=2)
    scale, bias = values((2,), 0.5, 1.5, seed=3), values((2,), seed=4)
    yield Sample(x, mean, variance, scale, bias)
    yield Sample(x, mean, variance, scale, bias, is_test=True)
    yield Sample(x, mean, variance, None, None)
    last = x.transpose(0, 2, 3, 1)
    yield Sample(last, mean, variance, scale, bias, data_format="NHWC", momentum=0.5, epsilon=0.1)
    yield Sample(values((5, 2)), mean, variance, scale, bias, use_global_stats=True)
    yield Sample(values((1, 2)), mean, variance, scale, bias)  # one element has no statistics
    yield Sample(values((1, 1, 2)), mean, variance, scale, bias, is_test=True, data_format="NHWC")
    yield Sample(values((0, 2, 3)), mean, variance, scale, bias)


def batch_norm_errors():
    """Yield parameters of another size, and too few dimensions."""
    x, two, three = values((3, 2)), values((2,)), values((3,))
    bad = InvalidArgumentError
    yield BadInput((x, two, two, three), {}, bad, "the shape of scale must equal to [2]")
    yield BadInput((two, two, two), {}, bad, "at least 2 dimensions, but has 1")
    yield BadInput((x, two, two), {"data_format": "CN"}, bad, "must be 'NCHW' or 'NHWC'")


batch_norm = op(
    "batch_norm",
    real_only(batch_norm_forward),
    vjp=batch_norm_vjp,
    outputs="out mean_out variance_out",
    hidden="saved_mean saved_variance",
    hidden_vjp=DERIVED,
    saves="x scale bias mean variance saved_mean saved_variance",
    nondiff="mean variance",
    public=None,
    reference=batch_norm_reference,
    samples=batch_norm_samples,
    errors=batch_norm_errors,
    formula="r = saved_variance; n = (x - saved_mean) * r; d = dout * scale; dx = (d - mean(d) - "
    "n * mean(d * n)) * r, d * r where is_test or use_global_stats; dscale = dout * n, summed to "
    "scale; dbias = dout, summed to bias: saved_variance is 1 / the deviation",
    boundary="one element per channel, in training, is returned as it is: dx = dout, the "
    "others are 0.",
    doc="Normalize each channel over the batch and update the running statistics; "
    "recorded by F.batch_norm.",
    example="paddle.nn.functional.batch_norm("
    "paddle.rand([4, 2]), paddle.zeros([2]), paddle.ones([2]), training=True)",
)
