"""The lp_pool2d row: the p-norm of each window, without the absolute values."""

import math

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import channels_back
from jaxeager.ops.pooling.pool_kernels import (
    Pool,
    floating_image,
    max_over,
    max_vjp,
    pool_of,
    sum_over,
    sum_vjp,
    without_elements,
)
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.precision import widened
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _exponent(norm_type: float):
    """Return an integral exponent as an int: negative numbers have integer powers only."""
    if norm_type == 0 or math.isnan(norm_type):
        raise ValueError(f"norm_type of LPPool op cannot be {norm_type:g}.")
    return int(norm_type) if norm_type.is_integer() else norm_type


def _norm(x, pool: Pool, norm_type: float):
    if math.isinf(norm_type):
        return max_over(x, pool) if norm_type > 0 else -max_over(-x, pool)
    total = sum_over(jnp.power(widened(x), _exponent(norm_type)), pool)
    return jnp.power(total, 1 / norm_type).astype(x.dtype)


def lp_pool2d_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    norm_type: float = 2.0,
):
    """Return (sum of x^p over each window)^(1/p); for infinite p the maximum or minimum."""
    image = floating_image(x, data_format)
    pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format)
    _exponent(norm_type if math.isfinite(norm_type) else 1.0)
    if (nothing := without_elements(image, pool.out, False)) is not None:
        return channels_back(nothing, data_format)
    return channels_back(_norm(image, pool, norm_type), data_format)


def lp_pool2d_vjp(
    x, out, dout, *, kernel_size, strides, paddings, ceil_mode, data_format, norm_type
):
    """Return the gradient of the images."""
    pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format)
    image, out, dout = (floating_image(each, data_format) for each in (x, out, dout))
    if without_elements(image, pool.out, False) is not None:
        return jnp.zeros(x.shape, x.dtype)
    if math.isinf(norm_type):
        sign = 1 if norm_type > 0 else -1
        return channels_back(max_vjp(sign * image, sign * out, dout, pool), data_format)
    exponent, out = _exponent(norm_type), widened(out)
    if exponent == 1:
        return channels_back(sum_vjp(widened(dout), image.shape, pool), data_format)
    at_zero = (out == 0) & (exponent > 1)
    power = jnp.power(jnp.where(at_zero, 1, out), 1 - exponent)
    share = jnp.where(at_zero, 0, widened(dout) * power)
    total = sum_vjp(share, image.shape, pool)
    # A negative element that no window reads has no fractional power, and no gradient either.
    is_read = total != 0
    dx = (
        jnp.where(is_read, jnp.power(jnp.where(is_read, widened(image), 1), exponent - 1), 0)
        * total
    )
    return channels_back(dx, data_format)


def lp_pool2d_reference(
    x,
    kernel_size,
    strides=1,
    paddings=0,
    ceil_mode=False,
    data_format="NCHW",
    norm_type=2.0,
):
    """Loop over the windows."""
    image = x if data_format == "NCHW" else np.moveaxis(x, 3, 1)
    pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format)
    out = np.zeros((*image.shape[:2], *pool.out), x.dtype)
    for at in np.ndindex(*pool.out):
        ranges = zip(at, pool.kernel, pool.strides, pool.pads, strict=True)
        inside = [slice(max(i * s - p[0], 0), i * s - p[0] + k) for i, k, s, p in ranges]
        window = image[:, :, *inside]
        if math.isinf(norm_type):
            out[:, :, *at] = (np.max if norm_type > 0 else np.min)(window, (2, 3))
        else:
            out[:, :, *at] = np.sum(window**norm_type, (2, 3)) ** (1 / norm_type)
    return out if data_format == "NCHW" else np.moveaxis(out, 1, 3)


def lp_pool2d_samples():
    """Yield integer, fractional and infinite exponents, overlapping windows, pad, ceil, NHWC."""
    image = values((2, 2, 5, 4))
    yield Sample(image, kernel_size=2, strides=2)
    yield Sample(image, kernel_size=3, strides=2, paddings=1, ceil_mode=True, norm_type=4.0)
    yield Sample(values((1, 2, 5, 5), 0.5, 2.0), kernel_size=(5, 4), norm_type=2.5)
    yield Sample(image, kernel_size=(2, 1), norm_type=1.0)
    yield Sample(image, kernel_size=2, norm_type=math.inf)
    yield Sample(image, kernel_size=2, norm_type=-math.inf)
    yield Sample(image, kernel_size=(6, 2))
    yield Sample(image.transpose(0, 2, 3, 1), kernel_size=2, data_format="NHWC")


def lp_pool2d_errors():
    """Yield an exponent of 0 and a window that does not fit."""
    image, bad = values((1, 1, 3, 3)), InvalidArgumentError
    yield BadInput((image,), {"kernel_size": 2, "norm_type": 0}, bad, "cannot be 0")
    yield BadInput((image,), {"kernel_size": 7, "strides": 2}, bad, "does not fit into an image")


lp_pool2d = op(
    "lp_pool2d",
    lp_pool2d_forward,
    vjp=lp_pool2d_vjp,
    saves="x out",
    public=None,
    reference=lp_pool2d_reference,
    samples=lp_pool2d_samples,
    errors=lp_pool2d_errors,
    formula="dx = x^(p - 1) * sum over x's windows of dout * out^(1 - p)",
    boundary="0 where a window's sum is 0 and p > 1, the middle of a norm's slopes; Paddle's is "
    "nan there. For infinite p the first of equal elements gets it.",
    doc="Take the p-norm of each window, without absolute values; recorded by F.lp_pool2d.",
    example="paddle.nn.functional.lp_pool2d(paddle.ones([1, 1, 4, 4]), 2, 2)",
)
