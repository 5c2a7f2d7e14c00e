"""fleet.distributed_model, distributed_optimizer, distributed_scaler: as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.fleet import fleet
from jaxeager.distributed.fleet.meta_parallel.pipeline_layer import PipelineLayer
from jaxeager.distributed.fleet.meta_parallel.pipeline_parallel import NoPipelineParallel
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError
from jaxeager.nn import Layer

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler


def distributed_model(model: Layer) -> Layer:
    """Returns what a Layer is trained through: with one process the Layer itself.

    Args:
        model: the Layer; a PipelineLayer comes back in a NoPipelineParallel, for ``train_batch``.

    Raises:
        InvalidTypeError: when it is no Layer.
        PreconditionNotMetError: for a PipelineLayer before ``fleet.init``.

    Paddle: with one process every Layer but a PipelineLayer raises an AssertionError.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> net = paddle.nn.Linear(2, 3)
        >>> fleet.distributed_model(net) is net
        True
    """
    if not isinstance(model, Layer):
        raise InvalidTypeError(f"distributed_model takes a Layer, but received {model!r}.")
    if not isinstance(model, PipelineLayer):
        return model
    if fleet._user_defined_strategy is None:
        raise PreconditionNotMetError("Call paddle.distributed.fleet.init() first.")
    return NoPipelineParallel(model, fleet._user_defined_strategy, fleet._hcg)


def distributed_optimizer(optimizer: Any, strategy: DistributedStrategy | None = None) -> Any:
    """Returns what an optimizer steps through: with one process the optimizer itself.

    Args:
        optimizer: the optimizer.
        strategy: settings, which take the place of those given to ``fleet.init``.

    Example:
        >>> import jaxeager as paddle
        >>> fleet = paddle.distributed.fleet
        >>> sgd = paddle.optimizer.SGD(parameters=paddle.nn.Linear(2, 3).parameters())
        >>> fleet.distributed_optimizer(sgd) is sgd
        True
    """
    return fleet.distributed_optimizer(optimizer, strategy)


def distributed_scaler(scaler: GradScaler) -> GradScaler:
    """Returns what a loss is scaled through: with one process the scaler itself.

    Args:
        scaler: the GradScaler.

    Example:
        >>> import jaxeager as paddle
        >>> scaler = paddle.amp.GradScaler()
        >>> paddle.distributed.fleet.distributed_scaler(scaler) is scaler
        True
    """
    return scaler
