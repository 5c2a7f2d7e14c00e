"""Access to Pillow, which image files need; it is imported on first use."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from jaxeager.errors import InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


def pillow(module: str = "Image") -> Any:
    """Return a module of Pillow.

    Raises:
        UnavailableError: if Pillow is not installed.

    Example:
        >>> from jaxeager.vision.pillow import pillow
        >>> pillow("ImageOps").__name__
        'PIL.ImageOps'
    """
    try:
        return importlib.import_module(f"PIL.{module}")
    except ImportError:
        raise UnavailableError("images need Pillow: pip install 'pillow>=10'.") from None


def is_pil(value: object) -> bool:
    """Return whether a value is a Pillow image, without importing Pillow."""
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(value, image.Image)


def opened(source: Any, name: str = "", **how: Any) -> PillowImage:
    """Open and decode an image with Pillow, so that errors in its file are raised here.

    Args:
        source: path, or a file open for reading.
        name: name of the image in errors; the path by default.
        **how: keyword arguments of ``PIL.Image.open``.

    Raises:
        InvalidArgumentError: if it is not an image, damaged, or exceeds Pillow's pixel limit.
        OSError: if it cannot be read.
        UnavailableError: if Pillow is not installed.

    Example:
        >>> import io
        >>> from jaxeager.vision.pillow import opened
        >>> opened(io.BytesIO(b"no image"), "a.png")
        Traceback (most recent call last):
            ...
        jaxeager.errors.InvalidArgumentError: (InvalidArgument) a.png is not an image, or it is ...
    """
    module, image = pillow(), None
    try:
        image = module.open(source, **how)
        image.load()
    except (FileNotFoundError, IsADirectoryError, PermissionError, MemoryError):
        raise
    except Exception as error:  # Pillow's plugins raise any exception for a damaged file
        if image is not None:
            image.close()
        raise InvalidArgumentError(
            f"{name or os.fsdecode(source)} is not an image, or it is damaged: "
            f"{type(error).__name__}: {str(error)[:200]}."
        ) from error
    return image
