"""Convolutions on a CPU as one matrix product of the filters and an image's columns.

A function of columns takes the images, the filter's spatial sizes and the geometry, and returns the
elements that each filter position reads: [C * positions, N * outputs]. ``sliced_columns`` is for
any geometry without groups; patches.py and few_pixels.py have faster ones for some.

Note [An axis at a time]
The windows that the 25 positions of a 5x5 filter read are cut along one axis first, and the pieces
then along the other: 10 slices instead of 25. XLA compiles that in a third of the time (0.15 s
instead of 0.48 s), and it runs in 0.7 to 1 of the time. Adding columns up into an image already is
one step of XLA; one axis at a time would take twice as long.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.ops.conv.geometry import Geometry, from_columns, rows_of

Columns = Callable[[jax.Array, tuple[int, ...], Geometry], jax.Array]


def sliced_columns(x, kernel: tuple[int, ...], g: Geometry):
    """Return the columns of images, cut axis by axis: see Note [An axis at a time]."""
    seen = jnp.pad(x.swapaxes(0, 1), ((0, 0), (0, 0), *g.pads))
    out = g.out_size(x.shape[2:], kernel)
    for axis, count in enumerate(kernel):  # [C, *positions, N, *outputs, *remaining axes]
        cuts = [g.seen_along(axis, position, out[axis]) for position in range(count)]
        place = 2 + 2 * axis
        seen = jnp.stack([lax.slice_in_dim(seen, *cut, place) for cut in cuts], 1 + axis)
        if axis + 1 < len(kernel) and count > 1:
            seen = lax.optimization_barrier(seen)  # keep XLA from fusing the steps of both axes
    return seen.reshape(x.shape[1] * int(np.prod(kernel)), -1)


def product_forward(x, filter, g: Geometry, columns: Columns = sliced_columns):
    """Return the convolution of images as one matrix product."""
    out_channels, kernel = filter.shape[0], filter.shape[2:]
    out = filter.reshape(out_channels, -1) @ columns(x, kernel, g)
    size = g.out_size(x.shape[2:], kernel)
    return out.reshape(out_channels, x.shape[0], *size).swapaxes(0, 1)


def product_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the images: the columns of a matrix product, added up."""
    return from_columns(filter_columns(filter, dout), x.shape, filter.shape[2:], g)


def product_filter_grad(x, filter, dout, g: Geometry, columns: Columns = sliced_columns):
    """Return the gradient of the filters as one matrix product."""
    return (rows_of(dout) @ columns(x, filter.shape[2:], g).T).reshape(filter.shape)


def filter_columns(filter, dout):
    """Return the gradient of an image's columns, [C * positions, N * outputs]."""
    return filter.reshape(filter.shape[0], -1).T @ rows_of(dout)
