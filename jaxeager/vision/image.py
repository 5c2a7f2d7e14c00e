"""The image backend of the datasets, and image_load."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.vision.pillow import opened, pillow

BACKENDS = ("pil", "cv2", "tensor")
_chosen = "pil"


def checked(backend: str, *, among: tuple[str, ...] = BACKENDS) -> str:
    """Return the name of a backend.

    Raises:
        InvalidArgumentError: if it is not one of them.
    """
    if backend not in among:
        raise InvalidArgumentError(f"Expected backend are one of {[*among]}, but got {backend}")
    return backend


def set_image_backend(backend: str) -> None:
    """Choose the kind of images that datasets and ``image_load`` return.

    Args:
        backend: "pil" for Pillow images, "cv2" for NumPy arrays, "tensor" for Tensors.

    Raises:
        InvalidArgumentError: for any other name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vision.set_image_backend("cv2")
        >>> paddle.vision.get_image_backend()
        'cv2'
        >>> paddle.vision.set_image_backend("pil")
    """
    global _chosen
    _chosen = checked(backend)


def get_image_backend() -> str:
    """Return the kind of images that datasets return: "pil", "cv2" or "tensor".

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vision.get_image_backend()
        'pil'
    """
    return _chosen


def image_load(path: str, backend: str | None = None) -> Any:
    """Load an image from a file; this requires Pillow.

    Args:
        path: path of the file.
        backend: "pil", "cv2", "tensor", or None for the choice of ``set_image_backend``.

    Returns:
        A Pillow image; or for "cv2" uint8[height, width, 3] with the colors in the order blue,
        green, red, rotated according to its Exif data; or for "tensor" uint8[3, height, width].

    Raises:
        InvalidArgumentError: for any other backend, and for a file that is damaged or not an image.
        UnavailableError: if Pillow is not installed.

    Paddle: backend "tensor" returns None, and "cv2" needs OpenCV.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vision.image_load("cat.jpg")  # doctest: +SKIP
    """
    backend = checked(_chosen if backend is None else backend)
    image = opened(path)
    if backend == "pil":
        return image
    with image:
        if backend == "cv2":
            upright = pillow("ImageOps").exif_transpose(image)
            return np.ascontiguousarray(np.asarray(upright.convert("RGB"))[..., ::-1])
        pixels = np.asarray(image.convert("RGB"))
    from jaxeager.tensor import to_tensor

    return to_tensor(np.ascontiguousarray(pixels.transpose(2, 0, 1)))
