"""HybridParallelOptimizer: an optimizer whose gradients processes could share."""

from __future__ import annotations

from typing import Any


class InnerOptimizer:
    """An optimizer around another one, which does everything.

    Args:
        optimizer: the other one.
        hcg: the groups of this process.

    Attributes:
        _inner_opt: the other one.
    """

    def __init__(self, optimizer: Any, hcg: Any):
        self._inner_opt, self._hcg = optimizer, hcg

    def __getattr__(self, name: str) -> Any:
        if name == "_inner_opt":  # while a copy is made
            raise AttributeError(name)
        return getattr(self._inner_opt, name)


class HybridParallelOptimizer(InnerOptimizer):
    """An optimizer of a model that processes could share: with one it is the optimizer itself.

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

    def __init__(self, optimizer: Any, hcg: Any, strategy: Any):
        super().__init__(optimizer, hcg)
        self._strategy = strategy
