"""The objects that some objects keep alive, and the shortest paths from them to some arrays."""

import functools
import gc
import types
from collections.abc import Callable, Iterable
from typing import Any

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


class Reach:
    """What follows from objects to the objects that they keep.

    Weak references are not followed, and neither are modules, the globals of functions, and
    classes of libraries: what they hold has a separate name.

    Args:
        closed: ids of objects that are never entered.
    """

    def __init__(self, closed: set[int]):
        self.closed = closed
        self._children: dict[type, Callable[[Any], Iterable]] = {}
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
        layers: list[dict[int, tuple[int, Any]]] = [{} for _ in range(most)]
        for position, root in enumerate(roots):
            layers[0].setdefault(id(root), (position, None))
        ring = [(position, root, False) for position, root in enumerate(roots)]
        alive = []  # ids are compared, so what was made on the path must live
        found: dict[int, list[tuple[int, list]]] = {}
        left = most * len(wanted)
        while ring and left and objects > 0:
            alive.append(ring)
            following: list[tuple[int, Any, bool]] = []
            for position, thing, is_of_graph in ring:  # it grows by what the graphs keep
                objects -= 1
                if id(thing) in wanted:
                    left -= 1
                    path = _path_to(layers, position, thing)
                    found.setdefault(id(thing), []).append((position, path))
                    continue
                kind = type(thing)
                is_of_graph = (is_of_graph and kind in _BOXES) or self._is_of_graph(kind)
                others = ring if is_of_graph else following
                for child in self.children(thing):
                    if type(child) in ATOMS or id(child) in self.closed:
                        continue
                    for layer in layers:
                        known = layer.get(id(child))
                        if known is None:
                            layer[id(child)] = position, thing
                            others.append((position, child, is_of_graph))
                            break
                        if known[0] == position:
                            break
            ring = following
        return found

    def children(self, thing: Any) -> Iterable:
        """Return the objects that an object keeps."""
        kind = type(thing)
        children = self._children.get(kind)
        if children is None:
            children = self._children[kind] = _children_of(kind)
        return children(thing)


def _children_of(kind: type) -> Callable[[Any], Iterable]:
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


def _nothing(thing: Any) -> Iterable:
    return ()


def _of_function(function: types.FunctionType) -> Iterable:
    given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return (*(function.__closure__ or ()), *given, *vars(function).values())


def _of_frame(frame: types.FrameType) -> Iterable:
    is_module = frame.f_locals is frame.f_globals
    return () if is_module else list(frame.f_locals.values())


def _of_array(array: np.ndarray) -> Iterable:
    return list(array.flat) if array.dtype.hasobject and array.dtype.names is None else ()


def _of_class(kind: type) -> Iterable:
    return list(vars(kind).values()) if not is_librarys_class(kind) else ()


def _path_to(layers: list[dict[int, tuple[int, Any]]], position: int, thing: Any) -> list:
    """Return the objects from a root to one that was reached from it."""
    path: list[Any] = []
    while thing is not None:
        path.append(thing)
        known = (layer.get(id(thing)) for layer in layers)
        thing = next(parent for root, parent in filter(None, known) if root == position)
    return path[::-1]
