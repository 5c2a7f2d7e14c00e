"""MNIST and FashionMNIST: handwritten digits, and articles of clothing in the same format."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io import Dataset
from jaxeager.io.archives import gunzipped, reading
from jaxeager.io.local_files import given, mode_of
from jaxeager.vision.datasets.images import backend_of, cast, default_dtype, transformed
from jaxeager.vision.pillow import pillow

IMAGES, LABELS = 2051, 2049  # magic numbers at the start of the files


class MNIST(Dataset):
    """The MNIST dataset: gray images of handwritten digits.

    Args:
        image_path: path of ``train-images-idx3-ubyte.gz``, or of ``t10k-images-idx3-ubyte.gz``.
        label_path: path of ``train-labels-idx1-ubyte.gz``, or of ``t10k-labels-idx1-ubyte.gz``.
        mode: "train" or "test"; the given files determine the images.
        transform: applied to the image; None for none.
        download: accepted for compatibility: nothing is downloaded.
        backend: "pil" or "cv2"; None for the choice of ``set_image_backend``.

    Attributes:
        images: uint8[n, pixels].
        labels: int64[n, 1].

    Raises:
        InvalidArgumentError: without the files, for any other mode or backend, or if a file has
            a different format.

    Shape:
        Pillow image in mode L, or float array [28, 28]; label int64[1].

    Paddle: only reads files whose number of images is a multiple of a hundred.

    Example:
        >>> import jaxeager as paddle
        >>> digits = paddle.vision.datasets.MNIST(  # doctest: +SKIP
        ...     "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
        ... )
        >>> image, label = digits[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        image_path: str | None = None,
        label_path: str | None = None,
        mode: str = "train",
        transform: Callable[..., object] | None = None,
        download: bool = True,
        backend: str | None = None,
    ):
        name = type(self).__name__
        self.mode = mode_of(mode, "train", "test")
        self.backend = backend_of(backend)
        self.image_path = given(name, image_path, "image_path")
        self.label_path = given(name, label_path, "label_path")
        self.transform = transform
        images = _read(self.image_path, IMAGES, 3)
        self.shape = images.shape[1:]
        self.images = images.reshape(len(images), -1)
        self.labels = _read(self.label_path, LABELS, 1).astype(np.int64)[:, None]
        if len(self.images) != len(self.labels):
            raise InvalidArgumentError(
                f"{name}: {self.image_path} has {len(self.images)} images and {self.label_path} "
                f"{len(self.labels)} labels; give two files that belong together."
            )
        self.dtype = default_dtype()

    def __getitem__(self, idx):
        image = self.images[idx].reshape(self.shape)
        is_pil = self.backend == "pil"
        image = pillow().fromarray(image) if is_pil else image.astype(np.float32)
        image = transformed(image, self.transform)
        return cast(image, self.backend, self.dtype), self.labels[idx].copy()

    def __len__(self):
        return len(self.labels)


class FashionMNIST(MNIST):
    """The FashionMNIST dataset: gray images of articles of clothing with ten classes.

    Args:
        image_path: path of ``train-images-idx3-ubyte.gz``, or of ``t10k-images-idx3-ubyte.gz``.
        label_path: path of ``train-labels-idx1-ubyte.gz``, or of ``t10k-labels-idx1-ubyte.gz``.
        mode: "train" or "test"; the given files determine the images.
        transform: applied to the image; None for none.
        download: accepted for compatibility: nothing is downloaded.
        backend: "pil" or "cv2"; None for the choice of ``set_image_backend``.

    Raises:
        InvalidArgumentError: as for ``MNIST``.

    Shape:
        Pillow image in mode L, or float array [28, 28]; label int64[1].

    Example:
        >>> import jaxeager as paddle
        >>> clothing = paddle.vision.datasets.FashionMNIST(  # doctest: +SKIP
        ...     "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
        ... )
    """


def _read(path, mark: int, dims: int) -> np.ndarray:
    """Return the bytes of a file, in the shape given by its header.

    Raises:
        InvalidArgumentError: if the file has a different format.
    """
    content = Path(path).read_bytes()
    if content[:2] == b"\x1f\x8b":
        with reading(path):
            content = gunzipped(io.BytesIO(content), len(content), str(path)).read()
    count = 1 + dims
    is_long = len(content) >= 4 * count
    found, *shape = np.frombuffer(content, ">i4", count).tolist() if is_long else [0]
    if found != mark:
        raise InvalidArgumentError(
            f"{path} is not a file of {dims}-dimensional bytes in IDX format."
        )
    body = np.frombuffer(content, np.uint8, offset=4 * count)
    if body.size != math.prod(shape):
        raise InvalidArgumentError(f"{path} holds {body.size} bytes, not {shape}.")
    return body.reshape(shape)
