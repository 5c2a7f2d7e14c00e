"""Functions that change the colors of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.vision.transforms.backends import backend_of

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.tensor.tensor import Tensor
    from jaxeager.vision.transforms.types import Image, ImageT


def adjust_brightness(img: ImageT, brightness_factor: float) -> ImageT:
    """Make an image brighter or darker.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1; arrays are converted to bytes.
        brightness_factor: 0 for a black image, 1 for the image itself, 2 for twice its brightness.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for a negative factor, or an invalid number of channels.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[10, 200]], "uint8")
        >>> paddle.vision.transforms.adjust_brightness(image, 2).tolist()
        [[20, 255]]
    """
    return backend_of(img).adjust_brightness(img, brightness_factor)


def adjust_contrast(img: ImageT, contrast_factor: float) -> ImageT:
    """Change the contrast of an image.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1; arrays are converted to bytes.
        contrast_factor: 0 for a uniform gray, 1 for the image itself, 2 for twice its contrast.
            The gray is the mean of the image; for arrays it is 74, as in Paddle.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for a negative factor, or an invalid number of channels.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[64, 84]], "uint8")
        >>> paddle.vision.transforms.adjust_contrast(image, 2).tolist()
        [[54, 94]]
    """
    return backend_of(img).adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """Make the colors of an image stronger or weaker.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1.
        saturation_factor: 0 for a gray image, 1 for the image itself, 2 for twice the saturation.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for a negative factor, or an invalid number of channels.

    Paddle: draws a different factor for an array, and interprets its colors as blue, green, red.

    Example:
        >>> import numpy as np
        >>> from jaxeager.vision.transforms import functional as F
        >>> F.adjust_saturation(np.array([[[200, 0, 0]]], "uint8"), 0).tolist()
        [[[60, 60, 60]]]
    """
    return backend_of(img).adjust_saturation(img, saturation_factor)


def adjust_hue(img: ImageT, hue_factor: float) -> ImageT:
    """Rotate the colors of an image on the hue circle.

    Args:
        img: a Pillow image, a NumPy array uint8[H, W(, C)], or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1; arrays are converted to bytes.
        hue_factor: rotation as a fraction of the circle, from -0.5 to 0.5.

    Returns:
        An image of the same kind; an image without colors is returned itself.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for a factor outside its bounds, or an invalid number of channels.

    Paddle: interprets the colors of an array as blue, green, red.

    Example:
        >>> import jaxeager as paddle
        >>> red = paddle.to_tensor([1.0, 0.0, 0.0]).reshape([3, 1, 1])
        >>> paddle.vision.transforms.adjust_hue(red, 0.5).flatten().tolist()
        [0.0, 1.0, 1.0]
    """
    return backend_of(img).adjust_hue(img, hue_factor)


def to_grayscale(img: ImageT, num_output_channels: int = 1) -> ImageT:
    """Remove the colors of an image.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].
        num_output_channels: 1, or 3 for equal channels.

    Returns:
        An image of the same kind and dtype.

    Raises:
        InvalidTypeError: if ``img`` is not an image.
        InvalidArgumentError: for any other number of channels.

    Paddle: returns 0 for integer Tensors.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.to_grayscale(np.array([[[200, 0, 0]]], "uint8")).tolist()
        [[[60]]]
    """
    return backend_of(img).to_grayscale(img, num_output_channels)


def normalize(
    img: Image,
    mean: Any,
    std: Any,
    data_format: str = "CHW",
    to_rgb: bool = False,
) -> Tensor | np.ndarray:
    """Return ``(img - mean) / std``, channel by channel.

    Args:
        img: a Pillow image, a NumPy array or a Tensor in the given format.
        mean: one number per channel.
        std: one number per channel.
        data_format: "CHW" or "HWC", the layout of ``img``.
        to_rgb: whether to reverse the last dimension of an array first.

    Returns:
        float32 array; a Tensor for a Tensor.

    Raises:
        InvalidTypeError: if ``img`` is not an image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.full([1, 1, 2], 5, "float32")
        >>> paddle.vision.transforms.normalize(image, [1], [2]).tolist()
        [[[2.0, 2.0]]]
    """
    return backend_of(img).normalize(img, mean, std, data_format, to_rgb)


def erase(
    img: ImageT, i: int, j: int, h: int, w: int, v: np.ndarray | Tensor, inplace: bool = False
) -> ImageT:
    """Fill a rectangle of an image with a color.

    Args:
        img: a Pillow image, a NumPy array [H, W(, C)], or a Tensor [(N, )C, H, W].
        i: the first row.
        j: the first column.
        h: number of rows.
        w: number of columns.
        v: the color: an array [1 or h, 1 or w, C], for Tensors a Tensor [C, 1 or h, 1 or w].
        inplace: whether to write into ``img`` itself; Pillow images are always copied.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: if ``img`` is not an image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.zeros([1, 3, 1], "uint8")
        >>> paddle.vision.transforms.erase(image, 0, 1, 1, 2, np.array([[[9]]])).tolist()
        [[[0], [9], [9]]]
    """
    return backend_of(img).erase(img, i, j, h, w, v, inplace)
