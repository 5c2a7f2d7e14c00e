"""Convolution rows: conv2d, depthwise_conv2d, conv2d_transpose and their depthwise twin.

Note [Convolutions on a CPU]. XLA's CPU convolution reads poorly when there are few input channels:
a 1-to-6-channel 3x3 convolution takes 2 to 10 times as long as the same numbers as one matrix
product. So where the channels are few and the columns stay small, the kernels below lower to
slices and a dot on a CPU and to ``conv_general_dilated`` everywhere else. The choice is made by
``lax.platform_dependent`` when a kernel is lowered, for the device its operands are on, and costs
nothing at run time. Above 8 MiB of columns the copy costs more than the convolution gains.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.attrs import Ints
from jaxeager.ops.axes import same_dtype
from jaxeager.ops.row import DERIVED, op
from jaxeager.ops.samples import BadInput, Sample, values

COLUMN_BYTES = 8 << 20


class Geometry(NamedTuple):
    """How a filter moves over an image: two numbers each, pads as (low, high) pairs."""

    strides: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]]
    dilations: tuple[int, int]
    groups: int
    layout: str

    def out_size(self, size: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, int]:
        """Returns (height, width) of the output for an input and a filter of these sizes."""
        height, width = (
            max((n + sum(p) - d * (k - 1) - 1) // s + 1, 0)
            for n, k, s, p, d in zip(
                size, kernel, self.strides, self.pads, self.dilations, strict=True
            )
        )
        return height, width


def geometry(strides, paddings, dilations, groups: int, data_format: str) -> Geometry:
    """Returns the attributes of a convolution in one form.

    Raises:
        ValueError: for a number that cannot be, or another layout.
    """
    strides, dilations = pair(strides), pair(dilations)
    for name, numbers in (("stride", strides), ("dilation", dilations)):
        if min(numbers) < 1:
            raise ValueError(f"the {name} must be larger than 0, but received {list(numbers)}.")
    if groups < 1:
        raise ValueError(f"groups must be larger than 0, but received {groups}.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be 'NCHW' or 'NHWC', but received {data_format!r}.")
    return Geometry(strides, pad_pairs(paddings), dilations, groups, data_format)


def pair(value) -> tuple[int, int]:
    """Returns (height, width) for one number or two.

    Raises:
        ValueError: for any other count.
    """
    numbers = (value, value) if isinstance(value, int) else tuple(value)
    if len(numbers) != 2:
        raise ValueError(f"expected one number or two, but received {list(numbers)}.")
    return numbers


def pad_pairs(value) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns ((top, bottom), (left, right)) for one number, (height, width) or all four.

    Raises:
        ValueError: for any other count, or a negative number.
    """
    numbers = (value, value) if isinstance(value, int) else tuple(value)
    if len(numbers) == 2:
        numbers = (numbers[0], numbers[0], numbers[1], numbers[1])
    if len(numbers) != 4 or min(numbers) < 0:
        raise ValueError(
            "the padding must be one, two or four numbers of at least 0, but received "
            f"{list(numbers)}."
        )
    return numbers[:2], numbers[2:]


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


# ---- the two ways to compute


def _convolve(x, filter, g: Geometry):
    """The convolution as XLA has it."""
    return lax.conv_general_dilated(
        x,
        filter,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=(g.layout, "OIHW", g.layout),
        feature_group_count=g.groups,
    )


def _columns(x, kernel: tuple[int, int], g: Geometry):
    """Returns what each filter position sees of an NCHW image: [C * kh * kw, N * h * w]."""
    oh, ow = g.out_size(x.shape[2:], kernel)
    (sh, sw), (dh, dw) = g.strides, g.dilations
    channels, batch = x.shape[1], x.shape[0]
    x = jnp.pad(x.transpose(1, 0, 2, 3), ((0, 0), (0, 0), *g.pads))
    seen = [
        lax.slice(
            x,
            (0, 0, i * dh, j * dw),
            (channels, batch, i * dh + (oh - 1) * sh + 1, j * dw + (ow - 1) * sw + 1),
            (1, 1, sh, sw),
        )
        for i in range(kernel[0])
        for j in range(kernel[1])
    ]
    return jnp.stack(seen, 1).reshape(-1, batch * oh * ow)


def _from_columns(columns, shape: tuple[int, ...], kernel: tuple[int, int], g: Geometry):
    """The transpose of ``_columns``: adds [C * kh * kw, N * h * w] up into an NCHW image."""
    batch, channels, *size = shape
    oh, ow = g.out_size(tuple(size), kernel)
    (sh, sw), (dh, dw) = g.strides, g.dilations
    columns = columns.reshape(channels, kernel[0] * kernel[1], batch, oh, ow)
    padded = [n + sum(p) for n, p in zip(size, g.pads, strict=True)]
    zero = jnp.zeros((), columns.dtype)
    image = jnp.zeros((channels, batch, *padded), columns.dtype)
    for position, (i, j) in enumerate(np.ndindex(*kernel)):
        top, left = i * dh, j * dw
        bottom = padded[0] - top - (oh - 1) * sh - 1
        right = padded[1] - left - (ow - 1) * sw - 1
        margins = ((0, 0, 0), (0, 0, 0), (top, bottom, sh - 1), (left, right, sw - 1))
        image = image + lax.pad(columns[:, position], zero, margins)
    (top, _), (left, _) = g.pads
    return image[:, :, top : top + size[0], left : left + size[1]].transpose(1, 0, 2, 3)


def _rows_of(out):
    """Returns an NCHW array as [C, N * h * w]."""
    return out.transpose(1, 0, 2, 3).reshape(out.shape[1], -1)


def _dot_forward(x, filter, g: Geometry):
    """The convolution of an NCHW image as one matrix product."""
    out_channels = filter.shape[0]
    out = filter.reshape(out_channels, -1) @ _columns(x, filter.shape[2:], g)
    oh, ow = g.out_size(x.shape[2:], filter.shape[2:])
    return out.reshape(out_channels, x.shape[0], oh, ow).transpose(1, 0, 2, 3)


def _dot_input_grad(filter, dout, shape: tuple[int, ...], g: Geometry):
    """The gradient of an NCHW image as one matrix product."""
    columns = filter.reshape(filter.shape[0], -1).T @ _rows_of(dout)
    return _from_columns(columns, shape, filter.shape[2:], g)


def _dot_filter_grad(x, dout, shape: tuple[int, ...], g: Geometry):
    """The gradient of the filter as one matrix product."""
    return (_rows_of(dout) @ _columns(x, shape[2:], g).T).reshape(shape)


# ---- which of them a CPU takes: measured on 2 cores, see Note [Convolutions on a CPU]


def _columns_fit(x, filter, g: Geometry) -> bool:
    """Says whether the columns of an NCHW image are few enough for a matrix product to win."""
    if g.groups != 1 or x.dtype not in (jnp.float32, jnp.float64) or x.size == 0:
        return False
    oh, ow = g.out_size(x.shape[2:], filter.shape[2:])
    count = _plane(filter) * x.shape[0] * oh * ow
    return 0 < count * x.dtype.itemsize <= COLUMN_BYTES or (_is_pointwise(filter) and count > 0)


def _plane(filter) -> int:
    """Returns how many numbers one output channel's filter has."""
    return int(np.prod(filter.shape[1:]))


def _is_pointwise(filter) -> bool:
    return filter.shape[2:] == (1, 1)


def _forward_by_dot(x, filter, g: Geometry) -> bool:
    channels, out_channels = filter.shape[1], filter.shape[0]
    few = channels <= 3 or (channels <= 8 and out_channels <= 16)
    return (few or _is_pointwise(filter)) and _columns_fit(x, filter, g)


def _input_grad_by_dot(x, filter, g: Geometry) -> bool:
    return (filter.shape[1] <= 8 or _is_pointwise(filter)) and _columns_fit(x, filter, g)


def _filter_grad_by_dot(x, filter, g: Geometry) -> bool:
    one_plane = filter.shape[1] == 1 and _plane(filter) <= 9
    return (one_plane or _is_pointwise(filter)) and _columns_fit(x, filter, g)


def _on_cpu(by_dot: bool, dot, plain, *arrays):
    """Runs ``dot`` on a CPU when it wins there, ``plain`` otherwise."""
    if not by_dot:
        return plain(*arrays)
    return lax.platform_dependent(*arrays, cpu=dot, default=plain)


# ---- rows


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
    if g.layout == "NHWC":
        return jnp.moveaxis(_conv_nchw(jnp.moveaxis(x, 3, 1), filter, g), 1, 3)
    return _conv_nchw(x, filter, g)


def _conv_nchw(x, filter, g: Geometry):
    g = g._replace(layout="NCHW")
    by_dot = _forward_by_dot(x, filter, g)
    return _on_cpu(
        by_dot, lambda x, w: _dot_forward(x, w, g), lambda x, w: _convolve(x, w, g), x, filter
    )


def conv2d_vjp(x, filter, dout, *, strides, paddings, dilations, groups, data_format):
    """Gives the gradients of images and filters."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    if g.layout == "NHWC":
        x, dout = jnp.moveaxis(x, 3, 1), jnp.moveaxis(dout, 3, 1)
    g = g._replace(layout="NCHW")
    dx = _on_cpu(
        _input_grad_by_dot(x, filter, g),
        lambda x, w, d: _dot_input_grad(w, d, x.shape, g),
        lambda x, w, d: jax.vjp(lambda x: _convolve(x, w, g), x)[1](d)[0],
        *(x, filter, dout),
    )
    dfilter = _on_cpu(
        _filter_grad_by_dot(x, filter, g),
        lambda x, w, d: _dot_filter_grad(x, d, w.shape, g),
        lambda x, w, d: jax.vjp(lambda w: _convolve(x, w, g), w)[1](d)[0],
        *(x, filter, dout),
    )
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
    "formula": "dx = transposed convolution of dout; dfilter = correlation of x with dout",
}

conv2d = op(
    "conv2d",
    conv2d_forward,
    grad_name="Conv2dGradNodeFinal",
    samples=conv2d_samples,
    doc="Cross-correlates images with filters; what F.conv2d records.",
    example="paddle.nn.functional.conv2d(paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2]))",
    **_CONV,
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
)
