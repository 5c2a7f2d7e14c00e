"""Kinds of attributes: how each turns what a user wrote into something a kernel is keyed by.

A row's forward annotates its keyword-only parameters with a kind. A kind is a callable from the
user's value to a hashable one. ``bool``, ``int``, ``float`` and ``str`` are kinds too.
"""

import operator

import numpy as np

from jaxeager import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.memory_limit import LARGEST


class Tensors:
    """Marks an operand that is a list of tensors (``concat``, ``stack``)."""


class Scalar:
    """Marks a number that reaches the kernel as a 0-D array, so a new value never recompiles."""


def as_int(value, what: str = "value") -> int:
    """Returns a Python int for an int, NumPy integer or one-element integer Tensor.

    Raises:
        InvalidTypeError: when it is none of these.
        InvalidArgumentError: when it does not fit into 64 bits.
    """
    if hasattr(value, "_storage"):
        value = value.item()
    try:
        found = operator.index(value)
    except TypeError:
        raise InvalidTypeError(
            f"{what} must be an integer, but received {value!r} ({type(value).__name__})."
        ) from None
    return in_64_bits(found, what)


def in_64_bits(value: int, what: str) -> int:
    """Returns an int that is an int64; InvalidArgumentError for another."""
    if not -LARGEST <= value <= LARGEST:
        raise InvalidArgumentError(f"{what} must fit into 64 bits, but received {value}.")
    return value


def OptionalFloat(value) -> float | None:
    """A number, or None."""
    return None if value is None else float(value)


def Axis(value) -> int | None:
    """One axis: an int, a one-element Tensor, or None."""
    return None if value is None else as_int(value, "axis")


def Axes(value) -> int | tuple[int, ...] | None:
    """One axis or several: an int, a list or tuple of ints, a Tensor, or None."""
    if value is None or type(value) is int:
        return value
    return _ints(value, "axis")


def Ints(value) -> int | tuple[int, ...]:
    """An int or a sequence of ints."""
    return value if type(value) is int else _ints(value, "value")


def Shape(value) -> tuple[int, ...]:
    """A shape: an int or a sequence of ints, Tensors among them, or one integer Tensor."""
    shape = _ints(value, "shape")
    return (shape,) if type(shape) is int else shape


def _ints(value, what: str) -> int | tuple[int, ...]:
    if hasattr(value, "_storage"):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return tuple(as_int(item, what) for item in value)
    return as_int(value, what)


def DType(value) -> np.dtype | None:
    """An element type in any of its spellings, or None."""
    return None if value is None else dtypes.to_numpy(value)


def Static(value):
    """Anything hashable, as it is; lists become tuples."""
    if isinstance(value, list):
        return tuple(Static(item) for item in value)
    try:
        hash(value)
    except TypeError:
        raise InvalidArgumentError(
            f"This argument must be a plain constant, but received {value!r} "
            f"({type(value).__name__})."
        ) from None
    return value


KINDS = {bool, int, float, str, OptionalFloat, Axis, Axes, Ints, Shape, DType, Static}
