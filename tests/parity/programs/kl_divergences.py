"""kl_divergence by both ways, register_kl, and the families' own formulas."""

from ..probe import array, attempt, error_of, leaf, pull
from ..registry import ANYTHING, differs, program


def _divergence(paddle, np, make, one, two):
    """Returns the divergence of two distributions, with the gradients of their parameters."""
    p = [leaf(paddle, np.array(value), "float64") for value in one]
    q = [leaf(paddle, np.array(value), "float64") for value in two]
    found = paddle.distribution.kl_divergence(make(*p), make(*q))
    pull(paddle, np, found)
    return [found.numpy(), str(found.dtype), [array(tensor.grad) for tensor in (*p, *q)]]


@program
def continuous_divergences(paddle, np):
    """Two parameters: Normal, LogNormal, Laplace, Cauchy, Gamma, Beta."""
    one, two = ([0.5, 1.5], [1.0, 2.0]), ([0.8, 1.1], [0.7, 3.0])
    return {
        name: _divergence(paddle, np, getattr(paddle.distribution, name), one, two)
        for name in ("Normal", "LogNormal", "Laplace", "Cauchy", "Gamma", "Beta")
    }


@program
def divergences_of_one_parameter(paddle, np):
    """One parameter: Bernoulli, ContinuousBernoulli, Categorical, Chi2, Dirichlet, Exponential."""
    one, two = ([0.2, 0.7],), ([0.4, 0.9],)
    D = paddle.distribution
    return {
        "poisson": D.kl_divergence(D.Poisson(4.0), D.Poisson(2.5)).numpy(),
        "binomial": D.kl_divergence(D.Binomial(5, 0.3), D.Binomial(5, 0.6)).numpy(),
    } | {
        name: _divergence(paddle, np, getattr(D, name), one, two)
        for name in (
            "Bernoulli", "ContinuousBernoulli", "Categorical", "Chi2", "Dirichlet", "Exponential"
        )
    }  # fmt: skip


@program
def normal_vectors_apart(paddle, np):
    """MultivariateNormal: one matrix, a batch of them."""
    D = paddle.distribution

    def make(loc, scale_tril):
        return D.MultivariateNormal(loc, scale_tril=scale_tril.tril())

    lower = [[1.2, 0.0], [0.5, 0.8]], [[0.6, 0.0], [-0.3, 1.5]]
    return {
        "one": _divergence(paddle, np, make, ([0.5, 1.0], lower[0]), ([0.0, -1.0], lower[1])),
        "batch": _divergence(paddle, np, make, ([0.5, 1.0], lower), ([0.0, -1.0], lower[::-1])),
    }


@program
def divergence_methods(paddle, np):
    """The method of each class that has one in Paddle."""
    D = paddle.distribution
    pairs = {
        "normal": (D.Normal(0.0, 1.0), D.Normal(1.0, 2.0)),
        "lognormal": (D.LogNormal(0.0, 1.0), D.LogNormal(1.0, 2.0)),
        "laplace": (D.Laplace(0.0, 1.0), D.Laplace(1.0, 2.0)),
        "cauchy": (D.Cauchy(0.0, 1.0), D.Cauchy(1.0, 2.0)),
        "gamma": (D.Gamma(0.5, 1.0), D.Gamma(1.0, 2.0)),
        "bernoulli": (D.Bernoulli(0.5), D.Bernoulli(0.2)),
        "categorical": (D.Categorical([0.5, 1.0]), D.Categorical([0.2, 3.0])),
        "exponential": (D.Exponential(0.5), D.Exponential(0.2)),
        "continuous": (D.ContinuousBernoulli(0.4), D.ContinuousBernoulli(0.2)),
    }
    return {name: p.kl_divergence(q).numpy() for name, (p, q) in pairs.items()}


@program
def registered_divergences(paddle, np):
    """register_kl: subclasses, the nearest rule, no rule."""
    D, out = paddle.distribution, {}

    class One(D.Normal):
        pass

    class Two(One):
        pass

    one, two, normal = One(0.0, 1.0), Two(1.0, 2.0), D.Normal(0.5, 1.0)
    out["inherited"] = D.kl_divergence(two, one).numpy()

    @D.register_kl(One, One)
    def first(p, q):
        return "One, One"

    out["nearest"] = [D.kl_divergence(one, one), D.kl_divergence(two, one)]
    out["other side"] = D.kl_divergence(normal, two).numpy()

    @D.register_kl(Two, Two)
    def second(p, q):
        return "Two, Two"

    out["own"] = [D.kl_divergence(two, two), D.kl_divergence(two, one)]
    out["none"] = error_of(lambda: D.kl_divergence(normal, D.Cauchy(0.0, 1.0)))
    out["families"] = error_of(lambda: D.kl_divergence(D.Beta(1.0, 1.0), D.Bernoulli(0.5)))
    out["no class"] = attempt(lambda: D.register_kl(int, int))
    out["returned"] = first.__name__
    return out


@differs(
    "Paddle looks the second order up the wrong way round",
    right=["One, Normal", "One, Normal"],
    paddle_gives="KeyError",
)
def divergence_of_two_classes(paddle, np):
    """A rule for two different classes."""
    D = paddle.distribution

    class One(D.Normal):
        pass

    @D.register_kl(One, D.Normal)
    def rule(p, q):
        return "One, Normal"

    one, normal = One(0.0, 1.0), D.Normal(0.5, 1.0)
    try:
        return [D.kl_divergence(one, normal), D.kl_divergence(one, one)]
    except KeyError:
        return "KeyError"


@program
def own_exponential_family(paddle, np):
    """Entropy and divergence of a family that gives only its log-normalizer."""
    D = paddle.distribution

    class Waiting(D.ExponentialFamily):
        def __init__(self, rate):
            self.rate = rate
            super().__init__(rate.shape)

        @property
        def _natural_parameters(self):
            return (-self.rate,)

        def _log_normalizer(self, x):
            return -paddle.log(-x)

        @property
        def _mean_carrier_measure(self):
            return 0.0

    p, q = Waiting(paddle.to_tensor([0.5, 2.0])), Waiting(paddle.to_tensor([1.0, 1.0]))
    return [p.entropy().numpy(), D.kl_divergence(p, q).numpy()]


@program
def divergences_refused(paddle, np):
    """Two that do not fit together."""
    D = paddle.distribution
    long = paddle.to_tensor([0.2, 0.3])
    return [
        error_of(lambda: D.Cauchy(0.0, 1.0).kl_divergence(D.Normal(0.0, 1.0))),
        error_of(lambda: D.Exponential(1.0).kl_divergence(D.Gamma(1.0, 1.0))),
        error_of(lambda: D.Poisson(1.0).kl_divergence(D.Poisson(long))),
        error_of(lambda: D.ContinuousBernoulli(0.3).kl_divergence(D.ContinuousBernoulli(long))),
        error_of(lambda: D.Distribution().kl_divergence(D.Distribution())),
    ]


@differs(
    "Paddle has the divergence of one trial there, not of all until the first success",
    right=0.6126,
    paddle_gives=0.1838,
)
def geometric_divergence(paddle, np):
    """log(p/q) + (1-p)/p log((1-p)/(1-q))."""
    D = paddle.distribution
    return round(float(D.kl_divergence(D.Geometric(0.3), D.Geometric(0.6))), 4)


@differs(
    "Paddle registers the pair, whose method is that of the base class",
    right=[0.6931, float("inf")],
    paddle_gives="NotImplementedError",
)
def uniform_divergence(paddle, np):
    """Within a wider one, and beyond it."""
    D = paddle.distribution
    try:
        return [
            round(float(D.kl_divergence(D.Uniform(0.0, 1.0), D.Uniform(-0.5, 1.5))), 4),
            float(D.kl_divergence(D.Uniform(0.0, 1.0), D.Uniform(0.5, 1.5))),
        ]
    except NotImplementedError:
        return "NotImplementedError"


@differs(
    "Paddle gives counts that cannot come a probability of 1",
    right=float("inf"),
    paddle_gives=ANYTHING,
)
def binomial_of_fewer_trials(paddle, np):
    """Five trials can have more successes than three."""
    D = paddle.distribution
    return float(D.kl_divergence(D.Binomial(5, 0.3), D.Binomial(3, 0.3)))
