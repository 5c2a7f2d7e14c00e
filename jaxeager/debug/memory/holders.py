"""Finds the holders of arrays: names of the program, saved tensors, optimizers, closures of hooks.

Note [Holders]
    The garbage collector knows which objects refer to which. The search starts from all arrays
    together and goes outward, one ring per pass over the collector's objects (about 0.3 s each),
    until it reaches something the user can find in a program: a name of a module or of a running
    function, a node that has saved it, a Layer or an optimizer, a function that has it in its
    closure. Objects in between (a Tensor, lists, dicts, other objects) are only passed through.
"""

import collections
import gc
import os
import sys
import sysconfig
import types
from typing import Any

from jaxeager.debug.stacks import frames
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.graph.hooks import NodeHooks
from jaxeager.graph.meta import AutogradMeta
from jaxeager.graph.node import GradNode

RINGS = 12
_FEW = 100  # things; ``gc.get_referrers`` compares every reference with each of them
_WALKED = 3000  # the most things followed in a ring; more is a structure, not a path
_CONTAINERS = frozenset([list, tuple, dict, set, collections.deque, collections.defaultdict])
_PATHS = sysconfig.get_paths()
_INSTALLED = tuple(_PATHS[each] + os.sep for each in ("stdlib", "platstdlib", "purelib", "platlib"))
_Reached = dict[int, set[int]]


def holders_of(arrays: list) -> dict[int, list[str]]:
    """Return, by the id of an array, its holders: the nearest first, each once."""
    found: dict[int, list[str]] = {id(array): [] for array in arrays}
    search = _Search(arrays, found)
    for _ in range(RINGS):
        if not search.step():
            break
    return found


class _Search:
    """One outward search.

    Args:
        arrays: where it begins.
        found: by the id of an array, the texts of its holders; the search adds to it.
    """

    def __init__(self, arrays: list, found: dict[int, list[str]]):
        self.found = found
        self.ring: _Reached = {id(array): {id(array)} for array in arrays}
        self.things: list = arrays  # the things of the ring
        self.alive: list = [arrays]  # ids are compared, so nothing of a ring may be freed
        self.ours = {id(arrays), id(self.__dict__), id(found), *self.ring}
        self.walked: _Reached = collections.defaultdict(set)  # the arrays a thing was reached from
        modules = [each for each in list(sys.modules.items()) if _is_module(each[1])]
        self.modules = {id(vars(module)) for _, module in modules}
        self.names = [(*each, not _is_installed(each[1])) for each in modules if _is_told(each[0])]
        self.hooks = _hook_functions()
        self.locals = _running_names()

    def step(self) -> bool:
        """Go one ring outward, and return whether the search can continue."""
        self._tell_names()
        parents: list[tuple[Any, set[int]]] = []
        is_small = len(self.things) <= _FEW
        for thing in gc.get_referrers(*self.things) if is_small else gc.get_objects():
            if id(thing) in self.ours:
                continue
            reached: set[int] = set()
            for child in gc.get_referents(thing):
                reached |= self.ring.get(id(child), set())
            if reached:
                parents.append((thing, reached))
        ring: _Reached = {}
        for thing, reached in parents:
            reached = reached - self.walked[id(thing)]
            if not reached or thing is parents or isinstance(thing, types.FrameType):
                continue
            self.walked[id(thing)] |= reached
            text, goes_on = self._described(thing)
            for key in reached if text else ():
                self._tell(key, text)
            if goes_on and len(ring) < _WALKED:
                ring[id(thing)] = reached
        self.ring = ring
        self.things = [thing for thing, _ in parents if id(thing) in ring]
        self.alive.append([thing for thing, _ in parents])
        self.ours |= {id(self.things), id(self.alive[-1]), id(self.alive)}
        return bool(ring)

    def _tell(self, key: int, text: str) -> None:
        if text not in self.found[key]:
            self.found[key].append(text)

    def _tell_names(self) -> None:
        """Report what the program names; a pass does not find references of frozen objects."""
        for thing, text in self.locals:
            for key in self.ring.get(id(thing), ()):
                self._tell(key, text)
        for module, names, is_programs in self.names:
            for name, value in list(vars(names).items()):
                looks_within = is_programs and type(value) in _CONTAINERS
                for each in (value, *(gc.get_referents(value) if looks_within else ())):
                    for key in self.ring.get(id(each), ()):
                        self._tell(key, f"{name} of {module}")

    def _described(self, thing) -> tuple[str, bool]:
        """Return a text for a thing, "" for none, and whether the search continues from it."""
        kind = type(thing)
        if isinstance(thing, GradNode):
            return self._node_text(thing), False
        if isinstance(thing, types.FunctionType):
            return self._function_text(thing), True
        if isinstance(thing, dict) and id(thing) in self.modules:
            name = str(thing.get("__name__", ""))
            return (f"{name} itself" if name.startswith(("jax", "jaxlib")) else ""), False
        if isinstance(thing, (types.ModuleType, type)):
            return "", False
        if isinstance(thing, AutogradMeta) and id(thing.grad) in self.ring:
            return "the .grad of a leaf", True
        if _is_a(kind, "optimizer", "Optimizer"):
            return f"the optimizer {kind.__name__}", False
        if _is_a(kind, "nn", "Layer"):
            return f"the layer {kind.__name__}", False
        return "", True

    def _node_text(self, node) -> str:
        if id(node.hooks) in self.ring:
            what = f"a hook of {node.name()}"
        elif id(node.saved) in self.ring or id(node.scalars) in self.ring:
            what = f"saved for {node.name()}"
        else:
            return ""
        line = str(line_of_node(node))
        return what + (f", recorded at {line}" if line else "")

    def _function_text(self, function) -> str:
        code = function.__code__
        if frames.is_inside(code.co_filename):
            return ""
        what = "hook" if id(function) in self.hooks else "function"
        where = f"{code.co_filename}:{code.co_firstlineno}"
        return f"the closure of the {what} {function.__qualname__} at {where}"


def _is_module(thing) -> bool:
    return isinstance(thing, types.ModuleType)


def _is_told(module: str) -> bool:
    """Return whether the names of a module are a program's, not of this package or of JAX."""
    return module.partition(".")[0] not in ("jaxeager", "jax", "jaxlib")


def _is_installed(module) -> bool:
    file = getattr(module, "__file__", None)
    return module.__name__ != "__main__" if file is None else file.startswith(_INSTALLED)


def _is_a(kind: type, room: str, name: str) -> bool:
    """Return whether a class is or derives from one of another folder, without importing it."""
    return any(
        base.__name__ == name and base.__module__.split(".")[:2] == ["jaxeager", room]
        for base in kind.__mro__
    )


def _hook_functions() -> set[int]:
    """Return the ids of the functions that are hooks of a node or a leaf."""
    found = set()
    for hooks in (each for each in gc.get_objects() if type(each) is NodeHooks):
        found |= {id(hook) for _, hook in hooks.gradient.values()}
        for kind in (hooks.pre, hooks.post, hooks.reduce):
            found |= set(map(id, kind.values()))
    return found


def _running_names() -> list[tuple[Any, str]]:
    """Return the local variables of running functions, except those of the package."""
    found = []
    for frame in sys._current_frames().values():
        while frame is not None:
            code = frame.f_code
            if code.co_name != "<module>" and not frames.is_inside(code.co_filename):
                found += [
                    (value, f"{name} in {code.co_name}") for name, value in frame.f_locals.items()
                ]
            frame = frame.f_back
    return found
