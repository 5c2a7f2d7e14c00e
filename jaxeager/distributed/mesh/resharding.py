"""reshard as an op: a tensor in another layout, whose gradient returns to the original layout."""

from __future__ import annotations

from collections.abc import Callable

from jax.core import Tracer
from jax.sharding import Sharding

from jaxeager.arrays.sharded import placed
from jaxeager.distributed.mesh.jax_shardings import (
    Layout,
    complete,
    has_partial,
    jax_mesh,
    sharding_of,
)
from jaxeager.distributed.mesh.partial_tensors import (
    Parts,
    layout_of_tensor,
    moved,
    partial_axes,
    partial_tensor,
    parts_of,
    without_partial,
)
from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import read_enabled
from jaxeager.graph.node import GradNode
from jaxeager.graph.views.stale import wants
from jaxeager.ops.call.recording import edge_of
from jaxeager.ops.call.wrapping import wrap
from jaxeager.tensor import Tensor


class MovingOp:
    """The interface of a GradNode's op, for one that moves tensors between devices.

    ``node.attrs`` is one function from the gradient of the result to that of each operand. When the
    backward is recorded, both are Tensors, so it consists of calls that are recorded themselves.
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
        """Return None per operand: nothing is known about the operands."""
        return [None] * len(node.edges)


def record_move(op: MovingOp, out: Tensor, operands: list[Tensor], back: Callable) -> None:
    """Make a tensor the output of a node, if any operand requires a gradient.

    Args:
        op: the op of the move.
        out: its result.
        operands: the tensors that were moved.
        back: a function from the gradient of ``out`` to the list of the operands' gradients.
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
    """Return a tensor on the devices of a sharding; its gradient returns to the original devices.

    A traced tensor has no device yet: its gradient is placed like the result, as in JAX.
    """
    array = tensor._array
    out = wrap(placed(array, sharding))
    home = sharding if isinstance(array, Tracer) else array.sharding
    record_move(_RESHARD, out, [tensor], lambda grad: [put(grad, home)])
    return out


def reshard(tensor: Tensor, layout: Layout) -> Tensor:
    """Return a tensor in another layout; its gradient returns to the original layout.

    Args:
        tensor: a Tensor, which may be on one device, or be Partial.
        layout: the new layout.
    """
    mesh, shape = layout.mesh, _shape(tensor)
    layout = Layout(mesh, complete(mesh, layout.placements, shape))
    parts = parts_of(tensor)
    if parts is None and not has_partial(layout.placements):
        return put(tensor, sharding_of(mesh, layout.placements, shape))
    home = layout_of_tensor(tensor)
    if parts is not None and jax_mesh(parts.layout.mesh) == jax_mesh(mesh):
        array = moved(parts.array, parts.layout, layout)
    else:
        whole = Layout(mesh, without_partial(layout.placements))
        value = placed(tensor._array, sharding_of(*whole, shape))
        array = moved(value, whole, layout)
    made = Parts(array, layout)
    out = partial_tensor(made) if partial_axes(layout.placements) else wrap(array)
    record_move(_RESHARD, out, [tensor], _back_to(tensor, home))
    return out


def _back_to(tensor: Tensor, home: Layout | None) -> Callable:
    """Return a function that moves a gradient to a tensor's layout; Replicate for Partial."""
    if home is None:
        where: Sharding = tensor._array.sharding
        return lambda grad: [put(grad, where)]
    layout = Layout(home.mesh, without_partial(home.placements))
    return lambda grad: [reshard(grad, layout)]


def _shape(tensor: Tensor) -> tuple[int, ...]:
    parts = parts_of(tensor)
    return tuple((tensor._array if parts is None else parts).aval.shape)
