"""The unfold and fold rows (im2col, col2im): sliding windows as columns, and their sum back."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.conv.geometry import (
    Geometry,
    check_window,
    from_columns,
    geometry,
    per_axis,
    views,
)
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def _positions(size, kernel: tuple[int, ...], g: Geometry) -> tuple[int, ...]:
    """Return the number of windows along each axis of an image of that size."""
    check_window(kernel)
    out = g.out_size(size, kernel)
    if any(n < 1 for n in out):
        raise ValueError(f"a window of {list(kernel)} does not fit into {list(size)}.")
    return out


def unfold_forward(
    x, *, kernel_sizes: Ints, strides: Ints = 1, paddings: Ints = 0, dilations: Ints = 1
):
    """Return the windows of images [N, C, H, W] as columns [N, C * kh * kw, positions]."""
    if x.ndim != 4:
        raise RefusedArgumentError(f"unfold: the input must have 4 dimensions, but has {x.ndim}.")
    kernel, g = per_axis(kernel_sizes), geometry(strides, paddings, dilations, 1, "NCHW")
    out = _positions(x.shape[2:], kernel, g)
    seen = views(x, kernel, g)
    return jnp.stack(seen, 2).reshape(x.shape[0], x.shape[1] * len(seen), out[0] * out[1])


def unfold_reference(x, kernel_sizes, strides=1, paddings=0, dilations=1):
    """Loop over the windows."""
    kernel, g = per_axis(kernel_sizes), geometry(strides, paddings, dilations, 1, "NCHW")
    oh, ow = g.out_size(x.shape[2:], kernel)
    x = np.pad(x, ((0, 0), (0, 0), *g.pads))
    columns = []
    for h, w in np.ndindex(oh, ow):
        rows = h * g.strides[0] + g.dilations[0] * np.arange(kernel[0])
        cols = w * g.strides[1] + g.dilations[1] * np.arange(kernel[1])
        columns.append(x[:, :, rows[:, None], cols].reshape(x.shape[0], -1))
    return np.stack(columns, -1)


def unfold_samples():
    """Yield strides, pad and dilations."""
    x = values((2, 3, 5, 4))
    yield Sample(x, kernel_sizes=2)
    yield Sample(x, kernel_sizes=(3, 2), strides=(2, 1), paddings=(1, 0, 0, 2), dilations=(1, 2))


def unfold_errors():
    """Yield a window that does not fit, and too few dimensions."""
    x, bad = values((1, 1, 3, 3)), InvalidArgumentError
    yield BadInput((x,), {"kernel_sizes": 4}, bad, "does not fit into [3, 3]")
    yield BadInput((x[0],), {"kernel_sizes": 2}, bad, "must have 4 dimensions, but has 3")


unfold = op(
    "unfold",
    unfold_forward,
    vjp=DERIVED,
    shapes="x",
    public=None,
    reference=unfold_reference,
    samples=unfold_samples,
    errors=unfold_errors,
    formula="dx = dout, added where x was read: each column where its window was",
    doc="Turn the elements in each position of a window into columns; recorded by F.unfold.",
    example="paddle.nn.functional.unfold(paddle.ones([1, 1, 3, 3]), 2)",
    dtypes=WITH_COMPLEX,
)


def fold_forward(
    x,
    *,
    output_sizes: Ints,
    kernel_sizes: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    dilations: Ints = 1,
):
    """Return images [N, C, H, W] from columns [N, C * kh * kw, positions]; overlaps add up."""
    kernel, size = per_axis(kernel_sizes), per_axis(output_sizes)
    g = geometry(strides, paddings, dilations, 1, "NCHW")
    out = _positions(size, kernel, g)
    if x.ndim != 3:
        raise RefusedArgumentError(f"fold: the input must have 3 dimensions, but has {x.ndim}.")
    if x.shape[1] % (kernel[0] * kernel[1]) or x.shape[2] != out[0] * out[1]:
        raise ValueError(
            f"columns for {list(out)} windows of {list(kernel)} must be [N, C * "
            f"{kernel[0] * kernel[1]}, {out[0] * out[1]}], but are {list(x.shape)}."
        )
    columns = jnp.moveaxis(x, 1, 0)
    shape = (x.shape[0], x.shape[1] // (kernel[0] * kernel[1]), *size)
    return from_columns(columns, shape, kernel, g)


def fold_reference(x, output_sizes, kernel_sizes, strides=1, paddings=0, dilations=1):
    """Add each window at its place."""
    kernel, size = per_axis(kernel_sizes), per_axis(output_sizes)
    g = geometry(strides, paddings, dilations, 1, "NCHW")
    (top, bottom), (left, right) = g.pads
    batch, height, width = x.shape[0], size[0] + top + bottom, size[1] + left + right
    image = np.zeros((batch, x.shape[1] // (kernel[0] * kernel[1]), height, width), x.dtype)
    for number, (h, w) in enumerate(np.ndindex(*g.out_size(size, kernel))):
        rows = h * g.strides[0] + g.dilations[0] * np.arange(kernel[0])
        cols = w * g.strides[1] + g.dilations[1] * np.arange(kernel[1])
        image[:, :, rows[:, None], cols] += x[:, :, number].reshape(*image.shape[:2], *kernel)
    return image[:, :, top : height - bottom, left : width - right]


def fold_samples():
    """Yield overlapping windows, strides, pad and dilations."""
    yield Sample(values((2, 8, 6)), output_sizes=(3, 4), kernel_sizes=2)
    attrs: dict[str, Any] = {"kernel_sizes": (3, 2), "strides": (2, 1), "dilations": (1, 2)}
    yield Sample(values((2, 12, 8)), output_sizes=(5, 4), paddings=(1, 0, 0, 2), **attrs)
    yield Sample(values((0, 4, 4)), output_sizes=4, kernel_sizes=2, strides=2)


def fold_errors():
    """Yield columns that do not fit the windows."""
    x, bad = values((1, 4, 4)), InvalidArgumentError
    attrs = {"output_sizes": 3, "kernel_sizes": 2}
    yield BadInput((x[:, :3],), attrs, bad, "columns for [2, 2] windows of [2, 2] must be [N, C *")
    yield BadInput((x[0],), attrs, bad, "must have 3 dimensions, but has 2")
    yield BadInput((x,), {**attrs, "output_sizes": 1}, bad, "does not fit into [1, 1]")


fold = op(
    "fold",
    fold_forward,
    vjp=DERIVED,
    shapes="x",
    public=None,
    reference=fold_reference,
    samples=fold_samples,
    errors=fold_errors,
    formula="dx = unfold(dout)",
    doc="Add columns up into images, each where its window was; recorded by F.fold.",
    example="paddle.nn.functional.fold(paddle.ones([1, 4, 4]), 3, 2)",
    dtypes=WITH_COMPLEX,
)
