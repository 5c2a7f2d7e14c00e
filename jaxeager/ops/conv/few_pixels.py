"""Convolutions on a CPU with few output pixels, or fewer input pixels than filter positions.

Note [More filter than image]
The last convolutions of a network process images of 2x2 or 4x4 with filters of a million numbers.
When a filter has more positions than the image it moves over, XLA exchanges the two. The result is
a convolution that XLA's CPU backend implements only as plain loops: 130 ms where 1.5 are enough
(512 to 512 channels, 3x3 over 8 images of 2x2). When there are fewer output pixels than output
channels, reordering the filter for XLA takes as long as the product. So both cases use a matrix
product with the filter in its own order. The columns are looked up by an array of positions, which
compiles in half the time of slices; adding them up again is a product with ones and zeros.
"""

import jax.numpy as jnp
import numpy as np

from jaxeager.ops.conv.choice import Condition, at_most
from jaxeager.ops.conv.geometry import Geometry, counts

ONES_AND_ZEROS = 1 << 16  # the most elements of the matrix that adds columns up


def _seen_pixels(size: tuple[int, ...], kernel: tuple[int, ...], g: Geometry) -> np.ndarray:
    """Return the index of the pixel that each filter position reads, [positions, outputs].

    The index of the margin is the number of pixels.
    """
    count = int(np.prod(size))
    numbers = np.pad(np.arange(count).reshape(size), g.pads, constant_values=count)
    out, found = g.out_size(size, kernel), []
    for position in np.ndindex(*kernel):
        seen = zip(*g.seen_from(position, out), strict=True)
        found.append(numbers[tuple(slice(*each) for each in seen)].ravel())
    return np.stack(found)


def few_columns(x, kernel: tuple[int, ...], g: Geometry):
    """Return the columns of small images (products.py), looked up by an array of positions."""
    seen = _seen_pixels(x.shape[2:], kernel, g)
    flat = jnp.pad(x.reshape(*x.shape[:2], -1), ((0, 0), (0, 0), (0, 1)))
    columns = flat.at[:, :, seen].get(mode="promise_in_bounds")  # [N, C, positions, outputs]
    return columns.transpose(1, 2, 0, 3).reshape(x.shape[1] * seen.shape[0], -1)


def few_input_grad(x, filter, dout, g: Geometry):
    """Return the gradient of the image of a convolution that has few output pixels."""
    pixels = jnp.moveaxis(dout, 1, -1).reshape(-1, dout.shape[1])
    columns = (pixels @ filter.reshape(filter.shape[0], -1)).reshape(
        x.shape[0], -1, x.shape[1], int(np.prod(filter.shape[2:]))
    )
    seen = _seen_pixels(x.shape[2:], filter.shape[2:], g)
    is_seen = seen[..., None] == np.arange(np.prod(x.shape[2:]))
    added = jnp.einsum("nock,kop->ncp", columns, jnp.asarray(is_seen, x.dtype))
    return added.reshape(x.shape)


# ---- when: measured on 2 cores


def _looks_up(x, filter, g: Geometry, is_exchanged: bool) -> Condition:
    """Return whether XLA would exchange image and filter, or the output has few pixels."""
    _, outputs, positions = counts(x, filter, g)
    is_common = g.groups == 1 and x.ndim == 4 and x.dtype in (jnp.float32, jnp.float64)
    if not is_common or x.size == 0 or outputs == 0 or positions == 1:
        return False
    return is_exchanged or at_most(x.shape[0] * outputs, filter.shape[0])


def forward_looks_up(x, filter, g: Geometry) -> Condition:
    """Return whether a CPU uses ``few_columns`` for the product."""
    pixels, _, positions = counts(x, filter, g)
    return _looks_up(x, filter, g, positions > pixels)


def input_grad_looks_up(x, filter, g: Geometry) -> Condition:
    """Return whether a CPU uses ``few_input_grad``: if adding up costs less than the product."""
    pixels, outputs, positions = counts(x, filter, g)
    is_light = 4 * pixels <= filter.shape[0] or positions > outputs
    fits = pixels * outputs * positions <= ONES_AND_ZEROS
    return is_light and fits and _looks_up(x, filter, g, positions > outputs)


def filter_grad_looks_up(x, filter, g: Geometry) -> Condition:
    """Return whether a CPU uses ``few_columns`` for the filter's gradient."""
    pixels, outputs, _ = counts(x, filter, g)
    return _looks_up(x, filter, g, outputs > pixels)
