"""run_backward: seed, count, drain. The order is Paddle's, and nothing here recurses.

Note [Order]
    A node runs when every edge that leads to it has delivered. Ready nodes run first in, first out;
    a leaf that is complete jumps the queue, so its gradient is there as early as it can be.
"""

from collections import deque
from itertools import repeat

import jax

from jaxeager.graph.holder import add_gradient, first_gradient
from jaxeager.graph.meta import Edge


def run_backward(roots: list[tuple[Edge, jax.Array]], retain_graph: bool = False) -> None:
    """Runs the graph behind the roots and adds gradients to the leaves' ``grad``.

    Args:
        roots: pairs of the Edge of a root tensor and its gradient, a jax.Array of its shape.
        retain_graph: keep saved tensors, so that the graph can run again.

    Raises:
        FatalError: when the graph has been run and released.
        PermissionDeniedError: when a saved tensor was written in place.
    """
    holders = seed(roots)
    degrees = count_in_degrees(holders)
    ready = deque(node for node in holders if degrees[node] == 0)
    drain(ready, holders, degrees, retain_graph)


def seed(roots: list[tuple[Edge, jax.Array]]) -> dict:
    """Returns a holder per root node, with the root gradients summed in."""
    holders: dict = {}
    for edge, grad in roots:
        position = edge.slot + edge.rank
        if edge.node in holders:
            add_gradient(holders[edge.node], position, grad)
        else:
            holders[edge.node] = first_gradient(edge.node.width, position, grad)
    return holders


def count_in_degrees(roots) -> dict:
    """Returns how many edges lead to each node that can be reached from the roots.

    Raises:
        FatalError: when one of them was run and released; nothing has been changed then.
    """
    degrees = dict.fromkeys(roots, 0)
    waiting = list(degrees)
    while waiting:
        node = waiting.pop()
        if node.released:
            node.raise_released()
        for edge in node.edges:
            if edge is None:
                continue
            target = edge.node
            if target in degrees:
                degrees[target] += 1
            else:
                degrees[target] = 1
                waiting.append(target)
    return degrees


def drain(ready: deque, holders: dict, degrees: dict, retain_graph: bool) -> None:
    """Runs ready nodes until none is left, and hands their gradients on along their edges.

    About 0.7 us a node beside its kernel, which is why handing on is not a function of its own.
    """
    while ready:
        node = ready.popleft()
        holder = holders.pop(node, None)
        if holder is not None:
            grads = node.run(holder, retain_graph)
        else:  # nothing arrived, so nothing is handed on but the count
            grads = repeat(None)
            if not retain_graph:
                node.release()
        for edge, grad in zip(node.edges, grads, strict=False):
            if edge is None:
                continue
            target = edge.node
            if grad is not None:
                holder = holders.get(target)
                if holder is not None:
                    add_gradient(holder, edge.slot + edge.rank, grad)
                elif target.width == 1:
                    holders[target] = [grad]
                else:
                    holders[target] = first_gradient(target.width, edge.slot + edge.rank, grad)
            left = degrees[target] = degrees[target] - 1
            if left == 0:
                if target.is_leaf:
                    ready.appendleft(target)
                else:
                    ready.append(target)
