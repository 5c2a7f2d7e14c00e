"""Transforms of NumPy images [H, W] or [H, W, C], with the colors red, green, blue."""

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.transforms import arguments, matrices, sampling

GRAY = (0.299, 0.587, 0.114)


def size_of(img) -> tuple[int, int]:
    """Return width and height."""
    return img.shape[1], img.shape[0]


def resize(img, size, interpolation):
    """Resize without averaging over the pixels in between."""
    height, width = arguments.resized(size, *size_of(img))
    if isinstance(size, int) and (height, width) == img.shape[:2]:
        return img
    return sampling.resample(img, height, width, interpolation)


def crop(img, top, left, height, width):
    """Crop, as a view."""
    return img[top : top + height, left : left + width]


def hflip(img):
    """Mirror columns."""
    return np.ascontiguousarray(img[:, ::-1])


def vflip(img):
    """Mirror rows."""
    return np.ascontiguousarray(img[::-1])


def pad(img, padding, fill, padding_mode):
    """Add borders; a number fills all channels."""
    left, top, right, bottom = arguments.borders(padding, fill, padding_mode)
    widths = [(top, bottom), (left, right), (0, 0)][: img.ndim]
    if padding_mode != "constant":
        return np.pad(img, widths, padding_mode)
    height, width = img.shape[0] + top + bottom, img.shape[1] + left + right
    out = np.empty((height, width, *img.shape[2:]), img.dtype)
    out[...] = sampling.filling(fill, 1 if img.ndim == 2 else img.shape[2])
    out[top : top + img.shape[0], left : left + img.shape[1]] = img
    return out


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    """Rotate, move, scale and shear."""
    size = size_of(img)
    middle = [each / 2 for each in size] if center is None else center
    matrix = matrices.affine_matrix(middle, angle, translate, scale, shear)
    return sampling.warp(img, matrix, size, interpolation, fill)


def rotate(img, angle, interpolation, expand, center, fill):
    """Rotate."""
    matrix, size = matrices.rotation_matrix(size_of(img), angle, center, expand)
    return sampling.warp(img, matrix, size, interpolation, fill)


def perspective(img, startpoints, endpoints, interpolation, fill):
    """Map startpoints to endpoints."""
    matrix = matrices.perspective_coefficients(startpoints, endpoints)
    return sampling.warp(img, matrix, size_of(img), interpolation, fill)


def to_grayscale(img, num_output_channels):
    """Return [H, W, 1] or [H, W, 3]."""
    gray = _gray(img)[..., None]
    return np.repeat(gray, arguments.channels(num_output_channels), axis=2)


def _gray(img):
    """Return [H, W]; integers are rounded as in Pillow."""
    if img.ndim == 2 or img.shape[2] == 1:
        return img.reshape(img.shape[:2])
    if img.shape[2] != 3:
        raise InvalidArgumentError(
            f"an image of 1 or 3 channels can be made gray, but this has {img.shape[2]}."
        )
    if img.dtype != np.uint8:
        return sampling.restored(img @ np.asarray(GRAY, np.result_type(img, np.float32)), img.dtype)
    weights = np.array([19595, 38470, 7471], np.uint32)  # 16-bit fixed-point values of GRAY
    return ((img.astype(np.uint32) @ weights + 0x8000) >> 16).astype(np.uint8)


def adjust_brightness(img, factor):
    """Multiply bytes."""
    return _looked_up(img, np.arange(256) * arguments.factor("brightness_factor", factor))


def adjust_contrast(img, factor):
    """Move bytes away from 74, or towards it."""
    arguments.factor("contrast_factor", factor)
    return _looked_up(img, (np.arange(256) - 74) * factor + 74)


def _looked_up(img, table):
    return table.clip(0, 255).astype(np.uint8)[img.astype(np.uint8)]


def adjust_saturation(img, factor):
    """Move colors away from gray, or towards it."""
    arguments.factor("saturation_factor", factor)
    gray = _gray(img).reshape(*img.shape[:2], *[1] * (img.ndim - 2)).astype(np.float32)
    return (img * np.float32(factor) + gray * np.float32(1 - factor)).clip(0, 255).astype(img.dtype)


def adjust_hue(img, factor):
    """Rotate the hue of bytes."""
    arguments.hue(factor)
    if img.ndim == 2 or img.shape[2] == 1:
        return img
    count = img.shape[2]
    arguments.demand(count == 3, f"an image of 1 or 3 channels has a hue, but this has {count}.")
    hue, saturation, value = _to_hsv(img.astype(np.uint8))
    hue = (hue + int(factor * 255)) % 256
    return _from_hsv(hue, saturation, value).astype(img.dtype)


def _to_hsv(img):
    """Return hue, saturation and value of bytes, each from 0 to 255, truncated as in Pillow."""
    planes = np.ascontiguousarray(np.moveaxis(img, -1, 0)).astype(np.float32)
    red, green, _ = planes
    top = planes.max(0)
    spread = top - planes.min(0)
    lacks = top - planes
    lacks /= np.where(spread == 0, 1, spread)
    red_lacks, green_lacks, blue_lacks = lacks.astype(np.float64)
    sixths = 4 + green_lacks - red_lacks
    np.copyto(sixths, 2 + red_lacks - blue_lacks, where=green == top)
    np.copyto(sixths, blue_lacks - green_lacks, where=red == top)
    # Rounded at the same step as in Pillow: a third of the circle stays a third.
    hue = sixths.astype(np.float32) / np.float64(6) + 1
    hue = (hue - np.floor(hue)).astype(np.float32).astype(np.float64)
    hue[spread == 0] = 0
    saturation = spread / np.where(top == 0, 1, top)
    return (hue * 255).astype(np.int32), (saturation * 255).astype(np.int32), top.astype(np.int32)


# For each hue: the sixth of the circle that it is in, and its position there.
_SECTORS, _PARTS = np.divmod(np.arange(256) * 6 / 255, 1)
# For each sixth: the indices of red, green and blue in (value, low, falling, rising).
_WAYS = np.array([(0, 3, 1), (2, 0, 1), (1, 0, 3), (1, 2, 0), (3, 1, 0), (0, 1, 2)])


def _from_hsv(hue, saturation, value):
    """Return the colors for the result of ``_to_hsv``."""
    part, pale, sector = _PARTS[hue], saturation / 255, _SECTORS.astype(np.int64)[hue] % 6
    kinds = np.empty((4, *hue.shape), np.uint8)
    kinds[0] = value
    for kind, each in enumerate((1, part, 1 - part), 1):
        kinds[kind] = value * (1 - pale * each) + 0.5
    chosen = _WAYS[sector]
    return np.take_along_axis(np.moveaxis(kinds, 0, -1), chosen, -1)


def normalize(img, mean, std, data_format, to_rgb):
    """Subtract means and divide by deviations; ``to_rgb`` reverses the last dimension first."""
    shape = (-1, 1, 1) if data_format == "CHW" else (1, 1, -1)
    mean, std = (np.asarray(each).astype(np.float32).reshape(shape) for each in (mean, std))
    return ((img[..., ::-1] if to_rgb else img) - mean) / std


def erase(img, i, j, h, w, v, inplace):
    """Write into a rectangle, of a copy unless ``inplace``."""
    out = img if inplace else img.copy()
    out[i : i + h, j : j + w] = v
    return out
