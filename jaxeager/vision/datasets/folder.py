"""Datasets of images in folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from jaxeager.errors import NotFoundError, RefusedTypeError
from jaxeager.io import Dataset
from jaxeager.vision.datasets.images import default_dtype, transformed
from jaxeager.vision.image import get_image_backend
from jaxeager.vision.pillow import opened

IMG_EXTENSIONS = (
    ".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp",
)  # fmt: skip


class ImageLoader:
    """Loader of RGB images from files: Pillow images, or arrays for backend "cv2".

    Args:
        backend: None for the choice of ``set_image_backend`` at the time a file is read. A worker
            process uses the choice at its start.
    """

    def __init__(self, backend: str | None = None):
        self.backend = backend

    def __call__(self, path):
        """Return the image of a file."""
        with opened(path) as image:
            image = image.convert("RGB")
        return np.array(image) if (self.backend or get_image_backend()) == "cv2" else image

    def __reduce__(self):
        return ImageLoader, (self.backend or get_image_backend(),)


default_loader = ImageLoader()


def _chooser(extensions, is_valid_file) -> Callable[[str], bool]:
    """Return a function that selects the image files.

    Raises:
        InvalidTypeError: if the extensions are not a list or tuple.
    """
    if is_valid_file is not None and extensions is None:
        return is_valid_file
    extensions = IMG_EXTENSIONS if extensions is None else extensions
    if not isinstance(extensions, (list, tuple)):
        raise RefusedTypeError(f"`extensions` must be list or tuple, but got {extensions!r}.")
    endings = tuple(extension.lower() for extension in extensions)
    return lambda path: path.lower().endswith(endings)


def _files(folder: str, is_chosen: Callable[[str], bool]) -> Iterator[str]:
    """Yield the paths of the selected files in a folder and its subfolders, in order."""
    for inner, _, names in sorted(os.walk(folder, followlinks=True)):
        yield from filter(is_chosen, (os.path.join(inner, name) for name in sorted(names)))


def _check_found(samples: list, root, what: str, extensions) -> None:
    if not samples:
        known = ",".join(IMG_EXTENSIONS if extensions is None else extensions)
        raise NotFoundError(
            f"Found 0 {what} in subfolders of: {root}\nSupported extensions are: {known}"
        )


class DatasetFolder(Dataset):
    """Dataset of files in folders named after their classes, such as ``root/cat/1.png``.

    Args:
        root: path of the folder.
        loader: reads a file; None for RGB images, from Pillow or, with the image backend "cv2",
            as arrays [H, W, 3].
        extensions: file extensions, a list or tuple; None for those of images.
        transform: applied to the loader's result; None for none.
        is_valid_file: maps a path to whether to include it; used instead of extensions.

    Attributes:
        classes: names of the folders, in order.
        class_to_idx: index of each class.
        samples: pairs of a path and the index of its class.
        targets: the class indices.

    Raises:
        NotFoundError: if there are no files.
        InvalidTypeError: for extensions of an invalid type.

    Shape:
        the result of loader and transform, and an int.

    Paddle: does not call ``is_valid_file``.

    Example:
        >>> import pathlib, tempfile
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("cat", "dog"):
        ...         pathlib.Path(folder, name).mkdir()
        ...         _ = pathlib.Path(folder, name, "1.txt").write_text(name)
        ...
        ...     def read(path):
        ...         return pathlib.Path(path).read_text()
        ...     paddle.vision.datasets.DatasetFolder(folder, read, [".txt"])[1]
        ('dog', 1)
    """

    def __init__(
        self,
        root: str,
        loader: Callable[..., object] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[..., object] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ):
        self.root = root
        self.transform = transform
        is_chosen = _chooser(extensions, is_valid_file)
        folder = Path(root).expanduser()
        self.classes = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
        self.samples: list[tuple[str, int]] = [
            (path, number)
            for name, number in self.class_to_idx.items()
            for path in _files(str(folder / name), is_chosen)
        ]
        _check_found(self.samples, root, "directories", extensions)
        self.loader: Callable = default_loader if loader is None else loader
        self.extensions = IMG_EXTENSIONS if extensions is None else extensions
        self.targets = [number for _, number in self.samples]
        self.dtype = default_dtype().name

    def __getitem__(self, index):
        path, target = self.samples[index]
        return transformed(self.loader(path), self.transform), target

    def __len__(self):
        return len(self.samples)


class ImageFolder(Dataset):
    """Dataset of the files in a folder and its subfolders, without classes.

    Args:
        root: path of the folder.
        loader: reads a file; None for RGB images, from Pillow or, with the image backend "cv2",
            as arrays [H, W, 3].
        extensions: file extensions, a list or tuple; None for those of images.
        transform: applied to the loader's result; None for none.
        is_valid_file: maps a path to whether to include it; used instead of extensions.

    Attributes:
        samples: the paths, in order.

    Raises:
        NotFoundError: if there are no files.
        InvalidTypeError: for extensions of an invalid type.

    Shape:
        a list of one element: the result of loader and transform.

    Paddle: does not call ``is_valid_file``.

    Example:
        >>> import pathlib, tempfile
        >>> import jaxeager as paddle
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = pathlib.Path(folder, "1.txt").write_text("one")
        ...
        ...     def read(path):
        ...         return pathlib.Path(path).read_text()
        ...     paddle.vision.datasets.ImageFolder(folder, read, [".txt"])[0]
        ['one']
    """

    def __init__(
        self,
        root: str,
        loader: Callable[..., object] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[..., object] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
    ):
        self.root = root
        folder = str(Path(root).expanduser())
        self.samples = [*_files(folder, _chooser(extensions, is_valid_file))]
        _check_found(self.samples, root, "files", extensions)
        self.loader: Callable = default_loader if loader is None else loader
        self.extensions = IMG_EXTENSIONS if extensions is None else extensions
        self.transform = transform

    def __getitem__(self, index):
        return [transformed(self.loader(self.samples[index]), self.transform)]

    def __len__(self):
        return len(self.samples)
