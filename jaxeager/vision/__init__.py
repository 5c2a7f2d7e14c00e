"""paddle.vision: models, transforms, datasets and operations for images."""

import importlib
from typing import TYPE_CHECKING

from jaxeager.vision.image import get_image_backend, image_load, set_image_backend

if TYPE_CHECKING:
    from jaxeager.vision import datasets, models, ops, transforms

# Imported on first use: workers of a DataLoader need few of them, and no models.
_ROOMS = ("datasets", "models", "ops", "transforms")

__all__ = [
    "datasets", "get_image_backend", "image_load", "models", "ops", "set_image_backend",
    "transforms",
]  # fmt: skip


def __getattr__(name: str):
    """Import a submodule, or return a name that Paddle also has here from its submodule."""
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        for room in ("transforms", "datasets", "models"):
            module = importlib.import_module(f"{__name__}.{room}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
