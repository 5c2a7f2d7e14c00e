"""Convolutions in groups on a CPU.

Note [Groups on a CPU]
XLA's CPU backend implements the gradient of a filter in groups only as plain loops (1200 ms for 32
groups of 4 channels over 8 images of 16x16; the sums of products below take 5). It runs the rest of
a convolution in groups on one core at a third of the speed. So up to 8 groups become that many
convolutions in one kernel: 2 to 5 times as fast, but 2 to 5 times as long to compile.
"""

from collections.abc import Callable

import jax.numpy as jnp

from jaxeager.ops.conv.geometry import Geometry, rows_of, views

SPLIT_GROUPS = 8


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


def tap_filter_grad(x, filter, dout, g: Geometry):
    """Return the gradient of a filter of many groups, a matrix product per filter position."""
    pixels = rows_of(dout).reshape(g.groups, filter.shape[0] // g.groups, -1)
    grads = [
        jnp.einsum("gmp,gcp->gmc", pixels, seen.reshape(g.groups, filter.shape[1], -1))
        for seen in views(x.swapaxes(0, 1), filter.shape[2:], g)
    ]
    return jnp.stack(grads, -1).reshape(filter.shape)
