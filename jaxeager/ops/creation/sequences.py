"""New tensors of number sequences: arange, range, linspace, logspace.

They are made on the host and moved, which never compiles. For an integer dtype the given numbers
are truncated first, as in Paddle: ``arange(2.5, dtype="int64")`` is [0, 1].
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.core import dtypes
from jaxeager.core.open_size import as_array
from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import greater, is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.call.creation_events import source
from jaxeager.ops.call.wrapping import wrap
from jaxeager.ops.creation.creation import dtype_or_default, from_numpy
from jaxeager.ops.creation.placement import placed
from jaxeager.ops.register import composite
from jaxeager.ops.rules import fitting
from jaxeager.ops.rules.attrs import as_whole
from jaxeager.ops.rules.real_only import check_real

if TYPE_CHECKING:
    import jax

    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


def _number(value) -> float:
    """Return a Python number for a number or a one-element Tensor."""
    if hasattr(value, "_storage"):
        return value.item()
    return value.item() if isinstance(value, np.generic) else value


def _number_of(value, found: np.dtype) -> float:
    """Return ``_number``, truncated if the result has an integer dtype; open sizes are whole."""
    number = _number(value)
    check_real(number, found, "the bound")
    is_cut = found.kind in "iu" and isinstance(number, float) and math.isfinite(number)
    return math.trunc(number) if is_cut else number


def _sequence_dtype(dtype, *bounds) -> np.dtype:
    if dtype is not None:
        return dtypes.to_numpy(dtype)
    whole = all(isinstance(bound, int) for bound in bounds)
    return np.dtype("int64") if whole else dtypes.default_float()


def _open_arange(start, end, step, dtype) -> jax.Array:
    """Return the numbers of ``arange`` when one of its bounds is an open size."""
    found = _sequence_dtype(dtype, *[_like(bound) for bound in (start, end, step)])
    start, end, step = (_number_of(each, found) for each in (start, end, step))
    if is_symbolic(step):
        raise Undecided("the step of arange must be a number, not an open size.")
    if step == 0:
        raise InvalidArgumentError("The step of range op should not be 0.")
    first, last, by = (n if is_symbolic(n) else Fraction(n) for n in (start, end, step))
    parts = math.lcm(*[n.denominator for n in (first, last, by) if isinstance(n, Fraction)])
    first, last = (n * parts if is_symbolic(n) else int(n * parts) for n in (first, last))
    count = greater(-((first - last) // int(by * parts)), 0)
    begin = as_array(start) if is_symbolic(start) else start
    return (begin + jnp.arange(count) * step).astype(found)


def _is_open(value) -> bool:
    return is_symbolic(value) or (hasattr(value, "known") and is_symbolic(value.item()))


def _like(bound) -> complex:
    """Return a number of the type of a bound."""
    if is_symbolic(bound):
        return 0
    return bound._array.dtype.type(0).item() if hasattr(bound, "_storage") else bound


def _open_linspace(start, stop, count) -> jax.Array:
    """Return the numbers of ``linspace`` when one of its arguments is an open size."""
    start, stop = (as_array(n) if is_symbolic(n) else n for n in (start, stop))
    last = as_array(count) - 1
    steps = jnp.arange(count)
    between = start + steps * ((stop - start) / jnp.maximum(last, 1).astype(np.float64))
    return jnp.where((steps == last) & (last > 0), stop, between)


def _bounds(start, end, step, dtype, **rest) -> list:
    """Return the numbers that Paddle makes tensors from before an arange."""
    start, end = (0, start) if end is None else (start, end)
    found = _sequence_dtype(dtype, start, end, step)
    return [("start", start, found), ("end", end, found), ("step", step, found)]


@composite(method=False)
@source("arange", numbers=_bounds)
@placed("out device requires_grad pin_memory")
def arange(
    start: float | Tensor = 0,
    end: float | Tensor | None = None,
    step: float | Tensor = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the numbers from ``start`` up to, but not including, ``end``.

    Args:
        start: the first number; the end when ``end`` is None, and 0 is the first then.
        end: the end, which is excluded.
        step: the distance between two numbers, not 0; negative counts down.
        dtype: element type; int64 when all three are integers, else the default dtype. For
            integers, the three are truncated towards 0 first.
        name: accepted for compatibility.

    Returns:
        Tensor [n], n being ``(end - start) / step`` rounded up, at least 0.

    Raises:
        InvalidArgumentError: when ``step`` is 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.arange(1, 7, 2).tolist()
        [1, 3, 5]
    """
    if end is None:
        start, end = 0, start
    if any(map(_is_open, (start, end, step))):
        return wrap(_open_arange(start, end, step, dtype))
    found = _sequence_dtype(dtype, *map(_number, (start, end, step)))
    start, end, step = (_number_of(each, found) for each in (start, end, step))
    if step == 0:
        raise InvalidArgumentError("The step of range op should not be 0.")
    count = max(0, math.ceil((end - start) / step))
    check_size("arange", (count,), found)
    for number in (start, start + max(0, count - 1) * step):
        fitting.check(number, found if found.kind in "iu" else np.dtype("int64"))
    return from_numpy((start + np.arange(count) * step).astype(found))


@composite("range", method=False)
@source("range_v2", numbers=_bounds)
@placed("out device requires_grad")
def range_with_end(
    start: float | Tensor = 0,
    end: float | Tensor | None = None,
    step: float | Tensor = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the numbers from ``start`` to ``end``, which is included if a step reaches it.

    Paddle recommends ``arange``, which excludes ``end``, instead.

    Args:
        start: the first number; the end when ``end`` is None, and 0 is the first then.
        end: the upper limit, which is included; the lower one for a negative step.
        step: the distance between two numbers, not 0; negative counts down.
        dtype: element type, the default dtype.
        name: accepted for compatibility.

    Returns:
        Tensor [n], n being 1 more than ``(end - start) / step`` rounded down.

    Raises:
        InvalidArgumentError: when ``step`` is 0, or leads away from ``end``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.range(1, 7, 2).tolist()
        [1.0, 3.0, 5.0, 7.0]
    """
    start, end = (0, start) if end is None else (start, end)
    found = dtype_or_default(dtype)
    start, end, step = (_number_of(each, found) for each in (start, end, step))
    if step == 0:
        raise InvalidArgumentError("step must be nonzero.")
    if (end - start) / step < 0:
        raise InvalidArgumentError(f"range: a step of {step} does not lead from {start} to {end}.")
    count = math.floor((end - start) / step) + 1
    check_size("range", (count,), found)
    return from_numpy((start + np.arange(count) * step).astype(found))


def _ends(start, stop, num, dtype, base=None, **rest) -> list:
    """Return the numbers that Paddle makes tensors from before a linspace or a logspace."""
    found = dtype_or_default(dtype)
    ends = [("start", start, found), ("stop", stop, found), ("num", num, np.dtype("int32"))]
    return ends if base is None else [*ends, ("base", base, found)]


@composite(method=False)
@source("linspace", numbers=_ends)
@placed("out device requires_grad")
def linspace(
    start: float | Tensor,
    stop: float | Tensor,
    num: int | Tensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return ``num`` numbers at equal distances from ``start`` to ``stop``, both included.

    Args:
        start: the first number, or a one-element Tensor.
        stop: the last number, or a one-element Tensor.
        num: the count, an int or a one-element Tensor.
        dtype: element type, the default dtype; for integers, ``start`` and ``stop`` are truncated
            towards 0 first, and the numbers between them too.
        name: accepted for compatibility.

    Returns:
        Tensor [num].

    Raises:
        InvalidArgumentError: when ``num`` is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linspace(0, 1, 5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    count = as_whole(num, "num")
    if count < 0:
        raise InvalidArgumentError(f"num of linspace must not be negative, but received {count}.")
    found = dtype_or_default(dtype)
    start, stop = _number_of(start, found), _number_of(stop, found)
    if any(map(is_symbolic, (start, stop, count))):
        return wrap(_open_linspace(start, stop, count).astype(found))
    check_size("linspace", (count,), np.float64)
    return from_numpy(np.linspace(start, stop, count).astype(found))


@composite(method=False)
@source("logspace", numbers=_ends)
@placed("out device requires_grad")
def logspace(
    start: float | Tensor,
    stop: float | Tensor,
    num: int | Tensor,
    base: float | Tensor = 10.0,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return ``base`` to the powers that ``linspace`` returns.

    They are a tensor [num] of the default dtype, unless another ``dtype`` is given; see
    ``linspace`` for the parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    count = as_whole(num, "num")
    if count < 0:
        raise InvalidArgumentError(f"num of logspace must not be negative, but received {count}.")
    check_size("logspace", (count,), np.float64)
    found = dtype_or_default(dtype)
    powers = np.linspace(_number_of(start, found), _number_of(stop, found), count)
    return from_numpy((float(_number_of(base, found)) ** powers).astype(found))
