"""Piecewise linear activation functions, learned slopes, and gates."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.random import as_key
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.nn.activation import activation, with_attributes
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, unary, values

# ---- one corner


@real_only
def relu_forward(x):
    """Clip to at least 0."""
    return jnp.maximum(x, 0)


def relu_vjp(out, dout):
    """Pass the gradient where the output is positive."""
    return jnp.where(out > 0, dout, 0)


def relu_reference(x):
    """Compute the plain formula."""
    return np.maximum(x, 0)


relu = activation(
    "relu",
    relu_forward,
    relu_vjp,
    "out",
    relu_reference,
    "dx = dout where out > 0, else 0",
    "Compute max(x, 0).",
    inplace=True,
    boundary="0 at 0, as in Paddle; the relu of nan is nan (Paddle: 0).",
)


@real_only
def relu6_forward(x):
    """Clip to [0, 6]."""
    return jnp.clip(x, 0, 6)


def relu6_vjp(out, dout):
    """Pass the gradient strictly between 0 and 6."""
    return jnp.where((out > 0) & (out < 6), dout, 0)


def relu6_reference(x):
    """Compute the plain formula."""
    return np.clip(x, 0, 6)


relu6 = activation(
    "relu6",
    relu6_forward,
    relu6_vjp,
    "out",
    relu6_reference,
    "dx = dout where 0 < out < 6, else 0",
    "Compute min(max(x, 0), 6).",
    samples=unary(-3.0, 9.0),
    boundary="0 at 0 and 6, as in Paddle.",
)


@real_only
def leaky_relu_forward(x, *, negative_slope: float = 0.01):
    """Scale the elements below 0."""
    return jnp.where(x >= 0, x, negative_slope * x)


def leaky_relu_vjp(x, dout, *, negative_slope):
    """Scale the gradient where x is below 0."""
    return jnp.where(x >= 0, dout, negative_slope * dout)


def leaky_relu_reference(x, negative_slope=0.01):
    """Compute the plain formula."""
    return np.where(x >= 0, x, negative_slope * x)


leaky_relu = activation(
    "leaky_relu",
    leaky_relu_forward,
    leaky_relu_vjp,
    "x",
    leaky_relu_reference,
    "dx = dout where x >= 0, else negative_slope * dout",
    "Compute x, or negative_slope * x where x is negative.",
    samples=with_attributes(negative_slope=0.2),
    inplace=True,
    boundary="1 at 0, as in Paddle.",
)


@real_only
def thresholded_relu_forward(x, *, threshold: float = 1.0, value: float = 0.0):
    """Keep the elements above the threshold."""
    return jnp.where(x <= threshold, value, x)


def thresholded_relu_vjp(x, dout, *, threshold):
    """Pass the gradient above the threshold."""
    return jnp.where(x > threshold, dout, 0)


def thresholded_relu_reference(x, threshold=1.0, value=0.0):
    """Compute the plain formula."""
    return np.where(x <= threshold, value, x)


thresholded_relu = activation(
    "thresholded_relu",
    thresholded_relu_forward,
    thresholded_relu_vjp,
    "x",
    thresholded_relu_reference,
    "dx = dout where x > threshold, else 0",
    "Compute x where it is above the threshold, else value.",
    samples=with_attributes(threshold=-0.6, value=-3.0),
    inplace=True,
    boundary="0 at the threshold, as in Paddle.",
)

# ---- two corners


@real_only
def hardtanh_forward(x, *, min: float = -1.0, max: float = 1.0):
    """Clip at both ends."""
    return jnp.clip(x, min, max)


def hardtanh_vjp(x, dout, *, min, max):
    """Pass the gradient strictly between the ends."""
    return jnp.where((x > min) & (x < max), dout, 0)


def hardtanh_reference(x, min=-1.0, max=1.0):
    """Compute the plain formula."""
    return np.clip(x, min, max)


hardtanh = activation(
    "hardtanh",
    hardtanh_forward,
    hardtanh_vjp,
    "x",
    hardtanh_reference,
    "dx = dout where min < x < max, else 0",
    "Limit x to [min, max].",
    samples=with_attributes(min=-0.4, max=1.6),
    inplace=True,
    boundary="0 at both ends, as in Paddle (JAX: 1).",
)


@real_only
def hardsigmoid_forward(x, *, slope: float = 0.1666667, offset: float = 0.5):
    """Clip a linear function to [0, 1]."""
    return jnp.clip(slope * x + offset, 0, 1)


def hardsigmoid_vjp(out, dout, *, slope):
    """Multiply dout by the slope strictly between 0 and 1, and by 0 elsewhere."""
    return jnp.where((out > 0) & (out < 1), dout * slope, 0)


def hardsigmoid_reference(x, slope=0.1666667, offset=0.5):
    """Compute the plain formula."""
    return np.clip(slope * x + offset, 0, 1)


hardsigmoid = activation(
    "hardsigmoid",
    hardsigmoid_forward,
    hardsigmoid_vjp,
    "out",
    hardsigmoid_reference,
    "dx = dout * slope where 0 < out < 1, else 0",
    "Compute slope * x + offset, limited to [0, 1].",
    samples=with_attributes(-4.0, 4.0, slope=0.2, offset=0.4),
    boundary="0 at both ends, as in Paddle.",
)


@real_only
def hardswish_forward(x):
    """Multiply x by a linear step from -3 to 3; x itself from 3 on, without a rounding."""
    return jnp.where(x < 3, x * jnp.clip(x + 3, 0, 6) / 6, x)


def hardswish_vjp(x, dout):
    """Multiply dout by 0 up to -3, by 1 from 3 on, and by (2 x + 3) / 6 between."""
    between = jnp.where(x < 3, dout * (2 * x + 3) / 6, dout)
    return jnp.where(x > -3, between, 0)


def hardswish_reference(x):
    """Compute the plain formula."""
    return x * np.clip(x + 3, 0, 6) / 6


hardswish = activation(
    "hardswish",
    hardswish_forward,
    hardswish_vjp,
    "x",
    hardswish_reference,
    "dx = dout * (2 * x + 3) / 6 where -3 < x < 3, dout where x >= 3, else 0",
    "Compute x * min(max(x + 3, 0), 6) / 6.",
    samples=unary(-5.0, 5.0),
    boundary="0 at -3, 1 at 3, as in Paddle; 1 at inf (Paddle: nan).",
)


@real_only
def hardshrink_forward(x, *, threshold: float = 0.5):
    """Set small values to 0."""
    return jnp.where((x < threshold) & (x > -threshold), 0, x)


def hardshrink_vjp(x, dout, *, threshold):
    """Pass the gradient where x was kept."""
    return jnp.where((x >= threshold) | (x <= -threshold), dout, 0)


def hardshrink_reference(x, threshold=0.5):
    """Compute the plain formula."""
    return np.where(np.abs(x) < threshold, 0, x)


hardshrink = activation(
    "hardshrink",
    hardshrink_forward,
    hardshrink_vjp,
    "x",
    hardshrink_reference,
    "dx = dout where |x| >= threshold, else 0",
    "Compute x, or 0 where |x| is below the threshold.",
    samples=with_attributes(threshold=1.3),
    boundary="1 at the threshold, as in Paddle.",
)


@real_only
def softshrink_forward(x, *, threshold: float = 0.5):
    """Move values towards 0 by the threshold, small ones to 0."""
    if threshold < 0:
        raise ValueError(f"The threshold must be no less than zero. Received: {threshold}.")
    return jnp.where(jnp.abs(x) <= threshold, 0, x - jnp.copysign(threshold, x))


def softshrink_vjp(x, dout, *, threshold):
    """Pass the gradient where x was not set to 0."""
    return jnp.where((x > threshold) | (x < -threshold), dout, 0)


def softshrink_reference(x, threshold=0.5):
    """Compute the plain formula."""
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0)


softshrink = activation(
    "softshrink",
    softshrink_forward,
    softshrink_vjp,
    "x",
    softshrink_reference,
    "dx = dout where |x| > threshold, else 0",
    "Move x towards 0 by the threshold, and to 0 where it is closer than that.",
    samples=with_attributes(threshold=0.9),
    errors=lambda: (
        BadInput((np.ones(2), -1.0), {}, InvalidArgumentError, "must be no less than zero"),
    ),
    boundary="0 at the threshold, as in Paddle.",
)

# ---- learned and random slopes


def _slopes(x, weight, data_format: str):
    """Return the weights in a shape that broadcasts with x: one, or one per channel."""
    if weight.size == 1:
        return weight.reshape((1,) * x.ndim)
    axis = 1 if data_format.startswith("NC") else x.ndim - 1
    if x.ndim < 2 or x.shape[axis] != weight.size:
        raise RefusedArgumentError(
            "prelu: the weight must hold one element, or as many as x has channels, but the "
            f"weight has {weight.size} and x the shape {list(x.shape)} in {data_format}."
        )
    return weight.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


@real_only
def prelu_forward(x, weight, *, data_format: str = "NCHW"):
    """Scale the elements that are not positive by the weight of their channel."""
    return jnp.where(x > 0, x, _slopes(x, weight, data_format) * x)


def prelu_vjp(x, weight, dout, *, data_format):
    """Scale the gradient; for each weight, return the sum over its channel."""
    slopes = _slopes(x, weight, data_format)
    dx = jnp.where(x > 0, dout, slopes * dout)
    stretched = [i for i, n in enumerate(slopes.shape) if n == 1]
    dweight = jnp.where(x > 0, 0, x * dout).sum(axis=stretched, keepdims=True)
    return dx, dweight.reshape(weight.shape)


def prelu_reference(x, weight, data_format="NCHW"):
    """Compute the plain formula."""
    return np.where(x > 0, x, np.asarray(_slopes(x, weight, data_format)) * x)


def prelu_samples():
    """Yield one weight, one per channel in both layouts, 0-D and zero-size."""
    yield Sample(values((2, 3, 4)), np.array([0.25]))
    yield Sample(values((2, 3, 4)), np.array([0.25, -0.1, 0.6]))
    yield Sample(values((2, 4, 3)), np.array([0.25, -0.1, 0.6]), data_format="NLC")
    yield Sample(np.array(-1.5), np.array([0.25]))
    yield Sample(values((0, 3)), np.array([0.25, -0.1, 0.6]))


prelu = op(
    "prelu",
    in_float32(prelu_forward),
    vjp=in_float32(prelu_vjp),
    saves="x weight",
    public="functional",
    reference=prelu_reference,
    samples=prelu_samples,
    errors=lambda: (
        BadInput((np.ones((1, 2)), np.ones(3)), {}, InvalidArgumentError, "as x has channels"),
    ),
    formula="dx = dout where x > 0, else weight * dout; dweight = 0 where x > 0, else x * dout",
    boundary="the weight's slope at 0, as in Paddle.",
    doc="Compute x, or weight * x where x is not positive; one weight, or one per channel.",
    example="paddle.nn.functional.prelu(paddle.to_tensor([-1.0, 2.0]), paddle.to_tensor([0.25]))",
)


@real_only
def rrelu_forward(
    x, key, *, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, training: bool = True
):
    """Scale negative elements: by a random slope in training, else by the mean slope."""
    slope = (lower + upper) / 2
    if training:
        slope = jax.random.uniform(as_key(key), x.shape, jnp.float32, lower, upper).astype(x.dtype)
    noise = jnp.where(x >= 0, jnp.ones_like(x), slope)
    return x * noise, noise


def rrelu_vjp(noise, dout):
    """Scale the gradient by the slopes that were drawn."""
    return noise * dout


def rrelu_samples():
    """Yield training, evaluation, 0-D and zero-size."""
    for shape in ((2, 3), (), (0, 3)):
        yield Sample(values(shape), jax.random.key(3))
    yield Sample(values((2, 3)), jax.random.key(3), lower=0.2, upper=0.4, training=False)


rrelu = op(
    "rrelu",
    in_float32(rrelu_forward),
    vjp=in_float32(rrelu_vjp),
    saves="x noise",
    hidden="noise",
    nondiff="key",
    public=None,
    samples=rrelu_samples,
    formula="dx = dout * noise: the slopes that were drawn",
    boundary="1 at 0, as in Paddle.",
    doc="Compute x, or x times a random slope where x is negative.",
    example="paddle.nn.functional.rrelu(paddle.to_tensor([-1.0, 2.0]), training=False)",
)

# ---- gates


@real_only
def maxout_forward(x, *, groups: int, axis: int = 1):
    """Pick the largest of each group of channels."""
    if axis not in (1, -1, 3):
        raise ValueError(f"the axis of the channels must be 1, -1 or 3, but received {axis}.")
    axis = normal_axis(axis, x.ndim)
    channels = x.shape[axis] if x.ndim else 0
    if groups < 2 or channels % groups:
        raise ValueError(
            f"the {channels} channels on axis {axis} must divide into groups of {groups}, "
            "which must be 2 or more."
        )
    shape = (*x.shape[:axis], channels // groups, groups, *x.shape[axis + 1 :])
    return x.reshape(shape).max(axis=axis + 1)


def maxout_vjp(x, out, dout, *, groups, axis):
    """Pass the gradient to the first of the largest elements of each group."""
    axis = normal_axis(axis, x.ndim)
    shape = (*out.shape[: axis + 1], groups, *out.shape[axis + 1 :])
    is_largest = x.reshape(shape) == jnp.expand_dims(out, axis + 1)
    is_first = is_largest & (jnp.cumsum(is_largest, axis + 1) == 1)
    return jnp.where(is_first, jnp.expand_dims(dout, axis + 1), 0).reshape(x.shape)


def maxout_reference(x, groups, axis=1):
    """Compute the plain formula."""
    axis = axis % x.ndim
    shape = (*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :])
    return x.reshape(shape).max(axis=axis + 1)


def maxout_samples():
    """Yield channels first and last, and zero-size."""
    yield Sample(values((2, 4, 3, 2)), groups=2)
    yield Sample(values((2, 3, 2, 6)), groups=3, axis=-1)
    yield Sample(values((0, 4, 3, 2)), groups=2)


maxout = op(
    "maxout",
    maxout_forward,
    vjp=maxout_vjp,
    saves="x out",
    public="functional",
    reference=maxout_reference,
    samples=maxout_samples,
    errors=lambda: (
        BadInput((np.ones((1, 4, 2, 2)), 3), {}, InvalidArgumentError, "into groups of 3"),
    ),
    formula="dout goes to the first of the largest of each group",
    boundary="the first of equal channels gets the gradient, as in Paddle.",
    doc="Pick the largest of each group of channels.",
    example="paddle.nn.functional.maxout(paddle.to_tensor([[1.0, 4.0, 3.0, 2.0]]), groups=2)",
)


def swiglu_forward(x, y=None):
    """Multiply y by silu of x; without y, split x in two."""
    if y is None:
        if not x.ndim or x.shape[-1] % 2:
            raise ValueError(
                f"the last dimension must be even to be split, but the shape is {list(x.shape)}."
            )
        x, y = jnp.split(x, 2, axis=-1)
    if x.shape != y.shape:
        raise ValueError(f"x and y must have one shape, but have {x.shape} and {y.shape}.")
    return x * jax.lax.logistic(x) * y


def swiglu_reference(x, y=None):
    """Compute the plain formula."""
    x, y = np.split(x, 2, axis=-1) if y is None else (x, y)
    return x / (1 + np.exp(-x)) * y


def swiglu_samples():
    """Yield two tensors, one that is split, and zero-size."""
    yield Sample(values((2, 3)), values((2, 3), seed=1))
    yield Sample(values((2, 6)))
    yield Sample(values((0, 3)), values((0, 3)))


swiglu = op(
    "swiglu",
    in_float32(swiglu_forward),
    saves="x y",
    public="functional",
    reference=swiglu_reference,
    samples=swiglu_samples,
    errors=lambda: (
        BadInput((np.ones((1, 3)),), {}, InvalidArgumentError, "must be even to be split"),
    ),
    formula="s = sigmoid(x); dx = dout * conj(y * s * (1 + x * (1 - s))); dy = dout * conj(x * s)",
    doc="Compute silu(x) * y; without y, x is split in two along its last dimension.",
    example="paddle.nn.functional.swiglu(paddle.ones([2]), paddle.ones([2]))",
    dtypes=WITH_COMPLEX,
)
