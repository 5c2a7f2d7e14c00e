"""How convolutions are computed: by XLA's own op, and on a CPU by what is faster there.

Note [Convolutions on a CPU]
XLA's CPU convolution is slow in two cases (more in few_pixels.py and groups.py). With few input
channels a 1-to-6-channel 3x3 convolution takes 2 to 10 times as long as the same numbers as one
matrix product; with a filter for each channel (depthwise) it takes 20 to 30 times as long as adding
up shifted images. So these lower to slices, dots and sums on a CPU and to ``conv_general_dilated``
everywhere else. The choice is made by ``lax.platform_dependent`` when a kernel is lowered, for the
device its operands are on, and costs nothing at run time. Above 8 MiB of columns the copy costs
more than the matrix product gains. Convolutions of volumes are slower still (2 to 30 times, with
any number of channels), so there the matrix product is taken up to 16 MiB. Many filter positions
are many slices to compile (7x7: half a second), so above 5x5 XLA's own op is taken.

Its gradient of a filter takes room as it goes that it does not count: 130 MiB for 2048 images of
6x14x14 and a 5x5 filter. So many images are taken in two or four pieces, one after the other: a
quarter of the room and, because more of it stays in the caches, 0.5 to 0.9 of the time. More than
four would gain little more, and each is 50 ms to compile.

Note [An axis at a time]
What the 25 positions of a 5x5 filter see is cut along one axis first, and of that along the other:
10 slices and not 25. XLA compiles that in a third of the time (0.15 s and not 0.48 s), and it runs
in 0.7 to 1 of the time. Adding columns up into an image is one step of XLA as it is: an axis at a
time would take twice as long.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import has_symbols
from jaxeager.ops.conv.choice import Condition, at_most, first_way
from jaxeager.ops.conv.few_pixels import (
    few_filter_grad,
    few_forward,
    few_input_grad,
    filter_grad_looks_up,
    forward_looks_up,
    input_grad_looks_up,
)
from jaxeager.ops.conv.geometry import Geometry, counts, plane, rows_of, views
from jaxeager.ops.conv.groups import by_group, is_grouped, is_split, tap_filter_grad

COLUMN_BYTES = 8 << 20
VOLUME_COLUMN_BYTES = 16 << 20


# ---- the two ways to compute


def dimension_numbers(layout: str) -> tuple[str, str, str]:
    """Return what ``conv_general_dilated`` calls a layout, filters being [M, C / groups, ...]."""
    return layout, "OI" + layout.replace("N", "").replace("C", ""), layout


def _convolve(x, filter, g: Geometry):
    """The convolution as XLA has it."""
    return lax.conv_general_dilated(
        x,
        filter,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=dimension_numbers(g.layout),
        feature_group_count=g.groups,
    )


def _columns(x, kernel: tuple[int, ...], g: Geometry):
    """Return what each filter position sees of an image: [C * positions, N * outputs].

    One axis after the other (Note [An axis at a time]).
    """
    seen = jnp.pad(x.swapaxes(0, 1), ((0, 0), (0, 0), *g.pads))
    out = g.out_size(x.shape[2:], kernel)
    for axis, count in enumerate(kernel):  # [C, *positions, N, *outputs, *axes to come]
        cuts = [g.seen_along(axis, position, out[axis]) for position in range(count)]
        place = 2 + 2 * axis
        seen = jnp.stack([lax.slice_in_dim(seen, *cut, place) for cut in cuts], 1 + axis)
        if axis + 1 < len(kernel) and count > 1:
            seen = lax.optimization_barrier(seen)  # or XLA makes one step of both axes
    return seen.reshape(x.shape[1] * int(np.prod(kernel)), -1)


def from_columns(columns, shape: tuple[int, ...], kernel: tuple[int, ...], g: Geometry):
    """The transpose of ``_columns``: adds [C * positions, N * outputs] up into an image."""
    batch, channels, *size = shape
    out = g.out_size(tuple(size), kernel)
    columns = columns.reshape(channels, int(np.prod(kernel)), batch, *out)
    padded = [n + sum(p) for n, p in zip(size, g.pads, strict=True)]
    zero = jnp.zeros((), columns.dtype)
    image = jnp.zeros((channels, batch, *padded), columns.dtype)
    for number, position in enumerate(np.ndindex(*kernel)):
        starts, ends, steps = g.seen_from(position, out)
        margins = [
            (a, n - b, s - 1) for a, b, n, s in zip(starts, ends, padded, steps, strict=True)
        ]
        image = image + lax.pad(columns[:, number], zero, ((0, 0, 0), (0, 0, 0), *margins))
    inside = tuple(slice(low, low + n) for (low, _), n in zip(g.pads, size, strict=True))
    return image[:, :, *inside].swapaxes(0, 1)


def _dot_forward(x, filter, g: Geometry):
    """The convolution of an image as one matrix product."""
    out_channels = filter.shape[0]
    out = filter.reshape(out_channels, -1) @ _columns(x, filter.shape[2:], g)
    size = g.out_size(x.shape[2:], filter.shape[2:])
    return out.reshape(out_channels, x.shape[0], *size).swapaxes(0, 1)


def _dot_input_grad(x, filter, dout, g: Geometry):
    """The gradient of an image as one matrix product."""
    columns = filter.reshape(filter.shape[0], -1).T @ rows_of(dout)
    return from_columns(columns, x.shape, filter.shape[2:], g)


def _dot_filter_grad(x, filter, dout, g: Geometry):
    """The gradient of the filter as one matrix product."""
    columns = _columns(x, filter.shape[2:], g)
    return (rows_of(dout) @ columns.T).reshape(filter.shape)


def _filter_grad_in_pieces(x, filter, dout, g: Geometry, pieces: int):
    """The gradient of the filter as the sum of those of a part of the images each."""
    first, *others = zip(jnp.split(x, pieces), jnp.split(dout, pieces), strict=True)
    total = _plain_filter_grad(first[0], filter, first[1], g)
    for each in others:  # one after the other: each has the room that the last one had
        total, (images, douts) = lax.optimization_barrier((total, each))
        total = total + _plain_filter_grad(images, filter, douts, g)
    return total


# ---- which of them a CPU takes: measured on 2 cores, see Note [Convolutions on a CPU]


def _columns_fit(x, filter, g: Geometry) -> Condition:
    """Says whether the columns of an image are few enough for a matrix product to win."""
    if g.groups != 1 or x.dtype not in (jnp.float32, jnp.float64) or x.size == 0:
        return False
    outputs = int(np.prod(g.out_size(x.shape[2:], filter.shape[2:])))
    count = plane(filter) * x.shape[0] * outputs
    if count == 0:
        return False
    limit = VOLUME_COLUMN_BYTES if _is_volume(filter) else COLUMN_BYTES
    return _is_pointwise(filter) or at_most(count * x.dtype.itemsize, limit)


def _is_pointwise(filter) -> bool:
    return set(filter.shape[2:]) == {1}


def _is_volume(filter) -> bool:
    return filter.ndim == 5


def _forward_by_dot(x, filter, g: Geometry) -> Condition:
    channels, out_channels = filter.shape[1], filter.shape[0]
    positions = int(np.prod(filter.shape[2:]))
    few = channels <= 3 or (channels <= 8 and out_channels <= 16)
    wins = (few and positions <= 25) or _is_pointwise(filter) or _is_volume(filter)
    return wins and _columns_fit(x, filter, g)


def _input_grad_by_dot(x, filter, g: Geometry) -> Condition:
    _, outputs, positions = counts(x, filter, g)
    few = filter.shape[1] <= 8 or positions > outputs
    wins = few or _is_pointwise(filter) or _is_volume(filter)
    return wins and _columns_fit(x, filter, g)


def _filter_grad_by_dot(x, filter, g: Geometry) -> Condition:
    one_plane = filter.shape[1] == 1 and plane(filter) <= 9
    wins = one_plane or _is_pointwise(filter) or _is_volume(filter)
    return wins and _columns_fit(x, filter, g)


def _pieces(x, filter, g: Geometry) -> int:
    """Return in how many pieces the images are taken for the gradient of the filter."""
    if g.groups != 1 or x.ndim != 4 or x.dtype not in (jnp.float32, jnp.float64) or x.size == 0:
        return 1
    outputs = int(np.prod(g.out_size(x.shape[2:], filter.shape[2:])))
    column_bytes = plane(filter) * x.shape[0] * outputs * x.dtype.itemsize
    wanted = 4 if column_bytes > 2 * COLUMN_BYTES else 2 if column_bytes > COLUMN_BYTES else 1
    return next(pieces for pieces in (4, 2, 1) if pieces <= wanted and x.shape[0] % pieces == 0)


def _is_depthwise(x, filter, g: Geometry) -> bool:
    """Says whether shifted sums win: one input channel a filter, of at most 49 numbers."""
    if not g.groups == x.shape[1] > 1 or x.dtype not in (jnp.float32, jnp.float64):
        return False
    has_pixels = x.size > 0 and min(g.out_size(x.shape[2:], filter.shape[2:])) > 0
    return has_pixels and plane(filter) <= 49


# ---- depthwise: sums of shifted images


def _shifted(x, kernel: tuple[int, ...], g: Geometry) -> list:
    """Return what each filter position sees of an image: [N, C, 1, *outputs] each."""
    return [each[:, :, None] for each in views(x, kernel, g)]


def _taps(filter, channels: int):
    """Return a depthwise filter as [positions, C, M / C, 1, ...]."""
    ones = (1,) * (filter.ndim - 2)
    grouped = filter.reshape(channels, filter.shape[0] // channels, -1, *ones)
    return jnp.moveaxis(grouped, 2, 0)


def _shift_forward(x, filter, g: Geometry):
    """A depthwise convolution as a sum of scaled, shifted images."""
    taps = _taps(filter, x.shape[1])
    seen = _shifted(x, filter.shape[2:], g)
    total = seen[0] * taps[0]
    for each, tap in zip(seen[1:], taps[1:], strict=True):
        total = total + each * tap
    return total.reshape(x.shape[0], filter.shape[0], *total.shape[3:])


def _shift_input_grad(x, filter, dout, g: Geometry):
    """The gradient of the image of a depthwise convolution."""
    batch, channels = x.shape[:2]
    grouped = dout.reshape(batch, channels, -1, *dout.shape[2:])
    taps = _taps(filter, channels)
    columns = [jnp.sum(grouped * tap, 2) for tap in taps]
    stacked = jnp.stack([each.swapaxes(0, 1) for each in columns], 1)
    return from_columns(stacked, x.shape, filter.shape[2:], g)


def _shift_filter_grad(x, filter, dout, g: Geometry):
    """The gradient of the filter of a depthwise convolution."""
    grouped = dout.reshape(x.shape[0], x.shape[1], -1, *dout.shape[2:])
    axes = (0, *range(3, grouped.ndim))
    sums = [jnp.sum(each * grouped, axes) for each in _shifted(x, filter.shape[2:], g)]
    return jnp.stack(sums, -1).reshape(filter.shape)


# ---- the choice


def _on_cpu(fast, plain, g: Geometry, *arrays):
    """Run ``fast`` on a CPU, when there is such a way, and ``plain`` otherwise."""
    if fast is None:
        return plain(*arrays, g)
    return lax.platform_dependent(*arrays, cpu=partial(fast, g=g), default=partial(plain, g=g))


def forward(x, filter, g: Geometry):
    """Return the convolution of an image."""
    fast = None
    if has_symbols(x.shape[2:]):
        pass  # each way depends on how many pixels there are
    elif _is_depthwise(x, filter, g):
        fast = _shift_forward
    elif is_split(x, g):
        fast = by_group(forward, (1, 0), 1)
    else:
        looks_up, by_dot = forward_looks_up(x, filter, g), _forward_by_dot(x, filter, g)
        fast = first_way([(looks_up, few_forward), (by_dot, _dot_forward)], _convolve)
    return _on_cpu(fast, _convolve, g, x, filter)


def input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the image."""
    fast = None
    if has_symbols(x.shape[2:]):
        pass
    elif _is_depthwise(x, filter, g):
        fast = _shift_input_grad
    elif is_split(x, g):
        fast = by_group(input_grad, (1, 0, 1), 1)
    else:
        looks_up, by_dot = input_grad_looks_up(x, filter, g), _input_grad_by_dot(x, filter, g)
        ways = [(looks_up, few_input_grad), (by_dot, _dot_input_grad)]
        fast = first_way(ways, _plain_input_grad)
    return _on_cpu(fast, _plain_input_grad, g, x, filter, dout)


def _plain_input_grad(x, filter, dout, g: Geometry):
    return jax.vjp(lambda x: _convolve(x, filter, g), x)[1](dout)[0]


def filter_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the filter."""
    fast = None
    if has_symbols(x.shape):
        pass
    elif _is_depthwise(x, filter, g):
        fast = _shift_filter_grad
    elif is_split(x, g):
        fast = by_group(filter_grad, (1, 0, 1), 0)
    elif is_grouped(x, g):
        fast = tap_filter_grad
    elif filter_grad_looks_up(x, filter, g):
        fast = few_filter_grad
    elif _filter_grad_by_dot(x, filter, g):
        fast = _dot_filter_grad
    elif (pieces := _pieces(x, filter, g)) > 1:
        fast = partial(_filter_grad_in_pieces, pieces=pieces)
    return _on_cpu(fast, _plain_filter_grad, g, x, filter, dout)


def _plain_filter_grad(x, filter, dout, g: Geometry):
    return jax.vjp(lambda w: _convolve(x, w, g), filter)[1](dout)[0]
