"""HybridParallelOptimizer: an optimizer of a model that processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.clip import clip_together
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.dygraph_sharding_optimizer import (  # noqa: E501
    DygraphShardingOptimizer,
)
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import (
    InnerOptimizer,
    parameters_of,
)
from jaxeager.distributed.ranks.synchronize import average_gradients

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
    from jaxeager.distributed.fleet.base.topology import HybridCommunicateGroup
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


class HybridParallelOptimizer(InnerOptimizer):
    """An optimizer of a model that processes share; with a single process, the optimizer itself.

    Before a step it averages gradients over the processes with the same weights and different data,
    and clips by a global norm over all processes that share the model. With a ``sharding_degree``
    each process keeps and updates a part of the optimizer's state.

    Args:
        optimizer: any optimizer.
        hcg: the groups of this process.
        strategy: settings.

    Example:
        >>> import jaxeager as paddle
        >>> meta = paddle.distributed.fleet.meta_optimizers
        >>> net = paddle.nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(0.5, parameters=net.parameters())
        >>> optimizer = meta.dygraph_optimizer.HybridParallelOptimizer(sgd, None, None)
        >>> optimizer.get_lr()
        0.5
    """

    def __init__(
        self,
        optimizer: AnyOptimizer,
        hcg: HybridCommunicateGroup | None,
        strategy: DistributedStrategy | None,
    ):
        super().__init__(optimizer, hcg)
        self._strategy = strategy
        self._shared = None
        if hcg is None or hcg.nranks == 1:
            return
        if hcg.get_sharding_parallel_world_size() > 1:
            self._shared = DygraphShardingOptimizer(optimizer, hcg)
        alike = hcg.get_model_parallel_world_size() * hcg.get_sep_parallel_world_size()
        clip_together(optimizer, hcg.get_check_parallel_group(), alike)

    def step(self) -> None:
        """Average gradients over the processes, and step."""
        if self._hcg is not None and self._hcg.nranks > 1:
            parameters = parameters_of(self._inner_opt)
            for group in (
                self._hcg.get_data_parallel_group(),
                self._hcg.get_sep_parallel_group(),
            ):
                average_gradients(parameters, group)
        (self._shared or self._inner_opt).step()

    def minimize(self, loss: paddle.Tensor, *args: object, **kwargs: object) -> tuple:
        """Run ``backward`` of the loss unless that is done, and step.

        Args:
            loss: the loss.
            *args: ignored; they belong to static graphs.
            **kwargs: ignored.
        """
        parameters = parameters_of(self._inner_opt)
        if all(each.grad is None for each in parameters) and loss.grad_fn is not None:
            loss.backward()
        self.step()
        return None, [(each, each.grad) for each in parameters]
