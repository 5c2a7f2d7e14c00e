"""paddle.distributed.parallel: which process this is, and DataParallel."""

from jaxeager.device.kinds import get_all_custom_device_type
from jaxeager.distributed.communication.group import Group, barrier, is_initialized
from jaxeager.distributed.data_parallel import DataParallel
from jaxeager.distributed.environment import (
    ParallelEnv,
    get_rank,
    get_world_size,
    init_parallel_env,
)
from jaxeager.nn.layer.layer import Layer

__all__ = [
    "DataParallel", "Group", "ParallelEnv", "barrier", "get_all_custom_device_type", "get_rank",
    "get_world_size", "init_parallel_env", "is_initialized", "sync_params_buffers",
]  # fmt: skip


def sync_params_buffers(
    model: Layer,
    comm_group: Group | None = None,
    src_rank: int = 0,
    is_model_parallel: bool = False,
    fuse_params: bool = True,
    is_moe_sharding_parallel: bool = False,
) -> None:
    """Gives all processes the parameters and buffers of one; one process has them.

    Args:
        model: the layer.
        comm_group: the processes; all of them by default.
        src_rank: the process that gives them.
        is_model_parallel: whether some parameters differ between processes.
        fuse_params: whether they are sent together.
        is_moe_sharding_parallel: whether experts differ between processes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.parallel.sync_params_buffers(paddle.nn.Linear(2, 2))
    """
