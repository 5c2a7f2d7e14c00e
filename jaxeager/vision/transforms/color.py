"""Functions that change the colors of an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.vision.transforms.backends import backend_of

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Return a brighter or darker image.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1; arrays are made bytes.
        brightness_factor: 0 gives black, 1 the image itself, 2 twice its brightness.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for a negative factor, or another number of channels.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[10, 200]], "uint8")
        >>> paddle.vision.transforms.adjust_brightness(image, 2).tolist()
        [[20, 255]]
    """
    return backend_of(img).adjust_brightness(img, brightness_factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Return an image of more or less contrast.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1; arrays are made bytes.
        contrast_factor: 0 gives one gray, 1 the image itself, 2 twice its contrast. The gray is the
            mean of the image; for arrays 74, as in Paddle.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for a negative factor, or another number of channels.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.array([[64, 84]], "uint8")
        >>> paddle.vision.transforms.adjust_contrast(image, 2).tolist()
        [[54, 94]]
    """
    return backend_of(img).adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """Return an image of stronger or weaker colors.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1.
        saturation_factor: 0 gives a gray image, 1 the image itself, 2 colors twice as strong.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for a negative factor, or another number of channels.

    Paddle: draws another factor for an array, and takes its colors for blue, green, red.

    Example:
        >>> import numpy as np
        >>> from jaxeager.vision.transforms import functional as F
        >>> F.adjust_saturation(np.array([[[200, 0, 0]]], "uint8"), 0).tolist()
        [[[60, 60, 60]]]
    """
    return backend_of(img).adjust_saturation(img, saturation_factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Return an image whose colors are turned on the circle of hues.

    Args:
        img: an image of Pillow, uint8[H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W] of 1 or 3
            channels. Floats of Tensors are from 0 to 1; arrays are made bytes.
        hue_factor: how far to turn, from -0.5 to 0.5 of the circle.

    Returns:
        An image of the same kind; one without colors is returned itself.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for a factor outside its bounds, or another number of channels.

    Paddle: takes the colors of an array for blue, green, red.

    Example:
        >>> import jaxeager as paddle
        >>> red = paddle.to_tensor([1.0, 0.0, 0.0]).reshape([3, 1, 1])
        >>> paddle.vision.transforms.adjust_hue(red, 0.5).flatten().tolist()
        [0.0, 1.0, 1.0]
    """
    return backend_of(img).adjust_hue(img, hue_factor)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Return an image without colors.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].
        num_output_channels: 1, or 3 equal ones.

    Returns:
        An image of the same kind and dtype.

    Raises:
        InvalidTypeError: when ``img`` is no image.
        InvalidArgumentError: for another number of channels.

    Paddle: gives 0 for Tensors of integers.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.to_grayscale(np.array([[[200, 0, 0]]], "uint8")).tolist()
        [[[60]]]
    """
    return backend_of(img).to_grayscale(img, num_output_channels)


def normalize(img: Any, mean: Any, std: Any, data_format: str = "CHW", to_rgb: bool = False) -> Any:
    """Return ``(img - mean) / std``, channel by channel.

    Args:
        img: an image of Pillow, an array of NumPy or a Tensor in the given format.
        mean: one number per channel.
        std: one number per channel.
        data_format: "CHW" or "HWC", where the channels of ``img`` are.
        to_rgb: whether to reverse the last dimension of an array first.

    Returns:
        float32 array; of a Tensor a Tensor.

    Raises:
        InvalidTypeError: when ``img`` is no image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.full([1, 1, 2], 5, "float32")
        >>> paddle.vision.transforms.normalize(image, [1], [2]).tolist()
        [[[2.0, 2.0]]]
    """
    return backend_of(img).normalize(img, mean, std, data_format, to_rgb)


def erase(
    img: Any, i: int, j: int, h: int, w: int, v: np.ndarray | Tensor, inplace: bool = False
) -> Any:
    """Return an image with a rectangle of another color.

    Args:
        img: an image of Pillow, [H, W(, C)] of NumPy, or a Tensor [(N, )C, H, W].
        i: the first row.
        j: the first column.
        h: how many rows.
        w: how many columns.
        v: the color: an array [1 or h, 1 or w, C], for Tensors a Tensor [C, 1 or h, 1 or w].
        inplace: whether to write into ``img`` itself; images of Pillow are always copied.

    Returns:
        An image of the same kind.

    Raises:
        InvalidTypeError: when ``img`` is no image.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> image = np.zeros([1, 3, 1], "uint8")
        >>> paddle.vision.transforms.erase(image, 0, 1, 1, 2, np.array([[[9]]])).tolist()
        [[[0], [9], [9]]]
    """
    return backend_of(img).erase(img, i, j, h, w, v, inplace)
