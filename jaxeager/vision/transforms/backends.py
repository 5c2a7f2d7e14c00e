"""The modules that transform images: one each for arrays, Pillow images and Tensors."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.io.collate import tensor_class
from jaxeager.vision.pillow import is_pil
from jaxeager.vision.transforms import on_arrays, on_pil

if TYPE_CHECKING:
    from jaxeager.vision.transforms.types import Image


def is_tensor(value: object) -> bool:
    """Return whether a value is a Tensor; does not import JAX, as the Tensor's creator did."""
    kind = tensor_class()
    return kind is not None and isinstance(value, kind)


def is_array(value: object) -> bool:
    """Return whether a value is a NumPy image."""
    return isinstance(value, np.ndarray) and value.ndim in (2, 3)


def backend_of(img: object, name: str = "img") -> ModuleType:
    """Return the module that transforms an image.

    Raises:
        InvalidTypeError: if it is not an image.
    """
    if is_array(img):
        return on_arrays
    if is_pil(img):
        return on_pil
    if is_tensor(img):
        from jaxeager.vision.transforms import on_tensors

        return on_tensors
    shape = f" of shape {img.shape}" if isinstance(img, np.ndarray) else ""
    raise InvalidTypeError(
        f"{name} should be PIL Image or Tensor Image or ndarray with dim=[2 or 3]. "
        f"Got {type(img)}{shape}"
    )


def size_of(img: Image) -> tuple[int, int]:
    """Return width and height of an image."""
    return backend_of(img).size_of(img)
