"""debug.saved_tensors: the arrays that a graph keeps for backward, by recording line."""

from __future__ import annotations

import gc
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import jax

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.stacks.lines import line_of_node

if TYPE_CHECKING:
    from jaxeager.tensor import Tensor

SHOWN = 30


class SavedTensors(NamedTuple):
    """The arrays that the nodes of one line keep.

    Attributes:
        line: the program's line that recorded them, "" when no stack was recorded.
        nodes: their names, each once.
        count: how many arrays they keep, each once.
        size_bytes: the bytes of those.
        own_bytes: the bytes of those that are not a leaf's value, freed with the graph.
    """

    line: str
    nodes: tuple[str, ...]
    count: int
    size_bytes: int
    own_bytes: int


class SavedByLine(list):
    """The arrays kept per line, the most bytes first; its text is a table."""

    def __str__(self) -> str:
        lines = [f"{'bytes':>12}  {'of the graph':>12}  {'arrays':>6}  where, by which nodes"]
        lines += first_lines(self, SHOWN, _text_of, "lines")
        lines.append(
            f"{sum(each.size_bytes for each in self)} bytes, "
            f"{sum(each.own_bytes for each in self)} of them kept by the graph alone"
        )
        return "\n".join(lines)


def _text_of(saved: SavedTensors) -> str:
    return (
        f"{saved.size_bytes:>12}  {saved.own_bytes:>12}  {saved.count:>6}  "
        f"{saved.line or '?'}  {', '.join(saved.nodes)}"
    )


class _Row:
    """The counts of one line."""

    def __init__(self):
        self.names: dict[str, None] = {}
        self.count = self.size_bytes = self.own_bytes = 0


def saved_tensors(loss: Tensor | list[Tensor] | tuple[Tensor, ...]) -> SavedByLine:
    """Return the arrays that a tensor's graph keeps for backward, by line.

    Lines are known for nodes recorded at ``FLAGS_call_stack_level=3``; otherwise there is one row
    for each kind of node. An array that several nodes keep is counted only at the first of them.

    Args:
        loss: a Tensor with a graph, or a list of them.

    Returns:
        a list of SavedTensors, the most bytes first, that prints as a table.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1000])
        >>> x.stop_gradient = False
        >>> paddle.debug.saved_tensors((x.exp() * 2).sum())[0].own_bytes
        4000
    """
    roots = loss if isinstance(loss, (list, tuple)) else [loss]
    nodes = _nodes_behind([root._meta.node for root in roots if root._meta is not None])
    leaves = {id(meta._array) for meta in _leaf_tensors(nodes)}
    seen: set[int] = set()
    rows: dict[str, _Row] = defaultdict(_Row)
    for node in nodes:
        if not node.is_leaf:
            row = rows[str(line_of_node(node)) or node.name()]
            row.names[node.name()] = None
            for array in _arrays_of(node):
                if id(array) not in seen:
                    seen.add(id(array))
                    row.count += 1
                    row.size_bytes += array.nbytes
                    row.own_bytes += 0 if id(array) in leaves else array.nbytes
    found = SavedByLine(
        SavedTensors(
            key if ":" in key else "", tuple(row.names), row.count, row.size_bytes, row.own_bytes
        )
        for key, row in rows.items()
        if row.count
    )
    found.sort(key=lambda each: -each.size_bytes)
    return found


def _nodes_behind(roots: list) -> list:
    """Return the nodes of a graph, starting from its roots."""
    nodes = dict.fromkeys(node for node in roots if node is not None)
    waiting = list(nodes)
    for node in waiting:  # grows during the loop
        for edge in node.edges:
            if edge is not None and edge.node not in nodes:
                nodes[edge.node] = None
                waiting.append(edge.node)
    return waiting


def _leaf_tensors(nodes: list) -> list:
    """Return the Tensors that are the leaves of a graph, if they are alive."""
    metas = {id(node.meta()) for node in nodes if node.is_leaf and node.meta() is not None}
    return [
        each
        for each in gc.get_objects()
        if hasattr(type(each), "_storage") and id(getattr(each, "_meta", None)) in metas
    ]


def _arrays_of(node) -> list:
    """Return the arrays that a node keeps, each once, including packed ones and those in lists."""
    found = {}
    waiting: list = list(node.saved)
    for scalar in node.scalars:  # an op's scalars take no significant memory
        if not isinstance(scalar, jax.Array):
            waiting += jax.tree.leaves(scalar)
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, jax.Array):
            found[id(thing)] = thing
        elif isinstance(thing, (list, tuple)):
            waiting += thing
    return list(found.values())
