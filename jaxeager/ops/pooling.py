"""The pool2d row: max and average pooling, adaptive too; pool_index.py has the one with indices.

Where several elements of a window are the largest, the first one gets the gradient, as in Paddle.
Windows of at most 16 elements are taken apart into strided slices: XLA fuses them into one pass,
and the gradient is three times as fast on a CPU as ``select_and_scatter``. Larger windows use
``reduce_window``.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.attrs import Ints
from jaxeager.ops.conv_kernels import pad_pairs, pair
from jaxeager.ops.row import op
from jaxeager.ops.samples import BadInput, Sample, values

SLICED_WINDOW = 16


class Pool(NamedTuple):
    """How a window moves over images [N, C, H, W]: two numbers each.

    Attributes:
        kernel: height and width of the window.
        strides: how far it moves.
        pads: (low, high) rows and columns around the image.
        out: height and width of the output.
    """

    kernel: tuple[int, int]
    strides: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]]
    out: tuple[int, int]

    @property
    def has_small_window(self) -> bool:
        return self.kernel[0] * self.kernel[1] <= SLICED_WINDOW

    def margins(self, size: tuple[int, ...]) -> list[tuple[int, int]]:
        """Returns the padding under which the last window ends where the image does."""
        return [
            (low, (o - 1) * s + k - n - low)
            for n, k, s, (low, _), o in zip(
                size, self.kernel, self.strides, self.pads, self.out, strict=True
            )
        ]


def pool_of(x, kernel_size, strides, paddings, ceil_mode: bool, data_format: str) -> Pool:
    """Returns the attributes in one form.

    Raises:
        ValueError: for numbers that cannot be.
    """
    if x.ndim != 4:
        raise ValueError(f"the input must have 4 dimensions, but has {x.ndim}.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be 'NCHW' or 'NHWC', but received {data_format!r}.")
    kernel, strides, pads = pair(kernel_size), pair(strides), pad_pairs(paddings)
    if min(kernel) < 1 or min(strides) < 1:
        raise ValueError(
            "kernel_size and stride must be larger than 0, but received "
            f"{list(kernel)} and {list(strides)}."
        )
    size = x.shape[2:] if data_format == "NCHW" else x.shape[1:3]
    rounding = [s - 1 if ceil_mode else 0 for s in strides]
    out = tuple(
        (n + sum(p) - k + r) // s + 1
        for n, k, s, p, r in zip(size, kernel, strides, pads, rounding, strict=True)
    )
    if min(out) < 1:
        raise ValueError(
            f"a window of {list(kernel)} does not fit into an image of {list(size)} with padding "
            f"{[n for p in pads for n in p]}."
        )
    return Pool(kernel, strides, pads, out)


def _fit(x, pool: Pool, fill):
    """Pads and crops an NCHW image to what the windows see."""
    margins = [(0, 0), (0, 0), *pool.margins(x.shape[2:])]
    return lax.pad(x, jnp.asarray(fill, x.dtype), [(low, high, 0) for low, high in margins])


def _slices(x, pool: Pool) -> list:
    """Returns, per position in the window, what the windows have there: [N, C, h, w] each."""
    (sh, sw), (oh, ow) = pool.strides, pool.out
    return [
        lax.slice(
            x,
            (0, 0, i, j),
            (*x.shape[:2], i + (oh - 1) * sh + 1, j + (ow - 1) * sw + 1),
            (1, 1, sh, sw),
        )
        for i, j in np.ndindex(*pool.kernel)
    ]


def _unslice(parts: list, shape: tuple[int, ...], pool: Pool):
    """The transpose of fitting and slicing: adds the parts up where they came from.

    Rows and columns that lie a whole number of strides apart make one phase; the phases are then
    interleaved, which is faster than adding up dilated images.
    """
    (kh, kw), (sh, sw), (oh, ow) = pool.kernel, pool.strides, pool.out
    reach = -(-kh // sh) - 1, -(-kw // sw) - 1
    zero = jnp.zeros((), parts[0].dtype)
    height, width = oh + reach[0], ow + reach[1]
    phases = []
    for a, b in np.ndindex(sh, sw):
        phase = jnp.zeros((*shape[:2], height, width), parts[0].dtype)
        for i, j in ((i, j) for i in range(a, kh, sh) for j in range(b, kw, sw)):
            rows = (i // sh, reach[0] - i // sh, 0)
            cols = (j // sw, reach[1] - j // sw, 0)
            part = parts[i * kw + j]
            phase = phase + lax.pad(part, zero, ((0, 0, 0), (0, 0, 0), rows, cols))
        phases.append(phase)
    grid = jnp.stack(phases, -1).reshape(*shape[:2], height, width, sh, sw)
    image = grid.transpose(0, 1, 2, 4, 3, 5).reshape(*shape[:2], height * sh, width * sw)
    margins = pool.margins(shape[2:])
    back = [
        (-low, n + low - full, 0)
        for n, (low, _), full in zip(shape[2:], margins, image.shape[2:], strict=True)
    ]
    return lax.pad(image, zero, [(0, 0, 0), (0, 0, 0), *back])


def _window(pool: Pool) -> dict:
    return {
        "window_dimensions": (1, 1, *pool.kernel),
        "window_strides": (1, 1, *pool.strides),
        "padding": "VALID",
    }


# ---- maximum


def _max(x, pool: Pool):
    x = _fit(x, pool, -jnp.inf)
    if not pool.has_small_window:
        return lax.reduce_window(x, np.asarray(-np.inf, x.dtype), lax.max, **_window(pool))
    first, *others = _slices(x, pool)
    for other in others:
        first = jnp.maximum(first, other)
    return first


def _max_vjp(x, out, dout, pool: Pool):
    """Sends each gradient to the first element of its window that is the largest."""
    if not pool.has_small_window:
        return jax.vjp(lambda x: _max(x, pool), x)[1](dout)[0]
    taken = jnp.zeros(out.shape, bool)
    parts = []
    for seen in _slices(_fit(x, pool, -jnp.inf), pool):
        is_max = ((seen == out) | (seen != seen)) & ~taken
        taken = taken | is_max
        parts.append(jnp.where(is_max, dout, jnp.zeros((), dout.dtype)))
    return _unslice(parts, x.shape, pool)


# ---- average


def _counts(shape: tuple[int, ...], pool: Pool, exclusive: bool):
    """Returns how many elements each window is divided by: [h, w], as NumPy float64."""
    per_axis = []
    for n, k, s, (low, high), o in zip(
        shape[2:], pool.kernel, pool.strides, pool.pads, pool.out, strict=True
    ):
        start = np.arange(o) * s - low
        end = np.minimum(start + k, n if exclusive else n + high)
        per_axis.append(end - (np.maximum(start, 0) if exclusive else start))
    return np.maximum(np.outer(*per_axis), 0).astype(np.float64)


def _average(x, pool: Pool, exclusive: bool):
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    fitted = _fit(wide, pool, 0)
    if pool.has_small_window:
        first, *others = _slices(fitted, pool)
        total = sum(others, start=first)
    else:
        total = lax.reduce_window(fitted, np.zeros((), wide.dtype), lax.add, **_window(pool))
    counts = jnp.asarray(_counts(x.shape, pool, exclusive), wide.dtype)
    return (total / counts).astype(x.dtype)


def _average_vjp(x, dout, pool: Pool, exclusive: bool):
    """Shares each gradient out over its window."""
    wide = dout.astype(jnp.promote_types(dout.dtype, jnp.float32))
    share = wide / jnp.asarray(_counts(x.shape, pool, exclusive), wide.dtype)
    if pool.has_small_window:
        return _unslice([share] * (pool.kernel[0] * pool.kernel[1]), x.shape, pool)

    def total(image):
        fitted = _fit(image, pool, 0)
        return lax.reduce_window(fitted, np.zeros((), wide.dtype), lax.add, **_window(pool))

    return jax.vjp(total, jnp.zeros(x.shape, wide.dtype))[1](share)[0]


# ---- adaptive: windows of unequal size


def bins(size: int, count: int) -> list[tuple[int, int]]:
    """Returns (start, end) of each of ``count`` windows that cover ``size`` elements evenly."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _even_pool(x, out: tuple[int, int]) -> Pool | None:
    """Returns the ordinary windows an adaptive pooling is when the sizes divide, else None."""
    if min(out) < 1 or any(n % o for n, o in zip(x.shape[2:], out, strict=True)):
        return None
    kernel = tuple(n // o for n, o in zip(x.shape[2:], out, strict=True))
    return Pool(kernel, kernel, ((0, 0), (0, 0)), out)


def _bin_averages(size: int, count: int, dtype):
    """Returns the matrix [count, size] that averages over each bin."""
    weights = np.zeros((count, size))
    for row, (start, end) in zip(weights, bins(size, count), strict=True):
        row[start:end] = 1.0 / (end - start)
    return jnp.asarray(weights, dtype)


def _adaptive_average(x, out: tuple[int, int]):
    dtype = jnp.promote_types(x.dtype, jnp.float32)
    rows = _bin_averages(x.shape[2], out[0], dtype)
    cols = _bin_averages(x.shape[3], out[1], dtype)
    averaged = jnp.einsum(
        "ph,nchw,qw->ncpq", rows, x.astype(dtype), cols, precision=lax.Precision.HIGHEST
    )
    return averaged.astype(x.dtype)


def _window_positions(x, pool: Pool | None, out: tuple[int, int]):
    """Returns rows [h, kh] and columns [w, kw] that each window sees; outside is -1 or size.

    A short adaptive window repeats its last element, which never is the first largest one.
    """
    axes = []
    for axis in range(2):
        if pool is None:
            edges = bins(x.shape[2 + axis], out[axis])
            longest = max(end - start for start, end in edges)
            axes.append(np.array([[min(s + i, e - 1) for i in range(longest)] for s, e in edges]))
        else:
            start = np.arange(pool.out[axis]) * pool.strides[axis] - pool.pads[axis][0]
            axes.append(start[:, None] + np.arange(pool.kernel[axis]))
    return axes


def max_with_index(x, pool: Pool | None, out: tuple[int, int]):
    """Returns the largest element of each window and its position in the flat image."""
    height, width = x.shape[2:]
    rows, cols = _window_positions(x, pool, out)
    inside = np.logical_and.outer((rows >= 0) & (rows < height), (cols >= 0) & (cols < width))
    flat = np.clip(rows, 0, height - 1)[:, :, None, None] * width + np.clip(cols, 0, width - 1)
    # [h, kh, w, kw] -> [h, w, kh * kw]
    shape = (*rows.shape[:1], *cols.shape[:1], rows.shape[1] * cols.shape[1])
    flat = flat.transpose(0, 2, 1, 3).reshape(shape)
    inside = inside.transpose(0, 2, 1, 3).reshape(shape)
    seen = x.reshape(*x.shape[:2], height * width)[:, :, flat]
    seen = jnp.where(inside, seen, -jnp.inf)
    # A window that starts in the padding must still name an element of the image.
    usable = np.argmax(inside, axis=-1)
    best = jnp.argmax(seen, axis=-1)
    best = jnp.where(jnp.max(seen, axis=-1) == -jnp.inf, usable, best)
    value = jnp.take_along_axis(seen, best[..., None], axis=-1)[..., 0]
    place = jnp.take_along_axis(jnp.broadcast_to(flat, seen.shape), best[..., None], axis=-1)
    return value, place[..., 0].astype(jnp.int32)


def channels_first(x, data_format: str):
    """Returns an image with its channels in front.

    Raises:
        ValueError: for an image of integers.
    """
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise ValueError(f"pooling takes floating images, not {x.dtype.name}.")
    return jnp.moveaxis(x, 3, 1) if data_format == "NHWC" else x


def _back(x, data_format: str):
    return jnp.moveaxis(x, 1, 3) if data_format == "NHWC" else x


# ---- rows


def pool2d_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    data_format: str = "NCHW",
    pooling_type: str = "max",
    adaptive: bool = False,
):
    """Takes the largest or the average of each window; adaptive: kernel_size is the output's."""
    if pooling_type not in ("max", "avg"):
        raise ValueError(f"pooling_type must be 'max' or 'avg', but received {pooling_type!r}.")
    image = channels_first(x, data_format)
    if adaptive:
        pool = _even_pool(image, pair(kernel_size))
        if pool is None and pooling_type == "avg":
            return _back(_adaptive_average(image, pair(kernel_size)), data_format)
        if pool is None:
            return _back(max_with_index(image, None, pair(kernel_size))[0], data_format)
    else:
        pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format)
    out = _max(image, pool) if pooling_type == "max" else _average(image, pool, exclusive)
    return _back(out, data_format)


def pool2d_vjp(
    x,
    out,
    dout,
    *,
    kernel_size,
    strides,
    paddings,
    ceil_mode,
    exclusive,
    data_format,
    pooling_type,
    adaptive,
):
    """Gives the gradient to the first largest element, or shares it out."""
    image, out, dout = (channels_first(each, data_format) for each in (x, out, dout))
    if adaptive:
        pool = _even_pool(image, pair(kernel_size))
        if pool is None and pooling_type == "avg":
            pull = jax.vjp(lambda x: _adaptive_average(x, pair(kernel_size)), image)[1]
            return _back(pull(dout)[0], data_format)
        if pool is None:
            place = max_with_index(image, None, pair(kernel_size))[1]
            return _back(scatter_to(place, dout, image.shape), data_format)
    else:
        pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format)
    if pooling_type == "max":
        return _back(_max_vjp(image, out, dout, pool), data_format)
    return _back(_average_vjp(image, dout, pool, exclusive), data_format)


def scatter_to(place, dout, shape: tuple[int, ...]):
    """Adds each gradient to the element of the flat image that its window chose."""
    batch, channels, height, width = shape
    count = batch * channels
    flat = jnp.zeros((count, height * width), dout.dtype)
    at = flat.at[jnp.arange(count)[:, None], place.reshape(count, -1)]
    return at.add(dout.reshape(count, -1)).reshape(shape)


def pool2d_reference(
    x,
    kernel_size,
    strides=1,
    paddings=0,
    ceil_mode=False,
    exclusive=True,
    data_format="NCHW",
    pooling_type="max",
    adaptive=False,
):
    """Goes from window to window."""
    image = np.moveaxis(x, 3, 1) if data_format == "NHWC" else x
    if adaptive:
        rows, cols = (
            [(s, e, e - s) for s, e in bins(n, o)]
            for n, o in zip(image.shape[2:], pair(kernel_size), strict=True)
        )
    else:
        pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format)
        rows, cols = (_reference_windows(image.shape[2 + i], i, pool, exclusive) for i in range(2))
    out = np.zeros((*image.shape[:2], len(rows), len(cols)), image.dtype)
    for (i, (top, bottom, h)), (j, (left, right, w)) in (
        (a, b) for a in enumerate(rows) for b in enumerate(cols)
    ):
        window = image[:, :, top:bottom, left:right]
        whole = window.max((2, 3)) if pooling_type == "max" else window.sum((2, 3)) / (h * w)
        out[:, :, i, j] = whole
    return np.moveaxis(out, 1, 3) if data_format == "NHWC" else out


def _reference_windows(size: int, axis: int, pool: Pool, exclusive: bool) -> list:
    """Returns (start, end, divisor) of each window along one axis."""
    found = []
    for i in range(pool.out[axis]):
        start = i * pool.strides[axis] - pool.pads[axis][0]
        end = min(start + pool.kernel[axis], size + pool.pads[axis][1])
        inside = max(start, 0), min(end, size)
        found.append((*inside, inside[1] - inside[0] if exclusive else end - start))
    return found


def pool2d_samples():
    """Yields both kinds: touching, overlapping and large windows, pads, ceil, adaptive, NHWC."""
    image = values((2, 3, 6, 5))
    for kind in ("max", "avg"):
        yield Sample(image, kernel_size=2, strides=2, pooling_type=kind)
        yield Sample(
            image, kernel_size=(3, 2), strides=(2, 1), paddings=1, ceil_mode=True, pooling_type=kind
        )
        yield Sample(values((1, 2, 7, 7)), kernel_size=5, strides=2, pooling_type=kind)
        yield Sample(image, kernel_size=(3, 2), pooling_type=kind, adaptive=True)
        yield Sample(image, kernel_size=(3, 5), pooling_type=kind, adaptive=True)
    channels_last = values((2, 4, 4, 3))
    yield Sample(channels_last, kernel_size=2, strides=2, ceil_mode=True, data_format="NHWC")
    yield Sample(
        image,
        kernel_size=3,
        strides=2,
        paddings=(1, 0, 0, 1),
        exclusive=False,
        ceil_mode=True,
        pooling_type="avg",
    )
    yield Sample(values((0, 2, 4, 4)), kernel_size=2, strides=2)


def pool2d_errors():
    """Yields windows that cannot be."""
    image, bad = values((1, 1, 3, 3)), InvalidArgumentError
    yield BadInput((image,), {"kernel_size": 5}, bad, "does not fit into an image of [3, 3]")
    yield BadInput((image,), {"kernel_size": 2, "strides": 0}, bad, "must be larger than 0")
    yield BadInput((image[0],), {"kernel_size": 2}, bad, "must have 4 dimensions, but has 3")
    yield BadInput((image,), {"kernel_size": (1, 2, 3)}, bad, "expected one number or two")
    yield BadInput((image,), {"kernel_size": 2, "pooling_type": "min"}, bad, "pooling_type must")


pool2d = op(
    "pool2d",
    pool2d_forward,
    vjp=pool2d_vjp,
    saves="x out",
    public=None,
    reference=pool2d_reference,
    samples=pool2d_samples,
    errors=pool2d_errors,
    formula="max: dx = dout at the first largest element of each window; "
    "avg: dx = dout / elements of the window",
    doc="Takes the largest element or the average of each window; what F.max_pool2d and "
    "F.avg_pool2d record.",
    example="paddle.nn.functional.max_pool2d(paddle.ones([1, 1, 4, 4]), 2)",
)
