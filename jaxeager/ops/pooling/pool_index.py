"""Rows max_pool2d_with_index, max_pool3d_with_index: each window's maximum and its position."""

import jax.numpy as jnp
import numpy as np

from jaxeager.ops.conv.geometry import per_axis
from jaxeager.ops.pooling.max_windows import max_with_index
from jaxeager.ops.pooling.pool_kernels import (
    floating_image,
    pool_of,
    scatter_to,
    without_elements,
)
from jaxeager.ops.pooling.pooling import pool_reference
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.samples import Sample, values


def _max_with_index(x, kernel_size, strides, paddings, adaptive: bool, ceil_mode: bool, dims: int):
    layout = "NCHW" if dims == 2 else "NCDHW"
    x = floating_image(x, layout)
    if adaptive:
        pool, out = None, per_axis(kernel_size, dims)
    else:
        pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, layout, dims)
        out = pool.out
    nothing = without_elements(x, out, adaptive)
    if nothing is not None:
        return nothing, jnp.zeros(nothing.shape, np.int32)
    return max_with_index(x, pool, out)


def max_pool2d_with_index_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    adaptive: bool = False,
    ceil_mode: bool = False,
):
    """Return the largest element of each window and its position in the flat image, int32."""
    return _max_with_index(x, kernel_size, strides, paddings, adaptive, ceil_mode, 2)


def max_pool3d_with_index_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    adaptive: bool = False,
    ceil_mode: bool = False,
):
    """Return the largest element of each window and its position in the flat volume, int32."""
    return _max_with_index(x, kernel_size, strides, paddings, adaptive, ceil_mode, 3)


def max_pool_with_index_vjp(x, mask, dout):
    """Add each gradient to the element that the mask names."""
    if without_elements(x, mask.shape[2:], True) is not None:
        return jnp.zeros(x.shape, x.dtype)
    return scatter_to(mask, dout, x.shape)


def max_pool_with_index_reference(
    x, kernel_size, strides=1, paddings=0, adaptive=False, ceil_mode=False
):
    """Loop over the windows."""
    out = pool_reference(x, kernel_size, strides, paddings, ceil_mode, adaptive=adaptive)
    return out, place_of(x, out)


def place_of(x, out) -> np.ndarray:
    """Return the position in the flat image of each value of ``out``; values must be unique."""
    flat = x.reshape(*x.shape[:2], -1)
    mask = np.argmax(flat[:, :, None, :] == out.reshape(*x.shape[:2], -1)[..., None], axis=-1)
    return mask.reshape(out.shape).astype(np.int32)


def max_pool2d_with_index_samples():
    """Yield adjacent and overlapping windows, pad, ceil, adaptive."""
    image = values((2, 2, 6, 5))
    yield Sample(image, kernel_size=2, strides=2)
    yield Sample(image, kernel_size=3, strides=(2, 1), paddings=1, ceil_mode=True)
    yield Sample(image, kernel_size=(4, 2), adaptive=True)
    yield Sample(image, kernel_size=(0, 2), adaptive=True)
    yield Sample(image, kernel_size=(7, 2))


INDEXED = {
    "vjp": max_pool_with_index_vjp,
    "outputs": "out mask",
    "saves": "x mask",
    "public": None,
    # With values that are equal in bfloat16, another element is the first largest one.
    "dtypes": "float32 float64",
    "formula": "dx[mask] += dout",
    "boundary": "the first of equal elements of a window gets the gradient, as in Paddle.",
}

max_pool2d_with_index = op(
    "max_pool2d_with_index",
    max_pool2d_with_index_forward,
    reference=max_pool_with_index_reference,
    samples=max_pool2d_with_index_samples,
    doc="Take the largest element of each window and its position in the flat image.",
    example="paddle.nn.functional.max_pool2d(paddle.ones([1, 1, 4, 4]), 2, return_mask=True)",
    **INDEXED,
)


def max_pool3d_with_index_samples():
    """Yield adjacent and overlapping windows, pad, ceil, adaptive."""
    volume = values((1, 2, 4, 5, 3))
    yield Sample(volume, kernel_size=2, strides=2, ceil_mode=True)
    yield Sample(volume, kernel_size=(3, 2, 2), strides=(2, 1, 1), paddings=(1, 1, 0))
    yield Sample(volume, kernel_size=(3, 2, 2), adaptive=True)


max_pool3d_with_index = op(
    "max_pool3d_with_index",
    max_pool3d_with_index_forward,
    reference=max_pool_with_index_reference,
    samples=max_pool3d_with_index_samples,
    doc="Take the largest element of each window and its position in the flat volume.",
    example="paddle.nn.functional.max_pool3d(paddle.ones([1, 1, 4, 4, 4]), 2, return_mask=True)",
    **INDEXED,
)
