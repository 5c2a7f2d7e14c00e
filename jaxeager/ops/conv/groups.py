"""Convolutions in groups on a CPU.

Note [Groups on a CPU]
XLA's CPU backend implements the gradient of a filter in groups only as plain loops (1200 ms for 32
groups of 4 channels over 8 images of 16x16; the sums of products below take 5). It runs the rest of
a convolution in groups on one core at a third of the speed. So up to 8 groups become that many
convolutions in one kernel: 2 to 5 times as fast, but 2 to 5 times as long to compile. More groups
are the batch of a matrix product: the gradient of the images takes a seventh to a half of XLA's
time, if the columns do not fill the memory, and so does the convolution itself for up to 4 channels
in a group (32 groups of 4 channels, 4 images of 56x56, stride 2: 31 and 8 ms, gradient 88 and 13).
"""

from collections.abc import Callable

import jax.numpy as jnp

from jaxeager.ops.conv.choice import Condition, at_most
from jaxeager.ops.conv.geometry import Geometry, counts, from_columns, rows_of, views

SPLIT_GROUPS = 8
COLUMN_BYTES = 64 << 20
POSITIONS = 49  # more of them take long to compile


def is_split(x, g: Geometry) -> bool:
    """Return whether a CPU uses one convolution for each group."""
    return 1 < g.groups <= SPLIT_GROUPS and is_grouped(x, g)


def is_grouped(x, g: Geometry) -> bool:
    """Return whether a CPU uses ``tap_filter_grad`` when the convolution is not split."""
    return g.groups > 1 and x.dtype in (jnp.float32, jnp.float64) and x.size > 0


def by_group(of_one: Callable, axes: tuple[int, ...], axis: int) -> Callable:
    """Return a function of the whole operands, made from a function of one group's operands.

    Args:
        of_one: called with the operands of one group and a geometry without groups.
        axes: the axis of the groups in each operand.
        axis: the axis of the groups in the result.
    """

    def of_all(*operands, g: Geometry):
        split = [jnp.split(each, g.groups, at) for each, at in zip(operands, axes, strict=True)]
        one = g._replace(groups=1)
        return jnp.concatenate([of_one(*each, one) for each in zip(*split, strict=True)], axis)

    return of_all


def columns_fit(x, filter, g: Geometry) -> Condition:
    """Return whether a CPU uses ``tap_input_grad`` when the convolution is not split."""
    if not is_grouped(x, g):
        return False
    _, outputs, positions = counts(x, filter, g)
    if positions > POSITIONS:
        return False
    columns = x.shape[0] * x.shape[1] * outputs * positions
    return at_most(columns * x.dtype.itemsize, COLUMN_BYTES)


def is_narrow(x, filter, g: Geometry) -> bool:
    """Return whether a CPU uses ``tap_forward`` when the convolution is not split."""
    _, _, positions = counts(x, filter, g)
    is_small = positions == 1 or (filter.shape[1] <= 4 and positions <= POSITIONS)
    return is_small and is_grouped(x, g)


def _by_group(filter, g: Geometry):
    """Return a filter as [groups, M / groups, C / groups, positions]."""
    return filter.reshape(g.groups, filter.shape[0] // g.groups, filter.shape[1], -1)


def tap_forward(x, filter, g: Geometry):
    """Return the convolution in many groups, a sum of matrix products, one per filter position."""
    kernel = filter.shape[2:]
    taps = jnp.moveaxis(_by_group(filter, g), -1, 0)
    seen = views(x.swapaxes(0, 1), kernel, g)
    parts = [
        jnp.einsum("gmc,gcp->gmp", tap, each.reshape(g.groups, filter.shape[1], -1))
        for tap, each in zip(taps, seen, strict=True)
    ]
    size = g.out_size(x.shape[2:], kernel)
    return sum(parts[1:], parts[0]).reshape(filter.shape[0], x.shape[0], *size).swapaxes(0, 1)


def tap_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the images of many groups as one matrix product."""
    pixels = rows_of(dout).reshape(g.groups, filter.shape[0] // g.groups, -1)
    columns = jnp.einsum("gmcs,gmp->gcsp", _by_group(filter, g), pixels)
    return from_columns(columns, x.shape, filter.shape[2:], g)


def tap_filter_grad(x, filter, dout, g: Geometry):
    """Return the gradient of a filter of many groups, a matrix product per filter position."""
    pixels = rows_of(dout).reshape(g.groups, filter.shape[0] // g.groups, -1)
    grads = [
        jnp.einsum("gmp,gcp->gmc", pixels, seen.reshape(g.groups, filter.shape[1], -1))
        for seen in views(x.swapaxes(0, 1), filter.shape[2:], g)
    ]
    return jnp.stack(grads, -1).reshape(filter.shape)
