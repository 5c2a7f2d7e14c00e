"""Tensors in nested lists, tuples, named tuples and dicts, with their kinds and order."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any


def mapped(
    function: Callable,
    value: Any,
    on_way: Callable | None = None,
    stops_at: type | tuple[type, ...] = (),
) -> Any:
    """Return a structure with ``function`` applied to each end, anything but a list, tuple or dict.

    Args:
        function: takes an end.
        value: the structure.
        on_way: called with each list, tuple and dict before its contents.
        stops_at: a class of tuples, or classes, that are ends.

    Example:
        >>> from jaxeager.jit.capture.nesting import mapped
        >>> mapped(lambda end: end * 2, {"b": [1, (2,)], "a": 3})
        {'b': [2, (4,)], 'a': 6}
    """
    if stops_at and isinstance(value, stops_at):
        return function(value)
    kind = type(value)
    is_plain = kind is tuple or kind is list
    is_dict = not is_plain and isinstance(value, dict)
    if not (is_plain or is_dict or (isinstance(value, tuple) and hasattr(value, "_fields"))):
        return function(value)
    if on_way is not None:
        on_way(value)
    if is_dict:
        made: Any = copy.copy(value)
        for key, each in list(made.items()):
            made[key] = mapped(function, each, on_way, stops_at)
        return made
    inside = [mapped(function, each, on_way, stops_at) for each in value]
    return kind(inside) if is_plain else kind(*inside)


def ends(value: object, stops_at: type | tuple[type, ...] = ()) -> list:
    """Return the ends of a structure in their order; see ``mapped``.

    Example:
        >>> from jaxeager.jit.capture.nesting import ends
        >>> ends({"b": [1, (2,)], "a": 3})
        [1, 2, 3]
    """
    found: list = []
    mapped(found.append, value, stops_at=stops_at)
    return found
