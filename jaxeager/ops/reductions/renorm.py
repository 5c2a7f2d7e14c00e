"""renorm: a limit on the norm of slices."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import normal_axis
from jaxeager.ops.rules.norms import norm_over
from jaxeager.ops.rules.precision import in_float32
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def renorm_forward(x, *, p: float, axis: int, max_norm: float):
    """Scale each slice along the axis down to a norm of at most max_norm."""
    if p <= 0:
        raise ValueError(f"p must be above 0, but received {p}.")
    if max_norm < 0:
        raise ValueError(f"max_norm must be 0 or more, but received {max_norm}.")
    axis = normal_axis(axis, x.ndim)
    others = tuple(each for each in range(x.ndim) if each != axis)
    is_over = norm_over(x, p, others, True) > max_norm
    safe = jnp.where(is_over, x, 1)  # so the branch not taken does not differentiate a norm of 0
    return jnp.where(is_over, x * (max_norm / norm_over(safe, p, others, True)), x).astype(x.dtype)


def renorm_reference(x, p, axis, max_norm):
    """Compute the plain formula, slice by slice."""
    slices = np.moveaxis(x, axis, 0).astype(np.float64)
    norms = [np.linalg.norm(np.ravel(each), p) if each.size else 0.0 for each in slices]
    scaled = [
        each * (max_norm / norm) if norm > max_norm else each
        for each, norm in zip(slices, norms, strict=True)
    ]
    return np.moveaxis(np.reshape(scaled, slices.shape), 0, axis).astype(x.dtype)


def renorm_samples():
    """Yield several norms and axes, slices below the limit, one of zeros, zero-size."""
    yield Sample(values((2, 3)), p=2.0, axis=0, max_norm=1.5)
    yield Sample(values((2, 3, 2)), p=1.0, axis=-1, max_norm=4.0)
    yield Sample(values((3, 2)), p=np.inf, axis=1, max_norm=1.0)
    yield Sample(np.array([[0.0, 0.0], [3.0, 4.0], [0.1, 0.2]]), p=2.0, axis=0, max_norm=1.0)
    yield Sample(values((0, 3)), p=2.0, axis=1, max_norm=1.0)


def renorm_errors():
    """Yield an axis out of range, an invalid order of the norm, and a negative limit."""
    x = np.ones((2, 3))
    yield BadInput((x, 2.0, 2, 1.0), {}, InvalidArgumentError, "must be in the range [-2, 2)")
    yield BadInput((x, 0.0, 0, 1.0), {}, InvalidArgumentError, "p must be above 0")
    yield BadInput((x, 2.0, 0, -1.0), {}, InvalidArgumentError, "max_norm must be 0 or more")


renorm = op(
    "renorm",
    in_float32(real_only(renorm_forward)),
    saves="x",
    promote="float",
    inplace=True,
    reference=renorm_reference,
    samples=renorm_samples,
    errors=renorm_errors,
    formula="dx = dout in slices that were left, else the derivative of x * max_norm / norm(x)",
    boundary="a slice whose norm equals the limit is unchanged; dx = dout there.",
    doc="Scale each slice along an axis down to a p-norm of at most max_norm (Paddle: not for "
    "p = inf).",
    example="paddle.renorm(paddle.to_tensor([[3.0, 4.0], [0.3, 0.4]]), 2.0, 0, 1.0)",
)
