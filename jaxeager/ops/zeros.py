"""The node of a tensor that is computed from others, and does not change with them."""

from jaxeager.graph.meta import AutogradMeta, Edge
from jaxeager.graph.node import GradNode
from jaxeager.ops import kernels


class _ZeroVjp:
    """What a GradNode asks of its op, for one whose gradients are all zero.

    A derivative that is constant, such as that of ``3 * x``, is not computed from x by any op. It
    is a function of x all the same, of derivative zero, and a user who asks for that gets it.
    The node's ``attrs`` are shape and dtype of the inputs.
    """

    name = "constant"
    grad_name = "ConstantGradNode"
    returns_list = False
    outputs = ("out",)
    hidden = ()
    saves = ()

    def run_vjp(self, node, grads: list) -> tuple:
        """Returns zeros for every input."""
        return tuple([kernels.filled(aval, 0) for aval in node.attrs])

    run_vjp_of_any = run_vjp

    def record_vjp(self, node, grads: list) -> list:
        """Returns zeros for every input; they depend on nothing but what this node depends on."""
        from jaxeager.ops.dispatch import wrap

        return [_connected(wrap(zeros), node) for zeros in self.run_vjp(node, grads)]

    def input_avals(self, node) -> list:
        """Returns (shape, dtype) of each input."""
        return [(aval.shape, aval.dtype) for aval in node.attrs]


_ZERO = _ZeroVjp()


def connect_to(tensor, edges: list[Edge], avals: list) -> None:
    """Makes a constant tensor a function, of derivative zero, of other tensors.

    Args:
        tensor: the constant.
        edges: the edges of the others.
        avals: shape and dtype of each of them.
    """
    _attach(tensor, edges, avals)


def _connected(tensor, node):
    _attach(tensor, node.edges, node.attrs)
    return tensor


def _attach(tensor, edges, avals) -> None:
    node = GradNode()
    node.op = _ZERO
    node.attrs = tuple(avals)
    node.scalars = node.saved = node.shapes = ()
    node.edges = tuple(edges)
    node.mask = (True,) * len(node.edges)
    node.ranks = None
    node.released = False
    node.width = 1
    node.out_avals = (tensor._array.aval,)
    tensor._meta = AutogradMeta(False, node, 0, 0)
