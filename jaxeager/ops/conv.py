"""Convolution rows: conv2d, depthwise_conv2d, conv2d_transpose and their depthwise twin."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops import conv_kernels as kernels
from jaxeager.ops.attrs import Ints
from jaxeager.ops.axes import same_dtype
from jaxeager.ops.conv_kernels import Geometry, geometry, pair
from jaxeager.ops.row import DERIVED, op
from jaxeager.ops.samples import WITH_COMPLEX, BadInput, Sample, values


def _check_conv(x, filter, g: Geometry) -> None:
    """Raises where JAX would not say which of the numbers do not fit."""
    if x.ndim != 4 or filter.ndim != 4:
        raise ValueError(
            f"input and filter must have 4 dimensions, but have {x.ndim} and {filter.ndim}."
        )
    channels = x.shape[g.layout.index("C")]
    if channels != filter.shape[1] * g.groups:
        raise ValueError(
            "The number of input's channels should be equal to filter's channels * groups. "
            f"But received: the input's channels is {channels}, the filter's channels is "
            f"{filter.shape[1]}, the groups is {g.groups}, the data_format is {g.layout}."
        )
    if filter.shape[0] % g.groups:
        raise ValueError(
            f"The number of filters must be divisible by groups, but received {filter.shape[0]} "
            f"filters and {g.groups} groups."
        )
    same_dtype(x, filter)


def conv2d_forward(
    x,
    filter,
    *,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
    groups: int = 1,
    data_format: str = "NCHW",
):
    """Cross-correlates images [N, C, H, W] with filters [M, C / groups, kh, kw]."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    _check_conv(x, filter, g)
    front = jnp.moveaxis(x, 3, 1) if data_format == "NHWC" else x
    out = kernels.forward(front, filter, g._replace(layout="NCHW"))
    return jnp.moveaxis(out, 1, 3) if data_format == "NHWC" else out


def conv2d_vjp(x, filter, dout, *, strides, paddings, dilations, groups, data_format):
    """Gives the gradients of images and filters."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    if g.layout == "NHWC":
        x, dout = jnp.moveaxis(x, 3, 1), jnp.moveaxis(dout, 3, 1)
    g = g._replace(layout="NCHW")
    x, filter = jnp.conj(x), jnp.conj(filter)
    dx = kernels.input_grad(x, filter, dout, g)
    dfilter = kernels.filter_grad(x, filter, dout, g)
    return jnp.moveaxis(dx, 1, 3) if data_format == "NHWC" else dx, dfilter


def conv2d_reference(x, filter, strides=1, paddings=0, dilations=1, groups=1, data_format="NCHW"):
    """Sums, filter position by filter position, what each position sees."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    if data_format == "NHWC":
        x = np.moveaxis(x, 3, 1)
    oh, ow = g.out_size(x.shape[2:], filter.shape[2:])
    (sh, sw), (dh, dw) = g.strides, g.dilations
    x = np.pad(x, ((0, 0), (0, 0), *g.pads))
    out = np.zeros((x.shape[0], filter.shape[0], oh, ow), x.dtype)
    per_group, outs_per_group = filter.shape[1], filter.shape[0] // groups
    for o in range(filter.shape[0]):
        first = o // outs_per_group * per_group
        for h, w in np.ndindex(oh, ow):
            rows = h * sh + dh * np.arange(filter.shape[2])
            cols = w * sw + dw * np.arange(filter.shape[3])
            seen = x[:, first : first + per_group, rows[:, None], cols]
            out[:, o, h, w] = (seen * filter[o]).sum((1, 2, 3))
    return np.moveaxis(out, 1, 3) if data_format == "NHWC" else out


def conv2d_samples():
    """Yields few and many channels, strides, pads, dilations, groups, both layouts, no batch."""
    image = values((2, 3, 5, 6))
    filter = values((2, 3, 3, 2), seed=1)
    yield Sample(image, filter)
    yield Sample(image, filter, strides=(2, 1), paddings=(1, 0, 2, 1), dilations=(1, 2))
    yield Sample(values((1, 12, 4, 4)), values((2, 12, 3, 3), seed=1), paddings=1)
    yield Sample(values((2, 4, 4, 4)), values((4, 2, 3, 3), seed=1), groups=2, paddings=1)
    yield Sample(values((2, 1, 5, 5)), values((3, 1, 3, 3), seed=1), paddings=1, strides=2)
    yield Sample(image.transpose(0, 2, 3, 1), filter, paddings=(0, 1), data_format="NHWC")
    yield Sample(values((2, 3, 3, 3)), values((4, 3, 1, 1), seed=1))
    yield Sample(values((0, 3, 5, 5)), filter)


def conv2d_errors():
    """Yields channels that do not fit, and numbers that cannot be."""
    image, filter = values((1, 3, 4, 4)), values((2, 3, 3, 3))
    bad = InvalidArgumentError
    yield BadInput((image, filter[:, :2]), {}, bad, "The number of input's channels should be")
    yield BadInput((image[0], filter), {}, bad, "must have 4 dimensions, but have 3 and 4")
    yield BadInput((image, filter), {"strides": 0}, bad, "the stride must be larger than 0")
    yield BadInput((image, filter), {"paddings": -1}, bad, "the padding must be")
    yield BadInput((image, filter), {"data_format": "CN"}, bad, "must be 'NCHW' or 'NHWC'")
    yield BadInput(
        (image, filter[:, :1]), {"groups": 3}, bad, "number of filters must be divisible by groups"
    )


_CONV = {
    "vjp": conv2d_vjp,
    "saves": "x filter",
    "public": None,
    "reference": conv2d_reference,
    "errors": conv2d_errors,
    "formula": "dx = transposed convolution of dout with conj(filter); "
    "dfilter = correlation of conj(x) with dout",
}

conv2d = op(
    "conv2d",
    conv2d_forward,
    grad_name="Conv2dGradNodeFinal",
    samples=conv2d_samples,
    doc="Cross-correlates images with filters; what F.conv2d records.",
    example="paddle.nn.functional.conv2d(paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2]))",
    **_CONV,
    dtypes=WITH_COMPLEX,
)


def depthwise_conv2d_samples():
    """Yields one filter a channel, and two."""
    yield Sample(values((2, 3, 4, 4)), values((3, 1, 3, 3), seed=1), groups=3, paddings=1)
    yield Sample(values((2, 2, 4, 5)), values((4, 1, 2, 3), seed=1), groups=2, strides=(1, 2))
    image = values((1, 4, 4, 2))
    yield Sample(image, values((2, 1, 2, 2), seed=1), groups=2, data_format="NHWC")


depthwise_conv2d = op(
    "depthwise_conv2d",
    conv2d_forward,
    samples=depthwise_conv2d_samples,
    doc="Cross-correlates each channel with filters of its own; F.conv2d with groups = channels.",
    example="paddle.nn.functional.conv2d("
    "paddle.ones([1, 2, 3, 3]), paddle.ones([2, 1, 2, 2]), groups=2)",
    **_CONV,
    dtypes=WITH_COMPLEX,
)


def conv2d_transpose_forward(
    x,
    filter,
    *,
    strides: Ints = 1,
    paddings: Ints = 0,
    output_padding: Ints = 0,
    dilations: Ints = 1,
    groups: int = 1,
    data_format: str = "NCHW",
):
    """Spreads each pixel of [N, C, H, W] over the output with filters [C, M / groups, kh, kw]."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    extra = pair(output_padding)
    if x.ndim != 4 or filter.ndim != 4 or x.shape[g.layout.index("C")] != filter.shape[0]:
        raise ValueError(
            "the filter must be [channels of the input, output channels / groups, height, width]; "
            f"the input is {data_format}."
        )
    if any(e >= max(s, d) for e, s, d in zip(extra, g.strides, g.dilations, strict=True)):
        raise ValueError(
            f"output_padding must be smaller than stride or dilation, but received {list(extra)} "
            f"with stride {list(g.strides)} and dilation {list(g.dilations)}."
        )
    same_dtype(x, filter)
    channels, per_group, *kernel = filter.shape
    grouped = filter.reshape(groups, channels // groups, per_group, *kernel)
    flipped = grouped.swapaxes(1, 2).reshape(groups * per_group, channels // groups, *kernel)
    reach = [d * (k - 1) for d, k in zip(g.dilations, kernel, strict=True)]
    return lax.conv_general_dilated(
        x,
        flipped[:, :, ::-1, ::-1],
        (1, 1),
        [(r - p[0], r - p[1] + e) for r, p, e in zip(reach, g.pads, extra, strict=True)],
        lhs_dilation=g.strides,
        rhs_dilation=g.dilations,
        dimension_numbers=(data_format, "OIHW", data_format),
        feature_group_count=groups,
    )


def conv2d_transpose_reference(
    x,
    filter,
    strides=1,
    paddings=0,
    output_padding=0,
    dilations=1,
    groups=1,
    data_format="NCHW",
):
    """Adds each pixel, times the filter, where it goes."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    if data_format == "NHWC":
        x = np.moveaxis(x, 3, 1)
    batch, channels, height, width = x.shape
    per_group, kh, kw = filter.shape[1:]
    (sh, sw), (dh, dw), (eh, ew) = g.strides, g.dilations, pair(output_padding)
    full = (height - 1) * sh + dh * (kh - 1) + 1 + eh, (width - 1) * sw + dw * (kw - 1) + 1 + ew
    out = np.zeros((batch, per_group * groups, *full), x.dtype)
    for c in range(channels):
        first = c // (channels // groups) * per_group
        for h, w, i, j in np.ndindex(height, width, kh, kw):
            spread = x[:, c, h, w, None] * filter[c, :, i, j]
            out[:, first : first + per_group, h * sh + i * dh, w * sw + j * dw] += spread
    (top, bottom), (left, right) = g.pads
    out = out[:, :, top : full[0] - bottom, left : full[1] - right]
    return np.moveaxis(out, 1, 3) if data_format == "NHWC" else out


def conv2d_transpose_samples():
    """Yields strides, pads, dilations, groups, both layouts."""
    image, filter = values((2, 4, 3, 2)), values((4, 2, 3, 2), seed=1)
    yield Sample(image, filter)
    yield Sample(image, filter, strides=(2, 1), paddings=(1, 0), output_padding=(1, 0))
    yield Sample(image, filter, groups=2, dilations=(1, 2), strides=2)
    yield Sample(image.transpose(0, 2, 3, 1), filter, paddings=(0, 1, 1, 0), data_format="NHWC")
    yield Sample(values((0, 4, 3, 2)), filter)


def conv2d_transpose_errors():
    """Yields channels that do not fit and an output padding that is too large."""
    image, filter = values((1, 3, 4, 4)), values((3, 2, 3, 3))
    bad = InvalidArgumentError
    yield BadInput((image, filter[:2]), {}, bad, "the filter must be [channels of the input")
    yield BadInput((image, filter), {"output_padding": 1}, bad, "output_padding must be smaller")


_TRANSPOSED = {
    "vjp": DERIVED,
    "saves": "x filter",
    "public": None,
    "reference": conv2d_transpose_reference,
    "formula": "dx = convolution of dout with the filter; dfilter = correlation of dout with x",
}

conv2d_transpose = op(
    "conv2d_transpose",
    conv2d_transpose_forward,
    samples=conv2d_transpose_samples,
    errors=conv2d_transpose_errors,
    doc="Transposed convolution: the gradient of conv2d as an op; what F.conv2d_transpose records.",
    example="paddle.nn.functional.conv2d_transpose("
    "paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 2, 2]))",
    **_TRANSPOSED,
    dtypes=WITH_COMPLEX,
)


def depthwise_conv2d_transpose_samples():
    """Yields one filter a channel."""
    yield Sample(values((2, 3, 2, 3)), values((3, 1, 3, 2), seed=1), groups=3, strides=2)


depthwise_conv2d_transpose = op(
    "depthwise_conv2d_transpose",
    conv2d_transpose_forward,
    samples=depthwise_conv2d_transpose_samples,
    doc="Transposed convolution of each channel alone; F.conv2d_transpose with groups = channels.",
    example="paddle.nn.functional.conv2d_transpose("
    "paddle.ones([1, 2, 2, 2]), paddle.ones([2, 1, 2, 2]), groups=2)",
    **_TRANSPOSED,
    dtypes=WITH_COMPLEX,
)
