"""Entries of tables that are removed with the object they are about."""

import weakref
from typing import Any, TypeVar

Value = TypeVar("Value")


def removing_ref(table: dict[int, Any], value: Value) -> weakref.ref[Value]:
    """Return a weak reference to a value, with which its entry ``table[id(value)]`` is removed.

    The callback holds the table itself: at the end of the process a module's variables are None
    before its last objects are freed.

    Example:
        >>> from jaxeager.core.weak_entries import removing_ref
        >>> table = {}
        >>> value = {1, 2}
        >>> table[id(value)] = removing_ref(table, value), "two numbers"
        >>> del value
        >>> table
        {}
    """
    number = id(value)
    return weakref.ref(value, lambda _: table.pop(number, None))
