"""Differentiable calls between processes, each with the call of its backward.

| forward | backward |
| --- | --- |
| identity | sum over the ranks |
| sum over the ranks | identity: each rank's output is the same, so is its gradient |
| the ranks' tensors, concatenated | this rank's piece |
| this rank's piece | the ranks' pieces, concatenated |
| the ranks' tensors, concatenated, each used differently | summed pieces |
| summed pieces | the ranks' pieces, concatenated |
"""

from __future__ import annotations

from typing import Any

import jaxeager as paddle
from jaxeager.distributed.communication.group_call import call, shape_of
from jaxeager.distributed.communication.groups import Group
from jaxeager.errors import InvalidArgumentError

# The backward call of each forward call.
_BACKWARD = {
    "identity": "sum", "sum": "identity", "join": "piece", "piece": "join",
    "all_gather": "reduce_scatter", "reduce_scatter": "all_gather",
}  # fmt: skip


class _DifferentiableCall(paddle.autograd.PyLayer):
    """A call of the table, in forward and in backward."""

    @staticmethod
    def forward(ctx: Any, x: paddle.Tensor, kind: str, group: Group, axis: int) -> paddle.Tensor:
        ctx.kind, ctx.group, ctx.axis = kind, group, axis
        return _moved(x, kind, group, axis)

    @staticmethod
    def backward(ctx: Any, grad: paddle.Tensor) -> paddle.Tensor:
        return differentiable_call(grad, _BACKWARD[ctx.kind], ctx.group, ctx.axis)


def differentiable_call(
    x: paddle.Tensor, kind: str, group: Group | None, axis: int = -1
) -> paddle.Tensor:
    """Return the result of a call of the table; with one process, the tensor itself.

    Args:
        x: float[...].
        kind: "identity", "sum", "join", "piece", "all_gather" or "reduce_scatter".
        group: the processes.
        axis: the axis along which pieces are concatenated.
    """
    if group is None or group.nranks == 1:
        return x
    return _DifferentiableCall.apply(x, kind, group, axis % max(x.ndim, 1))


def _moved(x: paddle.Tensor, kind: str, group: Group, axis: int) -> paddle.Tensor:
    if kind == "identity":
        return x.clone()
    if kind == "piece":
        rows = rows_of(x, group, axis)
        start = group.rank * rows
        return paddle.slice(x, [axis], [start], [start + rows]).clone()
    if kind == "sum":
        return run("all_reduce", "all_reduce", x, group, op=0)
    if kind in ("join", "all_gather"):
        return run("all_gather", "all_gather_one", x, group, axis=axis)
    rows_of(x, group, axis)
    return run("reduce_scatter", "reduce_scatter_one", x, group, axis=axis, op=0)


def rows_of(x: paddle.Tensor, group: Group, axis: int) -> int:
    """Return the length of each process's piece of a tensor.

    Raises:
        InvalidArgumentError: when it cannot be divided evenly.
    """
    length = x.shape[axis]
    if length % group.nranks:
        raise InvalidArgumentError(
            f"Axis {axis} of {list(x.shape)} cannot be divided evenly over {group.nranks} "
            "processes."
        )
    return length // group.nranks


def run(name: str, kernel: str, x: paddle.Tensor, group: Group, **settings: Any) -> paddle.Tensor:
    """Return the result of a kernel on this rank, as a new tensor."""
    found: list = []
    shown = ", ".join([shape_of([x]), *(f"{k}={v}" for k, v in settings.items())])
    call(name, kernel, group, [x], found.extend, sync_op=True, operands=shown, **settings)
    return paddle.Tensor.from_array(found[0])
