"""Layers and calls of sequences that processes share; with one it has them whole.

The sequence is axis 0, as in Paddle. The processes are those along "model" of ``fleet.init``.
"""

from __future__ import annotations

from typing import Any

from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.differentiable import between
from jaxeager.distributed.fleet.layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear
from jaxeager.distributed.fleet.layers.mpu.mp_ops import shared_by
from jaxeager.distributed.synchronize import SUM, average_gradients
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

__all__ = [
    "AllGatherOp", "ColumnSequenceParallelLinear", "GatherOp", "ReduceScatterOp",
    "RowSequenceParallelLinear", "ScatterOp", "all_gather", "is_sequence_parallel_parameter",
    "mark_as_sequence_parallel_parameter", "reduce_scatter",
    "register_sequence_parallel_allreduce_hooks", "scatter",
]  # fmt: skip


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """``ColumnParallelLinear`` for a sequence that processes share: each gives its piece.

    Shapes:
        float[length / world_size, ..., in_features] to this process's columns of
        float[length, ..., out_features].

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import sequence_parallel_utils as utils
        >>> utils.ColumnSequenceParallelLinear(4, 6)(paddle.ones([2, 4])).shape
        paddle.Size([2, 6])
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return this process's columns of ``x @ weight + bias``, of the whole sequence."""
        whole = between(x, "all_gather", self._shared, 0)
        return self.linear(whole, self.weight, self.bias)


class RowSequenceParallelLinear(RowParallelLinear):
    """``RowParallelLinear`` for a sequence that processes share: each gets its piece.

    Shapes:
        this process's columns of float[length, ..., in_features] to
        float[length / world_size, ..., out_features].

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import sequence_parallel_utils as utils
        >>> utils.RowSequenceParallelLinear(4, 6)(paddle.ones([2, 4])).shape
        paddle.Size([2, 6])
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if self.bias is not None:
            mark_as_sequence_parallel_parameter(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return this process's piece of ``x @ weight + bias``."""
        if self._shared is None:
            return self.linear(x, self.weight, self.bias)
        piece = between(self.linear(x, self.weight), "reduce_scatter", self._shared, 0)
        return piece if self.bias is None else piece + self.bias


class _Call:
    """A call between processes that gradients go through; of one, the tensor is whole."""

    kind = ""

    @classmethod
    def apply(cls, input: Tensor, axis: int = 0, group: Group | None = None) -> Tensor:
        """Make the call along an axis.

        Args:
            input: float[...].
            axis: along which pieces stand.
            group: the processes; by default those along "model".
        """
        shared = shared_by(group)
        return between(input, cls.kind, shared, axis) if shared is not None else input.clone()


class ScatterOp(_Call):
    """Gives each process its piece of a sequence; gathers the gradients."""

    kind = "piece"


class GatherOp(_Call):
    """Gives each process the sequence; each has its piece of the gradient."""

    kind = "join"


class AllGatherOp(_Call):
    """Gives each process the sequence; the gradients are summed and handed out in pieces."""

    kind = "all_gather"


class ReduceScatterOp(_Call):
    """Sums over processes and hands out pieces; gathers the gradients."""

    kind = "reduce_scatter"


def scatter(input: Tensor, group: Group | None = None) -> Tensor:
    """Return this process's piece of a sequence: with one process the whole one."""
    return between(input, "piece", shared_by(group), 0)


def all_gather(input: Tensor, group: Group | None = None) -> Tensor:
    """Return the sequence that the processes have pieces of: with one process the one given."""
    return between(input, "all_gather", shared_by(group), 0)


def reduce_scatter(input: Tensor, group: Group | None = None) -> Tensor:
    """Return this process's piece of the sum over processes: with one the whole tensor."""
    return between(input, "reduce_scatter", shared_by(group), 0)


def mark_as_sequence_parallel_parameter(parameter: Any) -> None:
    """Note that every process has this parameter, and see only its piece of the sequence."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter: Any) -> bool:
    """Says whether ``mark_as_sequence_parallel_parameter`` was called for a parameter.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import sequence_parallel_utils as utils
        >>> weight = paddle.nn.LayerNorm(4).weight
        >>> utils.mark_as_sequence_parallel_parameter(weight)
        >>> utils.is_sequence_parallel_parameter(weight)
        True
    """
    return getattr(parameter, "sequence_parallel", False)


def register_sequence_parallel_allreduce_hooks(
    model: Layer, accumulation_steps: int, fuse_sequence_parallel_allreduce: bool
) -> None:
    """Sum the gradients of marked parameters over processes: with one they are whole.

    Args:
        model: a Layer.
        accumulation_steps: how many backward passes come before a sum.
        fuse_sequence_parallel_allreduce: whether Paddle sends them together.
    """
    group = shared_by(None)
    if group is None:
        return
    for each in model.parameters():
        if is_sequence_parallel_parameter(each) and not each.stop_gradient:
            each._register_backward_hook(_summing(each, group, max(accumulation_steps, 1)))


def _summing(parameter: Any, group: Group, every: int) -> Any:
    """Return what sums a gradient over processes, once in so many backward passes."""
    passed = 0

    def arrived() -> None:
        nonlocal passed
        passed += 1
        if passed % every == 0:
            average_gradients([parameter], group, SUM)

    return arrived
