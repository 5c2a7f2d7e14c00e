"""Normalization rows: layer_norm, group_norm, instance_norm and rms_norm.

Each is one fused call that computes in float32 when its input has 16 bits. The statistics are
hidden outputs that backward saves; see table 5.5 of the behavior notes.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Shape
from jaxeager.ops.rules.precision import mean_of, widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def moments(x, axes: tuple[int, ...]):
    """Return the mean and variance over axes, which are kept with size 1."""
    mean = mean_of(x, axes, keepdims=True)
    return mean, mean_of(jnp.square(x - mean), axes, keepdims=True)


def normal_grad(dnormal, normal, inverse, axes: tuple[int, ...]):
    """Return dx of (x - mean) / std from the gradient of the normalized values."""
    centered = dnormal - jnp.mean(dnormal, axes, keepdims=True)
    return inverse * (centered - normal * jnp.mean(dnormal * normal, axes, keepdims=True))


def check_size(name: str, operand, size: int) -> None:
    """Raise for a parameter that is not a vector of one number per channel."""
    if operand is not None and operand.shape != (size,):
        raise ValueError(
            f"the shape of {name} must equal to [{size}], but received {list(operand.shape)}."
        )


def channel_axis(x, data_format: str) -> int:
    """Return the axis of the channels."""
    if x.ndim < 2:
        raise RefusedArgumentError(f"the input must have at least 2 dimensions, but has {x.ndim}.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be 'NCHW' or 'NHWC', but received {data_format!r}.")
    return 1 if data_format == "NCHW" else x.ndim - 1


# ---- layer_norm


def _split_at(x, begin_norm_axis: int) -> tuple[tuple[int, ...], int]:
    """Return the axes that are normalized, and their number of elements."""
    if not 0 < begin_norm_axis < x.ndim:
        raise ValueError(
            f"begin_norm_axis must be in (0, {x.ndim}), but received {begin_norm_axis}."
        )
    size = int(np.prod(x.shape[begin_norm_axis:]))
    return tuple(range(begin_norm_axis, x.ndim)), size


def layer_norm_forward(
    x, scale=None, bias=None, *, epsilon: float = 1e-5, begin_norm_axis: int = 1
):
    """Normalize each sample over the axes from ``begin_norm_axis`` on."""
    axes, size = _split_at(x, begin_norm_axis)
    check_size("scale", scale, size)
    check_size("bias", bias, size)
    tail = x.shape[begin_norm_axis:]
    wide = widened(x)
    mean, variance = moments(wide, axes)
    out = (wide - mean) * lax.rsqrt(variance + epsilon)
    out = out if scale is None else out * widened(scale).reshape(tail)
    out = out if bias is None else out + widened(bias).reshape(tail)
    return out.astype(x.dtype), mean, variance


def layer_norm_vjp(x, scale, bias, mean, variance, dout, *, epsilon, begin_norm_axis):
    """Return the gradients of x, scale and bias."""
    axes, _ = _split_at(x, begin_norm_axis)
    rows = tuple(range(begin_norm_axis))
    inverse = lax.rsqrt(variance + epsilon)
    normal, dwide = (widened(x) - mean) * inverse, widened(dout)
    dnormal = dwide if scale is None else dwide * widened(scale).reshape(x.shape[begin_norm_axis:])
    dx = normal_grad(dnormal, normal, inverse, axes)
    dscale = None if scale is None else jnp.sum(dwide * normal, rows).reshape(-1)
    return dx, dscale, None if bias is None else jnp.sum(dwide, rows).reshape(-1)


def layer_norm_reference(x, scale=None, bias=None, epsilon=1e-5, begin_norm_axis=1):
    """Normalize with NumPy's mean and var."""
    flat = x.reshape(*x.shape[:begin_norm_axis], np.prod(x.shape[begin_norm_axis:]))
    out = flat - flat.mean(-1, keepdims=True)
    out = out / np.sqrt(flat.var(-1, keepdims=True) + epsilon)
    out = out * (1 if scale is None else scale) + (0 if bias is None else bias)
    return out.reshape(x.shape)


def layer_norm_samples():
    """Yield one and two normalized axes, with and without scale and bias, no samples."""
    x, scale, bias = values((2, 3, 4)), values((4,), 0.5, 1.5, seed=1), values((4,), seed=2)
    yield Sample(x, scale, bias, begin_norm_axis=2)
    yield Sample(x, None, None, begin_norm_axis=1)
    yield Sample(x, values((12,), 0.5, 1.5, seed=1), values((12,), seed=2), epsilon=0.1)
    yield Sample(x, scale, None, begin_norm_axis=2)
    yield Sample(values((0, 3)), values((3,)), values((3,)))


def layer_norm_errors():
    """Yield parameters of another size, and an axis out of range."""
    x, bad = values((2, 3)), InvalidArgumentError
    yield BadInput((x, values((2,))), {}, bad, "the shape of scale must equal to [3]")
    yield BadInput((x,), {"begin_norm_axis": 2}, bad, "begin_norm_axis must be in (0, 2)")


layer_norm = op(
    "layer_norm",
    real_only(layer_norm_forward),
    vjp=layer_norm_vjp,
    hidden="mean variance",
    hidden_vjp=DERIVED,
    saves="x scale mean variance",
    shapes="bias",
    public=None,
    reference=layer_norm_reference,
    samples=layer_norm_samples,
    errors=layer_norm_errors,
    formula="n = (x - mean) / std, std = sqrt(variance + epsilon); d = dout * scale; dx = (d - "
    "mean(d) - n * mean(d * n)) / std; dscale = dout * n, summed to scale; dbias = dout, summed "
    "to bias",
    doc="Normalize each sample over its last axes; recorded by F.layer_norm.",
    example="paddle.nn.functional.layer_norm(paddle.rand([2, 3]), 3)",
)


# ---- group_norm and instance_norm


def _grouped(x, groups: int, data_format: str):
    """Return x as float [N, groups, C / groups, H * W ...], channels first."""
    channel = channel_axis(x, data_format)
    front = jnp.moveaxis(x, channel, 1)
    if groups < 1 or front.shape[1] % groups:
        raise ValueError(
            "Expected number of channels in input to be divisible by num_groups, but got input "
            f"channel is {front.shape[1]} and num_groups is {groups}."
        )
    rest = math.prod(front.shape[2:])
    return widened(front).reshape(front.shape[0], groups, front.shape[1] // groups, rest)


def _ungrouped(grouped, x, data_format: str):
    """Invert ``_grouped``."""
    channel = channel_axis(x, data_format)
    shape = [n for axis, n in enumerate(x.shape) if axis != channel]
    front = grouped.reshape(shape[0], x.shape[channel], *shape[1:])
    return jnp.moveaxis(front, 1, channel)


def _per_channel(vector, groups: int):
    return widened(vector).reshape(1, groups, -1, 1)


def group_norm_forward(
    x, scale=None, bias=None, *, epsilon: float = 1e-5, groups: int = 1, data_format: str = "NCHW"
):
    """Normalize each sample over each group of channels."""
    grouped = _grouped(x, groups, data_format)
    channels = grouped.shape[1] * grouped.shape[2]
    check_size("scale", scale, channels)
    check_size("bias", bias, channels)
    mean, variance = moments(grouped, (2, 3))
    out = (grouped - mean) * lax.rsqrt(variance + epsilon)
    out = out if scale is None else out * _per_channel(scale, groups)
    out = out if bias is None else out + _per_channel(bias, groups)
    return _ungrouped(out, x, data_format).astype(x.dtype), mean, variance


def group_norm_vjp(x, scale, bias, mean, variance, dy, *, epsilon, groups, data_format):
    """Return the gradients of x, scale and bias."""
    dwide = _grouped(dy, groups, data_format)
    inverse = lax.rsqrt(variance + epsilon)
    normal = (_grouped(x, groups, data_format) - mean) * inverse
    dnormal = dwide if scale is None else dwide * _per_channel(scale, groups)
    dx = _ungrouped(normal_grad(dnormal, normal, inverse, (2, 3)), x, data_format)
    dscale = None if scale is None else jnp.sum(dwide * normal, (0, 3)).reshape(-1)
    return dx, dscale, None if bias is None else jnp.sum(dwide, (0, 3)).reshape(-1)


def group_norm_reference(x, scale=None, bias=None, epsilon=1e-5, groups=1, data_format="NCHW"):
    """Normalize with NumPy's mean and var."""
    front = x if data_format == "NCHW" else np.moveaxis(x, -1, 1)
    flat = front.reshape(front.shape[0], groups, np.prod(front.shape[1:]) // groups)
    out = flat - flat.mean(-1, keepdims=True)
    out = (out / np.sqrt(flat.var(-1, keepdims=True) + epsilon)).reshape(front.shape)
    shape = [1, -1] + [1] * (front.ndim - 2)
    out = out * (1 if scale is None else scale.reshape(shape))
    out = out + (0 if bias is None else bias.reshape(shape))
    return out if data_format == "NCHW" else np.moveaxis(out, 1, -1)


def group_norm_samples():
    """Yield groups of several channels, all channels, 2-D, both layouts."""
    x, scale, bias = values((2, 4, 3, 2)), values((4,), 0.5, 1.5, seed=1), values((4,), seed=2)
    yield Sample(x, scale, bias, groups=2)
    yield Sample(x, None, None, groups=1, epsilon=0.1)
    yield Sample(x.transpose(0, 2, 3, 1), scale, bias, groups=2, data_format="NHWC")
    yield Sample(values((3, 6)), None, None, groups=2)
    yield Sample(values((0, 4, 2)), scale, bias, groups=2)


def group_norm_errors():
    """Yield groups that do not divide the channels."""
    text = "divisible by num_groups, but got input channel is 5 and num_groups is 2"
    yield BadInput((values((2, 5)),), {"groups": 2}, InvalidArgumentError, text)


group_norm = op(
    "group_norm",
    real_only(group_norm_forward),
    vjp=group_norm_vjp,
    outputs="y",
    hidden="mean variance",
    hidden_vjp=DERIVED,
    saves="x scale bias y mean variance",
    public=None,
    reference=group_norm_reference,
    samples=group_norm_samples,
    errors=group_norm_errors,
    formula="n = (x - mean) / std, std = sqrt(variance + epsilon); d = dy * scale; dx = (d - "
    "mean(d) - n * mean(d * n)) / std; dscale = dy * n, summed to scale; dbias = dy, summed to "
    "bias: x in groups of channels",
    doc="Normalize each sample over each group of channels; recorded by F.group_norm.",
    example="paddle.nn.functional.group_norm(paddle.rand([2, 4, 3]), 2)",
)


def instance_norm_forward(x, scale=None, bias=None, *, epsilon: float = 1e-5):
    """Normalize each channel of each sample."""
    out, mean, variance = group_norm_forward(
        x, scale, bias, epsilon=epsilon, groups=x.shape[1] if x.ndim > 1 else 1
    )
    return out, mean, variance


def instance_norm_vjp(x, scale, bias, mean, variance, dy, *, epsilon):
    """Return the gradients of x, scale and bias."""
    return group_norm_vjp(
        x,
        scale,
        bias,
        mean,
        variance,
        dy,
        epsilon=epsilon,
        groups=x.shape[1],
        data_format="NCHW",
    )


def instance_norm_reference(x, scale=None, bias=None, epsilon=1e-5):
    """Use group norm with as many groups as channels."""
    return group_norm_reference(x, scale, bias, epsilon, groups=x.shape[1])


def instance_norm_samples():
    """Yield images and sequences, with and without scale and bias."""
    yield Sample(values((2, 3, 2, 3)), values((3,), 0.5, 1.5, seed=1), values((3,), seed=2))
    yield Sample(values((2, 3, 4)), None, None, epsilon=0.1)


instance_norm = op(
    "instance_norm",
    real_only(instance_norm_forward),
    vjp=instance_norm_vjp,
    outputs="y",
    hidden="mean variance",
    hidden_vjp=DERIVED,
    saves="x scale mean variance",
    shapes="bias",
    public=None,
    reference=instance_norm_reference,
    samples=instance_norm_samples,
    formula="n = (x - mean) / std, std = sqrt(variance + epsilon); d = dy * scale; dx = (d - "
    "mean(d) - n * mean(d * n)) / std; dscale = dy * n, summed to scale; dbias = dy, summed to "
    "bias: each channel of each sample",
    doc="Normalize each channel of each sample; recorded by F.instance_norm.",
    example="paddle.nn.functional.instance_norm(paddle.rand([2, 4, 3]))",
)


# ---- rms_norm


def rms_norm_forward(x, scale=None, *, normalized_shape: Shape, epsilon: float = 1e-5):
    """Divide x by the root of its mean square over the last axes; return also its inverse."""
    count = len(normalized_shape)
    if x.shape[x.ndim - count :] != normalized_shape or not count:
        raise ValueError(
            f"the last dimensions of the input must be {list(normalized_shape)}, but its shape is "
            f"{list(x.shape)}."
        )
    if scale is not None and scale.shape != normalized_shape:
        raise ValueError(
            f"the shape of weight must be {list(normalized_shape)}, but is {list(scale.shape)}."
        )
    wide = widened(x)
    axes = tuple(range(x.ndim - count, x.ndim))
    inverse = lax.rsqrt(mean_of(jnp.square(wide), axes, keepdims=True) + epsilon)
    out = wide * inverse if scale is None else wide * inverse * widened(scale)
    return out.astype(x.dtype), inverse.reshape(x.shape[: x.ndim - count])


def rms_norm_reference(x, scale=None, *, normalized_shape, epsilon=1e-5):
    """Normalize with NumPy."""
    axes = tuple(range(-len(normalized_shape), 0))
    inverse = 1 / np.sqrt(np.mean(x**2, axes, keepdims=True) + epsilon)
    return x * inverse * (1 if scale is None else scale), np.squeeze(inverse, axes)


def rms_norm_samples():
    """Yield one and two normalized axes, with and without scale."""
    yield Sample(values((2, 3, 4)), values((4,), 0.5, 1.5, seed=1), normalized_shape=(4,))
    yield Sample(values((2, 3, 4)), None, normalized_shape=(3, 4), epsilon=0.1)


def rms_norm_errors():
    """Yield a shape that is not the input's."""
    text = "the last dimensions of the input must be [4]"
    yield BadInput((values((2, 3)),), {"normalized_shape": 4}, InvalidArgumentError, text)


rms_norm = op(
    "rms_norm",
    real_only(rms_norm_forward),
    vjp=DERIVED,
    outputs="out invvar",
    saves="x scale",
    public=None,
    reference=rms_norm_reference,
    samples=rms_norm_samples,
    errors=rms_norm_errors,
    # invvar is float32 for 16-bit input, as in Paddle: see tests/ops/nn/test_normalization.py.
    dtypes="float32 float64",
    formula="r = invvar; d = dout * scale; dx = d * r - x * r^3 * (sum(d * x) + dinvvar) * "
    "size(r) / size(x); dscale = dout * x * r, summed to scale",
    doc="Divide by the root of the mean square over the last axes; recorded by F.rms_norm.",
    example="paddle.nn.functional.rms_norm(paddle.rand([2, 3]), [3])",
)
