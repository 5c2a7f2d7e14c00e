"""Rows roi_align, roi_pool and psroi_pool: images pooled over boxes.

Each is separable, by rows and then by columns of a box. The averages have a map of each per box,
and process a few boxes at a time (a CPU one, which is faster), because all maps together would need
some gigabytes. Boxes get no gradient, as in Paddle.

Note [Places of the largest]
    ``roi_pool`` first finds the place of the largest element of each bin, then reads the elements
    there, in one step for all boxes, which is all that is differentiated. A bin has as many rows
    as its box demands, so they are compared in a loop: the bins' first rows, their second ones,
    and so on. (30 boxes of 64 channels: 8 ms on a CPU; masks of all bins take 217.)
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import per_axis
from jaxeager.ops.pooling.max_windows import is_larger
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.precision import product, quotient, wide_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

AT_ONCE = 8  # boxes at a time, on an accelerator


def _check(x, boxes, boxes_num, pooled: tuple[int, ...]) -> None:
    if x.ndim != 4 or boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(
            f"x must be [N, C, H, W] and boxes [boxes, 4], but they are {list(x.shape)} and "
            f"{list(boxes.shape)}."
        )
    if boxes_num.shape != (x.shape[0],):
        raise ValueError(
            f"boxes_num must hold one number for each of the {x.shape[0]} images, but its shape is "
            f"{list(boxes_num.shape)}."
        )
    if min(pooled) < 1:
        raise ValueError(f"output_size must be larger than 0, but received {list(pooled)}.")
    same_dtype(x, boxes)


def _over_boxes(function, x, boxes, boxes_num):
    """Return ``function(image, box)`` of each box and its image, stacked, and the images' numbers.

    Both arguments of the function are float32, or wider where ``x`` is.
    """
    wide = wide_dtype(x.dtype)
    images = jnp.arange(x.shape[0], dtype=jnp.int32)
    owner = jnp.repeat(images, boxes_num, total_repeat_length=boxes.shape[0])
    image = x.astype(wide)
    if boxes.shape[0] == 0:
        one = function(image[:1].reshape(image.shape[1:]), boxes.astype(wide).sum(0))
        return jnp.zeros((0, *one.shape), one.dtype), owner

    def run(image, owner, boxes, at_once):
        return lax.map(
            lambda each: function(image[each[0]], each[1]), (owner, boxes), batch_size=at_once
        )

    boxes = lax.stop_gradient(boxes.astype(wide))
    alone, together = partial(run, at_once=None), partial(run, at_once=AT_ONCE)
    return lax.platform_dependent(image, owner, boxes, cpu=alone, default=together), owner


# ---- roi_align


def _sample_weights(start, extent, pooled: int, size: int, ratio: int):
    """Return the weight of each row (or column) in each bin of a box: [pooled, size].

    A bin has ``ratio`` samples, or ceil of its size if ratio <= 0. Only samples that can be in the
    image are computed, so their number depends only on the image.
    """
    bin_size = quotient(extent, pooled)
    if ratio > 0:
        count, most = jnp.asarray(ratio, start.dtype), ratio
    else:
        count, most = jnp.ceil(bin_size), 2 * (size + 3)
    step = bin_size / jnp.maximum(count, 1)
    low = start + np.arange(pooled) * bin_size
    first = jnp.zeros_like(low)
    if ratio <= 0:
        first = jnp.maximum(jnp.floor((-1 - low) / jnp.where(step > 0, step, 1)) - 1, 0)
    number = first[:, None] + np.arange(most)
    place = low[:, None] + (number + 0.5) * step
    used = (number < count) & (place >= -1) & (place <= size)
    place = jnp.clip(place, 0, size - 1)
    near = jnp.maximum(1 - jnp.abs(place[..., None] - np.arange(size)), 0)
    return jnp.sum(jnp.where(used[..., None], near, 0), 1) / jnp.maximum(count, 1)


def roi_align_forward(
    x,
    boxes,
    boxes_num,
    *,
    output_size: Ints = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
):
    """Average samples of images [N, C, H, W] in each bin of boxes [boxes, 4]."""
    pooled = per_axis(output_size)
    _check(x, boxes, boxes_num, pooled)
    size = x.shape[2:]

    def align(image, box):
        corners = box * spatial_scale - (0.5 if aligned else 0.0)
        extents = corners[2:] - corners[:2]
        extents = extents if aligned else jnp.maximum(extents, 1.0)
        cols, rows = (
            _sample_weights(corners[axis], extents[axis], o, n, sampling_ratio)
            for axis, (o, n) in enumerate(zip(pooled[::-1], size[::-1], strict=True))
        )
        return jnp.einsum("ph,chw,qw->cpq", rows, image, cols, precision=lax.Precision.HIGHEST)

    return _over_boxes(align, x, boxes, boxes_num)[0].astype(x.dtype)


def _reference_owner(boxes_num) -> np.ndarray:
    return np.repeat(np.arange(len(boxes_num)), boxes_num)


def roi_align_reference(
    x,
    boxes,
    boxes_num,
    output_size=1,
    spatial_scale=1.0,
    sampling_ratio=-1,
    aligned=True,
):
    """Loop over the samples."""
    pooled, (height, width) = per_axis(output_size), x.shape[2:]
    out = np.zeros((len(boxes), x.shape[1], *pooled), x.dtype)
    for n, (box, owner) in enumerate(zip(boxes, _reference_owner(boxes_num), strict=True)):
        left, top, right, bottom = box * spatial_scale - (0.5 if aligned else 0)
        w, h = right - left, bottom - top
        if not aligned:
            w, h = max(w, 1), max(h, 1)
        bins = h / pooled[0], w / pooled[1]
        counts = [sampling_ratio if sampling_ratio > 0 else int(np.ceil(b)) for b in bins]
        for p, q in np.ndindex(*pooled):
            for i, j in np.ndindex(*counts):
                y = top + (p + (i + 0.5) / counts[0]) * bins[0]
                z = left + (q + (j + 0.5) / counts[1]) * bins[1]
                if -1 <= y <= height and -1 <= z <= width:
                    y, z = min(max(y, 0), height - 1), min(max(z, 0), width - 1)
                    a, b = min(int(y), height - 1), min(int(z), width - 1)
                    c, d = min(a + 1, height - 1), min(b + 1, width - 1)
                    u, v = y - a, z - b
                    image = x[owner]
                    upper = image[:, a, b] * (1 - v) + image[:, a, d] * v
                    lower = image[:, c, b] * (1 - v) + image[:, c, d] * v
                    out[n, :, p, q] += upper * (1 - u) + lower * u
            out[n, :, p, q] /= max(counts[0] * counts[1], 1)
    return out


BOXES = np.array([[0.3, 0.6, 3.2, 4.1], [1.2, -0.7, 6.4, 2.6], [0.4, 1.3, 1.1, 1.9]])
COUNTS = np.array([1, 2], np.int32)


def roi_align_samples():
    """Yield both alignments, fixed and free numbers of samples, boxes beyond the image."""
    x = values((2, 3, 5, 4))
    yield Sample(x, BOXES, COUNTS, output_size=2)
    yield Sample(x, BOXES, COUNTS, output_size=(2, 1), spatial_scale=0.5, aligned=False)
    yield Sample(x, BOXES, COUNTS, output_size=(1, 3), sampling_ratio=2)
    yield Sample(x, 4 * BOXES, COUNTS, output_size=2)


def roi_align_errors():
    """Yield shapes that do not fit."""
    x, bad = values((2, 1, 3, 3)), InvalidArgumentError
    yield BadInput(
        (x, BOXES[:, :3], COUNTS), {}, bad, "x must be [N, C, H, W] and boxes [boxes, 4]"
    )
    yield BadInput((x, BOXES, COUNTS[:1]), {}, bad, "boxes_num must hold one number for each of")
    yield BadInput((x, BOXES, COUNTS), {"output_size": 0}, bad, "output_size must be larger than 0")


_ROI = {
    "vjp": DERIVED,
    "saves": "boxes boxes_num",
    "shapes": "x",
    "nondiff": "boxes boxes_num",
    "public": None,
    # Corners with 8 bits of precision are another box.
    "dtypes": "float32 float64",
}

roi_align = op(
    "roi_align",
    real_only(roi_align_forward),
    reference=roi_align_reference,
    samples=roi_align_samples,
    errors=roi_align_errors,
    formula="dx = dout, times the weights with which x was read",
    doc="Average samples of images in the bins of boxes; recorded by vision.ops.roi_align.",
    example="paddle.vision.ops.roi_align(paddle.ones([1, 1, 4, 4]), "
    "paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]]), paddle.to_tensor([1], dtype='int32'), 2)",
    **_ROI,
)


# ---- psroi_pool


def _bins(start, extent, pooled: int, size: int):
    """Return a mask of the rows (or columns) in each bin of a box, bool[pooled, size]."""
    bin_size = quotient(extent, pooled)
    number = np.arange(pooled)
    low = jnp.clip(jnp.floor(start + product(bin_size, number)), 0, size)
    high = jnp.clip(jnp.ceil(start + product(bin_size, number + 1)), 0, size)
    place = jnp.arange(size)
    return (place >= low[:, None]) & (place < high[:, None])


def _rounded(value):
    """Round halves away from zero, as in C."""
    return jnp.sign(value) * jnp.floor(jnp.abs(value) + 0.5)


def psroi_pool_forward(x, boxes, boxes_num, *, output_size: Ints = 1, spatial_scale: float = 1.0):
    """Average, in each bin of boxes, the bin's own channels."""
    pooled = per_axis(output_size)
    _check(x, boxes, boxes_num, pooled)
    channels, count = x.shape[1], pooled[0] * pooled[1]
    if channels % count:
        raise ValueError(
            f"the channels must be divisible by the {count} bins, but there are {channels}."
        )

    def pool(image, box):
        start = product(_rounded(box[:2]), spatial_scale)
        extents = jnp.maximum(product(_rounded(box[2:]) + 1.0, spatial_scale) - start, 0.1)
        cols, rows = (
            _bins(start[axis], extents[axis], o, n).astype(image.dtype)
            for axis, (o, n) in enumerate(zip(pooled[::-1], image.shape[:0:-1], strict=True))
        )
        own = image.reshape(channels // count, *pooled, *image.shape[1:])
        total = jnp.einsum("ph,cpqhw,qw->cpq", rows, own, cols, precision=lax.Precision.HIGHEST)
        area = jnp.outer(rows.sum(1), cols.sum(1))
        return total / jnp.maximum(area, 1)

    return _over_boxes(pool, x, boxes, boxes_num)[0].astype(x.dtype)


def psroi_pool_reference(x, boxes, boxes_num, output_size=1, spatial_scale=1.0):
    """Loop over the bins."""
    pooled, size = per_axis(output_size), x.shape[2:]
    channels = x.shape[1] // (pooled[0] * pooled[1])
    out = np.zeros((len(boxes), channels, *pooled), x.dtype)
    for n, (box, owner) in enumerate(zip(boxes, _reference_owner(boxes_num), strict=True)):
        left, top, right, bottom = np.sign(box) * np.floor(np.abs(box) + 0.5)
        start = top * spatial_scale, left * spatial_scale
        ends = (bottom + 1) * spatial_scale, (right + 1) * spatial_scale
        bins = [max(e - s, 0.1) / o for e, s, o in zip(ends, start, pooled, strict=True)]
        for c, p, q in np.ndindex(channels, *pooled):
            edges = []
            for axis, at in enumerate((p, q)):
                low = int(np.floor(start[axis] + at * bins[axis]))
                high = int(np.ceil(start[axis] + (at + 1) * bins[axis]))
                edges.append(slice(*np.clip([low, high], 0, size[axis])))
            seen = x[owner, (c * pooled[0] + p) * pooled[1] + q][tuple(edges)]
            out[n, c, p, q] = seen.mean() if seen.size else 0
    return out


def psroi_pool_samples():
    """Yield boxes of whole and of scaled images."""
    yield Sample(values((2, 8, 5, 4)), BOXES, COUNTS, output_size=2)
    yield Sample(values((2, 6, 5, 4)), 2 * BOXES, COUNTS, output_size=(2, 1), spatial_scale=0.5)


def psroi_pool_errors():
    """Yield channels that do not divide."""
    call = (values((2, 3, 3, 3)), BOXES, COUNTS)
    yield BadInput(call, {"output_size": 2}, InvalidArgumentError, "divisible by the 4 bins")


psroi_pool = op(
    "psroi_pool",
    real_only(psroi_pool_forward),
    reference=psroi_pool_reference,
    samples=psroi_pool_samples,
    errors=psroi_pool_errors,
    formula="dx = dout, times the weights with which x was read: 1 / elements of the bin",
    doc="Average each bin's own channels over boxes; recorded by vision.ops.psroi_pool.",
    example="paddle.vision.ops.psroi_pool(paddle.ones([1, 4, 4, 4]), "
    "paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]]), paddle.to_tensor([1], dtype='int32'), 2)",
    **_ROI,
)


# ---- roi_pool


def _edges(start, extent, pooled: int, size: int):
    """Return the first row (or column) in each bin of a box, and the one after its last, int32."""
    bin_size = quotient(extent, pooled)
    number = np.arange(pooled)
    ends = jnp.floor(number * bin_size), jnp.ceil((number + 1) * bin_size)
    return jnp.clip(start + jnp.stack(ends), 0, size).astype(jnp.int32)


def _largest_along(values, rows, edges, axis: int):
    """Return the largest of the elements between edges along an axis, their rows and their places.

    The first of equal elements counts, by its row and then by its place; nan is larger than all.

    Args:
        values: an array.
        rows: the row of each value, int32; None where the rows do not matter.
        edges: the first place of each bin, and the one after its last.
        axis: the axis.
    """
    low, high = edges
    shape = [-1 if n == axis else 1 for n in range(values.ndim)]

    def read(step):
        at = jnp.minimum(low + step, high - 1)
        best = jnp.take(values, at, axis, mode="clip")
        row = None if rows is None else jnp.take(rows, at, axis, mode="clip")
        return best, row, jnp.broadcast_to(at.reshape(shape), best.shape)

    def compare(step, best):
        return jax.tree.map(partial(jnp.where, _is_before(read(step), best)), read(step), best)

    return lax.fori_loop(1, jnp.max(high - low), compare, read(0))


def _is_before(first: tuple, second: tuple):
    """Return where a (value, row, place) is the larger value, or equal and in an earlier row."""
    (value, row, _), (other, other_row, _) = first, second
    if row is None:
        return is_larger(value, other)
    is_equal = (value == other) | (jnp.isnan(value) & jnp.isnan(other))
    return is_larger(value, other) | (is_equal & (row < other_row))


def roi_pool_forward(x, boxes, boxes_num, *, output_size: Ints = 1, spatial_scale: float = 1.0):
    """Take the largest element of images [N, C, H, W] in each bin of boxes [boxes, 4]."""
    pooled = per_axis(output_size)
    _check(x, boxes, boxes_num, pooled)

    def find(image, box):
        """Return the row and the column of the largest element per bin, -1 for an empty one."""
        corners = _rounded(box * spatial_scale)
        extents = jnp.maximum(corners[2:] - corners[:2] + 1, 1)
        cols, rows = (
            _edges(corners[axis], extents[axis], o, n)
            for axis, (o, n) in enumerate(zip(pooled[::-1], image.shape[:0:-1], strict=True))
        )
        largest, _, row = _largest_along(image, None, rows, 1)
        _, row, col = _largest_along(largest, row, cols, 2)
        is_some = (rows[1] > rows[0])[:, None] & (cols[1] > cols[0])
        return jnp.where(is_some, jnp.stack([row, col]), -1)

    places, owner = _over_boxes(find, lax.stop_gradient(x), boxes, boxes_num)
    row, col = places[:, 0], places[:, 1]
    channel = np.arange(x.shape[1])[:, None, None]
    value = x.at[owner[:, None, None, None], channel, row, col].get(mode="clip")
    return jnp.where(row < 0, 0, value)


def roi_pool_reference(x, boxes, boxes_num, output_size=1, spatial_scale=1.0):
    """Loop over the bins."""
    pooled, size = per_axis(output_size), x.shape[2:]
    out = np.zeros((len(boxes), x.shape[1], *pooled), x.dtype)
    for n, (box, owner) in enumerate(zip(boxes, _reference_owner(boxes_num), strict=True)):
        scaled = box * spatial_scale
        left, top, right, bottom = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)
        start = top, left
        bins = max(bottom - top + 1, 1) / pooled[0], max(right - left + 1, 1) / pooled[1]
        for p, q in np.ndindex(*pooled):
            edges = []
            for axis, at in enumerate((p, q)):
                low = start[axis] + np.floor(at * bins[axis])
                high = start[axis] + np.ceil((at + 1) * bins[axis])
                edges.append(slice(*np.clip([low, high], 0, size[axis]).astype(int)))
            seen = x[owner][:, *edges]
            out[n, :, p, q] = seen.max((1, 2)) if seen.size else 0
    return out


def roi_pool_samples():
    """Yield boxes of whole and of scaled images."""
    yield Sample(values((2, 3, 5, 4)), BOXES, COUNTS, output_size=2)
    yield Sample(values((2, 3, 5, 4)), 2 * BOXES, COUNTS, output_size=(3, 1), spatial_scale=0.5)


roi_pool = op(
    "roi_pool",
    real_only(roi_pool_forward),
    reference=roi_pool_reference,
    samples=roi_pool_samples,
    formula="dx = dout at the first largest element of each bin",
    boundary="the first of equal elements of a bin gets the gradient, as in Paddle; an empty bin "
    "has none.",
    doc="Take the largest element in the bins of boxes; recorded by vision.ops.roi_pool.",
    example="paddle.vision.ops.roi_pool(paddle.ones([1, 1, 4, 4]), "
    "paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]]), paddle.to_tensor([1], dtype='int32'), 2)",
    **{**_ROI, "saves": "x boxes boxes_num", "shapes": ""},
)
