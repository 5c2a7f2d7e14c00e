"""Kernels of pooling over any number of spatial dimensions.

Where several elements of a window are the largest, the first one gets the gradient. Windows of at
most 16 elements are computed from strided slices: XLA fuses them into one pass, and the gradient is
three times as fast on a CPU as ``select_and_scatter``. Larger windows use ``reduce_window``.
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.open_size import as_array
from jaxeager.core.symbolic import has_symbols, is_symbolic
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.conv.geometry import (
    channels_first,
    check_format,
    pad_pairs,
    per_axis,
    spatial_size,
)
from jaxeager.ops.rules.precision import quotient, widened
from jaxeager.ops.vision.interp_taps import Taps, apply_taps, transposed

SLICED_WINDOW = 16


class Pool(NamedTuple):
    """The attributes of a pooling of images [N, C, ...]: one number per spatial dimension.

    Attributes:
        kernel: sizes of the window.
        strides: steps of the window.
        pads: (low, high) elements around the image.
        out: spatial sizes of the output.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    out: tuple[int, ...]

    @property
    def has_small_window(self) -> bool:
        count = math.prod(self.kernel)
        return not has_symbols((count, *self.out)) and count <= SLICED_WINDOW

    def margins(self, size: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return the padding, negative to crop, with which the last window ends at the edge."""
        return [
            (low, (o - 1) * s + k - n - low)
            for n, k, s, (low, _), o in zip(
                size, self.kernel, self.strides, self.pads, self.out, strict=True
            )
        ]


def _windows(room: int, stride: int) -> int:
    """Return how many windows there are if ``room`` is left next to the first.

    Paddle's division drops the fraction: one window that reaches over the edge by less than its
    stride is read as far as the image goes.
    """
    if not is_symbolic(room) and room < 0:
        return 1 - -room // stride
    return room // stride + 1


def pool_of(
    x, kernel_size, strides, paddings, ceil_mode: bool, data_format: str, dims: int = 2
) -> Pool:
    """Return the attributes in one form.

    Raises:
        ValueError: for invalid numbers.
    """
    if x.ndim != dims + 2:
        raise ValueError(f"the input must have {dims + 2} dimensions, but has {x.ndim}.")
    check_format(data_format, dims)
    kernel, strides = per_axis(kernel_size, dims), per_axis(strides, dims)
    pads = pad_pairs(paddings, dims)
    if min(kernel) < 1 or min(strides) < 1:
        raise ValueError(
            "kernel_size and stride must be larger than 0, but received "
            f"{list(kernel)} and {list(strides)}."
        )
    size = spatial_size(x, data_format)
    rounding = [s - 1 if ceil_mode else 0 for s in strides]
    out = tuple(
        _windows(n + sum(p) - k + r, s)
        for n, k, s, p, r in zip(size, kernel, strides, pads, rounding, strict=True)
    )
    if any(n < 0 for n in out if not is_symbolic(n)):  # as in Paddle, there may be no window
        raise ValueError(
            f"a window of {list(kernel)} does not fit into an image of {list(size)} with padding "
            f"{[n for p in pads for n in p]}."
        )
    return Pool(kernel, strides, pads, out)


def without_elements(image, out: tuple[int, ...], adaptive: bool):
    """Return the result where there is no window, or its windows have no elements; else None.

    As in Paddle, an adaptive window without elements gives nan.
    """
    sizes = (*out, *image.shape[2:]) if adaptive else out
    if all(is_symbolic(n) or n > 0 for n in sizes):
        return None
    return jnp.full((*image.shape[:2], *out), np.nan, image.dtype)


def _fit(x, pool: Pool, fill):
    """Pad and crop an image to the area of the windows."""
    margins = [(0, 0), (0, 0), *pool.margins(x.shape[2:])]
    return lax.pad(x, jnp.asarray(fill, x.dtype), [(low, high, 0) for low, high in margins])


def _slices(x, pool: Pool) -> list:
    """Return, per position in the window, the windows' elements there: [N, C, *out] each."""
    found = []
    for start in np.ndindex(*pool.kernel):
        ends = [i + (o - 1) * s + 1 for i, o, s in zip(start, pool.out, pool.strides, strict=True)]
        found.append(lax.slice(x, (0, 0, *start), (*x.shape[:2], *ends), (1, 1, *pool.strides)))
    return found


def _unslice(parts: list, shape: tuple[int, ...], pool: Pool):
    """Add the parts up at their places in the image: the transpose of fitting and slicing.

    Elements whose distance is a multiple of the stride form one phase. The phases are then
    interleaved, which is faster than adding up dilated images.
    """
    kernel, strides, dims = pool.kernel, pool.strides, len(pool.kernel)
    reach = [-(-k // s) - 1 for k, s in zip(kernel, strides, strict=True)]
    zero = jnp.zeros((), parts[0].dtype)
    sizes = [o + r for o, r in zip(pool.out, reach, strict=True)]
    phases = {at: jnp.zeros((*shape[:2], *sizes), zero.dtype) for at in np.ndindex(*strides)}
    for part, position in zip(parts, np.ndindex(*kernel), strict=True):
        steps = [i // s for i, s in zip(position, strides, strict=True)]
        at = tuple(i % s for i, s in zip(position, strides, strict=True))
        margins = [(n, r - n, 0) for n, r in zip(steps, reach, strict=True)]
        phases[at] = phases[at] + lax.pad(part, zero, ((0, 0, 0), (0, 0, 0), *margins))
    grid = jnp.stack(list(phases.values()), -1).reshape(*shape[:2], *sizes, *strides)
    order = [axis for i in range(dims) for axis in (2 + i, 2 + dims + i)]
    full = [n * s for n, s in zip(sizes, strides, strict=True)]
    image = grid.transpose(0, 1, *order).reshape(*shape[:2], *full)
    margins = pool.margins(shape[2:])
    back = [(-low, n + low - f, 0) for n, (low, _), f in zip(shape[2:], margins, full, strict=True)]
    return lax.pad(image, zero, [(0, 0, 0), (0, 0, 0), *back])


def _window(pool: Pool) -> dict:
    return {
        "window_dimensions": (1, 1, *pool.kernel),
        "window_strides": (1, 1, *pool.strides),
        "padding": "VALID",
    }


# ---- maximum


def max_over(x, pool: Pool):
    x = _fit(x, pool, -jnp.inf)
    if not pool.has_small_window:
        return lax.reduce_window(x, np.asarray(-np.inf, x.dtype), lax.max, **_window(pool))
    first, *others = _slices(x, pool)
    for other in others:
        first = jnp.maximum(first, other)
    return first


def max_vjp(x, out, dout, pool: Pool):
    """Add each gradient to the first of the largest elements of its window."""
    if not pool.has_small_window:
        return jax.vjp(lambda x: max_over(x, pool), x)[1](dout)[0]
    is_found = jnp.zeros(out.shape, bool)
    parts = []
    for seen in _slices(_fit(x, pool, -jnp.inf), pool):
        is_max = ((seen == out) | (seen != seen)) & ~is_found
        is_found = is_found | is_max
        parts.append(jnp.where(is_max, dout, jnp.zeros((), dout.dtype)))
    return _unslice(parts, x.shape, pool)


# ---- average


def _counts(shape: tuple[int, ...], pool: Pool, exclusive: bool):
    """Return the divisor of each window, its number of elements, as NumPy float64.

    It is a JAX array if it depends on an unknown size.
    """
    xp: Any = jnp if has_symbols((*shape[2:], *pool.kernel, *pool.out)) else np
    counted = []
    for n, k, s, (low, high), o in zip(
        shape[2:], pool.kernel, pool.strides, pool.pads, pool.out, strict=True
    ):
        start = xp.arange(o) * s - low
        end = xp.minimum(start + k, n if exclusive else n + high)
        counted.append(end - (xp.maximum(start, 0) if exclusive else start))
    counts = xp.ones((), np.float64)
    for each in counted:
        counts = xp.multiply(counts[..., None], each)
    return xp.maximum(counts, 0)


def sum_over(x, pool: Pool):
    """Return the sum of each window; the padding counts as 0."""
    fitted = _fit(x, pool, 0)
    if pool.has_small_window:
        first, *others = _slices(fitted, pool)
        return sum(others, start=first)
    if pool.kernel == pool.strides:
        return _tiles(fitted, pool).sum(_tile_axes(pool))
    return lax.reduce_window(fitted, np.zeros((), x.dtype), lax.add, **_window(pool))


def sum_vjp(dout, shape: tuple[int, ...], pool: Pool):
    """Return, for an image of that shape, the sum of the gradients of each element's windows."""
    if pool.has_small_window:
        return _unslice([dout] * int(np.prod(pool.kernel)), shape, pool)
    if pool.kernel == pool.strides:
        return _untile(dout, shape, pool)
    return jax.vjp(lambda x: sum_over(x, pool), jnp.zeros(shape, dout.dtype))[1](dout)[0]


def _tiles(fitted, pool: Pool):
    """Reshape an image into adjacent windows: [N, C, out, kernel, out, kernel, ...]."""
    sizes = [n for pair in zip(pool.out, pool.kernel, strict=True) for n in pair]
    return fitted.reshape(*fitted.shape[:2], *sizes)


def _tile_axes(pool: Pool) -> tuple[int, ...]:
    return tuple(range(3, 3 + 2 * len(pool.kernel), 2))


def _untile(dout, shape: tuple[int, ...], pool: Pool):
    """Apply the transpose of fitting an image and summing adjacent windows."""
    sizes = [n for pair in zip(pool.out, pool.kernel, strict=True) for n in pair]
    spread = jnp.broadcast_to(jnp.expand_dims(dout, _tile_axes(pool)), (*dout.shape[:2], *sizes))
    full = [o * k for o, k in zip(pool.out, pool.kernel, strict=True)]
    margins = [(-low, -high, 0) for low, high in pool.margins(shape[2:])]
    zero = jnp.zeros((), dout.dtype)
    return lax.pad(spread.reshape(*dout.shape[:2], *full), zero, [(0, 0, 0)] * 2 + margins)


def average_over(x, pool: Pool, exclusive: bool):
    """Return the average of each window."""
    total = sum_over(widened(x), pool)
    counts = jnp.asarray(_counts(x.shape, pool, exclusive), total.dtype)
    return quotient(total, counts).astype(x.dtype)


def average_vjp(x, dout, pool: Pool, exclusive: bool):
    """Divide each gradient among the elements of its window."""
    given = widened(dout)
    counts = jnp.asarray(_counts(x.shape, pool, exclusive), given.dtype)
    return sum_vjp(given / counts, x.shape, pool)


# ---- adaptive: windows of unequal size


def bins(size: int, count: int) -> list[tuple[int, int]]:
    """Return (start, end) of each of ``count`` windows that cover ``size`` elements evenly."""
    check_size("adaptive pooling", (count, 2), np.int64)
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def even_pool(x, out: tuple[int, ...]) -> Pool | None:
    """Return the ordinary windows of an adaptive pooling if the sizes divide, else None."""
    if any(n < 1 for n in out):
        return None
    if any(n % o != 0 for n, o in zip(x.shape[2:], out, strict=True)):
        return None
    kernel = tuple(n // o for n, o in zip(x.shape[2:], out, strict=True))
    return Pool(kernel, kernel, ((0, 0),) * len(out), out)


def _bin_sums(size: int, count: int) -> tuple[Taps, Any]:
    """Return the map that adds up each of ``count`` bins, and the lengths of the bins."""
    if has_symbols((size, count)):
        start, end, steps = open_bins(size, count)
        inside = steps < (end - start)[:, None]
        index = jnp.where(inside, start[:, None] + steps, 0).astype(np.int32)
        return Taps(index, inside.astype(np.float64), size), end - start
    edges = np.array(bins(size, count)).reshape(-1, 2)
    lengths = edges[:, 1] - edges[:, 0]
    steps = np.arange(max(int(lengths.max(initial=1)), 1))
    inside = steps < lengths[:, None]
    index = np.where(inside, edges[:, :1] + steps, 0).astype(np.int32)
    return Taps(index, inside.astype(np.float64), size), np.maximum(lengths, 1)


def open_bins(size: int, count: int) -> tuple:
    """Return the start and end of each bin, and 0, 1, ... for the elements of the longest one."""
    number = jnp.arange(count, dtype=np.int64)
    size_value, count_value = (as_array(n) for n in (size, count))
    start = number * size_value // count_value
    end = -(-(number + 1) * size_value // count_value)
    return start, end, jnp.arange(-(-size // count) + 1)


def adaptive_average(x, out: tuple[int, ...]):
    """Average over windows of unequal size that cover an image [N, C, ...] evenly."""
    total, elements = widened(x), np.ones((), np.int64)
    for axis, count in enumerate(out, 2):
        sums, lengths = _bin_sums(x.shape[axis], count)
        total, elements = apply_taps(total, sums, axis), elements[..., None] * lengths
    return quotient(total, elements).astype(x.dtype)


def adaptive_average_vjp(x, dout, out: tuple[int, ...]):
    """Divide each gradient among the elements of its window of ``adaptive_average``."""
    shared = widened(dout)
    for axis, count in enumerate(out, 2):
        sums, lengths = _bin_sums(x.shape[axis], count)
        averages = Taps(sums.index, sums.weight / lengths[:, None], sums.size)
        shared = apply_taps(shared, transposed(averages), axis)
    return shared.astype(x.dtype)


def floating_image(x, data_format: str):
    """Return an image in a channels-first layout.

    Raises:
        ValueError: for an image of integers.
    """
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise ValueError(f"pooling takes floating images, not {x.dtype.name}.")
    return channels_first(x, data_format)


def scatter_to(place, dout, shape: tuple[int, ...]):
    """Add each gradient to the element of the flat image that its window chose."""
    count = shape[0] * shape[1]
    flat = jnp.zeros((count, int(np.prod(shape[2:]))), dout.dtype)
    at = flat.at[jnp.arange(count)[:, None], place.reshape(count, -1)]
    return at.add(dout.reshape(count, -1)).reshape(shape)
