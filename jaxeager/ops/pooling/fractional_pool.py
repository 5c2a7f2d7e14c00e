"""Rows fractional_max_pool2d and fractional_max_pool3d: windows placed by a random number.

Graham, Fractional Max-Pooling, arXiv:1412.6071. The number is an operand, so that a new draw
neither compiles nor waits for the device.
"""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import per_axis
from jaxeager.ops.pooling.max_windows import max_of_windows
from jaxeager.ops.pooling.pool_index import INDEXED, place_of
from jaxeager.ops.pooling.pool_kernels import floating_image
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.samples import BadInput, Sample, values

ONE = np.float32(1)


def window_ends(xp, size: int, out: int, kernel: int, u):
    """Return starts and ends of ``out`` windows over ``size`` elements, in float32 as in Paddle.

    Args:
        xp: jax.numpy or numpy.
        size: the number of elements.
        out: the number of windows.
        kernel: the length of each window; 0 for adjacent windows.
        u: float32 in (0, 1), which places the windows.
    """
    alpha = np.float32(size - kernel) / np.float32(max(out - (kernel > 0), 1))
    if kernel == 0:
        base = size // out
        most = min((base + 2) / alpha - ONE, (size + 1 - base) / alpha - np.float32(out - 1))
        u = u * np.float32(most)
    first = (alpha * u).astype(np.int32)
    count = np.arange(out, dtype=np.float32)
    if kernel and out == 1:
        starts = xp.zeros(1, np.int32)
    else:
        starts = ((count + u) * alpha).astype(np.int32) - first
    if kernel:
        return starts, starts + kernel
    return starts, ((count + ONE + u) * alpha).astype(np.int32) - first


def _positions(size: int, out: int, kernel: int, u):
    """Return the positions in each window, [out, longest]; a short one repeats its last element."""
    if out > size or (kernel and size < out - 1 + kernel):
        raise ValueError(
            f"{out} windows{f' of {kernel}' if kernel else ''} do not fit into {size} elements."
        )
    starts, ends = window_ends(jnp, size, out, kernel, u)
    longest = kernel or min(-(-size // out) + 1, size)
    seen = jnp.minimum(starts[:, None] + np.arange(longest, dtype=np.int32), ends[:, None] - 1)
    return jnp.minimum(seen, size - 1)


def _fractional(x, u, output_size, kernel_size, dims: int):
    if x.ndim != dims + 2:
        raise ValueError(f"the input must have {dims + 2} dimensions, but has {x.ndim}.")
    x = floating_image(x, "NCHW")
    wanted, kernel = per_axis(output_size, dims), per_axis(kernel_size, dims)
    u = u.astype(jnp.float32)
    sizes = zip(x.shape[2:], wanted, kernel, strict=True)
    return max_of_windows(x, [_positions(n, o, k, u) for n, o, k in sizes], all_inside=True)


def fractional_max_pool2d_forward(x, u, *, output_size: Ints, kernel_size: Ints = 0):
    """Return the largest element of each window and its position in the flat image, int32."""
    return _fractional(x, u, output_size, kernel_size, 2)


def fractional_max_pool3d_forward(x, u, *, output_size: Ints, kernel_size: Ints = 0):
    """Return the largest element of each window and its position in the flat volume, int32."""
    return _fractional(x, u, output_size, kernel_size, 3)


def fractional_reference(x, u, output_size, kernel_size=0):
    """Loop over the windows."""
    dims = x.ndim - 2
    wanted, kernel = per_axis(output_size, dims), per_axis(kernel_size, dims)
    u = np.float32(u)
    ends = [
        np.transpose(window_ends(np, n, o, k, u))
        for n, o, k in zip(x.shape[2:], wanted, kernel, strict=True)
    ]
    out = np.zeros((*x.shape[:2], *wanted), x.dtype)
    for at in np.ndindex(*wanted):
        window = tuple(slice(*ends[axis][i]) for axis, i in enumerate(at))
        out[:, :, *at] = x[:, :, *window].max(tuple(range(2, dims + 2)))
    return out, place_of(x, out)


def fractional_max_pool2d_samples():
    """Yield adjacent and overlapping windows, one output, the input's size."""
    image = values((2, 2, 7, 5))
    yield Sample(image, np.float64(0.3), output_size=(3, 2))
    yield Sample(image, np.float64(0.8), output_size=(3, 2), kernel_size=(2, 3))
    yield Sample(image, np.float64(0.5), output_size=(1, 5), kernel_size=0)


def fractional_max_pool2d_errors():
    """Yield windows that do not fit."""
    image, u, bad = values((1, 1, 3, 3)), np.float32(0.5), InvalidArgumentError
    yield BadInput((image, u), {"output_size": 4}, bad, "4 windows do not fit into 3 elements")
    attrs = {"output_size": 3, "kernel_size": 2}
    yield BadInput((image, u), attrs, bad, "3 windows of 2 do not fit into 3 elements")
    yield BadInput((image[0], u), {"output_size": 2}, bad, "must have 4 dimensions, but has 3")


fractional_max_pool2d = op(
    "fractional_max_pool2d",
    fractional_max_pool2d_forward,
    nondiff="u",
    reference=fractional_reference,
    samples=fractional_max_pool2d_samples,
    errors=fractional_max_pool2d_errors,
    doc="Take the largest element of windows that a random number places, and its position; "
    "recorded by F.fractional_max_pool2d.",
    example="paddle.nn.functional.fractional_max_pool2d(paddle.ones([1, 1, 4, 4]), 2)",
    **INDEXED,
)


def fractional_max_pool3d_samples():
    """Yield adjacent and overlapping windows."""
    volume = values((1, 2, 4, 5, 3))
    yield Sample(volume, np.float64(0.3), output_size=(3, 2, 2))
    yield Sample(volume, np.float64(0.8), output_size=(3, 2, 1), kernel_size=(2, 3, 2))


fractional_max_pool3d = op(
    "fractional_max_pool3d",
    fractional_max_pool3d_forward,
    nondiff="u",
    reference=fractional_reference,
    samples=fractional_max_pool3d_samples,
    doc="Take the largest element of windows that a random number places, and its position; "
    "recorded by F.fractional_max_pool3d.",
    example="paddle.nn.functional.fractional_max_pool3d(paddle.ones([1, 1, 4, 4, 4]), 2)",
    **INDEXED,
)
