"""reshard as an op: a tensor as it lies elsewhere, and its gradient back where it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.core import Tracer
from jax.sharding import Sharding

from jaxeager.core.spread import placed
from jaxeager.distributed.partial_tensors import (
    Parts,
    lie_of_tensor,
    moved,
    partial_axes,
    partial_tensor,
    parts_of,
    without_partial,
)
from jaxeager.distributed.shardings import Lie, complete, has_partial, jax_mesh, sharding_of
from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import read_enabled
from jaxeager.graph.node import GradNode
from jaxeager.graph.stale import wants
from jaxeager.ops.call.recording import edge_of
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor


class MovingOp:
    """What a GradNode asks of its op, for one that moves tensors between devices.

    ``node.attrs`` is one function, which takes the gradient of the result and gives that of each
    operand: of Tensors when it is recorded, so it is made of calls that are recorded themselves.
    """

    returns_list = False
    outputs = ("out",)
    hidden = ()
    saves = ()

    def __init__(self, name: str, grad_name: str):
        self.name = name
        self.grad_name = grad_name

    def run_vjp(self, node: GradNode, grads: list) -> list:
        """Return the gradients as arrays."""
        (back,) = node.attrs
        return [each._array for each in back(wrap(grads[0]))]

    def record_vjp(self, node: GradNode, grads: list) -> list:
        """Return the gradients as Tensors that are part of a graph."""
        (back,) = node.attrs
        return back(grads[0])

    def input_avals(self, node: GradNode) -> list:
        """Says nothing of what it was called with."""
        return [None] * len(node.edges)


def record_move(op: MovingOp, out: Tensor, operands: list[Tensor], back: Callable) -> None:
    """Make a tensor the output of a node, when a gradient is wanted of any operand.

    Args:
        op: which move it is.
        out: what came of it.
        operands: the tensors that were moved.
        back: takes the gradient of ``out``, and gives a list with that of each operand.
    """
    if not (read_enabled() and any(wants(each._meta) for each in operands)):
        return
    node = GradNode()
    node.op = op
    node.attrs = (back,)
    node.edges = tuple(edge_of(each) for each in operands)
    node.mask = tuple(edge is not None for edge in node.edges)
    node.width = 1
    parts = parts_of(out)
    node.out_avals = (out._array.aval if parts is None else parts.aval,)
    out._meta = AutogradMeta(False, node, 0, 0)
    if events.node_recorded is not None:
        events.node_recorded(node)


_RESHARD = MovingOp("reshard", "ReshardGradNode")


def put(tensor: Tensor, sharding: Sharding) -> Tensor:
    """Return a tensor on the devices of a sharding; its gradient comes back to where it is.

    What is traced is nowhere yet: its gradient lies as the result does, as it is with JAX's own.
    """
    array = tensor._array
    out = wrap(placed(array, sharding))
    home = sharding if isinstance(array, Tracer) else array.sharding
    record_move(_RESHARD, out, [tensor], lambda grad: [put(grad, home)])
    return out


def reshard(tensor: Tensor, lie: Lie) -> Tensor:
    """Return a tensor that lies otherwise; its gradient comes back to where it was.

    Args:
        tensor: a Tensor, which may lie on one device, or be Partial.
        lie: how it is to lie.
    """
    mesh, shape = lie.mesh, _shape(tensor)
    lie = Lie(mesh, complete(mesh, lie.placements, shape))
    parts = parts_of(tensor)
    if parts is None and not has_partial(lie.placements):
        return put(tensor, sharding_of(mesh, lie.placements, shape))
    home = lie_of_tensor(tensor)
    if parts is not None and jax_mesh(parts.lie.mesh) == jax_mesh(mesh):
        array = moved(parts.array, parts.lie, lie)
    else:
        whole = Lie(mesh, without_partial(lie.placements))
        value = placed(tensor._array, sharding_of(*whole, shape))
        array = moved(value, whole, lie)
    made = Parts(array, lie)
    out = partial_tensor(made) if partial_axes(lie.placements) else wrap(array)
    record_move(_RESHARD, out, [tensor], _back_to(tensor, home))
    return out


def _back_to(tensor: Tensor, home: Lie | None) -> Callable:
    """Return what brings a gradient to where a tensor is; that of a Partial one is whole."""
    if home is None:
        where: Any = tensor._array.sharding
        return lambda grad: [put(grad, where)]
    lie = Lie(home.mesh, without_partial(home.placements))
    return lambda grad: [reshard(grad, lie)]


def _shape(tensor: Tensor) -> tuple[int, ...]:
    parts = parts_of(tensor)
    return tuple((tensor._array if parts is None else parts).aval.shape)
