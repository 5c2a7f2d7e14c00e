"""Checkpoints in Paddle's own files: the parts of each process, and records of their places.

Note [Checkpoints in parts]
    A state dict of ShardedWeights is written as Paddle writes it, so each library reads the other's
    checkpoints. Checkpoint 3 of a folder is the file ``3.metadata`` with the records
    (part_records.py), and a file ``R_3.distcp`` for each process R that writes: a state dict of
    ``paddle.save``. A part that several processes have is written by one of them, the one with the
    fewest parts so far. The records are written last, when every process has written its parts,
    and those of an earlier checkpoint of that number are removed first: a folder without records
    has no checkpoint. A tensor to fill may have other parts than those in the
    files: what its own parts need is cut from each.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.dtypes import as_dtype
from jaxeager.distributed.communication.group import barrier
from jaxeager.distributed.communication.objects import all_gather_object
from jaxeager.distributed.nested_states import flatten_state_dict, merge_state_dict_metadata
from jaxeager.distributed.ranks.environment import get_rank, get_world_size
from jaxeager.distributed.sharded_weights import ShardedWeight, make_replicated_sharded_weight
from jaxeager.errors import InvalidArgumentError, NotFoundError
from jaxeager.framework.io import load, save
from jaxeager.framework.restricted_pickle.part_records import (
    LocalTensorIndex,
    LocalTensorMetadata,
    Metadata,
)
from jaxeager.ops.call.wrapping import wrap

if TYPE_CHECKING:
    from jaxeager.distributed.communication.group import Group
    from jaxeager.tensor import Tensor

_RECORDS = re.compile(r"([0-9]{1,9})\.metadata")
_PARTS = re.compile(r"[0-9]{1,9}_[0-9]{1,9}\.distcp")
_Shape = tuple[int, ...]


def are_parts(state_dict: Any) -> bool:
    """Return whether a state dict has ShardedWeights, or nothing: it is written in parts."""
    if not isinstance(state_dict, dict):
        return isinstance(state_dict, ShardedWeight)
    return not state_dict or any(map(are_parts, filter(_is_inner, state_dict.values())))


def _is_inner(value: Any) -> bool:
    """Return whether a value of a state dict is a ShardedWeight, or a dict with content."""
    return isinstance(value, ShardedWeight) or (isinstance(value, dict) and bool(value))


def numbers(folder: Path) -> list[int]:
    """Return the numbers of the checkpoints in parts of a folder."""
    if not folder.is_dir():
        return []
    return [int(found[1]) for each in folder.iterdir() if (found := _RECORDS.fullmatch(each.name))]


# ---- writing


def save_parts(state_dict: dict[str, Any], folder: Path, number: int, group: Group | None) -> None:
    """Write the parts of this process, and in one process the records.

    Args:
        state_dict: ShardedWeights, tensors that every process has whole, and dicts of them.
        folder: the folder.
        number: the number of the checkpoint.
        group: the processes; all by default.
    """
    flat, keys = flatten_state_dict(state_dict)
    parts = {name: _part_of(name, value) for name, value in flat.items()}
    places = {name: _place_of(name, part) for name, part in parts.items()}
    file = f"{get_rank()}_{number}.distcp"
    own = {_index_of(name, place): file for name, place in places.items()}
    every = _gathered((places, own, keys), group)
    records = Metadata(
        merge_state_dict_metadata([each[0] for each in every]),
        _files_of([each[1] for each in every]),
        {name: where for each in every for name, where in each[2].items()},
    )
    _check_whole(records)
    mine = {at.tensor_key for at, chosen in (records.storage_metadata or {}).items()
            if chosen == file and at in own}  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}.metadata"
    if _is_first(group):
        path.unlink(missing_ok=True)
    _wait(group)
    if mine or every[0][1] is own:
        save({name: parts[name].local_tensor for name in parts if name in mine}, str(folder / file))
    _wait(group)
    if _is_first(group):
        save(records, str(path))
    _wait(group)


def _count(group: Group | None) -> int:
    return get_world_size() if group is None else group.nranks


def _is_first(group: Group | None) -> bool:
    """Return whether this process writes the records."""
    return get_rank() == (0 if group is None else group.ranks[0])


def _wait(group: Group | None) -> None:
    if _count(group) > 1:
        barrier(group)


def _gathered(own: Any, group: Group | None) -> list:
    """Return an object of every process, in the order of the processes."""
    if _count(group) == 1:
        return [own]
    found: list[Any] = []
    all_gather_object(found, own, group)
    return found


def _part_of(name: str, value: Any) -> ShardedWeight:
    """Return what this process writes of a tensor."""
    if not isinstance(value, ShardedWeight):
        if not value.is_dist():
            return make_replicated_sharded_weight(name, value)
        value = ShardedWeight(name, value, (), tuple(value.shape), (0,) * len(value.shape))
    on_mesh = value._on_mesh
    if on_mesh is not None and on_mesh._array.is_fully_addressable:
        return make_replicated_sharded_weight(name, wrap(on_device(np.asarray(on_mesh._array))))
    if on_mesh is not None:
        offset, shape = _box_of(on_mesh._array.addressable_shards[0].index, on_mesh._array.shape)
        return ShardedWeight(name, value.local_tensor, shape, tuple(on_mesh.shape), offset)
    return value


def _box_of(index: tuple, shape: _Shape) -> tuple[_Shape, _Shape]:
    """Return the offset and the shape of the part of an array that an index selects."""
    spans = [each.indices(size)[:2] for each, size in zip(index, shape, strict=True)]
    return tuple(begin for begin, _ in spans), tuple(end - begin for begin, end in spans)


def _place_of(name: str, part: ShardedWeight) -> LocalTensorMetadata:
    """Return the record of a part."""
    flat = part.flattened_range if part.is_flattened else None
    shape = tuple(map(int, part.local_shape))
    size = math.prod(shape) if flat is None else flat.stop - flat.start
    if size != part.local_tensor.size:
        raise InvalidArgumentError(
            f"{name!r}: the part has {part.local_tensor.size} elements, but its place has {size}: "
            f"local_shape {list(shape)}, flattened_range {flat}."
        )
    return LocalTensorMetadata(
        tuple(map(int, part.global_offset)),
        shape,
        as_dtype(part.local_tensor._array.dtype).name,
        tuple(map(int, part.global_shape)),
        part.is_flattened,
        None if flat is None else (int(flat.start), int(flat.stop)),
    )


def _index_of(name: str, place: LocalTensorMetadata) -> LocalTensorIndex:
    """Return the key of a part in the table of files."""
    return LocalTensorIndex(
        name,
        place.global_offset,
        place.is_flattened,
        place.flattened_range,
        local_shape=place.local_shape,
    )


def _files_of(tables: list[dict[LocalTensorIndex, str]]) -> dict[LocalTensorIndex, str]:
    """Return the file of each part: of those that could have it, the one with the fewest parts."""
    able: dict[LocalTensorIndex, list[str]] = {}
    for table in tables:
        for at, file in table.items():
            able.setdefault(at, []).append(file)
    load_of: Counter[str] = Counter()
    chosen = {}
    for at, files in able.items():
        chosen[at] = min(sorted(files), key=load_of.__getitem__)
        load_of[chosen[at]] += 1
    return chosen


def _check_whole(records: Metadata) -> None:
    """Raise InvalidArgumentError when the processes have not all elements of a tensor."""
    for name, places in (records.state_dict_metadata or {}).items():
        there = sum(_size_of(each) for each in places)
        wanted = math.prod(places[0].global_shape or ())
        if there < wanted:
            raise InvalidArgumentError(
                f"save_state_dict: the processes have {there} of the {wanted} elements of {name!r}."
                " Pass the group of all processes that have parts of it."
            )


def _size_of(place: LocalTensorMetadata) -> int:
    if place.flattened_range is None:
        return math.prod(place.local_shape)
    return place.flattened_range[1] - place.flattened_range[0]


# ---- reading


def load_parts(state_dict: dict[str, Any], folder: Path, number: int) -> None:
    """Fill the tensors of a state dict from a checkpoint in parts.

    Args:
        state_dict: ShardedWeights, tensors, and dicts of them.
        folder: the folder.
        number: the number of the checkpoint.
    """
    _fill_all(state_dict, _reader_of(folder, number))


def load_from_memory(
    state_dict: dict[str, Any],
    files: dict[str, dict[str, Any]],
    records: Metadata,
    group: Group | None = None,
) -> None:
    """Fill the tensors of a state dict from the content of files that processes have read.

    Args:
        state_dict: ShardedWeights, tensors, and dicts of them.
        files: by the name of a file, the tensors or arrays that this process has read from it.
            With several processes, each gets those of all.
        records: where the parts are.
        group: the processes; all by default.
    """
    own = {
        file: {name: np.asarray(getattr(each, "_array", each)) for name, each in content.items()}
        for file, content in files.items()
    }
    known = {file: content for each in _gathered(own, group) for file, content in each.items()}
    _fill_all(state_dict, _Reader(records, "the state dict", lambda file: known.get(file, {})))


def _reader_of(folder: Path, number: int) -> _Reader:
    """Return the reader of a checkpoint of a folder."""
    path = folder / f"{number}.metadata"
    records = load(str(path))
    if not isinstance(records, Metadata):
        raise InvalidArgumentError(f"{path} has no records of a checkpoint in parts.")

    def content(file: str) -> dict[str, np.ndarray]:
        if not _PARTS.fullmatch(file):
            raise InvalidArgumentError(f"{path} names a file {file[:100]!r}.")
        where = folder / file
        if not where.is_file():
            raise NotFoundError(
                f"There is no file {where}, which {path.name} names. Every process must see the "
                "folder with the files of all."
            )
        return {name: np.asarray(each._array) for name, each in load(str(where)).items()}

    return _Reader(records, str(path), content)


def _fill_all(state_dict: dict[str, Any], reader: _Reader) -> None:
    """Fill the tensors of a state dict; raise before, when one does not fit."""
    flat, _ = flatten_state_dict(state_dict)
    missing = [name for name in flat if name not in reader.places]
    if missing:
        names = ", ".join(map(repr, missing[:6]))
        raise NotFoundError(
            f"The checkpoint lacks {names}; it has {sorted(reader.places)[:6]}... Was it written "
            "by another model, or before the optimizer had a step?"
        )
    for name, value in flat.items():
        reader.check(name, value)
    for name, value in flat.items():
        _fill(reader, name, value)


def _fill(reader: _Reader, name: str, value: Any) -> None:
    """Set the values of a tensor, or of a part."""
    tensor, origin, flat = value, None, None
    if isinstance(value, ShardedWeight):
        tensor = value.local_tensor if value._on_mesh is None else value._on_mesh
        if value._on_mesh is None:
            origin, flat = tuple(value.global_offset), value.flattened_range
    if flat is not None:
        box = reader.box(name, origin or (), tuple(value.local_shape)).reshape(-1)
        tensor.set_value(box[flat.start : flat.stop].reshape(tensor._array.shape))
        return

    def values(index: tuple) -> np.ndarray:
        offset, shape = _box_of(index, tensor._array.shape)
        if origin is not None:
            offset = tuple(a + b for a, b in zip(offset, origin, strict=True))
        return reader.box(name, offset, shape)

    tensor.set_value(_array_like(tensor, values))


def _array_like(tensor: Tensor, values: Callable[..., np.ndarray]) -> Tensor:
    """Return a tensor that is divided among devices as another one, of the values per part."""
    array = tensor._array
    return wrap(jax.make_array_from_callback(array.shape, array.sharding, values))


def merged_parts(folder: Path, number: int, prefix: str | None) -> Iterator[tuple[tuple, Tensor]]:
    """Yield the keys of each tensor of a checkpoint in parts, and the whole tensor.

    Args:
        folder: the folder.
        number: the number of the checkpoint.
        prefix: the prefix of the names to read, which is removed from the first key.
    """
    reader, start = _reader_of(folder, number), prefix or ""
    for name in reader.places:
        if name.startswith(start):
            reader.check_there(name)
            shape = reader.shape_of(name)
            array = reader.box(name, (0,) * len(shape), shape)
            keys = reader.keys.get(name, (name,))
            if start:
                keys = (name.removeprefix(start),)
            yield keys, wrap(on_device(array))


class _Reader:
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

    def check(self, name: str, value: Any) -> None:
        """Raise InvalidArgumentError when a tensor to fill has another shape or dtype."""
        is_part = isinstance(value, ShardedWeight)
        tensor = value.local_tensor if is_part else value
        whole = tuple(value.global_shape if is_part else tensor._array.shape)
        own = whole, as_dtype(tensor._array.dtype).name
        there = self.shape_of(name), self.places[name][0].dtype
        if own != there:
            raise InvalidArgumentError(
                f"{name!r} has shape {list(own[0])} and dtype {own[1]}, but shape {list(there[0])} "
                f"and dtype {there[1]} in the checkpoint."
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
        file, size = self._file_of(name, place), _size_of(place)
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
