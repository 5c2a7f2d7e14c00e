"""VOC2012: photographs with a class for every pixel."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable

import numpy as np

from jaxeager.io import Dataset
from jaxeager.io.archives import member, open_tar, reading
from jaxeager.io.local_files import given, mode_of
from jaxeager.vision.datasets.images import backend_of, cast, default_dtype, transformed
from jaxeager.vision.pillow import opened

# The list of photographs for each mode, as in Paddle.
SETS = {"train": "trainval", "test": "train", "valid": "val"}
FOLDER = "VOCdevkit/VOC2012"


class VOC2012(Dataset):
    """The VOC2012 dataset: photographs, and images of the classes of their pixels.

    Args:
        data_file: path of ``VOCtrainval_11-May-2012.tar``.
        mode: "train", "valid" or "test".
        transform: applied to the photograph; None for none.
        download: accepted for compatibility: nothing is downloaded.
        backend: "pil" or "cv2"; None for the choice of ``set_image_backend``.

    Raises:
        InvalidArgumentError: without ``data_file``, for any other mode or backend, or if the
            archive has no list of photographs.

    Shape:
        two Pillow images, in modes RGB and P; or float arrays [H, W, 3] and [H, W].

    Example:
        >>> import jaxeager as paddle
        >>> photographs = paddle.vision.datasets.VOC2012("VOCtrainval.tar")  # doctest: +SKIP
        >>> image, classes = photographs[0]  # doctest: +SKIP
    """

    def __init__(
        self,
        data_file: str | None = None,
        mode: str = "train",
        transform: Callable[..., object] | None = None,
        download: bool = True,
        backend: str | None = None,
    ):
        self.flag = SETS[mode_of(mode, *SETS)]
        self.backend = backend_of(backend)
        self.data_file = given("VOC2012", data_file)
        self.transform = transform
        self.dtype = default_dtype()
        self._opened: tuple[int, tarfile.TarFile] | None = None
        archive = self._archive()
        listed = member(archive, f"{FOLDER}/ImageSets/Segmentation/{self.flag}.txt")
        with reading(self.data_file):
            names = [line.decode().strip() for line in listed]
        self.data = [f"{FOLDER}/JPEGImages/{name}.jpg" for name in names]
        self.labels = [f"{FOLDER}/SegmentationClass/{name}.png" for name in names]

    def _archive(self) -> tarfile.TarFile:
        """Return the archive, opened by this process."""
        if self._opened is None or self._opened[0] != os.getpid():
            archive = open_tar(self.data_file)  # stays open as long as the dataset
            self._opened = os.getpid(), archive
        return self._opened[1]

    def __getstate__(self):
        return {**self.__dict__, "_opened": None}

    def _image(self, name: str):
        with reading(self.data_file):
            content = member(self._archive(), name).read()
        image = opened(io.BytesIO(content), f"{name} in {self.data_file}")
        return np.array(image) if self.backend == "cv2" else image

    def __getitem__(self, idx):
        image = transformed(self._image(self.data[idx]), self.transform)
        classes = self._image(self.labels[idx])
        return tuple(cast(each, self.backend, self.dtype) for each in (image, classes))

    def __len__(self):
        return len(self.data)

    def __del__(self):
        opened = self.__dict__.get("_opened")
        if opened is not None:
            opened[1].close()
