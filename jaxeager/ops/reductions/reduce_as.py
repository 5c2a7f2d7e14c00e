"""reduce_as: a sum to the shape of another tensor, like the gradient of broadcasting."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def reduce_as_forward(x, target):
    """Sum over the axes along which a tensor of the target's shape would be broadcast."""
    ahead = x.ndim - target.ndim
    fits = ahead >= 0 and all(
        small in (1, large) for small, large in zip(target.shape, x.shape[ahead:], strict=True)
    )
    if not fits:
        raise ValueError(f"a tensor of shape {target.shape} does not broadcast to {x.shape}.")
    axes = tuple(range(ahead)) + tuple(
        ahead + axis for axis, size in enumerate(target.shape) if size != x.shape[ahead + axis]
    )
    dtype = np.int64 if x.dtype in (np.bool_, np.int32) else x.dtype
    return jnp.sum(x, axis=axes, dtype=dtype).reshape(target.shape)


def reduce_as_vjp(x, dout):
    """Pass the gradient of each sum to its elements."""
    return jnp.broadcast_to(dout, x.shape)


def reduce_as_reference(x, target):
    """Compute NumPy's sum over the axes that differ."""
    ahead = np.ndim(x) - np.ndim(target)
    shape = (1,) * ahead + np.shape(target)
    axes = tuple(i for i, (a, b) in enumerate(zip(shape, np.shape(x), strict=True)) if a != b)
    return np.sum(x, axis=axes, keepdims=True).reshape(np.shape(target)).astype(x.dtype)


def reduce_as_samples():
    """Yield leading and inner axes, everything, nothing, and zero-size."""
    x = values((4, 2, 3))
    for shape in ((3,), (2, 1), (1, 1, 1), (4, 2, 3), ()):
        yield Sample(x, np.zeros(shape))
    yield Sample(values((0, 3)), np.zeros((1, 3)))


def reduce_as_errors():
    """Yield a shape that does not broadcast to that of x."""
    bad = np.ones((2, 3)), np.ones(2)
    yield BadInput(bad, {}, InvalidArgumentError, "does not broadcast")


reduce_as = op(
    "reduce_as",
    reduce_as_forward,
    vjp=reduce_as_vjp,
    shapes="x",
    nondiff="target",
    reference=reduce_as_reference,
    samples=reduce_as_samples,
    errors=reduce_as_errors,
    formula="dx = dout, broadcast to x",
    dtypes=WITH_COMPLEX,
    doc="Sum over the axes along which a tensor of the target's shape is broadcast to x.",
    example="paddle.reduce_as(paddle.ones([2, 3]), paddle.zeros([3]))",
)
