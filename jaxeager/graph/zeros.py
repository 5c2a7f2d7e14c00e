"""The node of a tensor that is computed from others, and does not change with them."""

from jaxeager.graph import events
from jaxeager.graph.meta import AutogradMeta, Edge
from jaxeager.graph.node import GradNode


class _ZeroVjp:
    """What a GradNode asks of its op, for one whose gradients are all zero.

    A derivative that is constant, such as that of ``3 * x``, is not computed from x by any op. It
    is a function of x all the same, of derivative zero, and a user who asks for that gets it:
    ``paddle.grad`` gives zeros for an input that is reached and that no gradient arrived at.
    """

    name = "constant"
    grad_name = "ConstantGradNode"
    returns_list = False
    outputs = ("out",)
    hidden = ()
    saves = ()

    def run_vjp(self, node, grads: list) -> tuple:
        """Hand no gradient to any input, so nothing behind them runs for nothing."""
        return (None,) * len(node.edges)

    record_vjp = run_vjp

    def input_avals(self, node) -> list:
        """Knows nothing of its inputs."""
        return [None] * len(node.edges)


_ZERO = _ZeroVjp()


def connect_to(tensor, edges: list[Edge]) -> None:
    """Make a constant tensor a function, of derivative zero, of the tensors edges lead to."""
    node = GradNode()
    node.op = _ZERO
    node.edges = tuple(edges)
    node.mask = (True,) * len(node.edges)
    node.width = 1
    node.out_avals = (tensor._array.aval,)
    tensor._meta = AutogradMeta(False, node, 0, 0)
    if events.node_recorded is not None:
        events.node_recorded(node)
