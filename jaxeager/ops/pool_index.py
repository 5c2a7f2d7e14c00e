"""The max_pool2d_with_index row: the largest element of each window and where it is."""

import numpy as np

from jaxeager.ops.attrs import Ints
from jaxeager.ops.conv_kernels import pair
from jaxeager.ops.pooling import (
    channels_first,
    max_with_index,
    pool2d_reference,
    pool_of,
    scatter_to,
)
from jaxeager.ops.row import op
from jaxeager.ops.samples import Sample, values


def max_pool2d_with_index_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    adaptive: bool = False,
    ceil_mode: bool = False,
):
    """Gives the largest element of each window and its position in the flat image, int32."""
    x = channels_first(x, "NCHW")
    if adaptive:
        return max_with_index(x, None, pair(kernel_size))
    pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, "NCHW")
    return max_with_index(x, pool, pool.out)


def max_pool2d_with_index_vjp(x, mask, dout):
    """Adds each gradient to the element the mask names."""
    return scatter_to(mask, dout, x.shape)


def max_pool2d_with_index_reference(
    x, kernel_size, strides=1, paddings=0, adaptive=False, ceil_mode=False
):
    """Goes from window to window."""
    out = pool2d_reference(x, kernel_size, strides, paddings, ceil_mode, adaptive=adaptive)
    flat = x.reshape(*x.shape[:2], -1)
    # The samples hold no value twice, so a value's place is its window's choice.
    mask = np.argmax(flat[:, :, None, :] == out.reshape(*x.shape[:2], -1)[..., None], axis=-1)
    return out, mask.reshape(out.shape).astype(np.int32)


def max_pool2d_with_index_samples():
    """Yields touching and overlapping windows, pads, ceil, adaptive."""
    image = values((2, 2, 6, 5))
    yield Sample(image, kernel_size=2, strides=2)
    yield Sample(image, kernel_size=3, strides=(2, 1), paddings=1, ceil_mode=True)
    yield Sample(image, kernel_size=(4, 2), adaptive=True)


max_pool2d_with_index = op(
    "max_pool2d_with_index",
    max_pool2d_with_index_forward,
    vjp=max_pool2d_with_index_vjp,
    outputs="out mask",
    saves="x mask",
    public=None,
    reference=max_pool2d_with_index_reference,
    samples=max_pool2d_with_index_samples,
    # Values that bfloat16 cannot tell apart have another first largest element.
    dtypes="float32 float64",
    formula="dx = dout at mask",
    doc="Takes the largest element of each window and its position in the flat image.",
    example="paddle.nn.functional.max_pool2d(paddle.ones([1, 1, 4, 4]), 2, return_mask=True)",
)
