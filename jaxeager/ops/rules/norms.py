"""The p-norm of arrays, for the rows and functions that compute one."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.ops.rules.precision import widened
from jaxeager.ops.rules.subnormals import is_nonzero, unless_fit


def norm_over(
    x: jax.Array, order: float, axes: tuple[int, ...] | None, keepdims: bool
) -> jax.Array:
    """Return the p-norm over some axes, real.

    Powers that would leave the range of the dtype are taken of scaled elements: the norm of
    [1e-20, 1e-20] is 1.4e-20 and that of [1e30, 1e30] is 1.4e30. See Note [Subnormal numbers].

    Args:
        x: float or complex [...].
        order: any number, also infinite.
        axes: the axes, all when None.
        keepdims: whether they stay, with size 1.
    """
    size = jnp.abs(x)
    if order == 0:
        return jnp.sum(is_nonzero(x), axis=axes, keepdims=keepdims).astype(size.dtype)
    if abs(order) == math.inf:
        extreme, of_nothing = (jnp.max, 0) if order > 0 else (jnp.min, jnp.inf)
        start = None if size.size else of_nothing
        return extreme(size, axis=axes, keepdims=keepdims, initial=start)
    if order == 1:
        return jnp.sum(size, axis=axes, keepdims=keepdims)
    norm = _root_of_powers(widened(size), order, axes).astype(size.dtype)
    return norm if keepdims else jnp.squeeze(norm, axes)


def _root_of_powers(size: jax.Array, order: float, axes: tuple[int, ...] | None) -> jax.Array:
    def exact(size: jax.Array) -> jax.Array:
        scale = _scale(size, order, axes)
        return _root(_total(size / scale, order, axes), order) * scale

    total = _total(size, order, axes)
    return unless_fit(total, lambda total: _root(total, order), exact, size)


def _total(size: jax.Array, order: float, axes: tuple[int, ...] | None) -> jax.Array:
    powers = size * size if order == 2 else size**order
    return jnp.sum(powers, axis=axes, keepdims=True)


def _root(total: jax.Array, order: float) -> jax.Array:
    return jnp.sqrt(total) if order == 2 else total ** (1 / order)


def _scale(size: jax.Array, order: float, axes: tuple[int, ...] | None) -> jax.Array:
    """Return the element with the largest power; 1 in place of 0, inf and nan."""
    extreme, start = (jnp.max, 0) if order > 0 else (jnp.min, jnp.inf)
    scale = lax.stop_gradient(extreme(size, axis=axes, keepdims=True, initial=start))
    return jnp.where((scale > 0) & (scale < jnp.inf), scale, 1)
