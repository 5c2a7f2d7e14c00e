"""fleet.distributed_model, distributed_optimizer, distributed_scaler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.distributed.communication.groups import is_initialized
from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.base.topology import ParallelMode
from jaxeager.distributed.fleet.fleet import fleet
from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import (
    SegmentParallel,
    ShardingParallel,
    TensorParallel,
)
from jaxeager.distributed.fleet.meta_parallel.pipeline_layer import PipelineLayer
from jaxeager.distributed.fleet.meta_parallel.pipeline_parallel import NoPipelineParallel
from jaxeager.distributed.fleet.meta_parallel.stages import PipelineParallel
from jaxeager.distributed.fleet.scaler import share_found_inf
from jaxeager.distributed.ranks.data_parallel import DataParallel
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


def distributed_model(model: Layer) -> Layer:
    """Wrap a Layer for training: with a single process, return the Layer itself.

    With several processes the result depends on the degrees given to ``fleet.init``: a
    DataParallel, or a layer of ``fleet.meta_parallel`` around the Layer.

    Args:
        model: the Layer; a PipelineLayer is wrapped in a NoPipelineParallel, for ``train_batch``.

    Raises:
        InvalidTypeError: when it is not a Layer, or not a PipelineLayer if there are stages.
        PreconditionNotMetError: for a PipelineLayer before ``fleet.init``.

    Paddle: with a single process every Layer but a PipelineLayer raises an AssertionError.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> net = paddle.nn.Linear(2, 3)
        >>> fleet.distributed_model(net) is net
        True
    """
    if not isinstance(model, Layer):
        raise InvalidTypeError(f"distributed_model takes a Layer, but received {model!r}.")
    hcg, strategy = getattr(fleet, "_hcg", None), fleet._user_defined_strategy
    mode = None if hcg is None else hcg.get_parallel_mode()
    if isinstance(model, PipelineLayer):
        if strategy is None:
            raise PreconditionNotMetError("Call paddle.distributed.fleet.init() first.")
        if mode != ParallelMode.PIPELINE_PARALLEL:
            return NoPipelineParallel(model, strategy, hcg)
        return PipelineParallel(model, hcg, strategy)
    if mode is None or hcg is None or strategy is None:
        return model
    if mode == ParallelMode.DATA_PARALLEL:
        return DataParallel(
            model,
            comm_buffer_size=strategy.fuse_grad_size_in_MB,
            last_comm_buffer_size=strategy.last_comm_group_size_MB,
            find_unused_parameters=strategy.find_unused_parameters,
        )
    if mode == ParallelMode.PIPELINE_PARALLEL:
        raise InvalidTypeError("With a pp_degree above 1 the model must be a PipelineLayer.")
    return _WRAPPERS[mode](model, hcg, strategy)


_WRAPPERS = {
    ParallelMode.TENSOR_PARALLEL: TensorParallel,
    ParallelMode.SEGMENT_PARALLEL: SegmentParallel,
    ParallelMode.SHARDING_PARALLEL: ShardingParallel,
}


def distributed_optimizer(
    optimizer: AnyOptimizer, strategy: DistributedStrategy | None = None
) -> AnyOptimizer:
    """Wrap an optimizer for training: with a single process, return the optimizer itself.

    With several processes it is a HybridParallelOptimizer, which averages gradients before it
    steps.

    Args:
        optimizer: the optimizer.
        strategy: settings, which replace those given to ``fleet.init``.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> sgd = paddle.optimizer.SGD(parameters=paddle.nn.Linear(2, 3).parameters())
        >>> fleet.distributed_optimizer(sgd) is sgd
        True
    """
    return fleet.distributed_optimizer(optimizer, strategy)


def distributed_scaler(scaler: GradScaler) -> GradScaler:
    """Return the scaler itself, set up for several processes.

    With several processes all of them skip a step when one has found an infinity.

    Args:
        scaler: the GradScaler.

    Example:
        >>> import jaxeager as paddle
        >>> scaler = paddle.amp.GradScaler()
        >>> paddle.distributed.fleet.distributed_scaler(scaler) is scaler
        True
    """
    if get_world_size() > 1 and is_initialized():
        share_found_inf(scaler)
    return scaler
