"""Random tensors: their distributions, that a seed repeats them, gradients, errors, kernels."""

import numpy as np
import pytest
import scipy.stats

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.random import draws as random
from tests.support.leaves import leaf

COUNT = 4000


# A wrong distribution fails by far: p is then below 1e-20. The seed is fixed: these never flicker.
CONTINUOUS = {
    "rand": (lambda: paddle.rand([COUNT]), scipy.stats.uniform()),
    "rand_like": (lambda: paddle.rand_like(paddle.ones([COUNT])), scipy.stats.uniform()),
    "uniform": (lambda: paddle.uniform([COUNT], min=-1.0, max=3.0), scipy.stats.uniform(-1, 4)),
    "uniform_": (lambda: paddle.zeros([COUNT]).uniform_(-2.0, 0.0), scipy.stats.uniform(-2, 2)),
    "randn": (lambda: paddle.randn([COUNT]), scipy.stats.norm()),
    "randn_like": (lambda: paddle.randn_like(paddle.ones([COUNT])), scipy.stats.norm()),
    "standard_normal": (lambda: paddle.standard_normal([COUNT], "float64"), scipy.stats.norm()),
    "normal": (lambda: paddle.normal(2.0, 3.0, [COUNT]), scipy.stats.norm(2, 3)),
    "normal of tensor": (
        lambda: paddle.normal(paddle.full([COUNT], 2.0), paddle.full([COUNT], 0.5)),
        scipy.stats.norm(2, 0.5),
    ),
    "normal_": (lambda: paddle.zeros([COUNT]).normal_(1.0, 2.0), scipy.stats.norm(1, 2)),
    "exponential_": (lambda: paddle.zeros([COUNT]).exponential_(2.0), scipy.stats.expon(scale=0.5)),
    "log_normal": (
        lambda: paddle.log_normal(0.5, 0.25, [COUNT]),
        scipy.stats.lognorm(0.25, scale=np.exp(0.5)),
    ),
    "log_normal_": (
        lambda: paddle.zeros([COUNT]).log_normal_(0.5, 0.25),
        scipy.stats.lognorm(0.25, scale=np.exp(0.5)),
    ),
    "cauchy_": (lambda: paddle.zeros([COUNT]).cauchy_(1.0, 3.0), scipy.stats.cauchy(1, 3)),
    "cauchy_ of tensors": (
        lambda: paddle.zeros([COUNT]).cauchy_(paddle.full([1], 2.0), paddle.full([COUNT], 0.5)),
        scipy.stats.cauchy(2, 0.5),
    ),
    "geometric_": (
        lambda: paddle.zeros([COUNT], "float64").geometric_(0.3),
        scipy.stats.expon(scale=-1 / np.log(0.7)),
    ),
    "standard_gamma": (
        lambda: paddle.standard_gamma(paddle.full([COUNT], 2.5)),
        scipy.stats.gamma(2.5),
    ),
    "standard_gamma below 1": (
        lambda: paddle.standard_gamma(paddle.full([COUNT], 0.3, "float64")),
        scipy.stats.gamma(0.3),
    ),
    "random_": (
        lambda: paddle.zeros([COUNT]).random_(0, 1 << 20).scale(2.0**-20),
        scipy.stats.uniform(),
    ),
    "random_ of floats": (
        lambda: paddle.zeros([COUNT], "float64").random_().scale(2.0**-53),
        scipy.stats.uniform(),
    ),
    "random_ of integers": (
        lambda: paddle.zeros([COUNT], "int32").random_().astype("float64").scale(2.0**-31),
        scipy.stats.uniform(),
    ),
}


@pytest.mark.parametrize("case", CONTINUOUS.values(), ids=CONTINUOUS)
def test_continuous_draws_follow_their_distribution(case):
    call, distribution = case
    _ = paddle.seed(11)
    assert scipy.stats.kstest(call().numpy(), distribution.cdf).pvalue > 1e-3


DISCRETE = {
    "randint": (lambda: paddle.randint(2, 5, [COUNT]), {2: 1 / 3, 3: 1 / 3, 4: 1 / 3}),
    "randint_like": (
        lambda: paddle.randint_like(paddle.zeros([COUNT], "int32"), 2), {0: 0.5, 1: 0.5}
    ),
    "bernoulli": (lambda: paddle.bernoulli(paddle.full([COUNT], 0.3)), {0: 0.7, 1: 0.3}),
    "bernoulli p": (lambda: paddle.bernoulli(paddle.zeros([COUNT]), p=0.3), {0: 0.7, 1: 0.3}),
    "multinomial": (
        lambda: paddle.multinomial(paddle.to_tensor([1.0, 0.0, 3.0]), COUNT, True),
        {0: 0.25, 2: 0.75},
    ),
    "multinomial once": (
        lambda: paddle.multinomial(paddle.to_tensor([1.0, 0.0, 3.0]).expand([COUNT, 3])).flatten(),
        {0: 0.25, 2: 0.75},
    ),
    "poisson": (
        lambda: paddle.poisson(paddle.full([COUNT], 0.4)).clip(0, 2),
        {0: np.exp(-0.4), 1: 0.4 * np.exp(-0.4), 2: 1 - 1.4 * np.exp(-0.4)},
    ),
    "bernoulli_": (lambda: paddle.zeros([COUNT]).bernoulli_(0.3), {0: 0.7, 1: 0.3}),
    "bernoulli_ of tensor": (
        lambda: paddle.zeros([COUNT]).bernoulli_(paddle.full([1], 0.3)), {0: 0.7, 1: 0.3}
    ),
    "geometric_ rounded up": (
        lambda: paddle.zeros([COUNT]).geometric_(0.5).ceil().clip(1, 3), {1: 0.5, 2: 0.25, 3: 0.25}
    ),
    "binomial": (
        lambda: paddle.binomial(paddle.full([COUNT], 2, "int64"), paddle.full([1], 0.3)),
        {0: 0.49, 1: 0.42, 2: 0.09},
    ),
    "binomial of many": (
        lambda: (paddle.binomial(paddle.full([COUNT], 2**24 + 1, "int64"), paddle.full([1], 0.5))
                 > 2**23).astype("int64"),
        {0: 0.5, 1: 0.5},
    ),
    "random_": (lambda: paddle.zeros([COUNT], "int8").random_(-1, 2), {-1: 1/3, 0: 1/3, 1: 1/3}),
}  # fmt: skip


@pytest.mark.parametrize("case", DISCRETE.values(), ids=DISCRETE)
def test_discrete_draws_follow_their_distribution(case):
    call, expected = case
    _ = paddle.seed(11)
    found, counts = np.unique(call().numpy(), return_counts=True)
    assert list(found) == list(expected)
    shares = np.array(list(expected.values()))
    assert scipy.stats.chisquare(counts, shares * COUNT).pvalue > 1e-3


@pytest.mark.parametrize(
    "call",
    [
        lambda: paddle.rand([4]),
        lambda: paddle.randn([4]),
        lambda: paddle.randint(0, 1000, [4]),
        lambda: paddle.randperm(50),
        lambda: paddle.zeros([4]).normal_(),
    ],
)
def test_a_seed_repeats_draws_and_draws_differ(call):
    _ = paddle.seed(7)
    first, second = call().tolist(), call().tolist()
    assert first != second
    _ = paddle.seed(7)
    assert call().tolist() == first


def test_uniform_with_a_separate_seed_leaves_the_stream_alone():
    assert paddle.uniform([3], seed=4).tolist() == paddle.uniform([3], seed=4).tolist()
    _ = paddle.seed(7)
    expected = paddle.rand([2]).tolist()
    _ = paddle.seed(7)
    paddle.zeros([3]).uniform_(seed=4)
    assert paddle.rand([2]).tolist() == expected


def test_dtypes():
    assert paddle.rand([2], "bfloat16").dtype == "bfloat16"
    assert paddle.randn([2], "float64").dtype == "float64"
    assert paddle.randint(0, 5, [2]).dtype == "int64"
    assert paddle.randint_like(paddle.ones([2]), 5).dtype == "float32"
    assert paddle.randperm(3, "float32").dtype == "float32"
    assert paddle.multinomial(paddle.ones([2])).dtype == "int64"
    assert paddle.rand([2]).stop_gradient


def test_permutation_and_draws_without_replacement_hold_each_place_once():
    assert sorted(paddle.randperm(20).tolist()) == list(range(20))
    assert sorted(paddle.multinomial(paddle.ones([5]), 5).tolist()) == list(range(5))


def test_draws_with_replacement_have_the_probabilities_of_their_line():
    weights = np.array([[0.0, 1.0, 0.0, 3.0, 0.0], [5.0, 0.0, 1e-3, 0.0, 0.0]], np.float32)
    drawn = paddle.multinomial(paddle.to_tensor(weights), 40000, True).numpy()
    for line, seen in zip(weights, drawn, strict=True):
        counts = np.bincount(seen, minlength=5)
        expected = 40000 * line / line.sum()
        assert (counts[line == 0] == 0).all()
        assert (abs(counts - expected) <= 5 * np.sqrt(expected)).all()


def test_probabilities_below_the_last_place_of_others_are_drawn():
    """A million places of 1e-9 each, after one of 1: float32 cannot tell their running sums."""
    weights = np.full(1_000_001, 1e-9, np.float32)
    weights[0] = 1.0
    drawn = paddle.multinomial(paddle.to_tensor(weights), 200_000, True).numpy()
    later = drawn[drawn > 0]
    assert abs(len(later) - 200) <= 80
    assert len(np.unique(later)) > 0.9 * len(later)


def test_a_sure_draw_is_sure_in_16_bits():
    assert paddle.zeros([9999], "bfloat16").bernoulli_(1.0).astype("float32").min().item() == 1.0


def test_cauchy_passes_gradients_to_its_location():
    loc, scale = leaf([1.0, 2.0]), leaf([0.5, 3.0])
    out = paddle.zeros([2]).cauchy_(loc, scale)
    out.sum().backward()
    assert loc.grad.tolist() == [1.0, 1.0]
    np.testing.assert_allclose(
        scale.grad.numpy(), (out.numpy() - loc.numpy()) / scale.numpy(), rtol=1e-4
    )


def test_normal_passes_gradients_to_mean_and_deviation():
    mean, std = leaf([1.0, 2.0]), leaf([0.5, 3.0])
    out = paddle.normal(mean, std)
    assert out.grad_fn.name() == "AddGradNode"
    out.sum().backward()
    assert mean.grad.tolist() == [1.0, 1.0]
    np.testing.assert_allclose(
        std.grad.numpy(), (out.numpy() - mean.numpy()) / std.numpy(), rtol=1e-5
    )


@pytest.mark.parametrize(
    ("name", "node", "version"),
    [
        ("uniform_", "UniformInplaceGradNode", 1),
        ("normal_", "GaussianInplaceGradNode", 1),
        ("exponential_", "ExponentialGradNode", 0),
        ("cauchy_", "AddGradNode", 3),
        ("bernoulli_", "MaskedFillGradNode", 2),
        ("random_", "RandomGradNode", 1),
    ],
)
def test_overwriting_cuts_the_gradient(name, node, version):
    x = leaf([1.0, 2.0])
    y = x * 2
    assert getattr(y, name)() is y
    assert (y.grad_fn.name(), y.inplace_version) == (node, version)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


ERRORS = {
    "rand int": (
        lambda: paddle.rand([2], "int32"), InvalidTypeError, "must be a floating or complex one"
    ),
    "uniform_ int": (
        lambda: paddle.zeros([2], "int32").uniform_(), InvalidArgumentError, "a floating dtype"
    ),
    "randint": (lambda: paddle.randint(5, 5), InvalidArgumentError, "low = 5, high = 5"),
    "randperm": (lambda: paddle.randperm(-1), InvalidArgumentError, "must not be negative"),
    "multinomial": (
        lambda: paddle.multinomial(paddle.ones([2]), 3), InvalidArgumentError, "2 categories"
    ),
    "multinomial 3-D": (
        lambda: paddle.multinomial(paddle.ones([1, 1, 2])), InvalidArgumentError, "1 or 2 dim"
    ),
    "cauchy_ int": (
        lambda: paddle.zeros([2], "int32").cauchy_(), InvalidArgumentError, "a floating dtype"
    ),
    "geometric_ complex": (
        lambda: paddle.zeros([2], "complex64").geometric_(0.5), InvalidArgumentError, "floating"
    ),
    "bernoulli_ int": (
        lambda: paddle.zeros([2], "int32").bernoulli_(), InvalidArgumentError, "has int32"
    ),
    "random_ range": (
        lambda: paddle.zeros([2]).random_(3, 3), InvalidArgumentError, r"received \[3, 3\)"
    ),
    "random_ bool": (
        lambda: paddle.zeros([2], "bool").random_(), InvalidArgumentError, "but is bool"
    ),
    "random_ generator": (
        lambda: paddle.zeros([2]).random_(generator=7), InvalidTypeError, "must be None"
    ),
    "standard_gamma": (
        lambda: paddle.standard_gamma(paddle.ones([2], "int64")), InvalidArgumentError, "has int64"
    ),
    "binomial": (
        lambda: paddle.binomial(paddle.ones([2]), paddle.ones([2], "int64")),
        InvalidArgumentError,
        "prob must have a floating dtype",
    ),
    "shape": (lambda: paddle.rand([-1]), InvalidArgumentError, "no less than 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS.values(), ids=ERRORS)
def test_wrong_input_says_what_is_wrong(case):
    call, error, text = case
    with pytest.raises(error, match=text):
        call()


def test_draws_of_one_shape_share_one_kernel():
    paddle.uniform([3, 5], min=0.0, max=1.0)
    before = random._uniform._cache_size()
    paddle.uniform([3, 5], min=-2.0, max=7.5)
    paddle.rand([3, 5])
    assert random._uniform._cache_size() == before
