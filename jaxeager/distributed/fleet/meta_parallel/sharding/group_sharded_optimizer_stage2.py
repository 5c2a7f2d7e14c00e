"""GroupShardedOptimizerStage2: an optimizer with a shared state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.groups import Group, is_initialized, used_group
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.clip import (
    clip_together,
    step_together,
)
from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import InnerOptimizer
from jaxeager.distributed.fleet.meta_parallel.sharding.backward_end import ReducedAtEnd
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_utils import refuse_sync
from jaxeager.distributed.zero.owners import Owners

if TYPE_CHECKING:
    import jaxeager as paddle
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


def sharing_group(group: Group | None) -> Group | None:
    """Return the processes that share a state, None for a single process."""
    if group is None and not is_initialized():
        return None
    found = used_group(group)
    return found if found.nranks > 1 and found.is_member() else None


class GroupShardedOptimizerStage2(InnerOptimizer):
    """An optimizer whose processes update some parameters each; a single process updates all.

    A step sends the mean of each gradient to the process that owns the parameter; each process
    updates its own parameters, and sends the new values to all.

    Args:
        params: the parameters.
        optim: any optimizer.
        group: the processes; all of them by default.
        offload: whether Paddle keeps the state on the host; here it stays on the device.
        device: Paddle's name of the device.
        pretrain_sync_models: whether to send parameters to all processes first; the Layer does it.
        dp_group: processes that additionally share batches; ignored.
        **kw: Paddle's other settings.

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
        params: Sequence[paddle.Tensor],
        optim: AnyOptimizer,
        group: Group | None = None,
        offload: bool = False,
        device: str = "gpu",
        pretrain_sync_models: bool = True,
        dp_group: Group | None = None,
        **kw: object,
    ):
        super().__init__(optim, group)
        shared = sharing_group(group)
        refuse_sync("GroupShardedOptimizerStage2", None, shared, False, dp_group)
        unheeded(
            "GroupShardedOptimizerStage2",
            "state stays on the device, and GroupShardedStage2 sends the first rank's weights",
            offload=(offload, False),
            pretrain_sync_models=(pretrain_sync_models, True),
            **{name: (value, None) for name, value in kw.items()},
        )
        self._owners = self._at_end = None
        if shared is not None:
            trained = [each for each in params if not each.stop_gradient]
            self._owners = Owners(trained, shared)
            clip_together(optim, shared, alike=1)

    def reduce_in_backward(self) -> ReducedAtEnd | None:
        """Reduce gradients at the end of each backward to the process that owns the parameter."""
        if self._owners is not None and self._at_end is None:
            every = [each for parameters in self._owners.of_rank for each in parameters]
            self._at_end = ReducedAtEnd(every, self._owners.reduce_gradients)
        return self._at_end

    def step(self) -> None:
        """Step with the mean of gradients over the processes, and send the changed parameters."""
        if self._owners is None:
            self._inner_opt.step()
            return
        if self._at_end is None:
            self._owners.reduce_gradients()
        else:
            self._at_end.give_back()
        step_together(self._inner_opt, self._owners.own)
        self._owners.share_parameters()

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clear the gradients; see ``Optimizer.clear_grad``.

        Args:
            set_to_zero: as in ``Optimizer.clear_grad``.
        """
        if self._at_end is not None:
            self._at_end.forget()
        self._inner_opt.clear_grad(set_to_zero)

    clear_gradients = clear_grad
