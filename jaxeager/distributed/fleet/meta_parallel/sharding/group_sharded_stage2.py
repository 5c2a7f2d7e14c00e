"""GroupShardedStage2: a layer with shared gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import MetaParallelBase
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import (
    GroupShardedOptimizerStage2,
    sharing_group,
)
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_utils import refuse_sync
from jaxeager.distributed.ranks.synchronize import sync_params_buffers
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from collections.abc import Sequence


class GroupShardedStage2(MetaParallelBase):
    """A wrapper of a Layer; each gradient is on one process, and a single process has all.

    The constructor sends the weights of the first process to all. When a backward ends, each
    process keeps the mean gradients of the parameters that it updates; the others are None.

    Args:
        layer: the Layer.
        sharding_optimizer: its GroupShardedOptimizerStage2, or a list of one.
        group: the processes; all of them by default.
        sync_buffers: must be False if the layer has buffers: they are sent once.
        buffer_max_size: the number of elements per message; here all are sent together.
        auto_refresh_trainable: whether to check which parameters are trained.
        device: Paddle's name of the device; here parameters are not moved.
        dp_group: must be None: processes that additionally share batches.
    """

    def __init__(
        self,
        layer: Layer,
        sharding_optimizer: GroupShardedOptimizerStage2 | Sequence[GroupShardedOptimizerStage2],
        group: Group | None = None,
        sync_buffers: bool = False,
        buffer_max_size: int = 2**23,
        auto_refresh_trainable: bool = True,
        device: str = "gpu",
        dp_group: Group | None = None,
    ):
        super().__init__(layer, None)
        is_list = isinstance(sharding_optimizer, (list, tuple))
        optimizer = sharding_optimizer[0] if is_list else sharding_optimizer
        shared = sharing_group(group)
        refuse_sync("GroupShardedStage2", layer, shared, sync_buffers, dp_group)
        unheeded(
            "GroupShardedStage2",
            "all gradients are sent together, and parameters are checked at each step",
            buffer_max_size=(buffer_max_size, 2**23),
            auto_refresh_trainable=(auto_refresh_trainable, True),
        )
        self._at_end = None
        if shared is not None:
            sync_params_buffers(layer, shared, shared.ranks[0])
            if isinstance(optimizer, GroupShardedOptimizerStage2):
                self._at_end = optimizer.reduce_in_backward()

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the output of the Layer."""
        if self._at_end is not None:
            self._at_end.lay_aside()
        return self._layers(*inputs, **kwargs)

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Clear the gradients; see ``Layer.clear_gradients``.

        Args:
            set_to_zero: as in ``Layer.clear_gradients``.
        """
        if self._at_end is not None:
            self._at_end.forget()
        self._layers.clear_gradients(set_to_zero)
