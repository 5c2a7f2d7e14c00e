"""Probabilities, rates and scales that are none: refused alike, or drawn from by Paddle."""

from ..probe import refuses
from ..registry import differs, program

NAN = float("nan")


def _kind(call):
    """Returns the builtin class of the error of a call, or that there was none."""
    try:
        call()
    except (ValueError, IndexError) as error:
        return "IndexError" if isinstance(error, IndexError) else "ValueError"
    return "no error"


@program
def draws_from_no_probability(paddle, np):
    """bernoulli and multinomial look at what they draw from."""

    def of(*values):
        return paddle.to_tensor(np.array(values, "float32"))

    calls = {
        "above 1": lambda: paddle.bernoulli(of(0.5, 2.0)),
        "below 0": lambda: paddle.bernoulli(of(-1.0)),
        "nan": lambda: paddle.bernoulli(of(NAN)),
        "p": lambda: paddle.bernoulli(of(0.5), p=2.0),
        "places of zeros": lambda: paddle.multinomial(of(0.0, 0.0)),
        "negative places": lambda: paddle.multinomial(of(-1.0, 2.0)),
        "places of nan": lambda: paddle.multinomial(of(NAN, 2.0)),
        "too few places": lambda: paddle.multinomial(of(0.0, 2.0, 0.0), 2),
        "one row of zeros": lambda: paddle.multinomial(of([1.0, 1.0], [0.0, 0.0])),
        "uniform_": lambda: of(1.0).uniform_(1.0, 0.0),
    }
    return {name: refuses(call) for name, call in calls.items()}


@program
def losses_of_no_probability(paddle, np):
    """label_smooth, gumbel_softmax, dropout and binary_cross_entropy look too."""
    functional, x = paddle.nn.functional, paddle.ones([2, 3])
    calls = {
        "label_smooth": lambda: functional.label_smooth(x, epsilon=7.0),
        "label_smooth below": lambda: functional.label_smooth(x, epsilon=-1.0),
        "gumbel_softmax": lambda: functional.gumbel_softmax(x, temperature=-1.0),
        "dropout": lambda: functional.dropout(x, 2.0),
        "class_center_sample": lambda: functional.class_center_sample(paddle.to_tensor([1]), 20, 0),
        "binary_cross_entropy": lambda: functional.binary_cross_entropy(x * NAN, x),
    }
    return {name: _kind(call) for name, call in calls.items()}


_SILENT = [
    "normal", "normal_", "log_normal_", "uniform", "exponential_", "geometric_", "cauchy_",
    "bernoulli_", "poisson", "binomial", "standard_gamma", "smooth_l1_loss",
]  # fmt: skip


@differs(
    "Paddle draws from probabilities, rates and scales that are none",
    right={name: "IndexError" if name == "bernoulli_" else "ValueError" for name in _SILENT},
    paddle_gives=dict.fromkeys(_SILENT, "no error"),
)
def draws_that_mean_nothing(paddle, np):
    """Draws, in place and not, and a loss."""
    x = paddle.ones([2])
    calls = {
        "normal": lambda: paddle.normal(0.0, -1.0, [2]),
        "normal_": lambda: x.normal_(0.0, -1.0),
        "log_normal_": lambda: x.log_normal_(0.0, -1.0),
        "uniform": lambda: paddle.uniform([2], min=1.0, max=0.0),
        "exponential_": lambda: x.exponential_(-1.0),
        "geometric_": lambda: x.geometric_(2.0),
        "cauchy_": lambda: x.cauchy_(0, -1),
        "bernoulli_": lambda: x.bernoulli_(2.0),
        "poisson": lambda: paddle.poisson(paddle.to_tensor([-1.0])),
        "binomial": lambda: paddle.binomial(paddle.to_tensor([-1]), paddle.to_tensor([1.0])),
        "standard_gamma": lambda: paddle.standard_gamma(paddle.to_tensor([-1.0])),
        "smooth_l1_loss": lambda: paddle.nn.functional.smooth_l1_loss(x, x, delta=-1.0),
    }
    return {name: _kind(call) for name, call in calls.items()}


_UNCHECKED = [
    "Bernoulli", "Binomial", "Geometric", "Dirichlet", "Beta", "Gamma", "Normal", "Uniform",
    "Poisson", "Cauchy", "Exponential", "Gumbel", "Laplace", "ContinuousBernoulli",
]  # fmt: skip


@differs(
    "Paddle makes distributions of parameters that are none; what they draw means nothing",
    right=dict.fromkeys(_UNCHECKED, "ValueError"),
    paddle_gives=dict.fromkeys(_UNCHECKED, "no error"),
)
def distributions_that_mean_nothing(paddle, np):
    """Each of a parameter outside its domain."""
    made, bad, one = paddle.distribution, paddle.to_tensor([-1.0]), paddle.to_tensor([1.0])
    calls = {
        "Bernoulli": lambda: made.Bernoulli(bad),
        "Binomial": lambda: made.Binomial(3, bad),
        "Geometric": lambda: made.Geometric(bad),
        "Dirichlet": lambda: made.Dirichlet(bad),
        "Beta": lambda: made.Beta(bad, one),
        "Gamma": lambda: made.Gamma(one, bad),
        "Normal": lambda: made.Normal(one, bad),
        "Uniform": lambda: made.Uniform(one, bad),
        "Poisson": lambda: made.Poisson(bad),
        "Cauchy": lambda: made.Cauchy(one, bad),
        "Exponential": lambda: made.Exponential(bad),
        "Gumbel": lambda: made.Gumbel(one, bad),
        "Laplace": lambda: made.Laplace(one, bad),
        "ContinuousBernoulli": lambda: made.ContinuousBernoulli(bad),
    }
    return {name: _kind(call) for name, call in calls.items()}


@differs(
    "Paddle runs a cell over steps beyond the sequence as if they were there",
    right="ValueError",
    paddle_gives="no error",
)
def length_beyond_the_steps(paddle, np):
    """A sequence_length of 9 for 4 steps."""
    layer = paddle.nn.RNN(paddle.nn.GRUCell(2, 3))
    return _kind(lambda: layer(paddle.ones([2, 4, 2]), None, paddle.to_tensor([9, 1])))
