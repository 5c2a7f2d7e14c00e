"""full_param: the whole tensors of a state dict of which each process has parts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.dtypes import as_dtype
from jaxeager.distributed.checkpoint_files.aoa.converted_reader import ConvertedReader
from jaxeager.distributed.checkpoint_files.paddle_files import gathered
from jaxeager.distributed.checkpoint_files.readers import Reader, place_of
from jaxeager.distributed.sharded_weights import ShardedWeight
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.distributed.communication.group import Group

_KEPT = 4  # whole tensors that are kept, because several are made of one


def full_param(
    sharded_state_dict: dict[str, ShardedWeight],
    aoa_config: dict[str, list[str]] | None = None,
    *,
    process_group: Group | None = None,
    h_group: Group | None = None,
    v_group: Group | None = None,
    num_splits: int = 1,
    shard_idx: int = 0,
    memory_growth_threshold: int = 8 * 2**30,
) -> Iterator[tuple[str, Tensor]]:
    """Return an iterator over the names and copies of the whole tensors, in order of the names.

    Every process of the group iterates to the end. One tensor at a time is whole in memory, and
    with ``aoa_config`` those it is made of.

    Args:
        sharded_state_dict: this process's parts, by name.
        aoa_config: statements that make tensors of these; those that no statement uses stay as
            they are (jaxeager/distributed/checkpoint_files/aoa).
        process_group: the processes that have parts; all by default.
        h_group: processes along one axis of two, which is not supported.
        v_group: processes along the other axis.
        num_splits: the number of shares of the tensors, of which Paddle yields one with h_group.
        shard_idx: the number of that share.
        memory_growth_threshold: the bytes that Paddle gathers at once with h_group.

    Raises:
        UnimplementedError: for an unsupported argument, and for flattened parts.
        InvalidArgumentError: when parts of a tensor are missing, and for a statement that does
            not fit.

    Example:
        >>> import jaxeager as paddle
        >>> parts = paddle.nn.Linear(2, 3).sharded_state_dict()
        >>> [(name, whole.shape) for name, whole in full_param(parts)]
        [('bias', paddle.Size([3])), ('weight', paddle.Size([2, 3]))]
    """
    given = {
        "h_group": h_group,
        "v_group": v_group,
        "num_splits": None if num_splits == 1 else num_splits,
        "shard_idx": shard_idx or None,
        "memory_growth_threshold": (
            None if memory_growth_threshold == 8 * 2**30 else memory_growth_threshold
        ),
    }
    for name, value in given.items():
        if value is not None:
            raise UnimplementedError(
                f"full_param: {name}={value!r} is not supported: every tensor is gathered, one "
                "after the other, under its own name. Leave it out."
            )
    flat = [name for name, part in sharded_state_dict.items() if part.is_flattened]
    if flat:
        raise UnimplementedError(f"full_param: flattened parts are not supported: {flat[0]!r}.")
    reader = _PartsOfProcesses(sharded_state_dict, process_group)
    return _whole_tensors(ConvertedReader(reader, aoa_config) if aoa_config else reader)


def _whole_tensors(reader: Reader) -> Iterator[tuple[str, Tensor]]:
    for name in sorted(reader.names()):
        shape = reader.shape_of(name)
        yield name, wrap(on_device(reader.box(name, (0,) * len(shape), shape).copy()))


class _PartsOfProcesses:
    """The tensors of which each process has parts; all processes read them in the same order.

    Args:
        parts: this process's parts, by name.
        group: the processes; all by default.
    """

    def __init__(self, parts: dict[str, ShardedWeight], group: Group | None) -> None:
        self._parts = parts
        self._group = group
        own = {name: _place_of(part) for name, part in parts.items()}
        self._places: dict[str, list[tuple]] = {}
        for of_process in gathered(own, group):
            for name, place in of_process.items():
                self._places.setdefault(name, []).append(place)
        self._whole: dict[str, np.ndarray] = {}  # the last ones

    def names(self) -> Collection[str]:
        """Return the names of the tensors."""
        return self._places.keys()

    def shape_of(self, name: str) -> tuple[int, ...]:
        """Return the shape of a whole tensor."""
        return self._places[name][0][0]

    def dtype_of(self, name: str) -> str:
        """Return the name of a tensor's dtype."""
        return self._places[name][0][2]

    def shards_of(self, name: str) -> int:
        """Return in how many parts a tensor is divided."""
        return len({offset for _, offset, _ in self._places[name]})

    def box(self, name: str, offset: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
        """Return the elements of a tensor from an offset on, in a shape."""
        if name not in self._whole:
            while len(self._whole) >= _KEPT:
                del self._whole[next(iter(self._whole))]
            self._whole[name] = self._gathered(name)
        return self._whole[name][place_of(offset, shape)]

    def _gathered(self, name: str) -> np.ndarray:
        """Return a whole tensor, of the parts of all processes."""
        part = self._parts.get(name)
        own = None if part is None else (*_place_of(part)[:2], np.asarray(part.local_tensor._array))
        return _joined(name, [each for each in gathered(own, self._group) if each is not None])


def _place_of(part: ShardedWeight) -> tuple[tuple[int, ...], tuple[int, ...], str]:
    """Return the whole shape, the offset and the dtype of a part."""
    dtype = as_dtype(part.local_tensor._array.dtype).name
    return tuple(part.global_shape), tuple(part.global_offset), dtype


def _joined(name: str, found: list[tuple]) -> np.ndarray:
    """Return the whole array of parts, each at its offset."""
    shape, _, first = found[0]
    whole = np.empty(shape, first.dtype)
    is_there = np.zeros(shape, bool)
    for _, offset, values in found:
        place = place_of(offset, values.shape)
        whole[place] = values
        is_there[place] = True
    _check(name, int(is_there.sum()), shape)
    return whole


def _check(name: str, there: int, shape: Sequence[int]) -> None:
    """Raise InvalidArgumentError unless all elements of a tensor are there."""
    if there != _size(shape):
        raise InvalidArgumentError(
            f"full_param: the processes have {there} of the {_size(shape)} elements of {name!r}. "
            "Pass the group of all processes that have parts of it."
        )


def _size(shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))
