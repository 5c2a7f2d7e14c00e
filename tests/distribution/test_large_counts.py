"""Densities, entropies and divergences of large parameters in float32, against mpmath."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.ulps.densities import CASES

D = paddle.distribution

RIGHT = {
    "Poisson(1e6).log_prob(1e6 + 300)": -7.87183937367,
    "Poisson(1e6).entropy()": 8.32669372885,
    "Poisson(5000).entropy()": 5.67751846058,
    "Poisson(1e6) from Poisson(1e6 + 100)": 0.00499966669166,
    "Binomial(1e6, 0.25).log_prob(250500)": -7.65674222841,
    "Binomial(1e4, 0.25).entropy()": 5.1871093875,
    "Binomial(1e4, 0.25) from Binomial(1e4, 0.2578125)": 1.60560233783,
    "Multinomial(1e6, [1/2, 1/4, 1/4]).log_prob": -14.4300297467,
    "Multinomial(3000, [1/2, 1/4, 1/4]).entropy()": 9.11129326123,
    "Beta(1e5, 1e5).log_prob(0.5009765625)": 5.49577708066,
    "Beta(1e5, 1e5).entropy()": -5.37724747013,
    "Beta(1e5, 1e5) from Beta(100100, 99900)": 0.100000516669,
    "Dirichlet([1e5, 2e5, 1e5]).entropy()": -11.7942157111,
    "Dirichlet([1e5, 2e5, 1e5]).log_prob([1/4, 1/2, 1/4])": 12.7942088361,
    "Gamma(1e6, 2).log_prob(500250)": -7.25900493895,
    "Gamma(1e6, 2).entropy()": 7.63354629829,
    "Gamma(1e6, 2) from Gamma(1001000, 2)": 0.49983366645,
    "Chi2(1e6).log_prob(1e6)": -8.17326756913,
    "StudentT(1e6, 0, 1).log_prob(1)": -1.4189390332,
    "StudentT(1e6, 0, 1).entropy()": 1.4189395332,
    "Geometric(2**-27).log_pmf(2**27)": -19.7149738788,
    "Normal(0, 1) from Normal(0, 1.0009765625)": 9.52124155994e-7,
    "Exponential(1) from Exponential(1.0009765625)": 4.76526944541e-7,
    "Bernoulli(0.25) from Bernoulli(0.2509765625)": 2.53873139765e-6,
}


# Other cases prove as much about their families, and tests/ops about their functions.
LATER = {
    "Poisson(5000).entropy()", "Binomial(1e4, 0.25).entropy()",
    "Multinomial(1e6, [1/2, 1/4, 1/4]).log_prob",
    "Multinomial(3000, [1/2, 1/4, 1/4]).entropy()", "Beta(1e5, 1e5).entropy()",
    "Dirichlet([1e5, 2e5, 1e5]).entropy()",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.deep) if name in LATER else name for name in CASES],
)
def test_large_numbers_do_not_cancel(name):
    found = CASES[name].call(paddle, D).numpy()
    assert str(found.dtype) == "float32"
    np.testing.assert_allclose(found.reshape(-1)[0], RIGHT[name], rtol=1e-6)


def float64(*values):
    """Return a float64 tensor that requires a gradient."""
    return paddle.to_tensor(list(values), dtype="float64", stop_gradient=False)


@pytest.mark.parametrize(
    ("make", "plain", "operands"),
    [
        (
            lambda a, x: D.Gamma(a, paddle.full_like(a, 2.0)).log_prob(x),
            lambda a, x: a * np.log(2.0) + (a - 1) * paddle.log(x) - 2 * x - paddle.lgamma(a),
            ([3.0, 50.0, 9.0], [1.5, 20.0, 4.0]),
        ),
        pytest.param(
            lambda rate, x: D.Poisson(rate).log_prob(x),
            lambda rate, x: x * paddle.log(rate) - rate - paddle.lgamma(x + 1),
            ([3.0, 50.0, 1e-3], [1.0, 60.0, 7.0]),
            marks=pytest.mark.deep,
        ),
        pytest.param(
            lambda p, x: D.Binomial(90, p).log_prob(x),
            lambda p, x: paddle.lgamma(paddle.full_like(x, 91.0)) - paddle.lgamma(x + 1)
            - paddle.lgamma(91 - x) + x * paddle.log(p) + (90 - x) * paddle.log1p(-p),
            ([0.25, 0.5, 0.001], [30.0, 1.0, 89.0]),
            marks=pytest.mark.deep,
        ),
        pytest.param(
            lambda a, x: D.Dirichlet(a).log_prob(x),
            lambda a, x: ((a - 1) * paddle.log(x) - paddle.lgamma(a)).sum()
            + paddle.lgamma(a.sum()),
            ([9.0, 20.0, 40.0], [0.125, 0.25, 0.625]),
            marks=pytest.mark.deep,
        ),
        (
            lambda a, x: D.Dirichlet(a).log_prob(x),
            lambda a, x: ((a - 1) * paddle.log(x) - paddle.lgamma(a)).sum()
            + paddle.lgamma(a.sum()),
            ([9.0, 20.0, 40.0], [0.25, 0.5, 0.625]),  # they do not add up to 1
        ),
        pytest.param(
            lambda df, x: D.StudentT(df, paddle.zeros_like(df), paddle.ones_like(df)).log_prob(x),
            lambda df, x: paddle.lgamma((df + 1) / 2) - paddle.lgamma(df / 2)
            - 0.5 * paddle.log(df * np.pi) - (df + 1) / 2 * paddle.log1p(x * x / df),
            ([0.5, 30.0], [2.0, 0.25]),
            marks=pytest.mark.deep,
        ),
    ],
    ids="gamma poisson binomial dirichlet dirichlet_of_any_shares student".split(),
)  # fmt: skip
def test_log_densities_have_the_derivatives_of_the_plain_formula(make, plain, operands):
    results = []
    for function in (make, plain):
        one, two = (float64(*each) for each in operands)
        value = function(one, two)
        first = paddle.grad(value.sum(), [one, two], create_graph=True)
        second = paddle.grad(sum(each.sum() for each in first), [one, two])
        results.append([value, *first, *second])
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-9, atol=1e-11)


def test_ends_of_counts_and_chances():
    rate = paddle.to_tensor([0.0, 0.0, 1e-10, 3.0], stop_gradient=False)
    found = D.Poisson(rate).log_prob(paddle.to_tensor([0.0, 1.0, 5.0, 0.0]))
    expected = [0.0, -np.inf, 5 * np.log(1e-10) - np.log(120.0), -3.0]
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    found[paddle.to_tensor([0, 3])].sum().backward()
    assert rate.grad is not None
    assert rate.grad.tolist()[0::3] == [-1.0, -1.0]
    binomial = D.Binomial(4, paddle.to_tensor([0.25, 0.25]))
    np.testing.assert_allclose(
        binomial.prob(paddle.to_tensor([0.0, 4.0])).numpy(), [0.75**4, 0.25**4], rtol=1e-6
    )
    geometric = D.Geometric(paddle.to_tensor([1.0, 1.0, 1e-8]))
    np.testing.assert_allclose(
        geometric.log_pmf(paddle.to_tensor([0.0, 1.0, 0.0])).numpy(),
        [0.0, -np.inf, np.log(1e-8)],
        rtol=1e-6,
    )
    one, two = D.Geometric(paddle.to_tensor([1.0, 0.5])), D.Geometric(paddle.to_tensor([0.5, 0.5]))
    np.testing.assert_allclose(one.kl_divergence(two).numpy(), [np.log(2), 0.0], rtol=1e-6)
