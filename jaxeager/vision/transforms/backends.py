"""Which module transforms an image: one each for arrays, images of Pillow and Tensors."""

from types import ModuleType
from typing import Any

import numpy as np

from jaxeager.errors import InvalidTypeError
from jaxeager.io.collate import tensor_class
from jaxeager.vision.pillow import is_pil
from jaxeager.vision.transforms import on_arrays, on_pil


def is_tensor(value: Any) -> bool:
    """Says whether a value is a Tensor, without importing JAX: who has one did."""
    kind = tensor_class()
    return kind is not None and isinstance(value, kind)


def is_array(value: Any) -> bool:
    """Says whether a value is an image of NumPy."""
    return isinstance(value, np.ndarray) and value.ndim in (2, 3)


def backend_of(img: Any, name: str = "img") -> ModuleType:
    """Return the module that transforms an image.

    Raises:
        InvalidTypeError: when it is no image.
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


def size_of(img: Any) -> tuple[int, int]:
    """Return width and height of an image."""
    return backend_of(img).size_of(img)
