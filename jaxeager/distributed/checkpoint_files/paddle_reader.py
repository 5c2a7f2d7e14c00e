"""Reads tensors from the parts of a checkpoint: what is asked for is cut from each."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from operator import add

import numpy as np

from jaxeager.core.dtypes import as_dtype
from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.restricted_pickle.part_records import (
    LocalTensorIndex,
    LocalTensorMetadata,
    Metadata,
)

_Shape = tuple[int, ...]


def size_of(place: LocalTensorMetadata) -> int:
    """Return the number of elements of a part."""
    if place.flattened_range is None:
        return math.prod(place.local_shape)
    return place.flattened_range[1] - place.flattened_range[0]


class PaddleReader:
    """A checkpoint in parts that is read; it keeps the files that it has read.

    Args:
        records: where the parts are.
        shown: the name of the checkpoint in errors.
        content: a function that returns the arrays of a file.

    Attributes:
        places: the records of each tensor's parts.
        keys: the keys of each name in nested dicts.
    """

    def __init__(
        self, records: Metadata, shown: str, content: Callable[[str], dict[str, np.ndarray]]
    ):
        self._shown = shown
        self._content = content
        self.places = records.state_dict_metadata or {}
        self.keys = records.flat_mapping or {}
        self._files = {
            self._part_key(at.tensor_key, at): file
            for at, file in (records.storage_metadata or {}).items()
            if not at.replica_id
        }
        self._read: dict[str, dict[str, np.ndarray]] = {}
        for name, places in self.places.items():
            if not places or not all(_fits(each, self.shape_of(name)) for each in places):
                raise InvalidArgumentError(f"{shown}: the parts of {name!r} are not of one tensor.")

    @staticmethod
    def _part_key(name: str, at: LocalTensorIndex | LocalTensorMetadata) -> tuple:
        return name, at.global_offset, at.flattened_range, at.local_shape

    def shape_of(self, name: str) -> _Shape:
        """Return the shape of a whole tensor."""
        places = self.places[name]
        if places[0].global_shape is not None:
            return places[0].global_shape
        ends = [map(add, each.global_offset, each.local_shape) for each in places]
        return tuple(map(max, *ends)) if len(ends) > 1 else tuple(ends[0])

    def dtype_of(self, name: str) -> str:
        """Return the name of a tensor's dtype."""
        return self.places[name][0].dtype

    def shards_of(self, name: str) -> int:
        """Return in how many parts a tensor is divided."""
        return len({each.global_offset for each in self.places[name]})

    def names(self) -> Collection[str]:
        """Return the names of the tensors."""
        return self.places.keys()

    def check_there(self, name: str) -> None:
        """Raise InvalidArgumentError when the files lack values of a tensor, before it is made.

        A file has one part of a tensor. So the memory that the records can ask for is bounded by
        the size of the files.
        """
        places = self.places[name]
        files = {self._file_of(name, each) for each in places}
        there = sum(self._found(name, each).size for each in places)
        if len(files) < len(places) or there < math.prod(self.shape_of(name)):
            raise InvalidArgumentError(
                f"{self._shown}: the files have {there} elements of {name!r} in {len(files)} parts,"
                f" but the records name {len(places)} parts of shape {list(self.shape_of(name))}."
            )

    def box(self, name: str, offset: _Shape, shape: _Shape) -> np.ndarray:
        """Return the elements of a tensor from an offset on, in a shape."""
        places = self.places[name]
        made: np.ndarray | None = None
        seen = np.zeros(shape, bool)
        for place in places:
            low = tuple(map(max, offset, place.global_offset))
            high = tuple(
                min(a + n, b + m)
                for a, n, b, m in zip(
                    offset, shape, place.global_offset, place.local_shape, strict=True
                )
            )
            if any(begin >= end for begin, end in zip(low, high, strict=True)):
                continue
            values, is_there = self._values(name, place)
            to = tuple(slice(a - o, b - o) for a, b, o in zip(low, high, offset, strict=True))
            of = tuple(
                slice(a - o, b - o) for a, b, o in zip(low, high, place.global_offset, strict=True)
            )
            made = np.zeros(shape, values.dtype) if made is None else made
            if is_there is None:
                made[to], seen[to] = values[of], True
            else:
                np.copyto(made[to], values[of], where=is_there[of])
                seen[to] |= is_there[of]
        if made is None and 0 in shape:
            return np.zeros(shape, self._values(name, places[0])[0].dtype)
        if made is None or not seen.all():
            raise InvalidArgumentError(
                f"{self._shown} has {int(seen.sum())} of the {seen.size} elements of {name!r} that "
                "are needed: parts of the checkpoint are missing."
            )
        return made

    def _values(
        self, name: str, place: LocalTensorMetadata
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return a part as an array of its local shape, and where it has elements, if not all."""
        found, span = self._found(name, place), place.flattened_range
        if span is None:
            return found.reshape(place.local_shape), None
        total = math.prod(place.local_shape)
        flat, is_there = np.zeros(total, found.dtype), np.zeros(total, bool)
        flat[span[0] : span[1]], is_there[span[0] : span[1]] = found.reshape(-1), True
        return flat.reshape(place.local_shape), is_there.reshape(place.local_shape)

    def _found(self, name: str, place: LocalTensorMetadata) -> np.ndarray:
        """Return the values of a part as its file has them, of the size that the record says."""
        file, size = self._file_of(name, place), size_of(place)
        found = self._file(file).get(name)
        if found is None or found.size != size:
            what = "no values" if found is None else f"{found.size} elements"
            raise InvalidArgumentError(
                f"{self._shown}: the file {file} has {what} of {name!r}, but the records have "
                f"{size}."
            )
        if as_dtype(found.dtype).name != place.dtype:
            raise InvalidArgumentError(
                f"{self._shown}: {name!r} is {as_dtype(found.dtype).name} in the file {file}, but "
                f"{place.dtype[:40]} in the records."
            )
        return found

    def _file_of(self, name: str, place: LocalTensorMetadata) -> str:
        """Return the file with the values of a part."""
        key = self._part_key(name, place)
        file = self._files.get(key) or self._files.get((*key[:3], None))
        if file is None:
            raise InvalidArgumentError(f"{self._shown} has no file for a part of {name!r}.")
        return file

    def _file(self, file: str) -> dict[str, np.ndarray]:
        """Return the arrays of a file."""
        if file not in self._read:
            self._read[file] = self._content(file)
        return self._read[file]


def _fits(place: LocalTensorMetadata, whole: _Shape) -> bool:
    """Return whether a part is within a tensor of a shape."""
    offset, shape, span = place.global_offset, place.local_shape, place.flattened_range
    if not len(offset) == len(shape) == len(whole) or place.global_shape not in (None, whole):
        return False
    if any(a < 0 or n < 0 or a + n > size for a, n, size in zip(offset, shape, whole, strict=True)):
        return False
    return span is None or (len(span) == 2 and 0 <= span[0] <= span[1] <= math.prod(shape))
