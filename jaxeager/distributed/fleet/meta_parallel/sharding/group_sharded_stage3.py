"""GroupShardedStage3: a layer whose parameters processes could share."""

from __future__ import annotations

from typing import Any

from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import MetaParallelBase
from jaxeager.nn.layer.layer import Layer


class GroupShardedStage3(MetaParallelBase):
    """Runs a Layer each of whose parameters one process could have: with one it has all.

    Args:
        layer: the Layer.
        optimizer: its optimizer.
        group: the processes.
        sync_buffers: whether buffers are the same in all processes.
        device: the device, as Paddle calls it.
        segment_size: elements of the smallest parameter that is shared.
        pretrain_sync_models: whether parameters are sent to all processes at first.
        offload: whether Paddle keeps parameters on the host; they stay on the device.
        sync_comm: whether to wait for what is sent.
        dp_group: processes that share batches beside.
        exclude_layer: layers that are not shared.
    """

    def __init__(
        self,
        layer: Layer,
        optimizer: Any,
        group: Any = None,
        sync_buffers: bool = False,
        device: str = "gpu",
        segment_size: int = 2**20,
        pretrain_sync_models: bool = True,
        offload: bool = False,
        sync_comm: bool = False,
        dp_group: Any = None,
        exclude_layer: list | None = None,
    ):
        super().__init__(layer, group)

    def get_all_parameters(self, convert2cpu: bool = False) -> list:
        """Returns the parameters, which are whole.

        Args:
            convert2cpu: whether Paddle moves them to the host; they stay where they are.
        """
        return self._layers.parameters()
