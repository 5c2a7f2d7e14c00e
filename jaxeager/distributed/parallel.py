"""paddle.distributed.parallel: the identity of this process, and DataParallel."""

from jaxeager.device.kinds import get_all_custom_device_type
from jaxeager.distributed.communication.group import Group, barrier, is_initialized
from jaxeager.distributed.ranks.data_parallel import DataParallel
from jaxeager.distributed.ranks.environment import (
    ParallelEnv,
    get_rank,
    get_world_size,
    init_parallel_env,
)
from jaxeager.distributed.ranks.synchronize import sync_params_buffers

__all__ = [
    "DataParallel", "Group", "ParallelEnv", "barrier", "get_all_custom_device_type", "get_rank",
    "get_world_size", "init_parallel_env", "is_initialized", "sync_params_buffers",
]  # fmt: skip
