"""Kernels of the modified Bessel functions of the first kind of orders 0 and 1.

Up to 8 they sum the power series (DLMF 10.25.2), whose terms are all positive; beyond they use
XLA's Chebyshev series of exp(-|x|) times the function, which is as accurate there but not below.
"""

import math

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.ops.elementwise.gamma_kernels import polynomial

_FAR = 8.0


def _series(x, order: int):
    """Sum the power series for x up to 8; the function is even or odd, as its order."""
    terms = 17 if x.dtype.itemsize == 4 else 25
    each = [1 / (math.factorial(k) * math.factorial(k + order)) for k in range(terms)]
    half = 0.5 * x
    return polynomial(each, half * half) * (half if order else 1)


def _scaled(x, order: int):
    """Compute exp(-|x|) times the function."""
    near = jnp.abs(x) <= _FAR
    small = jnp.where(near, x, 0)
    far = lax.bessel_i1e(x) if order else lax.bessel_i0e(x)
    return jnp.where(near, jnp.exp(-jnp.abs(small)) * _series(small, order), far)


def _whole(x, order: int):
    """Compute the function, whose exponential factor alone may overflow; at -inf by its parity."""
    near = jnp.abs(x) <= _FAR
    far = lax.bessel_i1e(x) if order else lax.bessel_i0e(x)
    overflows = jnp.abs(x) > math.log(float(jnp.finfo(x.dtype).max)) - 1
    factor = jnp.exp(jnp.abs(x) * jnp.where(overflows, 0.5, 1))
    far = far * factor * jnp.where(overflows, factor, 1)
    far = jnp.where(jnp.isinf(x), x if order else jnp.inf, far)
    return jnp.where(near, _series(jnp.where(near, x, 0), order), far)


def over(out, x):
    """Return out / x where out is about x / 2 near 0."""
    at_zero = x == 0
    return jnp.where(at_zero, 0.5, out / jnp.where(at_zero, 1, x)).astype(x.dtype)


@jax.custom_jvp
def i0(x):
    """Compute the function of order 0, infinite at both infinities."""
    return _whole(x, 0)


@jax.custom_jvp
def i1(x):
    """Compute the function of order 1, infinite at both infinities."""
    return _whole(x, 1)


@jax.custom_jvp
def i0e(x):
    """Compute exp(-|x|) i0(x)."""
    return _scaled(x, 0)


@jax.custom_jvp
def i1e(x):
    """Compute exp(-|x|) i1(x)."""
    return _scaled(x, 1)


i0.defjvps(lambda step, out, x: step * i1(x))
i1.defjvps(lambda step, out, x: step * (i0(x) - over(out, x)))
i0e.defjvps(lambda step, out, x: step * (i1e(x) - jnp.sign(x) * out))
i1e.defjvps(lambda step, out, x: step * (i0e(x) - jnp.sign(x) * out - over(out, x)))
