"""log_prob, moments and entropies against SciPy, and divergences against sums and integrals."""

import numpy as np
import pytest
from scipy import integrate, stats

import jaxeager as paddle
from tests.support.often import every

D = paddle.distribution


def t(value):
    """Return a float64 tensor."""
    return paddle.to_tensor(value, dtype="float64")


KNOWN = {
    "normal": (lambda: D.Normal(t(1.0), t(2.0)), stats.norm(1, 2), (-3.0, 0.5, 30.0)),
    "lognormal": (
        lambda: D.LogNormal(t(0.5), t(0.8)), stats.lognorm(0.8, scale=np.exp(0.5)), (0.1, 2.0, 9.0)
    ),
    "laplace": (lambda: D.Laplace(t(1.0), t(2.0)), stats.laplace(1, 2), (-3.0, 1.5, 90.0)),
    "gumbel": (lambda: D.Gumbel(t(1.0), t(2.0)), stats.gumbel_r(1, 2), (-3.0, 0.5, 900.0)),
    "uniform": (lambda: D.Uniform(t(1.0), t(3.0)), stats.uniform(1, 2), (0.5, 1.5, 3.5)),
    "exponential": (lambda: D.Exponential(t(2.0)), stats.expon(scale=0.5), (-1.0, 0.0, 3.0)),
    "gamma": (lambda: D.Gamma(t(1.5), t(2.0)), stats.gamma(1.5, scale=0.5), (-1.0, 0.2, 9.0)),
    "chi2": (lambda: D.Chi2(t(3.0)), stats.chi2(3), (-1.0, 0.2, 9.0)),
    "beta": (lambda: D.Beta(t(0.5), t(2.0)), stats.beta(0.5, 2), (-0.5, 0.2, 1.5)),
    "student": (lambda: D.StudentT(t(3.0), t(1.0), t(2.0)), stats.t(3, 1, 2), (-9.0, 0.2, 99.0)),
    "continuous bernoulli": (
        lambda: D.ContinuousBernoulli(t(0.2)),
        stats.truncexpon(np.log(4), scale=1 / np.log(4)),
        (-1.0, 0.2, 2.0),
    ),
    "binomial": (lambda: D.Binomial(7, t(0.3)), stats.binom(7, 0.3), (-1.0, 3.0, 8.0)),
    "poisson": (lambda: D.Poisson(t(3.5)), stats.poisson(3.5), (-1.0, 0.0, 30.0)),
    "geometric": (lambda: D.Geometric(t(0.4)), stats.geom(0.4, loc=-1), (-1.0, 0.0, 70.0)),
    "bernoulli": (lambda: D.Bernoulli(t(0.4)), stats.bernoulli(0.4), (0.0, 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", every(2, KNOWN))
def test_densities_and_moments_are_those_of_scipy(name):
    make, expected, places = KNOWN[name]
    made, log_prob = make(), getattr(expected, "logpdf", None) or expected.logpmf
    if isinstance(expected.dist, stats.rv_discrete):
        log_prob = expected.logpmf
    np.testing.assert_allclose(made.log_prob(t(places)).numpy(), log_prob(places), rtol=1e-9)
    np.testing.assert_allclose(made.prob(t(places)).numpy(), np.exp(log_prob(places)), rtol=1e-8)
    np.testing.assert_allclose(float(made.mean), expected.mean(), rtol=1e-10)
    np.testing.assert_allclose(float(made.variance), expected.var(), rtol=1e-10)
    np.testing.assert_allclose(float(made.entropy()), float(expected.entropy()), rtol=1e-7)
    if hasattr(made, "cdf"):
        np.testing.assert_allclose(made.cdf(t(places)).numpy(), expected.cdf(places), rtol=1e-10)


@pytest.mark.parametrize("name", [n for n in KNOWN if hasattr(KNOWN[n][0](), "icdf")])
def test_icdf_is_the_quantile(name):
    make, expected, _ = KNOWN[name]
    levels = np.array([0.01, 0.3, 0.5, 0.95])
    np.testing.assert_allclose(make().icdf(t(levels)).numpy(), expected.ppf(levels), rtol=1e-9)


def test_vectors_have_the_densities_of_scipy():
    concentration, parts = [0.5, 1.5, 3.0], [0.2, 0.3, 0.5]
    dirichlet = D.Dirichlet(t(concentration))
    known = stats.dirichlet(concentration)
    assert float(dirichlet.log_prob(t(parts))) == pytest.approx(known.logpdf(parts))
    assert float(dirichlet.entropy()) == pytest.approx(known.entropy())
    multinomial, counts = D.Multinomial(6, t(parts)), [1.0, 2.0, 3.0]
    known = stats.multinomial(6, parts)
    assert float(multinomial.log_prob(t(counts))) == pytest.approx(known.logpmf(counts))
    assert float(multinomial.entropy()) == pytest.approx(float(known.entropy()))
    covariance = [[2.0, 0.5], [0.5, 1.0]]
    normal = D.MultivariateNormal(t([1.0, -1.0]), t(covariance))
    known = stats.multivariate_normal([1.0, -1.0], covariance)
    assert float(normal.log_prob(t([0.3, 0.4]))) == pytest.approx(known.logpdf([0.3, 0.4]))
    assert float(normal.entropy()) == pytest.approx(known.entropy())


def test_a_scale_tril_broadcasts_over_a_batch_of_values():
    lower = t([[1.2, 0.0], [0.7, 0.8]])
    values = paddle.randn([5, 3, 2], "float64")
    one = D.MultivariateNormal(paddle.zeros([2], "float64"), scale_tril=lower)
    many = D.MultivariateNormal(
        paddle.zeros([2], "float64"), scale_tril=lower.expand([3, 2, 2]).clone()
    )
    np.testing.assert_allclose(one.log_prob(values).numpy(), many.log_prob(values).numpy())


@pytest.mark.parametrize("concentration", [0.6, 1.0, 2.5])
def test_lkj_densities_add_up_to_one(concentration):
    made = D.LKJCholesky(2, concentration)

    def density(r):
        factor = paddle.to_tensor([[1.0, 0.0], [r, np.sqrt(1 - r * r)]])
        return float(made.prob(factor))

    assert integrate.quad(density, -0.9999, 0.9999, limit=200)[0] == pytest.approx(1, abs=2e-2)


PAIRS = {
    "normal": (stats.norm, D.Normal, ((0.0, 1.0), (0.5, 2.0)), (-20, 20)),
    "laplace": (stats.laplace, D.Laplace, ((0.0, 1.0), (0.5, 2.0)), (-60, 60)),
    "gamma": (lambda a, b: stats.gamma(a, scale=1 / b), D.Gamma, ((1.5, 2), (2.5, 1.0)), (0, 40)),
    "beta": (stats.beta, D.Beta, ((1.5, 2.0), (2.5, 1.0)), (0, 1)),
    "exponential": (lambda r: stats.expon(scale=1 / r), D.Exponential, ((2.0,), (0.5,)), (0, 40)),
    "uniform": (lambda a, b: stats.uniform(a, b - a), D.Uniform, ((0.0, 1), (-1, 3.0)), (0, 1)),
    "lognormal": (
        lambda m, s: stats.lognorm(s, scale=np.exp(m)), D.LogNormal, ((0.0, 0.5), (0.5, 1.0)),
        (0, 60),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_divergences_are_their_integrals(name):
    known, made, (one, two), (low, high) = PAIRS[name]
    p, q = known(*one), known(*two)

    def gap(x):
        return p.pdf(x) * (p.logpdf(x) - q.logpdf(x)) if p.pdf(x) > 0 else 0.0

    expected = integrate.quad(gap, low, high, limit=200, points=[(low + high) / 2])[0]
    found = D.kl_divergence(made(*map(t, one)), made(*map(t, two)))
    assert float(found) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("known", "made", "one", "two"),
    [
        (stats.poisson, D.Poisson, (3.5,), (2.0,)),
        (lambda p: stats.geom(p, loc=-1), D.Geometric, (0.4,), (0.7,)),
        (stats.bernoulli, D.Bernoulli, (0.4,), (0.7,)),
        (lambda p: stats.binom(6, p), lambda p: D.Binomial(6, p), (0.4,), (0.7,)),
    ],
)
def test_divergences_are_their_sums(known, made, one, two):
    p, q, k = known(*one), known(*two), np.arange(80)
    k = k[p.pmf(k) > 0]
    expected = np.sum(p.pmf(k) * (p.logpmf(k) - q.logpmf(k)))
    found = D.kl_divergence(made(*map(t, one)), made(*map(t, two)))
    assert float(found) == pytest.approx(expected, rel=1e-8)


def test_values_outside_of_the_support_have_zero_gradients():
    """Values outside of the support have zero gradients for the parameters, not nan."""
    for make, value in (
        (lambda a: D.Gamma(a, paddle.ones([])), -1.0),
        (lambda a: D.Exponential(a), -1.0),
        (lambda a: D.Poisson(a), -1.0),
        (lambda a: D.Binomial(3, a), 4.0),
        (lambda a: D.Geometric(a), -1.0),
    ):
        a = paddle.to_tensor(0.5, stop_gradient=False)
        found = make(a).log_prob(paddle.to_tensor([value]))
        assert found.tolist() == [-np.inf]
        (grad,) = paddle.grad(found, [a])
        assert grad.item() == 0.0


def test_families_that_define_only_their_normalizer():
    class Waiting(D.ExponentialFamily):
        _mean_carrier_measure = 0.0

        def __init__(self, rate):
            self.rate = rate
            super().__init__(rate.shape)

        @property
        def _natural_parameters(self):
            return (-self.rate,)

        def _log_normalizer(self, x):
            return -paddle.log(-x)

    rates = [paddle.to_tensor([0.5, 2.0], stop_gradient=False) for _ in range(2)]
    for one, two in ((Waiting, D.Exponential),):
        p, q = one(rates[0]), two(rates[1])
        np.testing.assert_allclose(p.entropy().numpy(), q.entropy().numpy(), rtol=1e-6)
        other = paddle.to_tensor([1.0, 3.0])
        found = [D.kl_divergence(p, one(other)), D.kl_divergence(q, two(other))]
        np.testing.assert_allclose(found[0].numpy(), found[1].numpy(), rtol=1e-5)
        grads = [paddle.grad(kl.sum() + d.entropy().sum(), [r])[0]
                 for kl, d, r in zip(found, (p, q), rates, strict=True)]  # fmt: skip
        np.testing.assert_allclose(grads[0].numpy(), grads[1].numpy(), rtol=1e-5)


def test_the_nearest_rule_is_taken_and_a_tie_is_reported():
    class One(D.Normal):
        pass

    D.register_kl(One, D.Normal)(lambda p, q: "left")
    one, normal = One(0.0, 1.0), D.Normal(0.0, 1.0)
    assert D.kl_divergence(one, normal) == D.kl_divergence(one, one) == "left"
    assert float(D.kl_divergence(normal, one)) == 0.0
    D.register_kl(D.Normal, One)(lambda p, q: "right")
    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(One, One\)"):
        assert D.kl_divergence(one, one) == "left"


def _integrals(p: float, at: float):
    """Return mean, variance, entropy and cdf of exp(odds x) on [0, 1], by Gauss' quadrature."""
    x, weights = np.polynomial.legendre.leggauss(60)
    x, weights = 0.5 + 0.5 * x, 0.5 * weights
    odds = np.log(p) - np.log1p(-p)
    density = np.exp(odds * x) / (weights @ np.exp(odds * x))
    mean = weights @ (x * density)
    below = at * (weights @ np.exp(odds * at * x)) / (weights @ np.exp(odds * x))
    variance = weights @ ((x - mean) ** 2 * density)
    return mean, variance, -weights @ (density * np.log(density)), below


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", [0.001, 0.1, 0.3, 0.42, 0.49, 0.4995, 0.5, 0.503, 0.6, 0.8, 0.999])
def test_a_continuous_bernoulli_keeps_its_digits(p, dtype):
    """Next to 1/2, and where the series end, at 0.27 and 0.73."""
    probs = paddle.to_tensor(np.array([p], dtype), stop_gradient=False)
    found = D.ContinuousBernoulli(probs)
    at = paddle.to_tensor(np.array([0.25], dtype))
    values = [found.mean, found.variance, found.entropy(), found.cdf(at)]
    right = np.array(_integrals(float(probs), 0.25))
    rtol, atol = (2e-6, 2e-7) if dtype == "float32" else (1e-13, 1e-15)
    np.testing.assert_allclose([float(v) for v in values], right, rtol, atol)
    level = paddle.to_tensor([right[3]], dtype=dtype)
    np.testing.assert_allclose(float(found.icdf(level)), 0.25, 5 * rtol)
    step = 1e-5 * min(p, 1 - p)
    ends = [np.array(_integrals(float(probs) + side, 0.25)) for side in (step, -step)]
    slopes = [float(paddle.grad(v.sum(), probs, retain_graph=True)[0]) for v in values]
    # Differences of float64 integrals over a step: their own error, and float32's slopes.
    np.testing.assert_allclose(slopes, (ends[0] - ends[1]) / (2 * step), 1e-4, 1e-5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: D.Normal(0.0, 1.0).rsample(3), "a sequence of ints, but received"),
        (lambda: D.Poisson(1.0).rsample(), "Poisson has no rsample"),
        (lambda: D.Binomial(3, 1), "a float or a Tensor for probs"),
        (lambda: D.Dirichlet([1.0]), "must be a Tensor, but received"),
        (lambda: D.Multinomial(2, [0.5]), "probs must be a Tensor"),
        (lambda: D.Poisson("a"), "rate must be a number or a Tensor"),
        (lambda: D.ContinuousBernoulli("a"), "probs must be a number or a Tensor"),
        (lambda: D.MultivariateNormal("a", paddle.eye(1)), "loc must be a number or a Tensor"),
        (lambda: D.Beta("a", 1.0), "Expected type of alpha"),
        (lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0)), "register_kl"),
        (lambda: D.ExponentialFamily().entropy(), "has no _natural_parameters"),
        (lambda: D.Gamma(1.0, 1.0).kl_divergence(D.Normal(0.0, 1.0)), "Expected type of other"),
    ],
)
def test_errors_say_what_was_wrong(call, text):
    with pytest.raises(paddle.errors.JaxEagerError, match=text):
        call()
