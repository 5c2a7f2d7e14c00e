"""The objects that an object keeps alive, and the shortest way from it to some arrays."""

import gc
import types
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from jaxeager.debug.memory.program_roots import is_librarys_class

ATOMS = frozenset([
    bool, bytes, complex, float, int, str, range, slice, type(None), type(...),
    types.BuiltinFunctionType, types.CodeType, types.ModuleType,
    types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
    types.WrapperDescriptorType, np.dtype,
])  # fmt: skip
MOST = 500_000  # objects behind one root


class Reach:
    """What follows from an object to the objects that it keeps.

    Weak references are not followed, and neither are modules, the globals of functions, and
    classes of libraries: what they hold has a name of its own.

    Args:
        closed: ids of objects that are never entered.
    """

    def __init__(self, closed: set[int]):
        self.closed = closed

    def ways(self, root: Any, wanted: set[int]) -> dict[int, list]:
        """Return, by the id of each wanted object that a root keeps, the objects on the way to it.

        The way begins with the root and ends with the wanted object, and is the shortest.
        """
        came: dict[int, Any] = {id(root): None}
        found: dict[int, Any] = {}
        ring = [root]
        alive = [ring]  # ids are compared, so what was made on the way must live
        while ring and len(came) < MOST and len(found) < len(wanted):
            following: list[Any] = []
            for thing in ring:
                if id(thing) in wanted:
                    found[id(thing)] = thing
                    continue
                for child in self.children(thing):
                    key = id(child)
                    if key not in came and type(child) not in ATOMS and key not in self.closed:
                        came[key] = thing
                        following.append(child)
            alive.append(following)
            ring = following
        return {key: _way(came, thing) for key, thing in found.items()}

    def children(self, thing: Any) -> Iterable:
        """Return the objects that an object keeps."""
        kind = type(thing)
        if kind is types.FunctionType:
            given = (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values())
            return (*(thing.__closure__ or ()), *given, *vars(thing).values())
        if kind is types.FrameType:
            is_module = thing.f_locals is thing.f_globals
            return () if is_module else list(thing.f_locals.values())
        if isinstance(thing, np.ndarray):
            return list(thing.flat) if thing.dtype.hasobject and thing.dtype.names is None else ()
        if isinstance(thing, type):
            return list(vars(thing).values()) if not is_librarys_class(thing) else ()
        if isinstance(thing, (jax.Array, types.ModuleType)):
            return ()
        return gc.get_referents(thing)


def _way(came: dict[int, Any], thing: Any) -> list:
    found = [thing]
    while came[id(found[-1])] is not None:
        found.append(came[id(found[-1])])
    return found[::-1]
