"""GradNodePyLayer: the record of one call of a user's own op, whose backward is Python."""

from typing import Any

from jaxeager.core import ports
from jaxeager.graph import events
from jaxeager.graph.journal import Journal
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import GradNode, gradient_edge
from jaxeager.graph.values import as_arrays, as_constants


class PyLayerOp:
    """What a GradNodePyLayer has in the place of a row of the op table: its name.

    Attributes:
        grad_name: Paddle's name of the node, ``GradNodePyLayer_`` and the name of the class.
    """

    __slots__ = ("grad_name",)

    returns_list = False

    def __init__(self, class_name: str):
        self.grad_name = f"GradNodePyLayer_{class_name}"

    def input_avals(self, node: "GradNodePyLayer") -> tuple:
        """Return (shape, dtype) of each input tensor."""
        return node.in_avals


class GradNodePyLayer(GradNode):
    """A node that runs a function of Tensors: the ``backward`` of a PyLayer.

    It runs the same way for ``backward()`` and for ``paddle.grad``; recording is on while it does
    when the graph of the gradients is wanted, and off otherwise.

    Attributes:
        call: a PyLayerCall: what is known of the forward call; ``call.pull(node, grads)`` takes a
            Tensor or None per output and returns one per input tensor. Let go with the saved
            tensors.
        in_avals: (shape, dtype) of each input tensor, flat.
    """

    __slots__ = ("call", "in_avals")

    call: Any
    in_avals: tuple

    def run(self, grads: list, retain_graph: bool, journal: Journal | None = None):
        """Run the user's backward on arrays; each arrives there as a Tensor of its own.

        Raises:
            FatalError: when an earlier backward let the saved tensors go.
            Exception: whatever the user's function raises, as it is.
        """
        return self._run_arrays(grads, retain_graph)

    def run_tensors(self, grads: list, create_graph: bool, retain_graph: bool):
        """Run the user's backward on Tensors; its ops are recorded with ``create_graph``.

        Tensors go in and come out under names of their own, so that a write in place of the user's
        cannot reach a gradient that somebody else holds.
        """
        if not create_graph:
            return as_constants(self._run_arrays(as_arrays(grads), retain_graph))
        results = self._pull([_renamed(grad) for grad in grads], True, retain_graph)
        return [_renamed(result) for result in results]

    def _run_arrays(self, grads: list, retain_graph: bool) -> list:
        wrap = ports.as_tensor
        tensors = [None if grad is None else wrap(grad, False) for grad in grads]
        return as_arrays(self._pull(tensors, False, retain_graph))

    def _pull(self, grads: list, create_graph: bool, retain_graph: bool) -> list:
        if self.released:
            self.raise_released()
        if events.gradient_shown is not None:
            for position, grad in enumerate(grads):
                if grad is not None:
                    events.gradient_shown(self, position, grad, grad)
        before = grad_mode.enabled
        grad_mode.enabled = create_graph
        try:
            results = self.call.pull(self, grads)
        finally:
            grad_mode.enabled = before
        if not retain_graph:
            self.release()
        return results

    def release(self) -> None:
        """Let the context of the call go, and with it all that it saved."""
        super().release()
        self.call = None


def _renamed(tensor):
    """Return another Tensor of the same value at the same place of the graph."""
    if tensor is None:
        return None
    meta = tensor._meta
    renamed = ports.as_tensor(tensor._array, meta is None or meta.stop_gradient)
    if meta is not None and not meta.stop_gradient:
        edge = gradient_edge(meta)
        renamed._meta = AutogradMeta(False, edge.node, edge.slot, edge.rank)
    return renamed
