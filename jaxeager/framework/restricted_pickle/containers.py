"""Containers that a pickle describes; they are created once the whole file is read."""

from __future__ import annotations

from argparse import Namespace
from collections import OrderedDict
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.keys import check_keys

# Python's own pickler fails long before: its recursion ends at 1,000 calls.
DEEPEST = 1000
ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
NAMESPACES = (Namespace, SimpleNamespace)


class Described:
    """The description of an object that is created later.

    Attributes:
        offset: the byte of the file that describes it.
    """

    __slots__ = ("offset",)

    def __init__(self, offset: int):
        self.offset = offset

    def made(self, machine, parts: list) -> object:
        """Return the object that it describes.

        Args:
            machine: counts the work.
            parts: its parts, already created.
        """
        raise Damage(f"it holds {self.called()}, which is not a value", self.offset)

    def called(self) -> str:
        """Return the name for error messages."""
        raise NotImplementedError

    def parts(self) -> Sequence:
        """Return the parts of the object."""
        return ()


class Pairs(Described):
    """A dict: keys and values, alternating."""

    __slots__ = ("is_ordered", "items")

    def __init__(self, offset: int, items: list, is_ordered: bool = False):
        super().__init__(offset)
        self.items = items
        self.is_ordered = is_ordered

    def parts(self) -> Sequence:
        """Return the keys and values."""
        return self.items

    def made(self, machine, parts: list) -> dict:
        """Return the dict."""
        keys = parts[::2]
        check_keys(machine, keys, self.offset)
        return (OrderedDict if self.is_ordered else dict)(zip(keys, parts[1::2], strict=True))


class Members(Described):
    """A set, or a frozenset."""

    __slots__ = ("is_frozen", "items")

    def __init__(self, offset: int, items: Sequence, is_frozen: bool = False):
        super().__init__(offset)
        self.items = items
        self.is_frozen = is_frozen

    def parts(self) -> Sequence:
        """Return the members."""
        return self.items

    def made(self, machine, parts: list) -> set | frozenset:
        """Return the set."""
        check_keys(machine, parts, self.offset, is_set=True)
        return (frozenset if self.is_frozen else set)(parts)


class WithFields(Described):
    """An object of a class; the names and values of its fields follow separately, as its state."""

    __slots__ = ("kind", "state")
    writer = "Python"
    """Whose form its state must have."""

    def __init__(self, offset: int, kind: type):
        super().__init__(offset)
        self.kind = kind
        self.state: Pairs | None = None

    def called(self) -> str:
        """Return the name for error messages."""
        return f"a {self.kind.__name__}"

    def parts(self) -> Sequence:
        """Return the names and values."""
        return () if self.state is None else self.state.items

    def set_state(self, state) -> None:
        """Set the dict of its names and values."""
        if self.state is not None or type(state) is not Pairs:
            raise Damage(f"it has {self.called()} in a form that is not {self.writer}'s")
        self.state = state


class Settings(WithFields):
    """A namespace, as in argparse."""

    __slots__ = ()

    def made(self, machine, parts: list) -> object:
        """Return the namespace.

        Names are stored in its dict: set as attributes, they could be those of its class.
        """
        names = parts[::2]
        check_keys(machine, names, self.offset)
        if any(type(name) is not str for name in names):
            raise Damage("it has a namespace with a name that is not text", self.offset)
        namespace = self.kind()
        vars(namespace).update(zip(names, parts[1::2], strict=True))
        return namespace


def rebuilt(root, parts: Callable[[Any], Sequence], whole: Callable[[Any, list], Any]) -> Any:
    """Rebuild nested containers from the inside out, without recursion; return the outermost.

    An object that occurs repeatedly is rebuilt once, so the time is linear however often a file
    refers to it.

    Args:
        root: the outermost container.
        parts: a function that returns the parts of an object.
        whole: a function of an object and its rebuilt parts that returns the replacement.

    Raises:
        Damage: when a container contains itself, or they nest too deep.

    Example:
        >>> from jaxeager.framework.restricted_pickle.containers import rebuilt
        >>> def parts(obj):
        ...     return obj if isinstance(obj, tuple) else ()
        >>> rebuilt((1, (2, 3)), parts, lambda obj, made: list(made))
        [1, [2, 3]]
    """
    if type(root) in ATOMS:
        return root
    done: dict[int, tuple[object, object, int]] = {}  # by id: the object (kept alive), new, height
    opened: set[int] = set()
    waiting: list[tuple[object, Sequence | None]] = [(root, None)]
    while waiting:
        obj, held = waiting.pop()
        place = id(obj)
        if held is None:
            if place in done:
                continue
            if place in opened:
                raise Damage("it holds a container that holds itself")
            if len(opened) >= DEEPEST:
                raise Damage(f"its containers nest deeper than {DEEPEST}")
            held = [*parts(obj)]
            inner = [(part, None) for part in held if type(part) not in ATOMS]
            if inner:
                opened.add(place)
                waiting.append((obj, held))
                waiting += inner
            else:
                done[place] = obj, whole(obj, held), 1
            continue
        opened.discard(place)
        made, height = [], 1
        for part in held:
            if type(part) in ATOMS:
                made.append(part)
            else:
                _, new, below = done[id(part)]
                made.append(new)
                height = max(height, below + 1)
        if height > DEEPEST:
            raise Damage(f"its containers nest deeper than {DEEPEST}")
        done[place] = obj, whole(obj, made), height
    return done[id(root)][1]


def finished(machine, root) -> Any:
    """Return the content of a file, with all descriptions replaced by objects.

    Args:
        machine: counts the work.
        root: the result of the machine.

    Raises:
        Damage: when a part is not a value, or a key is invalid.
    """

    def parts(obj) -> Sequence:
        if type(obj) is list or type(obj) is tuple:
            return obj
        return obj.parts() if isinstance(obj, Described) else ()

    def whole(obj, made: list) -> object:
        if type(obj) is tuple:
            return tuple(made)
        if type(obj) is list:
            return made
        if isinstance(obj, Described):
            return obj.made(machine, made)
        return bytes(obj) if type(obj) is memoryview else obj

    return rebuilt(root, parts, whole)
