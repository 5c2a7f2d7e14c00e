"""nn.initializer: distributions, structures, gains, global defaults."""

import math

import numpy as np
import pytest
from scipy import stats

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import initializer as init
from jaxeager.nn.initializer import draws


def draw(initializer, shape, dtype="float32"):
    paddle.seed(2024)
    return paddle.create_parameter(shape, dtype, default_initializer=initializer)


def values(initializer, shape, dtype="float32"):
    return draw(initializer, shape, dtype).numpy().astype("float64").ravel()


def assert_uniform(sample, low, high):
    assert sample.min() >= low
    assert sample.max() <= high
    assert stats.kstest(sample, stats.uniform(low, high - low).cdf).pvalue > 1e-3


def assert_normal(sample, mean, std):
    assert stats.kstest(sample, stats.norm(mean, std).cdf).pvalue > 1e-3


def test_uniform_and_normal():
    assert_uniform(values(init.Uniform(-2.0, 5.0), [300, 40]), -2.0, 5.0)
    assert_normal(values(init.Normal(1.0, 2.0), [300, 40]), 1.0, 2.0)


@pytest.mark.parametrize(("mean", "std", "a", "b"), [(0, 1, -2, 2), (1, 2, -2, 2), (0, 1, -1, 3)])
def test_truncated_normal_has_absolute_bounds(mean, std, a, b):
    sample = values(init.TruncatedNormal(mean, std, a, b), [300, 40])
    assert sample.min() >= a
    assert sample.max() <= b
    law = stats.truncnorm((a - mean) / std, (b - mean) / std, mean, std)
    assert stats.kstest(sample, law.cdf).pvalue > 1e-3


# Fans of a matrix [in, out], a convolution [out, in, *kernel], a vector, as Paddle counts them.
SHAPES = [([300, 200], 300, 200), ([40, 30, 5, 5], 750, 1000), ([10, 20, 30], 600, 300)]


@pytest.mark.parametrize(("shape", "fan_in", "fan_out"), SHAPES)
def test_fan_based(shape, fan_in, fan_out):
    limit = math.sqrt(6 / (fan_in + fan_out))
    assert_uniform(values(init.XavierUniform(), shape), -limit, limit)
    assert_uniform(values(init.XavierUniform(gain=2.0), shape), -2 * limit, 2 * limit)
    assert_normal(values(init.XavierNormal(), shape), 0, math.sqrt(2 / (fan_in + fan_out)))
    limit = math.sqrt(6 / (10 + fan_out))
    assert_uniform(values(init.XavierUniform(fan_in=10), shape), -limit, limit)
    limit = math.sqrt(6 / fan_in)
    assert_uniform(values(init.KaimingUniform(), shape), -limit, limit)
    assert_normal(values(init.KaimingNormal(), shape), 0, math.sqrt(2 / fan_in))
    assert_normal(values(init.KaimingNormal(mode="fan_out"), shape), 0, math.sqrt(2 / fan_out))
    limit = math.sqrt(3 / fan_in)
    assert_uniform(values(init.KaimingUniform(nonlinearity="sigmoid"), shape), -limit, limit)
    leaky = init.KaimingUniform(negative_slope=0.5, nonlinearity="leaky_relu")
    limit = math.sqrt(6 / fan_in / 1.25)
    assert_uniform(values(leaky, shape), -limit, limit)


def test_fans_of_a_vector_and_a_scalar():
    limit = math.sqrt(6 / 2000)
    assert_uniform(values(init.XavierUniform(), [1000]), -limit, limit)
    assert abs(values(init.XavierUniform(), [])[0]) <= math.sqrt(3)


@pytest.mark.parametrize(
    ("layer", "limit"),
    [
        (lambda: nn.Linear(300, 200), math.sqrt(6 / 500)),
        (lambda: nn.Embedding(300, 100), math.sqrt(6 / 400)),
        (lambda: nn.MultiHeadAttention(128, 2).q_proj, math.sqrt(6 / 256)),
    ],
)
def test_layers_that_start_uniform(layer, limit):
    paddle.seed(7)
    assert_uniform(layer().weight.numpy().ravel().astype("float64"), -limit, limit)


def test_convolutions_start_normal_over_the_whole_fan_in():
    paddle.seed(7)
    for layer in (nn.Conv2D(30, 40, 5), nn.Conv2D(30, 60, 5, groups=10)):
        assert_normal(layer.weight.numpy().ravel().astype("float64"), 0, math.sqrt(2 / 750))
        assert not layer.bias.numpy().any()


def test_norms_start_at_one_and_zero():
    norm = nn.BatchNorm2D(3)
    tensors = (norm.weight, norm.bias, norm._mean, norm._variance)
    assert [t.tolist() for t in tensors] == [[1.0] * 3, [0.0] * 3, [0.0] * 3, [1.0] * 3]


@pytest.mark.parametrize(("shape", "flat"), [([4, 6], (4, 6)), ([6, 2, 2], (6, 4))])
def test_orthogonal(shape, flat):
    matrix = draw(init.Orthogonal(2.0), shape).numpy().reshape(flat)
    gram = matrix @ matrix.T if flat[0] <= flat[1] else matrix.T @ matrix
    np.testing.assert_allclose(gram, 4 * np.eye(min(flat)), atol=1e-5)


def test_dirac():
    weight = draw(init.Dirac(), [4, 2, 3]).numpy()
    expected = np.zeros([4, 2, 3])
    expected[0, 0, 1] = expected[1, 1, 1] = 1
    np.testing.assert_array_equal(weight, expected)
    expected[2, 0, 1] = expected[3, 1, 1] = 1
    np.testing.assert_array_equal(draw(init.Dirac(2), [4, 2, 3]).numpy(), expected)
    weight = draw(init.Dirac(), [2, 2, 3, 3]).numpy()
    assert (weight[0, 0, 1, 1], weight[1, 1, 1, 1], weight.sum()) == (1, 1, 2)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_bilinear_is_symmetric_where_paddle_is_not(size):
    weight = draw(init.Bilinear(), [2, 3, size, size]).numpy()
    np.testing.assert_array_equal(weight, np.swapaxes(weight, 2, 3))
    assert (weight >= 0).all()
    factor = math.ceil(size / 2)
    centre = (2 * factor - 1 - factor % 2) / (2 * factor)
    line = [1 - abs(i / factor - centre) for i in range(size)]
    np.testing.assert_allclose(weight[1, 2], np.outer(line, line), rtol=1e-6)


def test_constant_and_assign():
    assert draw(init.Constant(3.5), [2], "int32").tolist() == [3, 3]
    assert draw(init.Constant(2), [2], "complex64").tolist() == [2, 2]
    assert draw(init.Constant(1.0), [0, 2]).shape == [0, 2]
    for given in ([1, 2], (1, 2), np.array([1.0, 2.0]), paddle.to_tensor([1, 2])):
        assert draw(init.Assign(given), [2]).tolist() == [1.0, 2.0]


def test_assign_keeps_its_own_copy():
    given = np.array([1.0, 2.0], "float32")
    assign = init.Assign(given)
    first = draw(assign, [2])
    given[:] = 9
    assert first.tolist() == draw(assign, [2]).tolist() == [1.0, 2.0]


def test_assign_of_another_shape_is_an_error_where_paddle_changes_the_shape():
    text = r"Assign gave values of shape \[3\] for a parameter of shape \[2\].*: reshape the values"
    with pytest.raises(ValueError, match=text):
        draw(init.Assign([1.0, 2.0, 3.0]), [2])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    "initializer",
    [init.Normal(), init.Uniform(), init.TruncatedNormal(), init.Orthogonal(), init.Constant(1.0)],
)
def test_dtypes(initializer, dtype):
    assert draw(initializer, [3, 4], dtype).dtype == dtype


def test_a_seed_repeats_and_draws_differ():
    first, again = draw(init.Normal(), [50]), draw(init.Normal(), [50])
    np.testing.assert_array_equal(first.numpy(), again.numpy())
    other = paddle.create_parameter([50], "float32", default_initializer=init.Normal())
    assert not (first.numpy() == other.numpy()).any()


def test_large_draws_do_not_repeat_themselves():
    sample = draw(init.Uniform(), [70_000], "float64").numpy()
    assert len(np.unique(sample)) == 70_000
    assert len(np.unique(draw(init.Uniform(), [9000], "float64").numpy())) == 9000


def test_new_shapes_compile_nothing():
    values(init.Uniform(), [3])
    values(init.Uniform(), [70_000])
    before = draws._uniform_kernel._cache_size()
    for shape in ([5], [7, 11], [300, 500], [64, 3, 3, 3]):
        values(init.Uniform(), shape)
    assert draws._uniform_kernel._cache_size() == before


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: draw(init.Orthogonal(), [4]), ValueError, "Only Tensor with 2 or more dimensions"),
        (lambda: draw(init.Dirac(), [3]), ValueError, "Only Tensor with 3/4/5 dimensions"),
        (lambda: draw(init.Dirac(2), [3, 2, 3]), ValueError, "must be divisible by groups"),
        (lambda: init.Dirac(0), ValueError, "'groups' must be a positive integer"),
        (lambda: draw(init.Bilinear(), [2, 2]), ValueError, "the length of shape must be 4"),
        (lambda: draw(init.Bilinear(), [2, 2, 3, 4]), ValueError, "must be equal to shape"),
        (lambda: init.Assign("a"), TypeError, "Assign takes a NumPy array, list, tuple or Tensor"),
        (lambda: init.Constant(None), ValueError, "value must not be none"),
        (lambda: init.Normal(None), ValueError, "mean of Normal should not be None"),
        (lambda: init.Uniform(2, 1), ValueError, "high should greater or equal than low"),
        (lambda: init.TruncatedNormal(0, 1, 2, 1), ValueError, "a=2 and b=1"),
        (lambda: init.KaimingNormal(nonlinearity="foo"), ValueError, "function foo is not"),
        (lambda: init.KaimingNormal(mode="foo"), ValueError, "should be 'fan_in' or 'fan_out'"),
        (lambda: draw(init.Normal(), [3], "int32"), TypeError, "Normal fills floating parameters"),
        (lambda: draw(3, [3]), TypeError, "An initializer must be an instance of"),
        (lambda: draw(init.Initializer(), [3]), NotImplementedError, "neither compute"),
        (lambda: draw(init.Normal(), [-1]), ValueError, "No dimension of a parameter may be"),
        (lambda: draw(init.Normal(), [2.5]), TypeError, "must be a list of integers"),
        (lambda: init.set_global_initializer(3), TypeError, "weight_init of set_global"),
        (lambda: init.set_global_initializer(None, 3), TypeError, "bias_init of set_global"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_calling_an_initializer_fills_a_tensor():
    tensor = paddle.zeros([2, 3])
    assert init.Constant(2.0)(tensor) is None
    assert tensor.tolist() == [[2.0] * 3] * 2
    assert tensor.inplace_version == 0


def test_an_initializer_in_paddles_form():
    class Twos(init.Initializer):
        def __call__(self, param, block=None):
            param.set_value(paddle.full(param.shape, 2.0))

    assert draw(Twos(), [2]).tolist() == [2.0, 2.0]
    assert draw(lambda param, block: param.set_value(paddle.ones([2])), [2]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("sigmoid", None, 1.0),
        ("linear", None, 1.0),
        ("conv2d_transpose", None, 1.0),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("selu", None, 0.75),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 1.0, 1.0),
    ],
)
def test_gains(name, param, gain):
    assert init.calculate_gain(name, param) == pytest.approx(gain)


def test_gain_errors():
    with pytest.raises(ValueError, match="nonlinearity function foo is not supported"):
        init.calculate_gain("foo")
    with pytest.raises(TypeError, match="slope of leaky_relu must be a number"):
        init.calculate_gain("leaky_relu", "s")


def test_global_initializer_beats_layers_but_not_attributes():
    init.set_global_initializer(init.Constant(7.0), init.Constant(8.0))
    try:
        linear, norm = nn.Linear(1, 1), nn.BatchNorm1D(1)
        own = nn.Linear(1, 1, weight_attr=init.Constant(1.0))
    finally:
        init.set_global_initializer(None)
    assert (linear.weight.item(), linear.bias.item()) == (7.0, 8.0)
    assert (norm.weight.item(), norm._mean.item()) == (7.0, 0.0)
    assert own.weight.item() == 1.0
    assert nn.Linear(1, 1).bias.item() == 0.0
