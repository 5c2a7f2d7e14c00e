"""Wrappers of an optimizer, whose states processes can share."""

from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer import (
    dygraph_sharding_optimizer,
    hybrid_parallel_optimizer,
)
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.dygraph_sharding_optimizer import (  # noqa: E501
    DygraphShardingOptimizer,
    DygraphShardingOptimizerV2,
)
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.hybrid_parallel_optimizer import (
    HybridParallelOptimizer,
)

__all__ = [
    "DygraphShardingOptimizer", "DygraphShardingOptimizerV2", "HybridParallelOptimizer",
    "dygraph_sharding_optimizer", "hybrid_parallel_optimizer",
]  # fmt: skip
