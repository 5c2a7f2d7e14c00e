"""The power of two arrays and its gradient."""

import jax.numpy as jnp


def power_of(x, y):
    """Raise x to the power y; 0 to a complex power is 0 if its real part is positive (JAX: nan)."""
    powers = jnp.power(x, y)
    if not jnp.iscomplexobj(y):
        return powers
    return jnp.where((x == 0) & (jnp.real(y) > 0), 0, powers)


def elementwise_pow_forward(x, y):
    """Raise x to the power y; negative powers of integers are rounded towards zero."""
    if not jnp.issubdtype(y.dtype, jnp.signedinteger):
        return power_of(x, y)
    # XLA multiplies by squares of x modulo 2^bits here, and so gives 3 ** -2 as 703701817.
    rest = jnp.where(x == 1, 1, jnp.where(x == -1, 1 - 2 * (y & 1), 0))
    return jnp.where(y < 0, rest.astype(x.dtype), jnp.power(x, jnp.maximum(y, 0)))


def elementwise_pow_vjp(x, y, dout):
    """Return the gradients; 0 for x where y is 0, and for y where x is 0 and y is not negative."""
    one = jnp.ones_like(y)
    is_zero = y == 0
    slope = y * power_of(x, jnp.where(is_zero, one, y - one))
    at_zero = x == 0
    growth = jnp.log(jnp.where(at_zero, jnp.ones_like(x), x)) * power_of(x, y)
    if not jnp.iscomplexobj(y):
        growth = jnp.where(at_zero & (y < 0), -jnp.inf, growth)
    dx = dout * jnp.conj(jnp.where(is_zero, 0, slope))
    return dx, dout * jnp.conj(jnp.where(at_zero & is_zero, 0, growth))
