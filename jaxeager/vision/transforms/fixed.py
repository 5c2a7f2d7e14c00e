"""Deterministic transforms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxeager.vision.pillow import is_pil
from jaxeager.vision.transforms import arguments, color, geometry
from jaxeager.vision.transforms.backends import is_tensor
from jaxeager.vision.transforms.base import BaseTransform


class Resize(BaseTransform):
    """Transform that resizes images; see ``resize``.

    Args:
        size: height and width; or one number, the shorter side.
        interpolation: "nearest", "bilinear", "bicubic", "box", "lanczos", "hamming" or "area".
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a size that is neither one integer nor two.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.Resize(2)(np.zeros([4, 6, 3], "uint8")).shape
        (2, 3, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: str = "bilinear",
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        is_pair = isinstance(size, (tuple, list)) and len(size) == 2
        arguments.affirm(
            isinstance(size, int) or is_pair, f"size should be an integer or two, but got {size}."
        )
        self.size = size
        self.interpolation = interpolation

    def _apply_image(self, img):
        return geometry.resize(img, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Transform that crops the center of images.

    Args:
        size: height and width, or one number for both.
        keys: kinds of the inputs, see ``BaseTransform``.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.CenterCrop((2, 4))(np.zeros([4, 6, 3], "uint8")).shape
        (2, 4, 3)
    """

    def __init__(self, size: int | Sequence[int], keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.size = arguments.pair(size)

    def _apply_image(self, img):
        return geometry.center_crop(img, self.size)


class Pad(BaseTransform):
    """Transform that adds borders to images; see ``pad``.

    Args:
        padding: one number; two, for left and right, top and bottom; or left, top, right, bottom.
        fill: the color of the borders, a number or one per channel.
        padding_mode: "constant", "edge", "reflect" or "symmetric".
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidTypeError: for an argument of an invalid type.
        InvalidArgumentError: for any other mode or number of borders.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.Pad((1, 2))(np.zeros([4, 6, 3], "uint8")).shape
        (8, 8, 3)
    """

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: int | Sequence[int] = 0,
        padding_mode: str = "constant",
        keys: Sequence[str] | None = None,
    ):
        arguments.borders(padding, fill, padding_mode)
        super().__init__(keys)
        self.padding = tuple(padding) if isinstance(padding, list) else padding
        self.fill = tuple(fill) if isinstance(fill, list) else fill
        self.padding_mode = padding_mode

    def _apply_image(self, img):
        return geometry.pad(img, self.padding, self.fill, self.padding_mode)


class Transpose(BaseTransform):
    """Transform that reorders the dimensions of images; a Pillow image becomes an array.

    Args:
        order: order of the dimensions; channels first by default.
        keys: kinds of the inputs, see ``BaseTransform``.

    Shape:
        image [H, W(, C)] to [C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.Transpose()(np.zeros([4, 6, 3], "uint8")).shape
        (3, 4, 6)
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.order = order

    def _apply_image(self, img):
        if is_tensor(img):
            return img.transpose(self.order)
        pixels = np.asarray(img) if is_pil(img) else img
        return (pixels[..., None] if pixels.ndim == 2 else pixels).transpose(self.order)


class Normalize(BaseTransform):
    """Transform that subtracts means from images and divides them by standard deviations.

    Args:
        mean: one number, or one per channel.
        std: one number, or one per channel.
        data_format: "CHW" or "HWC", the layout of the images.
        to_rgb: whether to reverse the last dimension of arrays first.
        keys: kinds of the inputs, see ``BaseTransform``.

    Shape:
        any image of ``data_format`` to float32 of the same shape.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> normalize = paddle.vision.transforms.Normalize(127.5, 127.5, data_format="HWC")
        >>> normalize(np.full([1, 1, 3], 255, "uint8")).tolist()
        [[[1.0, 1.0, 1.0]]]
    """

    def __init__(
        self,
        mean: float | Sequence[float] = 0.0,
        std: float | Sequence[float] = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        self.mean = [mean] * 3 if arguments.is_number(mean) else mean
        self.std = [std] * 3 if arguments.is_number(std) else std
        self.data_format = data_format
        self.to_rgb = to_rgb

    def _apply_image(self, img):
        return color.normalize(img, self.mean, self.std, self.data_format, self.to_rgb)


class Grayscale(BaseTransform):
    """Transform that removes the colors of images.

    Args:
        num_output_channels: 1, or 3 for equal channels.
        keys: kinds of the inputs, see ``BaseTransform``.

    Shape:
        image [H, W, 3], Tensor [(N, )3, H, W], to 1 or 3 channels.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.Grayscale()(np.zeros([4, 6, 3], "uint8")).shape
        (4, 6, 1)
    """

    def __init__(self, num_output_channels: int = 1, keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, img):
        return color.to_grayscale(img, self.num_output_channels)
