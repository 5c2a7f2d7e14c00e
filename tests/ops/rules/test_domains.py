"""Meaningless probabilities, scales, rates and lengths are refused: ops/rules/domains.py."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError
from jaxeager.ops.rules import domains, value_checks
from tests.support.here import IS_ON_CPU
from tests.support.refusals import refused

F, D = paddle.nn.functional, paddle.distribution
NAN, INF = float("nan"), float("inf")


def ones(*shape):
    return paddle.ones(list(shape))


def floats(*values):
    return paddle.to_tensor(np.array(values, "float32"))


# name: (call with a tensor, valid values, invalid values, the message)
DRAWS = {
    "bernoulli": (paddle.bernoulli, (0.0, 1.0), (2.0, -1.0, NAN), r"in \[0, 1\]"),
    "bernoulli_": (lambda v: ones(2).bernoulli_(v), (0.0, 1.0), (2.0, -1.0, NAN), r"in \[0, 1\]"),
    "poisson": (paddle.poisson, (0.0, 3.0), (-1.0, NAN, INF), "finite and 0 or more"),
    "binomial": (
        lambda v: paddle.binomial(paddle.to_tensor([3]), v), (0.0, 1.0), (2.0, -1.0, NAN),
        r"a probability must be in \[0, 1\]",
    ),
    "binomial count": (
        lambda v: paddle.binomial(v, floats(0.5)), (0.0, 2.0), (-3.0, NAN), "a count must be",
    ),
    "standard_gamma": (paddle.standard_gamma, (0.0, 2.0), (-1.0, NAN), "0 or more"),
    "normal": (
        lambda v: paddle.normal(ones(1), v), (0.0, 2.0), (-1.0, NAN), "std must be 0 or more",
    ),
    "log_normal": (
        lambda v: paddle.log_normal(0.0, v, [2]), (0.0, 2.0), (-1.0, NAN), "std must be 0 or more",
    ),
    "geometric_": (
        lambda v: ones(2).geometric_(v), (0.5, 1.0), (0.0, -1.0, 2.0, NAN),
        "above 0 and at most 1",
    ),
    "cauchy_": (lambda v: ones(2).cauchy_(0, v), (0.0, 2.0), (-1.0, NAN), "scale must be 0 or"),
    "top_p_sampling": (
        lambda v: ones(1, 2).top_p_sampling(v.reshape([1, 1])), (0.0, 2.0), (-1.0, NAN),
        "ps must be 0 or more",
    ),
    "Bernoulli": (D.Bernoulli, (0.0, 1.0), (2.0, -1.0, NAN), "`probs` of Bernoulli"),
    "ContinuousBernoulli": (D.ContinuousBernoulli, (0.0, 1.0), (2.0, NAN), r"in \[0, 1\]"),
    "Binomial": (lambda v: D.Binomial(3, v), (0.0, 1.0), (2.0, -1.0, NAN), "`probs` of Binomial"),
    "Geometric": (D.Geometric, (0.5, 1.0), (0.0, -1.0, 2.0, NAN), "above 0 and at most 1"),
    "Dirichlet": (D.Dirichlet, (0.5, 3.0), (0.0, -1.0, NAN), "`concentration` of Dirichlet"),
    "Beta": (lambda v: D.Beta(v, v), (0.5, 3.0), (0.0, -1.0, NAN), "`alpha` of Beta"),
    "Gamma": (lambda v: D.Gamma(floats(1.0), v), (0.5, 3.0), (0.0, -1.0, NAN), "`rate` of Gamma"),
    "Chi2": (D.Chi2, (0.5, 3.0), (0.0, -1.0, NAN), "The arg of `df` must be positive, but"),
    "Poisson": (D.Poisson, (0.0, 3.0), (-1.0, NAN, INF), "`rate` of Poisson"),
    "Exponential": (D.Exponential, (0.5, 3.0), (0.0, -1.0, NAN), "`rate` of Exponential"),
    "Normal": (lambda v: D.Normal(floats(0.0), v), (0.0, 3.0), (-1.0, NAN), "`scale` of Normal"),
    "LogNormal": (lambda v: D.LogNormal(floats(0.0), v), (0.0, 3.0), (-1.0, NAN), "`scale` of"),
    "Cauchy": (lambda v: D.Cauchy(floats(0.0), v), (0.0, 3.0), (-1.0, NAN), "`scale` of Cauchy"),
    "Gumbel": (lambda v: D.Gumbel(floats(0.0), v), (0.0, 3.0), (-1.0, NAN), "`scale` of Gumbel"),
    "Laplace": (lambda v: D.Laplace(floats(0.0), v), (0.0, 3.0), (-1.0, NAN), "`scale` of Laplace"),
    "Uniform": (lambda v: D.Uniform(floats(0.0), v), (0.0, 3.0), (-1.0, NAN), "`high - low` of"),
    "StudentT": (lambda v: D.StudentT(v, 0.0, 1.0), (0.5, 3.0), (-1.0, NAN), "should be nonneg"),
    "LKJCholesky": (
        lambda v: D.LKJCholesky(2, v), (0.5, 3.0), (0.0, -1.0, NAN), "`concentration` must be",
    ),
    "Categorical": (lambda v: D.Categorical(v), (-1.0, 2.0), (NAN, INF), "`logits` of Categorical"),
    "Multinomial": (
        lambda v: D.Multinomial(2, v), (0.5, 3.0), (-1.0, NAN, INF, 0.0), "`probs` of Multinomial",
    ),
    "MultivariateNormal": (
        lambda v: D.MultivariateNormal(
            floats(0.0), scale_tril=v.reshape([1, 1])
        ), (0.5, 3.0), (0.0, -1.0, NAN), "above 0 on its diagonal",
    ),
    "multinomial": (
        paddle.multinomial, (0.5, 3.0), (-1.0, NAN, INF, 0.0), "multinomial: a probability must|"
        "number of nonzero probabilities must be 1 or more",
    ),
}  # fmt: skip
DRAWS |= {  # not draws: values of losses and weights
    "binary_cross_entropy": (
        lambda v: F.binary_cross_entropy(v, ones(1)), (0.5, 1.0), (2.0, -1.0, NAN), "Illegal input",
    ),
    "gaussian_nll_loss": (
        lambda v: F.gaussian_nll_loss(ones(1), ones(1), v), (0.5, 1.0), (-1.0, NAN),
        "variance has negative entry/entries",
    ),
    "triplet": (
        lambda v: F.triplet_margin_with_distance_loss(
            ones(1, 2), ones(1, 2), ones(1, 2), distance_function=lambda x, y: v
        ), (0.0, 2.0), (-1.0, NAN), "distance should be greater than 0",
    ),
    "cov": (
        lambda v: paddle.linalg.cov(ones(2, 1), ddof=False, aweights=v), (1.0, 2.0), (-1.0, NAN),
        "cannot be negative",
    ),
}  # fmt: skip
EACH = [(name, bad) for name, (_, _, values, _) in DRAWS.items() for bad in values]

# name: (call, the message)
NUMBERS = {
    "bernoulli p": (lambda: paddle.bernoulli(ones(2), p=2.0), r"in \[0, 1\], but received 2.0"),
    "bernoulli_ p": (lambda: ones(2).bernoulli_(NAN), "but received nan"),
    "uniform turned": (lambda: paddle.uniform([2], min=1.0, max=0.0), "min = 1.0, max = 0.0"),
    "uniform of nan": (lambda: paddle.uniform([2], min=NAN), "min must be finite"),
    "uniform of inf": (lambda: paddle.uniform([2], max=INF), "max must be finite"),
    "uniform_ turned": (lambda: ones(2).uniform_(1.0, 0.0), "min = 1.0, max = 0.0"),
    "normal": (lambda: paddle.normal(0.0, -1.0, [2]), "std must be 0 or more, but received -1.0"),
    "normal_": (lambda: ones(2).normal_(0.0, -1.0), "normal_: std must be 0 or more"),
    "log_normal_": (lambda: ones(2).log_normal_(0.0, NAN), "std must be 0 or more"),
    "exponential_": (lambda: ones(2).exponential_(0.0), "the rate, must be above 0"),
    "geometric_": (lambda: ones(2).geometric_(0.0), "above 0 and at most 1, but received 0.0"),
    "cauchy_": (lambda: ones(2).cauchy_(0, -1), "scale must be 0 or more, but received -1"),
    "multinomial row": (
        lambda: paddle.multinomial(paddle.to_tensor([[1.0, 1.0], [0.0, 0.0]])),
        "number of nonzero probabilities must be 1 or more, but received 0",
    ),
    "multinomial places": (
        lambda: paddle.multinomial(floats(0, 2, 0), 2), "2 or more, as many as are drawn",
    ),
    "randint": (lambda: paddle.randint(3, 3), "low = 3, high = 3"),
    "randperm": (lambda: paddle.randperm(-1), "randperm must not be negative, but is -1"),
    "label_smooth": (lambda: F.label_smooth(ones(2, 3), epsilon=7.0), "between 0 and 1.*is 7.0"),
    "label_smooth nan": (lambda: F.label_smooth(ones(2, 3), epsilon=NAN), "between 0 and 1"),
    "label_smoothing": (
        lambda: F.cross_entropy(ones(1, 3), paddle.to_tensor([1]), label_smoothing=7.0),
        "between 0 and 1, but received 7.0",
    ),
    "gumbel_softmax": (lambda: F.gumbel_softmax(ones(2), temperature=NAN), "above 0, but is nan"),
    "dropout": (lambda: F.dropout(ones(2), NAN), "between 0 and 1, but received nan"),
    "alpha_dropout": (lambda: F.alpha_dropout(ones(2), 2.0), "between 0 and 1, but received 2.0"),
    "delta": (lambda: F.smooth_l1_loss(ones(2), ones(2), delta=0.0), "delta must be above 0"),
    "alpha": (lambda: F.sigmoid_focal_loss(ones(2), ones(2), alpha=7.0), "alpha must be in"),
    "gamma": (lambda: F.sigmoid_focal_loss(ones(2), ones(2), gamma=-1.0), "gamma must be 0 or"),
    "epsilon": (
        lambda: F.gaussian_nll_loss(ones(2), ones(2), ones(2), epsilon=-1.0), "epsilon must be 0",
    ),
    "variance": (lambda: F.gaussian_nll_loss(ones(1), ones(1), floats(NAN)), "negative entry"),
    "binary_cross_entropy": (
        lambda: F.binary_cross_entropy(floats(NAN, 0.5), ones(2)), "greater than or equal to 0",
    ),
    "class_center_sample": (
        lambda: F.class_center_sample(paddle.to_tensor([1]), 20, 0), "must be greater than 0",
    ),
    "colptr": (
        lambda: paddle.geometric.sample_neighbors(
            *(paddle.to_tensor(each) for each in ([1, 0], [0, 9, 2], [0]))
        ),
        r"must rise from 0 to at most 2, .* is \[0, 9, 2\]",
    ),
    "weights of edges": (
        lambda: paddle.geometric.weighted_sample_neighbors(
            paddle.to_tensor([1, 0]), paddle.to_tensor([0, 1, 2]), floats(1.0, NAN),
            paddle.to_tensor([0]), sample_size=1,
        ),
        "a weight must be above 0, but received nan",
    ),
    "Binomial": (lambda: D.Binomial(-3, 0.5), "`total_count` of Binomial must be 0 or more"),
    "Normal": (lambda: D.Normal(0.0, -1.0), "`scale` of Normal must be 0 or more"),
    "Uniform": (lambda: D.Uniform(1.0, 0.0), "`high - low` of Uniform"),
    "Multinomial": (lambda: D.Multinomial(2, floats(0.0, 0.0)), "a sum above 0, but received 0.0"),
}  # fmt: skip


@pytest.fixture
def on_device(monkeypatch):
    """Make every array on the CPU look as if reading it would wait for an accelerator."""
    monkeypatch.setattr(value_checks, "can_be_read", lambda array: not isinstance(array, jax.Array))
    yield
    paddle.set_flags({"FLAGS_check_index": "auto"})


@pytest.mark.parametrize(("name", "bad"), EACH)
def test_a_tensor_of_values_that_mean_nothing(name, bad):
    """It is refused with the value, and nothing has been drawn."""
    call, good, _, text = DRAWS[name]
    before = repr(paddle.get_rng_state())
    with refused((InvalidArgumentError, OutOfRangeError), match=text) as caught:
        call(floats(bad))
    assert "received" in str(caught.value)
    assert repr(paddle.get_rng_state()) == before or not IS_ON_CPU
    call(floats(good[0]))
    call(floats(good[1]))


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_means_nothing(name):
    """This also holds while tensors are not checked, unless it is a tensor."""
    call, text = NUMBERS[name]
    with refused((InvalidArgumentError, OutOfRangeError), match=text):
        call()


def test_an_operand_stays_as_it_was():
    """A draw in place that is refused has written nothing."""
    x = paddle.to_tensor([1.0, 2.0])
    for draw in (
        lambda: x.normal_(0.0, -1.0), lambda: x.bernoulli_(2.0), lambda: x.geometric_(2.0),
        lambda: x.cauchy_(0, -1), lambda: x.exponential_(-1.0), lambda: x.uniform_(2.0, 1.0),
    ):  # fmt: skip
        with pytest.raises((InvalidArgumentError, OutOfRangeError)):
            draw()
    assert (x.tolist(), x.inplace_version) == ([1.0, 2.0], 0)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN", "RNN", "bidirectional"])
@pytest.mark.parametrize("length", [9, -1])
def test_lengths_beyond_the_steps(kind, length):
    """The error of a recurrent layer names the bounds and the length."""
    nn = paddle.nn
    layer = (
        nn.RNN(nn.GRUCell(2, 3)) if kind == "RNN"
        else nn.GRU(2, 3, direction="bidirect") if kind == "bidirectional"
        else getattr(nn, kind)(2, 3)
    )  # fmt: skip
    with refused(InvalidArgumentError, match=rf"in \[0, 4\], .* received {length}\."):
        layer(ones(2, 4, 2), None, paddle.to_tensor([length, 1]))


def test_values_are_not_checked_when_switched_off_nor_inside_jit():
    """FLAGS_check_index=0 leaves tensors alone; under jax.jit there are no values to check."""
    draw = jax.jit(paddle.autograd.to_jax(lambda p: D.Normal(p * 0, p).rsample([2]) * 0))
    assert draw(np.float32([-1.0])).shape == (2, 1)
    paddle.set_flags({"FLAGS_check_index": False})
    try:
        assert paddle.bernoulli(floats(2.0, -1.0)).tolist() == [1.0, 0.0]
        with pytest.raises(OutOfRangeError, match=r"received 2\.0"):
            paddle.bernoulli(ones(1), p=2.0)
    finally:
        paddle.set_flags({"FLAGS_check_index": "auto"})


def test_empty_and_half_precision():
    """An empty tensor has no wrong value, and bfloat16 is checked too."""
    assert paddle.bernoulli(ones(0, 3)).shape == [0, 3]
    with refused(OutOfRangeError, match=r"received 2\.0"):
        paddle.bernoulli(floats(2.0).astype("bfloat16"))
    with refused(OutOfRangeError, match="received nan"):
        paddle.bernoulli(floats(NAN, 0.5).astype("float16"))


@pytest.mark.usefixtures("on_device")
def test_by_default_no_check_waits_for_an_accelerator():
    """A draw there is made as XLA makes it."""
    assert paddle.bernoulli(floats(2.0)).tolist() == [1.0]


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize(
    "name",
    "bernoulli multinomial Normal Multinomial poisson binary_cross_entropy gaussian_nll_loss "
    "triplet cov".split(),
)
def test_on_request_the_device_looks(name):
    """Its findings are raised when a value is read, with the value and the line."""
    call, good, values, text = DRAWS[name]
    paddle.set_flags({"FLAGS_check_index": True})
    call(floats(good[1]))
    one = ones(1)
    one.numpy()
    for bad in values:
        call(floats(bad))
        with pytest.raises((InvalidArgumentError, OutOfRangeError), match=text) as caught:
            one.numpy()
        assert f"received {bad}" in str(caught.value) or "received 0" in str(caught.value)
        assert f"{__file__}:" in caught.value.__notes__[0]


def test_domains():
    """Ends are open or closed; nan is in no domain."""
    assert domains.PROBABILITY.holds(1.0)
    assert not domains.CHANCE_OF_SUCCESS.holds(0)
    assert not domains.FINITE.holds(INF)
    assert domains.NOT_NEGATIVE.holds(INF)
    found = [d.holds(NAN) for d in vars(domains).values() if isinstance(d, domains.Domain)]
    assert found == [False] * 6
