"""What a program depends on besides its arguments: the names of its function, and Layers."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from jaxeager.jit.capture.unset import UNSET
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor

_SIMPLE = (int, float, complex, str, bytes, bool, type(None), np.generic)
_EXACT = frozenset(_SIMPLE)
_MOST_MEMBERS = 64  # of a list that is an attribute of a Layer


def as_key(value: Any) -> Any:
    """Return what tells a value from others: 1, 1.0 and True are three; so are 0.0 and -0.0."""
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


class Place(NamedTuple):
    """A variable or attribute.

    Attributes:
        table: the dict that has it, or the cell of a closure.
        name: its name in the dict.
    """

    table: Any
    name: str = ""

    def get(self) -> Any:
        """Return its value, UNSET where it has none."""
        if isinstance(self.table, dict):
            return self.table.get(self.name, UNSET)
        try:
            return self.table.cell_contents
        except ValueError:
            return UNSET

    def set(self, value: Any) -> None:
        """Give it another value."""
        if isinstance(self.table, dict):
            self.table[self.name] = value
        else:
            self.table.cell_contents = value


class Names:
    """The variables that the code of a function names: of its closure, and globals.

    Args:
        function: a function, a bound method, or an object that can be called, which names none.
    """

    def __init__(self, function: Callable):
        self._plain: Any = inspect.unwrap(getattr(function, "__func__", function))
        self._owner = getattr(function, "__self__", None)
        code = getattr(self._plain, "__code__", None)
        self.places: list[Place] = []
        if code is not None:
            self.places += [Place(cell) for cell in self._plain.__closure__ or ()]
            self.places += [Place(self._plain.__globals__, name) for name in _globals_of(code)]

    def values(self) -> list:
        """Return the values, those of defaults and the object of a method last."""
        by_name = getattr(self._plain, "__kwdefaults__", None) or {}
        defaults = getattr(self._plain, "__defaults__", None) or ()
        named = [place.get() for place in self.places]
        return [*named, *defaults, *by_name.values(), self._owner]


def keys_of(values: list) -> tuple:
    """Return what tells values from others: simple ones by value, all others by identity."""
    return tuple([as_key(each) if type(each) in _EXACT else _ById(each) for each in values])


@functools.cache
def _globals_of(code: types.CodeType) -> list[str]:
    """Return the names of globals and builtins in code, that of functions within it too."""
    return sorted({name for each in _codes(code) for name in each.co_names})


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


class Effect(NamedTuple):
    """A number or string that a capture has set.

    Attributes:
        place: where.
        value: what it has set.
    """

    place: Place
    value: Any


def effects_of(before: list[tuple[Place, Any]]) -> list[Effect]:
    """Return the numbers and strings that a capture has set.

    Args:
        before: places, with the values that they had.
    """
    found = []
    for place, value in before:
        now = place.get()
        if now is not value and type(value) in _EXACT and type(now) in _EXACT:
            found.append(Effect(place, now))
    return found


def set_again(effects: list[Effect]) -> None:
    """Set what a function sets each time that it runs."""
    for place, value in effects:
        if place.get() is not value:
            place.set(value)
            changes.note()


def layer_key(layer: Layer, moving: set, attributes: dict | None = None) -> tuple:
    """Return what programs depend on in a Layer, except for what is in its sublayers.

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
        elif type(value) in (list, tuple) and len(value) <= _MOST_MEMBERS:
            found.append((name, tuple([_element_key(each) for each in value])))
        elif callable(value) and not isinstance(value, (Layer, Tensor)):  # an activation
            found.append((name, as_key(value)))
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
