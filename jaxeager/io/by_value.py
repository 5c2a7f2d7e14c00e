"""Pickling by value of objects that another process cannot import: the script, lambdas, closures.

Note [No main guard]
Worker processes are not forked from the training process: a fork of a process with XLA threads may
wait forever for a lock that one of them held. They are forked from a process that never had such
threads (fork_main.py), so the dataset has to be pickled. Python's own "spawn" and "forkserver"
import the main script again to find its classes. A script without ``if __name__ == "__main__"``
breaks with them, but works on Paddle, which forks. It works here too: functions and classes of the
main script are sent by value, with the global variables they mention, as cloudpickle does.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import io
import mmap
import pickle
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import cloudpickle
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidTypeError
from jaxeager.io import rebuild
from jaxeager.tensor import Tensor

_FACE = "jaxeager"
_METHODS = (types.FunctionType, property, staticmethod, classmethod)
_NOT_PART_OF_A_CLASS = {"__dict__", "__weakref__", "__doc__", "__module__", "_abc_impl"}


class ByValue(cloudpickle.Pickler):
    """A pickler for another process of the same Python.

    This class does not repeat what cloudpickle does by itself. It adds tensors, mapped files and
    locks, and keeps workers light (see Note [Light workers] in light.py).

    ``modules`` lists the modules that the other process imports to read the pickle.
    """

    def __init__(self, file, buffer_callback=None):
        super().__init__(file, buffer_callback=buffer_callback)
        self.modules: set[str] = set()

    def reducer_override(self, value: object):  # type: ignore[override]
        """Return how to pickle an object that Python's own pickler cannot."""
        if isinstance(value, Tensor):
            self._note("jaxeager.tensor")
            array = host_values(value._array)
            return rebuild.tensor, (array, value.stop_gradient, type(value).__name__)
        if isinstance(value, (types.FunctionType, type)):
            return self._named(value)
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

    def _named(self, value: Any):
        """Return how to pickle a function or a class."""
        if _is_importable(value):
            self._note(value.__module__)
            return NotImplemented
        if isinstance(value, types.FunctionType):
            if _wants_jax(value):
                self._note("jaxeager.tensor")
            made_of = super().reducer_override(_without_annotations(value))
        elif isinstance(value, enum.EnumMeta):
            made_of = _reduce_enumeration(value)
        else:
            made_of = super().reducer_override(value)
        if made_of is NotImplemented or len(made_of) == 2:  # a type of the interpreter
            return made_of
        make, arguments, *state = made_of
        return rebuild.named, (value.__qualname__, make, arguments), *state


def _without_annotations(function: types.FunctionType) -> types.FunctionType:
    """Return a copy of a function without annotations, which could import modules such as JAX."""
    copy = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__dict__.update(function.__dict__)
    copy.__doc__, copy.__kwdefaults__ = function.__doc__, function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _wants_jax(function: types.FunctionType) -> bool:
    """Return whether a function seems to use more of jaxeager than a light worker has."""
    mentioned = inspect.getclosurevars(function).globals.values()
    packages = [value for value in mentioned if getattr(value, "__name__", "") == _FACE]
    attributes = set(function.__code__.co_names) - {"io"}
    return any(hasattr(package, name) for package in packages for name in attributes)


def _reduce_enumeration(kind: Any):
    """Reduce to the members' values: cloudpickle loses the names of aliases, combined flags."""
    members = {name: member.value for name, member in kind.__members__.items()}
    content = {name: part for name, part in vars(kind).items() if isinstance(part, _METHODS)}
    made_of = (kind.__bases__, kind.__name__, kind.__module__, members)
    return rebuild.enumeration, made_of, content, None, None, rebuild.fill


def _reduce_memmap(value: np.memmap):
    """Reduce to the name of the file, which a worker maps too; reduce slices, copies to values."""
    is_whole = isinstance(value.base, mmap.mmap)
    if not is_whole or value.filename is None or value.mode == "c":
        return NotImplemented
    mode = "r" if value.mode == "r" else "r+"
    order = "C" if value.flags.c_contiguous else "F"
    return np.memmap, (str(value.filename), value.dtype, mode, value.offset, value.shape, order)


_REDUCERS: dict[type, Callable] = {
    np.memmap: _reduce_memmap,
    # cloudpickle creates classes without slots, and fails for slots with two leading underscores.
    types.MemberDescriptorType: lambda value: (rebuild.Slot, (value.__name__,)),
    # cloudpickle would send the unread rest of the file; Python's own pickler raises an error.
    io.TextIOWrapper: lambda value: value.__reduce_ex__(pickle.HIGHEST_PROTOCOL),
    # Dataclasses recognize it by identity.
    type(dataclasses.MISSING): lambda value: (getattr, (dataclasses, "MISSING")),
    # A lock has no meaning in another process, which gets a new, open one.
    type(threading.Lock()): lambda value: (threading.Lock, ()),
    type(threading.RLock()): lambda value: (threading.RLock, ()),
}


def _is_importable(value: Any) -> bool:
    """Return whether another process can import a function or class by its module and name."""
    module = getattr(value, "__module__", None)
    if module in (None, "__main__") or module not in sys.modules:
        return False
    if not _is_on_the_path(module.partition(".")[0]):
        cloudpickle.register_pickle_by_value(sys.modules[module])
        return False
    found: Any = sys.modules[module]
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


@functools.cache
def _is_on_the_path(package: str) -> bool:
    """Return whether a new process finds a package, unlike one created by a running program."""
    if package in sys.builtin_module_names:
        return True
    finders = (getattr(finder, "find_spec", None) for finder in sys.meta_path)
    return any(find is not None and find(package, None) is not None for find in finders)


def dump_by_value(value: object, what: str) -> tuple[bytes, list, list[str]]:
    """Return a pickle, the memory of its arrays as flat bytes, and the modules it will import.

    Args:
        value: what to pickle.
        what: the name of the value in an error.

    Raises:
        InvalidTypeError: when a part of the value cannot be sent.
    """
    buffers: list[pickle.PickleBuffer] = []
    body = io.BytesIO()
    pickler = ByValue(body, buffers.append)
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


def _culprit(value: object) -> str:
    """Return the path of names to the innermost part that cannot be pickled."""
    path, current, seen = type(value).__name__, value, set()
    while id(current) not in seen:
        seen.add(id(current))
        for name, part in _parts(current):
            if not _can_be_pickled(part):
                path, current = f"{path}{name}", part
                break
    return f"{path.removeprefix('Work.')}, of type {type(current).__name__},"


def _parts(value: object) -> Iterator[tuple[str, object]]:
    """Yield the parts of a value, each with the suffix that names it after the value's name."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, set)) and not hasattr(value, "_fields"):
        yield from ((f"[{index}]", part) for index, part in enumerate(value))
    elif isinstance(value, types.FunctionType):
        seen = inspect.getclosurevars(value)
        yield from ((f" -> global {name}", part) for name, part in seen.globals.items())
        yield from ((f" -> {name}", part) for name, part in seen.nonlocals.items())
    elif isinstance(value, type):
        own = (item for item in vars(value).items() if item[0] not in _NOT_PART_OF_A_CLASS)
        yield from ((f".{name}", part) for name, part in own)
    elif hasattr(value, "_fields"):
        names = getattr(value, "_fields", ())
        yield from ((f".{name}", getattr(value, name)) for name in names)
    else:
        yield from ((f".{name}", part) for name, part in getattr(value, "__dict__", {}).items())
        yield ("", type(value))


def _can_be_pickled(value: object) -> bool:
    try:
        ByValue(io.BytesIO(), lambda buffer: None).dump(value)
    except Exception:
        return False
    return True
