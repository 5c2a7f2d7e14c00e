"""paddle.distributed.collective: groups, and the older module of calls between processes."""

from jaxeager.distributed.communication import (
    P2POp,
    ReduceOp,
    all_gather,
    all_gather_object,
    all_reduce,
    alltoall,
    alltoall_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    broadcast_object_list,
    destroy_process_group,
    get_group,
    irecv,
    is_initialized,
    isend,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    send,
    stream,
    wait,
)
from jaxeager.distributed.communication.group import Group, _get_global_group
from jaxeager.distributed.ranks.environment import (
    is_available,
    new_group,
    restart_process_group,
    shutdown_process_group,
)

_get_default_group = _get_global_group  # Paddle's name, which programs import

__all__ = [
    "Group", "P2POp", "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "alltoall",
    "alltoall_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
    "destroy_process_group", "get_group", "irecv", "is_available", "is_initialized", "isend",
    "new_group", "recv", "reduce", "reduce_scatter", "restart_process_group", "scatter", "send",
    "shutdown_process_group", "stream", "wait",
]  # fmt: skip
