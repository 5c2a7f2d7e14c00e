"""Transforms that randomly move the pixels of each image.

Random numbers are drawn from Python's ``random`` module.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from jaxeager.vision.transforms import arguments, geometry
from jaxeager.vision.transforms.backends import size_of
from jaxeager.vision.transforms.base import BaseTransform

INTERPOLATIONS = ("nearest", "bilinear", "bicubic")


class _RandomFlip(BaseTransform):
    """Transform that flips some images."""

    def __init__(self, prob: float = 0.5, keys: Sequence[str] | None = None):
        super().__init__(keys)
        _check_probability(prob)
        self.prob = prob

    def _apply_image(self, img):
        return self._flip(img) if random.random() < self.prob else img

    def _flip(self, img):
        raise NotImplementedError


def _check_probability(prob) -> None:
    arguments.affirm(0 <= prob <= 1, f"probability must be between 0 and 1, but is {prob}.")


class RandomHorizontalFlip(_RandomFlip):
    """Transform that flips some images horizontally.

    Args:
        prob: probability that an image is flipped.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a probability outside 0 to 1.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.RandomHorizontalFlip(1)(np.array([[1, 2]])).tolist()
        [[2, 1]]
    """

    def _flip(self, img):
        return geometry.hflip(img)


class RandomVerticalFlip(_RandomFlip):
    """Transform that flips some images vertically.

    Args:
        prob: probability that an image is flipped.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for a probability outside 0 to 1.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.RandomVerticalFlip(1)(np.array([[1], [2]])).tolist()
        [[2], [1]]
    """

    def _flip(self, img):
        return geometry.vflip(img)


class RandomAffine(BaseTransform):
    """Transform that rotates, moves, scales and shears images; see ``affine``.

    Args:
        degrees: the angle is from ``-degrees`` to ``degrees``; or both ends of its range.
        translate: maximum distance along x and y, as fractions of width and height; None for 0.
        scale: both ends of the range of the scale; None for no scaling.
        shear: in degrees along x, from ``-shear`` to ``shear``; or both ends of its range; or four
            numbers, for x and y; None for no shear.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        fill: the color outside the image, a number or one per channel; None for 0.
        center: x and y of the center of rotation; None for the middle.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidTypeError: for an argument of an invalid type.
        InvalidArgumentError: for any other length, or a value outside its bounds.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> move = paddle.vision.transforms.RandomAffine(10, translate=(0.1, 0.1))
        >>> move(np.zeros([4, 6, 3], "uint8")).shape
        (4, 6, 3)
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: str = "nearest",
        fill: int | Sequence[int] = 0,
        center: Sequence[float] | None = None,
        keys: Sequence[str] | None = None,
    ):
        self.degrees = arguments.angles(degrees, "degrees")
        super().__init__(keys)
        self.interpolation = arguments.one_of("interpolation", interpolation, INTERPOLATIONS)
        for part in arguments.sequence(translate, "translate", (2,)) if translate else ():
            arguments.demand(0 <= part <= 1, "translation values should be between 0 and 1")
        self.translate: Any = translate
        for factor in arguments.sequence(scale, "scale", (2,)) if scale else ():
            arguments.demand(factor > 0, "scale values should be positive")
        self.scale: Any = scale
        self.shear: Any = None if shear is None else arguments.angles(shear, "shear", (2, 4))
        fill = 0 if fill is None else fill
        if not arguments.is_number(fill):
            arguments.sequence(fill, "fill", (1, 2, 3, 4))
        self.fill = fill
        if center is not None:
            arguments.sequence(center, "center", (2,))
        self.center = center

    def _apply_image(self, img):
        drawn = self._draw(size_of(img))
        return geometry.affine(
            img, *drawn, interpolation=self.interpolation, fill=self.fill, center=self.center
        )

    def _draw(self, size):
        """Return angle, translation, scale and shear."""
        angle = random.uniform(*self.degrees)
        moved, scale, shear = (0, 0), 1.0, [0.0, 0.0]
        if self.translate is not None:
            bounds = [float(part * n) for part, n in zip(self.translate, size, strict=True)]
            moved = tuple(int(random.uniform(-bound, bound)) for bound in bounds)
        if self.scale is not None:
            scale = random.uniform(*self.scale)
        for axis in range(len(self.shear or ()) // 2):
            shear[axis] = random.uniform(*self.shear[2 * axis : 2 * axis + 2])
        return angle, moved, scale, tuple(shear)


class RandomRotation(BaseTransform):
    """Transform that rotates images; see ``rotate``.

    Args:
        degrees: the angle is from ``-degrees`` to ``degrees``; or both ends of its range.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        expand: whether to enlarge the result so that it holds the whole image.
        center: x and y of the center of rotation; None for the middle.
        fill: the color outside the image, a number or one per channel.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidTypeError: for degrees of an invalid type.
        InvalidArgumentError: for a negative number, or any other length.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> turn = paddle.vision.transforms.RandomRotation((90, 90), expand=True)
        >>> turn(np.zeros([4, 6, 3], "uint8")).shape
        (6, 4, 3)
    """

    def __init__(
        self,
        degrees: Any,
        interpolation: str = "nearest",
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: int | Sequence[int] = 0,
        keys: Sequence[str] | None = None,
    ):
        arguments.angles(degrees, "degrees")
        is_number = arguments.is_number(degrees)
        self.degrees: Any = (-degrees, degrees) if is_number else degrees
        super().__init__(keys)
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = fill

    def _apply_image(self, img):
        angle = random.uniform(*self.degrees)
        return geometry.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)


class RandomPerspective(BaseTransform):
    """Transform that changes the perspective of some images; see ``perspective``.

    Args:
        prob: probability that an image is changed.
        distortion_scale: maximum distance of corners, as a fraction of half the width and height.
        interpolation: "nearest", "bilinear" or, not for Tensors, "bicubic".
        fill: the color outside the image, a number or one per channel.
        keys: kinds of the inputs, see ``BaseTransform``.

    Raises:
        InvalidArgumentError: for any other interpolation, or a number outside 0 to 1.

    Shape:
        image [H, W(, C)], Tensor [(N, )C, H, W].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> distort = paddle.vision.transforms.RandomPerspective(prob=1.0)
        >>> distort(np.zeros([4, 6, 3], "uint8")).shape
        (4, 6, 3)
    """

    def __init__(
        self,
        prob: float = 0.5,
        distortion_scale: float = 0.5,
        interpolation: str = "nearest",
        fill: int | Sequence[int] = 0,
        keys: Sequence[str] | None = None,
    ):
        super().__init__(keys)
        _check_probability(prob)
        arguments.affirm(
            0 <= distortion_scale <= 1,
            f"distortion_scale must be between 0 and 1, but is {distortion_scale}.",
        )
        self.prob = prob
        self.distortion_scale = distortion_scale
        self.interpolation = arguments.one_of("interpolation", interpolation, INTERPOLATIONS)
        self.fill = fill

    def get_params(
        self, width: int, height: int, distortion_scale: float
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Draw the positions that the corners of an image move to.

        Args:
            width: width of the image.
            height: height of the image.
            distortion_scale: maximum distance, as a fraction of half the width and height.

        Returns:
            Two lists of four points [x, y], clockwise from the top left one: before and after.
        """
        right, below = width - 1, height - 1
        reach = [int(distortion_scale * (length // 2)) + 1 for length in (width, height)]

        def low(axis: int) -> int:
            return int(random.uniform(0, reach[axis]))

        def high(axis: int) -> int:
            length = (width, height)[axis]
            return int(random.uniform(length - reach[axis], length))

        # The order of the draws matters: x before y.
        moved = [[low(0), low(1)], [high(0), low(1)], [high(0), high(1)], [low(0), high(1)]]
        return [[0, 0], [right, 0], [right, below], [0, below]], moved

    def _apply_image(self, img):
        width, height = size_of(img)
        if random.random() >= self.prob:
            return img
        corners = self.get_params(width, height, self.distortion_scale)
        return geometry.perspective(img, *corners, self.interpolation, self.fill)
