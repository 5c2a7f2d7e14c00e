"""Checkpoints of tensors on meshes: each process writes and reads the parts it has.

State dicts of ShardedWeights are in Paddle's own files instead: checkpoint_files/paddle_files.py.
Tensors can be renamed, cut and joined while they are read: checkpoint_files/aoa/.

Note [Checkpoints]
    Orbax writes them: it supports JAX's shardings, so nothing is gathered, and a checkpoint written
    on one mesh can be read on another. A folder holds consecutive checkpoints, "0", "1", ...; each
    appears whole or not at all, because Orbax renames it to its final name last. A JSON file next
    to the arrays holds the other values: numbers of a learning rate scheduler, and empty tensors,
    which Orbax does not accept. Digests of all files are written too (checkpoint_files/digests.py),
    so a damaged checkpoint is not read as wrong weights.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.dtypes import as_dtype
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.checkpoint_files import orbax_files, paddle_files
from jaxeager.distributed.checkpoint_files.filling import fill_all, merged
from jaxeager.distributed.checkpoint_files.hub_files import HubReader
from jaxeager.distributed.checkpoint_files.readers import PartedReader
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    UnimplementedError,
)
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.distributed.communication.groups import Group


_writing: list[Callable[[], None]] = []  # each finishes a checkpoint that is being written


def _refuse_group(function: str, process_group: Group | None) -> None:
    """Raise UnimplementedError for some of the processes: Orbax needs all."""
    count = getattr(process_group, "nranks", None)
    if count is not None and count != get_world_size():
        raise UnimplementedError(
            f"{function}: process_group has {count} of {get_world_size()} processes, but every "
            "process must take part. Leave it None."
        )


def save_state_dict(
    state_dict: dict[str, Any],
    path: str | os.PathLike,
    process_group: Group | None = None,
    coordinator_rank: int = 0,
    unique_id: int | None = None,
    async_save: bool = False,
    safetensors: bool = False,
    save_replicas: bool = False,
) -> None:
    """Write a state dict to a folder: each process writes the parts on its devices.

    Every process calls it. A checkpoint appears whole or not at all. A state dict with
    ShardedWeights (``Layer.sharded_state_dict``) is written in Paddle's files, and so is an empty
    one; any other is written by Orbax.

    Args:
        state_dict: tensors by name, dicts of them, and numbers, strings and lists of these; next
            to ShardedWeights, tensors only.
        path: the folder, which keeps its earlier checkpoints. As in Paddle, ShardedWeights replace
            the last checkpoint of ShardedWeights there.
        process_group: the processes, which must be all of them, unless there are ShardedWeights.
        coordinator_rank: the process that writes everything but tensors: Orbax uses process 0.
        unique_id: the number of the checkpoint; by default the one after the last, and that of the
            last for ShardedWeights.
        async_save: whether to return once the values are copied, and write in the background; the
            next call, a load, and the end of the process wait for it.
        safetensors: whether files with ShardedWeights have that format. It must be False for
            others: ``paddle.save`` writes whole tensors to a name that ends in ".safetensors".
        save_replicas: whether Paddle writes replicas too; here each value is written once.

    Raises:
        UnavailableError: without Orbax.
        InvalidTypeError: for a value that is neither tensor, number, string, list nor dict.
        InvalidArgumentError: for the number of an existing checkpoint, and when the processes lack
            a part of a tensor.
        UnimplementedError: for tensors with ``safetensors``, or for some of the processes.

    Paddle: keeps the records of a checkpoint whose parts it overwrites.

    Example:
        >>> import jaxeager as paddle
        >>> dist, layer = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> dist.save_state_dict(layer.state_dict(), "out/checkpoint")  # doctest: +SKIP
        >>> dist.load_state_dict(layer.state_dict(), "out/checkpoint")  # doctest: +SKIP
    """
    in_parts = paddle_files.are_parts(state_dict)
    if not in_parts:
        _refuse_group("save_state_dict", process_group)
        if safetensors:
            raise UnimplementedError(
                "save_state_dict: safetensors=True is not supported for tensors, which Orbax "
                'writes. paddle.save writes whole ones to a name that ends in ".safetensors".'
            )
    unheeded(
        "save_state_dict",
        "the processes that write are chosen here, and each value is written once",
        coordinator_rank=(coordinator_rank, 0),
        save_replicas=(save_replicas, False),
    )
    wait()
    folder = Path(path).absolute()
    whole, parted = _numbers(folder), paddle_files.numbers(folder)
    number = 1 + max(*whole, *parted, -1, -1) if unique_id is None else unique_id
    if in_parts and unique_id is None and parted:
        number = max(parted)
    if number in whole or (number in parted and not in_parts):
        raise InvalidArgumentError(f"A checkpoint {number} already exists in {folder}.")
    if in_parts:
        finish = paddle_files.save_parts(
            state_dict, folder, number, process_group, safetensors, async_save
        )
        _writing.append(finish)
        if not async_save:
            wait()
        return
    orbax = orbax_files.library()
    target = folder / str(number)
    tensors, others = _parted(state_dict)
    arrays = {name: each._array for name, each in tensors.items() if each._array.size}
    if not arrays:
        raise InvalidArgumentError("The state dict has no tensor with elements to save.")
    empty = {
        name: [list(each.shape), each._array.dtype.name]
        for name, each in tensors.items()
        if not each._array.size
    }
    rest = {"form": orbax_files.FORM, "values": others, "empty": empty}
    saver = orbax.AsyncCheckpointer(orbax_files.handler(orbax), timeout_secs=3600)
    parts = {"arrays": orbax.args.PyTreeSave(arrays), "rest": orbax.args.JsonSave(rest)}
    saver.save(target, args=orbax.args.Composite(**parts))

    def finish_orbax() -> None:
        saver.wait_until_finished()
        saver.close()

    _writing.append(finish_orbax)
    if not async_save:
        wait()


@atexit.register
def wait() -> None:
    """Wait for checkpoints that are written in the background; raise their errors."""
    while _writing:
        _writing.pop()()


def load_state_dict(
    state_dict: dict[str, Any],
    path: str | os.PathLike,
    process_group: Group | None = None,
    coordinator_rank: int = 0,
    unique_id: int | None = None,
    offload: bool = False,
    mw_name_compatibility: bool = True,
    aoa_config: dict[str, list[str]] | None = None,
    safetensors: bool = False,
    worker_groups: list | None = None,
    comm_method: str = "broadcast",
) -> None:
    """Read a checkpoint into the tensors of a state dict, which keep their placements.

    Every process calls it. Each reads the parts that its devices need, regardless of the mesh that
    wrote the checkpoint. The version of each tensor is kept, and a leaf stays a leaf. Numbers and
    strings are replaced in the dict.

    Args:
        state_dict: the tensors or ShardedWeights to fill, by name. Other content of the checkpoint
            is not read.
        path: the folder of ``save_state_dict``, of this library or of Paddle.
        process_group: the processes, which must be all of them for a checkpoint of Orbax; each
            reads for itself.
        coordinator_rank: ignored.
        unique_id: the number of the checkpoint; the last one by default.
        offload: whether Paddle reads through the host; Orbax always does.
        mw_name_compatibility: whether Paddle accepts other names of master weights; names must be
            equal here.
        aoa_config: statements that make the tensors of those in the checkpoint, such as
            ``{"aoa_statements": ["old.weight^T -> new.weight"]}``
            (jaxeager/distributed/checkpoint_files/aoa).
        safetensors: whether the folder may have files of a model hub, which end in
            ".safetensors", instead of a checkpoint.
        worker_groups: processes that read for others in Paddle.
        comm_method: how those processes send the tensors on.

    Raises:
        UnavailableError: without Orbax.
        NotFoundError: when there is no such checkpoint, or it lacks a tensor.
        InvalidArgumentError: for a tensor of another shape or dtype, for a damaged checkpoint (its
            files have digests, unless they are Paddle's), and for a statement that does not fit,
            in which cases nothing is read.

    Paddle: warns of a tensor that the checkpoint lacks, and leaves it as it is.
    """
    unheeded(
        "load_state_dict",
        "each process reads the values that its devices need, under the names in the checkpoint",
        coordinator_rank=(coordinator_rank, 0),
        offload=(offload, False),
        mw_name_compatibility=(mw_name_compatibility, True),
        worker_groups=(worker_groups, None),
        comm_method=(comm_method, "broadcast"),
    )
    reader = _plain_reader(path, unique_id, safetensors, bool(aoa_config))
    if reader is None or isinstance(reader, orbax_files.OrbaxReader):
        _refuse_group("load_state_dict", process_group)
    if reader is not None:
        fill_all(state_dict, reader, aoa_config)
        return
    folder, number = _number_to_read(path, unique_id)
    orbax = orbax_files.library()
    reader, target, known, rest = orbax_files.opened(orbax, folder / str(number))
    tensors, others = _parted(state_dict)
    _check(tensors, others, known, rest)
    wanted, how = {}, {}
    for name, tensor in tensors.items():
        array = tensor._array
        if array.size:
            wanted[name] = jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=array.sharding)
            how[name] = orbax.ArrayRestoreArgs(
                sharding=array.sharding, global_shape=array.shape, dtype=array.dtype
            )
    args = orbax.args.PyTreeRestore(item=wanted, restore_args=how, partial_restore=True)
    with orbax_files.reading(target):
        found = reader.restore(target, args=orbax.args.Composite(arrays=args))["arrays"]
    for name, array in found.items():
        tensors[name].set_value(wrap(array))
    for name in others:
        _put(state_dict, name, rest["values"][name])


def load_merged_state_dict(
    path: str | os.PathLike,
    prefix: str | None = None,
    unique_id: int | None = None,
    offload: bool = False,
    aoa_config: dict[str, list[str]] | None = None,
    safetensors: bool = False,
) -> dict[str, Any]:
    """Return a checkpoint as whole tensors on the current device.

    Args:
        path: the folder of ``save_state_dict``.
        prefix: the prefix of the names to read, which is removed from them.
        unique_id: the number of the checkpoint; the last one by default.
        offload: whether Paddle keeps the tensors on the host.
        aoa_config: statements that make tensors of those in the checkpoint, as for
            ``load_state_dict``. All that no statement uses is returned.
        safetensors: whether the folder may have files of a model hub, as for ``load_state_dict``.

    Raises:
        UnavailableError: without Orbax.
        NotFoundError: when there is no such checkpoint.
        InvalidArgumentError: for a statement that does not fit, and for a damaged checkpoint.
    """
    unheeded(
        "load_merged_state_dict", "tensors are on the current device", offload=(offload, False)
    )
    reader = _plain_reader(path, unique_id, safetensors, bool(aoa_config))
    if reader is not None:
        whole: dict[str, Any] = {}
        for keys, tensor in merged(reader, prefix, aoa_config):
            _put(whole, orbax_files.SEPARATOR.join(keys), tensor)
        return whole
    folder, number = _number_to_read(path, unique_id)
    orbax = orbax_files.library()
    reader, target, known, rest = orbax_files.opened(orbax, folder / str(number))
    names = [name for name in known if prefix is None or name.startswith(prefix)]
    found = orbax_files.arrays(orbax, reader, target, names)
    made: dict[str, Any] = {}
    with orbax_files.reading(target):
        empty = {name: np.zeros(*each) for name, each in rest["empty"].items()}
    for name, value in [*found.items(), *empty.items()]:
        if prefix is None or name.startswith(prefix):
            _put(made, name[len(prefix or "") :], wrap(on_device(np.asarray(value))))
    for name, value in rest["values"].items():
        if prefix is None or name.startswith(prefix):
            _put(made, name[len(prefix or "") :], value)
    return made


# ---- the content of a checkpoint


def _plain_reader(
    path: str | os.PathLike, number: int | None, safetensors: bool, is_converted: bool
) -> PartedReader | None:
    """Return the reader of a checkpoint; None for Orbax's whose tensors are read as they are."""
    folder = Path(path).absolute()
    if safetensors and number is None and not (paddle_files.numbers(folder) or _numbers(folder)):
        return HubReader(folder)
    folder, number = _number_to_read(path, number)
    if number in paddle_files.numbers(folder):
        return paddle_files.reader_of(folder, number)
    return orbax_files.OrbaxReader(folder / str(number)) if is_converted else None


def _numbers(folder: Path) -> list[int]:
    """Return the numbers of the complete checkpoints of a folder."""
    if not folder.is_dir():
        return []
    return [int(each.name) for each in folder.iterdir() if each.name.isdigit()]


def _number_to_read(path: str | os.PathLike, number: int | None) -> tuple[Path, int]:
    """Return the folder of checkpoints, and the number of the one to read."""
    wait()
    folder = Path(path).absolute()
    parted = paddle_files.numbers(folder)
    if not parted:
        orbax_files.library()
    numbers = [*_numbers(folder), *parted]
    if not numbers or number not in (None, *numbers):
        what = "no checkpoint" if number is None else f"no checkpoint {number}"
        raise NotFoundError(f"There is {what} in {folder}; it has {sorted(numbers)}.")
    return folder, max(numbers) if number is None else number


def _parted(state_dict: dict, prefix: str = "") -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of a state dict and its nested dicts by name, and the other values."""
    tensors, others = {}, {}
    for key, value in state_dict.items():
        name = f"{prefix}{key}"
        if isinstance(value, Tensor):
            tensors[name] = value
        elif isinstance(value, dict):
            inner = _parted(value, f"{name}{orbax_files.SEPARATOR}")
            tensors |= inner[0]
            others |= inner[1]
        else:
            try:
                json.dumps(value)
            except TypeError:
                raise InvalidTypeError(
                    f"A checkpoint holds tensors, numbers, strings and lists of these, but "
                    f"{name!r} is of {type(value).__name__}."
                ) from None
            others[name] = value
    return tensors, others


def _put(state_dict: dict, name: str, value: object) -> None:
    """Store a value in a dict under the name that ``_parted`` has for it."""
    *outer, last = name.split(orbax_files.SEPARATOR)
    for each in outer:
        state_dict = state_dict.setdefault(each, {})
    state_dict[last] = value


def _check(tensors: dict, others: dict, known: dict, rest: dict) -> None:
    """Raise when a checkpoint lacks a value that is to be filled."""
    kinds = {name: (tuple(each.shape), str(np.dtype(each.dtype))) for name, each in known.items()}
    kinds |= {name: (tuple(shape), dtype) for name, (shape, dtype) in rest["empty"].items()}
    missing = [name for name in tensors if name not in kinds]
    missing += [name for name in others if name not in rest["values"]]
    if missing:
        names = ", ".join(repr(name.replace(orbax_files.SEPARATOR, "/")) for name in missing[:6])
        raise NotFoundError(
            f"The checkpoint lacks {names}; it has {sorted(kinds)[:6]}... Was it written by "
            "another model, or before the optimizer had a step?"
        )
    for name, tensor in tensors.items():
        own = tuple(tensor._array.shape), tensor._array.dtype.name
        if own != kinds[name]:
            shape, dtype = kinds[name]
            raise InvalidArgumentError(
                f"{name!r} has shape {list(own[0])} and dtype {as_dtype(tensor._array.dtype)}, but "
                f"shape {list(shape)} and dtype {dtype} in the checkpoint."
            )
