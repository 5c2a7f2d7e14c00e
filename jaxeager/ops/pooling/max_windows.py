"""The largest element of each window of an image, and its position.

Note [Ways to find a position]
    XLA looks elements up one by one, and finds the place of a maximum with a reduction that a CPU
    does not vectorize. Most windows need neither. Windows that cover the image once are a reshape,
    with a maximum and the least position that has it. Small windows are compared element by
    element, along one axis after the other, which XLA fuses into one loop for each axis. (256
    images of 64x64: one window each 0.6 ms instead of 8, 2x2 0.3 instead of 6, 3x3 with stride 2 5
    instead of 27, 5x5 20 instead of 290.) Larger windows that overlap or have several sizes, and
    windows that are not known until the kernel runs and may be outside, are looked up.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import has_symbols, is_symbolic
from jaxeager.ops.pooling.pool_kernels import Pool, bins, open_bins
from jaxeager.ops.rules.far_places import check_reach

COMPARED = 16  # the longest side of a window that is compared element by element
LOOKED_UP = 4  # above it, edges are repeated, so that the elements are slices


def window_positions(size, pool: Pool | None, out: tuple[int, ...]) -> list:
    """Return, per axis, the positions in each window, [out, k]; some may be outside of the image.

    A short adaptive window repeats its last element; a repetition is never the first largest one.
    """
    axes = []
    for axis, (n, o) in enumerate(zip(size, out, strict=True)):
        if pool is None and has_symbols((n, o)):
            start, end, steps = open_bins(n, o)
            axes.append(jnp.minimum(start[:, None] + steps, end[:, None] - 1))
        elif pool is None:
            edges = bins(n, o)
            longest = max(end - start for start, end in edges)
            axes.append(np.array([[min(s + i, e - 1) for i in range(longest)] for s, e in edges]))
        else:
            start = (jnp if is_symbolic(o) else np).arange(o) * pool.strides[axis] - pool.pads[
                axis
            ][0]
            axes.append(start[:, None] + np.arange(pool.kernel[axis]))
    return axes


def max_with_index(x, pool: Pool | None, out: tuple[int, ...]):
    """Return the largest element of each window and its position in the flat image."""
    return max_of_windows(x, window_positions(x.shape[2:], pool, out))


def max_of_windows(x, positions: list, all_inside: bool = False):
    """Return the largest element of each window, and its flat position, int32.

    The first of equal elements counts; nan is larger than all others.

    Args:
        x: [N, C, *size].
        positions: per axis the positions in each window, [out, k]; those outside do not count.
        all_inside: whether none is outside, although the positions are not known before it runs.
    """
    size = x.shape[2:]
    check_reach(np.int32, math.prod(size))
    is_known = all(isinstance(seen, np.ndarray) for seen in positions) and not has_symbols(size)
    sides = [seen.shape[1] for seen in positions]
    if (is_known or all_inside) and not has_symbols(sides) and max(sides) <= COMPARED:
        return (_compared if is_known else _compared_inside)(x, positions)
    if is_known and all(map(_covers, positions, size)):
        return _tiled(x, positions)
    return _looked_up(x, positions)


# ---- windows that cover the image once


def _covers(seen: np.ndarray, count: int) -> bool:
    """Return whether windows along an axis have each element once, in order."""
    return np.array_equal(seen.ravel(), np.arange(count))


def _tiled(x, positions: list):
    tiles = [n for seen in positions for n in seen.shape]
    axes = tuple(range(3, 2 + len(tiles), 2))
    elements = x.reshape(*x.shape[:2], *tiles)
    largest = jnp.max(elements, axes, keepdims=True)
    count = math.prod(tiles)
    flat = np.arange(count, dtype=np.int32).reshape(tiles)
    is_largest = (elements == largest) | jnp.isnan(elements)
    place = jnp.min(jnp.where(is_largest, flat, count - 1), axes)
    # Looked up, so that the first of equal elements has the whole slope.
    rows = place.reshape(*x.shape[:2], -1)
    value = jnp.take_along_axis(x.reshape(*x.shape[:2], count), rows, 2)
    return value.reshape(place.shape), place


# ---- small windows


def _compared(x, positions: list):
    size = x.shape[2:]
    place = jnp.arange(math.prod(size), dtype=np.int32).reshape(1, 1, *size)
    for axis in reversed(range(len(size))):
        x, place = _largest_along(x, place, positions[axis], axis + 2)
    return x, jnp.broadcast_to(place, x.shape)


def _largest_along(x, place, seen: np.ndarray, axis: int):
    """Return the largest element of windows along an axis, and what ``place`` has for it."""
    count, all_seen = x.shape[axis], seen
    is_inside, seen = (seen >= 0) & (seen < count), np.clip(seen, 0, count - 1)
    # A window that starts in the padding must still return a position in the image.
    first = seen[np.arange(len(seen)), is_inside.argmax(1)]
    shape = [-1 if n == axis else 1 for n in range(x.ndim)]
    best, chosen = _at(x, first, axis), _at(place, first, axis)
    if not is_inside.any(1).all():
        best = jnp.where(is_inside.any(1).reshape(shape), best, -jnp.inf)
    if count and seen.shape[1] > LOOKED_UP:  # the elements of a few are looked up faster
        x, place, seen = _with_edges(x, place, all_seen, axis)
    for column, inside in zip(seen.T, is_inside.T, strict=True):
        value, other = _at(x, column, axis), _at(place, column, axis)
        is_better = is_larger(value, best)
        if not inside.all():
            is_better &= inside.reshape(shape)
        best, chosen = jnp.where(is_better, value, best), jnp.where(is_better, other, chosen)
    return best, chosen


def is_larger(value, other):
    """Return where a value is larger than another one; nan is larger than all other numbers."""
    return (value > other) | (jnp.isnan(value) & ~jnp.isnan(other))


def _with_edges(x, place, seen: np.ndarray, axis: int):
    """Repeat the edges of an axis as far as windows read; return the positions there, too."""
    low, high = max(-int(seen.min()), 0), max(int(seen.max()) + 1 - x.shape[axis], 0)
    margins = [(low, high) if n == axis else (0, 0) for n in range(x.ndim)]
    padded = jnp.pad(x, margins, "edge"), jnp.pad(place, margins, "edge")
    return *lax.optimization_barrier(padded), seen + low


def _compared_inside(x, positions: list):
    size = x.shape[2:]
    place = jnp.arange(math.prod(size), dtype=np.int32).reshape(1, 1, *size)
    for axis in reversed(range(2, x.ndim)):
        first, *others = positions[axis - 2].T
        best, chosen = (jnp.take(each, first, axis, mode="clip") for each in (x, place))
        for column in others:
            value, other = (jnp.take(each, column, axis, mode="clip") for each in (x, place))
            is_better = is_larger(value, best)
            best, chosen = jnp.where(is_better, value, best), jnp.where(is_better, other, chosen)
        x, place = best, chosen
    return x, jnp.broadcast_to(place, x.shape)


def _at(array, places: np.ndarray, axis: int):
    """Return the elements at some places of an axis: a slice if the steps are equal."""
    steps = set(np.diff(places).tolist())
    if len(steps) == 1 and min(steps) > 0:
        return lax.slice_in_dim(array, int(places[0]), int(places[-1]) + 1, steps.pop(), axis)
    return jnp.take(array, places, axis)


# ---- other windows


def _window_grid(positions: list, size: tuple[int, ...]) -> tuple:
    """Return the flat positions in each window, [*out, elements], and a mask of those inside.

    For NumPy arrays the results are NumPy arrays, which are constants of the kernel.
    """
    is_known = all(isinstance(seen, np.ndarray) for seen in positions) and not has_symbols(size)
    dims, xp = len(size), np if is_known else jnp
    flat, inside = xp.zeros((), np.int32), xp.ones((), bool)
    for seen, n in zip(positions, size, strict=True):
        flat = xp.add.outer(flat * n, xp.clip(seen, 0, n - 1))
        inside = xp.logical_and.outer(inside, (seen >= 0) & (seen < n))
    order = (*range(0, 2 * dims, 2), *range(1, 2 * dims, 2))
    shape = (*(seen.shape[0] for seen in positions), -1)
    return flat.transpose(order).reshape(shape), inside.transpose(order).reshape(shape)


def _looked_up(x, positions: list):
    size = x.shape[2:]
    flat, inside = _window_grid(positions, size)
    seen = x.reshape(*x.shape[:2], math.prod(size))[:, :, flat]
    seen = jnp.where(inside, seen, -jnp.inf)
    # A window that starts in the padding must still return a position in the image.
    usable = (np if isinstance(inside, np.ndarray) else jnp).argmax(inside, axis=-1)
    best = jnp.argmax(seen, axis=-1)
    best = jnp.where(jnp.max(seen, axis=-1) == -jnp.inf, usable, best)
    value = jnp.take_along_axis(seen, best[..., None], axis=-1)[..., 0]
    place = jnp.take_along_axis(jnp.broadcast_to(flat, seen.shape), best[..., None], axis=-1)
    return value, place[..., 0].astype(jnp.int32)
