"""PipelineParallel: train_batch of a PipelineLayer whose stages are on several processes.

Note [One forward, one backward]
    A stage runs the parts of a batch forward as it receives them from the previous stage, and sends
    its outputs to the next. Its first backward can run when the last stage has the loss of the
    first part. Until then a stage has run forward as many parts as there are stages after it. From
    then on it alternates between one forward and one backward, so it never holds the graphs of more
    parts than that, however many parts the batch has (1F1B).

    Sends do not wait; receives do. Before the first part of a batch a stage sends the shapes and
    dtypes of its outputs.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import jaxeager as paddle
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.objects import recv_object_list, send_object_list
from jaxeager.distributed.communication.point_to_point import recv, send
from jaxeager.distributed.communication.tensors import broadcast
from jaxeager.distributed.fleet.base.distributed_strategy import DistributedStrategy
from jaxeager.distributed.fleet.meta_parallel.pipeline_layer import PipelineLayer
from jaxeager.distributed.fleet.meta_parallel.pipeline_parallel import NoPipelineParallel
from jaxeager.graph import events

if TYPE_CHECKING:
    from jaxeager.amp import GradScaler
    from jaxeager.distributed.fleet.base.topology import HybridCommunicateGroup
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer
    from jaxeager.distributed.fleet.meta_parallel.pipeline_parallel import Batch
    from jaxeager.optimizer.lr import LRScheduler


class Part(NamedTuple):
    """A part of a batch that a stage runs forward or backward, for tools.

    Attributes:
        kind: "forward" or "backward".
        stage, stages: the number of the stage, and how many there are.
        batch: how many batches the wrapper has begun before this one.
    """

    kind: str
    stage: int
    stages: int
    batch: int


@contextlib.contextmanager
def _shown(part: Part) -> Iterator[None]:
    """Show tools when a part is computed; the stage waits for no other one in the block."""
    events.notify(events.part_began, part)
    try:
        yield
    finally:
        events.notify(events.part_ended, part)


class _Neighbour:
    """The previous or next stage: sends to it, and receives from it.

    Args:
        rank: its process.
        group: the processes along "pipe".
    """

    def __init__(self, rank: int, group: Group):
        self.rank, self.group = rank, group
        self._shapes: list[tuple] | None = None
        self._has_sent_shapes = False
        self._pending_sends: list[Any] = []

    def begin(self) -> None:
        """Forget the shapes of the previous batch."""
        self._shapes, self._has_sent_shapes = None, False

    def end(self) -> None:
        """Wait until all sent tensors have been received."""
        for task in self._pending_sends:
            task.wait()
        self._pending_sends = []

    def send(self, tensors: tuple, with_shapes: bool = False) -> None:
        """Send tensors, the first time after their shapes and dtypes."""
        if with_shapes and not self._has_sent_shapes:
            what = [(list(t.shape), t.dtype.name, t.stop_gradient) for t in tensors]
            send_object_list([what], self.rank, self.group)
            self._has_sent_shapes = True
        for each in tensors:
            self._pending_sends.append(send(each.detach(), self.rank, self.group, sync_op=False))

    def receive(self) -> tuple[paddle.Tensor, ...]:
        """Return the received tensors, as new leaves."""
        if self._shapes is None:
            found: list = [None]
            recv_object_list(found, self.rank, self.group)
            self._shapes = found[0]
        tensors = []
        for shape, dtype, stops in self._shapes or ():
            tensor = paddle.empty(shape, dtype)
            recv(tensor, self.rank, self.group)
            tensor.stop_gradient = stops
            tensors.append(tensor)
        return tuple(tensors)

    def receive_like(self, tensors: list) -> list:
        """Return the received gradients of some tensors."""
        grads = [paddle.empty(t.shape, t.dtype) for t in tensors]
        for each in grads:
            recv(each, self.rank, self.group)
        return grads


def _tuple(value: object) -> tuple:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _differentiable(tensors: tuple) -> list:
    return [each for each in tensors if not each.stop_gradient]


class PipelineParallel(NoPipelineParallel):
    """A wrapper that trains a PipelineLayer with stages on several processes.

    ``distributed_model`` creates it. Every process calls ``train_batch`` with the same batch: the
    first stage uses the input, the last one the label. See Note [One forward, one backward] of its
    module.

    Args:
        layers: the PipelineLayer.
        hcg: the groups of this process.
        strategy: settings; ``pipeline_configs`` sets the number of parts of a batch.

    Attributes:
        stage_id: the stage of this process.
        num_stages: the number of stages.
    """

    def __init__(
        self,
        layers: PipelineLayer,
        hcg: HybridCommunicateGroup | None,
        strategy: DistributedStrategy,
    ):
        super().__init__(layers, strategy, hcg)
        self.group: Group | None = hcg.get_pipe_parallel_group() if hcg is not None else None
        self.num_stages = 1 if self.group is None else self.group.nranks
        self.stage_id = 0 if self.group is None else self.group.rank
        self._batches = -1
        self._previous = self._next = None
        if self.group is not None and self.stage_id > 0:
            self._previous = _Neighbour(self.group.ranks[self.stage_id - 1], self.group)
        if self.group is not None and self.stage_id < self.num_stages - 1:
            self._next = _Neighbour(self.group.ranks[self.stage_id + 1], self.group)

    def is_pipeline_first_stage(self, ignore_virtual: bool = False) -> bool:
        """Return whether this process has the first entry.

        Args:
            ignore_virtual: whether to ignore the parts of a stage.
        """
        return self._previous is None

    def is_pipeline_last_stage(self, ignore_virtual: bool = False) -> bool:
        """Return whether this process has the last entry.

        Args:
            ignore_virtual: whether to ignore the parts of a stage.
        """
        return self._next is None

    def _begin(self, data: Batch, loss_fn_idx: int) -> Iterator[tuple]:
        """Check the arguments, and return the parts of a batch."""
        self._forget_losses(loss_fn_idx)
        self._batches += 1
        for each in (self._previous, self._next):
            if each is not None:
                each.begin()
        return self._parts(data)

    def _forward(self, part: tuple, loss_fn_idx: int) -> tuple[tuple, tuple]:
        """Run a part forward; return its received inputs, and its outputs."""
        inputs, label = part
        received: tuple[paddle.Tensor, ...] = ()
        if self._previous is not None:
            received = self._previous.receive()
            inputs = received[0] if len(received) == 1 else received
        with self._computing("forward"):
            output = self._layers(inputs)
            if self._next is None:
                return received, (self._loss(output, label, loss_fn_idx),)
        self._next.send(_tuple(output), with_shapes=True)
        return received, _tuple(output)

    def _computing(self, kind: str) -> contextlib.AbstractContextManager[None]:
        return _shown(Part(kind, self.stage_id, self.num_stages, self._batches))

    def _backward(self, received: tuple, out: tuple, scaler: GradScaler | None) -> None:
        """Run a part backward, and send the gradients of its inputs to the previous stage."""
        with paddle.amp.auto_cast(enable=False):
            if self._next is None:
                with self._computing("backward"):
                    (scaler.scale(out[0]) if scaler else out[0]).backward()
            else:
                wanted = _differentiable(out)
                grads = self._next.receive_like(wanted)
                with self._computing("backward"):
                    paddle.autograd.backward(wanted, grads)
        if self._previous is not None:
            self._previous.send(
                tuple(
                    paddle.zeros_like(each) if each.grad is None else each.grad
                    for each in _differentiable(received)
                )
            )

    def forward_backward_pipeline(
        self, data: Batch, scaler: GradScaler | None = None, loss_fn_idx: int = 0
    ) -> None:
        """Run a batch forward and backward, part by part.

        Args:
            data: as in ``train_batch``.
            scaler: a GradScaler.
            loss_fn_idx: the loss to train, if there are several.
        """
        ahead = min(self.num_stages - self.stage_id - 1, self.accumulate_steps)
        running: deque[tuple[tuple, tuple]] = deque()
        for part in self._begin(data, loss_fn_idx):
            running.append(self._forward(part, loss_fn_idx))
            if len(running) > ahead:
                self._backward(*running.popleft(), scaler)
        while running:
            self._backward(*running.popleft(), scaler)
        self._finish()

    def _finish(self) -> None:
        for each in (self._previous, self._next):
            if each is not None:
                each.end()

    def train_batch(
        self,
        data: Batch,
        optimizer: AnyOptimizer,
        lr_scheduler: LRScheduler | None = None,
        scaler: GradScaler | None = None,
        loss_fn_idx: int = 0,
        return_micro_batch_loss: bool = False,
    ) -> paddle.Tensor | list[paddle.Tensor]:
        """Run a batch forward and backward over all stages, and step; return its loss on all.

        Args:
            data: [input, label], to be divided into ``accumulate_steps`` parts of
                ``micro_batch_size`` rows; or an iterator that yields these parts. Every process
                passes it.
            optimizer: the optimizer to step and clear.
            lr_scheduler: the scheduler to step.
            scaler: a GradScaler.
            loss_fn_idx: the loss to train, if there are several.
            return_micro_batch_loss: whether to return the loss of each part.

        Raises:
            InvalidArgumentError: when there is no such loss, or the number of rows is wrong.
        """
        self._layers.train()
        self.forward_backward_pipeline(data, scaler, loss_fn_idx)
        self._layers.allreduce_shared_weight_gradients()
        with paddle.amp.auto_cast(enable=False):
            self._step(optimizer, lr_scheduler, scaler)
            return self._of_all(return_micro_batch_loss)

    def eval_batch(
        self, data: Batch, compute_loss: bool = False, loss_fn_idx: int = 0
    ) -> paddle.Tensor | list[paddle.Tensor]:
        """Run a batch forward over all stages, part by part, and return its loss on all.

        Args:
            data: as in ``train_batch``.
            compute_loss: whether the loss is needed; it is returned in either case, as in Paddle.
            loss_fn_idx: the loss that must exist, if there are several.

        Raises:
            InvalidArgumentError: when there is no such loss, or the number of rows is wrong.
        """
        self._layers.eval()
        with paddle.no_grad():
            for part in self._begin(data, loss_fn_idx):
                self._forward(part, loss_fn_idx)
        self._finish()
        return self._of_all(return_micro_batch_loss=False)

    def _of_all(self, return_micro_batch_loss: bool) -> paddle.Tensor | list[paddle.Tensor]:
        """Return the loss of the last stage on every stage."""
        if self.group is None or self.num_stages == 1:
            return self._total(return_micro_batch_loss)
        last = self.group.ranks[-1]
        shape = [self.accumulate_steps] if return_micro_batch_loss else []
        found = []
        for number in range(len(self._layers._loss_fn)):
            loss = paddle.zeros(shape)
            if self._next is None:
                total = self._total(return_micro_batch_loss)
                loss = (total[number] if isinstance(total, list) else total).astype("float32")
            broadcast(loss, last, self.group)
            found.append(loss)
        return found[0] if len(found) == 1 else found
