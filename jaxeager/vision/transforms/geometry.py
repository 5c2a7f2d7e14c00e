"""Functions that move the pixels of an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxeager.vision.transforms import arguments
from jaxeager.vision.transforms.backends import backend_of


def resize(img: Any, size: int | Sequence[int], interpolation: str = "bilinear") -> Any:
    """Return an image in another size.

    Args:
        img: an image of Pillow, uint8[H, W(, C)] of NumPy, or a Tensor float[(N, )C, H, W].
        size: height and width; or one number, for the shorter side.
        interpolation: "nearest", "bilinear", "bicubic"; for images of Pillow also "box", "lanczos"
            and "hamming", for arrays "area" and "lanczos".

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image, or for a size of another kind.
        InvalidArgumentError: for another interpolation, or a size below one pixel.

    Images of Pillow that become smaller are averaged. Arrays and Tensors are not, as in OpenCV,
    but with "area".

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[0, 100], [100, 200]], "uint8")
        >>> paddle.vision.transforms.resize(image, (1, 2)).tolist()
        [[50, 150]]
    """
    return backend_of(img).resize(img, size, interpolation)


def pad(
    img: Any, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant"
) -> Any:
    """Return an image with borders added.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].
        padding: how wide all borders are; or those at the left and right, and at the top and
            bottom; or left, top, right, bottom.
        fill: the color of the borders: a number or one per channel; for Tensors a number.
        padding_mode: "constant"; "edge" repeats the outermost pixels, "reflect" and "symmetric"
            mirror the image, without and with the outermost pixels. Tensors take no "symmetric".

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image, or an argument of another kind.
        InvalidArgumentError: for another mode or number of borders.

    In an image of Pillow one number is a color as Pillow reads it: 255 is red.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.pad(np.ones([1, 1], "uint8"), (1, 0), fill=7).tolist()
        [[7, 1, 7]]
    """
    return backend_of(img).pad(img, padding, fill, padding_mode)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Return a rectangle of an image.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].
        top: the first row.
        left: the first column.
        height: how many rows.
        width: how many columns.

    Returns:
        An image of the same kind; of arrays and Tensors a view. What lies outside is black in
        images of Pillow, and not there in others.

    Raises:
        InvalidTypeError: when ``img`` is no image.

    Paddle: takes no arrays [H, W], and cuts the wrong dimensions of a batch.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.crop(np.arange(9).reshape(3, 3), 1, 0, 2, 2).tolist()
        [[3, 4], [6, 7]]
    """
    return backend_of(img).crop(img, top, left, height, width)


def center_crop(img: Any, output_size: int | Sequence[int]) -> Any:
    """Return the middle of an image.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].
        output_size: height and width, or one number for both.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.center_crop(np.arange(9).reshape(3, 3), 1).tolist()
        [[4]]
    """
    backend = backend_of(img)
    return backend.crop(img, *arguments.centered(output_size, *backend.size_of(img)))


def hflip(img: Any) -> Any:
    """Return an image with left and right exchanged.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.hflip(np.array([[1, 2], [3, 4]])).tolist()
        [[2, 1], [4, 3]]
    """
    return backend_of(img).hflip(img)


def vflip(img: Any) -> Any:
    """Return an image with top and bottom exchanged.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.vflip(np.array([[1, 2], [3, 4]])).tolist()
        [[3, 4], [1, 2]]
    """
    return backend_of(img).vflip(img)


def affine(
    img: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
    interpolation: str = "nearest",
    fill: int | Sequence[int] = 0,
    center: Sequence[float] | None = None,
) -> Any:
    """Return an image that is rotated, moved, scaled and sheared, in the same size.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor float[(N, )C, H, W].
        angle: in degrees, clockwise.
        translate: how many pixels to move along x and y.
        scale: how much larger things become.
        shear: in degrees, along x, or along x and y.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        fill: the color of what lies outside: a number or one per channel.
        center: x and y of the point that is rotated about; None for the middle.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image, or an argument of another kind.
        InvalidArgumentError: for another interpolation, length or sign.

    Paddle: exchanges width and height of a Tensor when a center is given.

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
    img: Any,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: int | Sequence[int] = 0,
) -> Any:
    """Return a rotated image.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor float[(N, )C, H, W].
        angle: in degrees, counterclockwise.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        expand: whether the result is large enough for the whole image.
        center: x and y of the point to turn about; None for the middle.
        fill: the color of what lies outside: a number or one per channel.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for another interpolation, or a fill that does not fit.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[1, 2], [3, 4]], "uint8")
        >>> paddle.vision.transforms.rotate(image, 90).tolist()
        [[2, 4], [1, 3]]
    """
    return backend_of(img).rotate(img, angle, interpolation, expand, center, fill)


def perspective(
    img: Any,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: str = "nearest",
    fill: int | Sequence[int] = 0,
) -> Any:
    """Return an image as seen from elsewhere: four points of it move to four others.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor float[(N, )C, H, W].
        startpoints: x and y of four points of the image.
        endpoints: x and y of where they are in the result.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        fill: the color of what lies outside: a number or one per channel.

    Returns:
        An image of the same kind and size.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for another interpolation, or a fill that does not fit.

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
