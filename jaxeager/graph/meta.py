"""The graph data of a tensor, AutogradMeta, and the parts of a node, Edge and GradSlotMeta."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from jax.core import ShapedArray

    from jaxeager.graph.hooks import Retention
    from jaxeager.graph.types import Gradient, Node


class Edge:
    """The target of a gradient: an input of a GradNode.

    A node's inputs are ordered by slots (one per operand of the forward op) and ranks (one per
    tensor of a list operand). See Note [Flat position] in graph/grad_tensor_holder.py.
    """

    __slots__ = ("node", "rank", "slot")

    node: Node

    def __init__(self, node: Node | None, slot: int = 0, rank: int = 0):
        self.node = node  # pyright: ignore[reportAttributeAccessIssue]  # None: not connected yet
        self.slot = slot
        self.rank = rank

    def __repr__(self) -> str:
        return f"Edge({self.node.name()}, slot={self.slot}, rank={self.rank})"


NodeOutput: TypeAlias = (
    "tuple[Node, int]"  # a node and the position, slot + rank, of one of its outputs
)


def place_of(edge: Edge) -> NodeOutput:
    """Return the target of an edge, in a form that compares equal for equal edges."""
    return edge.node, edge.slot + edge.rank


class AutogradMeta(Edge):
    """The graph data of one tensor; a tensor without any gradient has none.

    It is the Edge of the tensor's gradient: into the node that made the tensor, or into a leaf's
    GradNodeAccumulation. Nodes hold it as their edge, so recording an op makes one object for both.
    A tensor that is written in place gets another AutogradMeta; the nodes keep the one they saw.

    Attributes:
        node, slot, rank: the edge; ``node`` is None for a leaf before anything was recorded.
        stop_gradient: whether gradients end here.
        grad: the accumulated gradient, a Tensor, or None.
        zeros: the aval of the zeros that ``grad`` was cleared to, else None. They are made when
            they are read; until then ``grad`` is None, and the earlier gradient is freed.
        writer: a token of the backward that set ``grad`` last; not set before the first one.
        retention: the hook that keeps ``grad`` of a non-leaf; set by ``retain_grads``.
        stack: the Python stack where a leaf was made; set when FLAGS_call_stack_level is 3.
        is_lent: whether the tensor may be written although it is a leaf: see ``LentMeta``.
    """

    __slots__ = (
        "__weakref__", "grad", "retention", "stack", "stop_gradient", "writer", "zeros",
    )  # fmt: skip

    is_lent = False
    retention: Retention
    writer: object
    node: Node | None  # pyright: ignore[reportIncompatibleVariableOverride]  # an Edge has one

    def __init__(
        self, stop_gradient: bool = True, node: Node | None = None, slot: int = 0, rank: int = 0
    ):
        super().__init__(node, slot, rank)
        self.stop_gradient = stop_gradient
        self.grad: Gradient | None = None
        self.zeros: ShapedArray | None = None

    def is_leaf(self) -> bool:
        """Return whether no op made this tensor."""
        return self.node is None or self.node.is_leaf

    def cleared(self) -> ShapedArray | None:
        """Return the ``zeros`` for a cleared gradient; None for a gradient of some rows."""
        if self.grad is None:
            return self.zeros
        return self.grad._array.aval if self.grad._rows is None else None


class LentMeta(AutogradMeta):
    """The graph data of a gradient passed to a hook: like a leaf's, but it may be written."""

    __slots__ = ()

    is_lent = True


class GradSlotMeta(NamedTuple):
    """The data that backward has of one tensor of a node's forward call.

    Attributes:
        stop_gradient: whether it receives no gradient.
        dtype: its element type, or None when the op does not keep it.
        shape: its shape, or None when the op does not keep it.
        edge: the target of its gradient; None for a forward output or a stopped input.
    """

    stop_gradient: bool
    dtype: np.dtype | None
    shape: tuple[int, ...] | None
    edge: Edge | None
