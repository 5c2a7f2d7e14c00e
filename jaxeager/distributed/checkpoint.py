"""Checkpoints of tensors on meshes: each process writes and reads the parts it has.

State dicts of ShardedWeights are in Paddle's own files instead: checkpoint_parts.py.

Note [Checkpoints]
    Orbax writes them: it supports JAX's shardings, so nothing is gathered, and a checkpoint written
    on one mesh can be read on another. A folder holds consecutive checkpoints, "0", "1", ...; each
    appears whole or not at all, because Orbax renames it to its final name last. A JSON file next
    to the arrays holds the other values: numbers of a learning rate scheduler, and empty tensors,
    which Orbax does not accept. Digests of all files are written too (checkpoint_digests.py), so a
    damaged checkpoint is not read as wrong weights.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.dtypes import as_dtype
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed import checkpoint_digests as digests
from jaxeager.distributed import checkpoint_parts
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    UnavailableError,
    UnimplementedError,
)
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor

_FORM = 1  # version of the JSON file
_NO_AOA = "aoa_config is not supported: rename tensors in the state dict."
_SEPARATOR = "\x1f"  # between the names of nested dicts
_writing: list = []  # checkpointers that write in the background


def _orbax() -> Any:
    try:
        return importlib.import_module("orbax.checkpoint")
    except ImportError:
        raise UnavailableError(
            'Checkpoints of distributed tensors need Orbax: pip install "jaxeager[checkpoint]".'
        ) from None


def _refuse_form(function: str, safetensors: bool, process_group: Any = None) -> None:
    """Raise UnimplementedError for an unsupported form of checkpoint."""
    if safetensors:
        raise UnimplementedError(
            f"{function}: safetensors=True is not supported: a checkpoint has one format. "
            'paddle.save writes whole tensors to a name that ends in ".safetensors".'
        )
    count = getattr(process_group, "nranks", None)
    if count is not None and count != get_world_size():
        raise UnimplementedError(
            f"{function}: process_group has {count} of {get_world_size()} processes, but every "
            "process must take part. Leave it None."
        )


def save_state_dict(
    state_dict: dict[str, Any],
    path: str | os.PathLike,
    process_group: Any = None,
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
            next call, a load, and the end of the process wait for it. Not for ShardedWeights.
        safetensors: must be False: whole tensors in that format are written by ``paddle.save``.
        save_replicas: whether Paddle writes replicas too; here each value is written once.

    Raises:
        UnavailableError: without Orbax.
        InvalidTypeError: for a value that is neither tensor, number, string, list nor dict.
        InvalidArgumentError: for the number of an existing checkpoint, and when the processes lack
            a part of a tensor.
        UnimplementedError: for ShardedWeights with ``async_save``.

    Paddle: keeps the records of a checkpoint whose parts it overwrites.

    Example:
        >>> import jaxeager as paddle
        >>> dist, layer = paddle.distributed, paddle.nn.Linear(2, 2)
        >>> dist.save_state_dict(layer.state_dict(), "out/checkpoint")  # doctest: +SKIP
        >>> dist.load_state_dict(layer.state_dict(), "out/checkpoint")  # doctest: +SKIP
    """
    in_parts = checkpoint_parts.are_parts(state_dict)
    _refuse_form("save_state_dict", safetensors, None if in_parts else process_group)
    unheeded(
        "save_state_dict",
        "the processes that write are chosen here, and each value is written once",
        coordinator_rank=(coordinator_rank, 0),
        save_replicas=(save_replicas, False),
    )
    wait()
    folder = Path(path).absolute()
    whole, parted = _numbers(folder), checkpoint_parts.numbers(folder)
    number = 1 + max(*whole, *parted, -1, -1) if unique_id is None else unique_id
    if in_parts and unique_id is None and parted:
        number = max(parted)
    if number in whole or (number in parted and not in_parts):
        raise InvalidArgumentError(f"A checkpoint {number} already exists in {folder}.")
    if in_parts:
        if async_save:
            raise UnimplementedError(
                "save_state_dict: async_save=True is not supported for ShardedWeights. Leave it "
                "False, or pass tensors, which Orbax writes in the background."
            )
        checkpoint_parts.save_parts(state_dict, folder, number, process_group)
        return
    orbax = _orbax()
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
    rest = {"form": _FORM, "values": others, "empty": empty}
    saver = orbax.AsyncCheckpointer(_handler(orbax), timeout_secs=3600)
    parts = {"arrays": orbax.args.PyTreeSave(arrays), "rest": orbax.args.JsonSave(rest)}
    saver.save(target, args=orbax.args.Composite(**parts))
    _writing.append(saver)
    if not async_save:
        wait()


@atexit.register
def wait() -> None:
    """Wait for checkpoints that are written in the background; raise their errors."""
    while _writing:
        saver = _writing.pop()
        saver.wait_until_finished()
        saver.close()


def load_state_dict(
    state_dict: dict[str, Any],
    path: str | os.PathLike,
    process_group: Any = None,
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
        process_group: the processes, which must be all of them.
        coordinator_rank: ignored.
        unique_id: the number of the checkpoint; the last one by default.
        offload: whether Paddle reads through the host; Orbax always does.
        mw_name_compatibility: whether Paddle accepts other names of master weights; names must be
            equal here.
        aoa_config: Paddle's language to rename and cut tensors while reading.
        safetensors: must be False: ``paddle.load`` reads whole tensors in that format.
        worker_groups: processes that read for others in Paddle.
        comm_method: how those processes send the tensors on.

    Raises:
        UnavailableError: without Orbax.
        NotFoundError: when there is no such checkpoint, or it lacks a tensor.
        InvalidArgumentError: for a tensor of another shape or dtype, for a damaged checkpoint (its
            files have digests, unless they are Paddle's), in which case nothing is read, and for
            ``aoa_config``.

    Paddle: warns of a tensor that the checkpoint lacks, and leaves it as it is.
    """
    _refuse_form("load_state_dict", safetensors, process_group)
    unheeded(
        "load_state_dict",
        "each process reads the values that its devices need, under the names in the checkpoint",
        coordinator_rank=(coordinator_rank, 0),
        offload=(offload, False),
        mw_name_compatibility=(mw_name_compatibility, True),
        worker_groups=(worker_groups, None),
        comm_method=(comm_method, "broadcast"),
    )
    if aoa_config:
        raise InvalidArgumentError(_NO_AOA)
    folder, number = _number_to_read(path, unique_id)
    if number in checkpoint_parts.numbers(folder):
        checkpoint_parts.load_parts(state_dict, folder, number)
        return
    orbax = _orbax()
    reader, target, known, rest = _opened(orbax, folder / str(number))
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
    with _reading(target):
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
        aoa_config: Paddle's language to rename and cut tensors while reading.
        safetensors: must be False: there is only one file format.

    Raises:
        UnavailableError: without Orbax.
        NotFoundError: when there is no such checkpoint.
        InvalidArgumentError: for ``aoa_config``, and for a damaged checkpoint.
    """
    _refuse_form("load_merged_state_dict", safetensors)
    unheeded(
        "load_merged_state_dict", "tensors are on the current device", offload=(offload, False)
    )
    if aoa_config:
        raise InvalidArgumentError(_NO_AOA)
    folder, number = _number_to_read(path, unique_id)
    if number in checkpoint_parts.numbers(folder):
        whole: dict[str, Any] = {}
        for keys, tensor in checkpoint_parts.merged_parts(folder, number, prefix):
            _put(whole, _SEPARATOR.join(keys), tensor)
        return whole
    orbax = _orbax()
    reader, target, known, rest = _opened(orbax, folder / str(number))
    names = [name for name in known if prefix is None or name.startswith(prefix)]
    how = {name: orbax.RestoreArgs(restore_type=np.ndarray) for name in names}
    item = {name: np.zeros(0) for name in names}
    args = orbax.args.PyTreeRestore(item=item, restore_args=how, partial_restore=True)
    with _reading(target):
        found = reader.restore(target, args=orbax.args.Composite(arrays=args))["arrays"]
    made: dict[str, Any] = {}
    with _reading(target):
        empty = {name: np.zeros(*each) for name, each in rest["empty"].items()}
    for name, value in [*found.items(), *empty.items()]:
        if prefix is None or name.startswith(prefix):
            _put(made, name[len(prefix or "") :], wrap(on_device(np.asarray(value))))
    for name, value in rest["values"].items():
        if prefix is None or name.startswith(prefix):
            _put(made, name[len(prefix or "") :], value)
    return made


# ---- the content of a checkpoint


def _numbers(folder: Path) -> list[int]:
    """Return the numbers of the complete checkpoints of a folder."""
    if not folder.is_dir():
        return []
    return [int(each.name) for each in folder.iterdir() if each.name.isdigit()]


def _handler(orbax: Any) -> Any:
    """Return the handler that writes and reads the two parts of a checkpoint."""
    arrays, rest = orbax.PyTreeCheckpointHandler(), orbax.JsonCheckpointHandler()
    made = orbax.CompositeCheckpointHandler(arrays=arrays, rest=rest)
    finalize = made.finalize

    def finalize_with_digests(directory: Any) -> None:
        """Write the digests after all other files, before the folder gets its final name."""
        finalize(directory)
        digests.write(Path(directory))

    made.finalize = finalize_with_digests  # Orbax identifies handlers by their class: no subclass
    return made


def _number_to_read(path: Any, number: int | None) -> tuple[Path, int]:
    """Return the folder of checkpoints, and the number of the one to read."""
    wait()
    folder = Path(path).absolute()
    parted = checkpoint_parts.numbers(folder)
    if not parted:
        _orbax()
    numbers = [*_numbers(folder), *parted]
    if not numbers or number not in (None, *numbers):
        what = "no checkpoint" if number is None else f"no checkpoint {number}"
        raise NotFoundError(f"There is {what} in {folder}; it has {sorted(numbers)}.")
    return folder, max(numbers) if number is None else number


def _opened(orbax: Any, target: Path) -> tuple[Any, Path, dict, dict]:
    """Return a checkpoint's reader and folder, and its content: arrays, and the rest."""
    digests.check(target)
    reader = orbax.Checkpointer(_handler(orbax))
    only = orbax.args.Composite(rest=orbax.args.JsonRestore())
    with _reading(target):
        rest = reader.restore(target, args=only)["rest"]
        tree = dict(reader.metadata(target).item_metadata["arrays"].tree)
    if not _is_of_form(rest):
        raise InvalidArgumentError(
            f"{target} is a checkpoint in another format, {json.dumps(rest)[:80]}."
        )
    return reader, target, tree, rest


def _is_of_form(rest: Any) -> bool:
    """Return whether the JSON content has the form that ``save_state_dict`` writes."""
    if not isinstance(rest, dict) or rest.get("form") != _FORM:
        return False
    values, empty = rest.get("values"), rest.get("empty")
    return (
        isinstance(values, dict)
        and isinstance(empty, dict)
        and all(isinstance(each, list) and len(each) == 2 for each in empty.values())
    )


@contextlib.contextmanager
def _reading(target: Path) -> Iterator[None]:
    """Convert every error of Orbax for a damaged checkpoint to InvalidArgumentError."""
    try:
        yield
    except (InvalidArgumentError, MemoryError):
        raise
    except Exception as error:
        raise InvalidArgumentError(
            f"The checkpoint {target} is damaged, or Orbax wrote it in another format: "
            f"{type(error).__name__}: {str(error)[:300]}"
        ) from error


def _parted(state_dict: dict, prefix: str = "") -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of a state dict and its nested dicts by name, and the other values."""
    tensors, others = {}, {}
    for key, value in state_dict.items():
        name = f"{prefix}{key}"
        if isinstance(value, Tensor):
            tensors[name] = value
        elif isinstance(value, dict):
            inner = _parted(value, f"{name}{_SEPARATOR}")
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


def _put(state_dict: dict, name: str, value: Any) -> None:
    """Store a value in a dict under the name that ``_parted`` has for it."""
    *outer, last = name.split(_SEPARATOR)
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
        names = ", ".join(repr(name.replace(_SEPARATOR, "/")) for name in missing[:6])
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
