"""paddle.vision.transforms.transforms: transforms as objects."""

from jaxeager.vision.transforms.arguments import spread
from jaxeager.vision.transforms.base import (
    BaseTransform,
    Compose,
)
from jaxeager.vision.transforms.conversion import ToTensor
from jaxeager.vision.transforms.fixed import (
    CenterCrop,
    Grayscale,
    Normalize,
    Pad,
    Resize,
    Transpose,
)
from jaxeager.vision.transforms.random_color import (
    BrightnessTransform,
    ColorJitter,
    ContrastTransform,
    HueTransform,
    SaturationTransform,
)
from jaxeager.vision.transforms.random_crop import (
    RandomCrop,
    RandomErasing,
    RandomResizedCrop,
)
from jaxeager.vision.transforms.random_geometry import (
    RandomAffine,
    RandomHorizontalFlip,
    RandomPerspective,
    RandomRotation,
    RandomVerticalFlip,
)

__all__ = [
    "BaseTransform", "BrightnessTransform", "CenterCrop", "ColorJitter", "Compose",
    "ContrastTransform", "Grayscale", "HueTransform", "Normalize", "Pad", "RandomAffine",
    "RandomCrop", "RandomErasing", "RandomHorizontalFlip", "RandomPerspective",
    "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize",
    "SaturationTransform", "ToTensor", "Transpose",
]  # fmt: skip

_check_input = spread  # Paddle's name, which programs call
