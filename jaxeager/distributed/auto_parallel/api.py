"""paddle.distributed.auto_parallel.api: tensors, layers and optimizers on a mesh of devices."""

from jaxeager.distributed.mesh.local_tensors import dtensor_from_local, dtensor_to_local
from jaxeager.distributed.mesh.sharded_data import ShardDataloader, shard_dataloader
from jaxeager.distributed.mesh.sharded_optimizers import (
    ShardingStage1,
    ShardingStage2,
    ShardingStage3,
    shard_optimizer,
    shard_scaler,
)
from jaxeager.distributed.mesh.sharded_tensors import (
    dtensor_from_fn,
    reshard,
    shard_layer,
    shard_tensor,
    unshard_dtensor,
)

__all__ = [
    "ShardDataloader", "ShardingStage1", "ShardingStage2", "ShardingStage3", "dtensor_from_fn",
    "dtensor_from_local", "dtensor_to_local", "reshard", "shard_dataloader", "shard_layer",
    "shard_optimizer", "shard_scaler", "shard_tensor", "unshard_dtensor",
]  # fmt: skip
