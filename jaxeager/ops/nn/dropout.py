"""The dropout row: a PRNG key is an operand, and backward saves the mask."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.random import as_key
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Scalar
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

MODES = ("upscale_in_train", "downscale_in_infer")


def dropout_forward(
    x, key, *, p: Scalar = 0.5, is_test: bool = False, mode: str = "upscale_in_train"
):
    """Zero each element with probability p; return also the mask of the others."""
    if mode not in MODES:
        raise ValueError(f"mode argument should be one of {MODES}, but received {mode!r}.")
    upscales = mode == MODES[0]
    if is_test:
        out = x if upscales else (x * (1 - p)).astype(x.dtype)
        return out, jnp.ones((), bool)
    mask = jax.random.uniform(as_key(key), x.shape, jnp.float32) >= p
    kept = x / _keep(p) if upscales else x
    return jnp.where(mask, kept, 0).astype(x.dtype), mask


def _keep(p):
    """Return 1 - p, or 1 if p is 1."""
    return jnp.where(p < 1, 1 - p, 1)


def dropout_vjp(mask, dout, *, p, is_test, mode):
    """Pass the gradient of the elements that were kept, at the same scale."""
    upscales = mode == MODES[0]
    if is_test:
        return dout if upscales else dout * (1 - p)
    return jnp.where(mask, dout / _keep(p) if upscales else dout, 0)


def dropout_reference(x, key, p=0.5, is_test=False, mode="upscale_in_train"):
    """Draw the same mask, and apply it with NumPy."""
    if is_test:
        return x if mode == MODES[0] else x * (1 - p)
    mask = np.asarray(jax.random.uniform(key, x.shape, jnp.float32)) >= np.float32(p)
    return np.where(mask, x / (1 - p) if mode == MODES[0] else x, 0)


def dropout_samples():
    """Yield both modes in training and evaluation, 0-D, zero-size."""
    key = jax.random.key(3)
    x = values((4, 5))
    yield Sample(x, key, p=0.25)
    yield Sample(x, key, p=0.5, mode="downscale_in_infer")
    yield Sample(x, key, p=0.25, is_test=True)
    yield Sample(x, key, p=0.25, is_test=True, mode="downscale_in_infer")
    yield Sample(values(()), key, p=0.1)
    yield Sample(values((0, 3)), key)


def dropout_errors():
    """Yield an unknown mode."""
    yield BadInput(
        (values((2,)), jax.random.key(0)),
        {"mode": "upscale"},
        InvalidArgumentError,
        "mode argument should be one of",
    )


dropout = op(
    "dropout",
    dropout_forward,
    vjp=dropout_vjp,
    hidden="mask",
    saves="mask",
    inplace=True,
    shapes="x",
    nondiff="key",
    public=None,
    reference=dropout_reference,
    samples=dropout_samples,
    errors=dropout_errors,
    formula="dx = dout * (1 - p) where is_test and mode = 'downscale_in_infer', dout where "
    "is_test, dout * mask where mode = 'downscale_in_infer', else dout * mask / (1 - p)",
    doc="Zero each element with a probability and scale the others; recorded by F.dropout.",
    example="paddle.nn.functional.dropout(paddle.ones([4]), 0.5)",
    dtypes=WITH_COMPLEX,
)
