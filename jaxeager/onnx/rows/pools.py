"""Pooling, resizing and padding of images."""

from __future__ import annotations

from jaxeager.core.symbolic import has_symbols, is_symbolic
from jaxeager.onnx.converter import RowCall, row
from jaxeager.onnx.sizes import shape_vector


def per_axis(value, count: int) -> list[int]:
    """Return an int, or ints, as one for each axis."""
    return [int(value)] * count if isinstance(value, int) else [int(each) for each in value]


def pads_of(value, count: int) -> list[int] | None:
    """Return padding in ONNX's order, all that is before and then all that is after."""
    amounts = per_axis(value, count)
    if len(amounts) == count:
        return amounts * 2
    return amounts[::2] + amounts[1::2] if len(amounts) == 2 * count else None


@row("pool2d", "pool3d")
def _pool(call: RowCall) -> str | None:
    """Write ``MaxPool`` or ``AveragePool``; the steps for windows that ONNX counts otherwise."""
    attrs, count = call.attrs, len(call.shape) - 2
    is_max = attrs["pooling_type"] == "max"
    if not attrs["data_format"].startswith("NC") or not call.is_of("float16", "float32"):
        return None
    if attrs["adaptive"]:
        return _adaptive(call, count, is_max)
    if attrs["ceil_mode"]:  # the last window may begin outside, which runtimes treat differently
        return None
    pads = pads_of(attrs["paddings"], count)
    if pads is None:
        return None
    return call.builder.node(
        "MaxPool" if is_max else "AveragePool",
        [call.x],
        kernel_shape=per_axis(attrs["kernel_size"], count),
        strides=per_axis(attrs["strides"], count),
        pads=pads,
        count_include_pad=None if is_max else int(not attrs["exclusive"]),
    )


def _adaptive(call: RowCall, count: int, is_max: bool) -> str | None:
    """Write adaptive pooling to one element, or with windows of one size."""
    sizes, images = per_axis(call.attrs["kernel_size"], count), call.shape[2:]
    if sizes == [1] * count:
        return call.builder.node("GlobalMaxPool" if is_max else "GlobalAveragePool", [call.x])
    if has_symbols(images) or any(n % k for n, k in zip(images, sizes, strict=True)):
        return None
    window = [n // k for n, k in zip(images, sizes, strict=True)]
    operator = "MaxPool" if is_max else "AveragePool"
    return call.builder.node(operator, [call.x], kernel_shape=window, strides=window)


@row("nearest_interp", "linear_interp", "bilinear_interp", "trilinear_interp")
def _interp(call: RowCall) -> str | None:
    """Write ``Resize``, with the centres of pixels where Paddle has them."""
    attrs, is_nearest = call.attrs, call.name == "nearest_interp"
    if not attrs["data_format"].startswith("NC") or not call.is_of("float32"):
        return None
    if is_nearest and attrs["align_corners"]:
        return None
    centres = "align_corners" if attrs["align_corners"] else "half_pixel"
    if not attrs["align_corners"] and (is_nearest or attrs["align_mode"] == 1):
        centres = "asymmetric"
    b = call.builder
    if _may_copy(call):
        return None
    if attrs["scale"]:  # the factor, not the ratio of the sizes, decides where the centres are
        scales = [1.0, 1.0, *_factors(attrs["scale"], len(call.shape) - 2)]
        sizes = [b.constant(scales, "float32")]
    else:
        sizes = ["", shape_vector(b, call.out_shapes[0])]
    return b.node(
        "Resize",
        [call.x, "", *sizes],
        mode="nearest" if is_nearest else "linear",
        coordinate_transformation_mode=centres,
        nearest_mode="floor" if is_nearest else None,
    )


def _may_copy(call: RowCall) -> bool:
    """Return whether a factor may keep all sizes, as of 5 pixels resized by 1.1.

    Paddle copies such an image. So does onnxruntime 1.32; by ONNX the factor moves the pixels.
    """
    factors = call.attrs["scale"] and _factors(call.attrs["scale"], len(call.shape) - 2)
    if not factors or set(factors) == {1.0}:
        return False
    pairs = zip(call.shape[2:], factors, strict=True)
    return all(1 <= f < 2 and (is_symbolic(n) or int(n * f) == n) for n, f in pairs)


def _factors(scale, count: int) -> list[float]:
    """Return a factor for each axis."""
    factors = list(scale) if isinstance(scale, (list, tuple)) else [scale]
    return [float(each) for each in (factors * count if len(factors) == 1 else factors)]


_PAD_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@row("pad3d")
def _pad(call: RowCall) -> str | None:
    """Write ``Pad`` with elements of the tensor; the last axis is the first in Paddle's list."""
    attrs, count = call.attrs, len(call.shape) - 2
    mode, paddings = _PAD_MODES.get(attrs["mode"]), per_axis(attrs["paddings"], 2 * count)
    if mode is None or not attrs["data_format"].startswith("NC") or min(paddings) < 0:
        return None
    lows, highs = paddings[::2][::-1], paddings[1::2][::-1]
    amounts = call.builder.integers(0, 0, *lows, 0, 0, *highs)
    return call.builder.node("Pad", [call.x, amounts], mode=mode)
