"""paddle.vision.transforms.functional: transforms of single images as functions."""

from __future__ import annotations

import numpy as np

from jaxeager.tensor import Tensor
from jaxeager.vision.pillow import is_pil
from jaxeager.vision.transforms.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    erase,
    normalize,
    to_grayscale,
)
from jaxeager.vision.transforms.conversion import to_tensor
from jaxeager.vision.transforms.geometry import (
    affine,
    center_crop,
    crop,
    hflip,
    pad,
    perspective,
    resize,
    rotate,
    vflip,
)

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation", "affine",
    "center_crop", "crop", "erase", "hflip", "normalize", "pad", "perspective", "resize", "rotate",
    "to_grayscale", "to_tensor", "vflip",
]  # fmt: skip


def _is_pil_image(img: object) -> bool:
    """Return whether an object is an image of PIL."""
    return is_pil(img)


def _is_tensor_image(img: object) -> bool:
    """Return whether an object is a tensor."""
    return isinstance(img, Tensor)


def _is_numpy_image(img: object) -> bool:
    """Return whether an object is an array of an image, with 2 or 3 dimensions."""
    return isinstance(img, np.ndarray) and img.ndim in (2, 3)
