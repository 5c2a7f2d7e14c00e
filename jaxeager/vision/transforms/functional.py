"""paddle.vision.transforms.functional: transforms of single images as functions."""

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
