"""paddle.distribution: densities, entropies and moments with their gradients, and draws."""

from ..probe import array, attempt, error_of, leaf, pull
from ..registry import program


def _found(paddle, np, make, parameters, calls):
    """Returns what each call of a distribution gives, with the gradients of its parameters."""
    out = {}
    for name, call in calls.items():
        tensors = [leaf(paddle, np.array(value), "float64") for value in parameters]
        distribution = make(*tensors)
        got = call(distribution) + 0.0 * touched(distribution)
        if not got.stop_gradient:
            pull(paddle, np, got)
        out[name] = [got.numpy(), str(got.dtype), [array(tensor.grad) for tensor in tensors]]
    out["shapes"] = [tuple(distribution.batch_shape), tuple(distribution.event_shape)]
    return out


def touched(distribution):
    """Returns the sum of what a distribution has broadcast.

    Paddle's process dies in the backward of broadcast_tensors when one of its outputs is not used,
    or one of its inputs wants no gradient: see densities_of_constants.
    """
    names = ("loc", "scale", "alpha", "beta", "df", "total_count")
    return sum(getattr(distribution, name) for name in names if hasattr(distribution, name))


def _of(*names):
    """Returns calls that read properties."""
    return {name: lambda d, name=name: getattr(d, name) for name in names}


def _at(value, *names):
    """Returns calls of methods at a value."""
    return {name: lambda d, name=name: getattr(d, name)(value) for name in names}


def _entropy():
    return {"entropy": lambda d: d.entropy()}


LOCS, SCALES = [[0.3, -1.2, 2.0]], [[0.5, 1.5, 2.5], [1.0, 0.7, 0.2]]


@program
def normal_family(paddle, np):
    """Normal, LogNormal, Laplace, Cauchy, Gumbel: location and scale of one shape."""
    D, loc, scale = paddle.distribution, LOCS * 2, SCALES
    x = leaf(paddle, [[0.1, -2.0, 1.0], [3.0, 0.4, 2.2]], "float64")
    part = leaf(paddle, [[0.1, 0.55, 0.9], [0.3, 0.6, 0.2]], "float64")
    above = leaf(paddle, [[0.1, 2.0, 1.0], [3.0, 0.4, 2.2]], "float64")
    moments = _of("mean", "variance")
    return {
        "normal": _found(
            paddle, np, D.Normal, [loc, scale],
            moments | _at(x, "log_prob", "probs", "prob") | _entropy(),
        ),
        "lognormal": _found(
            paddle, np, D.LogNormal, [loc, scale],
            moments | _at(above, "log_prob", "probs") | _entropy(),
        ),
        "laplace": _found(
            paddle, np, D.Laplace, [loc, scale],
            moments | _of("stddev") | _at(x, "log_prob", "prob", "cdf") | _at(part, "icdf")
            | _entropy(),
        ),
        "cauchy": _found(
            paddle, np, D.Cauchy, [loc, scale], _at(x, "log_prob", "prob", "cdf") | _entropy()
        ),
        "gumbel": _found(
            paddle, np, D.Gumbel, [loc, scale],
            moments | _of("stddev") | _at(x, "log_prob", "prob", "cdf") | _entropy(),
        ),
        "uniform": _found(
            paddle, np, lambda a, b: D.Uniform(a - 3, a + b), [loc, scale],
            _at(x, "log_prob", "probs", "prob") | _entropy(),
        ),
    }  # fmt: skip


@program
def broadcast_locations(paddle, np):
    """Locations and scales of different shapes, where Paddle broadcasts them."""
    D = paddle.distribution
    x = leaf(paddle, [[[0.7]], [[1.2]]], "float64")
    calls = _at(x, "log_prob") | _entropy() | _of("variance")
    return {
        name: _found(paddle, np, getattr(D, name), [[[0.3, 0.2, 2.0]], SCALES], calls)
        for name in ("Laplace", "Gumbel")
    } | {
        "Normal": _found(
            paddle, np, D.Normal, [SCALES, [1.5]], _at(x, "log_prob", "probs") | _entropy()
        )
    }


@program
def gamma_family(paddle, np):
    """Gamma, Chi2, Exponential, Beta, Dirichlet, StudentT inside their supports."""
    D, one, two = paddle.distribution, [[0.5, 1.5, 4.0]], [[2.0, 0.7, 1.1]]
    x = leaf(paddle, [[0.2, 1.0, 3.5], [4.0, 0.4, 0.01]], "float64")
    part = leaf(paddle, [[0.2, 0.5, 0.3], [0.1, 0.15, 0.75]], "float64")
    moments = _of("mean", "variance")
    density = _at(x, "log_prob", "prob")
    return {
        "gamma": _found(paddle, np, D.Gamma, [one, two], moments | density | _entropy()),
        "chi2": _found(paddle, np, D.Chi2, [two], moments | density | _entropy()),
        "exponential": _found(
            paddle, np, D.Exponential, [two],
            moments | density | _at(x, "cdf") | _at(part, "icdf") | _entropy(),
        ),
        "beta": _found(
            paddle, np, D.Beta, [one, two], moments | _at(part, "log_prob", "prob") | _entropy()
        ),
        "dirichlet": _found(
            paddle, np, D.Dirichlet, [one], moments | _at(part, "log_prob", "prob") | _entropy()
        ),
        "student": _found(
            paddle, np, D.StudentT, [[3.0, 2.5, 9.0], two[0], one[0]],
            density | _entropy() | _of("mean"),
        ),
    }  # fmt: skip


@program
def discrete_families(paddle, np):
    """Bernoulli, Binomial, Geometric, Poisson, Multinomial inside their supports."""
    D, chance = paddle.distribution, [0.2, 0.5, 0.9]
    bit = paddle.to_tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    count = leaf(paddle, [[0.0, 3.0, 2.0], [4.0, 1.0, 5.0]], "float64")
    trials = leaf(paddle, [[0.0, 3.0, 2.0], [4.0, 1.0, 5.0]], "float64")
    rows = leaf(paddle, [[1.0, 2.0, 3.0], [0.0, 0.0, 6.0]], "float64")
    moments = _of("mean", "variance")
    return {
        "bernoulli": _found(
            paddle, np, D.Bernoulli, [chance],
            moments | _of("logits"),
        ),
        "bernoulli at": [
            getattr(D.Bernoulli(paddle.to_tensor(chance)), name)(value).numpy()
            for name, value in (("log_prob", bit), ("prob", bit), ("cdf", rows - 1))
        ]
        + [D.Bernoulli(paddle.to_tensor(chance)).entropy().numpy()],
        "binomial": _found(
            paddle, np, D.Binomial, [[5.0, 5.0, 5.0], chance],
            moments | _at(trials, "log_prob", "prob") | _entropy(),
        ),
        "geometric": _found(
            paddle, np, D.Geometric, [chance],
            _of("mean") | _at(count, "pmf", "log_pmf", "cdf") | _entropy(),
        ),
        "geometric moments": [
            getattr(D.Geometric(paddle.to_tensor(chance)), name).numpy()
            for name in ("variance", "stddev")
        ],
        "poisson": _found(
            paddle, np, D.Poisson, [[0.5, 3.0, 11.0]],
            moments | _at(count, "log_prob", "prob") | _entropy(),
        ),
        "multinomial": _found(
            paddle, np, lambda p: D.Multinomial(6, p), [[chance, [0.3, 0.3, 0.4]]],
            moments | _at(rows, "log_prob", "prob")
            | _entropy(),
        ),
    }  # fmt: skip


@program
def categorical_looks(paddle, np):
    """Categorical: vectors, batches, every shape of value; softmax here, weights there."""
    D, out = paddle.distribution, {}
    rows = [[0.5, 1.5, 2.0], [1.0, 1.0, 3.0]]
    for name, logits, values in (
        ("vector", rows[0], ([0, 2], [[1, 0], [2, 2]], 1)),
        ("batch", rows, ([0, 2, 1], [[1, 0], [2, 2]])),
    ):
        for place, value in enumerate(values):
            index = paddle.to_tensor(value, dtype="int64")
            out[f"{name} {place}"] = _found(
                paddle, np, lambda x, v=None: _with_batch(D.Categorical(x), x), [logits],
                _at(index, "probs", "log_prob") | _entropy(),
            )  # fmt: skip
    return out


def _with_batch(categorical, logits):
    """Gives Paddle's class the batch shape that it never sets."""
    categorical._batch_shape, categorical._event_shape = tuple(logits.shape[:-1]), ()
    return categorical


@program
def continuous_bernoulli(paddle, np):
    """ContinuousBernoulli, outside of where Paddle's series takes over, which loses digits."""
    D = paddle.distribution
    x = paddle.to_tensor([[0.1], [0.5], [1.0]], dtype="float64")
    calls = _of("mean", "variance") | _at(x, "log_prob", "prob", "cdf", "icdf") | _entropy()
    return _found(paddle, np, D.ContinuousBernoulli, [[0.1, 0.7, 0.95]], calls)


def covariances(np):
    """Returns two triangular matrices and their covariances."""
    lower = np.array([[[1.2, 0.0], [0.5, 0.8]], [[0.6, 0.0], [-0.3, 1.5]]])
    return lower, lower @ lower.swapaxes(-1, -2)


@program
def multivariate_normal(paddle, np):
    """MultivariateNormal by two of its matrices, alone and in batches."""
    D, out = paddle.distribution, {}
    lower, covariance = covariances(np)
    for name, matrix in (
        ("scale_tril", lower), ("covariance_matrix", covariance)
    ):  # fmt: skip
        for text, given in (("one", matrix[0]), ("batch", matrix)):
            x = paddle.to_tensor(np.full(given.shape[:-1], 0.4) * [1.0, -2.0])
            out[f"{name} {text}"] = _found(
                paddle, np, lambda m, s, n=name: D.MultivariateNormal(m, **{n: s}),
                [[0.5, -1.0], given],
                _of("mean", "variance") | _at(x, "log_prob", "prob") | _entropy(),
            )  # fmt: skip
    return out


@program
def precision_matrices(paddle, np):
    """MultivariateNormal by its precision matrix: values alone."""
    _, precision = covariances(np)
    x = paddle.to_tensor([[0.4, -0.8], [0.1, 0.2]], dtype="float64")
    loc = paddle.to_tensor([0.5, -1.0], dtype="float64")
    out = []
    for given in (precision[0], precision):
        normal = paddle.distribution.MultivariateNormal(
            loc, precision_matrix=paddle.to_tensor(given)
        )
        out += [normal.variance.numpy(), normal.log_prob(x).numpy(), normal.entropy().numpy()]
    return out


@program
def lkj_densities(paddle, np):
    """LKJCholesky: log_prob for one concentration and several."""
    D, out = paddle.distribution, {}
    factor = np.linalg.cholesky(np.array([[1.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 1.0]]))
    for dim, concentration in ((2, [0.5, 2.0]), (3, [1.0, 3.5]), (3, [2.0])):
        value = paddle.to_tensor(np.stack([factor[:dim, :dim]] * len(concentration)))
        calls = _at(value, "log_prob")
        out[f"{dim} {len(concentration)}"] = _found(
            paddle,
            np,
            lambda c, d=dim: D.LKJCholesky(d, c),
            [concentration],
            calls,
        )
    return out


@program
def drawn_shapes(paddle, np):
    """Shapes, dtypes and stop_gradient of sample and rsample, with and without tensors."""
    D, out = paddle.distribution, {}
    one, two = paddle.to_tensor([0.5, 0.7]), paddle.to_tensor([1.0, 2.0])
    one.stop_gradient = two.stop_gradient = False
    matrix = paddle.eye(2)
    cases = {
        "normal": (D.Normal(0.0, 1.0), D.Normal(one, two), D.Normal([1, 2], [3, 4])),
        "complex": (D.Normal(1 + 2j, 2.0),),
        "lognormal": (D.LogNormal(0.0, 1.0), D.LogNormal(one, two)),
        "laplace": (D.Laplace(0, 1), D.Laplace(one, two)),
        "cauchy": (D.Cauchy(0, 1), D.Cauchy(one, two)),
        "gumbel": (D.Gumbel(0, 1), D.Gumbel(one, two)),
        "bernoulli": (D.Bernoulli(0.3), D.Bernoulli(one)),
        "exponential": (D.Exponential(2.0), D.Exponential(one)),
        "gamma": (D.Gamma(1.0, 2.0), D.Gamma(one.detach(), two)),
        "geometric": (D.Geometric(0.3), D.Geometric(one)),
        "mixed": (D.ContinuousBernoulli(0.3), D.ContinuousBernoulli(one)),
        "multivariate": (D.MultivariateNormal(two, covariance_matrix=matrix),),
    }
    samples = {
        "uniform": (D.Uniform(0.0, 1.0), D.Uniform(one, two), D.Uniform(np.zeros(2), np.ones(2))),
        "beta": (D.Beta(0.5, 1.0), D.Beta(one, two)),
        "dirichlet": (D.Dirichlet(one),),
        "binomial": (D.Binomial(5, 0.5), D.Binomial(paddle.to_tensor([3, 4]), one)),
        "poisson": (D.Poisson(3.0), D.Poisson(one)),
        "multinomial": (D.Multinomial(3, one),),
        "categorical": (D.Categorical([1.0, 2.0]), D.Categorical(one)),
        "lkj": (D.LKJCholesky(3, 1.0), D.LKJCholesky(2, two, "cvine")),
        "student": (D.StudentT(3.0, 0.0, 1.0), D.StudentT(two, one, two)),
        "independent": (D.Independent(D.Normal(one, two), 1),),
    }
    for name, made in (cases | samples).items():
        for place, each in enumerate(made):
            for shape in ([], [2, 3]):
                drawn = [each.sample(shape)] + ([each.rsample(shape)] if name in cases else [])
                out[f"{name} {place} {shape}"] = [
                    [list(x.shape), str(x.dtype), x.stop_gradient] for x in drawn
                ]
    return out


@program
def parameters_as_read(paddle, np):
    """Numbers, sequences, arrays and tensors as parameters: values and dtypes of attributes."""
    D, out = paddle.distribution, {}
    halves = np.array([0.5, 0.25])
    for name, make in {
        "normal": lambda: D.Normal(1, 2.0), "normal list": lambda: D.Normal([1, 2], (3, 4)),
        "normal array": lambda: D.Normal(halves, halves),
        "normal float32": lambda: D.Normal(halves.astype("float32"), 2.0),
        "uniform": lambda: D.Uniform(0, [1.0, 2.0]), "bernoulli": lambda: D.Bernoulli(0.25),
        "bernoulli array": lambda: D.Bernoulli(halves), "clipped": lambda: D.Bernoulli(1.0),
        "beta": lambda: D.Beta(1, 2.0), "beta mixed": lambda: D.Beta(paddle.ones([2]), 2.0),
        "binomial": lambda: D.Binomial(5, 0.5), "poisson": lambda: D.Poisson(3),
        "categorical": lambda: D.Categorical([1, 2]), "gamma": lambda: D.Gamma([1.0, 2.0], 0.5),
        "chi2": lambda: D.Chi2(3.0), "exponential": lambda: D.Exponential([2.0]),
        "geometric": lambda: D.Geometric(1), "gumbel": lambda: D.Gumbel(0, paddle.ones([2])),
        "laplace": lambda: D.Laplace(paddle.zeros([2]), 1), "cauchy": lambda: D.Cauchy(0, 1),
        "student": lambda: D.StudentT(3.0, [1.0, 2.0], 1.0),
        "continuous": lambda: D.ContinuousBernoulli(0.25),
        "multivariate": lambda: D.MultivariateNormal(1.0, scale_tril=paddle.eye(1)),
        "lkj": lambda: D.LKJCholesky(3, 2.0),
    }.items():  # fmt: skip
        made = make()
        attributes = ("loc", "scale", "low", "high", "probs", "logits", "alpha", "beta", "df",
                      "total_count", "rate", "concentration", "lims", "scale_tril")  # fmt: skip
        found = {key: getattr(made, key) for key in attributes if hasattr(made, key)}
        tensors = {key: value for key, value in found.items() if hasattr(value, "numpy")}
        out[name] = [
            {key: [value.numpy(), str(value.dtype)] for key, value in tensors.items()},
            None if name == "categorical" else tuple(made.batch_shape),
        ]
    return out


@program
def parameters_refused(paddle, np):
    """Parameters, shapes and values that cannot be used."""
    D, one = paddle.distribution, paddle.ones([2])
    normal = D.Normal(0.0, 1.0)
    calls = {
        "mixed": lambda: D.Normal(one, 1.0), "text": lambda: D.Normal("a", 1.0),
        "uniform": lambda: D.Uniform(one, 1.0), "bernoulli int": lambda: D.Bernoulli(1),
        "gamma int": lambda: D.Gamma(1, 2), "gamma mixed": lambda: D.Gamma(one, 1.0),
        "chi2": lambda: D.Chi2(-1.0), "chi2 int": lambda: D.Chi2(1),
        "exponential int": lambda: D.Exponential(2),

        "cauchy mean": lambda: D.Cauchy(0.0, 1.0).mean,

        "laplace": lambda: D.Laplace([0.0], 1.0), "dirichlet": lambda: D.Dirichlet(one[0]),
        "independent": lambda: D.Independent(normal, 1), "base": lambda: D.Independent(1, 1),
        "rank": lambda: D.Independent(D.Normal([0.0], [1.0]), 0),
        "multinomial": lambda: D.Multinomial(0, one), "count": lambda: D.Multinomial(2.0, one),
        "multinomial 0-D": lambda: D.Multinomial(2, one[0]),
        "no matrix": lambda: D.MultivariateNormal(one),
        "vector": lambda: D.MultivariateNormal(one, scale_tril=one),
        "student df": lambda: D.StudentT(-1.0, 0.0, 1.0),
        "student scale": lambda: D.StudentT(1.0, 0.0, -1.0),
        "student int": lambda: D.StudentT(3, 0.0, 1.0), "lkj dim": lambda: D.LKJCholesky(1, 1.0),
        "lkj whole": lambda: D.LKJCholesky(2.5, 1.0), "lkj": lambda: D.LKJCholesky(3, -1.0),
        "lkj method": lambda: D.LKJCholesky(3, 1.0, "x"), "lkj int": lambda: D.LKJCholesky(3, 1),
        "transform": lambda: D.TransformedDistribution(normal, [1]),

        "no base": lambda: D.TransformedDistribution(1, []),
        "too few": lambda: D.TransformedDistribution(normal, [D.StickBreakingTransform()]),
    }  # fmt: skip
    out = {name: attempt(call) for name, call in calls.items()}
    for name, call in {
        "shape": lambda: normal.sample(3), "mean": lambda: D.Distribution().mean,
        "log_prob": lambda: D.Distribution().log_prob(one),
        "rsample": lambda: D.Poisson(1.0).rsample(),
        "complex kl": lambda: normal.kl_divergence(D.Normal(1j, 1.0)),
        "categorical": lambda: D.Categorical("a"),
        "transforms": lambda: D.TransformedDistribution(normal, D.ExpTransform()),
        "gumbel": lambda: D.Gumbel([0.0], 1.0),
        "geometric k": lambda: D.Geometric(0.5).pmf(2.0),
        "geometric": lambda: D.Geometric("a"),
        "cauchy kl": lambda: D.Cauchy(0.0, 1.0).kl_divergence(normal),
        "cauchy": lambda: D.Cauchy([0.0], 1.0),
    }.items():  # fmt: skip
        out[name] = error_of(call)
    return out


@program
def complex_normal(paddle, np):
    """Normal with a complex mean."""
    normal = paddle.distribution.Normal(paddle.to_tensor([1 + 2j, 0.5 - 1j]), paddle.to_tensor(2.0))
    other = paddle.distribution.Normal(paddle.to_tensor([1j, 0.5 + 0j]), paddle.to_tensor(1.0))
    x = paddle.to_tensor([0.3 + 0.1j, -1j])
    found = [normal.log_prob(x), normal.probs(x), normal.entropy(), normal.variance]
    return [each.numpy() for each in [*found, normal.kl_divergence(other)]]
