"""image: the values of a tensor as a picture."""

from __future__ import annotations

import io
import math
import os
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.vision.pillow import pillow

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

    from jaxeager.tensor.tensor import Tensor

_GAP = 2  # pixels between two pictures
_SIDE = 256  # pixels of the larger side, up to which small pictures are enlarged
_MOST_PIXELS = 1 << 24
_NOT_FINITE = (255, 0, 255)
_CHANNELS = (1, 3, 4)  # of a gray, an RGB and an RGBA picture
_KNOWN_LIMITS = {np.dtype("uint8"): 255.0, np.dtype("bool"): 1.0}


class Picture:
    """A picture that notebooks show.

    Attributes:
        image: the ``PIL.Image``.
    """

    def __init__(self, image: PillowImage):
        self.image = image

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.image.save(out, "PNG")
        return out.getvalue()

    def __repr__(self) -> str:
        width, height = self.image.size
        return f"Picture({width} x {height})"

    def save(self, path: str | os.PathLike) -> None:
        """Write the picture; the suffix of the path chooses the format."""
        self.image.save(path)


def image(
    tensor: Tensor | jax.Array | np.ndarray,
    layout: str = "CHW",
    limits: tuple[float, float] | None = None,
    columns: int | None = None,
) -> Picture:
    """Return a tensor as a picture, or as a grid of pictures, one for each element of a batch.

    Numbers from the lower to the upper limit become black to white; NaN and infinity are magenta.
    Small pictures are enlarged by a whole number, so that each element remains a square.

    Args:
        tensor: a Tensor or array of shape ``[H, W]``, ``[C, H, W]`` or ``[N, C, H, W]``; bool, an
            integer or a float. One channel is gray, three are RGB, four are RGBA; of any other
            number each channel is a picture.
        layout: "CHW", or "HWC" if channels are last.
        limits: the numbers that are black and white; by default 0 and 255 for uint8, 0 and 1 for
            bool, else the minimum and maximum.
        columns: the number of pictures in a row of the grid; by default as many as make a square.

    Returns:
        a Picture: notebooks show it, and ``save(path)`` writes it.

    Raises:
        InvalidTypeError: for what is no array with values, or a dtype that has no brightness.
        InvalidArgumentError: for another number of axes, an empty tensor, limits that are not two
            finite numbers in order, or a picture of more than 16 million pixels.
        UnavailableError: if Pillow is not installed.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.notebook import image
        >>> image(paddle.rand([6, 3, 8, 8]), columns=3)
        Picture(252 x 162)
    """
    values = _values(tensor)
    batch = _batch(values, layout)
    pixels = _pixels(batch, _limits(values, limits))
    grid = _grid(pixels, _columns(columns, len(pixels)))
    height, width = grid.shape[:2]
    made = pillow().fromarray(grid[..., 0] if grid.shape[2] == 1 else grid)
    times = max(1, _SIDE // max(height, width))
    return Picture(made.resize((width * times, height * times), pillow().Resampling.NEAREST))


def _values(tensor: object) -> np.ndarray:
    """Return the values on the host; bool, integers or floats."""
    array = tensor if isinstance(tensor, np.ndarray) else getattr(tensor, "_array", tensor)
    if not isinstance(array, (np.ndarray, jax.Array)) or isinstance(array, Tracer):
        raise InvalidTypeError(
            f"image shows a Tensor or an array with values, but received {type(tensor).__name__}."
        )
    values = host_values(array) if isinstance(array, jax.Array) else array
    if values.dtype.kind not in ("b", "u", "i") and not jax.numpy.issubdtype(
        values.dtype, np.floating
    ):
        raise InvalidTypeError(
            f"image shows tensors of bool, integers or floats, but received {values.dtype}."
        )
    if not values.size:
        raise InvalidArgumentError(f"image received no pixels: shape {list(values.shape)}.")
    return values if values.dtype in _KNOWN_LIMITS else values.astype("float64")


def _batch(values: np.ndarray, layout: str) -> np.ndarray:
    """Return pictures of shape [N, H, W, channels]; channels are 1, 3 or 4."""
    if layout not in ("CHW", "HWC"):
        raise InvalidArgumentError(f'layout must be "CHW" or "HWC", but is {layout!r}.')
    if values.ndim not in (2, 3, 4):
        raise InvalidArgumentError(
            "image shows shapes [H, W], [C, H, W] and [N, C, H, W], but received "
            f"{list(values.shape)}. Reshape it, or pass a part of it."
        )
    if values.ndim == 2:
        return values[None, :, :, None]
    batch = values if values.ndim == 4 else values[None]
    batch = batch.transpose(0, 2, 3, 1) if layout == "CHW" else batch
    count, height, width, channels = batch.shape
    if channels in _CHANNELS:
        return batch
    return batch.transpose(0, 3, 1, 2).reshape(count * channels, height, width, 1)


def _limits(values: np.ndarray, limits: Any) -> tuple[float, float]:
    """Return the numbers that are black and white."""
    if limits is None:
        if values.dtype in _KNOWN_LIMITS:
            return 0.0, _KNOWN_LIMITS[values.dtype]
        finite = values[np.isfinite(values)]
        return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError, OverflowError):
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidArgumentError(
            f"limits must be two finite numbers, the smaller one first, but are {limits!r}."
        )
    return low, high


def _pixels(batch: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Return pictures of uint8, in color if a number is not finite."""
    low, high = limits
    bad = ~np.isfinite(batch).all(axis=-1)
    with np.errstate(invalid="ignore", over="ignore"):
        halves = batch.astype("float64") / 2 - low / 2  # of halves, the difference is finite
        scaled = halves / ((high / 2 - low / 2) or 1.0)
    pixels = (np.nan_to_num(np.clip(scaled, 0.0, 1.0)) * 255.0).round().astype("uint8")
    if not bad.any():
        return pixels
    pixels = np.repeat(pixels, 3, axis=-1) if pixels.shape[-1] == 1 else pixels
    pixels[bad, :3] = _NOT_FINITE
    pixels[bad, 3:] = 255
    return pixels


def _columns(columns: int | None, count: int) -> int:
    if columns is None:
        return math.ceil(math.sqrt(count))
    if isinstance(columns, bool) or not isinstance(columns, int) or columns < 1:
        raise InvalidArgumentError(f"columns must be an integer from 1, but is {columns!r}.")
    return min(columns, count)


def _grid(pixels: np.ndarray, columns: int) -> np.ndarray:
    """Return the pictures side by side, with white or transparent gaps."""
    count, height, width, channels = pixels.shape
    rows = math.ceil(count / columns)
    shape = rows * (height + _GAP) - _GAP, columns * (width + _GAP) - _GAP, channels
    if shape[0] * shape[1] > _MOST_PIXELS:
        raise InvalidArgumentError(
            f"The picture would have {shape[0]} x {shape[1]} pixels, more than {_MOST_PIXELS}. "
            "Pass fewer or smaller ones."
        )
    grid = np.full(shape, 0 if channels == 4 else 255, "uint8")
    for number, picture in enumerate(pixels):
        top, left = number // columns * (height + _GAP), number % columns * (width + _GAP)
        grid[top : top + height, left : left + width] = picture
    return grid
