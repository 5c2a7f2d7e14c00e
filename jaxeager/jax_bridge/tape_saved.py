"""The arguments of a tape: the arrays that its nodes have saved, each with a name.

See Note [Tapes as programs] of jax_bridge/tape_program.py.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.errors import JaxEagerError
from jaxeager.graph import engine
from jaxeager.graph.partial import place_of
from jaxeager.graph.saved import recover
from jaxeager.jax_bridge.from_jax import JaxOp
from jaxeager.tensor.kept_tensors import KeptTensor

if TYPE_CHECKING:
    from jaxeager.graph.meta import Edge
    from jaxeager.graph.node import GradNodeAccumulation
    from jaxeager.graph.types import Node


class Arguments:
    """The arguments of a tape: a name for each array, and the names that each node uses.

    Attributes:
        heads: the names of the gradients of the losses.
        places: per node the name of each array that it saved.
        labels: per node the name of each of them in its op.
    """

    def __init__(self, losses: list, roots: list):
        self.heads: list[str] = []
        self.leaves: dict[str, jax.Array] = {}  # name -> array
        self.saved: dict[str, jax.Array] = {}
        self.grads: dict[str, jax.Array] = {}
        self.labels: dict[Node, list[str]] = {}  # by their names in the node's op
        self.places: dict[Node, list[str]] = {}
        self._origins: dict[Node, list] = {}
        # name of an argument -> the leaf whose value it is
        self.leaf_of: dict[str, GradNodeAccumulation] = {}
        self._known: dict[int, str] = {}  # id of an array -> its name
        self._leaf_names: dict[GradNodeAccumulation, str] = {}
        for loss, (_, grad) in zip(losses, roots, strict=True):
            name = self._fresh(f"grad of {loss._name or 'loss'}")
            self.heads.append(name)
            self.grads[name] = grad

    def take(self, node) -> None:
        """Name the arrays that a node has saved."""
        if node.is_leaf:
            self.leaf_name(node)
            return
        held = _held(node)
        for label, array, edge in held:
            if id(array) not in self._known:
                self._known[id(array)] = self._add(node, label, array, edge)
        self.places[node] = [self._known[id(array)] for _, array, _ in held]
        self.labels[node] = [label for label, _, _ in held]
        self._origins[node] = [edge for _, _, edge in held]

    def names_of(self, node) -> dict[str, str]:
        """Return the names of a node's saved arrays, by their names in its op."""
        return dict(zip(self.labels[node], self.places[node], strict=True))

    def sources_of(self, node) -> list[tuple]:
        """Return the names of a node's saved arrays, each with its place in the graph."""
        origins = [None if edge is None else place_of(edge) for edge in self._origins[node]]
        return list(zip(self.places[node], origins, strict=True))

    def all_leaves(self) -> list:
        """Return the leaves of the tape."""
        return list(self._leaf_names)

    def _add(self, node, label: str, array, edge) -> str:
        from jaxeager.debug.common import naming

        if edge is not None and edge.node.is_leaf:
            name = self.leaf_name(edge.node)
            name = self._fresh(name) if name in self.leaves else name
            self.leaves[name] = array
            self.leaf_of[name] = edge.node
            return name
        place = "" if edge is None else naming.edge_name(edge)
        if not place and edge is not None:
            place = f"{naming.node_name(edge.node)}.{_output_name(edge)}"
        name = self._fresh(place or f"{naming.node_name(node)}.{label}")
        self.saved[name] = array
        return name

    def leaf_name(self, leaf) -> str:
        """Return the name of a leaf: its tensor's, or "leaf" with a number."""
        from jaxeager.debug.common import naming

        if leaf not in self._leaf_names:
            self._leaf_names[leaf] = self._fresh(naming.place_name(leaf, 0) or "leaf")
        return self._leaf_names[leaf]

    def _fresh(self, name: str) -> str:
        """Return an unused name, with a suffix "@2" and so on when needed."""
        used = {*self.grads, *self.leaves, *self.saved, *self._leaf_names.values()}
        found, number = name, 1
        while found in used:
            number += 1
            found = f"{name}@{number}"
        return found

    def values(self) -> dict[str, jax.Array]:
        """Return every argument in order: gradients, leaves, other saved values."""
        return {**self.grads, **self.leaves, **self.saved}


def _output_name(edge) -> str:
    names: tuple[str, ...] = getattr(edge.node.op, "outputs", ())
    position = edge.slot + edge.rank
    return str(names[position]) if position < len(names) else f"out{position}"


def _held(node) -> list[tuple]:
    """Return a node's saved arrays: (label, array, its place in the graph or None)."""
    if node.released:
        engine.refuse_released(node)
    try:
        return [*_wrapped(node), *_scalars(node), *_kept(node)]
    except JaxEagerError as error:
        engine.add_node_note(error, node)
        raise


def _wrapped(node) -> Iterator[tuple]:
    stem = "x" if isinstance(node.op, JaxOp) else "kept"
    names = getattr(node.op, "saves", ()) or [f"{stem}{k}" for k in range(len(node.saved))]
    for name, wrapper in zip(names, node.saved, strict=True):
        listed = wrapper if type(wrapper) is list else [wrapper]
        for place, each in enumerate(listed):
            if each is not None:
                label = f"{name}{place}" if type(wrapper) is list else name
                yield label, recover(each, node, name), _edge_of(node, name, place)


def _scalars(node) -> Iterator[tuple]:
    names = list(getattr(node.op, "scalars", ()))
    for place, array in enumerate(jax.tree.leaves(_scalars_of(node))):
        yield (names[place] if place < len(names) else f"residual{place}"), array, None


def _scalars_of(node) -> tuple:
    """Return the inputs of a node's VJP other than tensors.

    A program of ``to_static`` keeps its arguments there, only for gradients of gradients.
    """
    return () if getattr(node.op, "is_program", False) else node.scalars


def _kept(node) -> Iterator[tuple]:
    for place, tensor in enumerate(_kept_tensors(node)):
        edge = tensor.meta if tensor.position is None else _OutputEdge(node, tensor.position)
        is_edge = edge is not None and edge.node is not None
        yield f"saved{place}", recover(tensor.wrapper, node), edge if is_edge else None


class _OutputEdge:
    """An Edge to an output of a node itself."""

    __slots__ = ("node", "rank", "slot")

    def __init__(self, node, slot: int):
        self.node, self.slot, self.rank = node, slot, 0


def _kept_tensors(node) -> list[KeptTensor]:
    """Return the tensors that the context of a PyLayer keeps."""
    context = getattr(getattr(node, "call", None), "context", None)
    state = getattr(context, "_state", None)
    if state is None:
        return []
    kept = jax.tree.leaves(
        (state.kept, list(state.attributes.values())), is_leaf=lambda v: type(v) is KeptTensor
    )
    return [each for each in kept if type(each) is KeptTensor]


def _edge_of(node, name: str, place: int) -> Edge | _OutputEdge | None:
    """Return the edge of a tensor that a node saved under a name; None when unknown."""
    outputs = getattr(node.op, "outputs", ())
    if name in outputs and not node.op.returns_list:
        return _OutputEdge(node, outputs.index(name))
    start = 0
    for position, operand in enumerate(getattr(node.op, "differentiable", ())):
        width = None if node.ranks is None else node.ranks[position]
        if operand.name == name:
            return node.edges[start + place] if start + place < len(node.edges) else None
        start += 1 if width is None else width
    return None


@contextlib.contextmanager
def holding(node, arrays: list) -> Iterator[Any]:
    """Yield a copy of a node with other saved arrays, for the length of a block."""
    twin, given = copy.copy(node), iter(arrays)
    twin.hooks = None
    if node.is_leaf:
        yield twin
        return
    twin.saved = tuple([
        [None if each is None else (next(given), None, 0) for each in wrapper]
        if type(wrapper) is list
        else None if wrapper is None else (next(given), None, 0)
        for wrapper in node.saved
    ])  # fmt: skip
    if _scalars_of(node):
        twin.scalars = jax.tree.map(lambda _: next(given), node.scalars)
    kept = _kept_tensors(node)
    before = [each.wrapper for each in kept]
    try:
        for each in kept:
            each.wrapper = (next(given), None, 0)
        yield twin
    finally:
        for each, wrapper in zip(kept, before, strict=True):
            each.wrapper = wrapper
