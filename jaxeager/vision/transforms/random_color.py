"""Transforms that randomly change the colors of each image.

Each draws its factor from Python's ``random`` module.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from jaxeager.vision.transforms import arguments, color
from jaxeager.vision.transforms.base import BaseTransform, Compose


class _Adjustment(BaseTransform):
    """Transform that adjusts images by a random factor; does nothing if ``value`` is None."""

    def __init__(self, value: Sequence[float] | None, keys: Sequence[str] | None):
        super().__init__(keys)
        self.value = value

    def _apply_image(self, img):
        if self.value is None:
            return img
        return self._adjust(img, random.uniform(*self.value))

    def _adjust(self, img, factor):
        raise NotImplementedError


class BrightnessTransform(_Adjustment):
    """Transform that makes images brighter or darker; see ``adjust_brightness``.

    Args:
        value: the factor is from ``max(0, 1 - value)`` to ``1 + value``; or both ends of its range.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a negative value.
        InvalidTypeError: if it is neither a number nor a sequence of two.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> brighten = paddle.vision.transforms.BrightnessTransform((2, 2))
        >>> brighten(np.array([[3, 4]], "uint8")).tolist()
        [[6, 8]]
    """

    def __init__(self, value: float | Sequence[float], keys: Sequence[str] | None = None):
        super().__init__(arguments.spread(value, "brightness"), keys)

    def _adjust(self, img, factor):
        return color.adjust_brightness(img, factor)


class ContrastTransform(_Adjustment):
    """Transform that changes the contrast of images; see ``adjust_contrast``.

    Args:
        value: the factor is from ``max(0, 1 - value)`` to ``1 + value``; or both ends of its range.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a negative value.
        InvalidTypeError: if it is neither a number nor a sequence of two.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Paddle: does not accept both ends.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> flatten = paddle.vision.transforms.ContrastTransform((0, 0))
        >>> flatten(np.array([[3, 4]], "uint8")).tolist()
        [[74, 74]]
    """

    def __init__(self, value: float | Sequence[float], keys: Sequence[str] | None = None):
        super().__init__(arguments.spread(value, "contrast"), keys)

    def _adjust(self, img, factor):
        return color.adjust_contrast(img, factor)


class SaturationTransform(_Adjustment):
    """Transform that makes the colors of images stronger or weaker.

    Args:
        value: the factor is from ``max(0, 1 - value)`` to ``1 + value``; or both ends of its range.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a negative value.
        InvalidTypeError: if it is neither a number nor a sequence of two.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> fade = paddle.vision.transforms.SaturationTransform((0, 0))
        >>> fade(np.array([[[200, 0, 0]]], "uint8")).tolist()
        [[[60, 60, 60]]]
    """

    def __init__(self, value: float | Sequence[float], keys: Sequence[str] | None = None):
        super().__init__(arguments.spread(value, "saturation"), keys)

    def _adjust(self, img, factor):
        return color.adjust_saturation(img, factor)


class HueTransform(_Adjustment):
    """Transform that rotates the hues of images; see ``adjust_hue``.

    Args:
        value: the factor is from ``-value`` to ``value``, at most 0.5; or both ends of its range.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a negative value, or one above 0.5.
        InvalidTypeError: if it is neither a number nor a sequence of two.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> turn = paddle.vision.transforms.HueTransform((0.5, 0.5))
        >>> turn(np.array([[[255, 0, 0]]], "uint8")).tolist()
        [[[0, 255, 252]]]
    """

    def __init__(self, value: float | Sequence[float], keys: Sequence[str] | None = None):
        super().__init__(arguments.spread(value, "hue", center=0, bound=(-0.5, 0.5)), keys)

    def _adjust(self, img, factor):
        return color.adjust_hue(img, factor)


class ColorJitter(BaseTransform):
    """Transform that changes brightness, contrast, saturation and hue of images in random order.

    Args:
        brightness: see ``BrightnessTransform``; None to omit it.
        contrast: see ``ContrastTransform``; None to omit it.
        saturation: see ``SaturationTransform``; None to omit it.
        hue: see ``HueTransform``; None to omit it.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a value outside its bounds.
        InvalidTypeError: for a value that is neither a number nor a sequence of two.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> jitter = paddle.vision.transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)
        >>> jitter(np.zeros([4, 6, 3], "uint8")).shape
        (4, 6, 3)
    """

    def __init__(
        self,
        brightness: float = 0,
        contrast: float = 0,
        saturation: float = 0,
        hue: float = 0,
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.hue = hue
        self._transforms()

    def _transforms(self) -> list[BaseTransform]:
        given = (
            (BrightnessTransform, self.brightness), (ContrastTransform, self.contrast),
            (SaturationTransform, self.saturation), (HueTransform, self.hue),
        )  # fmt: skip
        return [kind(value, self.keys) for kind, value in given if value is not None]

    def _apply_image(self, img):
        transforms = self._transforms()
        random.shuffle(transforms)
        return Compose(transforms)(img)
