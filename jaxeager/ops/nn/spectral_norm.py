"""The spectral_norm row: a weight divided by its largest singular value."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import same_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _matrix(weight, dim: int):
    """Return a weight as a matrix whose rows are the given axis."""
    return jnp.moveaxis(weight, dim, 0).reshape(weight.shape[dim], -1)


def _iterated(xp, matrix, u, v, power_iters: int, eps: float):
    """Return the vectors after ``power_iters`` steps of the power iteration."""
    for _ in range(power_iters):
        v = matrix.T @ u
        v = v / (xp.linalg.norm(v) + eps)
        u = matrix @ v
        u = u / (xp.linalg.norm(u) + eps)
    return u, v


def spectral_norm_forward(weight, u, v, *, dim: int = 0, power_iters: int = 1, eps: float = 1e-12):
    """Divide a weight by u^T W v, where u and v after ``power_iters`` steps are constants."""
    if not 0 <= dim < weight.ndim:
        raise ValueError(f"dim must be in [0, {weight.ndim}), but received {dim}.")
    if power_iters < 0:
        raise ValueError(f"power_iters must be at least 0, but received {power_iters}.")
    matrix = _matrix(weight, dim)
    for name, vector, size in (("U", u, matrix.shape[0]), ("V", v, matrix.shape[1])):
        if vector.shape != (size,):
            raise ValueError(
                f"{name} must have the shape [{size}] for a weight of {list(weight.shape)} and dim "
                f"{dim}, but has {list(vector.shape)}."
            )
        same_dtype(weight, vector)
    fixed = lax.stop_gradient(matrix)
    u, v = _iterated(jnp, fixed, lax.stop_gradient(u), lax.stop_gradient(v), power_iters, eps)
    return weight / (u @ matrix @ v)


def spectral_norm_vjp(weight, u, v, out, dout, *, dim, power_iters, eps):
    """Return the gradient of the weight: (dout - sum(dout * out) u v^T) / sigma."""
    matrix = _matrix(weight, dim)
    fixed = lax.stop_gradient(matrix)
    u, v = _iterated(jnp, fixed, u, v, power_iters, eps)
    sigma = u @ matrix @ v
    outer = jnp.moveaxis(jnp.outer(u, v).reshape(jnp.moveaxis(weight, dim, 0).shape), 0, dim)
    return (dout - jnp.sum(dout * out) * outer) / sigma


def spectral_norm_reference(weight, u, v, dim=0, power_iters=1, eps=1e-12):
    """Divide by the value that the power iteration reaches."""
    matrix = np.moveaxis(weight, dim, 0).reshape(weight.shape[dim], -1)
    u, v = _iterated(np, matrix, u, v, power_iters, eps)
    return weight / (u @ matrix @ v)


def spectral_norm_samples():
    """Yield each axis; no, one and several steps."""
    weight = values((4, 3, 2))
    for dim, steps in ((0, 0), (1, 1), (2, 3)):
        height = weight.shape[dim]
        u, v = values((height,), 0.5, 2.0, seed=1), values((24 // height,), 0.2, 1.0, seed=2)
        yield Sample(weight, u, v, dim=dim, power_iters=steps)


def spectral_norm_errors():
    """Yield an axis out of range, vectors that do not fit."""
    weight, bad = values((4, 3)), InvalidArgumentError
    yield BadInput((weight, values((4,)), values((3,))), {"dim": 2}, bad, "dim must be in [0, 2)")
    yield BadInput((weight, values((3,)), values((3,))), {}, bad, "U must have the shape [4]")


spectral_norm = op(
    "spectral_norm",
    real_only(spectral_norm_forward),
    vjp=spectral_norm_vjp,
    saves="weight u v out",
    nondiff="u v",
    public=None,
    reference=spectral_norm_reference,
    samples=spectral_norm_samples,
    errors=spectral_norm_errors,
    # An iteration with 8 bits of precision reaches another vector.
    dtypes="float32 float64",
    formula="dweight = (dout - sum(dout * out) * u v^T) / (u^T W v)",
    boundary="infinite or nan, as the result is, where u^T W v is 0.",
    doc="Divide a weight by its largest singular value, as estimated by the power iteration; "
    "recorded by nn.SpectralNorm.",
    example="paddle.nn.SpectralNorm([2, 3])(paddle.ones([2, 3]))",
)
