"""Conversion of images to Tensors; unlike the other transforms, it needs JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.tensor import to_tensor as tensor_of
from jaxeager.vision.pillow import is_pil
from jaxeager.vision.transforms.backends import backend_of, is_tensor
from jaxeager.vision.transforms.base import BaseTransform

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.tensor.tensor import Tensor


def to_tensor(pic: Any, data_format: str = "CHW") -> Tensor:
    """Convert an image to a Tensor; bytes become float32 from 0 to 1.

    Args:
        pic: a Pillow image, an array [H, W(, C)], or a Tensor [C, H, W].
        data_format: "CHW" or "HWC", the layout of the result.

    Returns:
        float32 Tensor for bytes; otherwise a Tensor of the image's dtype.

    Raises:
        InvalidTypeError: if ``pic`` is not an image.
        InvalidArgumentError: for any other format.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.to_tensor(np.array([[0, 255]], "uint8")).tolist()
        [[[0.0, 1.0]]]
    """
    backend_of(pic, "pic")
    if is_tensor(pic):
        return pic if data_format.lower() == "chw" else pic.transpose((1, 2, 0))
    if data_format not in ("CHW", "HWC"):
        raise InvalidArgumentError(f"data_format should be CHW or HWC. Got {data_format}")
    pixels = _pixels(pic) if is_pil(pic) else pic
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if data_format == "CHW":
        pixels = pixels.transpose(2, 0, 1)
    if pixels.dtype == np.uint8:
        pixels = pixels.astype(np.float32) / np.float32(255)
    return tensor_of(pixels)


def _pixels(image) -> np.ndarray:
    """Return the pixels of a Pillow image; bits become 0 and 255."""
    if image.mode == "1":
        return np.asarray(image, np.uint8) * np.uint8(255)
    if image.mode.startswith("I"):
        return np.asarray(image).astype(np.int32)
    return np.asarray(image)


class ToTensor(BaseTransform):
    """Transform from images to Tensors; bytes become float32 from 0 to 1.

    Args:
        data_format: "CHW" or "HWC", the layout of the result.
        keys: kinds of the inputs, see ``BaseTransform``.

    Shape:
        Pillow image or array [H, W(, C)]; Tensor [C, H, W] or [H, W, C].

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> paddle.vision.transforms.ToTensor()(np.zeros([4, 6, 3], "uint8")).shape
        paddle.Size([3, 4, 6])
    """

    def __init__(self, data_format: str = "CHW", keys: Sequence[str] | None = None):
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, img):
        return to_tensor(img, self.data_format)
