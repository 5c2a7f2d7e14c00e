"""paddle.distributed.sharding: optimizers with shared state; whole with one process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.distributed.communication.groups import Group, used_group
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import (
    GroupShardedOptimizerStage2,
    sharing_group,
)
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_stage2 import (
    GroupShardedStage2,
)
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_stage3 import (
    GroupShardedStage3,
)
from jaxeager.distributed.fleet.meta_parallel.sharding.group_sharded_utils import (
    GroupShardedScaler,
    refuse_sync,
)
from jaxeager.distributed.ranks.environment import get_rank
from jaxeager.distributed.ranks.synchronize import sync_params_buffers
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


def group_sharded_parallel(
    model: paddle.nn.Layer,
    optimizer: AnyOptimizer,
    level: str,
    scaler: GradScaler | None = None,
    group: Group | None = None,
    offload: bool = False,
    sync_buffers: bool = False,
    buffer_max_size: int = 2**23,
    segment_size: int = 2**20,
    sync_comm: bool = False,
    dp_group: object = None,
    exclude_layer: list | None = None,
) -> tuple[paddle.nn.Layer, AnyOptimizer, GradScaler | None]:
    """Wrap a Layer, an optimizer and a scaler, so that each process keeps a part; return them.

    With one process they are unchanged. Each process passes its part of a batch to the Layer; the
    weights become those of training on the whole batch.

    Args:
        model: the Layer.
        optimizer: the optimizer.
        level: the shared part: "os" (the optimizer's state), "os_g" (gradients too) or "p_g_os"
            (parameters too).
        scaler: a GradScaler.
        group: the processes; all of them by default.
        offload: whether Paddle keeps the state on the host; here it stays on the device.
        sync_buffers: must be False if the model has buffers: they are sent once.
        buffer_max_size: the number of elements per message.
        segment_size: the smallest number of elements of a shared parameter; here all are shared.
        sync_comm: whether to wait for messages.
        dp_group: must be None: processes that additionally share batches.
        exclude_layer: with "p_g_os", layers that are not shared: names of classes, or ids.

    Raises:
        InvalidArgumentError: for any other level. (Paddle: AssertionError.)
        UnimplementedError: with "p_g_os" for an optimizer that needs whole parameters; for several
            processes with ``sync_buffers`` or ``dp_group``.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
        >>> found, *_ = paddle.distributed.sharding.group_sharded_parallel(net, sgd, "os")
        >>> found is net
        True
    """
    if level not in ("os", "os_g", "p_g_os"):
        raise InvalidArgumentError(
            f"The level is 'os', 'os_g' or 'p_g_os', but received {level!r}."
        )
    shared_by = sharing_group(group)
    refuse_sync("group_sharded_parallel", model, shared_by, sync_buffers, dp_group)
    unheeded(
        "group_sharded_parallel",
        "shared tensors stay on the devices, are always divided, and JAX orders the transfers",
        offload=(offload, False),
        buffer_max_size=(buffer_max_size, 2**23),
        segment_size=(segment_size, 2**20),
        sync_comm=(sync_comm, False),
    )
    if shared_by is None:
        return model, optimizer, scaler
    scaler = None if scaler is None else GroupShardedScaler(scaler)
    if level == "p_g_os":
        sliced = GroupShardedStage3(model, optimizer, group, exclude_layer=exclude_layer)
        return sliced, sliced.sharded_optimizer, scaler
    shared = GroupShardedOptimizerStage2(model.parameters(), optimizer, group)
    if level == "os":
        sync_params_buffers(model, group, used_group(group).ranks[0])
        return model, shared, scaler
    return GroupShardedStage2(model, shared, group), shared, scaler


def save_group_sharded_model(
    model: paddle.nn.Layer, output: str, optimizer: AnyOptimizer | None = None
) -> None:
    """Write ``model.pdparams`` and ``model.pdopt`` to a folder.

    All processes call it. The first one writes the model, which is whole; each writes its part of
    the optimizer's state, to ``model.pdopt`` and, from the second process on, ``model.N.pdopt``.

    Args:
        model: the Layer, possibly from ``group_sharded_parallel``.
        output: the folder.
        optimizer: its optimizer.

    Raises:
        InvalidArgumentError: when ``output`` is a file. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle, os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> paddle.distributed.sharding.save_group_sharded_model(paddle.nn.Linear(2, 3), folder)
        >>> os.listdir(folder)
        ['model.pdparams']
    """
    if os.path.isfile(output):
        raise RefusedArgumentError(f"Saving directory ({output}) should be a directory, not a file")
    os.makedirs(output, exist_ok=True)
    is_wrapped = isinstance(model, (GroupShardedStage2, GroupShardedStage3))
    if isinstance(model, GroupShardedStage3):
        model.get_all_parameters()
    state = (model._layers if is_wrapped else model).state_dict()
    rank = get_rank()
    if rank == 0:
        paddle.save(state, os.path.join(output, "model.pdparams"))
    if optimizer is not None:
        name = f"model.{rank}.pdopt" if rank else "model.pdopt"
        paddle.save(optimizer.state_dict(), os.path.join(output, name))
