"""Convolution rows: conv2d and conv3d, their transposes, and depthwise variants of the 2-D ones."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.bilinear import convolution, filter_gradient, image_gradient
from jaxeager.ops.conv.geometry import (
    LAYOUTS,
    Geometry,
    channels_back,
    channels_first,
    check_fit,
    check_window,
    geometry,
    per_axis,
    spatial_size,
)
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def _check_conv(x, filter, g: Geometry) -> None:
    """Raise an error that names the sizes that do not fit, which JAX's error would not."""
    ndim = 2 + len(g.strides)
    if x.ndim != ndim or filter.ndim != ndim:
        raise ValueError(
            f"input and filter must have {ndim} dimensions, but have {x.ndim} and {filter.ndim}."
        )
    check_window(filter.shape[2:], filter.shape[0])
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
    check_fit(spatial_size(x, g.layout), filter.shape[2:], g)
    same_dtype(x, filter)


def _front(g: Geometry) -> Geometry:
    """Return the same geometry for an image in a channels-first layout."""
    return g._replace(layout={2: "NCHW", 3: "NCDHW"}[len(g.strides)])


def _correlate(x, filter, g: Geometry):
    """Cross-correlate an image in the geometry's layout with filters."""
    _check_conv(x, filter, g)
    image, front = _with_room(channels_first(x, g.layout), _front(g))
    return channels_back(convolution(image, filter, front), g.layout)


def _with_room(image, g: Geometry) -> tuple:
    """Return a padded image if a padding is symbolic, which JAX's convolution does not accept."""
    if not any(is_symbolic(n) for pair in g.pads for n in pair):
        return image, g
    room = [(0, 0, 0)] * 2 + [(low, high, 0) for low, high in g.pads]
    return lax.pad(image, jnp.zeros((), image.dtype), room), g._replace(
        pads=((0, 0),) * len(g.pads)
    )


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
    """Cross-correlate images [N, C, H, W] with filters [M, C / groups, kh, kw]."""
    return _correlate(x, filter, geometry(strides, paddings, dilations, groups, data_format))


def conv3d_forward(
    x,
    filter,
    *,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
):
    """Cross-correlate volumes [N, C, D, H, W] with filters [M, C / groups, kd, kh, kw]."""
    return _correlate(x, filter, geometry(strides, paddings, dilations, groups, data_format, 3))


def conv_vjp(x, filter, dout, *, strides, paddings, dilations, groups, data_format):
    """Return the gradients of images or volumes, and of filters."""
    g = geometry(strides, paddings, dilations, groups, data_format, LAYOUTS[data_format])
    x, dout = channels_first(x, g.layout), channels_first(dout, g.layout)
    dx = image_gradient(dout, jnp.conj(filter), _front(g), x.shape[2:])
    dfilter = filter_gradient(jnp.conj(x), dout, _front(g), filter.shape[2:])
    return channels_back(dx, g.layout), dfilter


def conv_reference(x, filter, strides=1, paddings=0, dilations=1, groups=1, data_format=None):
    """Sum the products of the filter and its window, one output at a time."""
    dims = filter.ndim - 2
    layout = data_format or ("NCHW" if dims == 2 else "NCDHW")
    g = geometry(strides, paddings, dilations, groups, layout, dims)
    x = x if layout[1] == "C" else np.moveaxis(x, -1, 1)
    size = g.out_size(x.shape[2:], filter.shape[2:])
    x = np.pad(x, ((0, 0), (0, 0), *g.pads))
    out = np.zeros((x.shape[0], filter.shape[0], *size), x.dtype)
    per_group, outs_per_group = filter.shape[1], filter.shape[0] // groups
    for o in range(filter.shape[0]):
        first = o // outs_per_group * per_group
        for at in np.ndindex(*size):
            seen = x[:, first : first + per_group, *_grid(at, filter.shape[2:], g)]
            out[:, o, *at] = (seen * filter[o]).sum(tuple(range(1, dims + 2)))
    return out if layout[1] == "C" else np.moveaxis(out, 1, -1)


def _grid(at: tuple[int, ...], kernel: tuple[int, ...], g: Geometry) -> tuple:
    """Return the indices of the elements of the padded image that an output element reads."""
    axes = zip(at, kernel, g.strides, g.dilations, strict=True)
    return np.ix_(*[o * s + d * np.arange(k) for o, k, s, d in axes])


def conv2d_samples():
    """Yield few and many channels, strides, pad, dilations, groups, both layouts, no batch."""
    image = values((2, 3, 5, 6))
    filter = values((2, 3, 3, 2), seed=1)
    yield Sample(image, filter)
    yield Sample(image, filter, strides=(2, 1), paddings=(1, 0, 2, 1), dilations=(1, 2))
    yield Sample(values((1, 12, 4, 4)), values((2, 12, 3, 3), seed=1), paddings=1)
    yield Sample(values((2, 4, 4, 4)), values((4, 2, 3, 3), seed=1), groups=2, paddings=1)
    yield Sample(values((2, 1, 5, 5)), values((3, 1, 3, 3), seed=1), paddings=1, strides=2)
    yield Sample(image.transpose(0, 2, 3, 1), filter, paddings=(0, 1), data_format="NHWC")
    yield Sample(values((2, 3, 3, 3)), values((4, 3, 1, 1), seed=1))
    yield Sample(values((1, 2, 2, 3)), values((6, 2, 3, 3), seed=1), paddings=1)
    yield Sample(values((0, 3, 5, 5)), filter)


def conv2d_errors():
    """Yield channels that do not fit, and invalid numbers."""
    image, filter = values((1, 3, 4, 4)), values((2, 3, 3, 3))
    bad = InvalidArgumentError
    yield BadInput((image, filter[:, :2]), {}, bad, "The number of input's channels should be")
    yield BadInput((image[0], filter), {}, bad, "must have 4 dimensions, but have 3 and 4")
    yield BadInput((image, filter), {"strides": 0}, bad, "the stride must be larger than 0")
    yield BadInput((image, filter), {"paddings": -1}, bad, "the padding must be")
    yield BadInput((image, filter), {"data_format": "CN"}, bad, "must be 'NCHW' or 'NHWC'")
    yield BadInput(
        (image, filter),
        {"dilations": 2},
        bad,
        "a filter of [3, 3] with dilation [2, 2] does not fit into an image of [4, 4] with "
        "padding [0, 0, 0, 0]",
    )
    yield BadInput(
        (image, filter[:, :1]), {"groups": 3}, bad, "number of filters must be divisible by groups"
    )


_CONV = {
    "vjp": conv_vjp,
    "saves": "x filter",
    "public": None,
    "reference": conv_reference,
    "dtypes": WITH_COMPLEX,
    "formula": "dx = transposed convolution of dout with conj(filter); "
    "dfilter = correlation of conj(x) with dout",
}

conv2d = op(
    "conv2d",
    conv2d_forward,
    grad_name="Conv2dGradNodeFinal",
    samples=conv2d_samples,
    doc="Cross-correlate images with filters; recorded by F.conv2d.",
    example="paddle.nn.functional.conv2d(paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2]))",
    errors=conv2d_errors,
    **_CONV,
)


def depthwise_conv2d_samples():
    """Yield one filter per channel, and two."""
    yield Sample(values((2, 3, 4, 4)), values((3, 1, 3, 3), seed=1), groups=3, paddings=1)
    yield Sample(values((2, 2, 4, 5)), values((4, 1, 2, 3), seed=1), groups=2, strides=(1, 2))
    image = values((1, 4, 4, 2))
    yield Sample(image, values((2, 1, 2, 2), seed=1), groups=2, data_format="NHWC")


depthwise_conv2d = op(
    "depthwise_conv2d",
    conv2d_forward,
    samples=depthwise_conv2d_samples,
    doc="Cross-correlate each channel with its own filters; F.conv2d with groups = channels.",
    example="paddle.nn.functional.conv2d("
    "paddle.ones([1, 2, 3, 3]), paddle.ones([2, 1, 2, 2]), groups=2)",
    errors=conv2d_errors,
    **_CONV,
)


def conv3d_samples():
    """Yield strides, pad, dilations, groups, both layouts, a filter per channel, no batch."""
    volume, filter = values((2, 4, 3, 4, 3)), values((2, 4, 2, 3, 2), seed=1)
    yield Sample(volume, filter)
    attrs = {"strides": (2, 1, 1), "paddings": (1, 0, 0, 1, 2, 0), "dilations": (1, 1, 2)}
    yield Sample(volume, filter, **attrs)
    yield Sample(volume, values((4, 2, 2, 2, 2), seed=1), groups=2, paddings=(1, 0, 1))
    yield Sample(volume, values((4, 1, 2, 2, 2), seed=1), groups=4, strides=2)
    last = volume.transpose(0, 2, 3, 4, 1)
    yield Sample(last, filter, paddings=1, data_format="NDHWC")
    yield Sample(values((0, 4, 3, 4, 3)), filter)


def conv3d_errors():
    """Yield channels that do not fit, and invalid numbers."""
    volume, filter, bad = values((1, 3, 2, 2, 2)), values((2, 3, 2, 2, 2)), InvalidArgumentError
    yield BadInput((volume[0], filter), {}, bad, "must have 5 dimensions, but have 4 and 5")
    yield BadInput((volume, filter), {"data_format": "NCHW"}, bad, "must be 'NCDHW' or 'NDHWC'")
    yield BadInput((volume, filter), {"strides": (1, 2)}, bad, "expected one number or 3")
    thin = volume[:, :, :1]
    yield BadInput((thin, filter), {}, bad, "does not fit into an image of [1, 2, 2]")


conv3d = op(
    "conv3d",
    conv3d_forward,
    samples=conv3d_samples,
    errors=conv3d_errors,
    doc="Cross-correlate volumes with filters; recorded by F.conv3d.",
    example="paddle.nn.functional.conv3d("
    "paddle.ones([1, 1, 3, 3, 3]), paddle.ones([1, 1, 2, 2, 2]))",
    **_CONV,
)


# ---- transposed


def _transposed(x, filter, g: Geometry, output_padding):
    """Spread each element of an image over the output with filters [C, M / groups, ...]."""
    dims = len(g.strides)
    extra = per_axis(output_padding, dims)
    ndim = dims + 2
    if (x.ndim, filter.ndim) != (ndim, ndim) or x.shape[g.layout.index("C")] != filter.shape[0]:
        sizes = "height, width" if dims == 2 else "depth, height, width"
        raise ValueError(
            f"the filter must be [channels of the input, output channels / groups, {sizes}]; "
            f"the input is {g.layout}."
        )
    check_window(filter.shape[2:], filter.shape[1])
    if any(e >= max(s, d) for e, s, d in zip(extra, g.strides, g.dilations, strict=True)):
        raise ValueError(
            f"output_padding must be smaller than stride or dilation, but received {list(extra)} "
            f"with stride {list(g.strides)} and dilation {list(g.dilations)}."
        )
    same_dtype(x, filter)
    image, kernel = channels_first(x, g.layout), filter.shape[2:]
    reach = [d * (k - 1) for d, k in zip(g.dilations, kernel, strict=True)]
    axes = zip(image.shape[2:], g.strides, reach, g.pads, extra, strict=True)
    size = tuple((n - 1) * s + r + 1 - sum(p) + e for n, s, r, p, e in axes)
    if any(n < 1 for n in size if not is_symbolic(n)):
        raise ValueError(
            f"the padding {[n for p in g.pads for n in p]} leaves an output of {list(size)} for an "
            f"image of {list(image.shape[2:])}."
        )
    # An output that is larger by whole strides is one of an image with zeros at its end.
    margins = [(0, 0, 0)] * 2 + [(0, e // s, 0) for e, s in zip(extra, g.strides, strict=True)]
    image = lax.pad(image, jnp.zeros((), image.dtype), margins)
    return channels_back(image_gradient(image, filter, _front(g), size), g.layout)


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
    """Spread each pixel of [N, C, H, W] over the output with filters [C, M / groups, kh, kw]."""
    g = geometry(strides, paddings, dilations, groups, data_format)
    return _transposed(x, filter, g, output_padding)


def conv3d_transpose_forward(
    x,
    filter,
    *,
    strides: Ints = 1,
    paddings: Ints = 0,
    output_padding: Ints = 0,
    dilations: Ints = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
):
    """Spread each element of [N, C, D, H, W] over the output; see conv2d_transpose."""
    g = geometry(strides, paddings, dilations, groups, data_format, 3)
    return _transposed(x, filter, g, output_padding)


def conv_transpose_reference(
    x,
    filter,
    strides=1,
    paddings=0,
    output_padding=0,
    dilations=1,
    groups=1,
    data_format=None,
):
    """Add each element times the filter to the outputs that it contributes to."""
    dims = filter.ndim - 2
    layout = data_format or ("NCHW" if dims == 2 else "NCDHW")
    g = geometry(strides, paddings, dilations, groups, layout, dims)
    x = x if layout[1] == "C" else np.moveaxis(x, -1, 1)
    batch, channels, *size = x.shape
    per_group, *kernel = filter.shape[1:]
    extra = per_axis(output_padding, dims)
    full = [
        (n - 1) * s + d * (k - 1) + 1 + e
        for n, k, s, d, e in zip(size, kernel, g.strides, g.dilations, extra, strict=True)
    ]
    out = np.zeros((batch, per_group * groups, *full), x.dtype)
    ones = (1,) * dims
    for c in range(channels):
        first = c // (channels // groups) * per_group
        for at in np.ndindex(*size):
            spread = x[:, c, *at].reshape(-1, 1, *ones) * filter[c]
            out[:, first : first + per_group, *_grid(at, tuple(kernel), g)] += spread
    inside = tuple(slice(low, n - high) for (low, high), n in zip(g.pads, full, strict=True))
    out = out[:, :, *inside]
    return out if layout[1] == "C" else np.moveaxis(out, 1, -1)


def conv2d_transpose_samples():
    """Yield strides, pad, dilations, groups, both layouts."""
    image, filter = values((2, 4, 3, 2)), values((4, 2, 3, 2), seed=1)
    yield Sample(image, filter)
    yield Sample(image, filter, strides=(2, 1), paddings=(1, 0), output_padding=(1, 0))
    yield Sample(image, filter, groups=2, dilations=(1, 2), strides=2)
    yield Sample(image.transpose(0, 2, 3, 1), filter, paddings=(0, 1, 1, 0), data_format="NHWC")
    yield Sample(values((0, 4, 3, 2)), filter)


def conv2d_transpose_errors():
    """Yield channels that do not fit and an output padding that is too large."""
    image, filter = values((1, 3, 4, 4)), values((3, 2, 3, 3))
    bad = InvalidArgumentError
    yield BadInput((image, filter[:2]), {}, bad, "the filter must be [channels of the input")
    yield BadInput((image, filter), {"paddings": 3}, bad, "leaves an output of [0, 0] for an image")
    yield BadInput((image, filter), {"output_padding": 1}, bad, "output_padding must be smaller")


_TRANSPOSED = {
    "vjp": DERIVED,
    "saves": "x filter",
    "public": None,
    "reference": conv_transpose_reference,
    "dtypes": WITH_COMPLEX,
    "formula": "dx = convolution of dout with conj(filter); "
    "dfilter = correlation of dout with conj(x)",
}

conv2d_transpose = op(
    "conv2d_transpose",
    conv2d_transpose_forward,
    samples=conv2d_transpose_samples,
    errors=conv2d_transpose_errors,
    doc="Transposed convolution: the gradient of conv2d as an op; recorded by F.conv2d_transpose.",
    example="paddle.nn.functional.conv2d_transpose("
    "paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 2, 2]))",
    **_TRANSPOSED,
)


def depthwise_conv2d_transpose_samples():
    """Yield one filter per channel."""
    yield Sample(values((2, 3, 2, 3)), values((3, 1, 3, 2), seed=1), groups=3, strides=2)


depthwise_conv2d_transpose = op(
    "depthwise_conv2d_transpose",
    conv2d_transpose_forward,
    samples=depthwise_conv2d_transpose_samples,
    doc="Transposed convolution of each channel separately; recorded by F.conv2d_transpose with "
    "groups = channels.",
    example="paddle.nn.functional.conv2d_transpose("
    "paddle.ones([1, 2, 2, 2]), paddle.ones([2, 1, 2, 2]), groups=2)",
    **_TRANSPOSED,
)


def conv3d_transpose_samples():
    """Yield strides, pad, dilations, groups, both layouts."""
    volume, filter = values((1, 4, 2, 3, 2)), values((4, 2, 2, 2, 3), seed=1)
    yield Sample(volume, filter)
    attrs = {"strides": (2, 1, 2), "paddings": (1, 0, 0, 0, 1, 2), "output_padding": (1, 0, 1)}
    yield Sample(volume, filter, **attrs)
    yield Sample(volume, filter, groups=2, dilations=(1, 2, 1), strides=2)
    last = volume.transpose(0, 2, 3, 4, 1)
    yield Sample(last, filter, paddings=(0, 1, 0), data_format="NDHWC")


def conv3d_transpose_errors():
    """Yield channels that do not fit and an output padding that is too large."""
    volume, filter, bad = values((1, 3, 2, 2, 2)), values((3, 2, 2, 2, 2)), InvalidArgumentError
    yield BadInput((volume, filter[:2]), {}, bad, "output channels / groups, depth, height, width]")
    yield BadInput((volume, filter), {"output_padding": 1}, bad, "output_padding must be smaller")


conv3d_transpose = op(
    "conv3d_transpose",
    conv3d_transpose_forward,
    samples=conv3d_transpose_samples,
    errors=conv3d_transpose_errors,
    doc="Transposed convolution of volumes: the gradient of conv3d as an op; recorded "
    "by F.conv3d_transpose.",
    example="paddle.nn.functional.conv3d_transpose("
    "paddle.ones([1, 1, 2, 2, 2]), paddle.ones([1, 1, 2, 2, 2]))",
    **_TRANSPOSED,
)
