"""Densities, entropies and divergences of distributions with large parameters.

Each case is a function of a library with Paddle's names, and of mpmath's. ``python -m
tests.ulps.densities`` prints the right values (with mpmath), with the name of a library its results
in float32.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Case(NamedTuple):
    """What is computed, by a library and by mpmath."""

    call: Callable[..., Any]
    right: Callable[..., Any]


def _log_binomial(mp, k, n, p):
    ways = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
    return ways + k * mp.log(p) + (n - k) * mp.log1p(-p)


def _log_beta_function(mp, *a):
    return mp.fsum(mp.loggamma(each) for each in a) - mp.loggamma(mp.fsum(a))


def _beta_entropy(mp, *a):
    total = mp.fsum(a)
    each = mp.fsum((one - 1) * mp.digamma(one) for one in a)
    return _log_beta_function(mp, *a) + (total - len(a)) * mp.digamma(total) - each


def _beta_divergence(mp, a, b):
    mean_log = [mp.digamma(each) - mp.digamma(mp.fsum(a)) for each in a]
    weighed = mp.fsum((x - y) * m for x, y, m in zip(a, b, mean_log, strict=True))
    return _log_beta_function(mp, *b) - _log_beta_function(mp, *a) + weighed


def _gamma_log_prob(mp, a, rate, x):
    return a * mp.log(rate) + (a - 1) * mp.log(x) - rate * x - mp.loggamma(a)


def _gamma_divergence(mp, a, r, b, s):
    rest = mp.loggamma(b) - mp.loggamma(a) + (a - b) * mp.digamma(a)
    return b * mp.log(r / s) + rest + (s - r) * a / r


def _student_normalizer(mp, df):
    half = mp.mpf(df) / 2
    return mp.loggamma(half) - mp.loggamma(half + mp.mpf("0.5")) + mp.log(df * mp.pi) / 2


def _student_entropy(mp, df):
    half, step = mp.mpf(df) / 2, mp.mpf("0.5")
    return (half + step) * (mp.digamma(half + step) - mp.digamma(half)) + _student_normalizer(
        mp, df
    )


def _entropy_of(log_prob, low: int, high: int):
    def entropy(mp):
        logs = (log_prob(mp, mp.mpf(k)) for k in range(low, high))
        return -mp.fsum(mp.exp(each) * each for each in logs)

    return entropy


def _log_poisson(mp, k, rate):
    return k * mp.log(rate) - rate - mp.loggamma(k + 1)


def _multinomial_entropy(mp, n: int, p: tuple[float, ...]):
    total = -mp.loggamma(n + 1) - n * mp.fsum(each * mp.log(each) for each in map(mp.mpf, p))
    for each in p:
        chances = ((k, mp.exp(_log_binomial(mp, k, n, mp.mpf(each)))) for k in range(n + 1))
        total += mp.fsum(chance * mp.loggamma(k + 1) for k, chance in chances)
    return total


def _trials(mp, p, q):
    p, q = mp.mpf(p), mp.mpf(q)
    return p * mp.log(p / q) + (1 - p) * mp.log((1 - p) / (1 - q))


def _t(paddle, *values):
    return paddle.to_tensor(list(values), dtype="float32")


CASES = {
    "Poisson(1e6).log_prob(1e6 + 300)": Case(
        lambda paddle, D: D.Poisson(_t(paddle, 1e6)).log_prob(_t(paddle, 1000300.0)),
        lambda mp: _log_poisson(mp, mp.mpf(1000300), mp.mpf(10**6)),
    ),
    "Poisson(1e6).entropy()": Case(
        lambda paddle, D: D.Poisson(_t(paddle, 1e6)).entropy(),
        lambda mp: mp.log(2 * mp.pi * mp.e * 10**6) / 2 - mp.mpf(10) ** -6 / 12,
    ),
    "Poisson(5000).entropy()": Case(
        lambda paddle, D: D.Poisson(_t(paddle, 5000.0)).entropy(),
        _entropy_of(lambda mp, k: _log_poisson(mp, k, mp.mpf(5000)), 4000, 6000),
    ),
    "Poisson(1e6) from Poisson(1e6 + 100)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Poisson(_t(paddle, 1e6)), D.Poisson(_t(paddle, 1000100.0))
        ),
        lambda mp: 10**6 * mp.log(mp.mpf(10**6) / 1000100) + 100,
    ),
    "Binomial(1e6, 0.25).log_prob(250500)": Case(
        lambda paddle, D: D.Binomial(10**6, _t(paddle, 0.25)).log_prob(_t(paddle, 250500.0)),
        lambda mp: _log_binomial(mp, 250500, 10**6, mp.mpf("0.25")),
    ),
    "Binomial(1e4, 0.25).entropy()": Case(
        lambda paddle, D: D.Binomial(10**4, _t(paddle, 0.25)).entropy(),
        _entropy_of(lambda mp, k: _log_binomial(mp, k, 10**4, mp.mpf("0.25")), 1500, 3500),
    ),
    "Binomial(1e4, 0.25) from Binomial(1e4, 0.2578125)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Binomial(10**4, _t(paddle, 0.25)), D.Binomial(10**4, _t(paddle, 0.2578125))
        ),
        lambda mp: 10**4 * _trials(mp, 0.25, 0.2578125),
    ),
    "Multinomial(1e6, [1/2, 1/4, 1/4]).log_prob": Case(
        lambda paddle, D: D.Multinomial(10**6, _t(paddle, 0.5, 0.25, 0.25)).log_prob(
            _t(paddle, 500500.0, 249800.0, 249700.0)
        ),
        lambda mp: (
            mp.loggamma(10**6 + 1)
            - mp.fsum(mp.loggamma(k + 1) for k in (500500, 249800, 249700))
            + 500500 * mp.log(mp.mpf("0.5"))
            + 499500 * mp.log(mp.mpf("0.25"))
        ),
    ),
    "Multinomial(3000, [1/2, 1/4, 1/4]).entropy()": Case(
        lambda paddle, D: D.Multinomial(3000, _t(paddle, 0.5, 0.25, 0.25)).entropy(),
        lambda mp: _multinomial_entropy(mp, 3000, (0.5, 0.25, 0.25)),
    ),
    "Beta(1e5, 1e5).log_prob(0.5009765625)": Case(
        lambda paddle, D: D.Beta(_t(paddle, 1e5), _t(paddle, 1e5)).log_prob(
            _t(paddle, 0.5009765625)
        ),
        lambda mp: (
            (10**5 - 1) * (mp.log(mp.mpf("0.5009765625")) + mp.log(mp.mpf("0.4990234375")))
            - _log_beta_function(mp, 10**5, 10**5)
        ),
    ),
    "Beta(1e5, 1e5).entropy()": Case(
        lambda paddle, D: D.Beta(_t(paddle, 1e5), _t(paddle, 1e5)).entropy(),
        lambda mp: _beta_entropy(mp, 10**5, 10**5),
    ),
    "Beta(1e5, 1e5) from Beta(100100, 99900)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Beta(_t(paddle, 1e5), _t(paddle, 1e5)),
            D.Beta(_t(paddle, 100100.0), _t(paddle, 99900.0)),
        ),
        lambda mp: _beta_divergence(mp, (10**5, 10**5), (100100, 99900)),
    ),
    "Dirichlet([1e5, 2e5, 1e5]).entropy()": Case(
        lambda paddle, D: D.Dirichlet(_t(paddle, 1e5, 2e5, 1e5)).entropy(),
        lambda mp: _beta_entropy(mp, 10**5, 2 * 10**5, 10**5),
    ),
    "Dirichlet([1e5, 2e5, 1e5]).log_prob([1/4, 1/2, 1/4])": Case(
        lambda paddle, D: D.Dirichlet(_t(paddle, 1e5, 2e5, 1e5)).log_prob(
            _t(paddle, 0.25, 0.5, 0.25)
        ),
        lambda mp: (
            2 * (10**5 - 1) * mp.log(mp.mpf("0.25"))
            + (2 * 10**5 - 1) * mp.log(mp.mpf("0.5"))
            - _log_beta_function(mp, 10**5, 2 * 10**5, 10**5)
        ),
    ),
    "Gamma(1e6, 2).log_prob(500250)": Case(
        lambda paddle, D: D.Gamma(_t(paddle, 1e6), _t(paddle, 2.0)).log_prob(_t(paddle, 500250.0)),
        lambda mp: _gamma_log_prob(mp, 10**6, 2, 500250),
    ),
    "Gamma(1e6, 2).entropy()": Case(
        lambda paddle, D: D.Gamma(_t(paddle, 1e6), _t(paddle, 2.0)).entropy(),
        lambda mp: 10**6 - mp.log(2) + mp.loggamma(10**6) + (1 - 10**6) * mp.digamma(10**6),
    ),
    "Gamma(1e6, 2) from Gamma(1001000, 2)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Gamma(_t(paddle, 1e6), _t(paddle, 2.0)),
            D.Gamma(_t(paddle, 1001000.0), _t(paddle, 2.0)),
        ),
        lambda mp: _gamma_divergence(mp, 10**6, mp.mpf(2), 1001000, 2),
    ),
    "Chi2(1e6).log_prob(1e6)": Case(
        lambda paddle, D: D.Chi2(_t(paddle, 1e6)).log_prob(_t(paddle, 1e6)),
        lambda mp: _gamma_log_prob(mp, 5 * 10**5, mp.mpf("0.5"), 10**6),
    ),
    "StudentT(1e6, 0, 1).log_prob(1)": Case(
        lambda paddle, D: D.StudentT(_t(paddle, 1e6), _t(paddle, 0.0), _t(paddle, 1.0)).log_prob(
            _t(paddle, 1.0)
        ),
        lambda mp: (
            -mp.mpf(10**6 + 1) / 2 * mp.log1p(mp.mpf(10) ** -6) - _student_normalizer(mp, 10**6)
        ),
    ),
    "StudentT(1e6, 0, 1).entropy()": Case(
        lambda paddle, D: D.StudentT(_t(paddle, 1e6), _t(paddle, 0.0), _t(paddle, 1.0)).entropy(),
        lambda mp: _student_entropy(mp, 10**6),
    ),
    "Geometric(2**-27).log_pmf(2**27)": Case(
        lambda paddle, D: D.Geometric(_t(paddle, 2.0**-27)).log_pmf(_t(paddle, 2.0**27)),
        lambda mp: 2**27 * mp.log1p(-(mp.mpf(2) ** -27)) - 27 * mp.log(2),
    ),
    "Normal(0, 1) from Normal(0, 1.0009765625)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Normal(_t(paddle, 0.0), _t(paddle, 1.0)),
            D.Normal(_t(paddle, 0.0), _t(paddle, 1.0009765625)),
        ),
        lambda mp: (mp.mpf("1.0009765625") ** -2 - 1) / 2 + mp.log(mp.mpf("1.0009765625")),
    ),
    "Exponential(1) from Exponential(1.0009765625)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Exponential(_t(paddle, 1.0)), D.Exponential(_t(paddle, 1.0009765625))
        ),
        lambda mp: mp.mpf("0.0009765625") - mp.log(mp.mpf("1.0009765625")),
    ),
    "Bernoulli(0.25) from Bernoulli(0.2509765625)": Case(
        lambda paddle, D: D.kl_divergence(
            D.Bernoulli(_t(paddle, 0.25)), D.Bernoulli(_t(paddle, 0.2509765625))
        ),
        lambda mp: _trials(mp, 0.25, 0.2509765625),
    ),
}


def main() -> None:
    """Print the right values, or those of a library."""
    if len(sys.argv) > 1:
        paddle = importlib.import_module(sys.argv[1])
        for name, case in CASES.items():
            try:
                found = float(case.call(paddle, paddle.distribution).numpy().reshape(-1)[0])
            except (NotImplementedError, AttributeError, TypeError, ValueError):
                continue
            print(f"{name}\t{found:.9g}")
        return
    import mpmath

    mpmath.mp.dps = 50
    for name, case in CASES.items():
        print(f"{name}\t{mpmath.nstr(case.right(mpmath), 12)}")


if __name__ == "__main__":
    main()
