"""run_backward: count, seed, drain. The order is Paddle's, and no function here recurses.

Note [Order]
    A node runs when every edge into it has delivered. Ready nodes run first in, first out. A leaf
    that is complete moves to the front of the queue, so its gradient is available as early as
    possible.

Note [Tasks]
    A ``Task`` is the state of a node in one run, found by one look-up per edge. One is made per
    node and run, field by field. That takes 30 ns more than a list of four; the run regains half of
    it, because a field is read faster than an item.

Note [One drain]
    ``Run.drain`` is the only loop. ``backward()`` runs it on arrays; graph/partial.py is another
    kind of Run, on Tensors. They differ in how a node runs (``visit``), how gradients that meet are
    added (``deliver``), and which edges their tasks have. While no tool observes, a backward skips
    ``visit`` and runs its nodes directly.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from jaxeager.core import ports
from jaxeager.errors import FatalError
from jaxeager.graph import events, vjps_ahead
from jaxeager.graph.events import notify
from jaxeager.graph.grad_tensor_holder import add_arrays
from jaxeager.graph.hooks import run_hooked
from jaxeager.graph.journal import Journal
from jaxeager.graph.lazy_graphs import recorded_with, remembered
from jaxeager.graph.meta import Edge
from jaxeager.kernels import executables

if TYPE_CHECKING:
    import jax

    from jaxeager.graph.types import Grad, Node, Roots


class Task:
    """The state of a node in one run: see Note [Tasks].

    Attributes:
        waiting: the number of edges that have yet to deliver.
        holder: the GradTensorHolder; None until a gradient is delivered.
        node: the node.
        edges: its edges; None for one that carries no gradient.
    """

    __slots__ = ("edges", "holder", "node", "waiting")
    edges: Sequence[Edge | None]
    holder: list[Grad] | None
    node: Node
    waiting: int


def make_task(node: Node, waiting: int, edges: Sequence[Edge | None]) -> Task:
    """Return the task of a node that has received no gradient yet."""
    task = Task()
    task.waiting, task.holder, task.node, task.edges = waiting, None, node, edges
    return task


def run_backward(roots: list[tuple[Edge, jax.Array]], retain_graph: bool = False) -> None:
    """Run the graph upstream of the roots and add gradients to the leaves' ``grad``.

    Args:
        roots: pairs of the Edge of a root tensor and its gradient, a jax.Array of its shape.
        retain_graph: keep saved tensors, so that the graph can run again.

    Raises:
        FatalError: when the graph has been run and released; nothing has been changed then.
        PermissionDeniedError: when a saved tensor was written in place.
    """
    tasks = count_in_degrees([edge.node for edge, _ in roots])
    if executables.has_new:
        vjps_ahead.begin(tasks, roots)
    shown = events.Backward("backward", roots, tasks, retain_graph) if events.has_graph else None
    Run(tasks, retain_graph, events.has_nodes).go(roots, shown)


def count_in_degrees(roots: Iterable[Node]) -> dict[Node, Task]:
    """Return a task for every reachable node, with the number of edges into it.

    Raises:
        FatalError: when one of the nodes was run and released.
    """
    tasks: dict[Node, Task] = {node: make_task(node, 0, node.edges) for node in roots}
    waiting = list(tasks)
    while waiting:
        node = waiting.pop()
        if node.released:
            refuse_released(node)
        for edge in node.edges:
            if edge is None:
                continue
            target = edge.node
            task = tasks.get(target)
            if task is not None:
                task.waiting += 1
            else:
                tasks[target] = task = Task()  # the body of make_task, without a call
                task.waiting = 1
                task.holder = None
                task.node = target
                task.edges = target.edges
                waiting.append(target)
    return tasks


def refuse_released(node: Node) -> None:
    """Raise Paddle's error for a second backward, with a note that names the node."""
    try:
        node.raise_released()
    except FatalError as error:
        add_node_note(error, node)
        raise


class Run:
    """One backward: see Note [One drain].

    Attributes:
        tasks: a task by node: see Note [Tasks].
        retain_graph: whether the saved tensors are kept.
        is_observed: whether tools are notified of its nodes; this cannot change during the run.
        journal: the record of changes to undo when it fails.
        met: by node, the positions at which gradients were added up, for tools.
    """

    is_silent_sum = True  # no op event is sent when gradients that meet are added

    def __init__(self, tasks: dict[Node, Task], retain_graph: bool, is_observed: bool):
        self.tasks = tasks
        self.retain_graph = retain_graph
        self.is_observed = is_observed
        self.journal = Journal()
        self.met: dict[Node, set[int]] = {}

    def go(self, roots: Roots, shown: events.Backward | None) -> None:
        """Run everything; after an error, undo all changes.

        Args:
            roots: pairs of an Edge and the gradient along it.
            shown: the data for tools; None when no tool observes.
        """
        if remembered:
            with recorded_with(self.tasks):
                self._go(roots, shown)
        else:
            self._go(roots, shown)

    def _go(self, roots: Roots, shown: events.Backward | None) -> None:
        waiting = count_final_hooks()
        try:
            ready = self.seed(roots)
            if shown is not None:
                with notified_run(shown):
                    self.drain(ready)
            else:
                self.drain(ready)
        except BaseException:
            self.journal.roll_back()
            drop_final_hooks(waiting)
            raise
        run_final_hooks()

    def seed(self, roots: Roots) -> deque[Task]:
        """Put the root gradients, summed, into the holders; return the tasks that are ready."""
        tasks = self.tasks
        starts: dict[Node, Task] = {}
        for edge, grad in roots:
            starts[edge.node] = task = tasks[edge.node]
            is_first = _is_first(task, edge)
            self.deliver(task, edge, grad)
            if not is_first:
                self.note_meeting(edge)
        return deque([task for task in starts.values() if task.waiting == 0])

    def drain(self, ready: deque[Task]) -> None:
        """Run ready nodes until none is left, and deliver their gradients along their edges.

        About 0.5 us a node besides its VJP, which is why delivery is not a separate function.
        """
        tasks, retain_graph, journal = self.tasks, self.retain_graph, self.journal
        is_observed, deliver = self.is_observed, self.deliver
        while ready:
            task = ready.popleft()
            node, holder, edges = task.node, task.holder, task.edges
            if holder is not None:
                task.holder = None  # freed as soon as the node has run
                try:
                    if is_observed:
                        grads = self.visit(node, holder)
                    elif node.hooks is None:
                        grads = node.run(holder, retain_graph, journal)
                    else:
                        grads = run_hooked(node, holder, retain_graph, journal)
                except BaseException as error:
                    if is_observed:
                        notify(events.node_failed, node, error)
                    add_node_note(error, node)
                    raise
            else:  # no gradient was delivered, so only the count is passed on
                grads = None
                if not retain_graph:
                    node.release()
            for number, edge in enumerate(edges):
                if edge is not None:
                    target, grad = edge.node, None if grads is None else grads[number]
                    task = tasks[target]
                    task.waiting = left = task.waiting - 1
                    if is_observed:
                        self.hand_on(node, edge, grad, task)
                    elif grad is not None:
                        if task.holder is None and target.width == 1:
                            task.holder = [grad]
                        else:
                            deliver(task, edge, grad)
                    if left == 0:
                        if target.is_leaf:
                            ready.appendleft(task)
                        else:
                            ready.append(task)

    # ---- the parts that differ between kinds of run; here on arrays

    def add(self, a: Grad, b: Grad) -> Grad:
        """Return the sum of two gradients that meet."""
        return add_arrays(a, b)

    def arrays(self, grads: Sequence[Grad]) -> Sequence[jax.Array | None]:
        """Return gradients in the form that tools receive."""
        return grads

    def run_node(self, node: Node, grads: list[Grad]) -> tuple[list[Grad], Sequence[Grad]]:
        """Run a node; return its inputs as tools receive them, and its results."""
        return grads, run_node(node, grads, self.retain_graph, self.journal)

    # ---- common to all kinds of run

    def deliver(self, task: Task, edge: Edge, grad: Grad) -> None:
        """Add a gradient at the position of a task's node that an edge leads to."""
        holder, position = task.holder, edge.slot + edge.rank
        if holder is None:
            holder = task.holder = [None] * task.node.width
        current = holder[position]
        holder[position] = grad if current is None else self.add(current, grad)

    def visit(self, node: Node, grads: list[Grad]) -> Sequence[Grad]:
        """Run a node on its delivered gradients, notify tools, and return its results."""
        if events.node_began is not None:
            events.node_began(node, self.arrays(grads))
        if self.met and node in self.met:
            notify(events.gradients_met, node, self.arrays(grads), self.met.pop(node))
        saved = () if events.node_ran is None else node.saved
        grads, results = self.run_node(node, grads)
        if events.node_ended is not None:
            events.node_ended(node, self.arrays(grads), self.arrays(results))
        if events.node_ran is not None:
            events.node_ran(node, saved, self.arrays(grads), self.arrays(results))
        return results

    def hand_on(self, node: Node, edge: Edge, grad: Grad, task: Task) -> None:
        """Deliver a gradient, or None, along an edge, and notify tools."""
        is_first = _is_first(task, edge)
        if grad is not None:
            self.deliver(task, edge, grad)
            if not is_first:
                self.note_meeting(edge)
        if events.gradient_passed is not None:
            (array,) = self.arrays([grad])
            events.gradient_passed(node, edge, array, is_first, task.waiting)

    def note_meeting(self, edge: Edge) -> None:
        """Note for tools that gradients were added up at the end of an edge."""
        if events.gradients_met is not None and self.is_silent_sum:
            self.met.setdefault(edge.node, set()).add(edge.slot + edge.rank)


def run_node(
    node: Node, grads: list[jax.Array | None], retain_graph: bool, journal: Journal
) -> Sequence[jax.Array | None]:
    """Run a node and its hooks on the delivered gradients, and return its results."""
    if node.hooks is None:
        return node.run(grads, retain_graph, journal)
    return run_hooked(node, grads, retain_graph, journal)


def _is_first(task: Task, edge: Edge) -> bool:
    """Return whether no gradient was delivered yet at the end of an edge."""
    holder = task.holder
    return holder is None or holder[edge.slot + edge.rank] is None


class notified_run:
    """Context manager that notifies tools of the beginning and the end of a backward."""

    __slots__ = ("_run",)

    def __init__(self, run: events.Backward):
        self._run = run

    def __enter__(self) -> None:
        try:
            notify(events.backward_began, self._run)
        except BaseException as error:
            notify(events.backward_ended, self._run, error)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        notify(events.backward_ended, self._run, error)


def add_node_note(error: BaseException, node: Node) -> None:
    """Add the node to an exception; the node of a nested backward was added before."""
    ports.describe_failure(error, node)


def name_node(error: BaseException, node: Node) -> None:
    """Add a note to an exception that names the node it came from."""
    add_note(error, f"[GradNode < {node.name()} > error]")


def add_note(error: BaseException, note: str) -> None:
    """Add a note to an exception, unless its class refuses notes."""
    with contextlib.suppress(Exception):  # an exception of a user's class must not replace this one
        error.add_note(note)


class FinalHook(NamedTuple):
    """A callback for the end of a backward.

    Attributes:
        run: a function without arguments, for a backward that ends well.
        undo: one for a backward that fails; None to wait for the next one that ends well.
    """

    run: Callable[[], object]
    undo: Callable[[], object] | None


_final_hooks: dict[int, list[FinalHook]] = {}  # by thread


def add_final_hook(hook: Callable[[], object], undo: Callable[[], object] | None = None) -> None:
    """Add a function without arguments that runs once, when this thread's next backward ends well.

    Args:
        hook: the function.
        undo: the function to run instead when the current backward fails; by default ``hook`` waits
            for the next one.
    """
    _final_hooks.setdefault(threading.get_ident(), []).append(FinalHook(hook, undo))


def count_final_hooks() -> int:
    """Return the number of hooks of this thread that wait for the end of a backward."""
    return len(_final_hooks.get(threading.get_ident(), ())) if _final_hooks else 0


def run_final_hooks() -> None:
    """Run the hooks of this thread that wait for the end of a backward, and forget them."""
    if _final_hooks:
        for hook in _final_hooks.pop(threading.get_ident(), ()):
            hook.run()


def drop_final_hooks(first: int) -> None:
    """Undo and forget the hooks that a failing backward has added, from an index on."""
    hooks = _final_hooks.get(threading.get_ident(), [])
    added = hooks[first:]
    hooks[first:] = [hook for hook in added if hook.undo is None]
    for hook in added:
        if hook.undo is not None:
            hook.undo()
