"""Layers and calls for sequences that processes share; a single process has them whole.

The sequence is axis 0, as in Paddle. The processes are those along "model" of ``fleet.init``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.fleet.layers.mpu.mp_layers import ColumnParallelLinear, RowParallelLinear
from jaxeager.distributed.fleet.layers.mpu.mp_ops import shared_by
from jaxeager.distributed.ranks.differentiable import differentiable_call
from jaxeager.distributed.ranks.synchronize import SUM, average_gradients
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = [
    "AllGatherOp", "ColumnSequenceParallelLinear", "GatherOp", "ReduceScatterOp",
    "RowSequenceParallelLinear", "ScatterOp", "all_gather", "is_sequence_parallel_parameter",
    "mark_as_sequence_parallel_parameter", "reduce_scatter",
    "register_sequence_parallel_allreduce_hooks", "scatter",
]  # fmt: skip


class ColumnSequenceParallelLinear(ColumnParallelLinear):
    """``ColumnParallelLinear`` for a shared sequence: each process passes its piece.

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
        whole = differentiable_call(x, "all_gather", self._shared, 0)
        return self.linear(whole, self.weight, self.bias)


class RowSequenceParallelLinear(RowParallelLinear):
    """``RowParallelLinear`` for a shared sequence: each process gets its piece.

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
        piece = differentiable_call(self.linear(x, self.weight), "reduce_scatter", self._shared, 0)
        return piece if self.bias is None else piece + self.bias


class _Call:
    """A differentiable call between processes; a single process has the tensor whole."""

    kind = ""

    @classmethod
    def apply(cls, input: Tensor, axis: int = 0, group: Group | None = None) -> Tensor:
        """Make the call along an axis.

        Args:
            input: float[...].
            axis: the axis along which pieces are concatenated.
            group: the processes; by default those along "model".
        """
        shared = shared_by(group)
        return (
            differentiable_call(input, cls.kind, shared, axis)
            if shared is not None
            else input.clone()
        )


class ScatterOp(_Call):
    """A call that returns each process's piece of a sequence; it gathers the gradients."""

    kind = "piece"


class GatherOp(_Call):
    """A call that returns the whole sequence; each process has its piece of the gradient."""

    kind = "join"


class AllGatherOp(_Call):
    """A call that returns the whole sequence; it sums the gradients and returns pieces."""

    kind = "all_gather"


class ReduceScatterOp(_Call):
    """A call that sums over processes and returns pieces; it gathers the gradients."""

    kind = "reduce_scatter"


def scatter(input: Tensor, group: Group | None = None) -> Tensor:
    """Return this process's piece of a sequence: with a single process, the whole one."""
    return differentiable_call(input, "piece", shared_by(group), 0)


def all_gather(input: Tensor, group: Group | None = None) -> Tensor:
    """Return the sequence of the processes' pieces: with a single process, the given one."""
    return differentiable_call(input, "all_gather", shared_by(group), 0)


def reduce_scatter(input: Tensor, group: Group | None = None) -> Tensor:
    """Return this process's piece of the sum: with a single process, the whole tensor."""
    return differentiable_call(input, "reduce_scatter", shared_by(group), 0)


def mark_as_sequence_parallel_parameter(parameter: Any) -> None:
    """Mark a parameter that is whole on every process, but used with a piece of the sequence."""
    parameter.sequence_parallel = True


def is_sequence_parallel_parameter(parameter: object) -> bool:
    """Return whether ``mark_as_sequence_parallel_parameter`` was called for a parameter.

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
    """Sum the gradients of marked parameters over processes; a single process has them whole.

    Args:
        model: a Layer.
        accumulation_steps: the number of backward passes per sum.
        fuse_sequence_parallel_allreduce: whether Paddle sends the gradients together.
    """
    group = shared_by(None)
    if group is None:
        return
    for each in model.parameters():
        if is_sequence_parallel_parameter(each) and not each.stop_gradient:
            each._register_backward_hook(_summing(each, group, max(accumulation_steps, 1)))


def _summing(parameter: Tensor, group: Group, every: int) -> Callable[[], None]:
    """Return a hook that sums a gradient over processes, once every ``every`` backward passes."""
    passed = 0

    def arrived() -> None:
        nonlocal passed
        passed += 1
        if passed % every == 0:
            average_gradients([parameter], group, SUM)

    return arrived
