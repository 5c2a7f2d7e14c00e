"""The variables that branches and bodies bind, and the lists and dicts that they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxeager.jit.capture.unset import UNSET
from jaxeager.tensor import Tensor

NUMBERS = (bool, int, float, complex, np.generic)


class Opaque:
    """What is neither a tensor nor a number, in what a part of a program returns: it is compared.

    Attributes:
        value: itself.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


class State:
    """The variables of one ``if`` or loop, while it becomes a part of a program.

    Args:
        get: returns the values of variables, then of attributes, then of what is only used.
        put: sets variables and attributes.
        names, attributes, seen: what those are called.
        counted: those of the names that are bound to something made of what they held.
        line: of the statement.

    Attributes:
        names: of the variables and attributes that it sets.
        locals: how many of them are variables.
        line, counted: as given.
        before: the values that they had.
        containers: the lists, dicts and sets among all values, with what was in them.
        container_names: the variable that each was found in.
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
        self.containers: list[tuple[Any, Any]] = []
        self._known: dict[int, int] = {}
        self.container_names: list[str] = []
        for name, each in zip([*self.names, *seen], values, strict=True):
            self._note(name, each)

    def values(self) -> list[tuple[str, Any]]:
        """Return all values that the statement uses, with what they are called."""
        return list(zip([*self.names, *self._seen], self._get(), strict=True))

    def _note(self, name: str, value: Any) -> None:
        """Note the containers in a value, and what is in them."""
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

    def set(self, values: Sequence[Any]) -> None:
        """Set the variables."""
        self._put(values)

    def go_back(self) -> None:
        """Give variables and containers what they had."""
        self._put(self.before)
        for container, content in self.containers:
            fill(container, content)

    def now(self) -> tuple[list, list]:
        """Return what the variables, and the containers, hold now, for ``described``."""
        values = self._get()[: len(self.names)]
        return (
            [self.described(each) for each in values],
            [self.described(content, True) for content, _ in self.containers],
        )

    def content_of(self, known: Opaque, contents: Sequence[Any]) -> Any:
        """Return what ``now`` said is in a container; what stands for it when it is none."""
        place = self._known.get(id(known.value))
        return known if place is None else contents[place]

    def described(self, value: Any, is_content: bool = False) -> Any:
        """Return a value that a part can return: a known container stands for itself."""
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
    """Give a list, dict or set another content, in place."""
    if type(container) is list:
        container[:] = content
    else:
        container.clear()
        container.update(content)


def read(value: Callable) -> Any:
    """Return what a function reads, UNSET for a variable or attribute that is not set."""
    try:
        return value()
    except (NameError, AttributeError, LookupError, TypeError):
        return UNSET
