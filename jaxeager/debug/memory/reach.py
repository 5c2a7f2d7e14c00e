"""The objects that some objects keep alive, and the shortest paths from them to some arrays."""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxeager.debug.memory.program_roots import is_librarys_class
from jaxeager.graph.meta import AutogradMeta, Edge
from jaxeager.graph.node import GradNode
from jaxeager.tensor.tensor import Tensor

ATOMS = frozenset([
    bool, bytes, complex, float, int, str, range, slice, type(None), type(...),
    types.BuiltinFunctionType, types.CodeType, types.ModuleType,
    types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
    types.WrapperDescriptorType, np.dtype,
])  # fmt: skip
_GRAPH = (Tensor, GradNode, AutogradMeta, Edge)
_BOXES = (list, tuple, dict)

_KEPT = 6  # objects at each end of a way through a graph that a path contains


class Skipped(NamedTuple):
    """The part of a path inside a long graph that is left out.

    Attributes:
        nodes: how many GradNodes it has.
        objects: how many objects.
    """

    nodes: int
    objects: int


class _Entered(NamedTuple):
    """An object that a search has entered.

    Attributes:
        position: that of the root that it came from.
        thing: the object.
        is_of_graph: whether it is part of a tensor's graph.
        parent: what keeps it.
        steps: how many objects of the graph are on the path before it, without a break.
        nodes: how many of the objects on the path before it are GradNodes.
        near: of these objects of the graph, number ``_KEPT``; None if there are fewer.
    """

    position: int
    thing: object
    is_of_graph: bool = False
    parent: _Entered | None = None
    steps: int = 0
    nodes: int = 0
    near: _Entered | None = None


class Reach:
    """What follows from objects to the objects that they keep.

    Weak references are not followed, and neither are modules, the globals of functions, and
    classes of libraries: what they hold has a separate name.

    Args:
        closed: ids of objects that are never entered.
    """

    def __init__(self, closed: set[int]):
        self.closed = closed
        self._children_of = functools.cache(_children_of)
        self._is_of_graph = functools.cache(lambda kind: issubclass(kind, _GRAPH))

    def paths(
        self, roots: list, wanted: set[int], most: int, objects: int
    ) -> dict[int, list[tuple[int, list]]]:
        """Return, by the id of each wanted object, the paths to it from the roots nearest to it.

        All roots are searched at once, ring by ring; a tensor's whole graph is in the ring of the
        tensor, so a deep graph is found before all objects of a large program are entered. Each
        object is entered from the first roots alone that come to it, so the work is at most `most`
        passes over what the roots keep.

        Args:
            roots: the objects to begin with.
            wanted: ids of objects; what these keep is not entered.
            most: from how many roots an object is entered at most.
            objects: how many objects are entered at most.

        Returns:
            pairs of a root's position and the objects from the root to the wanted one, the
            shortest paths first.
        """
        layers: list[dict[int, int]] = [{} for _ in range(most)]  # who entered an object, by its id
        for position, root in enumerate(roots):
            layers[0].setdefault(id(root), position)
        ring = [_Entered(position, root) for position, root in enumerate(roots)]
        alive = []  # ids are compared, so what was made on the path must live
        found: dict[int, list[tuple[int, list]]] = {}
        closed, left = self.closed, most * len(wanted)
        while ring and left and objects > 0:
            alive.append(ring)
            following: list[_Entered] = []
            for entered in ring:  # it grows by what the graphs keep
                position, thing, is_of_graph, _, steps, nodes, near = entered
                objects -= 1
                if id(thing) in wanted:
                    left -= 1
                    found.setdefault(id(thing), []).append((position, _path_to(entered)))
                    continue
                children = self.children(thing)
                if ATOMS.issuperset(map(type, children)):
                    continue
                kind = type(thing)
                is_of_graph = (is_of_graph and kind in _BOXES) or self._is_of_graph(kind)
                others = ring if is_of_graph else following
                steps = steps + 1 if is_of_graph else 0
                nodes += issubclass(kind, GradNode)
                near = entered if steps == _KEPT else near if steps else None
                for child in children:
                    if type(child) in ATOMS or id(child) in closed:
                        continue
                    for layer in layers:
                        known = layer.get(id(child))
                        if known is None:
                            layer[id(child)] = position
                            others.append(
                                _Entered(position, child, is_of_graph, entered, steps, nodes, near)
                            )
                            break
                        if known == position:
                            break
            ring = following
        return found

    def children(self, thing: object) -> Collection:
        """Return the objects that an object keeps."""
        return self._children_of(type(thing))(thing)


def _children_of(kind: type) -> Callable[[Any], Collection]:
    """Return the function that returns what objects of a class keep."""
    if kind is types.FunctionType:
        return _of_function
    if kind is types.FrameType:
        return _of_frame
    if issubclass(kind, np.ndarray):
        return _of_array
    if issubclass(kind, type):
        return _of_class
    if issubclass(kind, (jax.Array, types.ModuleType)):
        return _nothing
    return gc.get_referents


def _nothing(thing: object) -> Collection:
    return ()


def _of_function(function: types.FunctionType) -> Collection:
    given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return (*(function.__closure__ or ()), *given, *vars(function).values())


def _of_frame(frame: types.FrameType) -> Collection:
    is_module = frame.f_locals is frame.f_globals
    return () if is_module else list(frame.f_locals.values())


def _of_array(array: np.ndarray) -> Collection:
    return list(array.flat) if array.dtype.hasobject and array.dtype.names is None else ()


def _of_class(kind: type) -> Collection:
    return list(vars(kind).values()) if not is_librarys_class(kind) else ()


def _path_to(entered: _Entered | None) -> list:
    """Return the objects from a root to one that was reached from it.

    Of a long way through a graph it has the objects at both ends, with a Skipped in between: the
    graphs of a model are deep, and a path is made for each array in them.
    """
    path: list[object] = []
    in_graph = 0  # objects since the path entered this graph, seen from its end
    while entered is not None:
        path.append(entered.thing)
        near, in_graph = entered.near, in_graph + 1 if entered.steps else 0
        if near is not None and in_graph > _KEPT and entered.steps > _KEPT + 1:
            nodes = entered.nodes - near.nodes - isinstance(near.thing, GradNode)
            path.append(Skipped(nodes, entered.steps - _KEPT))
            entered, in_graph = near, 0
        else:
            entered = entered.parent
    return path[::-1]
