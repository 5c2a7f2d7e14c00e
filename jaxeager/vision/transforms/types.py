"""Types of the signatures of transforms.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image as PillowImage

    from jaxeager.tensor.tensor import Tensor

# An image of any kind.
Image: TypeAlias = "Tensor | np.ndarray | PillowImage"

# An image whose transformed copy is of the same kind.
ImageT = TypeVar("ImageT", bound="Tensor | np.ndarray | PillowImage")
