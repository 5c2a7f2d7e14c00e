"""Figures of an array: the size of its numbers, its counts of NaN and Inf, and its histogram.

Note [Figures]
    An array in host memory is inspected there. An array on an accelerator is inspected by one
    kernel on the device, without waiting for it: ``ask`` returns the pending result, and
    ``answers`` reads all of them together. Infinities and NaNs are counted and excluded from the
    rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import can_be_read
from jaxeager.debug.numbers.statistics import values_of
from jaxeager.kernels.tracing import jit

if TYPE_CHECKING:
    from types import ModuleType

BINS = 24
"""Number of bars in a histogram."""


def ask(array) -> Any:
    """Return the figures of an array, or the pending result; None for an array without figures.

    Args:
        array: a jax.Array. One that JAX traces, was deleted or is empty has no figures.

    Example:
        >>> import jax.numpy as jnp
        >>> (found,) = answers([ask(jnp.array([3.0, -4.0, jnp.nan, 0.0]))])
        >>> found["norm"], found["nan"], found["zero"], found["min"], found["max"]
        (5.0, 1, 1, -4.0, 3.0)
    """
    if isinstance(array, Tracer) or array.size == 0 or array.is_deleted():
        return None
    if not _has_numbers(array.dtype):
        return None
    if can_be_read(array):
        return of_values(values_of(array))
    return array.size, _asked(array)


def of_values(values: np.ndarray) -> dict | None:
    """Return the figures of a NumPy array; None for an empty one."""
    if values.size == 0:
        return None
    with np.errstate(all="ignore"):
        return _plain(values.size, _figures(values.reshape(-1), np))


def answers(asked: list) -> list[dict | None]:
    """Return the figures for results of ``ask``; pending ones are read in one transfer."""
    late = [each[1] for each in asked if isinstance(each, tuple)]
    read = iter(jax.device_get(late))
    return [_plain(each[0], next(read)) if isinstance(each, tuple) else each for each in asked]


def _has_numbers(dtype) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.number) or jnp.issubdtype(dtype, jnp.bool_))


@jit
def _asked(array):
    return _figures(array.reshape(-1), jnp)


def _figures(flat, xp: ModuleType) -> tuple:
    """Return counts, extremes, mean, norm and histogram of an array with one axis."""
    if xp.issubdtype(flat.dtype, xp.complexfloating):
        flat = xp.abs(flat)
    wide = flat.astype(xp.float64)
    is_finite = xp.isfinite(wide)
    nans, zeros = xp.isnan(wide).sum(), (wide == 0).sum()
    count = is_finite.sum()
    low = xp.where(is_finite, wide, np.inf).min()
    high = xp.where(is_finite, wide, -np.inf).max()
    kept = xp.where(is_finite, wide, 0.0)
    largest = xp.maximum(xp.abs(kept).max(), 1e-300)  # prevents overflow of the squares
    norm = xp.sqrt(((kept / largest) ** 2).sum()) * largest
    width = xp.where(high > low, high - low, 1.0)
    place = xp.clip((kept - low) / width * BINS, 0, BINS - 1).astype(xp.int32)
    place = xp.where(is_finite, place, BINS)
    bars = (
        np.bincount(place, minlength=BINS + 1) if xp is np else jnp.bincount(place, length=BINS + 1)
    )
    counts = xp.stack([nans, wide.size - count - nans, zeros])
    sizes = xp.stack([low, high, kept.sum() / xp.maximum(count, 1), norm])
    return counts, sizes, bars[:BINS]


def _plain(count: int, found: tuple) -> dict:
    """Return figures in JSON form: undefined numbers are None."""
    counts, sizes, bars = found
    nans, infs, zeros = (int(each) for each in counts)
    low, high, mean, norm = (float(each) for each in sizes)
    has_any = nans + infs < count
    return {
        "count": int(count),
        "nan": nans,
        "inf": infs,
        "zero": zeros,
        "min": low if has_any else None,
        "max": high if has_any else None,
        "mean": _finite(mean) if has_any else None,
        "norm": _finite(norm) if has_any else None,
        "histogram": [int(each) for each in bars],
    }


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None
