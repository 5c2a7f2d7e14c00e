"""DygraphShardingOptimizer: an optimizer with a shared state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.clip import step_together
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import (
    InnerOptimizer,
    parameters_of,
)
from jaxeager.distributed.zero.owners import Owners

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.base.topology import HybridCommunicateGroup
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


class DygraphShardingOptimizer(InnerOptimizer):
    """An optimizer with a shared state: each process updates its parameters and sends them to all.

    With a single process it is the optimizer itself.

    Args:
        optimizer: any optimizer.
        hcg: the groups of this process.
    """

    def __init__(self, optimizer: AnyOptimizer, hcg: HybridCommunicateGroup | None = None):
        super().__init__(optimizer, hcg)
        group = None if hcg is None else hcg.get_sharding_parallel_group()
        self._owners = (
            Owners(parameters_of(optimizer), group) if group and group.nranks > 1 else None
        )

    def step(self) -> None:
        """Average gradients over the processes, step, and send the changed parameters."""
        if self._owners is None:
            self._inner_opt.step()
            return
        self._owners.reduce_gradients()
        step_together(self._inner_opt, self._owners.own)
        self._owners.share_parameters()


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """An optimizer with a shared state; see DygraphShardingOptimizer.

    Args:
        optimizer: any optimizer.
        hcg: the groups of this process.

    Paddle: each process has a part of each parameter's state, not the state of some parameters.
    """
