"""Wrappers of a network, one for each way to share its work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distributed.fleet.utils.hybrid_parallel_util import broadcast_along

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy


class MetaParallelBase(paddle.nn.Layer):
    """A wrapper that runs a Layer; before the first run, it synchronizes equal weights.

    Args:
        layers: the Layer.
        hcg: the groups of this process.
        strategy: settings.
        **kwargs: Paddle's other settings.

    Shapes:
        Those of the Layer.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import TensorParallel
        >>> net = TensorParallel(paddle.nn.Linear(2, 3), None)
        >>> net(paddle.ones([1, 2])).shape, list(net.state_dict())
        (paddle.Size([1, 3]), ['_layers.weight', '_layers.bias'])
    """

    def __init__(
        self,
        layers: paddle.nn.Layer,
        hcg: Any,
        strategy: DistributedStrategy | None = None,
        **kwargs: object,
    ):
        super().__init__(f"{layers.full_name()}_meta_parallel_base")
        self._layers = layers
        self._hcg = hcg
        self._strategy = strategy
        if hcg is not None and hcg.nranks > 1:
            self._prepare_for_model()

    def _prepare_for_model(self) -> None:
        """Send the weights of the first process to all with the same part of the model."""
        for axis in ("mp", "sep", "sharding", "dp"):
            broadcast_along(self._layers, self._hcg, axis)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the output of the Layer."""
        return self._layers(*inputs, **kwargs)


class TensorParallel(MetaParallelBase):
    """A wrapper of a Layer whose weights processes share; see MetaParallelBase."""


class ShardingParallel(MetaParallelBase):
    """A wrapper of a Layer with a shared optimizer state; see MetaParallelBase."""


class SegmentParallel(MetaParallelBase):
    """A wrapper of a Layer whose sequences processes share; see MetaParallelBase."""
