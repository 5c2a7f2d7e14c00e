"""Dependencies of a program besides its arguments: the names of its function, and Layers."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxeager.jit.capture.global_names import global_names
from jaxeager.jit.capture.unset import UNSET
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Hashable
    from types import CellType


_SIMPLE = (int, float, complex, str, bytes, bool, type(None), np.generic)
EXACT = frozenset(_SIMPLE)
_BY_VALUE = EXACT | {range}
_MOST_MEMBERS = 64  # of a list that is an attribute of a Layer


def as_key(value: object) -> Hashable:
    """Return a key for a value, where 1, 1.0 and True are different, and so are 0.0 and -0.0.

    Values other than numbers, strings and the like are identified by identity: two objects may be
    equal and not the same.
    """
    if isinstance(value, (float, complex, np.inexact)):
        return type(value), repr(value)
    if type(value) is slice:
        return slice, as_key(value.start), as_key(value.stop), as_key(value.step)
    is_simple = type(value) in _BY_VALUE or isinstance(value, np.generic)
    return (type(value), value) if is_simple else IdentityKey(value)


class IdentityKey:
    """A key that is equal only for the same object."""

    __slots__ = ("value",)

    def __init__(self, value: object):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class Variable(NamedTuple):
    """A variable or attribute.

    Attributes:
        table: the dict that has it, or the cell of a closure.
        name: its name in the dict.
    """

    table: dict | CellType
    name: str = ""

    def get(self) -> object:
        """Return its value; UNSET if it has none."""
        if isinstance(self.table, dict):
            return self.table.get(self.name, UNSET)
        try:
            return self.table.cell_contents
        except ValueError:
            return UNSET

    def set(self, value: object) -> None:
        """Set its value; UNSET deletes it."""
        if value is UNSET:
            self._unset()
        elif isinstance(self.table, dict):
            self.table[self.name] = value
        else:
            self.table.cell_contents = value

    def _unset(self) -> None:
        if isinstance(self.table, dict):
            self.table.pop(self.name, None)
        elif self.get() is not UNSET:
            del self.table.cell_contents


class Named(NamedTuple):
    """The values of variables that a function names.

    Attributes:
        values: in the order of ``Names.places``, followed by others.
        key: a hashable key of them.
        layers: the Layers among them.
        tensors: the ids of the Tensors among them.
    """

    values: list
    key: tuple
    layers: list[Layer]
    tensors: frozenset[int]


class Names:
    """The variables that the code of a function names: those of its closure, and globals.

    Args:
        function: a function, a bound method, or a callable object, which names none.
    """

    def __init__(self, function: Callable):
        self._plain: Any = getattr(function, "__func__", function)
        self._owner = getattr(function, "__self__", None)
        self.places: list[Variable] = []
        self._labels: list[str] = []
        self._last: Named | None = None
        wrapped = self._plain
        while wrapped is not None:  # also a function wrapped by functools.wraps
            code = getattr(wrapped, "__code__", None)
            if code is not None:
                self.places += [Variable(cell) for cell in wrapped.__closure__ or ()]
                self._labels += code.co_freevars[: len(wrapped.__closure__ or ())]
                found = global_names(code)
                self.places += [Variable(wrapped.__globals__, name) for name in found]
                self._labels += [f"global {name}" for name in found]
            wrapped = vars(wrapped).get("__wrapped__") if hasattr(wrapped, "__dict__") else None

    def labels(self) -> list[str]:
        """Return a label for each of the values that ``read`` returns."""
        by_name = getattr(self._plain, "__kwdefaults__", None) or {}
        defaults = getattr(self._plain, "__defaults__", None) or ()
        more = [f"default {at}" for at in range(len(defaults))]
        more += [f"default of {name}" for name in by_name]
        return [*self._labels, *more, "self"]

    def read(self) -> Named:
        """Return the values, followed by those of defaults and the object of a method."""
        by_name = getattr(self._plain, "__kwdefaults__", None) or {}
        defaults = getattr(self._plain, "__defaults__", None) or ()
        values = [place.get() for place in self.places]
        values += [*defaults, *by_name.values(), self._owner]
        last = self._last
        is_known = last is not None and len(values) == len(last.values)
        if last is None or not (is_known and all(map(operator.is_, values, last.values))):
            last = self._last = Named(
                values,
                tuple(map(as_key, values)),
                [each for each in values if isinstance(each, Layer)],
                frozenset(id(each) for each in values if isinstance(each, Tensor)),
            )
        return last


class Effect(NamedTuple):
    """A number or string that a capture has set.

    Attributes:
        place: its place.
        value: the new value.
    """

    place: Variable
    value: object


def put_back(before: list[tuple[Variable, object]]) -> None:
    """Restore the earlier values of places."""
    for place, value in before:
        if place.get() is not value:
            place.set(value)
            changes.note()


@contextlib.contextmanager
def as_before(before: list[tuple[Variable, object]]) -> Iterator[None]:
    """Restore earlier values of places for a block, then the present ones."""
    now = [(place, place.get()) for place, _ in before]
    put_back(before)
    try:
        yield
    finally:
        put_back(now)


def effects_of(before: list[tuple[Variable, object]]) -> list[Effect]:
    """Return the numbers and strings that a capture has set.

    Args:
        before: places, with their earlier values.
    """
    found = []
    for place, value in before:
        now = place.get()
        if now is not value and type(value) in EXACT and type(now) in EXACT:
            found.append(Effect(place, now))
    return found


def set_again(effects: list[Effect]) -> None:
    """Set again the numbers and strings that a function sets at each run."""
    for place, value in effects:
        if place.get() is not value:
            place.set(value)
            changes.note()


def tensors_of(layer: Layer) -> list[int]:
    """Return the ids of the parameters and buffers of a Layer, except for those of sublayers."""
    members = vars(layer)
    tables = (members["_parameters"], members["_buffers"])
    return [id(each) for table in tables for each in table.values() if each is not None]


def layer_key(layer: Layer, moving: set, attributes: dict | None = None) -> tuple:
    """Return a key of the properties of a Layer that programs depend on, without sublayers.

    Args:
        layer: the Layer.
        moving: (id of the table, name) of members that programs replace and look up by name.
        attributes: its attributes at another time; the present ones by default.
    """
    members = vars(layer)
    found: list = [id(layer)]
    for name, value in (members if attributes is None else attributes).items():
        if isinstance(value, _SIMPLE):
            if name != "_built":  # set by the first call
                found.append((name, as_key(value)))
        elif type(value) in (list, tuple):
            found.append((name, _element_key(value)))
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


def _element_key(value: Any) -> Hashable:
    """Return a key for an element of an attribute; for lists, the keys of their elements."""
    if type(value) in (list, tuple) and len(value) <= _MOST_MEMBERS:
        return type(value), tuple(map(_element_key, value))
    return as_key(value) if isinstance(value, _SIMPLE) else id(value)
