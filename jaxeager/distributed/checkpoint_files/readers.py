"""What the readers of checkpoints have in common."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import numpy as np

_Shape = tuple[int, ...]


def place_of(offset: _Shape, shape: _Shape) -> tuple[slice, ...]:
    """Return the index of the elements from an offset on, in a shape."""
    return tuple(slice(at, at + size) for at, size in zip(offset, shape, strict=True))


class Reader(Protocol):
    """A checkpoint that is read."""

    def names(self) -> Collection[str]:
        """Return the names of the tensors."""
        ...

    def shape_of(self, name: str) -> _Shape:
        """Return the shape of a whole tensor."""
        ...

    def dtype_of(self, name: str) -> str:
        """Return the name of a tensor's dtype."""
        ...

    def box(self, name: str, offset: _Shape, shape: _Shape) -> np.ndarray:
        """Return the elements of a tensor from an offset on, in a shape."""
        ...


class PartedReader(Reader, Protocol):
    """A checkpoint whose tensors may be in parts."""

    def shards_of(self, name: str) -> int:
        """Return in how many parts a tensor is divided."""
        ...
