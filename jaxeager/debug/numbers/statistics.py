"""Checks whether an array is finite, and computes the statistics of its elements.

Note [Probes]
    ``are_finite`` is called after every op, so it has to be cheap. It calls a probe, a function
    that is made once for each shape and dtype. A probe does not check elements one by one: the sum
    of a handful, or the dot product of many with themselves, is finite only if every element is; a
    few are checked as one integer. That takes 0.5 to 2 us, or a tenth of the time of an elementwise
    op. Only if the result is not finite, or overflowed, are the elements checked. The array is read
    in place in host memory; nothing is copied, and the array does not cache a host copy
    (``np.asarray`` would make it keep one, and an optimizer could no longer write into its buffer).

    No function here that is called after every op waits for an accelerator: ``are_finite`` returns
    False for arrays there, ``is_elsewhere`` identifies them, and ``all_finite`` checks them on the
    device.
"""

import ctypes
import functools
import math
import struct
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.extend.backend
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import can_be_read
from jaxeager.core import dtypes
from jaxeager.kernels.executables import Array
from jaxeager.kernels.tracing import jit

_FORMATS = {"float16": "e", "float32": "f", "float64": "d", "complex64": "ff", "complex128": "dd"}
_REAL = {"complex64": np.dtype("float32"), "complex128": np.dtype("float64")}
_FEWEST = 8  # up to so many numbers are fastest checked one by one
_FEW = 64  # up to so many are faster checked as one integer than by BLAS
_MOST_PROBES = 4096

SHORT = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}


class Statistics(NamedTuple):
    """Statistics of an array; ``max``, ``min`` and ``mean`` of complex numbers are of their moduli.

    ``max`` and ``min`` ignore NaNs, unless the first element is one, as in Paddle.
    """

    numel: int
    num_nan: int
    num_inf: int
    num_zero: int
    max: float
    min: float
    mean: float

    @property
    def is_bad(self) -> bool:
        """Return whether there is a NaN or an infinity."""
        return bool(self.num_nan or self.num_inf)


def has_statistics(array) -> bool:
    """Return whether an array has numbers that could be NaN, and a value now (not a tracer)."""
    dtype = getattr(array, "dtype", None)
    is_checked = dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX or is_eight_bit(dtype)
    return is_checked and not isinstance(array, Tracer) and array.size > 0


def is_eight_bit(dtype) -> bool:
    """Return whether a dtype is a float of eight bits."""
    return getattr(dtype, "name", "").startswith("float8")


def values_of(array) -> np.ndarray:
    """Return the elements for reading, without a copy that the array would keep.

    Args:
        array: a jax.Array; bfloat16 and 8-bit floats are returned as float32.
    """
    try:
        return np.frombuffer(array, array.dtype).reshape(array.shape)
    except (BufferError, ValueError, TypeError, RuntimeError, NotImplementedError):
        pass
    if isinstance(array, np.ndarray):
        return array
    with jax.ensure_compile_time_eval():
        if array.dtype.name in _FORMATS:
            return np.asarray(jnp.copy(array))
        return np.asarray(array.astype(jnp.float32))


# ---- is it finite


@jit
def _all_finite(array):
    return jnp.all(jnp.isfinite(array))


def all_finite(array):
    """Return on the device whether no element is NaN or infinite: bool[].

    Args:
        array: a jax.Array that has a value now, even while JAX traces something else.
    """
    flag = _all_finite(array)
    if isinstance(flag, Tracer):
        with jax.ensure_compile_time_eval():
            flag = _all_finite(array)
    return flag


def is_elsewhere(array) -> bool:
    """Return whether reading an array waits for an accelerator. About 0.5 us."""
    return type(array) is Array and not can_be_read(array)


def nothing(array) -> tuple:
    """Check an array that cannot contain anything bad: integers, or no elements."""
    return ()


def _dot(dtype: np.dtype) -> Callable:
    def probe(array) -> tuple:
        if not array.is_ready():
            return _BAD
        flat = np.frombuffer(array, dtype)
        return (float(np.vdot(flat, flat)),)  # np.dot would warn of an overflow

    return probe


_FINE, _BAD = (0.0,), (math.nan,)
_INFINITY = {  # bytes of a number, and the bits of infinity; larger bits are a NaN
    "float16": (2, 0x7C00), "bfloat16": (2, 0x7F80), "float32": (4, 0x7F80 << 16),
    "float64": (8, 0x7FF0 << 48),
}  # fmt: skip


def _elements(array) -> tuple:
    if not array.is_ready():
        return _BAD
    bits = np.frombuffer(array, np.uint16)
    return _FINE if int((bits & 0x7FFF).max()) < _INFINITY["float16"][1] else _BAD


def _on_device(array) -> tuple:
    if isinstance(array, Tracer):
        return _FINE
    if is_elsewhere(array):
        raise BufferError("The array is not in host memory.")
    return _waited_for(array)


def _waited_for(array) -> tuple:
    with jax.ensure_compile_time_eval():
        return _FINE if bool(_all_finite(array)) else _BAD


def _together(name: str, count: int) -> Callable:
    """Return a function that checks the bytes of a few numbers as one integer.

    Adding one to an exponent of ones carries into the sign bit, which was cleared.
    """
    width, infinity = _INFINITY[name]
    whole = int.from_bytes
    ones = whole((b"\x01" + bytes(width - 1)) * count, "little")
    step, sign = infinity & -infinity, 1 << (8 * width - 1)
    exponents, steps, signs = infinity * ones, step * ones, sign * ones

    def probe(array) -> tuple:
        return _BAD if (whole(array, "little") & exponents) + steps & signs else _FINE

    return probe


def _bfloat16(size: int) -> Callable:
    """Return a check of bfloat16 numbers, whose bytes are only accessible by address."""
    if set(jax.extend.backend.backends()) != {"cpu"}:
        return _on_device
    at = (ctypes.c_uint16 * size).from_address
    together, infinity = _together("bfloat16", min(size, _FEW)), _INFINITY["bfloat16"][1]

    def probe_few(array) -> tuple:
        array.block_until_ready()
        return together(at(array.unsafe_buffer_pointer()))

    def probe(array) -> tuple:
        if not array.is_ready():
            return _BAD
        bits = at(array.unsafe_buffer_pointer())
        sizes = np.frombuffer(memoryview(bits), np.uint16) & 0x7FFF
        return _FINE if int(sizes.max()) < infinity else _BAD

    return probe_few if size <= _FEW else probe


def _probe_for(dtype, shape: tuple) -> Callable:
    """Return a function whose results have a finite sum if the array is: Note [Probes]."""
    size = math.prod(shape)
    known = dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX or is_eight_bit(dtype)
    if not known or size == 0:
        return nothing
    form = _FORMATS.get(dtype.name)
    if form is None:
        return _bfloat16(size) if dtype.name == "bfloat16" else _on_device
    count, real = size * len(form), _REAL.get(dtype.name, dtype)
    if count <= _FEWEST:
        return struct.Struct(f"{count}{form[0]}").unpack
    if count <= _FEW:
        return _together(real.name, count)
    return _elements if form == "e" else _dot(real)


UNREADABLE = (
    AttributeError, BufferError, NotImplementedError, RuntimeError, TypeError, ValueError,
    struct.error,
)  # fmt: skip
"""Errors raised by reading an array that is not in host memory, or is in several pieces."""

UNCOMMON = (KeyError, *UNREADABLE)

_isfinite = math.isfinite
probes: dict = {}
"""(dtype, shape) to the function that checks such an array; read by the check of every op."""


def are_finite(arrays) -> bool:
    """Return whether arrays, which may include None, are finite by a fast check.

    Return False also for arrays on an accelerator, traced, or of a shape and dtype not seen before,
    and for large ones that are being computed; small ones are waited for. About 0.5 us per array.
    """
    for array in arrays:
        if array is None:
            continue
        try:
            aval = array.aval
            if not _isfinite(sum(probes[aval.dtype, aval.shape](array))):
                return False
        except UNCOMMON:
            return False
    return True


def probe_of(aval) -> Callable:
    """Return the check for arrays of a shape and dtype; ``nothing`` if none is needed."""
    key = aval.dtype, aval.shape
    probe = probes.get(key)
    if probe is None:
        if len(probes) >= _MOST_PROBES:
            probes.clear()
        probe = probes[key] = _probe_for(*key)
    return probe


def is_finite(array) -> bool:
    """Return whether no element is NaN or infinite; True for dtypes without such values.

    Args:
        array: a jax.Array, a tracer, or None.

    Example:
        >>> import jax.numpy as jnp
        >>> is_finite(jnp.ones([2])), is_finite(jnp.array([1.0, jnp.inf]))
        (True, False)
    """
    if are_finite((array,)):
        return True
    if array is None or isinstance(array, Tracer) or not hasattr(array, "aval"):
        return True
    probe = probe_of(array.aval)
    try:
        array.block_until_ready()
        if math.isfinite(sum(probe(array))):
            return True
    except UNREADABLE:
        return math.isfinite(_waited_for(array)[0])  # not in host memory, or not contiguous
    return probe is not _on_device and bool(np.isfinite(values_of(array)).all())


# ---- statistics


def statistics_of(array) -> Statistics:
    """Return the statistics of an array for which ``has_statistics`` is true.

    Example:
        >>> import jax.numpy as jnp
        >>> statistics_of(jnp.array([1.0, jnp.nan, 0.0]))[:4]
        (3, 1, 0, 1)
    """
    flat = values_of(array).ravel()
    if flat.size == 0:
        return Statistics(0, 0, 0, 0, 0.0, 0.0, 0.0)
    is_nan = np.isnan(flat)
    num_nan = int(is_nan.sum())
    num_inf = int((np.isinf(flat) & ~is_nan).sum())
    with np.errstate(all="ignore"):
        num_zero = int((flat == 0).sum())
        sizes = np.abs(flat) if flat.dtype.kind == "c" else flat
        sizes = sizes.astype(np.float64)
        mean = float((sizes / flat.size).sum())
    shown = sizes[:1] if is_nan[0] else sizes[~is_nan]
    most, least = float(shown.max()), float(shown.min())
    return Statistics(flat.size, num_nan, num_inf, num_zero, most, least, mean)


def first_bad(array) -> tuple[tuple[int, ...], str]:
    """Return the index of the first element that is not finite, and the element as text."""
    values = values_of(array)
    position = int(np.flatnonzero(~np.isfinite(values).ravel())[0])
    index = tuple([int(each) for each in np.unravel_index(position, values.shape)])
    return index, str(values.ravel()[position])


def has_nan(array) -> bool:
    """Return whether an array has a NaN; False if it can no longer be read."""
    return not array.is_deleted() and bool(np.isnan(values_of(array)).any())


@functools.cache
def _float16_limits() -> tuple[float, float]:
    """Return the largest number float16 holds, and the largest that it rounds to 0."""
    info = np.finfo(np.float16)
    return float(info.max), float(info.smallest_subnormal) / 2


def is_beyond_float16(array) -> bool:
    """Return whether a float32 array has numbers that float16 would make infinite, or 0."""
    if array.dtype != np.float32:
        return False
    largest, smallest = _float16_limits()
    sizes = np.abs(values_of(array))
    return bool(((sizes > largest) | ((sizes <= smallest) & (sizes > 0))).any())
