"""Transforms of Pillow images, computed by Pillow."""

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.pillow import pillow
from jaxeager.vision.transforms import arguments, matrices, on_arrays

RESIZERS = ("nearest", "bilinear", "bicubic", "box", "lanczos", "hamming")
WARPS = ("nearest", "bilinear", "bicubic")


def size_of(img) -> tuple[int, int]:
    """Return width and height."""
    return img.size


def _resampling(interpolation: str, known):
    return pillow().Resampling[arguments.one_of("interpolation", interpolation, known).upper()]


def resize(img, size, interpolation):
    """Resize; a smaller image averages over the pixels in between."""
    height, width = arguments.resized(size, *img.size)
    if isinstance(size, int) and (width, height) == img.size:
        return img
    return img.resize((width, height), _resampling(interpolation, RESIZERS))


def crop(img, top, left, height, width):
    """Crop; pixels outside the image are black."""
    return img.crop((left, top, left + width, top + height))


def hflip(img):
    """Mirror columns."""
    return img.transpose(pillow().Transpose.FLIP_LEFT_RIGHT)


def vflip(img):
    """Mirror rows."""
    return img.transpose(pillow().Transpose.FLIP_TOP_BOTTOM)


def pad(img, padding, fill, padding_mode):
    """Add borders; a single number is a color as interpreted by Pillow: the low byte is red."""
    border = arguments.borders(padding, fill, padding_mode)
    palette = img.getpalette() if img.mode == "P" else None
    if padding_mode == "constant":
        fill = tuple(fill) if isinstance(fill, list) else fill
        out = pillow("ImageOps").expand(img, border=border, fill=fill)
    else:
        out = pillow().fromarray(on_arrays.pad(np.asarray(img), border, 0, padding_mode))
    if palette is not None:
        out.putpalette(palette)
    return out


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    """Rotate, move, scale and shear."""
    middle = [each * 0.5 for each in img.size] if center is None else center
    matrix = matrices.affine_matrix(middle, angle, translate, scale, shear)
    return _transformed(img, pillow().Transform.AFFINE, matrix, interpolation, fill)


def perspective(img, startpoints, endpoints, interpolation, fill):
    """Map startpoints to endpoints."""
    matrix = matrices.perspective_coefficients(startpoints, endpoints)
    return _transformed(img, pillow().Transform.PERSPECTIVE, matrix, interpolation, fill)


def _transformed(img, kind, matrix, interpolation, fill):
    resampling = _resampling(interpolation, WARPS)
    return img.transform(img.size, kind, matrix, resampling, fillcolor=_fill(img, fill))


def rotate(img, angle, interpolation, expand, center, fill):
    """Rotate."""
    resampling = _resampling(interpolation, WARPS)
    return img.rotate(angle, resampling, expand, center, fillcolor=_fill(img, fill))


def _fill(img, fill):
    """Return a fill with one number per channel; a single number is repeated."""
    if isinstance(fill, list):
        return tuple(fill)
    count = len(img.getbands())
    return (fill,) * count if isinstance(fill, int) and count > 1 else fill


def to_grayscale(img, num_output_channels):
    """Return an image of mode L, or of mode RGB with equal colors."""
    gray = img.convert("L")
    if arguments.channels(num_output_channels) == 1:
        return gray
    return pillow().merge("RGB", (gray, gray, gray))


def adjust_brightness(img, factor):
    """Blend with black."""
    return pillow("ImageEnhance").Brightness(img).enhance(factor)


def adjust_contrast(img, factor):
    """Blend with the mean of the gray image."""
    return pillow("ImageEnhance").Contrast(img).enhance(factor)


def adjust_saturation(img, factor):
    """Blend with the gray image."""
    return pillow("ImageEnhance").Color(img).enhance(factor)


def adjust_hue(img, factor):
    """Rotate the hue."""
    arguments.hue(factor)
    if img.mode in {"L", "1", "I", "F"}:
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = (np.asarray(hue, np.int16) + int(factor * 255)) % 256
    hue = pillow().fromarray(turned.astype(np.uint8))
    return pillow().merge("HSV", (hue, saturation, value)).convert(img.mode)


def normalize(img, mean, std, data_format, to_rgb):
    """Return a NumPy array."""
    return on_arrays.normalize(np.asarray(img, np.float32), mean, std, data_format, to_rgb)


def erase(img, i, j, h, w, v, inplace):
    """Write into a rectangle of a copy: Pillow images are never written in place."""
    if img.mode not in ("L", "RGB"):
        raise InvalidArgumentError(f"erase takes images of mode RGB or L, but got {img.mode}.")
    pixels = np.array(img)
    values = np.asarray(v)
    values = values[..., 0] if pixels.ndim == 2 and values.ndim == 3 else values
    return pillow().fromarray(on_arrays.erase(pixels, i, j, h, w, _as_bytes(values), True))


def _as_bytes(values):
    """Return values as bytes, truncated and wrapped as in C."""
    return values.astype(np.int64).astype(np.uint8)
