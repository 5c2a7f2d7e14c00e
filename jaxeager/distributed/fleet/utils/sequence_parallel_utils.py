"""Layers and calls of sequences that processes could share: with one they have them whole."""

from __future__ import annotations

from typing import Any

from jaxeager.autograd import PyLayer
from jaxeager.distributed.fleet.layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

__all__ = [
    "AllGatherOp", "ColumnSequenceParallelLinear", "GatherOp", "ReduceScatterOp",
    "RowSequenceParallelLinear", "ScatterOp", "all_gather", "is_sequence_parallel_parameter",
    "mark_as_sequence_parallel_parameter", "reduce_scatter",
    "register_sequence_parallel_allreduce_hooks", "scatter",
]  # fmt: skip


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """``ColumnParallelLinear`` for a sequence that processes could share.

    Shapes:
        float[..., in_features] to float[..., out_features].

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import sequence_parallel_utils as utils
        >>> utils.ColumnSequenceParallelLinear(4, 6)(paddle.ones([2, 4])).shape
        paddle.Size([2, 6])
    """


class RowSequenceParallelLinear(RowParallelLinear):
    """``RowParallelLinear`` for a sequence that processes could share.

    Shapes:
        float[..., in_features] to float[..., out_features].

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import sequence_parallel_utils as utils
        >>> utils.RowSequenceParallelLinear(4, 6)(paddle.ones([2, 4])).shape
        paddle.Size([2, 6])
    """


class _Whole(PyLayer):
    """A call between processes; of one, the tensor is whole before and after it."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, *args: Any) -> Tensor:
        return input.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad


class ScatterOp(_Whole):
    """Gives each process its piece of a sequence; gathers the gradients."""


class GatherOp(_Whole):
    """Gives each process the sequence; each has its piece of the gradient."""


class AllGatherOp(_Whole):
    """Gives each process the sequence; the gradients are summed and handed out in pieces."""


class ReduceScatterOp(_Whole):
    """Sums over processes and hands out pieces; gathers the gradients."""


def scatter(input: Tensor) -> Tensor:
    """Returns this process's piece of a sequence: the whole one."""
    return input


def all_gather(input: Tensor) -> Tensor:
    """Returns the sequence that the processes have pieces of: the one given."""
    return input


def reduce_scatter(input: Tensor) -> Tensor:
    """Returns this process's piece of the sum over processes: the whole tensor."""
    return input


def mark_as_sequence_parallel_parameter(parameter: Any) -> None:
    """Notes that every process has this parameter, and sees only its piece of the sequence."""
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
    """Sums the gradients of marked parameters over processes: with one they are whole.

    Args:
        model: a Layer.
        accumulation_steps: how many backward passes come before a sum.
        fuse_sequence_parallel_allreduce: whether Paddle sends them together.
    """
