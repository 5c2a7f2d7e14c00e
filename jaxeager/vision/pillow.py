"""Pillow, which the images of files need, imported when it is first needed."""

import importlib
import sys
from typing import Any

from jaxeager.errors import UnavailableError


def pillow(module: str = "Image") -> Any:
    """Returns a module of Pillow.

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
