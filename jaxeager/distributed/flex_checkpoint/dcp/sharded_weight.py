"""ShardedWeight: the part of a tensor that one process has, and its place in the whole."""

from jaxeager.distributed.sharded_weights import (
    ShardedStateDict,
    ShardedWeight,
    ShardedWeightDesc,
    build_sharded_state_dict,
    create_sharded_weight_with_new_local,
    make_replicated_sharded_weight,
    make_tp_sharded_weight_for_checkpoint,
    shard_weight,
)

__all__ = [
    "ShardedStateDict", "ShardedWeight", "ShardedWeightDesc", "build_sharded_state_dict",
    "create_sharded_weight_with_new_local", "make_replicated_sharded_weight",
    "make_tp_sharded_weight_for_checkpoint", "shard_weight",
]  # fmt: skip
