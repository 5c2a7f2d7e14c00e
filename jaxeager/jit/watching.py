"""Whether what was read once would be read again: a look at everything, in a few calls of C."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from itertools import repeat
from types import CellType
from typing import Any

from jaxeager.jit.breaks import UNSET

_call: Any = operator.call
_UNSETS = repeat(UNSET)


def inside(cell: CellType) -> Any:
    """Returns what a cell of a closure holds, UNSET where it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET


class Watch:
    """Variables, attributes and members of containers, with what they were when they were read.

    Values are compared by identity, so an equal one that was made anew counts as a change. What
    cannot be watched ends the watch: it says from then on that something has changed.

    Example:
        >>> from jaxeager.jit.watching import Watch
        >>> scope, watch = {"rate": 2.0}, Watch()
        >>> watch.variable(scope, "rate"), watch.nothing_has_changed()
        (2.0, True)
        >>> scope["rate"] = 3.0
        >>> watch.nothing_has_changed()
        False
    """

    __slots__ = ("_attributes", "_can_be_known", "_known", "_lengths", "_members", "_variables")

    def __init__(self) -> None:
        self._can_be_known = True
        self._known: set[tuple[int, str]] = set()
        self._variables: tuple[list, list, list] = [], [], []
        self._attributes: tuple[list, list, list] = [], [], []
        self._members: list[tuple[Any, tuple]] = []
        self._lengths: list[tuple[Any, int]] = []

    def variable(self, table: Mapping, name: str) -> Any:
        """Returns an item of a dict, UNSET where it has none, and watches it."""
        value = table.get(name, UNSET)
        if (id(table), name) not in self._known:
            self._known.add((id(table), name))
            for column, each in zip(self._variables, (table.get, name, value), strict=True):
                column.append(each)
        return value

    def attribute(self, owner: Any, name: str) -> Any:
        """Returns an attribute, UNSET where there is none, and watches it."""
        value = getattr(owner, name, UNSET)
        for column, each in zip(self._attributes, (owner, name, value), strict=True):
            column.append(each)
        return value

    def inside(self, cell: CellType) -> Any:
        """Returns what a cell of a closure holds, UNSET where it is empty, and watches it."""
        if inside(cell) is UNSET:
            self.give_up()
            return UNSET
        return self.attribute(cell, "cell_contents")

    def members(self, container: Any) -> tuple:
        """Returns the members of a container, the keys of a dict, and watches them."""
        found = tuple(container)
        self._members.append((container, found))
        return found

    def length(self, container: Any) -> None:
        """Watches how many members a container has, and nothing else of it."""
        self._lengths.append((container, len(container)))

    def give_up(self) -> None:
        """Ends the watch, as something was read that changes in ways that cannot be watched."""
        self._can_be_known = False

    def nothing_has_changed(self) -> bool:
        """Says whether all of it is what it was. About 60 ns for each."""
        if not self._can_be_known:
            return False
        getters, variables, values = self._variables
        owners, attributes, of_owners = self._attributes
        try:
            return (
                all(map(operator.is_, map(_call, getters, variables, _UNSETS), values))
                and all(map(operator.is_, map(getattr, owners, attributes, _UNSETS), of_owners))
                and all(_are_the_same(tuple(now), before) for now, before in self._members)
                and all(len(now) == before for now, before in self._lengths)
            )
        except ValueError:  # a cell that has been emptied
            return False


def _are_the_same(now: tuple, before: tuple) -> bool:
    return len(now) == len(before) and all(map(operator.is_, now, before))
