"""Functions that move the pixels of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.vision.transforms import arguments
from jaxeager.vision.transforms.backends import backend_of

if TYPE_CHECKING:
    from jaxeager.vision.transforms.types import ImageT


def resize(img: ImageT, size: int | Sequence[int], interpolation: str = "bilinear") -> ImageT:
    """Resize an image.

    Args:
        img: a Pillow image, a NumPy array uint8[H, W(, C)], or a Tensor float[(N, )C, H, W].
        size: height and width; or one number, the shorter side.
        interpolation: "nearest", "bilinear", "bicubic"; for Pillow images also "box", "lanczos"
            and "hamming", for arrays "area" and "lanczos".

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image, or for a size of an invalid type.
        InvalidArgumentError: for any other interpolation, or a size below one pixel.

    Pillow images are averaged when they become smaller. As in OpenCV, arrays and Tensors are not,
    except with "area".

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[0, 100], [100, 200]], "uint8")
        >>> paddle.vision.transforms.resize(image, (1, 2)).tolist()
        [[50, 150]]
    """
    return backend_of(img).resize(img, size, interpolation)


def pad(
    img: ImageT,
    padding: int | Sequence[int],
    fill: float | str | Sequence[float] = 0,
    padding_mode: str = "constant",
) -> ImageT:
    """Add borders to an image.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].
        padding: width of all borders; or of left and right, and of top and bottom; or of left,
            top, right, bottom.
        fill: the color of the borders: a number or one per channel; for Tensors a number.
        padding_mode: "constant"; "edge" repeats the outermost pixels; "reflect" and "symmetric"
            mirror the image, without and with the outermost pixels. Not "symmetric" for Tensors.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image, or an argument has an invalid type.
        InvalidArgumentError: for any other mode or number of borders.

    For a Pillow image, a single number is a color as interpreted by Pillow: 255 is red.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.pad(np.ones([1, 1], "uint8"), (1, 0), fill=7).tolist()
        [[7, 1, 7]]
    """
    return backend_of(img).pad(img, padding, fill, padding_mode)


def crop(img: ImageT, top: int, left: int, height: int, width: int) -> ImageT:
    """Crop a rectangle of an image.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].
        top: the first row.
        left: the first column.
        height: number of rows.
        width: number of columns.

    Returns:
        An image of the same kind; a view for arrays and Tensors. Pixels outside the image are black
        in Pillow images, and omitted in others.

    Raises:
        InvalidTypeError: if ``img`` is not an image.

    Paddle: does not accept arrays [H, W], and crops the wrong dimensions of a batch.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.crop(np.arange(9).reshape(3, 3), 1, 0, 2, 2).tolist()
        [[3, 4], [6, 7]]
    """
    return backend_of(img).crop(img, top, left, height, width)


def center_crop(img: ImageT, output_size: int | Sequence[int]) -> ImageT:
    """Crop the center of an image.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].
        output_size: height and width, or one number for both.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.center_crop(np.arange(9).reshape(3, 3), 1).tolist()
        [[4]]
    """
    backend = backend_of(img)
    return backend.crop(img, *arguments.centered(output_size, *backend.size_of(img)))


def hflip(img: ImageT) -> ImageT:
    """Flip an image horizontally.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.hflip(np.array([[1, 2], [3, 4]])).tolist()
        [[2, 1], [4, 3]]
    """
    return backend_of(img).hflip(img)


def vflip(img: ImageT) -> ImageT:
    """Flip an image vertically.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.vflip(np.array([[1, 2], [3, 4]])).tolist()
        [[3, 4], [1, 2]]
    """
    return backend_of(img).vflip(img)


def affine(
    img: ImageT,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
    interpolation: str = "nearest",
    fill: int | Sequence[int] = 0,
    center: Sequence[float] | None = None,
) -> ImageT:
    """Rotate, move, scale and shear an image, keeping its size.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor float[(N, )C, H, W].
        angle: rotation in degrees, clockwise.
        translate: number of pixels to move along x and y.
        scale: scale factor.
        shear: shear in degrees, along x, or along x and y.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        fill: the color outside the image: a number or one per channel.
        center: x and y of the center of rotation; None for the middle.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image, or an argument has an invalid type.
        InvalidArgumentError: for any other interpolation, length or sign.

    Paddle: swaps width and height of a Tensor if a center is given.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[1, 2], [3, 4]], "uint8")
        >>> paddle.vision.transforms.affine(image, 0, [1, 0], 1.0, 0).tolist()
        [[0, 1], [0, 3]]
    """
    shear = arguments.shears(angle, translate, scale, shear, interpolation, center)
    given = float(angle), translate, scale, shear
    return backend_of(img).affine(img, *given, interpolation, fill, center)


def rotate(
    img: ImageT,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: int | Sequence[int] = 0,
) -> ImageT:
    """Rotate an image.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor float[(N, )C, H, W].
        angle: rotation in degrees, counterclockwise.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        expand: whether to enlarge the result so that it holds the whole image.
        center: x and y of the center of rotation; None for the middle.
        fill: the color outside the image: a number or one per channel.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for any other interpolation, or a fill that does not match.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[1, 2], [3, 4]], "uint8")
        >>> paddle.vision.transforms.rotate(image, 90).tolist()
        [[2, 4], [1, 3]]
    """
    return backend_of(img).rotate(img, angle, interpolation, expand, center, fill)


def perspective(
    img: ImageT,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: str = "nearest",
    fill: int | Sequence[int] = 0,
) -> ImageT:
    """Warp an image by the perspective map that moves four of its points to four others.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor float[(N, )C, H, W].
        startpoints: x and y of four points of the image.
        endpoints: x and y of these points in the result.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        fill: the color outside the image: a number or one per channel.

    Returns:
        An image of the same kind and size.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for any other interpolation, or a fill that does not match.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[1, 2], [3, 4]], "uint8")
        >>> corners = [[0, 0], [2, 0], [2, 2], [0, 2]]
        >>> moved = [[1, 0], [3, 0], [3, 2], [1, 2]]
        >>> paddle.vision.transforms.perspective(image, corners, moved).tolist()
        [[0, 1], [0, 3]]
    """
    return backend_of(img).perspective(img, startpoints, endpoints, interpolation, fill)
