"""run_backward: count, seed, drain. The order is Paddle's, and nothing here recurses.

Note [Order]
    A node runs when every edge that leads to it has delivered. Ready nodes run first in, first out;
    a leaf that is complete jumps the queue, so its gradient is there as early as it can be.

Note [Tasks]
    What one run knows of a node is a task, a list of three: how many edges have yet to deliver, the
    GradTensorHolder (None until a gradient arrives) and the node. One look-up per edge finds it.

Note [Journal]
    Leaves are added to as their gradients arrive, so that a hook on one sees its ``.grad``. Each
    writes into the run's journal what it had before. Whatever goes wrong in the middle (a hook or a
    PyLayer that raises, a stale saved tensor, Ctrl-C), the journal is played backwards and every
    leaf has the ``.grad`` it had. The exception keeps its type; a note names the node it came from.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable
from itertools import repeat

import jax

from jaxeager.errors import FatalError
from jaxeager.graph import events
from jaxeager.graph.events import tell
from jaxeager.graph.holder import add_gradient, first_gradient
from jaxeager.graph.meta import Edge
from jaxeager.graph.node import roll_back

WAITING, HOLDER, NODE = 0, 1, 2


def run_backward(roots: list[tuple[Edge, jax.Array]], retain_graph: bool = False) -> None:
    """Runs the graph behind the roots and adds gradients to the leaves' ``grad``.

    Args:
        roots: pairs of the Edge of a root tensor and its gradient, a jax.Array of its shape.
        retain_graph: keep saved tensors, so that the graph can run again.

    Raises:
        FatalError: when the graph has been run and released; nothing has been changed then.
        PermissionDeniedError: when a saved tensor was written in place.
    """
    tasks = count_in_degrees([edge.node for edge, _ in roots])
    ready = seed(roots, tasks)
    journal: list = []
    try:
        if events.has_graph:
            with told_of(events.Backward("backward", roots, tasks, retain_graph)):
                drain_observed(ready, tasks, retain_graph, journal, places_met(roots))
        else:
            drain(ready, tasks, retain_graph, journal)
    except BaseException:
        roll_back(journal)
        raise
    run_final_hooks()


def count_in_degrees(roots: list) -> dict:
    """Returns a task per node that can be reached, with the number of edges that lead to it.

    Raises:
        FatalError: when one of them was run and released.
    """
    tasks = {node: [0, None, node] for node in roots}
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
                task[WAITING] += 1
            else:
                tasks[target] = [1, None, target]
                waiting.append(target)
    return tasks


def refuse_released(node) -> None:
    """Raises Paddle's error for a second backward, which says where the node comes from."""
    try:
        node.raise_released()
    except FatalError as error:
        add_node_note(error, node)
        raise


def seed(roots: list[tuple[Edge, jax.Array]], tasks: dict) -> deque:
    """Puts the root gradients, summed, into the roots' holders; returns the ready tasks."""
    for edge, grad in roots:
        deliver(tasks[edge.node], edge, grad)
    starts = dict.fromkeys(edge.node for edge, _ in roots)
    return deque(tasks[node] for node in starts if tasks[node][WAITING] == 0)


def deliver(task: list, edge: Edge, grad: jax.Array) -> None:
    """Adds a gradient at the place of a task's node that an edge leads to."""
    holder = task[HOLDER]
    if holder is None:
        task[HOLDER] = first_gradient(task[NODE].width, edge.slot + edge.rank, grad)
    else:
        add_gradient(holder, edge.slot + edge.rank, grad)


def drain(ready: deque, tasks: dict, retain_graph: bool, journal: list) -> None:
    """Runs ready nodes until none is left, and hands their gradients on along their edges.

    About 0.7 us a node beside its kernel, which is why handing on is not a function of its own.
    """
    while ready:
        _, holder, node = task = ready.popleft()
        if holder is not None:
            task[HOLDER] = None  # what arrived is let go as soon as the node has run
            try:
                grads = node.run(holder, retain_graph, journal)
            except BaseException as error:
                add_node_note(error, node)
                raise
        else:  # nothing arrived, so nothing is handed on but the count
            grads = repeat(None)
            if not retain_graph:
                node.release()
        for edge, grad in zip(node.edges, grads, strict=False):
            if edge is None:
                continue
            task = tasks[edge.node]
            if grad is not None:
                if task[HOLDER] is None and edge.node.width == 1:
                    task[HOLDER] = [grad]
                else:
                    deliver(task, edge, grad)
            task[WAITING] = left = task[WAITING] - 1
            if left == 0:
                if edge.node.is_leaf:
                    ready.appendleft(task)
                else:
                    ready.append(task)


def places_met(roots: list[tuple[Edge, jax.Array]]) -> dict:
    """Returns the positions by node at which gradients of several roots were added up."""
    if len(roots) == 1:
        return {}
    arrived, met = set(), {}
    for edge, _ in roots:
        place = edge.node, edge.slot + edge.rank
        if place in arrived:
            met.setdefault(edge.node, set()).add(place[1])
        arrived.add(place)
    return met


def drain_observed(ready: deque, tasks: dict, retain_graph: bool, journal: list, met: dict) -> None:
    """Does what ``drain`` does, and tells tools of every step: see graph/events.py.

    ``met`` has, by node, the positions at which gradients were added up; it is kept on here.
    """
    while ready:
        _, holder, node = task = ready.popleft()
        task[HOLDER] = None
        if holder is not None:
            try:
                if (began := events.node_began) is not None:
                    began(node, holder)
                if met and node in met:
                    tell(events.gradients_met, node, holder, met.pop(node))
                ran = events.node_ran
                saved = () if ran is None else node.saved
                grads = node.run(holder, retain_graph, journal)
                if (ended := events.node_ended) is not None:
                    ended(node, holder, grads)
                if ran is not None:
                    ran(node, saved, holder, grads)
            except BaseException as error:
                tell(events.node_failed, node, error)
                add_node_note(error, node)
                raise
        else:
            grads = repeat(None)
            if not retain_graph:
                node.release()
        for edge, grad in zip(node.edges, grads, strict=False):
            if edge is None:
                continue
            task = tasks[edge.node]
            holder, position = task[HOLDER], edge.slot + edge.rank
            is_first = holder is None or holder[position] is None
            if grad is not None:
                if holder is None and edge.node.width == 1:
                    task[HOLDER] = [grad]
                else:
                    deliver(task, edge, grad)
                if not is_first:
                    met.setdefault(edge.node, set()).add(position)
            task[WAITING] = left = task[WAITING] - 1
            if (passed := events.gradient_passed) is not None:
                passed(node, edge, grad, is_first, left)
            if left == 0:
                ready.appendleft(task) if edge.node.is_leaf else ready.append(task)


class told_of:
    """Tells tools that a backward begins, and that it has ended, well or not."""

    __slots__ = ("_run",)

    def __init__(self, run: events.Backward):
        self._run = run

    def __enter__(self) -> None:
        try:
            tell(events.backward_began, self._run)
        except BaseException as error:
            tell(events.backward_ended, self._run, error)
            raise

    def __exit__(self, kind, error: BaseException | None, trace) -> None:
        tell(events.backward_ended, self._run, error)


def add_node_note(error: BaseException, node) -> None:
    """Says on an exception which node it came from; a nested backward has said its own before."""
    describe_failure(error, node)


def name_node(error: BaseException, node) -> None:
    """Adds a note to an exception: which node it came from."""
    add_note(error, f"[GradNode < {node.name()} > error]")


def add_note(error: BaseException, note: str) -> None:
    """Adds a note to an exception, unless its class refuses notes."""
    with contextlib.suppress(Exception):  # what a user's class raises must not take its place
        error.add_note(note)


describe_failure: Callable = name_node  # debug/error_text.py says more


_final_hooks: dict[int, list[Callable]] = {}  # by thread


def add_final_hook(hook: Callable) -> None:
    """Adds a function of nothing that runs once, when this thread's next backward ends well."""
    _final_hooks.setdefault(threading.get_ident(), []).append(hook)


def run_final_hooks() -> None:
    """Runs the hooks of this thread that wait for the end of a backward, and forgets them."""
    if _final_hooks:
        for hook in _final_hooks.pop(threading.get_ident(), ()):
            hook()
