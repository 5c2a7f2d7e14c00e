"""The counterpart of by_value.py: functions that rebuild pickled objects in a worker."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from jaxeager.tensor.tensor import Tensor

_SCRIPT = "__main__"
_stand_in: types.ModuleType | None = None


def named(qualname: str, make: Callable, arguments: tuple) -> Any:
    """Return a function or class; register one of the main script under its name here too.

    So code in a worker can pickle it and its instances by that name.
    """
    global _stand_in
    made = make(*arguments)
    made.__qualname__ = qualname
    if made.__module__ == _SCRIPT:
        if _stand_in is None:
            _stand_in = sys.modules[_SCRIPT] = types.ModuleType(_SCRIPT)
        setattr(_stand_in, qualname, made)
    return made


def enumeration(bases: tuple, name: str, module: str, members: dict) -> type:
    """Return an enumeration with the same members, but without its methods."""
    kind: Any = type(bases[-1])
    body = kind.__prepare__(name, bases)
    for member, value in members.items():
        body[member] = value
    body["__module__"] = module
    return kind(name, bases, body)


def fill(made: type, content: dict) -> None:
    """Add its methods to a class."""
    for name, value in content.items():
        setattr(made, name, value)


class Slot:
    """A replacement for a slot of a class: reading it raises AttributeError, like an empty slot."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, instance: object, kind: type) -> Any:
        if instance is None:
            return self
        raise AttributeError(f"{kind.__name__!r} object has no attribute {self._name!r}")


def tensor(array: np.ndarray, stop_gradient: bool, kind: str) -> Tensor:
    """Return a Tensor (which completes jaxeager in a light worker)."""
    import jaxeager

    made = jaxeager.to_tensor(array, stop_gradient=stop_gradient)
    if kind == "Parameter":
        made = jaxeager.Parameter(made, trainable=not stop_gradient)  # type: ignore[attr-defined]
    return made
