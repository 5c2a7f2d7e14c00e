"""The objects that a branch or a body can change besides variables, and whether it did.

Note [Reach]
    A program has one effect on lists, objects and iterators, whichever branch is chosen and however
    often a body runs. Changes of a statement in the containers that it names become part of the
    program (states.py). Everything else that it or a called function can reach is noted before the
    trace and compared after it, so that a change is refused instead of being made once.

    Tensors and arrays of JAX are left to the capture, modules and classes to the watch of names.
    The search ends after ``_MOST`` objects; changes beyond them are not noticed.
"""

from __future__ import annotations

import collections
import functools
import gc
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import numpy as np

from jaxeager.jit.capture.global_names import global_names
from jaxeager.jit.capture.unset import UNSET
from jaxeager.nn import Layer
from jaxeager.tensor import Tensor

_MOST = 2000
_MOST_BYTES = 1 << 20  # of a NumPy array that is compared
_ENDS = (
    str, bytes, int, float, complex, type(None), Tensor, jax.Array, np.generic, type,
    types.ModuleType, types.CodeType,
)  # fmt: skip
_LIBRARIES = frozenset("jax jaxlib jaxeager numpy".split())
_OF_LAYERS = frozenset("_parameters _buffers _sub_layers".split())  # the capture sees these


def watch(name: str, value: object) -> Callable[[], str | None]:
    """Note the objects reachable from a value; return a function that names the first change.

    Args:
        name: the name of the value.
        value: any object.
    """
    noted: list[tuple[str, Any, Any]] = []
    met: dict[int, Any] = {}
    waiting = collections.deque([(name, value)])
    while waiting and len(met) < _MOST:
        path, each = waiting.popleft()
        if isinstance(each, _ENDS) or id(each) in met:
            continue
        met[id(each)] = each
        content = _content(each)
        if content is not None:
            noted.append((path, each, content))
        waiting += _parts(path, each)

    def changed() -> str | None:
        for path, each, content in noted:
            now = _content(each)
            if not _is_same(content, now):
                return path + _attribute_of(content, now)
        return None

    return changed


def _content(value: object) -> Any:
    """Return the compared content of a value, attributes as a dict; None for no content."""
    if isinstance(value, (list, collections.deque)):
        return list(value)
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (set, frozenset)):
        return set(value)
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.nbytes <= _MOST_BYTES else None
    if isinstance(value, types.GeneratorType):
        return None if value.gi_frame is None else value.gi_frame.f_lasti
    if isinstance(value, Iterator):
        return operator.length_hint(value, -1)
    return _attributes(value)


def _is_same(before: object, now: object) -> bool:
    if type(before) is dict and type(now) is dict:
        return before.keys() == now.keys() and _is_same([*before.values()], [*now.values()])
    if type(before) is not list or type(now) is not list:
        return before == now
    return len(before) == len(now) and all(map(operator.is_, before, now))


def _attribute_of(before: object, now: object) -> str:
    """Return the first attribute that differs; "" if there are no attributes."""
    if type(before) is not dict or type(now) is not dict:
        return ""
    names = [*before, *[name for name in now if name not in before]]
    return next(f".{n}" for n in names if before.get(n, UNSET) is not now.get(n, UNSET))


def _parts(path: str, value: object) -> Iterable[tuple[str, Any]]:
    """Return the parts of a value, with their names."""
    if isinstance(value, (list, tuple, collections.deque)):
        return [(f"{path}[{at}]", each) for at, each in enumerate(value)]
    if isinstance(value, dict):
        return [(f"{path}[{key!r}]", each) for key, each in value.items()]
    if isinstance(value, types.FunctionType):
        code, scope = value.__code__, value.__globals__
        cells = zip(code.co_freevars, value.__closure__ or (), strict=True)
        own = [(name, scope[name]) for name in global_names(code) if name in scope]
        return [(name, held(cell)) for name, cell in cells] + own
    if isinstance(value, types.MethodType):
        return [(path, value.__self__), (path, value.__func__)]
    if isinstance(value, types.BuiltinMethodType):  # list.append of a list
        return [(path, value.__self__)]
    if isinstance(value, functools.partial):
        return [(path, value.func), (path, value.args), (path, value.keywords)]
    if isinstance(value, Iterator):
        return [(path, each) for each in gc.get_referents(value)]
    return [(f"{path}.{name}", each) for name, each in (_attributes(value) or {}).items()]


def _attributes(value: object) -> dict[str, Any] | None:
    """Return the attributes of an object, in ``__dict__`` and in slots; None for a library's."""
    kind = type(value)
    if kind.__module__.partition(".")[0] in _LIBRARIES or isinstance(value, types.FunctionType):
        return None
    found = dict(getattr(value, "__dict__", None) or {})
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            held = getattr(value, name, UNSET)
            if held is not UNSET and not name.startswith("__"):
                found[name] = held
    if isinstance(value, Layer):
        found = {name: each for name, each in found.items() if name not in _OF_LAYERS}
    return found


def held(cell: types.CellType) -> Any:
    """Return the content of a closure's cell; UNSET for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET
