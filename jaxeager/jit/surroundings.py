"""What a function depends on beside its arguments: its closure, globals, objects and Layers.

Note [What is looked at]
    From the function all is looked at that it reaches by a name: the cells of its closure, the
    globals that its code reads, the object it is a method of; then what those are: functions of
    the user's, with their closures and globals; lists, tuples, dicts and sets; modules, classes and
    objects of the user's, of which only the attributes that some of the code names, so that a
    counter that belongs to the loop outside is nothing to a step. Numbers, strings and None count
    by value, functions of the user's by their code, Layers by what ``layer_key`` says, tensors and
    what belongs to a library by identity. It goes a few steps deep, and not into containers of very
    many elements (looks.py).

    What was found is kept together with a watch over all that was read for it (watching.py), and
    is found again as long as nothing of that has changed, which is seen in a tenth of the time.

    A tensor that the function reaches so may be an argument as well. Which one is, is a part of
    what the arguments are like: a program would take it for whatever is in that place.

    The same places are noted before a capture. When that comes to nothing, and the function runs
    op by op instead, they have again what they had, so that nothing is counted or appended twice.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any, NamedTuple

from jaxeager.errors import UnimplementedError
from jaxeager.jit.breaks import UNSET
from jaxeager.jit.looks import (
    CHANGING,
    EXACT,
    MOST,
    SIMPLE,
    Look,
    Members,
    as_key,
    is_users_class,
    methods_of,
    names_of,
)
from jaxeager.jit.watching import Watch, inside
from jaxeager.nn import Layer
from jaxeager.nn.layer import changes
from jaxeager.tensor import Tensor


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
        self._numbers: dict[tuple, int] = {}
        self._last: _Seen | None = None
        self.key()

    def key(self, arguments: Sequence[Any] = ()) -> _Seen:
        """Returns a number for what programs depend on in what it reaches, and the Layers there.

        Args:
            arguments: what it is called with; functions and objects of the user's are looked at.
        """
        objects = [e for e in arguments if is_users_class(type(e)) or _is_called(e)]
        last = self._last
        if not (
            last is not None
            and not objects
            and len(self._names) == last.count
            and last.watch.nothing_has_changed()
        ):
            last = self._seen(objects)
            self._last = None if objects else last
        return last

    def _seen(self, objects: list) -> _Seen:
        """Looks until no code is found that mentions another name."""
        while True:
            count = len(self._names)
            look = self._look(objects, None)
            if len(self._names) == count:
                number = self._numbers.setdefault(tuple(look.found), len(self._numbers))
                return _Seen(number, tuple(look.layers), look.tensors, count, look.watch)

    def places(self, arguments: Sequence[Any] = ()) -> list[tuple[Any, Any]]:
        """Returns what can be changed of all that it reaches, with what it is now."""
        noted: list = []
        self._look(list(arguments), noted)
        return noted

    def note_layers(self, layers: Iterable[Layer]) -> None:
        """Notes what is to be looked at in Layers: code, hooks, and attributes that are named."""
        found: dict[int, Any] = {}
        for layer in layers:
            kind, members = type(layer), vars(layer)
            for table in ("_forward_pre_hooks", "_forward_post_hooks"):
                hooks = [entry.hook for entry in members[table].values()]
                found.update((id(hook), hook) for hook in hooks)
            if is_users_class(kind):
                for method in methods_of(kind):
                    self._names.update((method.__name__, *names_of(method.__code__)))
                found[id(kind)] = kind
            for name, value in members.items():
                if (name in self._names and _is_looked_into(value)) or _is_called(value):
                    found[id(value)] = value
        self._of_layers = list(found.values())
        self._last = None

    def leave_out(self, places: list[tuple[Any, Any]]) -> bool:
        """Leaves lists, dicts and sets that the function itself has changed out from now on.

        Args:
            places: what ``places`` returned before.
        """
        changed = [
            place
            for place, before in places
            if isinstance(place, CHANGING)
            and id(place) not in self._own
            and _has_changed(place, before)
        ]
        self._own.update((id(place), place) for place in changed)
        self._last = None
        return bool(changed)

    def _look(self, objects: list, noted: list | None) -> Look:
        look = Look(self._names, noted)
        look.known.update(dict.fromkeys(self._own))
        look.at(self._function, 0)
        for each in (*objects, *self._of_layers):
            look.at(each, 1)
        return look


class _Seen(NamedTuple):
    """What a look has found.

    Attributes:
        number: stands for what programs depend on.
        layers: the Layers that it came to.
        tensors: the ids of the tensors that it came to, those of Layers aside.
        count: how many names it went by.
        watch: says whether another look would find the same.
    """

    number: int
    layers: tuple[Layer, ...]
    tensors: set[int]
    count: int
    watch: Watch


def put_back(places: list[tuple[Any, Any]]) -> None:
    """Gives places that ``Surroundings.places`` has noted what they had."""
    for place, before in places:
        if isinstance(place, types.CellType):
            if before is not UNSET and inside(place) is not before:
                place.cell_contents = before
        elif isinstance(place, Members):
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
        changed = place.changed(before) if isinstance(place, Members) and place.is_ours else ()
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
    every = [*places, *[(Members(layer), before) for layer, before in layers]]
    for place, before in every:
        if isinstance(place, Members):
            table = place.table
            found += [(table, name, table[name]) for name in place.changed(before)]
    for place, before in places:
        if isinstance(place, types.CellType) and type(before) in EXACT:
            now = inside(place)
            if now is not before and type(now) in EXACT:
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


def tensors_of(layer: Layer) -> list[int]:
    """Return the ids of the parameters and buffers of a Layer, but for those of its sublayers."""
    members = vars(layer)
    tables = (members["_parameters"], members["_buffers"])
    return [id(each) for table in tables for each in table.values() if each is not None]


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
        if isinstance(value, SIMPLE):
            if name != "_built":  # set by the first call
                found.append((name, as_key(value)))
        elif type(value) in (list, tuple) and len(value) <= MOST:
            found.append((name, tuple([_element_key(each) for each in value])))
        elif _is_called(value):
            found.append((name, as_key(value)))
    for table in ("_parameters", "_buffers", "_sub_layers"):
        found += [
            (name, None if (id(members[table]), name) in moving else id(value))
            for name, value in members[table].items()
        ]
    for table in ("_forward_pre_hooks", "_forward_post_hooks"):
        found += [id(hook) for hook in members.get(table, {}).values()]
    return tuple(found)


def _is_looked_into(value: Any) -> bool:
    """Says whether an attribute of a Layer is more than ``layer_key`` and its tables tell of."""
    return not isinstance(value, (Tensor, Layer, *SIMPLE))


def _is_called(value: Any) -> bool:
    """Says whether an attribute of a Layer is a function, an activation that it was given."""
    return callable(value) and not isinstance(value, (Layer, Tensor))


def _element_key(value: Any) -> Any:
    return as_key(value) if isinstance(value, SIMPLE) else id(value)
