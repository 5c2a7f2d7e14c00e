"""Kernels of the regularized incomplete gamma functions P and Q = 1 - P.

The smaller of the two is computed, the other is 1 less that:

- P by its power series (DLMF 8.7.1) for x up to a or up to 1;
- Q by its continued fraction (DLMF 8.9.2) beyond, and by the alternating series (DLMF 8.7.3) where
  both x and a are up to 1, as P is close to 1 there;
- both by Temme's uniform expansion (DLMF 8.12.3, 8.12.4, 8.12.7) where a is above 100 and x within
  a third of it: the other two need many terms there, in XLA's functions more than it allows.

The density that both have as a factor is computed as in Note [Densities of large counts].
"""

import functools
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from jaxeager.ops.elementwise import gamma_kernels
from jaxeager.ops.elementwise.gamma_kernels import polynomial
from jaxeager.ops.elementwise.stirling import log1p_minus_forward, stirling_error_forward

_SMALL, _LARGE, _NEAR = 8.0, 100.0, 0.3


def density(a, x):
    """Compute x^a exp(-x) / gamma(a + 1) for positive operands."""
    is_small = a < _SMALL
    low = jnp.where(is_small, a, 1)
    high = jnp.where(is_small, _SMALL, a)
    bounded = jnp.where(is_small, jnp.minimum(x, 1000), 1)  # beyond, the result is 0
    small = jnp.power(bounded, low) * jnp.exp(-bounded) / gamma_kernels.gamma_of_1_plus(low)
    gap = (x - high) / high
    near = jnp.abs(gap) < 0.4
    ratio = jnp.where(near | is_small, 1, x / high)
    less = jnp.where(near, log1p_minus_forward(jnp.where(near, gap, 0)), jnp.log(ratio) - gap)
    large = jnp.exp(high * less - stirling_error_forward(high)) / jnp.sqrt(2 * np.pi * high)
    return jnp.where(is_small, small, large)


def _backward(count: int, step, start):
    """Run ``step`` of k and a value for k from ``count`` down to 1; errors do not pile up so."""
    return lax.fori_loop(0, count, lambda i, value: step(count - i, value), start)


def _series(a, x):
    """Sum x^k / ((a + 1) ... (a + k)), for k from 0 on."""
    terms = 64 if x.dtype.itemsize == 4 else 120
    return _backward(terms, lambda k, total: 1 + total * (x / (a + k)), jnp.ones_like(x))


def _fraction(a, x):
    """Compute 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...))."""
    terms = 32 if x.dtype.itemsize == 4 else 100
    first = x + 1 - a
    rest = _backward(
        terms, lambda k, value: k * (k - a) / (first + 2 * k - value), jnp.zeros_like(x)
    )
    return 1 / (first - rest)


def _of_small(a, x):
    """Compute Q where a and x are up to 1: DLMF 8.7.3 without its leading 1."""
    terms = 12 if x.dtype.itemsize == 4 else 20
    series = jnp.zeros_like(x)
    for k in range(terms, 0, -1):
        series = -x / k * (1 / (a + k) + series)
    power = jnp.power(x, a)
    log_first = a * jnp.log(x) - gamma_kernels.log_gamma_of_1_plus(a)
    return -jnp.expm1(log_first) - a * power / gamma_kernels.gamma_of_1_plus(a) * series


@functools.lru_cache
def temme_coefficients(rows: int, columns: int) -> list[list[float]]:
    """Return the series in eta of c_0, c_1, ... of DLMF 8.12.4, from exact fractions.

    mu(eta) follows from mu' mu = eta (1 + mu), c_k is c_(k - 1)' / eta plus a multiple of 1 / mu
    that removes its pole (DLMF 8.12.10).
    """
    order = columns + 2 * rows + 2
    mu = [Fraction(0), Fraction(1)]  # of eta^0, eta^1, ...
    for n in range(2, order + 1):
        known = sum((k * mu[k] * mu[n + 1 - k] for k in range(2, n)), Fraction(0))
        mu.append((mu[n - 1] - known) / (n + 1))
    inverse = [Fraction(1)]  # of eta / mu
    for n in range(1, order):
        inverse.append(-sum((mu[k + 1] * inverse[n - k] for k in range(1, n + 1)), Fraction(0)))
    found = [inverse[1:]]
    for _ in range(1, rows):
        slope = [k * each for k, each in enumerate(found[-1])][1:]
        pole = -slope[0]
        found.append(
            [one + pole * other for one, other in zip(slope[1:], inverse[1:], strict=False)]
        )
    return [[float(each) for each in row[:columns]] for row in found]


def _temme(a, x, sign: int):
    """Compute P (sign -1) or Q (sign 1) for large a, and x close to it."""
    gap = (x - a) / a
    half_square = -log1p_minus_forward(gap)  # eta^2 / 2
    eta = jnp.copysign(jnp.sqrt(2 * half_square), gap)
    rows, columns = (4, 9) if x.dtype.itemsize == 4 else (9, 18)
    each = [polynomial(row, eta) for row in temme_coefficients(rows, columns)]
    total = each[-1]
    for one in each[-2::-1]:
        total = total / a + one
    rest = jnp.exp(-a * half_square) / jnp.sqrt(2 * np.pi * a) * total
    return 0.5 * special.erfc(sign * eta * jnp.sqrt(0.5 * a)) + sign * rest


def _smaller(a, x):
    """Return P and Q, each from the way that suits the operands."""
    inside = (a > 0) & (x > 0) & jnp.isfinite(a) & jnp.isfinite(x)
    is_temme = inside & (a > _LARGE) & (jnp.abs(x - a) < _NEAR * a)
    is_series = inside & ~is_temme & (x <= jnp.maximum(a, 1))
    is_small = is_series & (a <= 1) & (x <= 1)
    is_fraction = inside & ~is_temme & ~is_series
    some_a, some_x = jnp.where(inside, a, 1), jnp.where(inside, x, 1)
    factor = density(some_a, some_x)
    p = factor * _series(jnp.where(is_series, a, 1), jnp.where(is_series, x, 0.125))
    q = factor * some_a * _fraction(jnp.where(is_fraction, a, 1), jnp.where(is_fraction, x, 9))
    q = jnp.where(is_small, _of_small(jnp.where(is_small, a, 1), jnp.where(is_small, x, 1)), q)
    large_a, large_x = jnp.where(is_temme, a, 200), jnp.where(is_temme, x, 200)
    p = jnp.where(is_temme, _temme(large_a, large_x, -1), jnp.where(is_fraction, 1 - q, p))
    other = jnp.where(is_series & ~is_small, 1 - p, q)
    q = jnp.where(is_temme, _temme(large_a, large_x, 1), other)
    return _at_the_ends(a, x, inside, p, q)


def _at_the_ends(a, x, inside, p, q):
    """Return P and Q also at 0 and infinity, nan for negative operands and for (0, 0)."""
    is_one = ((a == 0) & (x > 0)) | (jnp.isposinf(x) & (a >= 0))
    is_zero = ((x == 0) & (a > 0)) | (jnp.isposinf(a) & jnp.isfinite(x) & (x >= 0))
    ends = jnp.where(is_one, 1, jnp.where(is_zero, 0, math.nan)).astype(x.dtype)
    return jnp.where(inside, p, ends), jnp.where(inside, q, 1 - ends)


@jax.custom_jvp
def lower(a, x):
    """Compute P(a, x)."""
    return _smaller(*jnp.broadcast_arrays(a, x))[0]


@jax.custom_jvp
def upper(a, x):
    """Compute Q(a, x)."""
    return _smaller(*jnp.broadcast_arrays(a, x))[1]


def slope(a, x):
    """Compute the derivative of P by x, the density of the gamma distribution."""
    inside = (a > 0) & (x > 0) & jnp.isfinite(a) & jnp.isfinite(x)
    some_a, some_x = jnp.where(inside, a, 1), jnp.where(inside, x, 1)
    plain = jnp.exp(special.xlogy(a - 1, x) - x - gamma_kernels.log_gamma(a))
    return jnp.where(inside, density(some_a, some_x) * (some_a / some_x), plain)


def _by_a(a, x):
    """Return the derivative of P by a, as XLA computes it."""
    return lax.igamma_grad_a(*jnp.broadcast_arrays(a, x))


lower.defjvps(
    lambda step, out, a, x: step * _by_a(a, x),
    lambda step, out, a, x: step * slope(a, x),
)
upper.defjvps(
    lambda step, out, a, x: -step * _by_a(a, x),
    lambda step, out, a, x: -step * slope(a, x),
)
