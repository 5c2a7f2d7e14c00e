"""GroupShardedStage3: a layer with shared parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.clip import clip_together
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import InnerOptimizer
from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import MetaParallelBase
from jaxeager.distributed.fleet.meta_parallel.sharding.backward_end import ReducedAtEnd
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import (
    sharing_group,
)
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_utils import refuse_sync
from jaxeager.distributed.ranks.synchronize import sync_params_buffers
from jaxeager.distributed.zero.slices import Slices
from jaxeager.errors import UnimplementedError
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


_WANT_WHOLE = ("Lamb", "LarsMomentum", "LBFGS")  # they depend on a parameter's norm


class SlicedOptimizer(InnerOptimizer):
    """An optimizer of parameters of which each process has a piece.

    Args:
        optimizer: any optimizer that treats all elements alike.
        slices: the parameters.
        at_end: reduces the gradients of the parameters.
    """

    def __init__(self, optimizer: AnyOptimizer, slices: Slices, at_end: ReducedAtEnd):
        super().__init__(optimizer, None)
        self._slices, self._at_end = slices, at_end

    def step(self) -> None:
        """Update this process's piece of each parameter."""
        self._slices.cut()
        self._at_end.give_back()
        self._inner_opt.step()

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clear the gradients; see ``Optimizer.clear_grad``.

        Args:
            set_to_zero: as in ``Optimizer.clear_grad``.
        """
        self._at_end.forget()
        self._inner_opt.clear_grad(set_to_zero)

    clear_gradients = clear_grad


class GroupShardedStage3(MetaParallelBase):
    """A wrapper of a Layer; each process has a piece of each parameter, a single process has all.

    Between steps a process keeps its piece of parameters, gradients and the optimizer's state. A
    forward joins the parameters, in one call per dtype, and keeps what backward needs of them until
    it has run; then gradients are averaged, and each process keeps its piece.

    Args:
        layer: the Layer.
        optimizer: its optimizer; use ``sharded_optimizer`` to step.
        group: the processes; all of them by default.
        sync_buffers: must be False if the layer has buffers: they are sent once.
        device: Paddle's name of the device.
        segment_size: the smallest number of elements of a shared parameter; here all are shared.
        pretrain_sync_models: whether the first process sends all its parameters first.
        offload: whether Paddle keeps parameters on the host; here they stay on the device.
        sync_comm: whether to wait for messages.
        dp_group: must be None: processes that additionally share batches.
        exclude_layer: layers that are not shared: names of classes, or ids.

    Attributes:
        sharded_optimizer: the optimizer of the pieces.

    Raises:
        UnimplementedError: for an optimizer that needs whole parameters.
    """

    def __init__(
        self,
        layer: Layer,
        optimizer: AnyOptimizer,
        group: Group | None = None,
        sync_buffers: bool = False,
        device: str = "gpu",
        segment_size: int = 2**20,
        pretrain_sync_models: bool = True,
        offload: bool = False,
        sync_comm: bool = False,
        dp_group: Group | None = None,
        exclude_layer: list | None = None,
    ):
        super().__init__(layer, None)
        self.sharded_optimizer = optimizer
        self._slices: Slices | None = None
        shared = sharing_group(group)
        unheeded(
            "GroupShardedStage3",
            "every parameter is divided, on its device, and JAX orders the transfers",
            segment_size=(segment_size, 2**20),
            offload=(offload, False),
            sync_comm=(sync_comm, False),
        )
        refuse_sync("GroupShardedStage3", layer, shared, sync_buffers, dp_group)
        if shared is None:
            return
        if type(optimizer).__name__ in _WANT_WHOLE:
            raise UnimplementedError(
                f"{type(optimizer).__name__} needs the norm of each parameter, of which a process "
                "has a piece with level 'p_g_os'. Use 'os_g'."
            )
        if pretrain_sync_models:
            sync_params_buffers(layer, shared, shared.ranks[0])
        left = {
            id(parameter)
            for each in layer.sublayers(include_self=True)
            if type(each).__name__ in (exclude_layer or ()) or id(each) in (exclude_layer or ())
            for parameter in each.parameters()
        }
        trained = [p for p in layer.parameters() if not p.stop_gradient]
        self._slices = Slices([p for p in trained if id(p) not in left], shared)
        self._at_end = ReducedAtEnd(self._slices.parameters, self._slices.reduce_gradients)
        clip_together(optimizer, shared, alike=1)
        self.sharded_optimizer = SlicedOptimizer(optimizer, self._slices, self._at_end)
        self._slices.cut()

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the output of the Layer."""
        if self._slices is None:
            return self._layers(*inputs, **kwargs)
        self._at_end.lay_aside()
        self._slices.join()
        try:
            return self._layers(*inputs, **kwargs)
        finally:
            self._slices.cut()

    def get_all_parameters(self, convert2cpu: bool = False) -> list:
        """Join all parameters, until the next step, and return them.

        Args:
            convert2cpu: whether Paddle moves them to the host; here they are not moved.
        """
        unheeded(
            "get_all_parameters", "parameters stay where they are", convert2cpu=(convert2cpu, False)
        )
        if self._slices is not None:
            self._slices.join()
        return self._layers.parameters()

    def state_dict(self, *args: Any, **kwargs: Any) -> dict:
        """Return the state of the Layer, whole; all processes call it.

        Args:
            *args: arguments of ``Layer.state_dict``.
            **kwargs: its keyword arguments.
        """
        self.get_all_parameters()
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(
        self, state_dict: dict, use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Copy whole values into the Layer; see ``Layer.set_state_dict``.

        Args:
            state_dict: {name: value}.
            use_structured_name: False if the names are those of parameters.
        """
        self.get_all_parameters()
        return self._layers.set_state_dict(state_dict, use_structured_name)
