"""Transforms of Tensors [C, H, W] or [N, C, H, W]; they are differentiable for floats."""

import math

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.vision.transforms import arguments, matrices

F = paddle.nn.functional
GRAY = (0.2989, 0.587, 0.114)


def size_of(img) -> tuple[int, int]:
    """Return width and height."""
    return checked(img).shape[-1], img.shape[-2]


def checked(img):
    """Return an image after checking its dimensions.

    Raises:
        InvalidArgumentError: unless it has 3 or 4 dimensions.
    """
    if img.ndim not in (3, 4):
        raise InvalidArgumentError(
            f"an image Tensor should be [C, H, W] or [N, C, H, W], but has shape {[*img.shape]}."
        )
    return img


def _batched(img, function):
    """Apply a function of batches to a batch or to one image."""
    if checked(img).ndim == 4:
        return function(img)
    return function(img.unsqueeze(0)).squeeze(0)


def _floating(img, function):
    """Apply a function of floats; integers are rounded back to their dtype."""
    if paddle.is_floating_point(img):
        return function(img)
    return function(img.astype("float32")).round().astype(img.dtype)


def resize(img, size, interpolation):
    """Resize without averaging over the pixels in between."""
    height, width = arguments.resized(size, *size_of(img))
    if isinstance(size, int) and [height, width] == [*img.shape[-2:]]:
        return img
    mode = interpolation.lower()

    def resized(batch):
        return F.interpolate(batch, size=(height, width), mode=mode, data_format="NCHW")

    return _batched(img, lambda batch: _floating(batch, resized))


def crop(img, top, left, height, width):
    """Crop."""
    return checked(img)[..., top : top + height, left : left + width]


def hflip(img):
    """Mirror columns."""
    return checked(img).flip(axis=[-1])


def vflip(img):
    """Mirror rows."""
    return checked(img).flip(axis=[-2])


def pad(img, padding, fill, padding_mode):
    """Add borders; the fill is one number."""
    left, top, right, bottom = arguments.borders(padding, fill, padding_mode)
    if padding_mode == "symmetric":
        raise InvalidArgumentError("Do not support symmetric mode for a Tensor; give an array.")
    if not isinstance(fill, (int, float)):
        raise InvalidTypeError(f"fill should be one number for a Tensor, but got {fill!r}.")
    mode = "replicate" if padding_mode == "edge" else padding_mode
    widths = [left, right, top, bottom]
    return _batched(img, lambda batch: F.pad(batch, widths, mode, float(fill), "NCHW"))


def affine(img, angle, translate, scale, shear, interpolation, fill, center):
    """Rotate, move, scale and shear."""
    size = size_of(img)
    middle = [0.0, 0.0] if center is None else _from_middle(center, size)
    matrix = matrices.affine_matrix(middle, angle, translate, scale, shear)
    return _sampled(img, _affine_grid(matrix, size, size), interpolation, fill)


def _from_middle(center, size) -> list[float]:
    return [at - length * 0.5 for at, length in zip(center, size, strict=True)]


def rotate(img, angle, interpolation, expand, center, fill):
    """Rotate."""
    size = size_of(img)
    turn = math.radians(-angle % 360)
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = (0.0, 0.0) if center is None else _from_middle(center, size)
    matrix = [cos, sin, x - cos * x - sin * y, -sin, cos, y + sin * x - cos * y]
    larger = _expanded(matrix, size) if expand else size
    return _sampled(img, _affine_grid(matrix, size, larger), interpolation, fill)


def _expanded(matrix, size) -> tuple[int, int]:
    """Return width and height that hold the whole image; in float32, which drops tiny fractions."""
    width, height = size
    signs = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]], np.float32)
    corners = np.concatenate([signs * np.array([width / 2, height / 2]), np.ones((4, 1))], 1)
    places = corners.astype(np.float32) @ np.asarray(matrix, np.float32).reshape(2, 3).T
    wide, high = np.ceil(places.max(0)) - np.floor(places.min(0))
    return int(wide), int(high)


def _affine_grid(matrix, size, larger) -> np.ndarray:
    """Return float32[1, H, W, 2], the sampling positions in the image, from -1 to 1."""
    width, height = larger
    half = np.array([size[0] * 0.5, size[1] * 0.5], np.float32)
    theta = np.asarray(matrix, np.float32).reshape(2, 3).T / half
    return (_centers(width, height, -width * 0.5, -height * 0.5) @ theta)[None]


def _centers(width, height, x, y) -> np.ndarray:
    """Return float32[H, W, 3]: x, y and 1 for the centers of pixels, starting at a corner."""
    out = np.ones((height, width, 3), np.float32)
    out[..., 0] = np.arange(width) + (x + 0.5)
    out[..., 1] = (np.arange(height) + (y + 0.5))[:, None]
    return out


def perspective(img, startpoints, endpoints, interpolation, fill):
    """Map startpoints to endpoints."""
    width, height = size_of(img)
    found = matrices.perspective_coefficients(startpoints, endpoints)
    coefficients = np.asarray(found, np.float32)
    half = np.array([width * 0.5, height * 0.5], np.float32)
    centers = _centers(width, height, 0, 0)
    above = centers @ (coefficients[:6].reshape(2, 3).T / half)
    below = centers @ np.append(coefficients[6:], np.float32(1))
    return _sampled(img, (above / below[..., None] - 1)[None], interpolation, fill)


def _sampled(img, grid, interpolation, fill):
    """Sample an image at a grid; positions outside the image are filled."""
    arguments.one_of("interpolation", interpolation, ("nearest", "bilinear"))
    values = np.asarray(fill, np.float32).ravel()
    if values.size not in (1, img.shape[-3]):
        raise InvalidArgumentError(
            f"fill should be a number or {img.shape[-3]} of them for an image of {img.shape[-3]} "
            f"channels, but got {fill}."
        )

    def sampled(batch):
        places = paddle.to_tensor(grid).astype(batch.dtype)
        ones = paddle.ones([1, 1, *batch.shape[2:]], batch.dtype)
        kind = {"mode": interpolation, "padding_mode": "zeros", "align_corners": False}
        covered = F.grid_sample(ones, places, **kind)
        if interpolation == "nearest":
            covered = (covered >= 0.5).astype(batch.dtype)
        everywhere = places.expand([batch.shape[0], *places.shape[1:]])
        color = paddle.to_tensor(values.reshape(1, -1, 1, 1)).astype(batch.dtype)
        return F.grid_sample(batch, everywhere, **kind) * covered + (1.0 - covered) * color

    return _batched(img, lambda batch: _floating(batch, sampled))


def to_grayscale(img, num_output_channels):
    """Return an image of 1 or 3 equal channels."""
    count = arguments.channels(num_output_channels)
    gray = _floating(checked(img), _gray)
    return gray.expand([*img.shape[:-3], count, *img.shape[-2:]])


def _gray(img):
    if img.shape[-3] == 1:
        return img
    if img.shape[-3] != 3:
        raise InvalidArgumentError(
            f"an image of 1 or 3 channels can be made gray, but this has {img.shape[-3]}."
        )
    weights = paddle.to_tensor(GRAY).astype(img.dtype).reshape([-1, 1, 1])
    return (img * weights).sum(axis=-3, keepdim=True)


def _colors(img, check=arguments.demand) -> int:
    """Return the number of channels of a color image.

    Args:
        img: Tensor [(N, )C, H, W].
        check: ``demand`` or ``affirm``, by the class of error that Paddle raises.

    Raises:
        InvalidArgumentError: if it is neither 1 nor 3.
    """
    count = checked(img).shape[-3]
    check(count in (1, 3), f"channels of input should be either 1 or 3, but are {count}.")
    return count


def _blended(img, target, ratio):
    """Return ``target + ratio * (img - target)`` within the bounds of colors."""
    bound = 1.0 if paddle.is_floating_point(img) else 255.0
    return paddle.lerp(target, _as_float(img), float(ratio)).clip(0, bound).astype(img.dtype)


def _as_float(img):
    return img if paddle.is_floating_point(img) else img.astype("float32")


def adjust_brightness(img, factor):
    """Blend with black."""
    arguments.factor("brightness_factor", factor)
    _colors(img, arguments.affirm)
    return _blended(img, paddle.zeros_like(_as_float(img)), factor)


def adjust_contrast(img, factor):
    """Blend with the mean of the gray image."""
    arguments.factor("contrast_factor", factor)
    gray = _as_float(img) if _colors(img) == 1 else _gray(_as_float(img))
    return _blended(img, gray.mean(axis=[-3, -2, -1], keepdim=True), factor)


def adjust_saturation(img, factor):
    """Blend with the gray image."""
    arguments.factor("saturation_factor", factor)
    if _colors(img) == 1:
        return img
    return _blended(img, _gray(_as_float(img)), factor)


def adjust_hue(img, factor):
    """Rotate the hue."""
    arguments.hue(factor, arguments.affirm)
    if _colors(img) == 1:
        return img
    if not paddle.is_floating_point(img):
        turned = _turned(img.astype("float32") / 255.0, factor) * 255.0
        return turned.round().astype(img.dtype)
    return _turned(img, factor)


def _turned(img, factor):
    hue, saturation, value = _to_hsv(img)
    hue = hue + factor
    return _from_hsv(hue - hue.floor(), saturation, value)


def _to_hsv(img):
    """Return hue, saturation and value of an image, from 0 to 1 and without channels."""
    top, bottom = img.max(axis=-3), img.min(axis=-3)
    is_gray, one = top == bottom, paddle.ones_like(top)
    spread = top - bottom
    red, green, blue = img.unbind(axis=-3)
    divisor = paddle.where(is_gray, one, spread)
    lacks = [(top - color) / divisor for color in (red, green, blue)]
    is_red = (top == red).astype(top.dtype)
    is_green = ((top == green) & (top != red)).astype(top.dtype)
    is_blue = ((top != red) & (top != green)).astype(top.dtype)
    sixths = is_red * (lacks[2] - lacks[1])
    sixths = sixths + is_green * (lacks[0] - lacks[2] + 2.0)
    sixths = sixths + is_blue * (lacks[1] - lacks[0] + 4.0)
    hue = sixths / 6.0 + 1.0
    return hue - hue.trunc(), spread / paddle.where(is_gray, one, top), top


def _from_hsv(hue, saturation, value):
    """Return the image of hue, saturation and value."""
    sixths = hue * 6.0
    low = sixths.floor()
    part, sector = sixths - low, low.astype("int32") % 6
    dull, falling, rising = (
        (value * (1.0 - saturation * each)).clip(0.0, 1.0) for each in (1.0, part, 1.0 - part)
    )
    ways = [
        (value, rising, dull), (falling, value, dull), (dull, value, rising),
        (dull, falling, value), (rising, dull, value), (value, dull, falling),
    ]  # fmt: skip
    masks = [(sector == number).astype(value.dtype) for number in range(6)]
    colors = [
        paddle.add_n([mask * way[channel] for mask, way in zip(masks, ways, strict=True)])
        for channel in range(3)
    ]
    return paddle.stack(colors, axis=-3)


def normalize(img, mean, std, data_format, to_rgb):
    """Subtract means and divide by deviations; ``to_rgb`` is only for arrays."""
    mean, std = paddle.to_tensor(mean), paddle.to_tensor(std)
    if arguments.layout(data_format) == "CHW":
        mean, std = mean.reshape([-1, 1, 1]), std.reshape([-1, 1, 1])
    return (checked(img) - mean) / std


def erase(img, i, j, h, w, v, inplace):
    """Write into a rectangle, of a copy unless ``inplace``."""
    out = checked(img) if inplace else checked(img).clone()
    out[..., i : i + h, j : j + w] = v
    return out
