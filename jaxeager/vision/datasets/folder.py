"""Images in folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxeager.errors import InvalidTypeError, NotFoundError
from jaxeager.io import Dataset
from jaxeager.vision.datasets.images import default_dtype, transformed
from jaxeager.vision.image import get_image_backend
from jaxeager.vision.pillow import opened

IMG_EXTENSIONS = (
    ".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp",
)  # fmt: skip


class ImageLoader:
    """Reads an image of three colors from a file: of Pillow, or an array for backend "cv2".

    Args:
        backend: None for what ``set_image_backend`` chose when a file is read. A worker process
            gets what is chosen when it starts.
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
    """Return a function that says which files are images.

    Raises:
        InvalidTypeError: when the extensions are no list or tuple.
    """
    if is_valid_file is not None and extensions is None:
        return is_valid_file
    extensions = IMG_EXTENSIONS if extensions is None else extensions
    if not isinstance(extensions, (list, tuple)):
        raise InvalidTypeError(f"`extensions` must be list or tuple, but got {extensions!r}.")
    endings = tuple(extension.lower() for extension in extensions)
    return lambda path: path.lower().endswith(endings)


def _files(folder: str, is_chosen: Callable[[str], bool]) -> Iterator[str]:
    """Yield the paths of the chosen files of a folder and those inside it, in order."""
    for inner, _, names in sorted(os.walk(folder, followlinks=True)):
        yield from filter(is_chosen, (os.path.join(inner, name) for name in sorted(names)))


def _check_found(samples: list, root, what: str, extensions) -> None:
    if not samples:
        known = ",".join(IMG_EXTENSIONS if extensions is None else extensions)
        raise NotFoundError(
            f"Found 0 {what} in subfolders of: {root}\nSupported extensions are: {known}"
        )


class DatasetFolder(Dataset):
    """Files in folders whose names are their classes, as ``root/cat/1.png``.

    Args:
        root: path of the folder.
        loader: reads a file; None for images of three colors, of Pillow or for the image backend
            "cv2" arrays [H, W, 3].
        extensions: of the files, a list or tuple; None for those of images.
        transform: of what the loader returns; None for none.
        is_valid_file: from a path to whether it counts; instead of extensions.

    Attributes:
        classes: names of the folders, in order.
        class_to_idx: number of each class.
        samples: pairs of a path and the number of its class.
        targets: those numbers.

    Raises:
        NotFoundError: when there are no files.
        InvalidTypeError: for extensions of another kind.

    Shape:
        what the loader and the transform return, and an int.

    Paddle: never calls ``is_valid_file``.

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
        loader: Callable[..., Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[..., Any] | None = None,
        is_valid_file: Any = None,
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
        self.loader: Any = default_loader if loader is None else loader
        self.extensions = IMG_EXTENSIONS if extensions is None else extensions
        self.targets = [number for _, number in self.samples]
        self.dtype = default_dtype().name

    def __getitem__(self, index):
        path, target = self.samples[index]
        return transformed(self.loader(path), self.transform), target

    def __len__(self):
        return len(self.samples)


class ImageFolder(Dataset):
    """Files in a folder and the folders inside it, without classes.

    Args:
        root: path of the folder.
        loader: reads a file; None for images of three colors, of Pillow or for the image backend
            "cv2" arrays [H, W, 3].
        extensions: of the files, a list or tuple; None for those of images.
        transform: of what the loader returns; None for none.
        is_valid_file: from a path to whether it counts; instead of extensions.

    Attributes:
        samples: the paths, in order.

    Raises:
        NotFoundError: when there are no files.
        InvalidTypeError: for extensions of another kind.

    Shape:
        a list of one: what the loader and the transform return.

    Paddle: never calls ``is_valid_file``.

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
        loader: Callable[..., Any] | None = None,
        extensions: Sequence[str] | None = None,
        transform: Callable[..., Any] | None = None,
        is_valid_file: Any = None,
    ):
        self.root = root
        folder = str(Path(root).expanduser())
        self.samples = [*_files(folder, _chooser(extensions, is_valid_file))]
        _check_found(self.samples, root, "files", extensions)
        self.loader: Any = default_loader if loader is None else loader
        self.extensions = IMG_EXTENSIONS if extensions is None else extensions
        self.transform = transform

    def __getitem__(self, index):
        return [transformed(self.loader(self.samples[index]), self.transform)]

    def __len__(self):
        return len(self.samples)
