"""Reads tensors from a folder of ``.safetensors`` files, as model hubs have them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from jaxeager.core.dtypes import as_dtype
from jaxeager.distributed.checkpoint_files.readers import place_of
from jaxeager.errors import InvalidArgumentError, NotFoundError
from jaxeager.framework.io import safetensors_files

_Shape = tuple[int, ...]


class HubReader:
    """The tensors of all ``.safetensors`` files of a folder; only what is asked for is read.

    Args:
        folder: the folder.

    Raises:
        NotFoundError: when it has no such file.
        InvalidArgumentError: for a damaged file, and for a name that two files have.
        UnavailableError: when safetensors is not installed.
    """

    def __init__(self, folder: Path) -> None:
        library = safetensors_files.package()
        paths = sorted(folder.glob("*.safetensors"))
        if not paths:
            raise NotFoundError(f"There is no file in {folder} that ends in .safetensors.")
        self._folder = folder
        self._slices: dict[str, Any] = {}
        for path in paths:
            try:
                file = library.safe_open(path, "np")
            except library.SafetensorError as error:
                raise InvalidArgumentError(f"{path} is not a safetensors file: {error}.") from None
            names = file.keys()
            for name in names:
                if name in self._slices:
                    raise InvalidArgumentError(f"{folder}: two files have a tensor {name!r}.")
                self._slices[name] = file.get_slice(name)

    def names(self) -> Collection[str]:
        """Return the names of the tensors."""
        return self._slices.keys()

    def shape_of(self, name: str) -> _Shape:
        """Return the shape of a tensor."""
        return tuple(self._slices[name].get_shape())

    def dtype_of(self, name: str) -> str:
        """Return the name of a tensor's dtype."""
        kind = self._slices[name].get_dtype()
        return as_dtype(safetensors_files.dtype_of(name, kind, str(self._folder))).name

    def shards_of(self, name: str) -> int:
        """Return 1: the tensors are whole."""
        return 1

    def box(self, name: str, offset: _Shape, shape: _Shape) -> np.ndarray:
        """Return the elements of a tensor from an offset on, in a shape."""
        place = place_of(offset, shape)
        if not place or 0 in self.shape_of(name):  # safetensors cannot slice these
            return np.asarray(self._slices[name][()])[place]
        return np.asarray(self._slices[name][place])
