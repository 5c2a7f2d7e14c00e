"""CIFAR: small color images of ten or a hundred kinds of objects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io import Dataset
from jaxeager.io.archives import content, members, tar_of
from jaxeager.io.local_files import given, mode_of
from jaxeager.vision.datasets.images import backend_of, cast, default_dtype, transformed
from jaxeager.vision.pillow import pillow


class Cifar10(Dataset):
    """The CIFAR-10 dataset: images of 32 x 32 pixels with ten classes.

    Args:
        data_file: path of ``cifar-10-python.tar.gz``.
        mode: "train" or "test".
        transform: applied to the image; None for none.
        download: accepted for compatibility: nothing is downloaded.
        backend: "pil" or "cv2"; None for the choice of ``set_image_backend``.

    Attributes:
        data: pairs of uint8[3072] and a label.

    Raises:
        InvalidArgumentError: without ``data_file``, for any other mode or backend, or if the file
            has a different format.

    Shape:
        Pillow image in mode RGB, or float array [32, 32, 3]; label int64[].

    Example:
        >>> import jaxeager as paddle
        >>> things = paddle.vision.datasets.Cifar10("cifar-10-python.tar.gz")  # doctest: +SKIP
        >>> image, label = things[0]  # doctest: +SKIP
    """

    _PARTS = {"train": "data_batch", "test": "test_batch"}  # noqa: RUF012

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        transform: Callable[..., object] | None = None,
        download: bool = True,
        backend: str | None = None,
    ):
        self.mode = mode_of(mode, "train", "test")
        self.backend = backend_of(backend)
        self.data_file = given(type(self).__name__, data_file)
        self.transform = transform
        self.data = [*samples_of(self.data_file, self._PARTS[self.mode])]
        self.dtype = default_dtype()

    def __getitem__(self, idx):
        pixels, label = self.data[idx]
        image = pixels.reshape(3, 32, 32).transpose(1, 2, 0)
        image = pillow().fromarray(image.astype(np.uint8)) if self.backend == "pil" else image
        image = transformed(image, self.transform)
        return cast(image, self.backend, self.dtype), np.array(label, np.int64)

    def __len__(self):
        return len(self.data)


class Cifar100(Cifar10):
    """The CIFAR-100 dataset: images of 32 x 32 pixels with a hundred classes.

    Args:
        data_file: path of ``cifar-100-python.tar.gz``.
        mode: "train" or "test".
        transform: applied to the image; None for none.
        download: accepted for compatibility: nothing is downloaded.
        backend: "pil" or "cv2"; None for the choice of ``set_image_backend``.

    Raises:
        InvalidArgumentError: as for ``Cifar10``.

    Shape:
        Pillow image in mode RGB, or float array [32, 32, 3]; label int64[].

    Example:
        >>> import jaxeager as paddle
        >>> things = paddle.vision.datasets.Cifar100("cifar-100-python.tar.gz")  # doctest: +SKIP
    """

    _PARTS = {"train": "train", "test": "test"}  # noqa: RUF012


def samples_of(path, part: str):
    """Yield the bytes and label of each image, from the archive members whose name has ``part``."""
    with tar_of(path) as archive:
        for member in sorted(members(archive), key=lambda member: member.name):
            if part in member.name:
                yield from zip(*_batch(content(archive, member), member.name), strict=True)


def _batch(file, name: str):
    """Return the images and labels of a file; bytes and str keys are equivalent in it.

    Raises:
        InvalidArgumentError: if it contains something else.
    """
    from jaxeager.framework.restricted_pickle import restricted_load

    found = restricted_load(file, name)
    batch = {
        key.decode() if isinstance(key, bytes) else key: value
        for key, value in (found.items() if isinstance(found, dict) else ())
    }
    labels = batch.get("labels", batch.get("fine_labels"))
    if "data" not in batch or labels is None:
        raise InvalidArgumentError(f"{name} has no data and labels: it is not a batch of CIFAR.")
    data = batch["data"]
    is_array = isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.shape[1:] == (3072,)
    is_list = isinstance(labels, list) and all(type(label) is int for label in labels)
    if not is_array or not is_list or len(data) != len(labels):
        raise InvalidArgumentError(
            f"{name} does not have data of uint8[n, 3072] and n labels: it is not a batch of CIFAR."
        )
    return data, labels
