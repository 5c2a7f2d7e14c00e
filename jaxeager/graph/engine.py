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

import threading
from collections import deque
from collections.abc import Callable
from itertools import repeat

import jax

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
            node.raise_released()
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


def add_node_note(error: BaseException, node) -> None:
    """Adds a note to an exception: which node it came from, and where that one was recorded.

    The innermost node is named; a backward that was called inside a hook has named its own.
    """
    stack = getattr(node, "stack", None)
    text = f"[GradNode < {node.name()} > error]"
    if stack is not None:
        text = f"Forward Traceback (most recent call last):\n{stack.format()}{text}"
    error.add_note(text)


_final_hooks: dict[int, list[Callable]] = {}  # by thread


def add_final_hook(hook: Callable) -> None:
    """Adds a function of nothing that runs once, when this thread's next backward ends well."""
    _final_hooks.setdefault(threading.get_ident(), []).append(hook)


def run_final_hooks() -> None:
    """Runs the hooks of this thread that wait for the end of a backward, and forgets them."""
    if _final_hooks:
        for hook in _final_hooks.pop(threading.get_ident(), ()):
            hook()
