"""Convolutions on a CPU whose windows do not overlap: each stride is the size of the filter.

Such windows cover an image once, so its columns are a transpose of the image, and a convolution is
one matrix product, however large the filter is. The first layer of a vision transformer (16x16) and
the upsampling of a U-Net (2x2, transposed) are of this kind. For 8 images of 224x224 in patches of
16x16 XLA takes 203 ms, and 2.9 s to compile, for the gradient of the image; this takes 7 and 0.1.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.ops.conv.geometry import Geometry
from jaxeager.ops.conv.products import filter_columns


def is_of_patches(x, filter, g: Geometry) -> bool:
    """Return whether a CPU uses the functions of this file."""
    kernel = filter.shape[2:]
    is_apart = g.strides == kernel and set(g.dilations) == {1} and set(g.pads) == {(0, 0)}
    is_common = g.groups == 1 and x.dtype in (jnp.float32, jnp.float64) and x.size > 0
    return is_apart and is_common and np.prod(kernel) > 1


def patch_columns(x, kernel: tuple[int, ...], g: Geometry):
    """Return the columns of images that the windows cover once (products.py)."""
    out = g.out_size(x.shape[2:], kernel)
    covered = tuple(slice(0, count * size) for count, size in zip(out, kernel, strict=True))
    split = [n for pair in zip(out, kernel, strict=True) for n in pair]
    patches = x[:, :, *covered].reshape(*x.shape[:2], *split)
    places, positions = range(2, patches.ndim, 2), range(3, patches.ndim, 2)
    return patches.transpose(1, *positions, 0, *places).reshape(
        x.shape[1] * int(np.prod(kernel)), -1
    )


def patches_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the images: a matrix product, put back in place."""
    batch, channels, *size = x.shape
    kernel, out = g.strides, dout.shape[2:]
    patches = filter_columns(filter, dout).reshape(channels, *kernel, batch, *out)
    dims = len(kernel)
    inside = [axis for k in range(dims) for axis in (2 + dims + k, 1 + k)]
    image = patches.transpose(1 + dims, 0, *inside).reshape(
        batch, channels, *[n * k for n, k in zip(out, kernel, strict=True)]
    )
    rest = [(0, n - covered, 0) for n, covered in zip(size, image.shape[2:], strict=True)]
    return lax.pad(image, jnp.zeros((), image.dtype), [(0, 0, 0), (0, 0, 0), *rest])
