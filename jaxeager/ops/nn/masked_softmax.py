"""Softmax with a mask, or up to the diagonal: two rows that paddle.incubate records."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.nn.softmax import softmax_reference, softmax_vjp
from jaxeager.ops.register import op
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


@real_only
def fused_softmax_mask_forward(x, mask):
    """Return the softmax of x + mask along the last axis."""
    if x.ndim != 4 or mask.ndim != 4:
        raise ValueError(
            f"Input x must be in 4D dimension but received the dimension of X is {x.ndim}, of mask "
            f"{mask.ndim}."
        )
    if mask.shape != (x.shape[0], 1, *x.shape[2:]):
        raise ValueError(
            "Input mask must be shaped as x with 1 head, "
            f"{[x.shape[0], 1, *x.shape[2:]]}, but is {list(mask.shape)}."
        )
    return jax.nn.softmax(x + mask, axis=-1)


def fused_softmax_mask_vjp(out, dout):
    """Subtract the weighted mean of the gradient, and multiply by out."""
    return softmax_vjp(out, dout, axis=-1)


def fused_softmax_mask_samples():
    """Yield masks that hide and that shift, and no samples."""
    mask = np.where(values((2, 1, 3, 4), seed=1) > 0, 0.0, -1e4)
    mask[..., 0] = 0
    yield Sample(values((2, 2, 3, 4)), mask)
    yield Sample(values((2, 2, 3, 4)), values((2, 1, 3, 4), seed=1))
    yield Sample(values((0, 2, 3, 4)), values((0, 1, 3, 4)))


def fused_softmax_mask_errors():
    """Yield other dimensions, and a mask for each head."""
    bad = InvalidArgumentError
    yield BadInput((values((2, 3)), values((2, 3))), {}, bad, "must be in 4D dimension")
    yield BadInput((values((2, 2, 3, 4)), values((2, 2, 3, 4))), {}, bad, "with 1 head")


fused_softmax_mask = op(
    "fused_softmax_mask",
    in_float32(fused_softmax_mask_forward),
    vjp=in_float32(fused_softmax_mask_vjp),
    saves="out",
    nondiff="mask",
    public=None,
    reference=lambda x, mask: softmax_reference(x + mask),
    samples=fused_softmax_mask_samples,
    errors=fused_softmax_mask_errors,
    formula="dx = out * (dout - sum(dout * out))",
    doc="Softmax of scores and a mask; recorded by incubate.softmax_mask_fuse.",
)


def _lower(x):
    return jnp.arange(x.shape[-1]) <= jnp.arange(x.shape[-2])[:, None]


@real_only
def fused_softmax_mask_upper_triangle_forward(x):
    """Return the softmax along the last axis of the elements not above the diagonal."""
    if x.ndim != 4 or x.shape[2] != x.shape[3]:
        raise ValueError(f"Input x must be [batch, heads, length, length], but is {list(x.shape)}.")
    return jax.nn.softmax(jnp.where(_lower(x), x, -jnp.inf), axis=-1)


def fused_softmax_mask_upper_triangle_reference(x):
    """Compute softmax row by row."""
    out = np.zeros_like(x)
    for i in range(x.shape[2]):
        out[:, :, i, : i + 1] = softmax_reference(x[:, :, i, : i + 1])
    return out


def fused_softmax_mask_upper_triangle_samples():
    """Yield squares, and no samples."""
    yield Sample(values((2, 2, 3, 3)))
    yield Sample(values((1, 1, 1, 1)))
    yield Sample(values((0, 2, 3, 3)))


def fused_softmax_mask_upper_triangle_errors():
    """Yield a matrix that is not square."""
    yield BadInput((values((2, 2, 3, 4)),), {}, InvalidArgumentError, "[batch, heads, length, leng")


fused_softmax_mask_upper_triangle = op(
    "fused_softmax_mask_upper_triangle",
    in_float32(fused_softmax_mask_upper_triangle_forward),
    vjp=in_float32(fused_softmax_mask_vjp),
    saves="out",
    public=None,
    reference=fused_softmax_mask_upper_triangle_reference,
    samples=fused_softmax_mask_upper_triangle_samples,
    errors=fused_softmax_mask_upper_triangle_errors,
    formula="dx = out * (dout - sum(dout * out))",
    doc="Softmax of causal scores; recorded by incubate.softmax_mask_fuse_upper_triangle.",
)
