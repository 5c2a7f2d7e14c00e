"""Transforms that crop or erase a random part of each image."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.transforms import arguments, color, geometry
from jaxeager.vision.transforms.backends import is_tensor, size_of
from jaxeager.vision.transforms.base import BaseTransform

if TYPE_CHECKING:
    from typing import Any

ATTEMPTS = 10


class RandomCrop(BaseTransform):
    """Transform that crops a random rectangle of images, optionally after adding borders.

    Its position is drawn from Python's ``random`` module.

    Args:
        size: height and width, or one number for both.
        padding: borders to add first, see ``pad``.
        pad_if_needed: whether to pad images that are too small, on both sides by what is missing.
        fill: the color of the borders, a number or one per channel.
        padding_mode: "constant", "edge", "reflect" or "symmetric".
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: if called with an image that is too small.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> crop = paddle.vision.transforms.RandomCrop(4, padding=1)
        >>> crop(np.zeros([4, 6, 3], "uint8")).shape
        (4, 4, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: int | Sequence[int] = 0,
        padding_mode: str = "constant",
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        self.size = arguments.pair(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    def _apply_image(self, img):
        if self.padding is not None:
            img = self._padded(img, self.padding)
        high, wide = self.size
        width, height = size_of(img)
        if self.pad_if_needed and width < wide:
            img = self._padded(img, (wide - width, 0))
        if self.pad_if_needed and height < high:
            img = self._padded(img, (0, high - height))
        return geometry.crop(img, *self._place(*size_of(img)), high, wide)

    def _padded(self, img, padding):
        return geometry.pad(img, padding, self.fill, self.padding_mode)

    def _place(self, width, height) -> tuple[int, int]:
        high, wide = self.size
        if (high, wide) == (height, width):
            return 0, 0
        if high > height or wide > width:
            raise InvalidArgumentError(
                f"RandomCrop of {self.size} pixels got an image of {(height, width)}; give padding "
                "or pad_if_needed=True."
            )
        return random.randint(0, height - high), random.randint(0, width - wide)


class RandomResizedCrop(BaseTransform):
    """Transform that crops a rectangle of random size and shape from images, and resizes it.

    Area and shape are drawn from NumPy's generator, the position from Python's ``random`` module.

    Args:
        size: height and width of the result, or one number for both.
        scale: smallest and largest area, as fractions of the image's area.
        ratio: smallest and largest ratio of width to height.
        interpolation: see ``resize``.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: if a range ends before it begins.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> crop = paddle.vision.transforms.RandomResizedCrop(4)
        >>> crop(np.zeros([8, 6, 3], "uint8")).shape
        (4, 4, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4, 4.0 / 3),
        interpolation: str = "bilinear",
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        self.size = (size, size) if isinstance(size, int) else size
        arguments.demand(scale[0] <= scale[1], "scale should be of kind (min, max)")
        arguments.demand(ratio[0] <= ratio[1], "ratio should be of kind (min, max)")
        self.scale: Any = scale
        self.ratio: Sequence[float] = ratio
        self.interpolation = interpolation

    def _apply_image(self, img):
        cut = geometry.crop(img, *self._rectangle(*size_of(img)))
        return geometry.resize(cut, self.size, self.interpolation)

    def _rectangle(self, width, height) -> tuple[int, int, int, int]:
        """Return top, left, height and width; the largest rectangle that fits if no draw does."""
        least, most = (math.log(end) for end in self.ratio)
        for _ in range(ATTEMPTS):
            area = np.random.uniform(*self.scale) * (height * width)
            ratio = math.exp(np.random.uniform(least, most))
            wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < wide <= width and 0 < high <= height:
                return random.randint(0, height - high), random.randint(0, width - wide), high, wide
        wide, high = width, height
        if width / height < min(self.ratio):
            high = round(width / min(self.ratio))
        elif width / height > max(self.ratio):
            wide = round(height * max(self.ratio))
        return (height - high) // 2, (width - wide) // 2, high, wide


class RandomErasing(BaseTransform):
    """Transform that erases a rectangle of random size and shape from some images.

    The decision is drawn from Python's ``random`` module, the rectangle from NumPy's generator.

    Args:
        prob: probability that an image is erased.
        scale: smallest and largest area, as fractions of the image's area.
        ratio: smallest and largest ratio of height to width.
        value: the color, one number or three; or "random" for a random color of each pixel, from
            NumPy's normal distribution times 255; for Tensors from jaxeager's normal distribution.
        inplace: whether to write into the image itself.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a range that ends before it begins or exceeds its bounds, a
            probability outside 0 to 1, or any other str.
        InvalidTypeError: for an argument of an invalid type.

    Shape:
        image [H, W(, C)], Tensor [C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> erase = paddle.vision.transforms.RandomErasing(prob=1.0, value=9)
        >>> int(erase(np.zeros([20, 20, 3], "uint8")).max())
        9
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: float | Sequence[float] | str = 0,
        inplace: bool = False,
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        arguments.sequence(scale, "scale", (2,))
        arguments.sequence(ratio, "ratio", (2,))
        arguments.affirm(
            0 <= scale[0] <= scale[1] <= 1,
            f"scale should be of kind (min, max) and in range [0, 1], but got {scale}.",
        )
        arguments.affirm(
            0 <= ratio[0] <= ratio[1], f"ratio should be of kind (min, max), but got {ratio}."
        )
        arguments.affirm(
            0 <= prob <= 1, f"The probability should be in range [0, 1], but is {prob}."
        )
        if isinstance(value, str):
            arguments.demand(value == "random", "value must be 'random' when type is str")
        elif not arguments.is_number(value):
            arguments.sequence(value, "value", (1, 3))
        self.prob = prob
        self.scale: Any = scale
        self.ratio: Sequence[float] = ratio
        self.value = value
        self.inplace = inplace

    def _apply_image(self, img):
        if random.random() >= self.prob:
            return img
        width, height = size_of(img)
        found = self._rectangle(width, height)
        if found is None:
            return img
        high, wide = found
        if is_tensor(img):
            color_ = self._color_of_tensor(img, high, wide)
        else:
            color_ = self._color_of_array(img, high, wide)
        top = np.random.randint(0, height - high + 1)
        left = np.random.randint(0, width - wide + 1)
        return color.erase(img, top, left, high, wide, color_, self.inplace)

    def _rectangle(self, width, height) -> tuple[int, int] | None:
        """Return height and width, or None if no draw fits."""
        for _ in range(ATTEMPTS):
            area = np.random.uniform(*self.scale) * (height * width)
            ratio = np.exp(np.random.uniform(*np.log(self.ratio)))
            high, wide = round(np.sqrt(area * ratio)), round(np.sqrt(area / ratio))
            if high < height and wide < width:
                return high, wide
        return None

    def _color_of_tensor(self, img, high, wide):
        import jaxeager as paddle

        if isinstance(self.value, str):
            return paddle.normal(shape=[img.shape[-3], high, wide]).astype(img.dtype)
        return paddle.to_tensor(np.ravel(self.value).tolist(), img.dtype)[:, None, None]

    def _color_of_array(self, img, high, wide):
        shape = np.shape(img)
        if isinstance(self.value, str):
            return np.random.normal(size=[high, wide, *shape[2:]]) * 255
        values = np.ravel(self.value)
        return values[0] if len(shape) == 2 and values.size == 1 else values[None, None]
