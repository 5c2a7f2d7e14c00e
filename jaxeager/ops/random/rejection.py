"""Draws by rejection, of all elements at once: gamma, Poisson and binomial distributions.

Note [Draws by rejection]
    Every round proposes a number for each element, and keeps those that are accepted for elements
    that have none yet. JAX's own draws split the key for each element, and on a CPU compute one
    element after the other.

    - Gamma, of a shape a from 1 on: Marsaglia and Tsang, "A simple method for generating gamma
      variables" (2000). For a normal number x, d = a - 1/3 and t = x / (3 sqrt(d)), d (1 + t)^3 is
      accepted where log(u) < x^2 / 2 + d (1 - (1 + t)^3 + 3 log(1 + t)). Up to t^3 all terms
      cancel, and what is left is d times ``_rest``. Below 1, the draw of a + 1 times u^(1 / a).
    - Poisson and binomial, of a mean from 60 on: Hormann, "The transformed rejection method for
      generating Poisson random variables" and "The generation of binomial random variates" (1993),
      in float64, as a count above 2^24 is not exact in float32. The probability of a count is
      written as in Note [Densities of large counts]. Below 60, the count is the number of sums of
      probabilities that a uniform number is not below.

    No gradient passes through a draw: Note [Implicit gamma draws] has the one of a gamma draw.
"""

import math

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.ops.elementwise.gamma_kernels import polynomial, where_any
from jaxeager.ops.elementwise.stirling import log1p_minus_forward

_FEW = 60.0  # means below are drawn by sums: e^-60 is far from underflow
_SERIES = [3 * (-1) ** (n + 1) / (n + 4) for n in range(12)]


def gamma(key, a):
    """Draw from the gamma distribution of each shape in ``a``, with rate 1; 0 for a shape of 0."""
    d, t, log_boost = _gamma_parts(key, a)
    return d * (1 + t) ** 3 * jnp.exp(log_boost)


def log_gamma(key, a):
    """Draw as ``gamma`` does, and return the logarithm, which does not underflow."""
    d, t, log_boost = _gamma_parts(key, a)
    return jnp.log(d) + 3 * jnp.log1p(t) + log_boost


def _gamma_parts(key, a):
    """Return d, t and the logarithm of the factor of draws of a shape below 1."""
    a = lax.stop_gradient(a)
    key, of_boost = jax.random.split(key)
    is_small = a < 1
    d = jnp.where(is_small, a + 1, a) - 1 / 3
    scale = 1 / (3 * jnp.sqrt(d))
    is_proper = (d > 0) & (d < jnp.inf)

    def propose(key):
        of_normal, of_uniform = jax.random.split(key)
        t = scale * jax.random.normal(of_normal, a.shape, a.dtype)
        log_share = jnp.log(jax.random.uniform(of_uniform, a.shape, a.dtype))
        return t, (t > -1) & (log_share < d * _rest(t)) | ~is_proper

    exponential = jax.random.exponential(of_boost, a.shape, a.dtype)
    log_boost = jnp.where(a > 0, -exponential / a, jnp.where(a == 0, -jnp.inf, jnp.nan))
    return d, _until_accepted(key, propose, a), jnp.where(is_small, log_boost, 0)


def _rest(t):
    """Compute 3 (log(1 + t) - t + t^2 / 2) - t^3, without cancelling where t is small."""
    is_near = jnp.abs(t) < 0.2
    near, far = jnp.where(is_near, t, 0), jnp.where(is_near | (t <= -1), 1, t)
    series = near**4 * polynomial(_SERIES, near)
    return jnp.where(is_near, series, 3 * (jnp.log1p(far) - far + far * far / 2) - far**3)


def _until_accepted(key, propose, like):
    """Return for each element the first proposal that is accepted.

    Args:
        key: of all rounds.
        propose: the function of a key that returns proposals, and which are accepted.
        like: an array of the shape and dtype of the proposals.
    """

    def draw(state):
        key, found, is_done = state
        key, of_round = jax.random.split(key)
        proposed, is_accepted = propose(of_round)
        return key, jnp.where(is_done, found, proposed), is_done | is_accepted

    start = key, jnp.zeros_like(like), jnp.zeros_like(like, bool)
    _, found, _ = lax.while_loop(lambda state: ~jnp.all(state[2]), draw, start)
    return found


def poisson(key, mean):
    """Draw counts from the Poisson distribution of each mean; nan of a negative or infinite one.

    Returns:
        floating numbers, of 64 bits where JAX has them.
    """
    mean = lax.stop_gradient(mean.astype(float))
    of_few, of_many = jax.random.split(key)
    is_few = mean < _FEW
    few_mean = jnp.where(is_few, mean, 0)
    few = _few_counts(of_few, jnp.exp(-few_mean), lambda count: few_mean / (count + 1))
    found = where_any(mean >= _FEW, few, lambda: _many_of_poisson(of_many, mean))
    return jnp.where((mean >= 0) & (mean < jnp.inf), found, jnp.nan)


def binomial(key, trials, chance):
    """Draw the number of successes of each number of trials and chance in [0, 1].

    Args:
        key: a key of random numbers.
        trials: floating numbers of 64 bits where JAX has them, without a fraction.
        chance: an array of the same shape and dtype.
    """
    trials, chance = lax.stop_gradient((trials, chance))
    of_few, of_many = jax.random.split(key)
    less = jnp.minimum(chance, 1 - chance)  # of the rarer outcome
    is_few = trials * less < _FEW
    few_trials, few_less = jnp.where(is_few, trials, 0), jnp.where(is_few, less, 0)
    odds = few_less / (1 - few_less)
    few = _few_counts(
        of_few,
        jnp.exp(few_trials * jnp.log1p(-few_less)),
        lambda count: odds * jnp.maximum(few_trials - count, 0) / (count + 1),
    )
    found = where_any(~is_few, few, lambda: _many_of_binomial(of_many, trials, less))
    return jnp.where(chance <= 0.5, found, trials - found)


def _few_counts(key, none, ratio):
    """Return how many sums of probabilities of the first counts a uniform number is not below.

    Args:
        key: of the uniform numbers.
        none: the probability of a count of 0.
        ratio: the function of a count that returns the share of the next one's probability in its.
    """
    share = jax.random.uniform(key, none.shape, none.dtype)

    def is_open(state):
        _, _, term, total = state
        return jnp.any((share >= total) & (term > 0))

    def add_next(state):
        at, count, term, total = state
        next_term = term * ratio(at)
        return at + 1, count + (share >= total), next_term, total + next_term

    start = jnp.zeros((), none.dtype), jnp.zeros_like(none), none, none
    return lax.while_loop(is_open, add_next, start)[1]


def _many_of_poisson(key, mean):
    """Return counts of means from _FEW on; of others any numbers."""
    is_proper = (mean >= _FEW) & (mean < jnp.inf)
    mean = jnp.where(is_proper, mean, _FEW)
    b = 0.931 + 2.53 * jnp.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)

    def propose(key):
        place, height, edge = _place_and_height(key, mean)
        count = jnp.floor((2 * a / edge + b) * place + mean + 0.43)
        log_height = jnp.log(height * inverse_alpha / (a / (edge * edge) + b))
        is_inside = (edge >= 0.07) & (height <= 0.9277 - 3.6224 / (b - 2))
        is_outside = (count < 0) | ((edge < 0.013) & (height > edge))
        # of count + 1 = n: (n - 1) log(mean) - mean - log gamma(n)
        above = jnp.maximum(count, 0) + 1
        least = 0.5 * jnp.log(2 * math.pi * above) + _stirling_error(above)
        log_probability = _less_deviance(above, mean) - jnp.log(mean / above) - least
        return count, is_inside | (~is_outside & (log_height <= log_probability)) | ~is_proper

    return _until_accepted(key, propose, mean)


def _many_of_binomial(key, trials, chance):
    """Return counts of means from _FEW on and chances up to 1/2; of others any numbers."""
    mean = trials * chance
    is_proper = (mean >= _FEW) & (mean < jnp.inf)
    trials = jnp.where(is_proper, trials, 2 * _FEW)
    chance = jnp.where(is_proper, chance, 0.5)
    mean, mean_of_rest = trials * chance, trials * (1 - chance)
    deviation = jnp.sqrt(mean * (1 - chance))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    alpha = (2.83 + 5.1 / b) * deviation

    def log_share(count):
        """Compute the logarithm of a count's probability, less what all have in common."""
        rest = trials - count
        errors = _stirling_error(count) + _stirling_error(rest)
        apart = _less_deviance(count, mean) + _less_deviance(rest, mean_of_rest)
        return apart - errors - 0.5 * jnp.log(count / trials * rest)

    most = log_share(jnp.floor((trials + 1) * chance))

    def propose(key):
        place, height, edge = _place_and_height(key, mean)
        count = jnp.floor((2 * a / edge + b) * place + mean + 0.5)
        log_height = jnp.log(height * alpha / (a / (edge * edge) + b))
        is_inside = (edge >= 0.07) & (height <= 0.92 - 4.2 / b)
        # The ends, of probabilities below e^-60, are left out.
        is_outside = (count < 1) | (count > trials - 1)
        log_probability = log_share(jnp.clip(count, 1, trials - 1)) - most
        return count, is_inside | (~is_outside & (log_height <= log_probability)) | ~is_proper

    return _until_accepted(key, propose, mean)


def _place_and_height(key, like):
    """Return a place in [-1/2, 1/2), a height in [0, 1), and the distance to the nearer end."""
    of_place, of_height = jax.random.split(key)
    place = jax.random.uniform(of_place, like.shape, like.dtype) - 0.5
    return place, jax.random.uniform(of_height, like.shape, like.dtype), 0.5 - jnp.abs(place)


def _less_deviance(count, mean):
    """Compute count log(mean / count) + count - mean, without cancelling."""
    return count * log1p_minus_forward((mean - count) / count)


def _stirling_error(count):
    """Compute three terms of Stirling's series; counts for which they do not suffice are rare.

    ``stirling_error_forward`` has all digits of small counts too. With it binomial draws take twice
    as long to compile, and a third longer to run.
    """
    square = count * count
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / count
