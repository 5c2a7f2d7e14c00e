"""The unfold row (im2col): what each position of a sliding window sees."""

import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.attrs import Ints
from jaxeager.ops.conv_kernels import geometry, pair
from jaxeager.ops.row import DERIVED, op
from jaxeager.ops.samples import WITH_COMPLEX, BadInput, Sample, values


def unfold_forward(
    x, *, kernel_sizes: Ints, strides: Ints = 1, paddings: Ints = 0, dilations: Ints = 1
):
    """Gives [N, C * kh * kw, positions] of images [N, C, H, W]."""
    if x.ndim != 4:
        raise ValueError(f"the input must have 4 dimensions, but has {x.ndim}.")
    kernel, g = pair(kernel_sizes), geometry(strides, paddings, dilations, 1, "NCHW")
    oh, ow = g.out_size(x.shape[2:], kernel)
    if min(oh, ow) < 1:
        raise ValueError(f"a window of {list(kernel)} does not fit into {list(x.shape[2:])}.")
    (sh, sw), (dh, dw) = g.strides, g.dilations
    zero = np.zeros((), x.dtype)
    x = lax.pad(x, zero, [(0, 0, 0), (0, 0, 0), *((low, high, 0) for low, high in g.pads)])
    seen = [
        lax.slice(
            x,
            (0, 0, i * dh, j * dw),
            (*x.shape[:2], i * dh + (oh - 1) * sh + 1, j * dw + (ow - 1) * sw + 1),
            (1, 1, sh, sw),
        )
        for i, j in np.ndindex(*kernel)
    ]
    stacked = lax.concatenate([lax.expand_dims(each, (2,)) for each in seen], 2)
    return stacked.reshape(x.shape[0], x.shape[1] * len(seen), oh * ow)


def unfold_reference(x, kernel_sizes, strides=1, paddings=0, dilations=1):
    """Goes from window to window."""
    kernel, g = pair(kernel_sizes), geometry(strides, paddings, dilations, 1, "NCHW")
    oh, ow = g.out_size(x.shape[2:], kernel)
    x = np.pad(x, ((0, 0), (0, 0), *g.pads))
    columns = []
    for h, w in np.ndindex(oh, ow):
        rows = h * g.strides[0] + g.dilations[0] * np.arange(kernel[0])
        cols = w * g.strides[1] + g.dilations[1] * np.arange(kernel[1])
        columns.append(x[:, :, rows[:, None], cols].reshape(x.shape[0], -1))
    return np.stack(columns, -1)


def unfold_samples():
    """Yields strides, pads and dilations."""
    x = values((2, 3, 5, 4))
    yield Sample(x, kernel_sizes=2)
    yield Sample(x, kernel_sizes=(3, 2), strides=(2, 1), paddings=(1, 0, 0, 2), dilations=(1, 2))


def unfold_errors():
    """Yields a window that does not fit, and too few dimensions."""
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
    formula="dx = each column added back to where its window was",
    doc="Turns what each position of a sliding window sees into columns; what F.unfold records.",
    example="paddle.nn.functional.unfold(paddle.ones([1, 1, 3, 3]), 2)",
    dtypes=WITH_COMPLEX,
)
