"""paddle.distributed.communication: calls between processes."""

from jaxeager.distributed.communication import group, stream
from jaxeager.distributed.communication.group import (
    barrier,
    destroy_process_group,
    get_backend,
    get_group,
    is_initialized,
    wait,
)
from jaxeager.distributed.communication.objects import (
    all_gather_object,
    broadcast_object_list,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from jaxeager.distributed.communication.point_to_point import (
    P2POp,
    batch_isend_irecv,
    irecv,
    isend,
    recv,
    send,
)
from jaxeager.distributed.communication.tensors import (
    ReduceOp,
    _get_reduce_op,  # which programs import
    all_gather,
    all_reduce,
    alltoall,
    alltoall_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)

__all__ = [
    "P2POp", "ReduceOp", "all_gather", "all_gather_object", "all_reduce", "alltoall",
    "alltoall_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list",
    "destroy_process_group", "gather", "get_backend", "get_group", "group", "irecv",
    "is_initialized", "isend", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "scatter", "scatter_object_list", "send", "send_object_list", "stream", "wait",
]  # fmt: skip
