"""full_param: the whole tensors of a state dict of which each process has parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.distributed.communication.objects import all_gather_object
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.distributed.sharded_weights import ShardedWeight
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.distributed.communication.group import Group


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

    Every process of the group iterates to the end. One tensor at a time is whole in memory.

    Args:
        sharded_state_dict: this process's parts, by name.
        aoa_config: Paddle's language to rename and cut tensors, which is not supported.
        process_group: the processes that have parts; all by default.
        h_group: processes along one axis of two, which is not supported.
        v_group: processes along the other axis.
        num_splits: the number of shares of the tensors, of which Paddle yields one with h_group.
        shard_idx: the number of that share.
        memory_growth_threshold: the bytes that Paddle gathers at once with h_group.

    Raises:
        UnimplementedError: for an unsupported argument, and for flattened parts.
        InvalidArgumentError: when parts of a tensor are missing.

    Example:
        >>> import jaxeager as paddle
        >>> parts = paddle.nn.Linear(2, 3).sharded_state_dict()
        >>> [(name, whole.shape) for name, whole in full_param(parts)]
        [('bias', paddle.Size([3])), ('weight', paddle.Size([2, 3]))]
    """
    given = {
        "aoa_config": aoa_config or None,
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
    return _whole_tensors(sharded_state_dict, process_group)


def _whole_tensors(
    parts: dict[str, ShardedWeight], group: Group | None
) -> Iterator[tuple[str, Tensor]]:
    count = get_world_size() if group is None else group.nranks
    if count == 1:
        for name, part in sorted(parts.items()):
            _check(name, _size(part.local_shape), part.global_shape)
            yield name, part.local_tensor.detach().clone()
        return
    names: list[list[str]] = []
    all_gather_object(names, list(parts), group)
    for name in sorted({name for of_process in names for name in of_process}):
        own = parts.get(name)
        found: list[Any] = []
        all_gather_object(found, None if own is None else _described(own), group)
        yield name, wrap(on_device(_joined(name, [each for each in found if each is not None])))


def _described(part: ShardedWeight) -> tuple[tuple[int, ...], tuple[int, ...], np.ndarray]:
    """Return the whole shape, the offset and the values of a part."""
    return tuple(part.global_shape), tuple(part.global_offset), np.asarray(part.local_tensor._array)


def _joined(name: str, found: list[tuple]) -> np.ndarray:
    """Return the whole array of parts, each at its offset."""
    shape, _, first = found[0]
    whole = np.empty(shape, first.dtype)
    is_there = np.zeros(shape, bool)
    for _, offset, values in found:
        place = tuple(slice(at, at + n) for at, n in zip(offset, values.shape, strict=True))
        whole[place] = values
        is_there[place] = True
    _check(name, int(is_there.sum()), shape)
    return whole


def _check(name: str, there: int, shape: Any) -> None:
    """Raise InvalidArgumentError unless all elements of a tensor are there."""
    if there != _size(shape):
        raise InvalidArgumentError(
            f"full_param: the processes have {there} of the {_size(shape)} elements of {name!r}. "
            "Pass the group of all processes that have parts of it."
        )


def _size(shape: Any) -> int:
    return int(np.prod(shape, dtype=np.int64))
