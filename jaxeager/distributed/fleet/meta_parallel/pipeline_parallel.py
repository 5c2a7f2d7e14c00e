"""train_batch and eval_batch of a PipelineLayer: a batch in parts, with accumulated gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import jaxeager as paddle
from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.meta_parallel.meta_parallel_base import MetaParallelBase
from jaxeager.distributed.fleet.meta_parallel.pipeline_layer import PipelineLayer
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.distributed.fleet.base.topology import HybridCommunicateGroup
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer
    from jaxeager.optimizer.lr import LRScheduler


# [input, label], an iterator of such parts, or a function that returns either.
Batch: TypeAlias = "tuple | list | Iterator | PipelineDatasetPreprocessor"


class PipelineDatasetPreprocessor:
    """A function that ``train_batch`` calls for its data, so that nothing else keeps them.

    Args:
        function: a function that returns the data.

    Example:
        >>> from jaxeager.distributed.fleet.meta_parallel import PipelineDatasetPreprocessor
        >>> PipelineDatasetPreprocessor(lambda: 3)()
        3
    """

    def __init__(self, function: Callable[[], tuple | list | Iterator]):
        self.function = function

    def __call__(self) -> tuple | list | Iterator:
        return self.function()


class NoPipelineParallel(MetaParallelBase):
    """A wrapper that trains a PipelineLayer on a single process; see ``fleet.distributed_model``.

    Args:
        layers: the PipelineLayer.
        strategy: settings; ``pipeline_configs`` sets the number of parts of a batch.
        hcg: the groups of this process.

    Raises:
        InvalidTypeError: when it is not a PipelineLayer.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed import fleet
        >>> from jaxeager.distributed.fleet.meta_parallel import LayerDesc, PipelineLayer
        >>> strategy = fleet.DistributedStrategy()
        >>> strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 2}
        >>> fleet.init(is_collective=True, strategy=strategy).worker_num()
        1
        >>> net = PipelineLayer([paddle.nn.Linear(2, 1)], 1, loss_fn=paddle.nn.MSELoss())
        >>> model = fleet.distributed_model(net)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> model.train_batch([paddle.ones([4, 2]), paddle.ones([4, 1])], sgd).shape
        paddle.Size([])
        >>> paddle.distributed.destroy_process_group()
    """

    def __init__(
        self,
        layers: PipelineLayer,
        strategy: DistributedStrategy,
        hcg: HybridCommunicateGroup | None = None,
    ):
        if not isinstance(layers, PipelineLayer):
            raise InvalidTypeError(
                f"PipelineParallel takes a PipelineLayer, but received {layers!r}."
            )
        super().__init__(layers, hcg, strategy)
        self.micro_batch_size: int = strategy.pipeline_configs["micro_batch_size"]
        self.accumulate_steps: int = strategy.pipeline_configs["accumulate_steps"]
        self._delay_scale_loss: bool = strategy.hybrid_configs["pp_configs"].delay_scale_loss
        self.total_loss: list | None = None

    def is_pipeline_last_stage(self, ignore_virtual: bool = False) -> bool:
        """Return whether this process has the last entry: always True.

        Args:
            ignore_virtual: whether to ignore the parts of a stage.
        """
        return True

    def _forget_losses(self, loss_fn_idx: int) -> None:
        """Reset the losses at the start of a batch.

        Raises:
            InvalidArgumentError: when there is no such loss.
        """
        functions = self._layers._loss_fn
        if not 0 <= loss_fn_idx < len(functions) or functions[loss_fn_idx] is None:
            raise InvalidArgumentError(
                f"loss function {loss_fn_idx} should exist to compute loss; pass a loss_fn to the "
                "PipelineLayer."
            )
        self.total_loss = [[] for _ in functions]

    def _loss(self, output: object, label: object, loss_fn_idx: int) -> paddle.Tensor:
        """Return one of the losses of a part, and keep all of them."""
        found = [function(output, label) for function in self._layers._loss_fn]
        if self.accumulate_steps > 1 and not self._delay_scale_loss:
            with paddle.amp.auto_cast(enable=False):
                found = [loss / self.accumulate_steps for loss in found]
        assert self.total_loss is not None
        for losses, loss in zip(self.total_loss, found, strict=True):
            losses.append(loss.detach())
        return found[loss_fn_idx]

    def _parts(self, data: Batch) -> Iterator[tuple]:
        """Yield (input, label) of each part of a batch, from a batch or an iterator of them.

        Raises:
            InvalidArgumentError: when a batch has too few rows.
        """
        data = data() if isinstance(data, PipelineDatasetPreprocessor) else data
        if not isinstance(data, (tuple, list)):
            for _ in range(self.accumulate_steps):
                inputs, label = next(data)
                yield inputs, label
            return
        inputs, label = data
        for number in range(self.accumulate_steps):
            start = number * self.micro_batch_size
            end = start + self.micro_batch_size
            yield self._cut(inputs, start, end), self._cut(label, start, end)

    def _cut(self, value: Any, start: int, end: int) -> Any:
        if isinstance(value, (tuple, list)):
            return tuple(self._cut(each, start, end) for each in value)
        if value is None:
            return None
        if value.shape[0] != self.micro_batch_size * self.accumulate_steps:
            raise InvalidArgumentError(
                f"A batch must have micro_batch_size * accumulate_steps = {self.micro_batch_size} "
                f"* {self.accumulate_steps} rows, but received {value.shape[0]}."
            )
        return value[start:end]

    def _total(self, return_micro_batch_loss: bool) -> paddle.Tensor | list[paddle.Tensor]:
        """Return the loss of the batch, or those of its parts; a list for several losses."""
        found = []
        for losses in self.total_loss or []:
            parts = paddle.stack(losses)
            total = parts if return_micro_batch_loss else parts.sum()
            mean = self._delay_scale_loss and not return_micro_batch_loss
            found.append(total / self.accumulate_steps if mean else total)
        return found[0] if len(found) == 1 else found

    def train_batch(
        self,
        data: Batch,
        optimizer: AnyOptimizer,
        lr_scheduler: LRScheduler | None = None,
        scaler: GradScaler | None = None,
        loss_fn_idx: int = 0,
        return_micro_batch_loss: bool = False,
    ) -> paddle.Tensor | list[paddle.Tensor]:
        """Run a batch forward and backward, part by part, and step; return its loss.

        Args:
            data: [input, label], to be divided into ``accumulate_steps`` parts of
                ``micro_batch_size`` rows; or an iterator that yields these parts.
            optimizer: the optimizer to step and clear.
            lr_scheduler: the scheduler to step.
            scaler: a GradScaler.
            loss_fn_idx: the loss to train, if there are several.
            return_micro_batch_loss: whether to return the loss of each part.

        Raises:
            InvalidArgumentError: when there is no such loss, or the number of rows is wrong.
        """
        self._layers.train()
        self._forget_losses(loss_fn_idx)
        for inputs, label in self._parts(data):
            loss = self._loss(self._layers(inputs), label, loss_fn_idx)
            with paddle.amp.auto_cast(enable=False):
                (scaler.scale(loss) if scaler else loss).backward()
        with paddle.amp.auto_cast(enable=False):
            self._step(optimizer, lr_scheduler, scaler)
            return self._total(return_micro_batch_loss)

    def _step(
        self, optimizer: Any, lr_scheduler: LRScheduler | None, scaler: GradScaler | None
    ) -> None:
        """Update the parameters from the gradients of all parts."""
        if self._delay_scale_loss:
            for parameter in self._layers.parameters():
                if parameter.grad is not None:
                    parameter.grad = parameter.grad / self.accumulate_steps
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        optimizer.clear_grad()
        if lr_scheduler:
            lr_scheduler.step()

    def eval_batch(
        self, data: Batch, compute_loss: bool = False, loss_fn_idx: int = 0
    ) -> paddle.Tensor | list[paddle.Tensor]:
        """Run a batch forward, part by part, and return its loss.

        Args:
            data: as in ``train_batch``.
            compute_loss: whether the loss is needed; it is returned in either case, as in Paddle.
            loss_fn_idx: the loss that must exist, if there are several.

        Raises:
            InvalidArgumentError: when there is no such loss, or the number of rows is wrong.
        """
        self._forget_losses(loss_fn_idx)
        for inputs, label in self._parts(data):
            self._loss(self._layers(inputs), label, loss_fn_idx)
        return self._total(return_micro_batch_loss=False)
