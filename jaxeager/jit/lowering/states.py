"""The variables that branches and bodies bind, and the lists and dicts that they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxeager.jit.capture.unset import UNSET
from jaxeager.tensor import Tensor

NUMBERS = (bool, int, float, complex, np.generic)


class Opaque:
    """A returned value of a part that is neither a tensor nor a number: it is compared.

    Attributes:
        value: the value itself.
    """

    __slots__ = ("value",)

    def __init__(self, value: object):
        self.value = value


class State:
    """The variables of one ``if`` or loop, while it becomes a part of a program.

    Args:
        get: returns the values of variables, of attributes, and of names that are only used.
        put: sets variables and attributes.
        names, attributes, seen: their names.
        counted: the names that are bound to a value computed from their own value.
        line: the line of the statement.

    Attributes:
        names: those of the variables and attributes that it sets.
        locals: the number of variables among them.
        line, counted: as given.
        before: their earlier values.
        containers: the lists, dicts and sets among all values, with their earlier contents.
        container_names: the variable in which each was found.
    """

    def __init__(
        self,
        get: Callable,
        put: Callable,
        names: Sequence[str],
        attributes: Sequence[str],
        seen: Sequence[str],
        counted: Sequence[str],
        line: int,
    ):
        self._get, self._put = get, put
        self.names = [*names, *attributes]
        self._seen = list(seen)
        self.locals = len(names)
        self.line = line
        self.counted = counted
        values = get()
        self.before = list(values[: len(self.names)])
        self.containers: list[tuple[list | dict | set, list | dict | set]] = []
        self._known: dict[int, int] = {}
        self.container_names: list[str] = []
        for name, each in zip([*self.names, *seen], values, strict=True):
            self._note(name, each)

    def values(self) -> list[tuple[str, object]]:
        """Return all values that the statement uses, with their names."""
        return list(zip([*self.names, *self._seen], self._get(), strict=True))

    def _note(self, name: str, value: Any) -> None:
        """Note the containers in a value, and their contents."""
        if type(value) is tuple:
            for each in value:
                self._note(name, each)
        elif type(value) in (list, dict, set) and id(value) not in self._known:
            self._known[id(value)] = len(self.containers)
            self.containers.append((value, type(value)(value)))
            self.container_names.append(name)
            if type(value) is not set:
                for each in value.values() if type(value) is dict else value:
                    self._note(name, each)

    def set(self, values: Sequence[object]) -> None:
        """Set the variables."""
        self._put(values)

    def go_back(self) -> None:
        """Restore the earlier values of variables and containers."""
        self._put(self.before)
        for container, content in self.containers:
            fill(container, content)

    def now(self) -> tuple[list, list]:
        """Return the present values of the variables, and contents of containers, described."""
        values = self._get()[: len(self.names)]
        return (
            [self.described(each) for each in values],
            [self.described(content, True) for content, _ in self.containers],
        )

    def content_of(self, known: Opaque, contents: Sequence[object]) -> object:
        """Return the content of a container from ``now``, or the argument if it is not one."""
        place = self._known.get(id(known.value))
        return known if place is None else contents[place]

    def described(self, value: Any, is_content: bool = False) -> Any:
        """Return a value in a form that a part can return: a known container as an Opaque."""
        kind = type(value)
        if not is_content and id(value) in self._known:
            return Opaque(value)
        if kind in (list, tuple):
            return kind([self.described(each) for each in value])
        if kind is dict:
            return {key: self.described(each) for key, each in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return kind(*[self.described(each) for each in value])
        if isinstance(value, Tensor) or (isinstance(value, NUMBERS) and kind.__hash__):
            return value
        return Opaque(set(value) if isinstance(value, set) else value)


def fill(container: Any, content: Any) -> None:
    """Replace the content of a list, dict or set, in place."""
    if type(container) is list:
        container[:] = content
    else:
        container.clear()
        container.update(content)


def read(value: Callable) -> object:
    """Return the result of a function; UNSET for a variable or attribute that is not set."""
    try:
        return value()
    except (NameError, AttributeError, LookupError, TypeError):
        return UNSET
