"""The backward that is asked for some gradients only, or for gradients of gradients.

Note [Partial backward]
    ``run_partial`` walks only nodes that lead to a target: an input of ``paddle.grad``, named by
    the edge its gradient goes along. A target's gradient is taken when everything that goes to it
    has arrived and its hooks have run, whether or not its node runs then: it does when another
    target lies behind it. Nothing is copied, nothing is released unless asked for, and no leaf's
    ``grad`` is touched. Gradients are Tensors here, because with ``create_graph`` they are part of
    a graph.

    Without targets it is a whole backward that ends in the leaves; that is ``backward`` with
    ``create_graph``.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

from jaxeager.graph import events
from jaxeager.graph.engine import (
    HOLDER,
    NODE,
    WAITING,
    add_node_note,
    refuse_released,
    run_final_hooks,
    told_of,
)
from jaxeager.graph.events import tell
from jaxeager.graph.holder import add_arrays
from jaxeager.graph.meta import Edge
from jaxeager.graph.node import as_arrays, as_constants, roll_back

UNREACHED: Any = object()  # stands for the gradient of a target that no path leads to

Place = tuple[Any, int]  # a node and the position, slot + rank, of one of its outputs


def place_of(edge: Edge) -> Place:
    """Returns what an edge leads to, as something that compares equal for equal edges."""
    return edge.node, edge.slot + edge.rank


def run_partial(
    roots: list[tuple[Edge, Any]],
    targets: Sequence[Edge] | None,
    cut: Sequence[Edge] = (),
    create_graph: bool = False,
    retain_graph: bool = True,
) -> list:
    """Runs the graph between roots and targets and returns the targets' gradients.

    Args:
        roots: pairs of the Edge of a root tensor and its gradient, a Tensor.
        targets: edges of the tensors whose gradients are wanted; None for all leaves, whose
            ``grad`` is then added to.
        cut: edges of tensors that no gradient may pass.
        create_graph: record the VJPs, so that the results can be differentiated again.
        retain_graph: keep the graph's saved tensors.

    Returns:
        a Tensor per target; None where no gradient arrived, and UNREACHED where none could, because
        no path leads there.

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
    run = _Run(needed, blocked, wanted, create_graph, retain_graph)
    try:
        ready = run.seed(roots)
        if events.has_graph:
            arrays = [(edge, grad._array) for edge, grad in roots]
            found = events.Backward("grad", arrays, run.tasks, retain_graph, create_graph, targets)
            with told_of(found):
                run.drain(ready)
        else:
            run.drain(ready)
    except BaseException:
        roll_back(run.journal)
        raise
    run_final_hooks()
    if wanted is None:
        return []
    reached = reached_places(callers, roots, blocked)
    return [run.captured.get(p) if p in reached else UNREACHED for p in wanted]


def reached_places(callers: dict, roots: list, blocked: set) -> set[Place]:
    """Returns the places that some edge, or a root, leads to."""
    places = {place_of(edge) for edge, _ in roots}
    for node in callers:
        places |= {place_of(edge) for edge in node.edges if edge is not None}
    return places - blocked


def find_callers(roots: list, blocked: set) -> dict:
    """Returns every node that can be reached, each with the nodes that hand gradients to it."""
    callers: dict = {node: [] for node in roots}
    waiting = list(callers)
    while waiting:
        node = waiting.pop()
        for edge in node.edges:
            if edge is None or place_of(edge) in blocked:
                continue
            if edge.node not in callers:
                callers[edge.node] = []
                waiting.append(edge.node)
            callers[edge.node].append(node)
    return callers


def needed_nodes(callers: dict, wanted: list[Place]) -> set:
    """Returns the nodes of the wanted places, and all that hand gradients on towards them."""
    needed = {node for node, _ in wanted if node in callers}
    waiting = list(needed)
    while waiting:
        for caller in callers[waiting.pop()]:
            if caller not in needed:
                needed.add(caller)
                waiting.append(caller)
    return needed


class _Run:
    """One partial backward: what is needed, what has arrived, what was captured."""

    def __init__(self, needed: list, blocked: set, wanted, create_graph: bool, retain_graph: bool):
        self.blocked = blocked
        self.create_graph = create_graph
        self.retain_graph = retain_graph
        self.ends_in_leaves = wanted is None
        self.captured: dict[Place, Any] = {}
        self.met: dict[Any, set[int]] = {}  # by node, where gradients were added up
        self.journal: list = []
        self.captures: dict[Any, list[Place]] = {}
        for place in wanted or ():
            self.captures.setdefault(place[0], []).append(place)
        self.tasks: dict[Any, list[Any]] = {node: [0, None, node] for node in needed}
        for node in needed:
            opened = [edge for edge in node.edges if self.is_open(edge)]
            if opened and node.released:
                refuse_released(node)
            for edge in opened:
                self.tasks[edge.node][WAITING] += 1

    def is_open(self, edge: Edge | None) -> bool:
        """Says whether a gradient is handed on along an edge."""
        return edge is not None and edge.node in self.tasks and place_of(edge) not in self.blocked

    def seed(self, roots: list) -> deque:
        """Puts the root gradients into their holders; returns the tasks that wait for nothing."""
        roots = [(edge, grad) for edge, grad in roots if edge.node in self.tasks]
        for edge, grad in roots:
            self.deliver(edge, grad)
        starts = dict.fromkeys(edge.node for edge, _ in roots)
        return deque(self.tasks[node] for node in starts if self.tasks[node][WAITING] == 0)

    def deliver(self, edge: Edge, grad) -> None:
        """Adds a gradient at the place an edge leads to."""
        task = self.tasks[edge.node]
        if task[HOLDER] is None:
            task[HOLDER] = [None] * edge.node.width
        position = edge.slot + edge.rank
        current = task[HOLDER][position]
        task[HOLDER][position] = grad if current is None else self.sum_of(current, grad)
        if events.gradients_met is not None and current is not None and not self.create_graph:
            self.met.setdefault(edge.node, set()).add(position)

    def sum_of(self, a, b):
        """Adds two gradients, by a recorded op when the graph of the gradients is wanted."""
        if self.create_graph:
            return b + a  # as Paddle: what arrives last is the first operand
        return as_constants([add_arrays(a._array, b._array)])[0]

    def drain(self, ready: deque) -> None:
        """Runs ready nodes until none is left, in the order of the engine's drain."""
        while ready:
            task = ready.popleft()
            node, holder = task[NODE], task[HOLDER]
            task[HOLDER] = None
            try:
                results = self.visit(node, holder)
            except BaseException as error:
                tell(events.node_failed, node, error)
                add_node_note(error, node)
                raise
            for position, edge in enumerate(node.edges):
                if not self.is_open(edge):
                    continue
                grad = None if results is None else results[position]
                target = self.tasks[edge.node]
                is_first = target[HOLDER] is None or target[HOLDER][edge.slot + edge.rank] is None
                if grad is not None:
                    self.deliver(edge, grad)
                target[WAITING] -= 1
                if events.gradient_passed is not None:
                    array = None if grad is None else grad._array
                    tell(events.gradient_passed, node, edge, array, is_first, target[WAITING])
                if target[WAITING] == 0:
                    ready.appendleft(target) if edge.node.is_leaf else ready.append(target)

    def visit(self, node, grads: list | None):
        """Takes the gradients that arrived at a node: to capture them, and to run it."""
        if grads is None:
            if not self.retain_graph:
                node.release()
            return None
        if events.node_began is not None:
            tell(events.node_began, node, as_arrays(grads))
        if events.gradients_met is not None and node in self.met:
            tell(events.gradients_met, node, as_arrays(grads), self.met.pop(node))
        saved = () if events.node_ran is None else node.saved
        if self.ends_in_leaves or not node.is_leaf:
            grads = list(node.receive(grads))
        for place in self.captures.get(node, ()):
            self.captured[place] = grads[place[1]]
        results = None
        if node.is_leaf:
            if self.ends_in_leaves:
                node.accumulate(grads[0], self.journal)
        elif any(map(self.is_open, node.edges)):
            results = node.run_tensors(grads, self.create_graph, self.retain_graph)
        if events.node_ended is not None:
            tell(events.node_ended, node, as_arrays(grads), as_arrays(results or ()))
        if events.node_ran is not None:
            tell(events.node_ran, node, saved, as_arrays(grads), as_arrays(results or ()))
        return results
