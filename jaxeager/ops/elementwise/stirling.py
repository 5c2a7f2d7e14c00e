"""What Stirling's formula leaves off, as ops for the densities of distributions.

Note [Densities of large counts]
    The logarithm of a probability of a large count is a difference of numbers of the size of the
    count: in float32 a Poisson of rate 1e6 has no digit left. Loader, "Fast and accurate
    computation of binomial probabilities" (2000), writes log gamma as Stirling's formula and a
    small error, and combines the large parts by hand: what remains is the deviance, a count times
    log(1 + u) - u for the relative distance u. distribution/densities.py does so with the ops here.
"""

import math

import jax.numpy as jnp

from jaxeager.ops.elementwise import gamma_kernels
from jaxeager.ops.elementwise.gamma_kernels import polynomial
from jaxeager.ops.elementwise.gamma_tables import BERNOULLI
from jaxeager.ops.elementwise.unary import REAL, log1p_forward, unary_row
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import unary

_LEAST = 8.0  # the series are used above


def _internal(name: str, forward, doc: str, formula: str, reference, **fields):
    return unary_row(
        name, forward, fields.pop("vjp"), fields.pop("saves"), reference, formula, doc,
        public=None, method=False, inplace=False, dtypes=REAL, **fields,
    )  # fmt: skip


def _split(x):
    """Return where the series is used, and x with harmless values for each way."""
    is_large = x > _LEAST
    return is_large, jnp.where(is_large, x, _LEAST), jnp.where(is_large, 1, x)


def _terms(x) -> int:
    return 5 if x.dtype.itemsize == 4 else 10


# ---- log(1 + x) - x


@real_only
def log1p_minus_forward(x):
    """Compute log(1 + x) - x, without cancelling where x is small.

    For s = x / (2 + x) it is 2 atanh(s) - x = 2 (s^3 / 3 + s^5 / 5 + ...) - s x: DLMF 4.6.4.
    """
    is_near = (x > -0.4) & (x < 0.5)
    near = jnp.where(is_near, x, 0)
    s = near / (2 + near)
    count = 8 if x.dtype.itemsize == 4 else 16
    series = polynomial([2 / (2 * k + 3) for k in range(count)], s * s)
    return jnp.where(is_near, s * (s * s * series - near), log1p_forward(x) - x)


def log1p_minus_vjp(x, dout):
    """Multiply the gradient by -x / (1 + x)."""
    return -dout * x / (1 + x)


def log1p_minus_reference(x):
    """Compute the plain formula."""
    import numpy as np

    return np.log1p(x) - x


log1p_minus = _internal(
    "log1p_minus",
    log1p_minus_forward,
    "Compute log(1 + x) - x, for densities of distributions.",
    "dx = -dout * x / (1 + x)",
    log1p_minus_reference,
    vjp=log1p_minus_vjp,
    saves="x",
    samples=unary(-0.8, 2.0),
    example="paddle.distribution.Poisson(1e6).log_prob(paddle.to_tensor([1e6]))",
)

# ---- log gamma and digamma without Stirling's formula


@real_only
def stirling_error_forward(x):
    """Compute log gamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2, for x above 0: DLMF 5.11.1."""
    is_large, large, small = _split(x)
    inverse = 1 / large
    each = [BERNOULLI[k - 1] / (2 * k * (2 * k - 1)) for k in range(1, _terms(x))]
    rest = small - (small - 0.5) * jnp.log(small) - 0.5 * math.log(2 * math.pi)
    return jnp.where(
        is_large,
        inverse * polynomial(each, inverse * inverse),
        gamma_kernels.log_gamma(small) + rest,
    )


def stirling_error_vjp(x, dout):
    """Multiply the gradient by 1 / (2 x) less the distance of log(x) to digamma."""
    return dout * (0.5 / x - log_minus_digamma_forward(x))


@real_only
def log_minus_digamma_forward(x):
    """Compute log(x) - digamma(x), for x above 0: DLMF 5.11.2."""
    is_large, large, small = _split(x)
    inverse = 1 / large
    each = [BERNOULLI[k - 1] / (2 * k) for k in range(1, _terms(x))]
    series = inverse * (0.5 + inverse * polynomial(each, inverse * inverse))
    return jnp.where(is_large, series, jnp.log(small) - gamma_kernels.digamma(small))


def log_minus_digamma_vjp(x, dout):
    """Multiply the gradient by 1 / x less the first polygamma function."""
    return dout * (1 / x - gamma_kernels.polygamma(x, 1))


def stirling_error_reference(x):
    """Compute the plain formula."""
    import numpy as np
    from scipy.special import gammaln

    return gammaln(x) - (x - 0.5) * np.log(x) + x - 0.5 * np.log(2 * np.pi)


def log_minus_digamma_reference(x):
    """Compute the plain formula."""
    import numpy as np
    from scipy.special import digamma

    return np.log(x) - digamma(x)


stirling_error = _internal(
    "stirling_error",
    stirling_error_forward,
    "Compute the difference of log gamma to Stirling's formula, for densities of distributions.",
    "dx = dout * (1 / (2 * x) - log(x) + digamma(x))",
    stirling_error_reference,
    vjp=stirling_error_vjp,
    saves="x",
    samples=unary(0.4, 12.0),
    example="paddle.distribution.Gamma(1e6, 1.0).entropy()",
)
log_minus_digamma = _internal(
    "log_minus_digamma",
    log_minus_digamma_forward,
    "Compute log(x) - digamma(x), for entropies of distributions.",
    "dx = dout * (1 / x - polygamma(x, 1))",
    log_minus_digamma_reference,
    vjp=log_minus_digamma_vjp,
    saves="x",
    samples=unary(0.4, 12.0),
    example="paddle.distribution.Gamma(1e6, 1.0).entropy()",
)
