"""Taps of resized images: the elements and weights of each output position along one axis.

A resize is one linear map per axis with a few elements per output, its taps. An average over
windows of unequal size is another such map. The transposed map has few taps as well, so the
gradient is also a resize, with ``transposed`` taps. An element that is not finite affects only the
outputs that read it; a matrix product would spread it to all of them, because 0 * inf is nan.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.open_size import as_array
from jaxeager.core.size_comparisons import Undecided
from jaxeager.core.symbolic import has_symbols, is_symbolic

HALF = np.float32(0.5)


class Taps(NamedTuple):
    """One linear map along an axis.

    Attributes:
        index: int32[out, k], the elements that an output position reads.
        weight: float64[out, k], their weights; None for a map that only moves elements.
        size: the number of elements to read from.
    """

    index: Any
    weight: Any
    size: int


def _ratio(size: int, out: int, scale: Any, align_corners: bool, kind: type = np.float64) -> Any:
    """Return the distance in the source between neighboring outputs."""
    if align_corners and is_symbolic(out):
        last = as_array(out) - 1
        return jnp.where(last > 0, _number(size - 1, kind) / jnp.maximum(last, 1).astype(kind), 0)
    if align_corners:
        return kind(0) if out <= 1 else _number(size - 1, kind) / kind(out - 1)
    if isinstance(scale, jax.Array):
        return (1 / scale).astype(kind)
    return kind(1 / scale) if scale > 0 else _number(size, kind) / _number(out, kind)


def _number(size: int, kind: type) -> Any:
    """Return a size as a number of a type, or as a JAX array if it is symbolic."""
    return as_array(size).astype(kind) if is_symbolic(size) else kind(size)


def _is_open(size: int, out: int, scale: Any) -> bool:
    return has_symbols((size, out)) or isinstance(scale, jax.Array)


def taps(
    method: str, size: int, out: int, scale: Any, align_corners: bool, align_mode: int
) -> Taps:
    """Return the taps of one axis, as JAX arrays if a size is symbolic; see ``_taps``."""
    make = _taps if _is_open(size, out, scale) else _known_taps
    return make(method, size, out, scale, align_corners, align_mode)


def _taps(
    method: str, size: int, out: int, scale: Any, align_corners: bool, align_mode: int
) -> Taps:
    """Return the taps of one axis.

    Args:
        method: "nearest", "linear" or "cubic".
        size: the number of input elements.
        out: the number of output elements.
        scale: the user's scale factor, or 0 if the size was given; an array if a size is symbolic.
        align_corners: whether the centers of the first and last elements stay in place.
        align_mode: 0 for positions of centers, 1 for positions of corners ("linear" only).
    """
    xp: Any = jnp if _is_open(size, out, scale) else np
    if method == "nearest":
        # In float32, as in Paddle: the nearest element depends on the last digit.
        ratio = _ratio(size, out, scale, align_corners, np.float32)
        steps = xp.arange(out, dtype=np.float32)
        near = (ratio * steps + (HALF if align_corners else 0)).astype(np.int32)
        return Taps(xp.minimum(near, size - 1)[:, None], None, size)
    centered = align_mode == 0 or method == "cubic"
    place = _positions(size, out, scale, align_corners, centered)
    if method == "linear":
        place = xp.clip(place, 0, size - 1)
        low = xp.floor(place).astype(np.int32)
        part = place - low
        index = xp.stack([low, xp.minimum(low + 1, size - 1)], -1)
        return Taps(index, xp.stack([1 - part, part], -1), size)
    low = xp.floor(place).astype(np.int32)
    index = xp.clip(low[:, None] + np.arange(-1, 3, dtype=np.int32), 0, size - 1)
    return Taps(index, _cubic(place - low, -0.75), size)


_known_taps = lru_cache(maxsize=512)(_taps)


def _positions(size: int, out: int, scale: Any, align_corners: bool, centered: bool):
    """Return the position of each output among the inputs, in float64."""
    xp: Any = jnp if is_symbolic(out) else np
    steps, ratio = xp.arange(out), _ratio(size, out, scale, align_corners)
    is_shifted = centered and not align_corners
    return (steps + 0.5) * ratio - 0.5 if is_shifted else steps * ratio


def _cubic(part: Any, a: float) -> Any:
    """Return the weights of four elements for positions ``part`` after the second: [n, 4]."""
    xp: Any = np if isinstance(part, np.ndarray) else jnp
    return xp.stack([_cubic_at(abs(part - shift), a) for shift in (-1, 0, 1, 2)], -1)


def _cubic_at(distance: Any, a: float) -> Any:
    """Return Keys' cubic convolution kernel."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    xp: Any = np if isinstance(distance, np.ndarray) else jnp
    return xp.where(distance <= 1, near, xp.where(distance < 2, far, 0.0))


@lru_cache(maxsize=512)
def smooth_taps(method: str, size: int, out: int, scale: float, align_corners: bool) -> Taps:
    """Return the taps of one axis of a resize that averages skipped elements (antialias).

    Args:
        method: "linear" or "cubic".
        size: the number of input elements.
        out: the number of output elements.
        scale: the user's scale factor, or 0 if the size was given.
        align_corners: whether the ratio is that of the distances between the outermost centers.
    """
    if has_symbols((size, out)):
        raise Undecided(
            "interpolate(antialias=True) needs known sizes: they determine how many elements it "
            "reads."
        )
    ratio = float(_ratio(size, out, scale, align_corners))
    stretch = max(ratio, 1.0)
    reach = (1 if method == "linear" else 2) * stretch
    center = ratio * (np.arange(out) + 0.5)
    first = np.maximum((center - reach + 0.5).astype(np.int32), 0)
    end = np.minimum((center + reach + 0.5).astype(np.int32), size)
    index = first[:, None] + np.arange(max(int((end - first).max(initial=1)), 1), dtype=np.int32)
    distance = np.abs(index - center[:, None] + 0.5) / stretch
    is_linear = method == "linear"
    weight = np.maximum(1 - distance, 0.0) if is_linear else _cubic_at(distance, -0.5)
    weight = np.where(index < end[:, None], weight, 0.0)
    weight = weight / weight.sum(-1, keepdims=True)
    return Taps(np.minimum(index, size - 1), weight, size)


def transposed(given: Taps) -> Taps:
    """Return the taps of the transposed map: the outputs that read each element, and weights."""
    out, count = given.index.shape
    source = given.index.reshape(-1)
    weight = np.ones(source.shape) if given.weight is None else given.weight.reshape(-1)
    reader = np.repeat(np.arange(out, dtype=np.int32), count)
    used = weight != 0
    source, reader, weight = source[used], reader[used], weight[used]
    order = np.argsort(source, kind="stable")
    source, reader, weight = source[order], reader[order], weight[order]
    readers = np.bincount(source, minlength=given.size)
    rank = np.arange(len(source)) - np.repeat(np.cumsum(readers) - readers, readers)
    longest = max(int(readers.max(initial=1)), 1)
    index = np.zeros((given.size, longest), np.int32)
    weights = np.zeros((given.size, longest))
    index[source, rank], weights[source, rank] = reader, weight
    return Taps(index, weights, out)


def apply_taps(image, each: Taps, axis: int) -> Any:
    """Apply the map along an axis of an image; the result has the image's dtype."""
    rest = (1,) * (image.ndim - axis - 1)
    total = None
    if each.weight is None:
        return jnp.take(image, each.index[:, 0], axis)
    if has_symbols(each.index.shape[1:]) or each.index.shape[1] > 8:
        seen = jnp.take(image, each.index, axis)
        weight = jnp.asarray(each.weight, image.dtype).reshape(*each.weight.shape, *rest)
        return jnp.sum(jnp.where(weight == 0, 0, seen * weight), axis + 1)
    for index, weight in zip(each.index.T, each.weight.T, strict=True):
        factor = jnp.asarray(weight, image.dtype).reshape(-1, *rest)
        part = jnp.where(factor == 0, 0, jnp.take(image, index, axis) * factor)
        total = part if total is None else total + part
    return total
