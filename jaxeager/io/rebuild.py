"""The other half of by_value.py: makes functions and classes again, in a worker process."""

import builtins
import enum
import functools
import marshal
import sys
import types
from typing import Any

_namespaces: dict[str, dict] = {}  # global variables of modules that exist only in the parent


def namespace(module: str) -> dict:
    """Returns the global variables that the functions of a module share here.

    The main script has a module of its name, so that what it defines can be sent back by name.
    """
    if module not in _namespaces:
        made = types.ModuleType(module)
        vars(made)["__builtins__"] = builtins  # C code that imports looks for it here
        if module == "__main__":
            sys.modules[module] = made
        _namespaces[module] = vars(made)
    return _namespaces[module]


def function(
    code: bytes, module: str, name: str, qualname: str, closure: tuple | None
) -> types.FunctionType:
    """Returns a function that still lacks its state."""
    made = types.FunctionType(marshal.loads(code), namespace(module), name, None, closure)
    made.__qualname__, made.__module__ = qualname, module
    return made


def fill_function(made: types.FunctionType, state: dict) -> None:
    """Gives a function its defaults, attributes and global variables."""
    made.__defaults__, made.__kwdefaults__ = state["defaults"], state["kwdefaults"]
    made.__dict__.update(state["dict"])
    made.__doc__ = state["doc"]
    for name, value in state["globals"].items():
        made.__globals__.setdefault(name, value)


def skeleton(
    metaclass: type, name: str, qualname: str, module: str, bases: tuple, slots: Any
) -> type:
    """Returns a class that still lacks its content."""
    content = {"__module__": module, "__qualname__": qualname}
    if slots is not None:
        content["__slots__"] = slots
    made = types.new_class(name, bases, {"metaclass": metaclass}, lambda body: body.update(content))
    namespace(module).setdefault(qualname, made)
    return made


def fill_class(made: type, state: dict) -> None:
    """Gives a class its methods and attributes."""
    for name, value in state.items():
        if name != "__slots__":
            setattr(made, name, value)
    if hasattr(made, "__abstractmethods__"):
        made.__abstractmethods__ = frozenset(state.get("__abstractmethods__", ()))


def enumeration(bases: tuple, name: str, module: str, members: dict) -> type:
    """Returns an enumeration of the same members."""
    kind = type(bases[-1])
    body = kind.__prepare__(name, bases)  # type: ignore[attr-defined]
    for member, value in members.items():
        body[member] = value
    body["__module__"] = module
    made = kind(name, bases, body)
    assert issubclass(made, enum.Enum)
    return made


def cell() -> types.CellType:
    """Returns an empty cell of a closure."""
    return types.CellType()


def fill_cell(made: types.CellType, content: tuple) -> None:
    """Gives a cell its content; an empty one stays empty."""
    if content:
        made.cell_contents = content[0]


def cached(method: Any, name: str | None) -> functools.cached_property:
    """Returns a cached property."""
    made = functools.cached_property(method)
    if name is not None:
        made.__set_name__(object, name)
    return made


def tensor(array: Any, stop_gradient: bool, kind: str) -> Any:
    """Returns a Tensor (jaxeager becomes the real one for it)."""
    import jaxeager

    made = jaxeager.to_tensor(array, stop_gradient=stop_gradient)
    if kind == "Parameter":
        made = jaxeager.Parameter(made, trainable=not stop_gradient)  # type: ignore[attr-defined]
    return made
