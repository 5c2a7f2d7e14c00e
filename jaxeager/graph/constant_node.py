"""The node of a tensor that is computed from others and does not change with them."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta, Edge
from jaxeager.graph.node import GradNode

if TYPE_CHECKING:
    from jaxeager.graph.types import Tensor


class _ZeroVjp:
    """The op of a GradNode whose gradients are all zero.

    A derivative that is constant, such as that of ``3 * x``, is not computed from x by any op.
    Still it is a function of x with derivative zero, and a user may need that derivative:
    ``paddle.grad`` returns zeros for a reachable input without a gradient.
    """

    name = "constant"
    grad_name = "ConstantGradNode"
    returns_list = False
    outputs = ("out",)
    hidden: tuple[str, ...] = ()
    saves: tuple[str, ...] = ()

    def run_vjp(self, node: GradNode, grads: list[object]) -> tuple[None, ...]:
        """Return no gradient for any input, so no upstream node runs without need."""
        return (None,) * len(node.edges)

    record_vjp = run_vjp

    def input_avals(self, node: GradNode) -> list[None]:
        """Return None for each input: nothing is known of them."""
        return [None] * len(node.edges)


_ZERO = _ZeroVjp()


def connect_to(tensor: Tensor, edges: list[Edge]) -> None:
    """Make a constant tensor a function, of derivative zero, of the tensors of some edges."""
    node = GradNode()
    node.op = _ZERO
    node.edges = tuple(edges)
    node.mask = (True,) * len(node.edges)
    node.width = 1
    node.out_avals = (tensor._array.aval,)
    tensor._meta = AutogradMeta(False, node, 0, 0)
    if events.node_recorded is not None:
        events.node_recorded(node)
