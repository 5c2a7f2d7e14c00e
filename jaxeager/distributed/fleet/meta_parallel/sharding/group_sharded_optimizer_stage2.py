"""GroupShardedOptimizerStage2: an optimizer whose state processes could share."""

from __future__ import annotations

from typing import Any

from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import (
    InnerOptimizer,
)


class GroupShardedOptimizerStage2(InnerOptimizer):
    """An optimizer each of whose processes could have a part: with one it has everything.

    Args:
        params: the parameters; the optimizer has its own.
        optim: any optimizer.
        group: the processes.
        offload: whether Paddle keeps the state on the host; it stays on the device.
        device: the device, as Paddle calls it.
        pretrain_sync_models: whether parameters are sent to all processes at first.
        dp_group: processes that share batches beside.
        **kw: Paddle's further settings.

    Example:
        >>> import jaxeager as paddle
        >>> sharding = paddle.distributed.fleet.meta_parallel.sharding
        >>> net = paddle.nn.Linear(2, 3)
        >>> adam = paddle.optimizer.Adam(0.5, parameters=net.parameters())
        >>> make = sharding.group_sharded_optimizer_stage2.GroupShardedOptimizerStage2
        >>> make(net.parameters(), adam).get_lr()
        0.5
    """

    def __init__(
        self,
        params: Any,
        optim: Any,
        group: Any = None,
        offload: bool = False,
        device: str = "gpu",
        pretrain_sync_models: bool = True,
        dp_group: Any = None,
        **kw: Any,
    ):
        super().__init__(optim, group)
