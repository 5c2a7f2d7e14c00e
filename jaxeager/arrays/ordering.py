"""The order of elements along an axis, and the places of the largest and the smallest.

Note [Sorting on a CPU]
    XLA's CPU backend sorts one array of integers 6 to 10 times as fast as floats, or as several
    arrays at once: it calls a compiled comparison for these. So the order of elements is found by
    sorting integers that contain both an element, in their upper 32 bits, and its place, in the
    lower ones. As no two of them are equal, the order is stable. Elements of 64 bits are sorted
    twice, by their lower and then by their upper half. (262,144 elements in 256 lines: float32 7 ms
    instead of 41, int64 11 instead of 37, float64 14 instead of 41.)

    Nor does it vectorize the reduction that finds the place of the largest float, or of the largest
    integer along another axis than the last. A maximum, and then the least place that has it, take
    a sixth to a half of the time (262,144 elements: float32 0.1 ms instead of 0.6, int32 along the
    first axis 0.1 instead of 0.6, 4096x64x4 along the second 1.1 instead of 3.9). XLA's own op is
    as fast along an axis before whole images, with other axes before it.

    It has a fast way to the few largest elements of float32 lines only, and sorts all others. So
    numbers of 16 bits or less, all of them exact in float32, are converted, and others use the
    order above. (The 5 largest in 256 lines of 1024: bfloat16 0.6 ms instead of 35, int64 9
    instead of 31.)
"""

# The functions of JAX that take functions have no types.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import known_size

if TYPE_CHECKING:
    from collections.abc import Callable

_LOWER = 0xFFFF_FFFF
_IMAGE = 1024  # elements
_MOST = 1 << 31  # an axis longer than this is sorted by XLA's own op


def argsort(x: jax.Array, axis: int = -1, descending: bool = False) -> jax.Array:
    """Return the places of the elements in order along an axis, as int64.

    Equal elements keep their order, in both directions. nan is after all other numbers if the order
    is ascending, and before them if it is descending. On a CPU the result is found by
    Note [Sorting on a CPU].

    Args:
        x: array of real numbers or bools, with at least one axis.
        axis: the axis.
        descending: whether the largest element is first.
    """
    usual = partial(_usual, axis=axis, descending=descending)
    if _int64() != np.int64 or not _is_counted(x.shape[axis]) or has_mesh(x):
        return usual(x)
    packed = partial(_by_packing, axis=axis, descending=descending)
    return lax.platform_dependent(x, cpu=packed, default=usual)


def largest(x: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    """Return the k largest elements along the last axis, and their places as int64.

    They are in descending order, and equal elements keep theirs; nan is before all other numbers.
    XLA's own op, for floats of up to 32 bits, has 0 before -0 and -nan at the end.

    Args:
        x: array of real numbers, with at least one axis of less than 2**31 elements.
        k: how many, from 1 to the size of the axis.
    """
    usual = partial(_largest, k=k)
    if x.dtype in (np.float32, np.bool_) or _int64() != np.int64 or has_mesh(x):
        return usual(x)
    is_in_float32 = x.dtype.itemsize <= 2
    way = partial(_largest_in_float32 if is_in_float32 else _largest_by_order, k=k)
    return lax.platform_dependent(x, cpu=way, default=usual)


def _largest(x: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    out, places = lax.top_k(x, k)
    return out, places.astype(_int64())


def _largest_in_float32(x: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    out, places = _largest(x.astype(np.float32), k)
    return out.astype(x.dtype), places


def _largest_by_order(x: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    places = argsort(x, descending=True)[..., :k]
    return jnp.take_along_axis(x, places, -1), places


def argmax(x: jax.Array, axis: int, keepdims: bool = False) -> jax.Array:
    """Return the place of the first largest element along an axis; nan is the largest number."""
    return _place_of(jnp.max, jnp.argmax, x, axis, keepdims)


def argmin(x: jax.Array, axis: int, keepdims: bool = False) -> jax.Array:
    """Return the place of the first smallest element along an axis; nan is the smallest number."""
    return _place_of(jnp.min, jnp.argmin, x, axis, keepdims)


def _place_of(
    extreme: Callable[..., jax.Array],
    usual: Callable[..., jax.Array],
    x: jax.Array,
    axis: int,
    keepdims: bool,
) -> jax.Array:
    usual = partial(usual, axis=axis, keepdims=keepdims)
    before, size, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
    is_last, is_float = all(n == 1 for n in after), jnp.issubdtype(x.dtype, jnp.floating)
    is_slow = is_float or (jnp.issubdtype(x.dtype, jnp.integer) and not is_last)
    is_slow &= all(n == 1 for n in before) or known_size(after) < _IMAGE
    if not is_slow or not isinstance(size, int) or not 0 < size < _MOST or has_mesh(x):
        return usual(x)

    def least_place(x: jax.Array) -> jax.Array:
        is_extreme = x == extreme(x, axis, keepdims=True)
        is_extreme = is_extreme | jnp.isnan(x) if is_float else is_extreme
        places = lax.broadcasted_iota(np.int32, x.shape, axis)
        found = jnp.min(jnp.where(is_extreme, places, size - 1), axis, keepdims=keepdims)
        return found.astype(_int64())

    return lax.platform_dependent(x, cpu=least_place, default=lambda x: usual(x).astype(_int64()))


def has_mesh(x: jax.Array) -> bool:
    """Return whether the type of an array has a mesh: in `shard_map`, or with explicit axes.

    Ways that depend on the platform are not chosen then: their types would have to agree in how
    they are sharded.
    """
    return not jax.typeof(x).sharding.mesh.empty


def _is_counted(size: object) -> bool:
    return not isinstance(size, int) or size <= _MOST


def _usual(x: jax.Array, axis: int, descending: bool) -> jax.Array:
    return jnp.argsort(x, axis=axis, stable=True, descending=descending).astype(_int64())


def _int64() -> np.dtype:
    return jax.dtypes.canonicalize_dtype(np.int64)  # int32 if JAX has no 64 bits


def _by_packing(x: jax.Array, axis: int, descending: bool) -> jax.Array:
    line = jnp.swapaxes(x, axis, -1)
    keys = _keys(line)
    keys = ~keys if descending else keys
    if x.dtype.itemsize < 8:
        order = _order(keys)
    else:
        lower = _order((keys & _LOWER) - (1 << 31))
        upper = jnp.take_along_axis(keys >> 32, lower, -1)
        order = jnp.take_along_axis(lower, _order(upper), -1)
    return jnp.swapaxes(order, axis, -1)


def _order(keys: jax.Array) -> jax.Array:
    """Return the stable order along the last axis of integers of 32 bits, given as int64."""
    places = lax.broadcasted_iota(np.int64, keys.shape, keys.ndim - 1)
    return lax.sort((keys << 32) | places) & _LOWER


def _keys(x: jax.Array) -> jax.Array:
    """Return int64 numbers in the order of the elements, of 32 bits if the elements are smaller."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        if x.dtype == np.uint64:
            return lax.bitcast_convert_type(x, np.int64) ^ np.int64(-(2**63))
        keys = x.astype(np.int64)
        return keys - (1 << 31) if x.dtype == np.uint32 else keys
    x = x if x.dtype == np.float64 else x.astype(np.float32)
    size = 8 * x.dtype.itemsize
    bits = lax.bitcast_convert_type(x, np.dtype(f"int{size}"))
    greatest = np.iinfo(bits.dtype).max
    infinity = np.array(np.inf, x.dtype).view(bits.dtype)
    magnitude = bits & greatest
    # One nan, after infinity; one zero. Negative numbers are in the order opposite to their bits.
    bits = jnp.where(magnitude > infinity, greatest, jnp.where(magnitude == 0, 0, bits))
    return (bits ^ ((bits >> (size - 1)) & greatest)).astype(np.int64)
