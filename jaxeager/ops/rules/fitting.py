"""Numbers combined with an integer tensor that cannot hold them.

Note [Numbers that do not fit]

Paddle wraps such a number in some way: ``uint8 + 300`` adds 44, ``int32 + 2**40`` adds the smallest
int32, ``uint8 < 256`` is false everywhere. Here

- sums, products, fills and assignments of 8 and 16 bits are modulo 256 and 65536, as in Paddle;
- a comparison is correct: a number out of range is above or below everything;
- bitwise operators (``&``, ``|``, ``^``) accept a number of as many bits as the dtype has;
- everything else is an error, as is any number of more than 64 bits.

A number is converted to an array once and cached, so the check costs nothing afterwards.
"""

import math
from typing import Any

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.rules.promotion import number_dtype

_COMPARISONS = frozenset("equal not_equal less_than less_equal greater_than greater_equal".split())
_BITS = frozenset("bitwise_and bitwise_or bitwise_xor".split())


def host_number(value: object, dtype: np.dtype) -> np.ndarray:
    """Return a number as a NumPy array of no dimensions.

    Raises:
        InvalidArgumentError: for an integer that ``dtype`` cannot hold; a dtype of 8 or 16 bits
            accepts any integer of 64 bits, modulo its own size.
    """
    if type(value) is int and value.bit_length() > 63:
        value = _long_number(value, dtype)
    array = np.asarray(value)
    if dtype.kind == "i" and dtype.itemsize > 2 and array.dtype.kind in "iu":
        check(int(array), dtype)
    if array.dtype.kind == "c" and dtype.kind != "c" and np.imag(array) == 0:
        array = np.real(array)
    return array.astype(dtype)


def _long_number(value: int, dtype: np.dtype) -> int | float | bool:
    """Return a number of more than 63 bits as NumPy can convert it to ``dtype``."""
    if dtype.kind in "iu":
        if dtype != np.uint64 and not -(2**63) <= value < 2**64:
            check(value, dtype)
        return value
    if dtype == np.bool_:
        return True
    try:
        return float(value)
    except OverflowError:
        raise InvalidArgumentError(
            f"A number of {value.bit_length()} bits is beyond every floating dtype. Use "
            "float('inf') if that is meant."
        ) from None


def fits(value: object, dtype: np.dtype) -> bool:
    """Return whether a number is not an integer, or is one that ``dtype`` can hold."""
    if dtype.kind not in "iu" or not isinstance(value, (int, np.integer)):
        return True
    info = np.iinfo(dtype)
    return bool(info.min <= value <= info.max)


def check(value: Any, dtype: np.dtype) -> None:
    """Raise InvalidArgumentError for an integer that ``dtype`` cannot hold."""
    if not fits(value, dtype):
        info = np.iinfo(dtype)
        raise InvalidArgumentError(
            f"The number {shown(value)} does not fit into {dtype.name}, which goes from {info.min} "
            f"to {info.max}. Cast the tensor to a wider dtype first, or use a float."
        )


def shown(value: int) -> str:
    """Return an integer as text; for a very long one, its length."""
    bits = int(value).bit_length()
    return str(value) if bits <= 128 else f"of {bits} bits"


def operand(name: str, value: Any, dtype: np.dtype) -> tuple[Any, np.dtype]:
    """Return a number, and its dtype when it is an operand of an op along with a tensor.

    Args:
        name: the op.
        value: a number.
        dtype: the dtype of the tensor.

    Raises:
        InvalidArgumentError: for a number that ``dtype`` cannot hold, see the Note of this file.
    """
    dtype = number_dtype(value, dtype)
    if fits(value, dtype):
        return value, dtype
    if name in _COMPARISONS:
        return (math.inf if value > 0 else -math.inf), np.dtype("float64")
    bits = 8 * dtype.itemsize
    if name in _BITS and int(value).bit_length() <= bits:
        wrapped = int(value) % 2**bits
        return wrapped - 2**bits if dtype.kind == "i" and wrapped >> (bits - 1) else wrapped, dtype
    check(value, dtype)
    return value, dtype


def bound(value: Any, dtype: np.dtype) -> Any:
    """Return a limit of ``clip``; one out of range becomes the end of the range of ``dtype``."""
    if fits(value, dtype):
        return value
    info = np.iinfo(dtype)
    return info.min if value < info.min else info.max
