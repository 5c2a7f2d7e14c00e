"""The identity_loss row: marks a tensor as a loss, and reduces it."""

import math

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

REDUCTIONS = (jnp.sum, jnp.mean, jnp.array)


@real_only
def identity_loss_forward(x, *, reduction: int = 2):
    """Return the sum (0), the mean (1), or the values themselves (2)."""
    if not 0 <= reduction < 3:
        raise ValueError(f"reduction should be 0, 1 and 2. But get {reduction}")
    return REDUCTIONS[reduction](x)


def identity_loss_vjp(x, dout, *, reduction):
    """Broadcast the gradient to all elements."""
    if reduction == 1:
        dout = dout / max(math.prod(x.shape), 1)
    return jnp.broadcast_to(dout, x.shape)


def identity_loss_reference(x, reduction=2):
    """Use NumPy's sum and mean."""
    return (np.sum, np.mean, np.array)[reduction](x)


def identity_loss_samples():
    """Yield each reduction, and 0-D."""
    for reduction in range(3):
        yield Sample(values((2, 3)), reduction=reduction)
    yield Sample(values(()), reduction=1)


def identity_loss_errors():
    """Yield an unknown reduction."""
    bad = InvalidArgumentError
    yield BadInput((values((2,)),), {"reduction": 3}, bad, "reduction should be 0, 1 and 2")


identity_loss = op(
    "identity_loss",
    in_float32(identity_loss_forward),
    shapes="x",
    vjp=identity_loss_vjp,
    public=None,
    reference=identity_loss_reference,
    samples=identity_loss_samples,
    errors=identity_loss_errors,
    formula="dx = dout, dout / size(x) where reduction = 1: the mean",
    doc="Mark a loss, summed, averaged or as it is; recorded by incubate.identity_loss.",
)
