"""What Paddle's distributions get wrong: supports, shapes, gradients and draws."""

from ..probe import error_of, leaf
from ..registry import ANYTHING, CRASHES, differs
from .distributions import covariances, touched


def _sizes(paddle):
    D = paddle.distribution
    low = paddle.to_tensor([0.0, 1.0])
    high = paddle.to_tensor([[2.0], [3.0]])
    return [
        tuple(D.Normal(low, high).batch_shape),
        tuple(D.Uniform(low, high).batch_shape),
        tuple(D.Gamma(low + 1, high).batch_shape),
        list(D.Beta(paddle.ones([1]), paddle.ones([1])).sample([3]).shape),
    ]


@differs(
    "Paddle's gradient of triangular_solve is memory that was never written when the right side "
    "wants none",
    right=[[-0.4829, 0.3255], [0.3255, -0.7812]],
    paddle_gives=ANYTHING,
)
def precision_matrix_gradients(paddle, np):
    """The entropy's gradient by the precision matrix P is -P^-1 / 2."""
    _, precision = covariances(np)
    given = leaf(paddle, precision[0], "float64")
    loc = paddle.zeros([2], dtype="float64")
    paddle.distribution.MultivariateNormal(loc, precision_matrix=given).entropy().backward()
    return given.grad.numpy().round(4).tolist()


@differs(
    "Paddle's process dies in the backward of broadcast_tensors when an input wants no gradient",
    right=[1.0, 0.0],
    paddle_gives=CRASHES,
)
def densities_of_constants(paddle, np):
    """Gradients of log_prob by location and scale, at a constant."""
    loc, scale = leaf(paddle, [0.0]), leaf(paddle, [1.0])
    paddle.distribution.Laplace(loc, scale).log_prob(paddle.to_tensor([1.0])).backward()
    return [float(loc.grad[0]), float(scale.grad[0])]


@differs(
    "Paddle takes the batch shape from the first parameter alone; Beta.sample drops a last "
    "dimension of size 1",
    right=[(2, 2), (2, 2), (2, 2), [3, 1]],
    paddle_gives=[(2,), (2,), (2,), [3]],
)
def batch_shapes_of_two_parameters(paddle, np):
    """The batch shape is what all parameters broadcast to."""
    return _sizes(paddle)


INF = float("inf")


@differs(
    "Paddle's formulas go on outside of the support, and nan_to_num turns -inf into about 0",
    right=[[0.0, 0.0], [0.0, 0.0], [0.0], [0.0], [0.0], [0.0]],
    paddle_gives=[[1.0, 1.0], [1.0, 1.0], [5.437], [0.429], [-1.718], [-0.429]],
)
def outside_of_the_support(paddle, np):
    """What cannot come has probability 0."""
    D = paddle.distribution

    def at(*values):
        return paddle.to_tensor(values)

    half = D.Geometric(0.3)
    found = [
        D.Binomial(3, 0.5).prob(at(4.0, -1.0)),
        D.Poisson(paddle.to_tensor([0.0, 2.0])).prob(at(1.0, -1.0)),
        D.Exponential(2.0).prob(at(-0.5)),
        half.pmf(at(-1.0)),
        D.Exponential(1.0).cdf(at(-1.0)),
        half.cdf(at(-2.0)),
    ]
    return [[round(float(x), 3) for x in each.numpy()] for each in found]


@differs(
    "Paddle computes 0 * log(0) at the edge, and logarithms of densities that underflow",
    right=[0.693, 2.015, 1.099, -347.267, -200.0, 0.693],
    paddle_gives=["nan", "nan", "nan", "-inf", "-inf", "nan"],
)
def edges_of_the_support(paddle, np):
    """log_prob at an edge of finite density and far out; entropy of what never comes."""
    D = paddle.distribution

    def at(value):
        return paddle.to_tensor(value)

    found = [
        D.Gamma(1.0, 2.0).log_prob(at(0.0)),
        D.Dirichlet(at([1.0, 2.0, 3.0])).log_prob(at([0.0, 0.5, 0.5])),
        D.Beta(1.0, 3.0).log_prob(at(0.0)),
        D.Geometric(0.5).log_pmf(at(500.0)),
        D.Gumbel(0.0, 1.0).log_prob(at(200.0)),
        D.Categorical(at([0.0, 0.0, -INF])).entropy(),
    ]
    return [_rounded(each) for each in found]


def _rounded(x):
    value = round(float(x), 3)
    return value if value - value == 0 else str(value)  # not inf, not nan


@differs(
    "Paddle's cross-entropy has no gradient to its labels, and its to_tensor none at all",
    right=[[1.386, -2.197], [-12.0]],
    paddle_gives=[[0.0, 0.0], None],
)
def gradients_by_chance(paddle, np):
    """Of Bernoulli's entropy and of Geometric's variance."""
    D, p, half = paddle.distribution, leaf(paddle, [0.2, 0.9]), leaf(paddle, [0.5])
    D.Bernoulli(p).entropy().sum().backward()
    variance = D.Geometric(half).variance
    if not variance.stop_gradient:
        variance.backward()
    return [
        None if grad is None else [_rounded(x) for x in grad.numpy()]
        for grad in (p.grad, half.grad)
    ]


@differs(
    "Paddle detaches df in the variance",
    right=-2.0,
    paddle_gives=0.0,
)
def student_variance_follows_df(paddle, np):
    """d/d(df) of df / (df - 2) is -2 / (df - 2)^2."""
    df = leaf(paddle, [3.0])
    student = paddle.distribution.StudentT(df, leaf(paddle, [0.0]), leaf(paddle, [1.0]))
    (student.variance + 0.0 * touched(student)).backward()
    return round(float(df.grad[0]), 4)


@differs(
    "Paddle's onion method draws the square length of row k from Beta(k - 1/2, ...), not "
    "Beta(k/2, ...)",
    right=True,
    paddle_gives=False,
)
def onion_correlations(paddle, np):
    """At concentration 1 the correlations of 3 variables have mean square 1/4."""
    factor = paddle.distribution.LKJCholesky(3, 1.0).sample([4000]).numpy()
    correlations = (factor @ factor.swapaxes(-1, -2))[:, 2, :2]
    return bool(abs(np.mean(correlations**2) - 0.25) < 0.02)


@differs(
    "Paddle rounds float64 arrays to float32 on the way",
    right=[0.1, "paddle.float64"],
    paddle_gives=[0.10000000149011612, "paddle.float64"],
)
def float64_arrays_stay(paddle, np):
    """Normal and Categorical keep the float64 of an array."""
    loc = paddle.distribution.Normal(np.array([0.1]), np.array([1.0])).loc
    return [round(float(loc.numpy()[0]), 17), str(loc.dtype)]


@differs(
    "Paddle draws without a gradient to the concentration",
    right=[True, True],
    paddle_gives=[False, True],
)
def gamma_draws_follow(paddle, np):
    """Gradients of Gamma.rsample reach both parameters."""
    a, b = leaf(paddle, [2.0, 0.5]), leaf(paddle, [1.0, 2.0])
    paddle.distribution.Gamma(a, b).rsample([5]).sum().backward()
    return [each.grad is not None for each in (a, b)]


@differs(
    "Paddle has no rsample for them, nor moments of Uniform",
    right=["no error"] * 7,
    paddle_gives=ANYTHING,
)
def more_than_paddle_draws(paddle, np):
    """rsample of Uniform, Beta, Dirichlet, StudentT and Independent; moments of Uniform."""
    D, two = paddle.distribution, paddle.to_tensor([1.0, 2.0])
    return [
        error_of(D.Uniform(0.0, 1.0).rsample), error_of(D.Beta(1.0, 2.0).rsample),
        error_of(D.Dirichlet(two).rsample), error_of(D.StudentT(3.0, 0.0, 1.0).rsample),
        error_of(D.Independent(D.Normal(two, two), 1).rsample),
        error_of(lambda: D.Uniform(0.0, 1.0).mean), error_of(lambda: D.Uniform(0.0, 1.0).variance),
    ]  # fmt: skip


@differs(
    "Paddle's formulas cancel next to 1/2, and its cdf and icdf are those of 1/2 within lims",
    right=[0.0833, 0.50025, 0.49975],
    paddle_gives=[0.1118, 0.5, 0.5],
)
def continuous_bernoulli_next_to_a_half(paddle, np):
    """The variance is close to 1/12; cdf(1/2) is 1/2 + (1 - 2 p) / 4."""
    half = paddle.to_tensor([0.5])
    near, nearer = (paddle.distribution.ContinuousBernoulli(p) for p in (0.503, 0.4995))
    found = [(near.variance, 4), (nearer.cdf(half), 5), (nearer.icdf(half), 5)]
    return [round(float(value.numpy()[0]), digits) for value, digits in found]
