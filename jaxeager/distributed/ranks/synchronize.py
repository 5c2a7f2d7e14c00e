"""Copies of parameters, buffers and gradients to all processes of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.distributed.communication.group_call import (
    call,
    discard,
    has_peers,
    is_outside,
    writer_of,
)
from jaxeager.distributed.communication.groups import is_initialized, used_group
from jaxeager.distributed.communication.objects import all_gather_object
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.graph.rows import Rows
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.ops.call.dispatch import wrap

if TYPE_CHECKING:
    from jaxeager.distributed.communication.group import Group
    from jaxeager.distributed.communication.task import Task
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.tensor import Tensor

SUM, AVG = 0, 4  # of ReduceOp


def sync_params_buffers(
    model: Layer,
    comm_group: Group | None = None,
    src_rank: int = 0,
    is_model_parallel: bool = False,
    fuse_params: bool = True,
    is_moe_sharding_parallel: bool = False,
) -> None:
    """Copy the parameters and buffers of one process to all of a group, in one call.

    Args:
        model: the layer.
        comm_group: the processes; all of them by default.
        src_rank: the process whose values are copied.
        is_model_parallel: skip parameters of which each process has a part.
        fuse_params: whether Paddle sends them together; here they always are.
        is_moe_sharding_parallel: must be False: experts that differ between processes.

    Raises:
        InvalidArgumentError: when the processes' parameters differ in number, shape or dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.parallel.sync_params_buffers(paddle.nn.Linear(2, 2))
    """
    if is_moe_sharding_parallel:
        raise UnimplementedError("sync_params_buffers: is_moe_sharding_parallel is not supported.")
    if comm_group is None and not is_initialized():
        return
    state = {
        name: each
        for name, each in model.state_dict().items()
        if not (is_model_parallel and getattr(each, "is_distributed", False))
    }
    broadcast_tensors(state, comm_group, src_rank)


def broadcast_tensors(named: dict[str, Tensor], group: Group | None, src: int) -> None:
    """Copy the tensors of one process to all of a group, after a check that they match."""
    used = used_group(group)
    if not has_peers(used) or is_outside(used) or not named:
        return
    check_alike(named, used)
    tensors = list(named.values())
    place = used.get_group_rank(src)
    write = discard if used.rank == place else writer_of(*tensors)
    call("broadcast", "broadcast", used, tensors, write, sync_op=True, src=place)


def check_alike(named: dict[str, Tensor], group: Group) -> None:
    """Check that all processes of a group have tensors with the same names, shapes and dtypes.

    Raises:
        InvalidArgumentError: when they do not, with the first difference.
    """
    own = [f"{name}: {t.dtype.name}{list(t.shape)}" for name, t in named.items()]
    found: list[list[str]] = []
    all_gather_object(found, own, group)
    for place, others in enumerate(found):
        if others == own:
            continue
        pairs = zip([*own, "nothing"], [*others, "nothing"], strict=False)
        mine, theirs = next(pair for pair in pairs if pair[0] != pair[1])
        raise InvalidArgumentError(
            f"Processes that train one model must have the same parameters and buffers, but rank "
            f"{group.ranks[group.rank]} has {mine}, and rank {group.ranks[place]} has {theirs}."
        )


def reduce_together(tensors: Sequence[Tensor], group: Group, op: int, sync_op: bool = True) -> Task:
    """Sum tensors over a group, or average them, in one call.

    A gradient of some rows is sent as the whole gradient and the mask of its rows. Its rows are
    those that a rank had.
    """
    parts = [part for each in tensors for part in _parts(each)]

    def write(arrays: list) -> None:
        received = iter(arrays)
        for tensor in tensors:
            write_array(tensor, next(received))
            if tensor._rows is not None:
                tensor._rows = Rows(next(received) > 0, None, None)

    return call(
        "all_reduce", "all_reduce", group, parts, write, sync_op, op=op,
        operands=f"{len(parts)} tensors of {sum(each.size for each in parts)} elements, "
        f"{'SUM' if op == SUM else 'AVG'}",
    )  # fmt: skip


def _parts(tensor: Tensor) -> list[Tensor]:
    if tensor._rows is None:
        return [tensor]
    return [wrap(tensor._whole), wrap(tensor._rows.present.astype(tensor._whole.dtype))]


def gradients_of(parameters: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients of parameters that have one; ``main_grad`` where there is no other."""
    found = (getattr(p, "main_grad", None) if p.grad is None else p.grad for p in parameters)
    return [each for each in found if each is not None]


def average_gradients(parameters: Sequence[Tensor], group: Group, op: int = AVG) -> None:
    """Reduce the gradients of parameters over a group; skip parameters without one."""
    grads = gradients_of(parameters)
    if grads and has_peers(group):
        reduce_together(grads, group, op)
