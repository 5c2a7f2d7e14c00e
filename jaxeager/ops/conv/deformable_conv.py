"""The deformable_conv row: a convolution whose filter elements read at offsets from a tensor."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import Geometry, check_fit, check_window, geometry
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.precision import wide_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _check(x, offset, filter, mask, g: Geometry, deformable_groups: int) -> tuple[int, ...]:
    """Return the spatial sizes of the output; raise for shapes that do not fit."""
    if x.ndim != 4 or filter.ndim != 4:
        raise ValueError(
            f"x and filter must have 4 dimensions, but have {x.ndim} and {filter.ndim}."
        )
    channels, kernel = x.shape[1], filter.shape[2:]
    check_window(kernel, filter.shape[0])
    if channels != filter.shape[1] * g.groups or filter.shape[0] % g.groups:
        raise ValueError(
            f"the filter must be [M, {channels} / groups, kh, kw], M divisible by groups, but is "
            f"{list(filter.shape)} with {g.groups} groups."
        )
    if deformable_groups < 1 or channels % deformable_groups:
        raise ValueError(
            f"deformable_groups must divide the {channels} channels, but is {deformable_groups}."
        )
    check_fit(x.shape[2:], kernel, g)
    out = g.out_size(x.shape[2:], kernel)
    count = deformable_groups * kernel[0] * kernel[1]
    for name, operand, wanted in (("offset", offset, 2 * count), ("mask", mask, count)):
        if operand is not None and operand.shape != (x.shape[0], wanted, *out):
            raise ValueError(
                f"the {name} must be {[x.shape[0], wanted, *out]}, but is {list(operand.shape)}."
            )
    same_dtype(x, offset, filter)
    return out


def _places(offset, size: tuple[int, ...], kernel, g: Geometry, deformable_groups: int) -> list:
    """Return the rows and columns to read: [N, groups, positions, h, w] each."""
    batch, out = offset.shape[0], offset.shape[2:]
    moved = offset.reshape(batch, deformable_groups, kernel[0] * kernel[1], 2, *out)
    found = []
    for axis in range(2):
        start = np.arange(out[axis]) * g.strides[axis] - g.pads[axis][0]
        taps = np.indices(kernel)[axis].reshape(-1) * g.dilations[axis]
        shape = (1, -1, 1) if axis == 0 else (1, 1, -1)
        base = taps[:, None, None] + start.reshape(shape)
        found.append(moved[:, :, :, axis] + jnp.asarray(base, offset.dtype))
    return found


def _at(flat, row, col, size: tuple[int, ...]):
    """Return elements of images [C, H * W] at integer places [P], 0 outside."""
    inside = (row >= 0) & (row < size[0]) & (col >= 0) & (col < size[1])
    index = jnp.clip(row, 0, size[0] - 1) * size[1] + jnp.clip(col, 0, size[1] - 1)
    return jnp.where(inside, jnp.take(flat, index.astype(jnp.int32), axis=1), 0)


def _sampled(flat, row, col, size: tuple[int, ...]):
    """Return images [C, H * W] interpolated at places [P].

    A place exactly on -1 is outside, as in Paddle: no gradient moves its offset.
    """
    top, left = (lax.stop_gradient(jnp.floor(each)) for each in (row, col))
    down, right = row - top, col - left
    between = (
        _at(flat, top, left, size) * ((1 - down) * (1 - right))
        + _at(flat, top, left + 1, size) * ((1 - down) * right)
        + _at(flat, top + 1, left, size) * (down * (1 - right))
        + _at(flat, top + 1, left + 1, size) * (down * right)
    )
    return jnp.where((row > -1) & (col > -1), between, 0)


def deformable_conv_forward(
    x,
    offset,
    filter,
    mask=None,
    *,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
    deformable_groups: int = 1,
    groups: int = 1,
):
    """Cross-correlate images [N, C, H, W] read at offsets [N, 2 * groups * kh * kw, h, w]."""
    g = geometry(strides, paddings, dilations, groups, "NCHW")
    out = _check(x, offset, filter, mask, g, deformable_groups)
    batch, channels, *size = x.shape
    kernel, wide = filter.shape[2:], wide_dtype(x.dtype)
    row, col = _places(offset.astype(wide), tuple(size), kernel, g, deformable_groups)
    flat = x.astype(wide).reshape(batch, deformable_groups, channels // deformable_groups, -1)
    shape = (batch, deformable_groups, -1)
    each = jax.vmap(jax.vmap(lambda f, r, c: _sampled(f, r, c, tuple(size))))
    seen = each(flat, row.reshape(shape), col.reshape(shape))
    positions = kernel[0] * kernel[1]
    seen = seen.reshape(batch, deformable_groups, -1, positions, *out)
    if mask is not None:
        seen = seen * mask.astype(wide).reshape(batch, deformable_groups, 1, positions, *out)
    columns = seen.reshape(batch, groups, channels // groups * positions, out[0] * out[1])
    weights = filter.astype(wide).reshape(groups, filter.shape[0] // groups, columns.shape[2])
    result = jnp.einsum("gmk,ngkp->ngmp", weights, columns)
    return result.reshape(batch, filter.shape[0], *out).astype(x.dtype)


def deformable_conv_reference(
    x,
    offset,
    filter,
    mask=None,
    strides=1,
    paddings=0,
    dilations=1,
    deformable_groups=1,
    groups=1,
):
    """Loop over the outputs and the elements of the filter."""
    g = geometry(strides, paddings, dilations, groups, "NCHW")
    kernel, (batch, channels, height, width) = filter.shape[2:], x.shape
    out = np.zeros((batch, filter.shape[0], *g.out_size(x.shape[2:], kernel)), x.dtype)
    for n, h, w, c in np.ndindex(batch, *out.shape[2:], channels):
        part = c // (channels // deformable_groups)
        for number, (i, j) in enumerate(np.ndindex(*kernel)):
            at = part * kernel[0] * kernel[1] + number
            row = h * g.strides[0] - g.pads[0][0] + i * g.dilations[0] + offset[n, 2 * at, h, w]
            col = w * g.strides[1] - g.pads[1][0] + j * g.dilations[1] + offset[n, 2 * at + 1, h, w]
            value = 0.0
            for r, s in np.ndindex(2, 2):
                y, z = int(np.floor(row)) + r, int(np.floor(col)) + s
                if 0 <= y < height and 0 <= z < width:
                    value += x[n, c, y, z] * (1 - abs(row - y)) * (1 - abs(col - z))
            value *= 1 if mask is None else mask[n, at, h, w]
            first = c // (channels // groups) * (filter.shape[0] // groups)
            each = slice(first, first + filter.shape[0] // groups)
            out[n, each, h, w] += value * filter[each, c % (channels // groups), i, j]
    return out


def deformable_conv_samples():
    """Yield with and without mask, groups of each kind, strides and pad."""
    x, filter = values((2, 4, 4, 3)), values((2, 4, 2, 2), seed=1)
    yield Sample(x, values((2, 8, 3, 2), -1.3, 1.3, seed=2), filter, values((2, 4, 3, 2), seed=3))
    offset = values((2, 16, 3, 4), -1.3, 1.3, seed=2)
    attrs = {"deformable_groups": 2, "groups": 2, "paddings": 1, "strides": (2, 1)}
    yield Sample(x, offset, values((4, 2, 2, 2), seed=1), None, **attrs)


def deformable_conv_errors():
    """Yield shapes that do not fit."""
    x, filter, bad = values((1, 2, 3, 3)), values((1, 2, 2, 2)), InvalidArgumentError
    offset = values((1, 8, 2, 2))
    yield BadInput((x, offset[:, :4], filter), {}, bad, "the offset must be [1, 8, 2, 2], but is")
    yield BadInput(
        (x, offset, filter[:, :1]), {}, bad, "the filter must be [M, 2 / groups, kh, kw]"
    )
    yield BadInput((x, offset, filter), {"deformable_groups": 3}, bad, "must divide the 2 channels")


deformable_conv = op(
    "deformable_conv",
    real_only(deformable_conv_forward),
    vjp=DERIVED,
    saves="x offset filter mask",
    public=None,
    reference=deformable_conv_reference,
    samples=deformable_conv_samples,
    errors=deformable_conv_errors,
    # An offset with 8 bits of precision reads elsewhere.
    dtypes="float32 float64",
    formula="dx, dfilter, dmask: those of a convolution; doffset = the slope of x where it is read",
    boundary="at an element the slope is the one towards the next element.",
    doc="Convolve images whose pixels are read at offsets; recorded by vision.ops.deform_conv2d.",
    example="paddle.vision.ops.deform_conv2d(paddle.ones([1, 1, 3, 3]), "
    "paddle.zeros([1, 8, 2, 2]), paddle.ones([1, 1, 2, 2]))",
)
