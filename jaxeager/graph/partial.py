"""The backward for selected gradients only, or for gradients of gradients.

Note [Partial backward]
    ``run_partial`` visits only nodes that lead to a target: an input of ``paddle.grad``, identified
    by the edge of its gradient. A target's gradient is taken when it is complete and its hooks have
    run, whether or not its node runs then. The node does run when another target is upstream of it.
    Nothing is copied, nothing is released unless requested, and no leaf's ``grad`` changes.
    Gradients are Tensors here, because with ``create_graph`` they are part of a graph.

    Without targets it is a whole backward that ends in the leaves: ``backward`` with
    ``create_graph``.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.arrays.sharded import placed
from jaxeager.graph import events, vjps_ahead
from jaxeager.graph.engine import Run, Task, make_task, refuse_released
from jaxeager.graph.grad_tensor_holder import add_arrays
from jaxeager.graph.hook_tensors import as_arrays, as_constants, as_gradients
from jaxeager.graph.hooks import receive, run_on_tensors, run_reduce_hooks
from jaxeager.graph.meta import Edge, NodeOutput, place_of
from jaxeager.kernels import executables

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.types import Gradient, Node

UNREACHED: Any = object()  # represents the gradient of a target that no path leads to


def run_partial(
    roots: list[tuple[Edge, Gradient]],
    targets: Sequence[Edge] | None,
    cut: Sequence[Edge] = (),
    create_graph: bool = False,
    retain_graph: bool = True,
) -> list[Gradient | None]:
    """Run the graph between roots and targets and return the targets' gradients.

    Args:
        roots: pairs of the Edge of a root tensor and its gradient, a Tensor.
        targets: edges of the tensors whose gradients are returned; None for all leaves, whose
            ``grad`` is then added to.
        cut: edges of tensors that no gradient may pass.
        create_graph: record the VJPs, so that the results can be differentiated again.
        retain_graph: keep the graph's saved tensors.

    Returns:
        a Tensor per target; None where no gradient was delivered, and UNREACHED where no path leads
        to the target.

    Raises:
        FatalError: when the graph was run and released before.
        PermissionDeniedError: when a saved tensor was written in place.
    """
    blocked = {place_of(edge) for edge in cut}
    roots = [(edge, grad) for edge, grad in roots if place_of(edge) not in blocked]
    callers = find_callers([edge.node for edge, _ in roots], blocked)
    wanted = None if targets is None else [place_of(edge) for edge in targets]
    needed = callers if wanted is None else needed_nodes(callers, wanted)
    needed = [node for node in callers if node in needed]  # the same order every time
    run = TensorRun(needed, blocked, wanted, create_graph, retain_graph)
    starts = [(edge, grad) for edge, grad in roots if edge.node in run.tasks]
    shown = None
    if executables.has_new:
        vjps_ahead.begin(run.tasks, [(edge, grad._array) for edge, grad in starts])
        executables.has_new = create_graph  # the VJPs of what this call records are new, too
    if events.has_graph:
        arrays = [(edge, grad._array) for edge, grad in roots]
        shown = events.Backward("grad", arrays, run.tasks, retain_graph, create_graph, targets)
    run.go(starts, shown)
    if wanted is None:
        return []
    reached = run.reached.union(place_of(edge) for edge, _ in roots)
    return [run.captured.get(p) if p in reached else UNREACHED for p in wanted]


def _kept(grad: Gradient | None) -> Gradient | None:
    """Return a gradient as ``grad`` returns it: one lent to hooks becomes a constant again."""
    if grad is not None and grad._meta is not None and grad._meta.is_lent:
        grad._meta = None
    return grad


def find_callers(roots: Iterable[Node], blocked: set[NodeOutput]) -> dict[Node, list[Node]]:
    """Return every reachable node, each with the nodes that pass gradients to it."""
    callers: dict[Node, list[Node]] = {node: [] for node in roots}
    waiting = list(callers)
    while waiting:
        node = waiting.pop()
        for edge in node.edges:
            if edge is None or (blocked and place_of(edge) in blocked):
                continue
            target = edge.node
            known = callers.get(target)
            if known is None:
                callers[target] = [node]
                waiting.append(target)
            else:
                known.append(node)
    return callers


def needed_nodes(callers: dict[Node, list[Node]], wanted: list[NodeOutput]) -> set[Node]:
    """Return the nodes of the wanted places, and all nodes that pass gradients towards them."""
    needed = {node for node, _ in wanted if node in callers}
    waiting = list(needed)
    while waiting:
        for caller in callers[waiting.pop()]:
            if caller not in needed:
                needed.add(caller)
                waiting.append(caller)
    return needed


class TensorRun(Run):
    """A backward on Tensors.

    Attributes:
        captured: by place, the wanted gradients that are complete.
        captures: the wanted places by node.
        reached: the wanted places that some edge leads to.
        ends_in_leaves: whether leaves are added to, because no places are wanted.
    """

    def __init__(
        self,
        needed: Iterable[Node],
        blocked: set[NodeOutput],
        wanted: list[NodeOutput] | None,
        create_graph: bool,
        retain_graph: bool,
    ):
        super().__init__({node: make_task(node, 0, ()) for node in needed}, retain_graph, True)
        self.create_graph = create_graph
        self.is_silent_sum = not create_graph
        self.ends_in_leaves = wanted is None
        self.captured: dict[NodeOutput, Gradient | None] = {}
        self.captures: dict[Node, list[NodeOutput]] = {}
        self.reached: set[NodeOutput] = set()
        for place in wanted or ():
            self.captures.setdefault(place[0], []).append(place)
        for task in self.tasks.values():
            self.open(task, blocked)

    def open(self, task: Task, blocked: set[NodeOutput]) -> None:
        """Give a task the edges on which its node passes gradients; no edges if it need not run."""
        node, tasks, captures = task.node, self.tasks, self.captures
        opened: list[Edge | None] = []
        is_open = False
        for edge in node.edges:
            if edge is None or edge.node not in tasks or (blocked and place_of(edge) in blocked):
                opened.append(None)
                continue
            is_open = True
            tasks[edge.node].waiting += 1
            opened.append(edge)
            if edge.node in captures:
                self.reached.add(place_of(edge))
        if is_open:
            if node.released:
                refuse_released(node)
            task.edges = opened

    def add(self, a: Gradient, b: Gradient) -> Gradient:
        """Add two gradients, by a recorded op when the graph of the gradients is needed."""
        if self.create_graph:
            return b + a  # as in Paddle: the last gradient is the first operand
        total = add_arrays(*as_arrays([a, b]))  # pyright: ignore[reportArgumentType]  # no None
        return as_constants([total])[0]  # pyright: ignore[reportReturnType]  # no None

    def arrays(self, grads: Sequence[Gradient | None]) -> list[jax.Array | None]:
        """Return the arrays of gradients."""
        return as_arrays(grads)

    def placed(self, node: Node, grad: Gradient | None) -> Gradient | None:
        """Return a gradient with the placement of its leaf; unchanged when part of a graph."""
        if grad is None or self.create_graph or not node.is_leaf or node.sharding is None:
            return grad
        return as_constants([placed(grad._array, node.sharding)])[0]

    def run_node(
        self, node: Node, grads: list[Gradient | None]
    ) -> tuple[list[Gradient | None], Sequence[Gradient | None]]:
        """Capture the wanted gradients of a node, and run it.

        Tools see the gradients as the hooks left them.
        """
        is_leaf = node.is_leaf
        if node.hooks is not None and (self.ends_in_leaves or not is_leaf):
            shown = grads if self.create_graph else as_gradients(as_arrays(grads))
            grads = receive(node, shown, self.journal)
        for place in self.captures.get(node, ()):
            self.captured[place] = _kept(self.placed(node, grads[place[1]]))
        if is_leaf:
            if self.ends_in_leaves:
                node.accumulate(grads[0], self.journal)
                if node.hooks is not None:
                    run_reduce_hooks(node)
        elif self.tasks[node].edges:
            return grads, run_on_tensors(node, grads, self.create_graph, self.retain_graph)
        return grads, ()
