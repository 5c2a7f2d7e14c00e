"""Dtypes, arrays and NumPy scalars of a pickle: checked first, and then created here."""

import math
import re
from typing import Any

import ml_dtypes
import numpy as np

from jaxeager.framework.restricted_pickle.containers import Described
from jaxeager.framework.restricted_pickle.damage import Damage

_NARROW = {
    kind.__name__: np.dtype(kind)
    for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
}
_SPEC = re.compile(
    r"[<>|=]?(b1|i[1248]|u[1248]|f(?:2|4|8|12|16)|c(?:8|16|24|32)|[SU]\d{0,9}|[mM]8)"
)
_UNITS = frozenset("generic Y M W D h m s ms us ns ps fs as".split())
_LAST_CHARACTER = 0x10FFFF
_LARGEST = 2**48  # the size of a dimension
_LARGEST_EMPTY = 2**31  # the product of the other dimensions, when one is 0


class Dtype(Described):
    """An element type; its byte order and time unit follow separately, as its state."""

    __slots__ = ("dtype", "has_state")

    def __init__(self, offset: int, dtype: np.dtype):
        super().__init__(offset)
        self.dtype = dtype
        self.has_state = False

    def called(self) -> str:
        """Return the name for error messages."""
        return f"the dtype {self.dtype}"

    def made(self, machine, parts: list) -> np.dtype:
        """Return the dtype, which is an ordinary value."""
        return self.dtype

    def set_state(self, state) -> None:
        """Set (version, order, subarray, names, fields, size, alignment, flags, unit)."""
        if self.has_state or type(state) is not tuple or not 5 <= len(state) <= 9:
            raise Damage("it has a dtype in a form that is not NumPy's")
        self.has_state = True
        order = _text(state[1])
        if order not in ("<", ">", "|", "=") or any(part is not None for part in state[2:5]):
            raise Damage("it holds an array of records, which is not read")
        if self.dtype.kind in "mM":
            self.dtype = _with_unit(self.dtype, state[8] if len(state) == 9 else None)
        elif self.dtype.kind in "SU" and len(state) > 5 and self.dtype.itemsize == 0:
            size, width = state[5], 4 if self.dtype.kind == "U" else 1
            if type(size) is not int or not 0 <= size < 2**31 or size % width:
                raise Damage(f"it has a dtype of {size!r} bytes")
            self.dtype = np.dtype(f"{self.dtype.kind}{size // width}")
        if order in "<>":
            self.dtype = self.dtype.newbyteorder(order)


class Array(Described):
    """An array whose contents follow separately, as its state."""

    __slots__ = ("array",)

    def __init__(self, offset: int, array: np.ndarray | None = None):
        super().__init__(offset)
        self.array = array

    def called(self) -> str:
        """Return the name for error messages."""
        return "an array without contents"

    def made(self, machine, parts: list) -> np.ndarray:
        """Return the array."""
        if self.array is None:
            raise Damage(f"it holds {self.called()}", self.offset)
        return self.array

    def set_state(self, machine, state) -> None:
        """Set (version, shape, dtype, whether in Fortran order, bytes)."""
        if self.array is not None or type(state) is not tuple or len(state) != 5:
            raise Damage("it has an array in a form that is not NumPy's")
        _, shape, dtype, is_fortran, raw = state
        self.array = array_of(machine, raw, dtype, shape, "F" if is_fortran else "C")


def array_of(machine, raw, dtype, shape, order) -> np.ndarray:
    """Return an array in the native byte order.

    Args:
        machine: counts the bytes.
        raw: the bytes of its elements.
        dtype: the description of a dtype.
        shape: the shape, which has to match the number of elements.
        order: "C" or "F".

    Raises:
        Damage: when the arguments are inconsistent.
    """
    kind = _described(dtype)
    if type(shape) is int:
        shape = (shape,)
    if type(shape) is not tuple or len(shape) > 32:
        raise Damage("it has an array whose shape is not a tuple of at most 32 numbers")
    if any(type(size) is not int or not 0 <= size <= _LARGEST for size in shape):
        raise Damage("it has an array with a dimension that is not a size")
    if not may_be_empty(shape):
        raise Damage(f"it has an empty array of the shape {list(shape)}, which is too large")
    raw = _raw(raw)
    count = math.prod(shape)
    if order not in ("C", "F") or kind.itemsize == 0 or count * kind.itemsize != len(raw):
        raise Damage(
            f"it has {len(raw)} bytes for an array of shape {list(shape)} and dtype {kind}"
        )
    machine.copy(len(raw))
    flat = np.frombuffer(raw, kind) if count else np.empty(0, kind)
    return _checked(flat).reshape(shape, order=order)


def may_be_empty(shape) -> bool:
    """Return whether a shape is not empty, or its dimensions other than 0 have plausible sizes."""
    return math.prod(size or 1 for size in shape) <= _LARGEST_EMPTY or 0 not in shape


def scalar_of(machine, dtype, raw) -> np.generic:
    """Return one element.

    Raises:
        Damage: when the bytes are not those of one element.
    """
    kind = _described(dtype)
    raw = _raw(raw)
    if len(raw) != kind.itemsize:
        raise Damage(f"it has {len(raw)} bytes for a number of dtype {kind}")
    machine.copy(len(raw))
    if not raw:  # empty text
        return kind.type()
    return _checked(np.frombuffer(raw, kind))[0]


def dtype_of(offset: int, spec) -> Dtype:
    """Return the description of the dtype that NumPy calls ``spec``.

    Raises:
        Damage: when it is not a dtype of numbers, text or times.
    """
    if isinstance(spec, np.dtype):
        return Dtype(offset, spec)
    found = _SPEC.fullmatch(_text(spec))
    if found is None:
        raise Damage(f"it holds an array of Python objects or records (dtype {spec!r})"[:200])
    try:
        return Dtype(offset, np.dtype(found[0]))
    except (TypeError, ValueError):  # a long double of another platform, or text too long
        raise Damage(f"it holds an array of dtype {spec!r}, which does not exist here") from None


def can_be_read(dtype: np.dtype) -> bool:
    """Return whether this reader can read the arrays that NumPy writes with a dtype."""
    return dtype in _NARROW.values() or (dtype.kind in "biufcSUmM" and dtype.itemsize > 0)


def narrow_dtype(name: str) -> np.dtype:
    """Return a dtype of ml_dtypes."""
    return _NARROW[name]


NARROW_NAMES = tuple(_NARROW)


def _described(dtype) -> np.dtype:
    if type(dtype) is not Dtype:
        raise Damage("it has an array without a dtype")
    return dtype.dtype


def _with_unit(dtype: np.dtype, described) -> np.dtype:
    """Return a time dtype with its unit, which NumPy writes as (..., (unit, number, 1, 1))."""
    unit: Any = described[1] if type(described) is tuple and len(described) == 2 else None
    name = _text(unit[0]) if type(unit) is tuple and len(unit) in (3, 4) else ""
    number = unit[1] if name else 0
    if name not in _UNITS or type(number) is not int or not 1 <= number < 2**31:
        raise Damage("it has a time without a unit")
    return np.dtype(f"{dtype.kind}8" if name == "generic" else f"{dtype.kind}8[{number}{name}]")


def _text(value) -> str:
    """Return a short text, or the text of its bytes."""
    if type(value) is bytes:
        value = value.decode("latin1")
    if type(value) is not str or len(value) > 64:
        raise Damage("it has a dtype in a form that is not NumPy's")
    return value


def _raw(value):
    """Return the bytes of elements; Python 2 wrote them as text."""
    if type(value) is str:
        try:
            return value.encode("latin1")
        except UnicodeEncodeError:
            raise Damage("it has an array with characters that are not bytes") from None
    if type(value) not in (bytes, bytearray, memoryview):
        raise Damage("it holds an array of Python objects")
    return value


def _checked(array: np.ndarray) -> np.ndarray:
    """Return elements in native order, valid for their dtype."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype == np.bool_:
        return array.view(np.uint8) != 0
    if array.dtype.kind == "U" and array.view(np.uint32).max(initial=0) > _LAST_CHARACTER:
        raise Damage("it has an array of text with characters that do not exist")
    return array
