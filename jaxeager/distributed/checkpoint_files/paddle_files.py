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
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.dtypes import as_dtype
from jaxeager.distributed.checkpoint_files.filling import box_of, fill_all
from jaxeager.distributed.checkpoint_files.nested_states import (
    flatten_state_dict,
    merge_state_dict_metadata,
)
from jaxeager.distributed.checkpoint_files.paddle_reader import PaddleReader, size_of
from jaxeager.distributed.communication.group import barrier
from jaxeager.distributed.communication.objects import all_gather_object
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
    from collections.abc import Mapping

    from jaxeager.distributed.checkpoint_files.nested_states import Part
    from jaxeager.distributed.communication.group import Group

_RECORDS = re.compile(r"([0-9]{1,9})\.metadata")
_PARTS = re.compile(r"[0-9]{1,9}_[0-9]{1,9}\.(?:distcp|safetensors)")
_Shape = tuple[int, ...]


def are_parts(state_dict: object) -> bool:
    """Return whether a state dict has ShardedWeights, or nothing: it is written in parts."""
    if not isinstance(state_dict, dict):
        return isinstance(state_dict, ShardedWeight)
    return not state_dict or any(map(are_parts, filter(_is_inner, state_dict.values())))


def _is_inner(value: object) -> bool:
    """Return whether a value of a state dict is a ShardedWeight, or a dict with content."""
    return isinstance(value, ShardedWeight) or (isinstance(value, dict) and bool(value))


def numbers(folder: Path) -> list[int]:
    """Return the numbers of the checkpoints in parts of a folder."""
    if not folder.is_dir():
        return []
    return [int(found[1]) for each in folder.iterdir() if (found := _RECORDS.fullmatch(each.name))]


# ---- writing


def save_parts(
    state_dict: Mapping[str, object],
    folder: Path,
    number: int,
    group: Group | None,
    safetensors: bool = False,
    in_background: bool = False,
) -> Callable[[], None]:
    """Write the parts of this process; return a function that writes the records.

    Every process calls that function, in the same order as others that communicate. It waits until
    all have written their parts; then one of them writes the records.

    Args:
        state_dict: ShardedWeights, tensors that every process has whole, and dicts of them.
        folder: the folder.
        number: the number of the checkpoint.
        group: the processes; all by default.
        safetensors: whether the files have that format.
        in_background: whether to copy the parts, and write them in a thread.
    """
    flat, keys = flatten_state_dict(state_dict)
    parts = {name: _part_of(name, value) for name, value in flat.items()}
    places = {name: _place_of(name, part) for name, part in parts.items()}
    file = f"{get_rank()}_{number}.{'safetensors' if safetensors else 'distcp'}"
    own = {_index_of(name, place): file for name, place in places.items()}
    every = gathered((places, own, keys), group)
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
    kept = {name: parts[name].local_tensor for name in parts if name in mine}
    written = None
    if mine or every[0][1] is own:
        if in_background:  # a later step may write into the memory of the tensors
            kept = {name: each.detach().clone() for name, each in kept.items()}
        written = _started(lambda: save(kept, str(folder / file)), in_background)

    def finish() -> None:
        if written is not None:
            written.result()
        _wait(group)
        if _is_first(group):
            save(records, str(path))
        _wait(group)

    return finish


def _started(write: Callable[[], None], in_background: bool) -> Future[None]:
    """Return a write that is done, or that a thread does."""
    if in_background:
        pool = ThreadPoolExecutor(1, "save_state_dict")
        future = pool.submit(write)
        pool.shutdown(wait=False)
        return future
    write()
    done: Future[None] = Future()
    done.set_result(None)
    return done


def _count(group: Group | None) -> int:
    return get_world_size() if group is None else group.nranks


def _is_first(group: Group | None) -> bool:
    """Return whether this process writes the records."""
    return get_rank() == (0 if group is None else group.ranks[0])


def _wait(group: Group | None) -> None:
    if _count(group) > 1:
        barrier(group)


def gathered(own: object, group: Group | None) -> list:
    """Return an object of every process, in the order of the processes."""
    if _count(group) == 1:
        return [own]
    found: list[Any] = []
    all_gather_object(found, own, group)
    return found


def _part_of(name: str, value: Part) -> ShardedWeight:
    """Return what this process writes of a tensor."""
    if not isinstance(value, ShardedWeight):
        if not value.is_dist():
            return make_replicated_sharded_weight(name, value)
        value = ShardedWeight(name, value, (), tuple(value.shape), (0,) * len(value.shape))
    on_mesh = value._on_mesh
    if on_mesh is not None and on_mesh._array.is_fully_addressable:
        return make_replicated_sharded_weight(name, wrap(on_device(np.asarray(on_mesh._array))))
    if on_mesh is not None:
        offset, shape = box_of(on_mesh._array.addressable_shards[0].index, on_mesh._array.shape)
        return ShardedWeight(name, value.local_tensor, shape, tuple(on_mesh.shape), offset)
    return value


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
        there = sum(size_of(each) for each in places)
        wanted = math.prod(places[0].global_shape or ())
        if there < wanted:
            raise InvalidArgumentError(
                f"save_state_dict: the processes have {there} of the {wanted} elements of {name!r}."
                " Pass the group of all processes that have parts of it."
            )


# ---- reading


def load_from_memory(
    state_dict: Mapping[str, object],
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
    known = {file: content for each in gathered(own, group) for file, content in each.items()}
    fill_all(state_dict, PaddleReader(records, "the state dict", lambda file: known.get(file, {})))


def reader_of(folder: Path, number: int) -> PaddleReader:
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

    return PaddleReader(records, str(path), content)
