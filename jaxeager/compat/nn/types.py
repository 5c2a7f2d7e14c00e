"""Types of the signatures with PyTorch's argument names.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.tensor.tensor import Tensor

# The sizes of a window along each axis, or one for all: numbers, or a tensor of them.
Sizes: TypeAlias = "int | Sequence[int] | Tensor"
