"""Fills the tensors of a state dict, or the parts of them that this process has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.dtypes import as_dtype
from jaxeager.distributed.checkpoint_files.aoa.converted_reader import ConvertedReader
from jaxeager.distributed.checkpoint_files.nested_states import flatten_state_dict
from jaxeager.distributed.checkpoint_files.paddle_reader import PaddleReader
from jaxeager.distributed.checkpoint_files.readers import PartedReader, Reader
from jaxeager.distributed.sharded_weights import ShardedWeight
from jaxeager.errors import InvalidArgumentError, NotFoundError
from jaxeager.ops.call.wrapping import wrap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jaxeager.distributed.checkpoint_files.nested_states import Part
    from jaxeager.tensor import Tensor

_Shape = tuple[int, ...]


def fill_all(
    state_dict: Mapping[str, object],
    reader: PartedReader,
    aoa_config: Mapping[str, object] | None = None,
) -> None:
    """Fill the tensors of a state dict; raise before, when one does not fit.

    Args:
        state_dict: ShardedWeights, tensors, and dicts of them.
        reader: the checkpoint.
        aoa_config: statements that make the tensors of those in the checkpoint.
    """
    flat, _ = flatten_state_dict(state_dict)
    if aoa_config:
        converted = ConvertedReader(reader, aoa_config, {n: _shards(v) for n, v in flat.items()})
        flat = {name: value for name, value in flat.items() if name not in converted.kept}
        _fill_from(flat, converted)
    else:
        _fill_from(flat, reader)


def _shards(value: Part) -> int:
    """Return in how many parts the processes have a tensor."""
    if not isinstance(value, ShardedWeight) or value._on_mesh is not None:
        return 1
    pairs = zip(value.global_shape, value.local_shape, strict=True)
    return math.prod(whole // part for whole, part in pairs if part)


def _fill_from(flat: Mapping[str, Part], reader: Reader) -> None:
    missing = [name for name in flat if name not in reader.names()]
    if missing:
        names = ", ".join(map(repr, missing[:6]))
        raise NotFoundError(
            f"The checkpoint lacks {names}; it has {sorted(reader.names())[:6]}... Was it written "
            "by another model, or before the optimizer had a step?"
        )
    for name, value in flat.items():
        _check(reader, name, value)
    for name, value in flat.items():
        _fill(reader, name, value)


def _check(reader: Reader, name: str, value: Part) -> None:
    """Raise InvalidArgumentError when a tensor to fill has another shape or dtype."""
    is_part = isinstance(value, ShardedWeight)
    tensor = value.local_tensor if is_part else value
    whole = tuple(value.global_shape if is_part else tensor._array.shape)
    own = whole, as_dtype(tensor._array.dtype).name
    there = reader.shape_of(name), reader.dtype_of(name)
    if own != there:
        raise InvalidArgumentError(
            f"{name!r} has shape {list(own[0])} and dtype {own[1]}, but shape {list(there[0])} "
            f"and dtype {there[1]} in the checkpoint."
        )


def _fill(reader: Reader, name: str, value: Any) -> None:
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
        offset, shape = box_of(index, tensor._array.shape)
        if origin is not None:
            offset = tuple(a + b for a, b in zip(offset, origin, strict=True))
        return reader.box(name, offset, shape)

    tensor.set_value(_array_like(tensor, values))


def _array_like(tensor: Tensor, values: Callable[..., np.ndarray]) -> Tensor:
    """Return a tensor that is divided among devices as another one, of the values per part."""
    array = tensor._array
    return wrap(jax.make_array_from_callback(array.shape, array.sharding, values))


def merged(
    reader: PartedReader, prefix: str | None, aoa_config: Mapping[str, object] | None
) -> Iterator[tuple[tuple, Tensor]]:
    """Yield the keys of each tensor of a checkpoint in nested dicts, and the whole tensor.

    Args:
        reader: the checkpoint.
        prefix: the prefix of the names to read, which is removed from the first key.
        aoa_config: statements that make tensors of those in the checkpoint.
    """
    start = prefix or ""
    given: Reader = ConvertedReader(reader, aoa_config) if aoa_config else reader
    if isinstance(reader, PaddleReader):
        for name in reader.names():
            if aoa_config or name.startswith(start):
                reader.check_there(name)
    for name in given.names():
        if not name.startswith(start):
            continue
        shape = given.shape_of(name)
        array = given.box(name, (0,) * len(shape), shape)
        keys = (name.removeprefix(start),)
        if isinstance(given, PaddleReader) and not start:
            keys = given.keys.get(name, keys)
        yield keys, wrap(on_device(array))


def box_of(index: tuple, shape: _Shape) -> tuple[_Shape, _Shape]:
    """Return the offset and the shape of the part of an array that an index selects."""
    spans = [each.indices(size)[:2] for each, size in zip(index, shape, strict=True)]
    return tuple(begin for begin, _ in spans), tuple(end - begin for begin, end in spans)
