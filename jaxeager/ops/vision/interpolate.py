"""Rows of F.interpolate: nearest_interp, linear_interp, bilinear_interp, trilinear_interp,
bicubic_interp and interp_antialias.

Each is a gather of a few elements per output and a weighted sum, one axis after the other, and so
is its gradient (ops/vision/interp_taps.py). An element that is not finite affects only its
neighbors.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxeager.core.open_size import as_array
from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import channels_back, channels_first
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints, Static
from jaxeager.ops.rules.precision import widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values
from jaxeager.ops.vision.interp_taps import Taps, apply_taps, smooth_taps, taps, transposed

METHODS = {
    "nearest": "nearest",
    "linear": "linear",
    "bilinear": "linear",
    "trilinear": "linear",
    "bicubic": "cubic",
}


def _maps(size, wanted, scale, method: str, align_corners: bool, align_mode: int) -> list[Taps]:
    """Return the taps of each spatial axis."""
    if method not in METHODS:
        raise ValueError(f"interp_method must be one of {', '.join(METHODS)}, but is {method!r}.")
    if len(wanted) != len(size) or any(n < 1 for n in wanted):
        raise ValueError(
            f"the size must be {len(size)} numbers larger than 0, but received {list(wanted)}."
        )
    if any(n < 1 for n in size):
        raise ValueError(f"the image must not be empty, but its size is {list(size)}.")
    scales = _effective(scale, size, wanted) if scale else (0.0,) * len(size)
    axes = zip(size, wanted, scales, strict=True)
    return [taps(METHODS[method], n, o, s, align_corners, align_mode) for n, o, s in axes]


def _effective(scale, size, wanted) -> Sequence:
    """Return the scale factors of the axes; those of 1 if no size changes: as in Paddle, a copy."""
    if not has_symbols((*size, *wanted)):
        return (1.0,) * len(size) if tuple(size) == tuple(wanted) else scale
    pairs = zip(map(as_array, wanted), map(as_array, size), strict=True)
    is_same = jnp.all(jnp.stack([jnp.equal(*pair) for pair in pairs]))
    return [jnp.where(is_same, 1.0, factor) for factor in scale]


def _resize(image, maps: list[Taps]):
    """Apply one map per axis, in float32 or wider, those that shrink first.

    Elements that are only moved keep their dtype, so integers stay exact.
    """
    moves = all(each.weight is None for each in maps)
    if not moves and not jnp.issubdtype(image.dtype, jnp.floating):
        raise ValueError(f"only mode 'nearest' resizes {image.dtype.name}: cast it to float32.")
    result = image if moves else widened(image)
    order = range(len(maps))
    if not has_symbols([n for each in maps for n in (each.index.shape[0], each.size)]):
        order = sorted(order, key=lambda i: len(maps[i].index) / max(maps[i].size, 1))
    for axis in order:
        result = apply_taps(result, maps[axis], axis + 2)
    return result.astype(image.dtype)


def interp_forward(
    x,
    *,
    size: Ints,
    scale: Static = (),
    interp_method: str = "bilinear",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
):
    """Resize [N, C, ...] or, for "NHWC", [N, ..., C]; scale is the user's, per axis."""
    image = channels_first(x, data_format)
    maps = _maps(image.shape[2:], size, scale, interp_method, align_corners, align_mode)
    return channels_back(_resize(image, maps), data_format)


def interp_vjp(x, dout, *, size, scale, interp_method, align_corners, align_mode, data_format):
    """Resize back by the transposed maps."""
    spatial = x.shape[2:] if data_format == "NCHW" else x.shape[1:-1]
    maps = _maps(spatial, size, scale, interp_method, align_corners, align_mode)
    image = channels_first(dout, data_format)
    return channels_back(_resize(image, [transposed(each) for each in maps]), data_format)


def interp_reference(
    x,
    size,
    scale=(),
    interp_method="bilinear",
    align_corners=False,
    align_mode=0,
    data_format="NCHW",
):
    """Multiply each axis by a matrix whose rows are evaluated one position at a time."""
    image = x if data_format == "NCHW" else np.moveaxis(x, -1, 1)
    for axis, out in enumerate(size, 2):
        n = image.shape[axis]
        ratio = 1 / scale[axis - 2] if scale else n / out
        matrix = np.zeros((out, n))
        for o in range(out):
            place = (o + 0.5) * ratio - 0.5
            if align_corners:
                place = o * (n - 1) / (out - 1) if out > 1 else 0.0
            elif interp_method == "nearest" or (align_mode == 1 and interp_method != "bicubic"):
                place = o * ratio
            for source, weight in _reference_weights(place, interp_method):
                matrix[o, min(max(source, 0), n - 1)] += weight
        image = np.moveaxis(np.tensordot(image, matrix, (axis, 1)), -1, axis)
    return image if data_format == "NCHW" else np.moveaxis(image, 1, -1)


def _reference_weights(place: float, method: str):
    """Yield (element, weight) for a position; the outermost elements replace those outside."""
    low = int(np.floor(place + 1e-6))
    part = place - low
    if method == "nearest":
        yield low, 1.0
    elif method == "bicubic":
        a, b, c, d = (
            np.polyval(poly, part)
            for poly in (
                [-0.75, 1.5, -0.75, 0],
                [1.25, -2.25, 0, 1],
                [-1.25, 1.5, 0.75, 0],
                [0.75, -0.75, 0, 0],
            )
        )
        yield from ((low - 1, a), (low, b), (low + 1, c), (low + 2, d))
    else:
        yield from ((low, 1 - part), (low + 1, part))


def _samples(method: str, dims: int):
    """Return a sample function of one method over ``dims`` dimensions."""
    shape, larger, smaller = (2, 2, 4, 5, 3)[: dims + 2], (7, 6, 5)[:dims], (3, 2, 2)[:dims]

    def samples():
        x = values(shape)
        attrs: dict[str, Any] = {"interp_method": method}
        yield Sample(x, size=larger, **attrs)
        yield Sample(x, size=smaller, **attrs)
        yield Sample(x, size=tuple(2 * n for n in shape[2:]), scale=(2.0,) * dims, **attrs)
        yield Sample(np.moveaxis(x, 1, -1), size=larger, data_format="NHWC", **attrs)
        if method != "nearest":
            yield Sample(x, size=larger, align_corners=True, **attrs)
        if METHODS[method] == "linear":
            yield Sample(x, size=smaller, align_mode=1, **attrs)

    return samples


def interp_errors():
    """Yield an invalid size and an unknown method."""
    x, bad = values((1, 1, 2, 2)), InvalidArgumentError
    yield BadInput((x,), {"size": (0, 2)}, bad, "must be 2 numbers larger than 0")
    yield BadInput((x,), {"size": (2, 2), "interp_method": "x"}, bad, "interp_method must be one")
    whole = np.ones((1, 1, 2, 2), np.int32)
    yield BadInput((whole,), {"size": (2, 3)}, bad, "only mode 'nearest' resizes int32")


_INTERP = {
    "vjp": interp_vjp,
    "shapes": "x",
    "public": None,
    "reference": interp_reference,
    "formula": "dx = dout, times the weights with which x was read",
}


def _interp_row(name: str, method: str, dims: int, doc: str):
    """Register a row of one method."""
    size = [4] * dims
    return op(
        name,
        real_only(interp_forward),
        samples=_samples(method, dims),
        errors=interp_errors if name == "bilinear_interp" else None,
        doc=doc,
        example=f"paddle.nn.functional.interpolate(paddle.ones({[1, 1, *[2] * dims]}), {size}, "
        f"mode={method!r})",
        **_INTERP,
    )


nearest_interp = _interp_row(
    "nearest_interp", "nearest", 2, "Resize images or volumes by the element at each position."
)
linear_interp = _interp_row(
    "linear_interp", "linear", 1, "Resize sequences by the two elements around each position."
)
bilinear_interp = _interp_row(
    "bilinear_interp", "bilinear", 2, "Resize images by the four elements around each position."
)
trilinear_interp = _interp_row(
    "trilinear_interp",
    "trilinear",
    3,
    "Resize volumes by the eight elements around each position.",
)
bicubic_interp = _interp_row(
    "bicubic_interp", "bicubic", 2, "Resize images by cubic convolution of 16 elements a position."
)


# ---- antialias


def _smooth_maps(size, wanted, scale, method: str, align_corners: bool) -> list[Taps]:
    _maps(size, wanted, scale, method, align_corners, 0)
    scales = scale or (0.0,) * len(size)
    axes = zip(size, wanted, scales, strict=True)
    return [smooth_taps(METHODS[method], n, o, s, align_corners) for n, o, s in axes]


def interp_antialias_forward(
    x,
    *,
    size: Ints,
    scale: Static = (),
    interp_method: str = "bilinear",
    align_corners: bool = False,
    data_format: str = "NCHW",
):
    """Resize images; when they shrink, average the elements between the positions."""
    image = channels_first(x, data_format)
    maps = _smooth_maps(image.shape[2:], size, scale, interp_method, align_corners)
    return channels_back(_resize(image, maps), data_format)


def interp_antialias_vjp(x, dout, *, size, scale, interp_method, align_corners, data_format):
    """Resize back by the transposed maps."""
    spatial = x.shape[2:] if data_format == "NCHW" else x.shape[1:-1]
    maps = _smooth_maps(spatial, size, scale, interp_method, align_corners)
    image = channels_first(dout, data_format)
    return channels_back(_resize(image, [transposed(each) for each in maps]), data_format)


def interp_antialias_reference(
    x, size, scale=(), interp_method="bilinear", align_corners=False, data_format="NCHW"
):
    """Multiply each axis by a matrix of the stretched kernel."""
    image = x if data_format == "NCHW" else np.moveaxis(x, -1, 1)
    for axis, out in enumerate(size, 2):
        n = image.shape[axis]
        ratio = (n - 1) / (out - 1) if align_corners else 1 / scale[axis - 2] if scale else n / out
        stretch = max(ratio, 1)
        reach = stretch * (1 if interp_method == "bilinear" else 2)
        matrix = np.zeros((out, n))
        for o, i in np.ndindex(out, n):
            center = (o + 0.5) * ratio
            if max(int(center - reach + 0.5), 0) <= i < int(center + reach + 0.5):
                d = abs((i + 0.5 - center) / stretch)
                near, far = 1.5 * d**3 - 2.5 * d**2 + 1, -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2
                cubic = near if d < 1 else far if d < 2 else 0
                matrix[o, i] = max(1 - d, 0) if interp_method == "bilinear" else cubic
        matrix /= matrix.sum(1, keepdims=True)
        image = np.moveaxis(np.tensordot(image, matrix, (axis, 1)), -1, axis)
    return image if data_format == "NCHW" else np.moveaxis(image, 1, -1)


def interp_antialias_samples():
    """Yield both methods, shrinking and enlarging."""
    x = values((2, 2, 7, 6))
    for method in ("bilinear", "bicubic"):
        yield Sample(x, size=(3, 2), interp_method=method)
        yield Sample(x, size=(9, 8), interp_method=method)
    yield Sample(np.moveaxis(x, 1, -1), size=(3, 2), align_corners=True, data_format="NHWC")


interp_antialias = op(
    "interp_antialias",
    real_only(interp_antialias_forward),
    vjp=interp_antialias_vjp,
    shapes="x",
    public=None,
    reference=interp_antialias_reference,
    samples=interp_antialias_samples,
    formula="dx = dout, times the weights with which x was read",
    doc="Resize images by averages of the elements between the positions; F.interpolate with "
    "antialias=True.",
    example="paddle.nn.functional.interpolate("
    "paddle.ones([1, 1, 4, 4]), [2, 2], mode='bilinear', antialias=True)",
)
