"""Draws have the right distribution, and their gradients are those of the quantiles."""

import numpy as np
import pytest
from scipy import stats

import jaxeager as paddle

D = paddle.distribution
COUNT = 2000


def t(value, dtype="float64"):
    """Return a float64 leaf that requires a gradient."""
    return paddle.to_tensor(value, dtype=dtype, stop_gradient=False)


CONTINUOUS = {
    "normal": (lambda: D.Normal(t(1.0), t(2.0)), stats.norm(1, 2)),
    "lognormal": (lambda: D.LogNormal(t(0.5), t(0.8)), stats.lognorm(0.8, scale=np.exp(0.5))),
    "uniform": (lambda: D.Uniform(t(1.0), t(3.0)), stats.uniform(1, 2)),
    "laplace": (lambda: D.Laplace(t(1.0), t(2.0)), stats.laplace(1, 2)),
    "cauchy": (lambda: D.Cauchy(t(1.0), t(2.0)), stats.cauchy(1, 2)),
    "gumbel": (lambda: D.Gumbel(t(1.0), t(2.0)), stats.gumbel_r(1, 2)),
    "exponential": (lambda: D.Exponential(t(2.0)), stats.expon(scale=0.5)),
    "gamma": (lambda: D.Gamma(t(1.5), t(2.0)), stats.gamma(1.5, scale=0.5)),
    "small gamma": (lambda: D.Gamma(t(0.05), t(1.0)), stats.gamma(0.05)),
    "chi2": (lambda: D.Chi2(t(3.0)), stats.chi2(3)),
    "beta": (lambda: D.Beta(t(0.5), t(2.0)), stats.beta(0.5, 2)),
    "student": (lambda: D.StudentT(t(3.0), t(1.0), t(2.0)), stats.t(3, 1, 2)),
    "first of dirichlet": (lambda: D.Dirichlet(t([0.5, 2.0])), stats.beta(0.5, 2)),
    "continuous bernoulli": (
        lambda: D.ContinuousBernoulli(t(0.2)), stats.truncexpon(np.log(4), scale=1 / np.log(4))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTINUOUS)
def test_draws_have_the_distribution_of_scipy(name):
    make, expected = CONTINUOUS[name]
    paddle.seed(5)
    drawn = make().sample([COUNT]).numpy().reshape(COUNT, -1)[:, 0]
    assert stats.kstest(drawn, expected.cdf).pvalue > 0.01


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: D.Bernoulli(0.3), stats.bernoulli(0.3)),
        (lambda: D.Binomial(7, 0.3), stats.binom(7, 0.3)),
        (lambda: D.Geometric(0.4), stats.geom(0.4, loc=-1)),
        (lambda: D.Poisson(paddle.to_tensor(3.5)), stats.poisson(3.5)),
        (
            lambda: D.Categorical(paddle.log(paddle.to_tensor([0.2, 0.5, 0.3]))),
            stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3])),
        ),
    ],
)
def test_counts_come_as_often_as_in_scipy(make, expected):
    paddle.seed(6)
    drawn = make().sample([COUNT]).numpy()
    top = int(expected.ppf(0.98))
    chances = np.append(expected.pmf(np.arange(top)), expected.sf(top - 1))
    seen = np.bincount(np.minimum(drawn.astype(int), top), minlength=top + 1)
    assert stats.chisquare(seen, chances * COUNT).pvalue > 0.01


def test_counts_of_categories_have_their_moments():
    paddle.seed(7)
    made = D.Multinomial(6, paddle.to_tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]))
    drawn = made.sample([COUNT]).numpy()
    assert drawn.shape == (COUNT, 2, 3)
    assert (drawn.sum(-1) == 6).all()
    np.testing.assert_allclose(drawn.mean(0), made.mean.numpy(), atol=0.12)
    np.testing.assert_allclose(drawn.var(0), made.variance.numpy(), atol=0.15)


def test_relaxed_bernoulli_draws_are_ones_with_their_probability():
    paddle.seed(8)
    drawn = D.Bernoulli(0.3).rsample([COUNT], temperature=0.1).numpy()
    assert abs((drawn > 0).mean() - 0.3) < 0.04


@pytest.mark.parametrize("which", ["scale_tril", "covariance_matrix", "precision_matrix"])
def test_normal_vectors_have_their_covariance(which):
    paddle.seed(9)
    lower = np.array([[1.2, 0.0], [0.7, 0.8]])
    covariance = lower @ lower.T
    matrix = {
        "scale_tril": lower,
        "covariance_matrix": covariance,
        "precision_matrix": np.linalg.inv(covariance),
    }[which]
    loc = paddle.to_tensor([1.0, -1.0], dtype="float64")
    drawn = D.MultivariateNormal(loc, **{which: paddle.to_tensor(matrix)}).sample([COUNT]).numpy()
    np.testing.assert_allclose(drawn.mean(0), [1.0, -1.0], atol=0.1)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.15)


@pytest.mark.parametrize("method", ["onion", "cvine"])
@pytest.mark.parametrize("concentration", [0.7, 2.0])
def test_correlations_have_the_marginals_of_the_lkj_distribution(method, concentration):
    """Each correlation of n variables is 2 Beta(b, b) - 1 with b = concentration + n / 2 - 1."""
    paddle.seed(10)
    factor = D.LKJCholesky(4, concentration, method).sample([COUNT]).numpy()
    np.testing.assert_allclose((factor**2).sum(-1), 1.0, rtol=1e-5)
    assert (np.triu(factor, 1) == 0).all()
    matrix = factor @ factor.swapaxes(-1, -2)
    b = concentration + 1.0
    for row, column in ((1, 0), (2, 0), (2, 1), (3, 2)):
        found = (matrix[:, row, column] + 1) / 2
        assert stats.kstest(found, stats.beta(b, b).cdf).pvalue > 0.005, (row, column)


def quantile_slope(make, parameters, place, drawn):
    """Return the change of a draw with a parameter at a fixed quantile."""
    step = 1e-4 * max(abs(parameters[place]), 1.0)
    ends = []
    for sign in (1, -1):
        moved = list(parameters)
        moved[place] += sign * step
        ends.append(make(*moved).ppf(make(*parameters).cdf(drawn)))
    return (ends[0] - ends[1]) / (2 * step)


FOLLOWING = {
    "normal": (D.Normal, lambda m, s: stats.norm(m, s), (1.0, 2.0)),
    "uniform": (D.Uniform, lambda a, b: stats.uniform(a, b - a), (1.0, 3.0)),
    "laplace": (D.Laplace, lambda m, s: stats.laplace(m, s), (1.0, 2.0)),
    "cauchy": (D.Cauchy, lambda m, s: stats.cauchy(m, s), (1.0, 2.0)),
    "gumbel": (D.Gumbel, lambda m, s: stats.gumbel_r(m, s), (1.0, 2.0)),
    "exponential": (D.Exponential, lambda r: stats.expon(scale=1 / r), (2.0,)),
    "gamma": (D.Gamma, lambda a, b: stats.gamma(a, scale=1 / b), (1.5, 2.0)),
    "chi2": (D.Chi2, lambda k: stats.chi2(k), (3.0,)),
    "continuous bernoulli": (
        D.ContinuousBernoulli,
        lambda p: stats.truncexpon(np.log((1 - p) / p), scale=1 / np.log((1 - p) / p)),
        (0.2,),
    ),
}


@pytest.mark.parametrize("name", FOLLOWING)
def test_gradients_of_draws_keep_the_quantile(name):
    """One parameter per distribution or several: a draw is a quantile of a fixed even draw."""
    made, expected, parameters = FOLLOWING[name]
    paddle.seed(11)
    leaves = [t(value) for value in parameters]
    drawn = made(*leaves).rsample([6])
    for number in range(6):
        grads = paddle.grad(drawn[number], leaves, retain_graph=True)
        for place, grad in enumerate(grads):
            slope = quantile_slope(expected, parameters, place, float(drawn[number]))
            np.testing.assert_allclose(float(grad), slope, rtol=2e-4, atol=1e-7)


@pytest.mark.parametrize(
    ("make", "parameters", "value", "expected"),
    [
        (D.Beta, (0.8, 2.0), lambda x: x * x, lambda a, b: a * (a + 1) / ((a + b) * (a + b + 1))),
        (D.Beta, (3.0, 0.5), lambda x: x, lambda a, b: a / (a + b)),
        (D.StudentT, (9.0, 0.5, 1.5), lambda x: x * x, lambda d, m, s: m * m + s * s * d / (d - 2)),
    ],
)
def test_gradients_of_draws_are_those_of_their_mean(make, parameters, value, expected):
    paddle.seed(12)
    leaves = [t(each) for each in parameters]
    value(make(*leaves).rsample([20000])).mean().backward()
    for place, leaf in enumerate(leaves):
        step = np.eye(len(parameters))[place] * 1e-5
        slope = (expected(*(parameters + step)) - expected(*(parameters - step))) / 2e-5
        np.testing.assert_allclose(float(leaf.grad), slope, rtol=0.1, atol=0.03)


def test_gradients_of_dirichlet_draws_are_those_of_their_mean():
    paddle.seed(13)
    concentration = t([0.5, 1.5, 3.0])
    drawn = D.Dirichlet(concentration).rsample([20000])
    np.testing.assert_allclose(drawn.numpy().sum(-1), 1.0)
    (grad,) = paddle.grad(drawn[:, 0].mean(), [concentration])
    total = 5.0
    expected = [1 / total - 0.5 / total**2, -0.5 / total**2, -0.5 / total**2]
    np.testing.assert_allclose(grad.numpy(), expected, atol=0.01)


def test_second_derivatives_of_gamma_draws():
    """Against second differences of SciPy's quantiles."""
    paddle.seed(14)
    a = t([0.4, 2.0, 7.0])
    drawn = D.Gamma(a, paddle.ones([3], "float64")).rsample()
    (first,) = paddle.grad(drawn.sum(), [a], create_graph=True)
    (second,) = paddle.grad(first.sum(), [a])
    shape, at, step = a.numpy(), drawn.numpy(), 1e-3
    level = stats.gamma(shape).cdf(at)
    ends = [stats.gamma(shape + k * step).ppf(level) for k in (1, 0, -1)]
    expected = (ends[0] - 2 * ends[1] + ends[2]) / step**2
    np.testing.assert_allclose(second.numpy(), expected, rtol=2e-3)


def test_small_concentrations_give_finite_draws_and_gradients():
    paddle.seed(15)
    concentration = t([1e-3, 2e-3, 1e-3], "float32")
    drawn = D.Dirichlet(concentration).rsample([50])
    drawn[:, 0].sum().backward()
    assert np.isfinite(drawn.numpy()).all()
    assert np.isfinite(concentration.grad.numpy()).all()
    np.testing.assert_allclose(drawn.numpy().sum(-1), 1.0, rtol=1e-6)


def test_a_seed_repeats_draws():
    normal, uniform = D.Normal(0.0, 1.0), D.Uniform(0.0, 1.0)
    for each in (normal, uniform):
        assert each.sample([3], seed=4).tolist() == each.sample([3], seed=4).tolist()
        assert each.sample([3], seed=4).tolist() != each.sample([3], seed=5).tolist()
    paddle.seed(1)
    one = normal.sample([3]).tolist()
    paddle.seed(1)
    assert normal.sample([3]).tolist() == one


def test_no_draws_are_drawn_too():
    for made in (
        D.Normal(0.0, 1.0),
        D.Gamma(1.0, 1.0),
        D.Categorical([1.0, 2.0]),
        D.Beta(1.0, 1.0),
    ):
        assert made.sample([0, 2]).shape == [0, 2]
