"""paddle.distributed.parallel: which process this is, and DataParallel."""

from jaxeager.distributed.communication.group import Group, barrier, is_initialized
from jaxeager.distributed.data_parallel import DataParallel
from jaxeager.distributed.environment import (
    ParallelEnv,
    get_rank,
    get_world_size,
    init_parallel_env,
)

__all__ = [
    "DataParallel", "Group", "ParallelEnv", "barrier", "get_rank", "get_world_size",
    "init_parallel_env", "is_initialized",
]  # fmt: skip
