"""The Flowers dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io import Dataset
from jaxeager.io.archives import unpacked
from jaxeager.io.local_files import given, mode_of
from jaxeager.io.mat_files import numbers_in
from jaxeager.vision.datasets.images import backend_of, cast, default_dtype, transformed
from jaxeager.vision.pillow import opened

# The set of photographs for each mode: the larger set is for training, as in Paddle.
SETS = {"train": "tstid", "test": "trnid", "valid": "valid"}


class Flowers(Dataset):
    """The Flowers dataset: photographs of flowers with 102 classes.

    The archive is unpacked once, into a folder next to it.

    Args:
        data_file: path of ``102flowers.tgz``.
        label_file: path of ``imagelabels.mat``.
        setid_file: path of ``setid.mat``.
        mode: "train", "valid" or "test".
        transform: applied to the image; None for none.
        download: accepted for compatibility: nothing is downloaded.
        backend: "pil" or "cv2"; None for the choice of ``set_image_backend``.

    Raises:
        InvalidArgumentError: without the files, or for any other mode or backend.

    Shape:
        Pillow image, or float array [H, W, 3]; label int64[1].

    Example:
        >>> import jaxeager as paddle
        >>> flowers = paddle.vision.datasets.Flowers(  # doctest: +SKIP
        ...     "102flowers.tgz", "imagelabels.mat", "setid.mat"
        ... )
        >>> image, label = flowers[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        label_file: str | None = None,
        setid_file: str | None = None,
        mode: str = "train",
        transform: Callable[..., object] | None = None,
        download: bool = True,
        backend: str | None = None,
    ):
        part = SETS[mode_of(mode, *SETS)]
        self.backend = backend_of(backend)
        self.transform = transform
        data_file = given("Flowers", data_file)
        label_file = given("Flowers", label_file, "label_file")
        setid_file = given("Flowers", setid_file, "setid_file")
        self.labels = _row(label_file, "labels")
        self.indexes = _row(setid_file, part)
        self.data_file, self.label_file, self.setid_file = data_file, label_file, setid_file
        self.data_path = _unpacked(Path(data_file))
        self.dtype = default_dtype()

    def __getitem__(self, idx):
        index = int(self.indexes[idx])
        if not 1 <= index <= len(self.labels):
            raise InvalidArgumentError(
                f"{self.setid_file} names the photograph {index}, but {self.label_file} has labels "
                f"for {len(self.labels)}."
            )
        path = Path(self.data_path, "jpg", f"image_{index:05}.jpg")
        if not path.is_file():
            raise InvalidArgumentError(f"{self.data_file} has no file jpg/{path.name}.")
        image = opened(path)
        image = np.array(image) if self.backend == "cv2" else image
        image = transformed(image, self.transform)
        label = np.array([self.labels[index - 1]], np.int64)
        return cast(image, self.backend, self.dtype), label

    def __len__(self):
        return len(self.indexes)


def _row(path: str, name: str) -> np.ndarray:
    """Return the first row of a matrix in a file."""
    found = numbers_in(path, name)
    if found.ndim != 2 or not found.size:
        raise InvalidArgumentError(f"{path} has no row of numbers {name!r}.")
    return found[0]


def _unpacked(archive: Path) -> str:
    """Return the folder of an archive's files, next to the archive."""
    folder = archive.with_suffix("") if archive.suffix == ".tgz" else Path(f"{archive}.unpacked")
    unpacked(archive, folder, "jpg")
    return str(folder)
