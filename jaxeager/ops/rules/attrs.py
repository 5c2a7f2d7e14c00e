"""Kinds of attributes: each converts a user's argument into a key of kernels.

A row's forward annotates its keyword-only parameters with a kind: ``bool``, ``int``, ``float``,
``str``, or one of the names at the end of this file. To a type checker such a name is the type that
the kernel gets; to the row it is also the function that converts to it (``kind_of``).

The row reads these annotations, so a file with rows has no ``from __future__ import annotations``;
the types of its public functions are in quotes instead.
"""

import operator
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, get_origin

import jax
import numpy as np

from jaxeager.core import dtypes
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.kernels.size_limit import LARGEST


def as_int(value: Any, what: str = "value") -> int:
    """Return a Python int for an int, NumPy integer or one-element integer Tensor.

    Raises:
        InvalidTypeError: when it is none of these.
        InvalidArgumentError: when it does not fit into 64 bits.
    """
    if type(value) is int:
        if -LARGEST <= value <= LARGEST:
            return value
    elif hasattr(value, "_storage"):
        value = value.item()
    if is_symbolic(value):
        return value
    try:
        found = operator.index(value)
    except TypeError:
        raise InvalidTypeError(
            f"{what} must be an integer, but received {value!r} ({type(value).__name__})."
        ) from None
    if not -LARGEST <= found <= LARGEST:
        raise InvalidArgumentError(f"{what} must fit into 64 bits, but received {found}.")
    return found


def as_whole(value: Any, what: str = "value") -> int:
    """Return what ``as_int`` returns, and a float that is a whole number as an int.

    For the arguments that Paddle reads from a float; it drops the fraction of 1.5, too.
    """
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return int(float(value))  # pyright: ignore[reportUnknownArgumentType]  # NumPy's own type
    return as_int(value, what)


def as_plain_int(value: Any) -> int:
    """Return a Python int for an integer or a one-element Tensor; sizes must be known.

    Raises:
        TypeError: for a float and anything else that is no integer.
    """
    return operator.index(value.item() if hasattr(value, "_storage") else value)


def as_float(value: Any) -> float:
    """Return a number or a one-element Tensor as a float.

    Raises:
        TypeError: if it is not a number; text is refused, although ``float`` reads it.
    """
    if isinstance(value, str | bytes):
        raise TypeError("it must be a number, not text")
    return float(value)


def as_optional_float(value: Any) -> float | None:
    """Return a number as a float; None stays None."""
    return None if value is None else as_float(value)


def as_bool(value: object) -> bool:
    """Return a Python bool for a bool, a NumPy bool, an integer or a one-element Tensor.

    Raises:
        TypeError: for anything else, which ``bool`` would convert all the same.
    """
    if isinstance(value, bool | int | np.bool_ | np.integer) or hasattr(value, "_storage"):
        return bool(value)  # pyright: ignore[reportUnknownArgumentType]  # of any kind
    raise TypeError("it must be True or False")


def as_axis(value: object) -> int | None:
    """Return one axis: an int, a one-element Tensor, or None."""
    return None if value is None else as_int(value, "axis")


def as_one_axis(value: object) -> int:
    """Return one axis: an int or a one-element Tensor, not None."""
    return as_int(value, "axis")


def as_whole_axis(value: object) -> int | None:
    """Return one axis, as ``as_axis`` does; it may be a float that is a whole number."""
    return None if value is None else as_whole(value, "axis")


def as_axes(value: object) -> int | tuple[int, ...] | None:
    """Return one axis or several: an int, a list or tuple of ints, a Tensor, or None."""
    if value is None or type(value) is int:
        return value
    return _ints(value, "axis")


def as_ints(value: object) -> int | tuple[int, ...]:
    """Return an int or a sequence of ints."""
    return value if type(value) is int else _ints(value, "value")


def as_shape(value: object) -> tuple[int, ...]:
    """Return a shape: an int or a sequence of ints, Tensors among them, or one integer Tensor."""
    shape = _ints(value, "shape")
    return shape if isinstance(shape, tuple) else (shape,)


_INT = frozenset({int})
_met: set[tuple[int, ...]] = set()  # ints that fit into 64 bits: no need to check them again


def _ints(value: Any, what: str) -> int | tuple[int, ...]:
    if type(value) is list or type(value) is tuple:
        if _INT.issuperset(map(type, value)):  # pyright: ignore[reportUnknownArgumentType]  # any
            return _met_before(tuple(value), what)  # pyright: ignore[reportUnknownArgumentType]  # a list of anything
    else:
        if hasattr(value, "_storage"):
            value = value.tolist() if hasattr(value, "known") else value.numpy()
        if isinstance(value, np.ndarray):
            value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return tuple([as_int(item, what) for item in value])  # pyright: ignore[reportUnknownVariableType]  # a list of anything
    return as_int(value, what)


def _met_before(ints: tuple[int, ...], what: str) -> tuple[int, ...]:
    if ints in _met:
        return ints
    for each in ints:
        as_int(each, what)
    if len(_met) >= 4096:
        _met.clear()
    _met.add(ints)
    return ints


def as_dtype(value: object) -> Any:
    """Return an element type given in any of its spellings, or None."""
    return None if value is None else dtypes.to_numpy(value)


def as_static(value: Any) -> Any:
    """Return anything hashable as it is; lists become tuples.

    Raises:
        InvalidArgumentError: for a value that has no hash.
    """
    if isinstance(value, list):
        return tuple(as_static(item) for item in value)  # pyright: ignore[reportUnknownVariableType]  # a list of anything
    try:
        hash(value)
    except TypeError:
        raise InvalidArgumentError(
            f"This argument must be a plain constant, but received {value!r} "
            f"({type(value).__name__})."
        ) from None
    return value


OptionalFloat = Annotated[float | None, as_optional_float]
Count = Annotated[int, as_int]  # an int that may be an unknown size (core/symbolic.py)
Axis = Annotated[int | None, as_axis]
OneAxis = Annotated[int, as_one_axis]
WholeCount = Annotated[int, as_whole]
WholeAxis = Annotated[int | None, as_whole_axis]
Axes = Annotated[int | tuple[int, ...] | None, as_axes]
Ints = Annotated[int | tuple[int, ...], as_ints]
Sizes = Annotated[tuple[int, ...], as_ints]  # the caller of the row has made it a sequence
Shape = Annotated[tuple[int, ...], as_shape]
DType = Annotated[Any, as_dtype]  # np.dtype or None; a default may be its name
Static = Annotated[Any, as_static]

# These are not kinds, but marks of parameters that are not attributes.
Scalar = Annotated[
    Any, "a number that is a 0-D array in the kernel: a new value does not recompile"
]
Tensors = Annotated[list[jax.Array], "an operand that is a list of tensors (concat, stack)"]

# A function that converts a user's value into an attribute.
Kind: TypeAlias = Callable[..., Any]

_OF_TYPES: dict[type, Kind] = {
    bool: as_bool,
    int: as_plain_int,
    float: as_float,
    str: str,
}
UNCHANGED: dict[Kind, str] = {
    as_bool: "bool",
    as_plain_int: "int",
    as_float: "float",
}  # the type that such a kind returns as it is


def kind_of(annotation: Any) -> Kind | None:
    """Return the function that converts a user's value into an attribute; None if not a kind."""
    if annotation in _OF_TYPES:
        return _OF_TYPES[annotation]
    if get_origin(annotation) is Annotated and callable(annotation.__metadata__[0]):
        return annotation.__metadata__[0]
    return None
