"""What a function depends on beside its arguments: its closure, globals, objects and Layers.

Note [What is looked at]
    From the function all is looked at that it reaches by a name: the cells of its closure, the
    globals that its code names, the object it is a method of; then what those are: functions of
    the user's, with their closures and globals; lists, tuples, dicts and sets; classes and objects
    of the user's, of which only the attributes that some of the code names, so that a counter that
    belongs to the loop outside is nothing to a step. Numbers, strings and None count by value,
    tensors by identity, Layers by what ``layer_key`` says. It goes a few steps deep, and not into
    containers of very many elements.

    The same places are noted before a capture. When that comes to nothing, and the function runs
    op by op instead, they have again what they had, so that nothing is counted or appended twice.
"""

from __future__ import annotations

import collections
import inspect
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any

import numpy as np

from jaxeager.core.user_lines import is_users
from jaxeager.errors import UnimplementedError
from jaxeager.jit.breaks import UNSET
from jaxeager.jit.refusals import LIBRARY
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor

_SIMPLE = (int, float, complex, str, bytes, bool, type(None))
_EXACT = frozenset(_SIMPLE)
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_DEEPEST, _DEEPEST_NOTED = 5, 9
_MOST, _MOST_NOTED = 64, 4096
_WRAPPING = (classmethod, staticmethod, types.MethodType)
_CHANGING = (list, dict, set, collections.deque)
_PASSED = frozenset({types.ModuleType, types.BuiltinFunctionType, types.CodeType})


def as_key(value: Any) -> Any:
    """Returns what tells a value from others: 1, 1.0 and True are three; so are 0.0 and -0.0."""
    if isinstance(value, (float, complex)):
        return type(value), repr(value)
    try:
        hash(value)
    except TypeError:
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


class Surroundings:
    """What a function reaches: see Note [What is looked at].

    Args:
        function: a function, a bound method, or an object that can be called.
    """

    def __init__(self, function: Callable):
        self._function = function
        self._names = {"forward", "__call__"}  # the names that its code mentions lead to more code
        self._own: dict[int, Any] = {}
        self._of_layers: list = []
        self.key()

    def key(self, arguments: Sequence[Any] = ()) -> tuple[list, list[Layer]]:
        """Returns what programs depend on in all that it reaches, and the Layers among it.

        Args:
            arguments: what it is called with; objects of the user's are looked at as well.
        """
        objects = [each for each in arguments if is_users_class(type(each))]
        while True:
            count = len(self._names)
            look = self._look(objects, None)
            if len(self._names) == count:
                return look.found, look.layers

    def places(self, arguments: Sequence[Any] = ()) -> list[tuple[Any, Any]]:
        """Returns what can be changed of all that it reaches, with what it is now."""
        noted: list = []
        self._look(list(arguments), noted)
        return noted

    def note_layers(self, layers: Iterable[Layer]) -> None:
        """Notes what is to be looked at in Layers: code, hooks, lists, dicts and objects."""
        found: dict[int, Any] = {}
        for layer in layers:
            members = vars(layer)
            for table in ("_forward_pre_hooks", "_forward_post_hooks"):
                hooks = [entry.hook for entry in members[table].values()]
                found.update((id(hook), hook) for hook in hooks)
            if not is_users_class(type(layer)):
                continue
            for method in _methods_of(type(layer)).values():
                self._names.update(_names_of(method.__code__))
                found[id(method)] = method
            for name, value in members.items():
                if name in self._names and (
                    isinstance(value, _CHANGING) or is_users_class(type(value))
                ):
                    found[id(value)] = value
        self._of_layers = list(found.values())

    def leave_out(self, places: list[tuple[Any, Any]]) -> bool:
        """Leaves lists, dicts and sets that the function itself has changed out from now on.

        Args:
            places: what ``places`` returned before.
        """
        changed = [
            place
            for place, before in places
            if isinstance(place, _CHANGING)
            and id(place) not in self._own
            and _has_changed(place, before)
        ]
        self._own.update((id(place), place) for place in changed)
        return bool(changed)

    def _look(self, objects: list, noted: list | None) -> _Look:
        look = _Look(self._names, noted)
        look.known |= self._own.keys()
        look.at(self._function, 0)
        for each in (*objects, *self._of_layers):
            look.at(each, 1)
        return look


class _Look:
    """One look at what a function reaches."""

    __slots__ = ("found", "known", "layers", "names", "noted")

    def __init__(self, names: set, noted: list | None):
        self.names = names
        self.found: list = []
        self.layers: list[Layer] = []
        self.noted = noted
        self.known: set[int] = set()

    def at(self, value: Any, depth: int) -> None:
        """Looks at a value and what is below it."""
        kind = type(value)
        if kind in _EXACT:
            self.found.append(as_key(value))
            return
        if kind in _PASSED or id(value) in self.known:
            return
        if isinstance(value, Tensor):
            self.found.append(id(value))
        elif isinstance(value, np.generic):
            self.found.append(as_key(value))
        elif isinstance(value, np.ndarray):
            if value.size <= _MOST and value.dtype != object:
                self.found.append((value.shape, str(value.dtype), value.tobytes()))
            else:
                self.found.append(as_key(value))
        elif isinstance(value, Layer):
            self.known.add(id(value))
            self.layers.append(value)
        elif depth < (_DEEPEST if self.noted is None else _DEEPEST_NOTED):
            self.known.add(id(value))
            self._below(value, kind, depth + 1)

    def _below(self, value: Any, kind: type, depth: int) -> None:
        if kind is types.FunctionType:
            self._function(value, depth)
        elif kind is types.MethodType:
            self.at(value.__self__, depth)
            self.at(value.__func__, depth)
        elif isinstance(value, _CONTAINERS):
            self._container(value, depth)
        elif hasattr(kind, "dygraph_function"):
            self.at(value.dygraph_function, depth)
        elif isinstance(value, type) or is_users_class(kind):
            self._object(value, depth)
        elif self.noted is not None and _module_of(kind).startswith("jaxeager."):
            self._ours(value, depth)

    def _function(self, function: Any, depth: int) -> None:
        plain: Any = inspect.unwrap(function)
        if not isinstance(plain, types.FunctionType):
            self.at(plain, depth)
            return
        code, scope = plain.__code__, plain.__globals__
        if not is_users(code.co_filename) or "site-packages" in code.co_filename:
            return
        names = _names_of(code)
        self.names.update(names)
        for cell in plain.__closure__ or ():
            if self.noted is not None:
                self.noted.append((cell, _inside(cell)))
            inside = _inside(cell)
            if inside is not UNSET:
                self.at(inside, depth)
        for each in (*(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values()):
            self.at(each, depth)
        for name in names:
            if name in scope:
                if self.noted is not None:
                    self.noted.append((_Members(scope), {name: scope[name]}))
                self.at(scope[name], depth)

    def _container(self, value: Any, depth: int) -> None:
        self.found.append((type(value), len(value)))
        if len(value) > (_MOST if self.noted is None else _MOST_NOTED):
            self.found.append(id(value))
            return
        if self.noted is not None and not isinstance(value, (tuple, frozenset)):
            self.noted.append((value, list(value.items() if isinstance(value, dict) else value)))
        if isinstance(value, (set, frozenset)):
            self.found.append(frozenset(as_key(each) for each in value))
            return
        if isinstance(value, dict):
            self.found += [as_key(each) for each in value]
            value = list(value.values())
        for each in tuple(value):
            self.at(each, depth)

    def _ours(self, value: Any, depth: int) -> None:
        """Looks at an optimizer, a scaler, a metric: what it has is put back."""
        members = getattr(value, "__dict__", None)
        if members is not None and self.noted is not None:
            self.noted.append((_Members(value, True), dict(members)))
            for each in tuple(members.values()):
                self.at(each, depth)

    def _object(self, value: Any, depth: int) -> None:
        is_class = isinstance(value, type)
        kind = value if is_class else type(value)
        if not is_users_class(kind):
            return
        members = getattr(value, "__dict__", None)
        for name, method in _methods_of(kind).items():
            if name in self.names:
                self.at(method, depth)
        if members is None:
            return
        if self.noted is not None and not is_class:
            self.noted.append((_Members(value), dict(members)))
        for name in [each for each in members if each in self.names]:
            if not is_class or type(members[name]) in _EXACT:
                self.at(members[name], depth)


class _Members:
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
            if type(value) in _EXACT
            and now.get(name, value) is not value
            and type(now[name]) in _EXACT
        ]


def put_back(places: list[tuple[Any, Any]]) -> None:
    """Gives places that ``Surroundings.places`` has noted what they had."""
    for place, before in places:
        if isinstance(place, types.CellType):
            if before is not UNSET and _inside(place) is not before:
                place.cell_contents = before
        elif isinstance(place, _Members):
            place.table.update(before)
        elif _has_changed(place, before):
            place.clear()
            (place.update if isinstance(place, (dict, set)) else place.extend)(before)


def refuse_counted(places: list[tuple[Any, Any]]) -> None:
    """Raises when an object of the package has counted something that its methods go by.

    Args:
        places: what ``Surroundings.places`` returned before.
    """
    for place, before in places:
        changed = place.changed(before) if isinstance(place, _Members) and place.is_ours else ()
        for name in changed:
            raise UnimplementedError(
                f"it sets {type(place.owner).__name__}.{name}, which Python does on each call."
            )


def effects_of(places: list[tuple[Any, Any]], layers: list[tuple[Any, dict]]) -> list[tuple]:
    """Returns the numbers and strings that a capture has set, for ``set_again``.

    Args:
        places: what ``Surroundings.places`` returned before.
        layers: Layers, with the attributes that they had before.
    """
    found: list[tuple] = []
    every = [*places, *[(_Members(layer), before) for layer, before in layers]]
    for place, before in every:
        if isinstance(place, _Members):
            table = place.table
            found += [(table, name, table[name]) for name in place.changed(before)]
    for place, before in places:
        if isinstance(place, types.CellType) and type(before) in _EXACT:
            now = _inside(place)
            if now is not before and type(now) in _EXACT:
                found.append((place, None, now))
    return found


def set_again(effects: list[tuple]) -> None:
    """Sets what a function sets each time that it runs."""
    for table, name, value in effects:
        if name is None:
            table.cell_contents = value
        elif table.get(name) is not value:
            table[name] = value
            changes.note()


def _has_changed(place: Any, before: list) -> bool:
    """Says whether a container has other members than before."""
    if len(place) != len(before):
        return True
    if isinstance(place, dict):
        return any(
            a is not c or b is not d for (a, b), (c, d) in zip(place.items(), before, strict=True)
        )
    return any(map(operator.is_not, place, before))


def _inside(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET


_names: dict[types.CodeType, dict[str, None]] = {}
_methods: dict[type, dict[str, Any]] = {}
_classes: dict[type, bool] = {}


def _names_of(code: types.CodeType) -> dict[str, None]:
    """Returns the globals and attributes that code names, that of functions within it too."""
    found = _names.get(code)
    if found is None:
        found = _names[code] = dict.fromkeys(sorted(_names_in(code)))
    return found


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _methods_of(kind: type) -> dict[str, Any]:
    """Returns the functions of a class of the user's, by their names."""
    found = _methods.get(kind)
    if found is None:
        found = _methods[kind] = {}
        for each in reversed(kind.__mro__):
            for name, member in vars(each).items():
                plain: Any = member.fget if isinstance(member, property) else member
                if hasattr(type(plain), "dygraph_function"):
                    plain = plain.dygraph_function
                plain = plain.__func__ if isinstance(plain, _WRAPPING) else plain
                if is_users_class(each) and isinstance(plain, types.FunctionType):
                    found[name] = plain
    return found


def is_users_class(kind: type) -> bool:
    """Says whether a class is written in a file of the user's."""
    found = _classes.get(kind)
    if found is None:
        file = getattr(sys.modules.get(_module_of(kind)), "__file__", None)
        if file is None:  # written in a notebook, or built in
            found = _module_of(kind) == "__main__"
        else:
            found = is_users(file) and not file.startswith(LIBRARY)
        _classes[kind] = found = found and "site-packages" not in (file or "")
    return found


def _module_of(kind: type) -> str:
    return str(getattr(kind, "__module__", ""))


def layer_key(layer: Layer, moving: Set, attributes: dict | None = None) -> tuple:
    """Returns what programs depend on in a Layer, but for what is in its sublayers.

    Args:
        layer: the Layer.
        moving: (id of the table, name) of members that programs replace, and look up by name.
        attributes: those that it had at another time; what it has now by default.
    """
    members = vars(layer)
    found: list = [id(layer)]
    for name, value in (members if attributes is None else attributes).items():
        if isinstance(value, _SIMPLE):
            if name != "_built":  # set by the first call
                found.append((name, as_key(value)))
        elif type(value) in (list, tuple) and len(value) <= _MOST:
            found.append((name, tuple([_element_key(each) for each in value])))
    for table in ("_parameters", "_buffers", "_sub_layers"):
        found += [
            (name, None if (id(members[table]), name) in moving else id(value))
            for name, value in members[table].items()
        ]
    for table in ("_forward_pre_hooks", "_forward_post_hooks"):
        found += [id(hook) for hook in members.get(table, {}).values()]
    return tuple(found)


def _element_key(value: Any) -> Any:
    return as_key(value) if isinstance(value, _SIMPLE) else id(value)
