"""paddle.vision.transforms: conversions of images to other images and to Tensors.

Only ``ToTensor`` and ``to_tensor`` need JAX, so the workers of a DataLoader need not import it
(see Note [Light workers]).
"""

import importlib
from typing import TYPE_CHECKING

from jaxeager.vision.transforms.base import BaseTransform, Compose
from jaxeager.vision.transforms.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    erase,
    normalize,
    to_grayscale,
)
from jaxeager.vision.transforms.fixed import (
    CenterCrop,
    Grayscale,
    Normalize,
    Pad,
    Resize,
    Transpose,
)
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
from jaxeager.vision.transforms.random_color import (
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    HueTransform,
    SaturationTransform,
)
from jaxeager.vision.transforms.random_crop import RandomCrop, RandomErasing, RandomResizedCrop
from jaxeager.vision.transforms.random_geometry import (
    RandomAffine,
    RandomHorizontalFlip,
    RandomPerspective,
    RandomRotation,
    RandomVerticalFlip,
)

if TYPE_CHECKING:
    from jaxeager.vision.transforms import functional
    from jaxeager.vision.transforms.conversion import ToTensor, to_tensor

__all__ = [
    "BaseTransform", "BrightnessTransform", "CenterCrop", "ColorJitter", "Compose",
    "ContrastTransform", "Grayscale", "HueTransform", "Normalize", "Pad", "RandomAffine",
    "RandomCrop", "RandomErasing", "RandomHorizontalFlip", "RandomPerspective",
    "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize", "SaturationTransform",
    "ToTensor", "Transpose", "adjust_brightness", "adjust_contrast", "adjust_hue", "affine",
    "center_crop", "crop", "erase", "hflip", "normalize", "pad", "perspective", "resize", "rotate",
    "to_grayscale", "to_tensor", "vflip",
]  # fmt: skip

_LATER = {"ToTensor": "conversion", "to_tensor": "conversion", "functional": None}


def __getattr__(name: str):
    """Import the names that need JAX."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_LATER[name] or name}")
    return getattr(module, name) if _LATER[name] else module


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
