"""paddle.distributed.communication.group: groups of processes, and waiting for a group."""

import jax.numpy as jnp

from jaxeager.distributed.communication.group_call import call, has_peers, is_outside
from jaxeager.distributed.communication.groups import (
    Group,
    _get_global_group,
    add_group,
    check_tensors,
    destroy_process_group,
    device_number,
    get_backend,
    get_group,
    is_initialized,
    make_world,
    used_group,
)
from jaxeager.distributed.communication.task import Task
from jaxeager.tensor import Tensor

__all__ = [
    "Group", "_get_global_group", "add_group", "barrier", "check_tensors", "destroy_process_group",
    "device_number", "get_backend", "get_group", "is_initialized", "make_world", "used_group",
    "wait",
]  # fmt: skip


def barrier(group: Group | None = None) -> None:
    """Wait until all processes of a group have called this.

    Args:
        group: the processes; all of them by default.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        UnavailableError: when a process does not call it within the group's timeout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.barrier()
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    if not has_peers(used) or is_outside(used):
        return
    here = Tensor.from_array(jnp.zeros((), jnp.int8))
    sums: list = []
    call("barrier", "barrier", used, [here], sums.extend, sync_op=True, operands="").wait()
    for each in sums:
        each.block_until_ready()


def wait(tensor: Tensor, group: Group | None = None, use_calc_stream: bool = True) -> Task | None:
    """Wait until a tensor is computed.

    Args:
        tensor: the tensor.
        group: the group whose calls to wait for.
        use_calc_stream: has no effect: XLA orders dependent ops.

    Raises:
        InvalidOperandError: when it is not a Tensor.

    Paddle: without a GPU or another accelerator it raises.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.wait(paddle.ones([2]))
    """
    check_tensors("wait", [tensor])
    tensor._array.block_until_ready()
