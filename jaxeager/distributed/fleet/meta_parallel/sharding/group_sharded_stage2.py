"""GroupShardedStage2: a layer whose gradients processes could share."""

from __future__ import annotations

from typing import Any

from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import MetaParallelBase
from jaxeager.nn.layer.layer import Layer


class GroupShardedStage2(MetaParallelBase):
    """Runs a Layer each of whose gradients one process could have: with one it has all.

    Args:
        layer: the Layer.
        sharding_optimizer: its optimizer.
        group: the processes.
        sync_buffers: whether buffers are the same in all processes.
        buffer_max_size: elements sent together.
        auto_refresh_trainable: whether to look which parameters are trained.
        device: the device, as Paddle calls it.
        dp_group: processes that share batches beside.
    """

    def __init__(
        self,
        layer: Layer,
        sharding_optimizer: Any,
        group: Any = None,
        sync_buffers: bool = False,
        buffer_max_size: int = 2**23,
        auto_refresh_trainable: bool = True,
        device: str = "gpu",
        dp_group: Any = None,
    ):
        super().__init__(layer, group)
