"""F.interpolate and F.upsample, which resize sequences, images and volumes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.core.further_names import other_order
from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.ops.register import composite
from jaxeager.ops.vision import interpolate as rows

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike
    from jaxeager.tensor.tensor import Tensor

# The layouts by number of dimensions; the row and its numbers of dimensions by mode.
LAYOUTS = {3: ("NCW", "NWC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}
ROWS = {
    "nearest": (rows.nearest_interp, (4, 5)),
    "linear": (rows.linear_interp, (3,)),
    "bilinear": (rows.bilinear_interp, (4,)),
    "bicubic": (rows.bicubic_interp, (4,)),
    "trilinear": (rows.trilinear_interp, (5,)),
}
AREA = {
    3: "adaptive_avg_pool1d",
    4: "adaptive_avg_pool2d",
    5: "adaptive_avg_pool3d",
}


def _layout(x, data_format) -> str:
    if x.ndim not in LAYOUTS:
        raise InvalidArgumentError(
            "The dimension of the input tensor should only be 3-D, 4-D or 5-D, but the received "
            f"dimension is {x.ndim}."
        )
    allowed = LAYOUTS[x.ndim]
    layout = allowed[0] if data_format is None else data_format.upper()
    if layout not in allowed:
        raise InvalidArgumentError(
            f"Got wrong value for param `data_format`: {layout} received but only `{allowed[0]}` "
            f"or `{allowed[1]}` supported for {x.ndim}-D input."
        )
    return layout


def _check(x, mode: str, align_corners, align_mode, antialias) -> None:
    if mode not in (*ROWS, "area"):
        raise InvalidArgumentError(
            "The 'resample' of image_resize can only be 'area', 'linear', 'bilinear', 'trilinear', "
            f" 'bicubic' or 'nearest' currently. Received {mode!r}."
        )
    if mode != "area" and x.ndim not in ROWS[mode][1]:
        allowed = " or ".join(f"{ndim}-D" for ndim in ROWS[mode][1])
        raise InvalidArgumentError(
            f"mode {mode!r} takes a {allowed} tensor, but received one of {x.ndim} dimensions."
        )
    for name, value in (("align_corners", align_corners), ("antialias", antialias)):
        if not isinstance(value, bool):
            raise InvalidTypeError(f"Attr {name} should be a bool value, but received {value!r}.")
    if align_mode not in (0, 1):
        raise InvalidArgumentError(f"align_mode can only be 0 or 1, but received {align_mode!r}.")
    if align_corners and mode == "nearest":
        raise InvalidArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise InvalidArgumentError(
            "Anti-alias option is only supported for bilinear and bicubic modes"
        )


def _plain(value):
    """Return a size or factor with Tensors replaced by numbers; waits for their values."""
    if hasattr(value, "_storage"):
        return value.tolist()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [each.item() if hasattr(each, "item") else each for each in value]
    return value


def _given_size(size, dims: int) -> list[int]:
    wanted = _plain(size)
    if not isinstance(wanted, list):
        raise InvalidTypeError(
            f"size should be a list or tuple or Tensor, but received {type(size).__name__}."
        )
    if len(wanted) != dims:
        raise InvalidArgumentError(
            f"The x and size should satisfy rank(x) - 2 == len(size). Received a size of "
            f"{wanted} for a tensor of {dims + 2} dimensions."
        )
    if any(n <= 0 for n in wanted):
        raise RefusedArgumentError(
            f"Each dimension size given in out_shape must be greater than 0, but received {wanted}."
        )
    return [n if is_symbolic(n) else int(n) for n in wanted]


def _given_scale(scale_factor, dims: int) -> list[float]:
    scale = _plain(scale_factor)
    scales = [float(each) for each in scale] if isinstance(scale, list) else [float(scale)] * dims
    if len(scales) != dims:
        raise InvalidArgumentError(
            f"scale_shape length should be {dims} for input {dims + 2}-D tensor, but received "
            f"{scales}."
        )
    if min(scales) <= 0:
        raise InvalidArgumentError(
            f"Attr(scale) should be greater than zero, but received {scales}."
        )
    return scales


@composite(public="functional", method=False)
@other_order(5, "recompute_scale_factor antialias", lambda each: type(each) is not int)
def interpolate(
    x: Tensor,
    size: ShapeLike | None = None,
    scale_factor: ShapeLike | float | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize sequences, images or volumes.

    Args:
        x: float[N, C, W], [N, C, H, W] or [N, C, D, H, W]; or with the channels last.
        size: the spatial sizes of the result, a list or a Tensor; or pass scale_factor.
        scale_factor: factor of the sizes, a number or one per dimension.
        mode: "nearest" (4-D, 5-D), "linear" (3-D), "bilinear", "bicubic" (4-D), "trilinear" (5-D)
            or "area" (averages, as adaptive_avg_pool).
        align_corners: whether the centers of the outermost elements stay aligned; else the
            outer edges of the images do. An error in mode "nearest", ignored in "area".
        align_mode: for the linear modes without align_corners, 0 measures from the centers of
            elements, 1 from their lower edges.
        data_format: "NCW", "NWC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; channels first by default.
        recompute_scale_factor: recompute the factor from the rounded sizes.
        antialias: average over the covered elements when shrinking; "bilinear", "bicubic".
        name: ignored.

    Returns:
        float[N, C, ...] of the requested size.

    Raises:
        InvalidArgumentError: for an invalid mode, size, factor or layout.
        InvalidTypeError: for a size that is not a list, and flags that are not bool.

    The arguments after ``align_corners`` may be ``recompute_scale_factor, antialias``, too: a sixth
    one that is not an int, such as None or True, is the first of these.

    Paddle: mode "area" ignores ``data_format``, and ``recompute_scale_factor`` reads the sizes of a
    channels-last layout from the wrong dimensions; both work here. For a size of 1, Paddle returns
    the first element in modes "linear", "bilinear" and "bicubic"; here it is the middle, as in
    "trilinear". Modes other than "nearest" only accept floating tensors; Paddle also accepts uint8.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0]]]])
        >>> paddle.nn.functional.interpolate(x, scale_factor=[1, 2]).tolist()
        [[[[1.0, 1.0, 2.0, 2.0]]]]
        >>> F = paddle.nn.functional
        >>> F.interpolate(x, [1, 3], mode="bilinear", align_corners=True).tolist()
        [[[[1.0, 1.5, 2.0]]]]
    """
    mode = mode.lower()
    _check(x, mode, align_corners, align_mode, antialias)
    layout = _layout(x, data_format)
    if (size is None) == (scale_factor is None):
        raise InvalidArgumentError(
            "One of size and scale_factor must not be None."
            if size is None
            else "Only one of size or scale_factor should be defined."
        )
    dims, kind = x.ndim - 2, "NCHW" if layout[1] == "C" else "NHWC"
    if mode == "area":
        return _area(x, size, layout, dims)
    before = x.shape[2:] if kind == "NCHW" else x.shape[1:-1]
    scales = []
    if size is None:
        scales = _given_scale(scale_factor, dims)
        wide = np.float64 if recompute_scale_factor else np.float32
        wanted = [_scaled(n, s, wide) for n, s in zip(before, scales, strict=True)]
        if recompute_scale_factor:
            scales = []
    elif recompute_scale_factor:
        raise InvalidArgumentError(
            "recompute_scale_factor is not meaningful with an explicit size."
        )
    else:
        wanted = _given_size(size, dims)
    if antialias:
        return rows.interp_antialias(x, wanted, scales, mode, align_corners, kind)
    return ROWS[mode][0](x, wanted, scales, mode, align_corners, align_mode, kind)


def _scaled(size, scale: float, kind: type) -> int:
    """Return a size times a factor, rounded down after a product in the float type ``kind``."""
    if not is_symbolic(size):
        return int(kind(size) * kind(scale))
    factor = Fraction(float(kind(scale))).limit_denominator(_MOST_PARTS)
    if kind(factor.numerator / factor.denominator) != kind(scale):
        raise Undecided(
            "an open size can be multiplied by a number such as 2 or 0.75, a fraction whose "
            f"denominator is at most {_MOST_PARTS}; scale_factor={scale!r} is not such a number."
        )
    return size * factor.numerator // factor.denominator


_MOST_PARTS = 4096  # up to this denominator, sizes that float32 holds exactly round the same


def _area(x, size, layout: str, dims: int):
    """Average over as many windows as the result has elements."""
    if size is None:
        raise InvalidArgumentError("output size can not be None in AREA mode")
    pool = getattr(paddle.nn.functional, AREA[x.ndim])
    wanted = _given_size(size, dims)
    if dims > 1:
        return pool(x, wanted, data_format=layout)
    if layout == "NCW":
        return pool(x, wanted[0])
    return paddle.transpose(pool(paddle.transpose(x, [0, 2, 1]), wanted[0]), [0, 2, 1])


@composite(public="functional", method=False)
def upsample(
    x: Tensor,
    size: ShapeLike | None = None,
    scale_factor: ShapeLike | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Resize sequences, images or volumes: an older name of ``interpolate``.

    Args:
        x: as in ``interpolate``; so are the others.
        size: the spatial sizes of the result.
        scale_factor: factor of the sizes.
        mode: interpolation mode.
        align_corners: whether the centers of the outermost elements stay aligned.
        align_mode: where positions are measured from.
        data_format: the layout.
        name: ignored.

    Returns:
        float[N, C, ...] of the requested size.

    Raises:
        InvalidArgumentError: as for ``interpolate``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.upsample(paddle.ones([1, 1, 2, 2]), scale_factor=2).shape
        paddle.Size([1, 1, 4, 4])
    """
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)
