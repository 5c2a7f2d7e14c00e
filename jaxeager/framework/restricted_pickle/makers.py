"""The names that a pickle may use, and the functions that replace them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.framework.restricted_pickle.arrays import (
    NARROW_NAMES,
    Array,
    array_of,
    dtype_of,
    narrow_dtype,
    scalar_of,
)
from jaxeager.framework.restricted_pickle.containers import (
    NAMESPACES,
    Described,
    Members,
    Pairs,
    Settings,
)
from jaxeager.framework.restricted_pickle.damage import Damage
from jaxeager.framework.restricted_pickle.described_records import RECORD_CLASSES, PartRecord
from jaxeager.framework.restricted_pickle.draw_states import STATE_CLASS, DrawState

if TYPE_CHECKING:
    from typing import Any


class Global(Described):
    """A name of the table; the file may call it, but it is never a value."""

    __slots__ = ("maker", "name")

    def __init__(self, offset: int, name: str, maker: Callable):
        super().__init__(offset)
        self.name = name
        self.maker = maker

    def called(self) -> str:
        """Return the name for error messages."""
        return self.name


def global_named(offset: int, module, name) -> Global:
    """Return the entry of the table for a name.

    Raises:
        Damage: for any other name.
    """
    if type(module) is not str or type(name) is not str:
        raise Damage("it requests a name that is not text")
    maker = _MAKERS.get((module, name))
    if maker is None:
        raise Damage(f"it requests {module[:100]}.{name[:100]}")
    return Global(offset, f"{module}.{name}", maker)


def call(machine, function, args) -> Any:
    """Call the replacement for a name of the table; return its result."""
    if type(function) is not Global:
        raise Damage("it calls an object that is not a name")
    if type(args) is not tuple:
        raise Damage(f"it calls {function.name} without a tuple of arguments")
    return function.maker(machine, function.name, args)


def new_object(machine, function, args) -> Settings | DrawState | PartRecord:
    """Return the description of a new instance of a class.

    The classes are those of namespaces, of a GeneratorState, and of records of parts.
    """
    if type(function) is not Global or function.maker not in (_namespace, _draw_state, _record):
        raise Damage("it requests an object of a class")
    return call(machine, function, args)


def _takes(name: str, args: tuple, *counts: int) -> None:
    if len(args) not in counts:
        raise Damage(f"it calls {name} with {len(args)} arguments")


def _empty_array(machine, name: str, args: tuple) -> Array:
    """Replace NumPy's _reconstruct: describe an array whose contents follow."""
    _takes(name, args, 3)
    if type(args[0]) is not Global or args[0].maker is not _no_call:
        raise Damage("it requests an array of a class that is not numpy.ndarray")
    return Array(machine.start)


def _array_of_bytes(machine, name: str, args: tuple) -> Array:
    """Replace NumPy's _frombuffer."""
    _takes(name, args, 4, 5)
    raw, dtype, shape, order, *axes = args
    if order != "K" or axes in ([], [None]):
        return Array(machine.start, array_of(machine, raw, dtype, shape, order))
    array = array_of(machine, raw, dtype, shape, "C")
    is_tuple = type(axes[0]) is tuple and all(type(axis) is int for axis in axes[0])
    if not is_tuple or sorted(axes[0]) != [*range(array.ndim)]:
        raise Damage("it has an array with an order of axes that is not a permutation")
    return Array(machine.start, array.transpose(axes[0]))


def _scalar(machine, name: str, args: tuple) -> np.generic:
    """Replace NumPy's scalar."""
    _takes(name, args, 2)
    return scalar_of(machine, *args)


def _dtype(machine, name: str, args: tuple):
    """Replace numpy.dtype."""
    _takes(name, args, 1, 2, 3)
    spec = args[0]
    if type(spec) is Global and spec.name.startswith("ml_dtypes."):
        spec = narrow_dtype(spec.name.removeprefix("ml_dtypes."))
    return dtype_of(machine.start, spec)


def _no_call(machine, name: str, args: tuple):
    """Refuse to call a class that the file may name but not call."""
    raise Damage(f"it calls {name}, which NumPy does not")


def _encoded(machine, name: str, args: tuple) -> bytes:
    """Replace codecs.encode, which old protocols use to write bytes."""
    _takes(name, args, 2)
    text, encoding = args
    if type(text) is not str or encoding not in ("latin1", "latin-1"):
        raise Damage("it holds bytes in an encoding that is not latin1")
    machine.copy(len(text))
    try:
        return text.encode("latin1")
    except UnicodeEncodeError:
        raise Damage("it has characters that are not bytes") from None


def _bytes(machine, name: str, args: tuple) -> bytes:
    """Replace bytes, which old protocols use to write empty bytes."""
    _takes(name, args, 0)
    return b""


def _bytearray(machine, name: str, args: tuple) -> bytearray:
    """Replace bytearray, of bytes or of Python 2's text."""
    _takes(name, args, 0, 1, 2)
    if len(args) == 2:
        return bytearray(_encoded(machine, name, args))
    if args and type(args[0]) not in (bytes, memoryview):
        raise Damage("it has a bytearray of something other than bytes")
    machine.copy(len(args[0]) if args else 0)
    return bytearray(*args)


def _complex(machine, name: str, args: tuple) -> complex:
    """Replace complex."""
    _takes(name, args, 2)
    if any(type(part) is not float for part in args):
        raise Damage("it has a complex number of something other than numbers")
    return complex(*args)


def _listed(name: str, args: tuple) -> list | tuple:
    """Return the single argument of a container's class."""
    _takes(name, args, 0, 1)
    items = args[0] if args else ()
    if type(items) not in (list, tuple):
        raise Damage(f"it calls {name} with something other than a list")
    return items


def _tuple(machine, name: str, args: tuple) -> tuple:
    """Replace tuple, which Paddle uses to write tensors."""
    items = _listed(name, args)
    machine.spend(0 if type(items) is tuple else len(items))
    return tuple(items)


def _set(machine, name: str, args: tuple) -> Members:
    """Replace set and frozenset."""
    items = _listed(name, args)
    machine.spend(len(items))
    return Members(machine.start, [*items], name.endswith("frozenset"))


def _ordered_dict(machine, name: str, args: tuple) -> Pairs:
    """Replace OrderedDict, empty or, as Python 2 writes it, of pairs."""
    pairs, items = _listed(name, args), []
    machine.spend(len(pairs))
    for pair in pairs:
        if type(pair) not in (list, tuple) or len(pair) != 2:
            raise Damage("it has an OrderedDict of something other than pairs")
        items += pair
    return Pairs(machine.start, items, is_ordered=True)


def _namespace(machine, name: str, args: tuple) -> Settings:
    """Replace argparse.Namespace and types.SimpleNamespace, whose contents follow."""
    _takes(name, args, 0)
    return Settings(machine.start, _NAMESPACES[name])


def _draw_state(machine, name: str, args: tuple) -> DrawState:
    """Replace the state of a generator of Paddle, whose contents follow."""
    _takes(name, args, 0)
    return DrawState(machine.start)


def _record(machine, name: str, args: tuple) -> PartRecord:
    """Replace a record of a checkpoint in parts, whose fields follow."""
    _takes(name, args, 0)
    module, _, kind = name.rpartition(".")
    return PartRecord(machine.start, RECORD_CLASSES[module, kind])


_NAMESPACES = {f"{kind.__module__}.{kind.__name__}": kind for kind in NAMESPACES}
_CONTAINERS: dict[str, Callable] = {
    "tuple": _tuple,
    "set": _set,
    "frozenset": _set,
    "complex": _complex,
    "bytearray": _bytearray,
    "bytes": _bytes,
}
_MAKERS: dict[tuple[str, str], Callable] = {
    **{
        (f"numpy.{core}.{module}", name): maker
        for core in ("core", "_core")
        for module in ("multiarray", "numeric")
        for name, maker in (
            ("_reconstruct", _empty_array),
            ("_frombuffer", _array_of_bytes),
            ("scalar", _scalar),
        )
    },
    ("numpy", "ndarray"): _no_call,
    ("numpy", "dtype"): _dtype,
    ("_codecs", "encode"): _encoded,
    ("collections", "OrderedDict"): _ordered_dict,
    ("argparse", "Namespace"): _namespace,
    ("types", "SimpleNamespace"): _namespace,
    STATE_CLASS: _draw_state,
    **dict.fromkeys(RECORD_CLASSES, _record),
    **{("ml_dtypes", name): _no_call for name in NARROW_NAMES},
    **{
        (module, name): maker
        for module in ("builtins", "__builtin__")
        for name, maker in _CONTAINERS.items()
    },
}
