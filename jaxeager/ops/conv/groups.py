"""Convolutions in groups on a CPU.

Note [Groups on a CPU]
XLA's CPU has the gradient of a filter in groups as plain loops only (1200 ms for 32 groups of 4
channels over 8 images of 16x16; the sums of products below take 5), and runs the rest of a
convolution in groups on one core at a third of the speed. Up to 8 groups are that many
convolutions, side by side in one kernel: 2 to 5 times as fast, and 2 to 5 times as long to compile.
"""

from collections.abc import Callable

import jax.numpy as jnp

from jaxeager.ops.conv.geometry import Geometry, rows_of, views

SPLIT_GROUPS = 8


def is_split(x, g: Geometry) -> bool:
    """Says whether a CPU takes a convolution for each group."""
    return 1 < g.groups <= SPLIT_GROUPS and is_grouped(x, g)


def is_grouped(x, g: Geometry) -> bool:
    """Says whether a CPU takes ``tap_filter_grad`` when it is not split."""
    return g.groups > 1 and x.dtype in (jnp.float32, jnp.float64) and x.size > 0


def by_group(of_one: Callable, axes: tuple[int, ...], axis: int) -> Callable:
    """Return a function of the whole operands, for one of the operands of a group.

    Args:
        of_one: called with the operands of one group and a geometry without groups.
        axes: the axis of each operand that the groups lie along.
        axis: that of the result.
    """

    def of_all(*operands, g: Geometry):
        split = [jnp.split(each, g.groups, at) for each, at in zip(operands, axes, strict=True)]
        one = g._replace(groups=1)
        return jnp.concatenate([of_one(*each, one) for each in zip(*split, strict=True)], axis)

    return of_all


def tap_filter_grad(x, filter, dout, g: Geometry):
    """The gradient of the filter of many groups, a matrix product for each filter position."""
    pixels = rows_of(dout).reshape(g.groups, filter.shape[0] // g.groups, -1)
    grads = [
        jnp.einsum("gmp,gcp->gmc", pixels, seen.reshape(g.groups, filter.shape[1], -1))
        for seen in views(x.swapaxes(0, 1), filter.shape[2:], g)
    ]
    return jnp.stack(grads, -1).reshape(filter.shape)
