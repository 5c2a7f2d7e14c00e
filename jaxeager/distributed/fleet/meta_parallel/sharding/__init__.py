"""Optimizers and layers whose state processes can share; a single process has it whole."""

from jaxeager.distributed.fleet.meta_parallel.sharding import (
    group_sharded_optimizer_stage2,
    group_sharded_stage2,
    group_sharded_stage3,
    group_sharded_utils,
)

__all__ = [
    "group_sharded_optimizer_stage2", "group_sharded_stage2", "group_sharded_stage3",
    "group_sharded_utils",
]  # fmt: skip
