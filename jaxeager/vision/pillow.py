"""Pillow, which the images of files need, imported when it is first needed."""

import importlib
import os
import sys
from typing import Any

from jaxeager.errors import InvalidArgumentError, UnavailableError


def pillow(module: str = "Image") -> Any:
    """Return a module of Pillow.

    Raises:
        UnavailableError: when Pillow is not installed.

    Example:
        >>> from jaxeager.vision.pillow import pillow
        >>> pillow("ImageOps").__name__
        'PIL.ImageOps'
    """
    try:
        return importlib.import_module(f"PIL.{module}")
    except ImportError:
        raise UnavailableError("images need Pillow: pip install 'pillow>=10'.") from None


def is_pil(value: Any) -> bool:
    """Says whether a value is an image of Pillow, without importing it: who has one did."""
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(value, image.Image)


def opened(source: Any, name: str = "", **how: Any) -> Any:
    """Return an image of Pillow, decoded: what is wrong with its file is found here.

    Args:
        source: path, or a file open for reading.
        name: what errors call it; the path by default.
        **how: for ``PIL.Image.open``.

    Raises:
        InvalidArgumentError: when it is no image, damaged, or has more pixels than Pillow takes.
        OSError: when it cannot be read.
        UnavailableError: when Pillow is not installed.

    Example:
        >>> import io
        >>> from jaxeager.vision.pillow import opened
        >>> opened(io.BytesIO(b"no image"), "a.png")
        Traceback (most recent call last):
            ...
        jaxeager.errors.InvalidArgumentError: (InvalidArgument) a.png is no image, or it is ...
    """
    module, image = pillow(), None
    try:
        image = module.open(source, **how)
        image.load()
    except (FileNotFoundError, IsADirectoryError, PermissionError, MemoryError):
        raise
    except Exception as error:  # Pillow's plugins raise whatever a damaged file makes of them
        if image is not None:
            image.close()
        raise InvalidArgumentError(
            f"{name or os.fsdecode(source)} is no image, or it is damaged: "
            f"{type(error).__name__}: {str(error)[:200]}."
        ) from error
    return image
