"""One look at what a function reaches by names: its closure, globals, modules, objects, classes.

What is looked at, and why, is in surroundings.py, Note [What is looked at].
"""

from __future__ import annotations

import collections
import dis
import functools
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from jaxeager.jit.breaks import UNSET
from jaxeager.jit.refusals import is_users_file
from jaxeager.jit.watching import Watch
from jaxeager.nn import Layer
from jaxeager.optimizer import Optimizer
from jaxeager.tensor import Tensor

SIMPLE = (int, float, complex, str, bytes, bool, type(None), np.generic)
EXACT = frozenset(SIMPLE)
CHANGING = (list, dict, set, collections.deque)
MOST = 64  # members of a container
_MOST_NOTED = 4096
_DEEPEST, _DEEPEST_NOTED = 5, 9
_CONTAINERS = (*CHANGING, tuple, frozenset)
_BARE = {("types", "SimpleNamespace"), ("argparse", "Namespace")}  # they have but attributes


def as_key(value: Any) -> Any:
    """Returns what tells a value from others: 1, 1.0 and True are three; so are 0.0 and -0.0."""
    if isinstance(value, (float, complex)):
        return type(value), repr(value)
    try:
        hash(value)
    except Exception:  # most raise TypeError; objects of libraries raise what they like
        return _ById(value)
    return type(value), value


class _ById:
    """A value without a hash: itself, and no other."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class Members:
    """The attributes of an object, or a variable of a module."""

    __slots__ = ("is_ours", "owner")

    def __init__(self, owner: Any, is_ours: bool = False):
        self.owner, self.is_ours = owner, is_ours

    @property
    def table(self) -> dict:
        """The dict of them, which may be another one than before."""
        return self.owner if isinstance(self.owner, dict) else vars(self.owner)

    def changed(self, before: dict) -> list[str]:
        """Returns the names whose number or string is another one than before."""
        now = self.table
        return [
            name
            for name, value in before.items()
            if type(value) in EXACT
            and now.get(name, value) is not value
            and type(now[name]) in EXACT
        ]


class Look:
    """What is found by going from a function to what it names, and on from there.

    Args:
        names: the names that code mentions; those of code that is met are added.
        noted: a list for the places that can be changed, with what they are now; or None.

    Attributes:
        found: what programs depend on.
        layers: the Layers that were met, which are not looked into.
        tensors: the ids of the tensors that were met.
        known: by its id a number for what was looked at already, None for what is left out.
        watch: says whether another look would find the same.
    """

    __slots__ = ("found", "known", "layers", "names", "noted", "tensors", "watch")

    def __init__(self, names: set, noted: list | None):
        self.names = names
        self.found: list = []
        self.layers: list[Layer] = []
        self.noted = noted
        self.tensors: set[int] = set()
        self.known: dict[int, int | None] = {}
        self.watch = Watch()

    def at(self, value: Any, depth: int) -> None:
        """Looks at a value and what is below it."""
        if type(value) in EXACT:
            self.found.append(as_key(value))
        elif id(value) in self.known:
            self.found.append(self.known[id(value)])
        elif isinstance(value, Tensor):
            # One that a program reads is held by it; of one that is gone another may have the id.
            self.tensors.add(id(value))
            self.found.append((id(value), value._array.shape, value._array.dtype))
        elif isinstance(value, np.generic):
            self.found.append(as_key(value))
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, Layer):
            self._know(value)
            self.layers.append(value)
        elif depth < (_DEEPEST if self.noted is None else _DEEPEST_NOTED):
            self._know(value)
            self._below(value, type(value), depth + 1)

    def _know(self, value: Any) -> None:
        self.known[id(value)] = len(self.known)

    def _array(self, value: np.ndarray) -> None:
        if value.size <= MOST and value.dtype != object:
            self.watch.give_up()  # its elements may be set
            self.found.append((value.shape, str(value.dtype), value.tobytes()))
        else:
            self.found.append(as_key(value))

    def _below(self, value: Any, kind: type, depth: int) -> None:
        if kind is types.FunctionType:
            self._function(value, depth)
        elif kind is types.MethodType:
            self.at(value.__self__, depth)
            self.at(value.__func__, depth)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self.at(part, depth)
        elif isinstance(value, _CONTAINERS):
            self._container(value, depth)
        elif hasattr(kind, "dygraph_function"):
            self.at(self.watch.attribute(value, "dygraph_function"), depth)
        elif isinstance(value, type):
            self._class(value, depth)
        elif is_users_class(kind) or (kind.__module__, kind.__qualname__) in _BARE:
            self._object(value, kind, depth)
        elif kind is types.ModuleType and _is_users_module(value):
            self._variables(vars(value), [n for n in self.names if n in vars(value)], depth)
        else:
            self._other(value, kind, depth)

    def _function(self, function: types.FunctionType, depth: int) -> None:
        code = self.watch.attribute(function, "__code__")
        wrapped = self.watch.attribute(function, "__wrapped__")
        if wrapped is not UNSET:
            self.at(wrapped, depth)
        if not is_users_file(code.co_filename):
            self.found.append(function)
            return
        self.found.append(code)
        self.names.update(names_of(code))
        for cell in function.__closure__ or ():
            value = self.watch.inside(cell)
            if self.noted is not None:
                self.noted.append((cell, value))
            if value is not UNSET:
                self.at(value, depth)
        by_name = self.watch.attribute(function, "__kwdefaults__") or {}
        self.watch.members(by_name.values())
        for each in (*(self.watch.attribute(function, "__defaults__") or ()), *by_name.values()):
            self.at(each, depth)
        self._variables(function.__globals__, _globals_of(code), depth)

    def _variables(self, scope: dict, names: list[str], depth: int) -> None:
        for name in names:
            value = self.watch.variable(scope, name)
            if value is not UNSET:
                if self.noted is not None:
                    self.noted.append((Members(scope), {name: value}))
                self.at(value, depth)

    def _container(self, value: Any, depth: int) -> None:
        self.found.append((type(value), len(value)))
        if len(value) > (MOST if self.noted is None else _MOST_NOTED):
            self.watch.length(value)
            self.found.append(id(value))
            self.tensors.update(_tensors_in(value.values() if isinstance(value, dict) else value))
            return
        members = self.watch.members(value)
        if self.noted is not None and not isinstance(value, (tuple, frozenset)):
            self.noted.append((value, list(value.items() if isinstance(value, dict) else value)))
        if isinstance(value, (set, frozenset)):
            self.found.append(frozenset(as_key(each) for each in members))
            return
        if isinstance(value, dict):
            self.found += [as_key(each) for each in members]
            members = self.watch.members(value.values())
        for each in members:
            self.at(each, depth)

    def _class(self, kind: type, depth: int) -> None:
        """Looks at the methods and other attributes of a class of the user's that are named."""
        if not is_users_class(kind):
            self.found.append(kind)
        for each in filter(is_users_class, kind.__mro__):
            members: Any = vars(each)
            for name in [name for name in self.watch.members(members) if name in self.names]:
                self.at(_plain(self.watch.variable(members, name)), depth)

    def _object(self, value: Any, kind: type, depth: int) -> None:
        """Looks at those attributes of an object that are named."""
        self.watch.attribute(value, "__class__")
        self.at(kind, depth - 1)
        for name in [name for name in _slots_of(kind) if name in self.names]:
            slot = self.watch.attribute(value, name)
            if slot is not UNSET:
                self.at(slot, depth)
        members: Any = self.watch.attribute(value, "__dict__")
        if members is UNSET:
            return
        if self.noted is not None:
            self.noted.append((Members(value), dict(members)))
        for name in [name for name in self.watch.members(members) if name in self.names]:
            self.at(self.watch.variable(members, name), depth)

    def _other(self, value: Any, kind: type, depth: int) -> None:
        """Looks at what is known by what it is alone: functions of libraries, their objects."""
        self.found.append(as_key(value))
        members = getattr(value, "__dict__", None)
        if not isinstance(members, dict):
            return
        if isinstance(value, Optimizer):
            self.tensors.update(_tensors_in(value._params))
        if "__wrapped__" in members:
            self.at(members["__wrapped__"], depth)
        if self.noted is not None and kind.__module__.startswith("jaxeager."):
            # an optimizer, a scaler, a metric: what it has is put back
            self.noted.append((Members(value, True), dict(members)))
            for each in tuple(members.values()):
                self.at(each, depth)


def _tensors_in(members: Iterable) -> list[int]:
    """Return the ids of the tensors among the members of a container."""
    return [id(each) for each in members if isinstance(each, Tensor)]


@functools.cache
def names_of(code: types.CodeType) -> dict[str, None]:
    """Returns the globals and attributes that code names, that of functions within it too."""
    return dict.fromkeys(sorted(name for each in _codes(code) for name in each.co_names))


@functools.cache
def _globals_of(code: types.CodeType) -> list[str]:
    """Returns the globals and builtins that code reads, that of functions within it too."""
    read = {
        instruction.argval
        for each in _codes(code)
        for instruction in dis.get_instructions(each)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return sorted(read)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def methods_of(kind: type) -> list[types.FunctionType]:
    """Returns the functions that the user's classes among a class's bases have as members."""
    members = [m for each in filter(is_users_class, kind.__mro__) for m in vars(each).values()]
    return [each for each in map(_plain, members) if isinstance(each, types.FunctionType)]


def _plain(member: Any) -> Any:
    """Returns the function of a property, a class method or a marked method; else the member."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    if hasattr(type(member), "dygraph_function"):
        return _plain(member.dygraph_function)
    return member.__func__ if isinstance(member, (classmethod, staticmethod)) else member


def _slots_of(kind: type) -> list[str]:
    """Returns the names of the attributes that objects of a user's class have without a dict."""
    return [
        name
        for each in filter(is_users_class, kind.__mro__)
        for name, member in vars(each).items()
        if isinstance(member, types.MemberDescriptorType)
    ]


def _is_users_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)  # None in what is built in
    return file is not None and is_users_file(file)


_classes: dict[type, bool] = {}


def is_users_class(kind: type) -> bool:
    """Says whether a class is written in a file of the user's, or in a notebook."""
    found = _classes.get(kind)
    if found is None:
        name = str(getattr(kind, "__module__", ""))
        module = sys.modules.get(name)
        is_notebooks = name == "__main__" and getattr(module, "__file__", None) is None
        found = module is not None and (is_notebooks or _is_users_module(module))
        _classes[kind] = found
    return found
