"""Activations beyond the table: gradients at their kinks, large values, composites of F."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

F = paddle.nn.functional

# The values of Paddle 3.3.1 where the derivative is one-sided.
KINKS = {
    "relu": (F.relu, [0.0], [0]),
    "relu6": (F.relu6, [0.0, 6.0, 3.0], [0, 0, 1]),
    "leaky_relu": (F.leaky_relu, [0.0, -1.0], [1, 0.01]),
    "elu": (F.elu, [0.0], [1]),
    "elu alpha": (lambda x: F.elu(x, -0.5), [0.0], [-0.5]),
    "selu": (F.selu, [0.0], [1.0507009873554805 * 1.6732632423543772]),
    "celu": (F.celu, [0.0], [1]),
    "hardswish": (F.hardswish, [-3.0, 0.0, 3.0], [0, 0.5, 1]),
    "hardsigmoid": (F.hardsigmoid, [-3.1, 3.1, 0.0], [0, 0, 0.1666667]),
    "hardtanh": (F.hardtanh, [-1.0, 0.0, 1.0], [0, 1, 0]),
    "hardshrink": (F.hardshrink, [-0.5, 0.4, 0.5], [1, 0, 1]),
    "softshrink": (F.softshrink, [-0.5, 0.5, 0.6], [0, 0, 1]),
    "thresholded_relu": (F.thresholded_relu, [1.0, 2.0], [0, 1]),
    "softplus": (F.softplus, [0.0, 20.0, 25.0], [0.5, 1 / (1 + np.exp(-20.0)), 1]),
    "prelu": (lambda x: F.prelu(x, paddle.to_tensor([0.25], dtype="float64")), [0.0], [0.25]),
    "silu": (F.silu, [0.0, 100.0], [0.5, 1]),
    "mish": (F.mish, [0.0, 100.0], [0.6, 1]),
    "log_sigmoid": (F.log_sigmoid, [-100.0, 0.0], [1, 0.5]),
}


@pytest.mark.parametrize("case", KINKS.values(), ids=KINKS)
def test_gradients_at_kinks_are_paddles(case):
    function, values, expected = case
    x = paddle.to_tensor(values, dtype="float64", stop_gradient=False)
    function(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_large_values_stay_finite(dtype):
    x = paddle.to_tensor([-200.0, 0.0, 200.0], dtype=dtype, stop_gradient=False)
    functions = "gelu silu swish mish softplus log_sigmoid softmax log_softmax elu selu sigmoid"
    for name in functions.split():
        out = getattr(F, name)(x)
        assert out.dtype == dtype
        out.sum().backward()
        assert np.isfinite(out.astype("float32").numpy()).all(), name
        assert np.isfinite(x.grad.astype("float32").numpy()).all(), name
        x.clear_grad()


def test_log_softmax_does_not_cut_off():
    assert F.log_softmax(paddle.to_tensor([1000.0, 0.0])).tolist() == [0.0, -1000.0]


def test_softmax_casts_first_and_records_it():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    out = F.softmax(x, dtype="float64")
    assert out.dtype == "float64"
    assert [out.grad_fn.name(), out.grad_fn.next_functions[0].name()] == [
        "SoftmaxGradNode",
        "CastGradNode",
    ]
    out[0].backward()
    assert x.grad.dtype == "float32"
    assert paddle.softmax(x, 0, "float64").tolist() == out.tolist()


def test_inplace_twins_of_functional():
    for name in "relu_ elu_ leaky_relu_ hardtanh_ thresholded_relu_ tanh_ softmax_".split():
        x = paddle.to_tensor([-0.5, 2.0])
        expected = getattr(F, name[:-1])(x).tolist()
        assert getattr(F, name)(x) is x, name
        assert (x.tolist(), x.inplace_version) == (expected, 1), name


def test_glu_weighs_one_half_by_the_other():
    x = paddle.to_tensor([[1.0, 2.0, 0.0, 0.0]], stop_gradient=False)
    out = F.glu(x)
    assert out.tolist() == [[0.5, 1.0]]
    names = [node.name() for node in out.grad_fn.next_functions]
    assert names == ["SplitWithNumGradNode", "SigmoidGradNode"]
    with pytest.raises(InvalidArgumentError, match="must be even"):
        F.glu(paddle.ones([3]))


def test_rrelu_draws_slopes_in_training_only():
    x = paddle.full([1000], -1.0)
    x.stop_gradient = False
    out = F.rrelu(x, 0.2, 0.4)
    assert -0.4 <= out.min().item() < -0.39
    assert -0.21 < out.max().item() <= -0.2
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), -out.numpy())
    mean = F.rrelu(x, 0.2, 0.4, training=False)
    np.testing.assert_allclose(mean.numpy(), -0.3, rtol=1e-6)
    with pytest.raises(InvalidArgumentError, match="upper value must be greater"):
        F.rrelu(x, 0.5, 0.2)


def test_gumbel_softmax_draws_with_the_probabilities_of_softmax():
    _ = paddle.seed(3)
    logits = paddle.to_tensor(np.log([0.2, 0.8])).expand([4000, 2])
    draws = F.gumbel_softmax(logits, hard=True)
    assert set(np.unique(draws.numpy())) == {0.0, 1.0}
    assert draws.mean(0)[1].item() == pytest.approx(0.8, abs=0.03)


def test_gumbel_softmax_gradient_is_divided_by_the_temperature():
    # Paddle ignores the temperature, and returns 0 for hard draws.
    weight = np.array([1.0, 0.0, 0.0])
    for hard in (False, True):
        x = paddle.to_tensor([1.0, 2.0, 3.0], dtype="float64", stop_gradient=False)
        _ = paddle.seed(5)
        F.gumbel_softmax(x, temperature=0.5, hard=hard).backward(paddle.to_tensor(weight))
        _ = paddle.seed(5)
        soft = F.gumbel_softmax(x.detach(), temperature=0.5).numpy()
        expected = soft * (weight - soft[0]) / 0.5
        np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-9)
