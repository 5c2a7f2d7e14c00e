"""Pickling by value what another process cannot import: the user's script, lambdas, closures.

Note [No main guard]
Worker processes are not forked from the training process: a fork of a process whose XLA threads run
may wait for ever for a lock one of them held. They come from a process that never had such threads
(fork_main.py), and so the dataset has to be pickled. Python's own "spawn" and "forkserver" import
the main script again to find its classes, so a script without ``if __name__ == "__main__"`` breaks
with them, while on Paddle, which forks, it works. Here it works too: functions and classes of the
main script travel as what they are made of, with the global variables they mention.
"""

import dataclasses
import dis
import enum
import functools
import importlib
import importlib.util
import io
import marshal
import mmap
import pickle
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jaxeager.arrays import host_values
from jaxeager.errors import InvalidTypeError
from jaxeager.io import rebuild
from jaxeager.tensor import Tensor

_FACE = "jaxeager"
_NOT_PART_OF_A_CLASS = {"__dict__", "__weakref__", "__doc__", "__module__", "_abc_impl"}


class ByValue(pickle.Pickler):
    """A pickler for another process of the same Python.

    ``modules`` lists what the pickle will import there.
    """

    def __init__(self, file, protocol: int = 5, *, buffer_callback=None):
        super().__init__(file, protocol, buffer_callback=buffer_callback)
        self.modules: set[str] = set()

    def reducer_override(self, value: Any):
        """Returns how to pickle what needs more than Python's own ways."""
        if isinstance(value, Tensor):
            self._note("jaxeager.tensor")
            array = host_values(value._array)
            return rebuild.tensor, (array, value.stop_gradient, type(value).__name__)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, types.ModuleType):
            self._note(value.__name__)
        reduce = _REDUCERS.get(type(value))
        if reduce is not None:
            return reduce(value)
        self._note(type(value).__module__)
        return NotImplemented

    def _note(self, module: str | None) -> None:
        if module is not None and module not in ("builtins", "__main__"):
            self.modules.add(module)

    def _function(self, function: types.FunctionType):
        if _is_importable(function):
            self._note(function.__module__)
            return NotImplemented
        code = function.__code__
        mentioned = {
            name: function.__globals__[name]
            for name in sorted(set(_global_names(code)))
            if name in function.__globals__
        }
        if _wants_jax(code, mentioned):
            self._note("jaxeager.tensor")
        state = {
            "globals": mentioned,
            "defaults": function.__defaults__,
            "kwdefaults": function.__kwdefaults__,
            "dict": function.__dict__,
            "doc": function.__doc__,
        }
        made_of = (
            marshal.dumps(code),
            function.__module__,
            function.__name__,
            function.__qualname__,
            function.__closure__,
        )
        return rebuild.function, made_of, state, None, None, rebuild.fill_function

    def _class(self, kind: type):
        if _is_importable(kind):
            self._note(kind.__module__)
            return NotImplemented
        if kind in _UNNAMED:
            return getattr, (types, _UNNAMED[kind])
        if issubclass(kind, enum.Enum):
            members = {name: member.value for name, member in kind.__members__.items()}
            return rebuild.enumeration, (kind.__bases__, kind.__name__, kind.__module__, members)
        slots = kind.__dict__.get("__slots__")
        names = [slots] if isinstance(slots, str) else list(slots or ())
        content = {
            name: value
            for name, value in kind.__dict__.items()
            if name not in _NOT_PART_OF_A_CLASS and name not in names
        }
        made_of = (
            type(kind),
            kind.__name__,
            kind.__qualname__,
            kind.__module__,
            kind.__bases__,
            slots,
        )
        state = {**content, "__doc__": kind.__doc__}
        return rebuild.skeleton, made_of, state, None, None, rebuild.fill_class


def _wants_jax(code: types.CodeType, mentioned: dict) -> bool:
    """Says whether a function seems to use more of jaxeager than a light worker has."""
    packages = [value for value in mentioned.values() if getattr(value, "__name__", "") == _FACE]
    attributes = set(code.co_names) - {"io"}
    return any(hasattr(package, name) for package in packages for name in attributes)


# Types of the interpreter that no module has under their own name.
_UNNAMED = {kind: name for name, kind in vars(types).items() if isinstance(kind, type)}


def _reduce_cell(cell: types.CellType):
    try:
        content = (cell.cell_contents,)
    except ValueError:
        content = ()
    return rebuild.cell, (), content, None, None, rebuild.fill_cell


def _reduce_cached_property(value: functools.cached_property):
    return rebuild.cached, (value.func, value.attrname)


def _reduce_memmap(value: np.memmap):
    """By the name of its file, which a worker maps too; a part, or a changed copy, by value."""
    is_whole = isinstance(value.base, mmap.mmap)
    if not is_whole or value.filename is None or value.mode == "c":
        return NotImplemented
    mode = "r" if value.mode == "r" else "r+"
    order = "C" if value.flags.c_contiguous else "F"
    return np.memmap, (str(value.filename), value.dtype, mode, value.offset, value.shape, order)


_REDUCERS: dict[type, Callable] = {
    np.memmap: _reduce_memmap,
    types.ModuleType: lambda module: (importlib.import_module, (module.__name__,)),
    types.CellType: _reduce_cell,
    property: lambda value: (property, (value.fget, value.fset, value.fdel, value.__doc__)),
    staticmethod: lambda value: (staticmethod, (value.__func__,)),
    classmethod: lambda value: (classmethod, (value.__func__,)),
    functools.cached_property: _reduce_cached_property,
    types.MappingProxyType: lambda value: (types.MappingProxyType, (dict(value),)),
    # Dataclasses tell these from others by identity.
    type(dataclasses.MISSING): lambda value: (getattr, (dataclasses, "MISSING")),
    type(dataclasses._FIELD): lambda value: (getattr, (dataclasses, value.name)),  # type: ignore[attr-defined]
    # Another process has nobody to lock out: it gets a lock of its own, open.
    type(threading.Lock()): lambda value: (threading.Lock, ()),
    type(threading.RLock()): lambda value: (threading.RLock, ()),
}


def _is_importable(value: Any) -> bool:
    """Says whether another process finds a function or class by its module and name."""
    module = getattr(value, "__module__", None)
    if module in (None, "__main__") or module not in sys.modules:
        return False
    if not _is_on_the_path(module.partition(".")[0]):
        return False
    found: Any = sys.modules[module]
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


@functools.cache
def _is_on_the_path(package: str) -> bool:
    """Says whether a new process finds a package; one made while a program runs it does not."""
    if package in sys.builtin_module_names:
        return True
    finders = (getattr(finder, "find_spec", None) for finder in sys.meta_path)
    return any(find is not None and find(package, None) is not None for find in finders)


def _global_names(code: types.CodeType) -> Iterator[str]:
    """Yields the global names that a function or a function within it mentions."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_names(constant)


def dump_by_value(value: Any, what: str) -> tuple[bytes, list, list[str]]:
    """Returns a pickle, the memory of its arrays as flat bytes, and the modules it will import.

    Args:
        value: what to pickle.
        what: how to call it in an error.

    Raises:
        InvalidTypeError: when it has a part that cannot be sent.
    """
    buffers: list[pickle.PickleBuffer] = []
    body = io.BytesIO()
    pickler = ByValue(body, buffer_callback=buffers.append)
    try:
        pickler.dump(value)
    except Exception as error:
        raise InvalidTypeError(
            f"{what} cannot be sent to the worker processes: {_culprit(value)} cannot be pickled "
            f"({type(error).__name__}: {error}). Workers get a copy of the dataset: open files and "
            "connections in worker_init_fn or when __getitem__ first needs them, or use "
            "num_workers=0."
        ) from error
    return body.getvalue(), [buffer.raw() for buffer in buffers], sorted(pickler.modules)


def _culprit(value: Any) -> str:
    """Returns the names that lead to the innermost part that cannot be pickled."""
    path, current, seen = type(value).__name__, value, set()
    while id(current) not in seen:
        seen.add(id(current))
        for name, part in _parts(current):
            if not _can_be_pickled(part):
                path, current = f"{path}{name}", part
                break
    return f"{path.removeprefix('Work.')}, of type {type(current).__name__},"


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields what a value is made of, with how to write it behind the value's name."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, set)) and not hasattr(value, "_fields"):
        yield from ((f"[{index}]", part) for index, part in enumerate(value))
    elif isinstance(value, types.FunctionType):
        names = (name for name in _global_names(value.__code__) if name in value.__globals__)
        yield from ((f" -> global {name}", value.__globals__[name]) for name in names)
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
        yield from ((f" -> {name}", cell.cell_contents) for name, cell in cells)
    elif isinstance(value, type):
        own = (item for item in vars(value).items() if item[0] not in _NOT_PART_OF_A_CLASS)
        yield from ((f".{name}", part) for name, part in own)
    elif hasattr(value, "_fields"):
        names = getattr(value, "_fields", ())
        yield from ((f".{name}", getattr(value, name)) for name in names)
    else:
        yield from ((f".{name}", part) for name, part in getattr(value, "__dict__", {}).items())
        yield ("", type(value))


def _can_be_pickled(value: Any) -> bool:
    try:
        ByValue(io.BytesIO(), buffer_callback=lambda buffer: None).dump(value)
    except Exception:
        return False
    return True
