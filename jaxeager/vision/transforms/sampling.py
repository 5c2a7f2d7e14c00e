"""Sampling of NumPy images [H, W, C] between their pixels: resizing and warping."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.transforms.arguments import demand, one_of


def resample(image: np.ndarray, height: int, width: int, interpolation: str) -> np.ndarray:
    """Resize an image; pixels are squares, and only "area" averages.

    Args:
        image: [H, W] or [H, W, C].
        height: height of the result.
        width: width of the result.
        interpolation: "nearest", "bilinear", "bicubic", "lanczos" or "area".

    Returns:
        [height, width] or [height, width, C] of the same dtype, integers rounded.

    Raises:
        InvalidArgumentError: for any other interpolation, or a size below one pixel.
    """
    one_of("interpolation", interpolation, RESIZERS)
    demand(
        min(height, width, *image.shape[:2]) > 0,
        f"an image of {image.shape[:2]} pixels cannot be resized to {(height, width)}.",
    )
    shrinks = height <= image.shape[0] and width <= image.shape[1]
    values = image
    for axis, count in enumerate((height, width)):
        weigh = area if interpolation == "area" and shrinks else RESIZERS[interpolation]
        values = _weighted(values, axis, *weigh(image.shape[axis], count))
    return restored(values, image.dtype)


def restored(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Cast values to the dtype of the image; integers are rounded and clipped."""
    if dtype.kind not in "ui":
        return values.astype(dtype)
    bounds = np.iinfo(dtype)
    return np.clip(np.rint(values), bounds.min, bounds.max).astype(dtype)


def _working(dtype: np.dtype) -> np.dtype:
    """Return the dtype to compute in."""
    exact = dtype == np.float64 or (dtype.kind in "ui" and dtype.itemsize > 2)
    return np.dtype(np.float64 if exact else np.float32)


def _weighted(values: np.ndarray, axis: int, places, weights) -> np.ndarray:
    """Return sums along an axis: element i is the sum over k of weights[i, k] at places[i, k]."""
    inside = np.clip(places, 0, values.shape[axis] - 1)
    if weights is None:
        return np.take(values, inside[:, 0], axis)
    kind = _working(values.dtype)
    shape = [1] * values.ndim
    shape[axis] = -1
    total = 0
    for place, weight in zip(inside.T, weights.T.astype(kind), strict=True):
        total = total + np.take(values, place, axis).astype(kind) * weight.reshape(shape)
    return np.asarray(total)


def _around(position: np.ndarray, first: int, taps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels around positions, and the distances of the positions from them."""
    low = np.floor(position)
    offsets = np.arange(first, first + taps)
    part = (position - low)[..., None]
    return low[..., None].astype(np.int64) + offsets, part - offsets


def _positions(size: int, count: int) -> np.ndarray:
    return (np.arange(count) + 0.5) * (size / count) - 0.5


def _kernel(first: int, taps: int, weigh: Callable) -> Callable:
    """Return the rule of a kernel: a function from two sizes to places and weights."""

    def rule(size: int, count: int):
        places, distances = _around(_positions(size, count), first, taps)
        return places, weigh(distances)

    return rule


def triangle(distance: np.ndarray) -> np.ndarray:
    """Return linear weights between neighbors."""
    return np.maximum(1 - abs(distance), 0)


def cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Return the weights of Keys' cubic; ``a`` is its slope at a distance of one pixel."""
    x = abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def _lanczos(distance: np.ndarray) -> np.ndarray:
    weights = np.sinc(distance) * np.sinc(distance / 4)
    return weights / weights.sum(-1, keepdims=True)


def _nearest(size: int, count: int):
    return np.floor(np.arange(count) * (size / count)).astype(np.int64)[:, None], None


def area(size: int, count: int):
    """Return places and weights that average the area covered by each pixel of a smaller image."""
    edges = np.arange(count + 1) * (size / count)
    low, high = edges[:-1, None], edges[1:, None]
    places = np.floor(low).astype(np.int64) + np.arange(math.ceil(size / count) + 1)
    covered = np.minimum(high, places + 1) - np.maximum(low, places)
    weights = np.maximum(covered, 0)
    return places, weights / weights.sum(-1, keepdims=True)


def _area_of_larger(size: int, count: int):
    """Return places and weights that mix two pixels where a pixel of a larger image covers both."""
    scale = size / count
    low = np.floor(np.arange(count) * scale)
    part = np.arange(count) + 1 - (low + 1) / scale
    part = np.where(part <= 0, 0, part - np.floor(part))
    return low[:, None].astype(np.int64) + np.arange(2), np.stack([1 - part, part], -1)


RESIZERS: dict[str, Callable] = {
    "nearest": _nearest,
    "bilinear": _kernel(0, 2, triangle),
    "bicubic": _kernel(-1, 4, lambda distance: cubic(distance, -0.75)),
    "lanczos": _kernel(-3, 8, _lanczos),
    "area": _area_of_larger,
}

# For each interpolation of a warp: the first pixel around a position, their number, their weights.
WARPS: dict[str, tuple[int, int, Callable]] = {
    "nearest": (0, 1, np.ones_like),
    "bilinear": (0, 2, triangle),
    "bicubic": (-1, 4, lambda distance: cubic(distance, -1.0)),  # as in Pillow
}


def warp(
    image: np.ndarray, matrix: Sequence[float], size: tuple[int, int], interpolation: str, fill
) -> np.ndarray:
    """Return an image whose pixels are sampled where a map takes their centers.

    Args:
        image: [H, W] or [H, W, C].
        matrix: six numbers of an affine map (see matrices.py), or eight of a perspective one.
        size: width and height of the result.
        interpolation: "nearest", "bilinear" or "bicubic".
        fill: value of pixels outside the image, a number or one per channel.

    Returns:
        [height, width] or [height, width, C] of the same dtype, integers rounded.

    Raises:
        InvalidArgumentError: for any other interpolation, or a fill that does not match.
    """
    first, taps, weigh = WARPS[one_of("interpolation", interpolation, WARPS)]
    x, y = _sources(matrix, *size)
    height, width = image.shape[:2]
    is_inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    is_flat = image.ndim == 2
    pixels = image[..., None] if is_flat else image
    out = np.empty((*is_inside.shape, pixels.shape[2]), image.dtype)
    out[...] = filling(fill, pixels.shape[2])
    shift = 0 if interpolation == "nearest" else 0.5
    columns, x_distances = _around(x[is_inside] - shift, first, taps)
    rows, y_distances = _around(y[is_inside] - shift, first, taps)
    columns, rows = np.clip(columns, 0, width - 1), np.clip(rows, 0, height - 1)
    flat, starts = pixels.reshape(-1, pixels.shape[2]), rows * width
    if taps == 1:
        out[is_inside] = np.take(flat, starts[:, 0] + columns[:, 0], 0)
        return out[..., 0] if is_flat else out
    kind = _working(image.dtype)
    flat = flat.astype(kind)
    across, along = weigh(x_distances).astype(kind), weigh(y_distances).astype(kind)
    total = np.zeros((len(rows), pixels.shape[2]), kind)
    for i, j in np.ndindex(taps, taps):
        total += (
            np.take(flat, starts[:, i] + columns[:, j], 0) * (along[:, i] * across[:, j])[:, None]
        )
    out[is_inside] = restored(total, image.dtype)
    return out[..., 0] if is_flat else out


def _sources(matrix: Sequence[float], width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions in the image of the centers of the result's pixels."""
    x, y = np.arange(width) + 0.5, (np.arange(height) + 0.5)[:, None]
    a, b, c, d, e, f, *rest = matrix
    across, along = a * x + b * y + c, d * x + e * y + f
    if not rest:
        return across, along
    divisor = rest[0] * x + rest[1] * y + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return across / divisor, along / divisor


def filling(fill, count: int) -> np.ndarray:
    """Return one number, or one number per channel.

    Raises:
        InvalidArgumentError: for any other number of them.
    """
    values = np.asarray(fill, float).ravel()
    if values.size not in (1, count):
        raise InvalidArgumentError(
            f"fill should be a number or {count} of them for an image of {count} channels, but got "
            f"{fill}."
        )
    return values
