"""DygraphShardingOptimizer: an optimizer whose states processes could share."""

from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.hybrid_parallel_optimizer import (
    InnerOptimizer,
)


class DygraphShardingOptimizer(InnerOptimizer):
    """An optimizer whose parameters processes could share: with one it has them all.

    Args:
        optimizer: any optimizer.
        hcg: the groups of this process.
    """


class DygraphShardingOptimizerV2(InnerOptimizer):
    """An optimizer each of whose parameters processes could share: with one it has them whole.

    Args:
        optimizer: any optimizer.
        hcg: the groups of this process.
    """
