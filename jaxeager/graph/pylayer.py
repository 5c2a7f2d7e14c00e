"""GradNodePyLayer: the record of one call of a user's own op, whose backward is Python."""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.core import ports
from jaxeager.graph import events
from jaxeager.graph.hook_tensors import as_arrays, as_constants
from jaxeager.graph.journal import Journal
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.node import GradNode, gradient_edge

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.types import Gradient, Kind


class PyLayerOp:
    """The counterpart of an op-table row for a GradNodePyLayer: its name.

    Attributes:
        grad_name: Paddle's name of the node, ``GradNodePyLayer_`` and the name of the class.
    """

    __slots__ = ("grad_name",)

    returns_list = False

    def __init__(self, class_name: str):
        self.grad_name = f"GradNodePyLayer_{class_name}"

    def input_avals(self, node: GradNodePyLayer) -> tuple[Kind, ...]:
        """Return (shape, dtype) of each input tensor."""
        return node.in_avals


class GradNodePyLayer(GradNode):
    """A node that runs a function of Tensors: the ``backward`` of a PyLayer.

    It runs in the same way for ``backward()`` and for ``paddle.grad``; recording is on meanwhile if
    the graph of the gradients is needed, else off.

    Attributes:
        call: a PyLayerCall, the data of the forward call; ``call.pull(node, grads)`` takes a Tensor
            or None per output and returns one per input tensor. Freed with the saved tensors.
        in_avals: (shape, dtype) of each input tensor, flat.
    """

    __slots__ = ("call", "in_avals")

    call: Any
    in_avals: tuple[Kind, ...]

    def run(
        self, grads: list[jax.Array | None], retain_graph: bool, journal: Journal | None = None
    ) -> list[jax.Array | None]:
        """Run the user's backward on arrays; it receives each as a separate Tensor.

        Raises:
            FatalError: when an earlier backward freed the saved tensors.
            Exception: any exception of the user's function, unchanged.
        """
        return self._run_arrays(grads, retain_graph)

    def run_tensors(
        self, grads: list[Gradient | None], create_graph: bool, retain_graph: bool
    ) -> list[Gradient | None]:
        """Run the user's backward on Tensors; its ops are recorded with ``create_graph``.

        Inputs and results are separate Tensor objects, so that a write in place by the user cannot
        change a gradient that other code holds.
        """
        if not create_graph:
            return as_constants(self._run_arrays(as_arrays(grads), retain_graph))
        results = self._pull([_renamed(grad) for grad in grads], True, retain_graph)
        return [_renamed(result) for result in results]

    def _run_arrays(
        self, grads: Sequence[jax.Array | None], retain_graph: bool
    ) -> list[jax.Array | None]:
        wrap = ports.as_tensor
        tensors = [None if grad is None else wrap(grad, False) for grad in grads]
        return as_arrays(self._pull(tensors, False, retain_graph))

    def _pull(
        self, grads: Sequence[Gradient | None], create_graph: bool, retain_graph: bool
    ) -> list[Gradient | None]:
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
        """Free the context of the call, with all that it saved."""
        super().release()
        self.call = None


def _renamed(tensor: Gradient | None) -> Gradient | None:
    """Return another Tensor of the same value and the same place in the graph."""
    if tensor is None:
        return None
    meta = tensor._meta
    renamed = ports.as_tensor(tensor._array, meta is None or meta.stop_gradient)
    if meta is not None and not meta.stop_gradient:
        edge = gradient_edge(meta)
        renamed._meta = AutogradMeta(False, edge.node, edge.slot, edge.rank)
    return renamed
