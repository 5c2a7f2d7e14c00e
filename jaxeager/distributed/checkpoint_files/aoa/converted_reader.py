"""A checkpoint whose tensors are made of those of another by ``aoa_config``."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.distributed.checkpoint_files.aoa import values
from jaxeager.distributed.checkpoint_files.aoa.conversion import STATES, converted, split_state
from jaxeager.distributed.checkpoint_files.aoa.values import Shape, Value
from jaxeager.distributed.checkpoint_files.readers import PartedReader

if TYPE_CHECKING:
    from collections.abc import Mapping


_OF_A_WHOLE = STATES[3:]  # powers of beta: one number for a weight, however it is divided


class ConvertedReader:
    """Reads what ``aoa_config`` makes of the tensors of a checkpoint.

    Args:
        reader: the checkpoint.
        config: ``aoa_config``.
        wanted: by the name of each wanted tensor, in how many parts the processes have it. By
            default everything that no statement uses is wanted.

    Attributes:
        kept: the wanted names that keep their values.

    Raises:
        InvalidArgumentError: for a statement that does not fit the tensors.
        NotFoundError: when nothing gives a wanted tensor.
    """

    def __init__(
        self,
        reader: PartedReader,
        config: Mapping[str, object],
        wanted: dict[str, int] | None = None,
    ) -> None:
        self._reader = reader
        bases = None
        if wanted is not None:
            bases = {split_state(name)[0]: count for name, count in wanted.items()}
        made = converted(config, self._sources(), self._shards_of, bases)
        self.kept: set[str] = set()
        self._given: dict[str, tuple[Value, str]] = {}
        for name in [b + s for b in made for s in ("", *STATES)] if wanted is None else wanted:
            base, state = split_state(name)
            value = made[base]
            if value is None:
                self.kept.add(name)
            elif self._has(value, state):
                self._given[name] = value, state

    def _sources(self) -> dict[str, Value]:
        """Return the weights of the checkpoint, those that it has states of alone included."""
        found: dict[str, Value] = {}
        for name in self._reader.names():
            base, state = split_state(name)
            if not state or (base not in found and state not in _OF_A_WHOLE):
                shape, dtype = self._reader.shape_of(name), self._reader.dtype_of(name)
                found[base] = values.source(base, shape, dtype)
        return found

    def _shards_of(self, base: str) -> int:
        names = (base + state for state in ("", *STATES) if base + state in self._reader.names())
        return self._reader.shards_of(next(names))

    def _has(self, value: Value, state: str) -> bool:
        """Return whether the checkpoint has a state of what a tensor is made of."""
        return all(name + state in self._reader.names() for name in value.sources)

    def names(self) -> Collection[str]:
        """Return the names of the tensors that can be read."""
        return self._given.keys()

    def shape_of(self, name: str) -> Shape:
        """Return the shape of a whole tensor."""
        value, state = self._given[name]
        return (
            self._reader.shape_of(value.sources[0] + state) if state in _OF_A_WHOLE else value.shape
        )

    def dtype_of(self, name: str) -> str:
        """Return the name of a tensor's dtype."""
        value, state = self._given[name]
        return self._reader.dtype_of(value.sources[0] + state) if state else value.dtype

    def box(self, name: str, offset: Shape, shape: Shape) -> np.ndarray:
        """Return the elements of a tensor from an offset on, in a shape."""
        value, state = self._given[name]
        if state in _OF_A_WHOLE:
            return self._reader.box(value.sources[0] + state, offset, shape)

        def read(source: str, at: Shape, size: Shape) -> np.ndarray:
            return self._reader.box(source + state, at, size)

        return value.box(read, not state, offset, shape)
