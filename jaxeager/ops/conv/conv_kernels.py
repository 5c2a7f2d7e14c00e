"""Kernels of convolutions: XLA's own op, and faster ways for a CPU.

Note [Convolutions on a CPU]
XLA's CPU convolution is slow in three cases, and in those of few_pixels.py, groups.py and
patches.py. With few input channels, a 3-to-6-channel 3x3 convolution takes 2 to 10 times as long as
the same computation as one matrix product. With a filter for each channel (depthwise), it takes 20
to 30 times as long as adding up shifted images. With one input channel, it takes 10 to 100 times as
long as that: a 4x4 blur of 384 images of 67x67 takes 103 ms, and 1 ms as a sum of shifted images;
its gradient takes 150 and 4 ms. So these lower to slices, dots and sums on a CPU and to
``conv_general_dilated`` everywhere else. ``lax.platform_dependent`` makes the choice when a kernel
is lowered, for the device of its operands; it costs nothing at run time. Above 8 MiB of columns the
copy costs more than the matrix product gains. Convolutions of volumes are slower still (2 to 30
times, with any number of channels), so there the limit of the matrix product is 16 MiB. Many filter
positions mean many slices to compile (7x7: half a second), so XLA's own op is used above 5x5, or
above 7x7 for shifted images.

XLA's gradient of a filter allocates memory while it runs that XLA does not count: 130 MiB for 2048
images of 6x14x14 and a 5x5 filter. So many images are processed in two or four pieces, one after
the other. This needs a quarter of the memory and, because more of it stays in the caches, 0.5 to
0.9 of the time. More than four pieces would gain little more, and each takes 50 ms to compile.

Note [Strides that end XLA]
The gradient of an image under strides is a convolution of an image with holes. XLA exchanges image
and filter if the filter has more positions. If it has more along one axis and fewer along another,
XLA exchanges some axes only, fails a check of its own and ends the process (a filter of 2x3 with
strides (2, 1) and padding 1, an output of 3x1; jaxlib 0.10 to 0.12, any dtype). Such images are
small, so the holes are filled with zeros first: XLA does not exchange these.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import has_symbols
from jaxeager.ops.conv.choice import Condition, at_most, first_way
from jaxeager.ops.conv.few_pixels import (
    few_columns,
    few_input_grad,
    filter_grad_looks_up,
    forward_looks_up,
    input_grad_looks_up,
)
from jaxeager.ops.conv.geometry import Geometry, counts, from_columns, plane, views
from jaxeager.ops.conv.groups import (
    by_group,
    columns_fit,
    is_grouped,
    is_narrow,
    is_split,
    tap_filter_grad,
    tap_forward,
    tap_input_grad,
)
from jaxeager.ops.conv.patches import is_of_patches, patch_columns, patches_input_grad
from jaxeager.ops.conv.products import product_filter_grad, product_forward, product_input_grad

COLUMN_BYTES = 8 << 20
VOLUME_COLUMN_BYTES = 16 << 20


# ---- XLA's own op


def dimension_numbers(layout: str) -> tuple[str, str, str]:
    """Return ``conv_general_dilated``'s names for a layout, with filters [M, C / groups, ...]."""
    return layout, "OI" + layout.replace("N", "").replace("C", ""), layout


def _convolve(x, filter, g: Geometry):
    """Return the convolution by XLA's own op."""
    return lax.conv_general_dilated(
        x,
        filter,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=dimension_numbers(g.layout),
        feature_group_count=g.groups,
    )


def _filter_grad_in_pieces(x, filter, dout, g: Geometry, pieces: int):
    """Return the gradient of the filter as the sum of the gradients from parts of the images."""
    first, *others = zip(jnp.split(x, pieces), jnp.split(dout, pieces), strict=True)
    total = _plain_filter_grad(first[0], filter, first[1], g)
    for each in others:  # one after the other, so that each reuses the memory of the last one
        total, (images, douts) = lax.optimization_barrier((total, each))
        total = total + _plain_filter_grad(images, filter, douts, g)
    return total


# ---- the choice on a CPU: measured on 2 cores, see Note [Convolutions on a CPU]


def _columns_fit(x, filter, g: Geometry) -> Condition:
    """Return whether the columns of an image are few enough for a matrix product to be faster."""
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
    """Return the number of pieces that the images are split into for the filter's gradient."""
    if g.groups != 1 or x.ndim != 4 or x.dtype not in (jnp.float32, jnp.float64) or x.size == 0:
        return 1
    outputs = int(np.prod(g.out_size(x.shape[2:], filter.shape[2:])))
    column_bytes = plane(filter) * x.shape[0] * outputs * x.dtype.itemsize
    wanted = 4 if column_bytes > 2 * COLUMN_BYTES else 2 if column_bytes > COLUMN_BYTES else 1
    return next(pieces for pieces in (4, 2, 1) if pieces <= wanted and x.shape[0] % pieces == 0)


def _can_shift(x, filter, g: Geometry) -> bool:
    """Return whether each filter, of at most 49 numbers, reads one channel with pixels."""
    if g.groups != x.shape[1] or x.dtype not in (jnp.float32, jnp.float64):
        return False
    has_pixels = min((*x.shape[2:], *g.out_size(x.shape[2:], filter.shape[2:]))) > 0
    return has_pixels and plane(filter) <= 49


def _is_depthwise(x, filter, g: Geometry) -> bool:
    """Return whether shifted sums win: a filter for each of several channels."""
    return x.shape[1] > 1 and x.size > 0 and _can_shift(x, filter, g)


def _is_of_one_channel(x, filter, g: Geometry) -> bool:
    """Return whether shifted sums win: one input channel, and few or small filters."""
    few = filter.shape[0] * plane(filter) <= 800
    return x.shape[1] == 1 and few and _can_shift(x, filter, g)


# ---- depthwise: sums of shifted images


def _shifted(x, kernel: tuple[int, ...], g: Geometry) -> list:
    """Return the elements of an image that each filter position reads: [N, C, 1, *outputs] each."""
    return [each[:, :, None] for each in views(x, kernel, g)]


def _taps(filter, channels: int):
    """Return a depthwise filter as [positions, C, M / C, 1, ...]."""
    ones = (1,) * (filter.ndim - 2)
    grouped = filter.reshape(channels, filter.shape[0] // channels, -1, *ones)
    return jnp.moveaxis(grouped, 2, 0)


def _shift_forward(x, filter, g: Geometry):
    """Return a depthwise convolution as a sum of scaled, shifted images."""
    taps = _taps(filter, x.shape[1])
    seen = _shifted(x, filter.shape[2:], g)
    total = seen[0] * taps[0]
    for each, tap in zip(seen[1:], taps[1:], strict=True):
        total = total + each * tap
    return total.reshape(x.shape[0], filter.shape[0], *total.shape[3:])


def _shift_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the image of a depthwise convolution."""
    batch, channels = x.shape[:2]
    grouped = dout.reshape(batch, channels, -1, *dout.shape[2:])
    taps = _taps(filter, channels)
    columns = [jnp.sum(grouped * tap, 2) for tap in taps]
    stacked = jnp.stack([each.swapaxes(0, 1) for each in columns], 1)
    return from_columns(stacked, x.shape, filter.shape[2:], g)


def _spread(x, kernel: tuple[int, ...], dout, g: Geometry):
    """Return the gradient of an output with zeros between its elements and around them.

    The gradient of the images is its convolution with the filters turned around, without strides
    and pads. Where a pad is larger than the filter's reach, elements are cut off.
    """
    margins = []
    for size, count, out, stride, dilation, (low, _) in zip(
        x.shape[2:], kernel, dout.shape[2:], g.strides, g.dilations, g.pads, strict=True
    ):
        before = (count - 1) * dilation - low
        margins.append((before, size + low - 1 - (out - 1) * stride, stride - 1))
    return lax.pad(dout, jnp.zeros((), dout.dtype), ((0, 0, 0), (0, 0, 0), *margins))


def _without_strides(g: Geometry) -> Geometry:
    count = len(g.strides)
    return g._replace(strides=(1,) * count, pads=((0, 0),) * count)


def _blur_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of images of one channel under one filter, a convolution as well."""
    turned = jnp.flip(filter, tuple(range(2, filter.ndim)))
    spread = _spread(x, filter.shape[2:], dout, g)
    return _shift_forward(spread, turned, _without_strides(g))


def _shift_filter_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the filter of a depthwise convolution."""
    grouped = dout.reshape(x.shape[0], x.shape[1], -1, *dout.shape[2:])
    axes = (0, *range(3, grouped.ndim))
    sums = [jnp.sum(each * grouped, axes) for each in _shifted(x, filter.shape[2:], g)]
    return jnp.stack(sums, -1).reshape(filter.shape)


# ---- the choice


def _on_cpu(fast, plain, g: Geometry, *arrays):
    """Run ``fast`` on a CPU if it is not None, and ``plain`` otherwise."""
    if fast is None:
        return plain(*arrays, g)
    return lax.platform_dependent(*arrays, cpu=partial(fast, g=g), default=partial(plain, g=g))


def forward(x, filter, g: Geometry):
    """Return the convolution of an image."""
    fast = None
    if has_symbols(x.shape[2:]):
        pass  # each fast way depends on the number of pixels
    elif is_of_patches(x, filter, g):
        fast = partial(product_forward, columns=patch_columns)
    elif _is_depthwise(x, filter, g) or _is_of_one_channel(x, filter, g):
        fast = _shift_forward
    elif is_split(x, g):
        fast = by_group(forward, (1, 0), 1)
    elif is_narrow(x, filter, g):
        fast = tap_forward
    else:
        looks_up, by_dot = forward_looks_up(x, filter, g), _forward_by_dot(x, filter, g)
        few = partial(product_forward, columns=few_columns)
        fast = first_way([(looks_up, few), (by_dot, product_forward)], _convolve)
    return _on_cpu(fast, _convolve, g, x, filter)


def input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the image."""
    fast = None
    if has_symbols(x.shape[2:]):
        pass
    elif is_of_patches(x, filter, g):
        fast = patches_input_grad
    elif _is_of_one_channel(x, filter, g) and filter.shape[0] == 1:
        fast = _blur_input_grad
    elif _is_depthwise(x, filter, g):
        fast = _shift_input_grad
    elif is_split(x, g):
        fast = by_group(input_grad, (1, 0, 1), 1)
    else:
        looks_up, by_dot = input_grad_looks_up(x, filter, g), _input_grad_by_dot(x, filter, g)
        by_tap = columns_fit(x, filter, g)
        ways = [(by_tap, tap_input_grad), (looks_up, few_input_grad), (by_dot, product_input_grad)]
        fast = first_way(ways, _plain_input_grad)
    return _on_cpu(fast, _plain_input_grad, g, x, filter, dout)


def _plain_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the images by XLA's own op: see Note [Strides that end XLA]."""
    if max(g.strides) > 1 and _is_crossed(filter.shape[2:], dout.shape[2:]):
        return _spread_input_grad(x, filter, dout, g)
    return jax.vjp(lambda x: _convolve(x, filter, g), x)[1](dout)[0]


def _is_crossed(kernel: tuple[int, ...], out: tuple[int, ...]) -> bool:
    """Return whether a filter is larger than an output along one axis, and smaller along another.

    False if the size of the output is not known.
    """
    if has_symbols(out):
        return False
    differences = [count - size for count, size in zip(kernel, out, strict=True)]
    return min(differences) < 0 < max(differences)


def _spread_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the images as a convolution without strides, by XLA's own op."""
    out_channels, per_group, *kernel = filter.shape
    split = filter.reshape(g.groups, out_channels // g.groups, per_group, *kernel)
    swapped = split.swapaxes(1, 2).reshape(x.shape[1], out_channels // g.groups, *kernel)
    turned = jnp.flip(swapped, tuple(range(2, filter.ndim)))
    return _convolve(_spread(x, tuple(kernel), dout, g), turned, _without_strides(g))


def filter_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the filter."""
    fast = None
    if has_symbols(x.shape):
        pass
    elif is_of_patches(x, filter, g):
        fast = partial(product_filter_grad, columns=patch_columns)
    elif _is_depthwise(x, filter, g):
        fast = _shift_filter_grad
    elif is_split(x, g):
        fast = by_group(filter_grad, (1, 0, 1), 0)
    elif is_grouped(x, g):
        fast = tap_filter_grad
    elif filter_grad_looks_up(x, filter, g):
        fast = partial(product_filter_grad, columns=few_columns)
    elif _filter_grad_by_dot(x, filter, g):
        fast = product_filter_grad
    elif (pieces := _pieces(x, filter, g)) > 1:
        fast = partial(_filter_grad_in_pieces, pieces=pieces)
    return _on_cpu(fast, _plain_filter_grad, g, x, filter, dout)


def _plain_filter_grad(x, filter, dout, g: Geometry):
    return jax.vjp(lambda w: _convolve(x, w, g), filter)[1](dout)[0]
