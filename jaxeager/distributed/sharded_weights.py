"""ShardedWeight: the part of a tensor that one process has, and its place in the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.distributed.communication.group import Group
    from jaxeager.tensor import Tensor


@dataclass(frozen=True)
class ShardedWeightDesc:
    """The place of a part in its tensor, without the values.

    Attributes:
        key: the name of the tensor.
        local_shape: the shape of the part.
        global_shape: the shape of the whole tensor.
        global_offset: the index of its first element, along each axis.
        dtype: its dtype, such as "float32".
    """

    key: str
    local_shape: tuple[int, ...]
    global_shape: tuple[int, ...]
    global_offset: tuple[int, ...]
    dtype: str | None = None


class ShardedWeight:
    """The part of a tensor that one process has.

    Args:
        key: the name of the tensor.
        local_tensor: the part. Of a tensor on a mesh, the part on this process's first device is
            kept, under the tensor's name.
        local_shape: the shape of the part; that of a tensor on a mesh is its own.
        global_shape: the shape of the whole tensor.
        global_offset: the index of the part's first element, along each axis.
        is_flattened: whether the part is a range of the elements in row-major order.
        flattened_range: that range.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.flex_checkpoint.dcp.sharded_weight import ShardedWeight
        >>> rows = ShardedWeight("w", paddle.ones([2, 3]), (2, 3), (4, 3), (2, 0))
        >>> rows.local_shape, rows.global_shape
        ((2, 3), (4, 3))
    """

    def __init__(
        self,
        key: str,
        local_tensor: Tensor,
        local_shape: tuple[int, ...],
        global_shape: tuple[int, ...],
        global_offset: tuple[int, ...],
        is_flattened: bool = False,
        flattened_range: slice | None = None,
    ) -> None:
        self.key = key
        self.local_tensor: Tensor = local_tensor
        self.local_shape: Sequence[int] = tuple(local_shape)
        self._on_mesh: Tensor | None = None  # the tensor that a checkpoint writes and fills
        part, shape = local_tensor._local_value(), local_tensor._local_shape
        if part is not None and shape is not None:  # it is on a mesh
            self._on_mesh = local_tensor
            self.local_tensor, self.local_shape = part, shape
            part.name = local_tensor.name
        self.global_shape = global_shape
        self.global_offset = global_offset
        self.is_flattened = is_flattened
        self.flattened_range = flattened_range

    def __str__(self) -> str:
        kind = type(self.local_tensor).__name__
        rows = [
            f"key={self.key}",
            f"local_tensor={kind}(shape={self.local_tensor.shape})",
            f"local_shape={self.local_shape}",
            f"global_shape={self.global_shape}",
            f"global_offset={self.global_offset}",
            f"flattened_range={self.flattened_range}",
        ]
        return "ShardedWeight(\n  " + ",\n  ".join(rows) + "\n)"


ShardedStateDict = dict[str, ShardedWeight]
"""ShardedWeights by the names of their tensors."""


def shard_weight(key: str, weight: Tensor, axis: int, group: Group) -> ShardedWeight:
    """Return a process's part of a tensor that a group divides evenly along an axis.

    Args:
        key: the name of the tensor.
        weight: this process's part.
        axis: the axis along which the parts are joined.
        group: the processes that have the parts, in their order.

    Raises:
        InvalidArgumentError: for an axis that the tensor does not have; negative ones are not
            accepted.

    Example:
        >>> import jaxeager as paddle
        >>> shard_weight("w", paddle.ones([2, 3]), 0, paddle.distributed.new_group()).global_shape
        (2, 3)
    """
    part = tuple(weight.shape)
    if not 0 <= axis < len(part):
        raise InvalidArgumentError(
            f"Shard axis {axis} is invalid for a tensor of shape {list(part)}: pass one of 0 to "
            f"{len(part) - 1}."
        )
    whole, offset = list(part), [0] * len(part)
    whole[axis] *= group.nranks
    if group.nranks > 1:
        offset[axis] = group.rank * part[axis]
    return ShardedWeight(key, weight, part, tuple(whole), tuple(offset))


def make_tp_sharded_weight_for_checkpoint(
    key: str, tensor: Tensor, tensor_parallel_axis: int = 0
) -> ShardedWeight:
    """Return a process's part of a tensor that the processes along "model" divide.

    ``fleet.init`` makes those processes.

    Args:
        key: the name of the tensor.
        tensor: this process's part.
        tensor_parallel_axis: the axis along which the parts are joined.

    Raises:
        PreconditionNotMetError: before ``fleet.init``.
        InvalidArgumentError: for an axis that the tensor does not have.
    """
    from jaxeager.distributed.fleet.base import topology

    groups = topology._HYBRID_PARALLEL_GROUP
    if groups is None:
        raise PreconditionNotMetError(
            f"{key}: the processes that divide it are not known. Call "
            "paddle.distributed.fleet.init() first."
        )
    group = groups._groups["model"]
    return shard_weight(key, tensor, tensor_parallel_axis, group)


def make_replicated_sharded_weight(key: str, tensor: Tensor) -> ShardedWeight:
    """Return the ShardedWeight of a tensor that every process has whole.

    Args:
        key: the name of the tensor.
        tensor: the tensor.

    Example:
        >>> import jaxeager as paddle
        >>> make_replicated_sharded_weight("w", paddle.ones([2, 3])).global_offset
        (0, 0)
    """
    whole = tuple(tensor.shape)
    return ShardedWeight(key, tensor, whole, whole, (0,) * len(whole))


def build_sharded_state_dict(
    state_dict: dict[str, Tensor], shard_rules: dict[str, int] | None = None, prefix: str = ""
) -> dict[str, ShardedWeight]:
    """Return a ShardedWeight for each tensor of a state dict.

    Args:
        state_dict: tensors by name.
        shard_rules: for tensors that the processes along "model" of ``fleet.init`` divide, by
            name: the axis. Every process has the others whole.
        prefix: a prefix of the names in the result.

    Example:
        >>> import jaxeager as paddle
        >>> list(build_sharded_state_dict(paddle.nn.Linear(2, 3).state_dict(), prefix="head."))
        ['head.weight', 'head.bias']
    """
    rules = shard_rules or {}
    made = {}
    for name, tensor in state_dict.items():
        key = prefix + name
        if name in rules:
            made[key] = make_tp_sharded_weight_for_checkpoint(key, tensor, rules[name])
        else:
            made[key] = make_replicated_sharded_weight(key, tensor)
    return made


def create_sharded_weight_with_new_local(
    new_key: str, new_local_tensor: Tensor, reference_tensor: ShardedWeight
) -> ShardedWeight:
    """Return a ShardedWeight of other values at the place of an existing one.

    Args:
        new_key: its name.
        new_local_tensor: its values, of the shape of the existing part.
        reference_tensor: the existing one, such as the weight that a moment belongs to.

    Raises:
        InvalidArgumentError: for values of another shape.
    """
    part = tuple(reference_tensor.local_shape)
    if tuple(new_local_tensor.shape) != part:
        raise InvalidArgumentError(
            f"{new_key}: the values have shape {list(new_local_tensor.shape)}, but the part of "
            f"{reference_tensor.key} has shape {list(part)}. Pass values of that shape."
        )
    whole, offset = tuple(reference_tensor.global_shape), tuple(reference_tensor.global_offset)
    return ShardedWeight(new_key, new_local_tensor, part, whole, offset)
