"""Kernels of log |gamma|, digamma and polygamma, accurate to a few units of the last place.

Note [Gamma functions]
    XLA's log gamma and digamma have a small absolute error, so near their zeros no digit is right.
    Here both are computed in the working dtype, without float64:

    - near a zero as the exact distance to it times a polynomial or series;
    - elsewhere by recurrence, up to 9, in which no terms cancel;
    - beyond by Stirling's series (DLMF 5.11.1, 5.11.2);
    - at negative numbers by recurrence or reflection (DLMF 5.5.1, 5.5.3, 5.5.4, 5.15.6), in which
      the angle is taken from the nearest integer, which is exact.

    On a CPU and a TPU a branch computes negative numbers, so a tensor without any is spared the
    time. docs/special-functions.md has the errors.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.ops.elementwise.gamma_tables import (
    BERNOULLI,
    DIGAMMA_AT_ZERO,
    DIGAMMA_ZERO,
    LOG_GAMMA_AT_2,
    split,
    zeros_of_log_gamma,
)

_LEFT, _FAR = 9.0, 8.2  # recurrence is used from -_LEFT to _FAR


def polynomial(coefficients, x):
    """Evaluate a polynomial whose coefficients begin with the constant."""
    out = jnp.full_like(x, coefficients[-1])
    for each in coefficients[-2::-1]:
        out = out * x + each
    return out


def angle(x):
    """Return pi times the distance of x to the nearest integer, without its rounding."""
    return np.pi * (x - jnp.round(x))


def where_any(condition, out, compute):
    """Return ``compute()`` where the condition holds, else ``out``.

    On a CPU and a TPU nothing is computed if it holds nowhere; on a GPU a branch would wait.
    """

    def choose():
        return jnp.where(condition, compute(), out)

    def branch():
        return lax.cond(jnp.any(condition), choose, lambda: out)

    return lax.platform_dependent(cpu=branch, tpu=branch, default=choose)


# ---- log |gamma|


@jax.custom_jvp
def log_gamma(x):
    """Compute log |gamma(x)|: inf at 0, -1, -2, ... and at both infinities."""
    positive = jnp.where(x > 0, x, 1)
    out = jnp.where(positive > _FAR, _stirling(jnp.maximum(positive, _FAR)), _near(positive, 6))
    return where_any(~(x > 0), out, lambda: _log_gamma_of_negative(jnp.minimum(x, 0)))


log_gamma.defjvps(lambda step, out, x: step * digamma(x))


def _near(x, steps: int):
    """Compute log |gamma| between -_LEFT and _FAR by at most so many steps to [1.2, 2.2]."""
    at_2, up, product = _reduced(x, steps)
    return at_2 - jnp.where(up, 1, -1) * jnp.log(jnp.abs(product))


def _reduced(x, steps: int):
    """Return log gamma(y) with y from 1.2 to 2.2, whether y is above x, and gamma's ratio.

    The ratio is the product of the places from x to y, or the other way: gamma(y) is it times
    gamma(x) if y is above x, else gamma(x) is it times gamma(y).
    """
    nearest = jnp.ceil(x - 0.2)
    e, count = x - nearest, nearest - 2
    up = count < 0
    first = jnp.where(up, x, x - 1)
    step = jnp.where(up, 1, -1).astype(x.dtype)
    product = jnp.ones_like(x)
    for k in range(steps):
        product = jnp.where(k < jnp.abs(count), product * (first + step * k), product)
    return e * polynomial(LOG_GAMMA_AT_2[x.dtype.itemsize], e + 0.3), up, product


def gamma_of_1_plus(x):
    """Compute gamma(1 + x) for x from 0 to 8."""
    is_small = x < 0.2  # where 1 + x would be rounded
    at_2, up, product = _reduced(jnp.where(is_small, 1, x) + 1, 7)
    large = jnp.exp(at_2) * jnp.where(up, 1 / product, product)
    return jnp.where(is_small, jnp.exp(log_gamma_of_1_plus(jnp.where(is_small, x, 0))), large)


def log_gamma_of_1_plus(x):
    """Compute log gamma(1 + x) for x from 0 to 8, without rounding 1 + x."""
    is_small = x < 0.2
    small = jnp.where(is_small, x, 0)
    at_2 = small * polynomial(LOG_GAMMA_AT_2[x.dtype.itemsize], small + 0.3)
    return jnp.where(is_small, at_2 - jnp.log1p(small), _near(1 + jnp.where(is_small, 1, x), 7))


def _stirling(x):
    """Compute log gamma of x above 8: DLMF 5.11.1."""
    inverse = 1 / x
    terms = 4 if x.dtype.itemsize == 4 else 9
    series = [BERNOULLI[k - 1] / (2 * k * (2 * k - 1)) for k in range(1, terms)]
    rest = inverse * polynomial(series, inverse * inverse) + 0.5 * (math.log(2 * math.pi) - 1)
    return (x - 0.5) * (jnp.log(x) - 1) + rest


def _log_gamma_of_negative(x):
    """Compute log |gamma| of x up to 0; nan of nan."""
    far = x < -_LEFT
    below = jnp.where(far, x, -_LEFT)
    reflected = jnp.log(np.pi / jnp.abs(below * jnp.sin(angle(below)))) - _stirling(-below)
    above = jnp.where(far, -0.5, x)
    out = jnp.where(far, reflected, _near(above, 11))
    table = zeros_of_log_gamma(x.dtype.itemsize)
    floor = jnp.floor(-above)
    row = jnp.clip(2 * floor - 4 + (-above - floor > 0.6), 0, len(table) - 1).astype(jnp.int32)
    pole, high, low, radius, *series = jnp.moveaxis(jnp.asarray(table)[row], -1, 0)
    d = ((above - pole) - high) - low
    total = jnp.zeros_like(d)
    for each in reversed(series):
        total = total * d + each
    out = jnp.where(jnp.abs(d) < radius, total * d, out)
    return jnp.where(x == jnp.floor(x), jnp.inf, jnp.where(jnp.isnan(x), x, out))


# ---- digamma


@jax.custom_jvp
def digamma(x):
    """Compute digamma; at 0 infinite by the sign of the zero, at -1, -2, ... nan."""
    out = _digamma_of_positive(jnp.where(x > 0, x, 1))
    return where_any(~(x > 0), out, lambda: _digamma_of_negative(jnp.minimum(x, 0)))


digamma.defjvps(lambda step, out, x: step * polygamma(x, 1))


def _digamma_of_positive(x):
    """Compute digamma by recurrence to [1, 2], or by DLMF 5.11.2 from 10 on."""
    far = x > 10
    near = jnp.where(far, 1.5, x)
    floor = jnp.maximum(jnp.floor(near), 0)
    e, count = near - floor, floor - 1
    high, low = split(DIGAMMA_ZERO, x.dtype)
    core = polynomial(DIGAMMA_AT_ZERO[x.dtype.itemsize], e - 0.5)
    core = core * (e - (high - 1)) - core * low  # XLA would add two constants that are subtracted
    # the sum of 1 / (near - k) for k = 1, ..., count, or -1 / near, as one fraction
    up = jnp.where(count < 0, -1, 0).astype(x.dtype)
    down = jnp.where(count < 0, near, 1)
    for k in range(1, 10):
        less, is_term = near - k, k <= count
        up = jnp.where(is_term, up * less + down, up)
        down = jnp.where(is_term, down * less, down)
    large = jnp.where(far, x, 10)
    square = 1 / (large * large)
    terms = 5 if x.dtype.itemsize == 4 else 10
    series = square * polynomial([BERNOULLI[k - 1] / (2 * k) for k in range(1, terms)], square)
    return jnp.where(far, jnp.log(large) - (0.5 / large + series), core + up / down)


def _digamma_of_negative(x):
    """Compute digamma of x up to 0 by reflection, DLMF 5.5.4; nan of nan."""
    out = _digamma_of_positive(1 - x) - np.pi / jnp.tan(angle(x))
    is_pole = (x == jnp.floor(x)) & (x < 0)
    at_zero = -jnp.copysign(jnp.inf, x).astype(x.dtype)
    return jnp.where(x == 0, at_zero, jnp.where(is_pole, jnp.nan, out))


# ---- polygamma

_SHIFT = 8


def polygamma(x, n: int):
    """Compute the n-th derivative of digamma, n from 1 on; infinite at 0, -1, -2, ..."""

    @jax.custom_jvp
    def of_order(x):
        sign = (-1) ** (n + 1)
        out = sign * _polygamma_of_positive(jnp.where(x > 0, x, 1), n)
        out = where_any(~(x > 0), out, lambda: _reflected(jnp.minimum(x, 0), n))
        return jnp.where((x <= 0) & (x == jnp.floor(x)), sign * jnp.inf, out).astype(x.dtype)

    of_order.defjvps(lambda step, out, x: step * polygamma(x, n + 1))
    return of_order(x)


def _polygamma_of_positive(x, n: int):
    """Compute n! zeta(n + 1, x): eight terms, and Euler and Maclaurin's sum of the others.

    DLMF 25.11.5 has that sum.
    """
    head = sum(1 / lax.integer_pow(x + k, n + 1) for k in range(_SHIFT - 1, -1, -1))
    a = x + _SHIFT
    inverse = 1 / a
    terms = 5 if x.dtype.itemsize == 4 else 9
    # rising: (n + 1)(n + 2) ... of 2 k - 1 factors
    rising = [math.prod(range(n + 1, n + 2 * k)) for k in range(1, terms)]
    series = [BERNOULLI[k] / math.factorial(2 * k + 2) * each for k, each in enumerate(rising)]
    tail = 1 / n + inverse * (0.5 + inverse * polynomial(series, inverse * inverse))
    return math.factorial(n) * (head + tail / lax.integer_pow(a, n))


def _reflected(x, n: int):
    """Compute polygamma of x up to 0 by the derivatives of DLMF 5.5.4; nan of nan."""
    cot = 1 / jnp.tan(angle(x))
    # d^n cot(z) / dz^n = (-1)^n Q(cot z), where Q of n + 1 is (1 + c^2) Q'
    q = np.polynomial.Polynomial([0, 1])
    for _ in range(n):
        q = np.polynomial.Polynomial([1, 0, 1]) * q.deriv()
    at_cot = polynomial([float(each) for each in q.coef], cot)
    return -_polygamma_of_positive(1 - x, n) - (-np.pi) ** n * np.pi * at_cot
