"""Losses beyond the samples: infinities, zeros, labels that are not a class."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.losses import class_loss, elementwise_loss


def _loss_and_grad(row, x, *others, **attrs):
    x = paddle.to_tensor(np.asarray(x, "float32"), stop_gradient=False)
    out = row(x, *[paddle.to_tensor(other) for other in others], **attrs)
    out.sum().backward()
    return out.numpy(), x.grad.numpy()


def test_large_and_infinite_logits_stay_finite():
    x = [[1e4, 0.0, -1e4], [0.0, -np.inf, 0.0]]
    out, grad = _loss_and_grad(class_loss.cross_entropy_with_softmax, x, np.array([[0], [2]]))
    np.testing.assert_allclose(out[:, 0], [0.0, np.log(2)], rtol=1e-6)
    np.testing.assert_allclose(grad, [[0, 0, 0], [0.5, 0, -0.5]], atol=1e-7)


def test_a_soft_label_of_zero_costs_nothing_at_probability_zero():
    label = np.array([[0.5, 0.0, 0.5]], "float32")
    out, grad = _loss_and_grad(
        class_loss.cross_entropy_with_softmax, [[0.0, -np.inf, 0.0]], label, soft_label=True
    )
    np.testing.assert_allclose(out, [[np.log(2)]], rtol=1e-6)
    np.testing.assert_allclose(grad, [[0, 0, 0]], atol=1e-7)


@pytest.mark.parametrize("label", [-1, 3])
def test_a_label_that_is_no_class_gives_nan_and_never_another_class(label):
    out, grad = _loss_and_grad(
        class_loss.cross_entropy_with_softmax, [[1.0, 2.0, 3.0]] * 2, np.array([[label], [0]])
    )
    assert np.isnan(out[0]).all()
    assert np.isnan(grad[0]).all()
    assert np.isfinite(out[1]).all()
    assert np.isfinite(grad[1]).all()


def test_nll_of_a_label_that_is_no_class_is_nan():
    out, _ = _loss_and_grad(class_loss.nll_loss, [[-1.0, -2.0]], np.array([5]))
    assert np.isnan(out)


def test_nll_of_ignored_labels_only_is_zero():
    out, grad = _loss_and_grad(class_loss.nll_loss, [[-1.0, -2.0]], np.array([1]), ignore_index=1)
    assert out == 0
    np.testing.assert_array_equal(grad, [[0, 0]])


# As in real Paddle 3.3.1.
def test_bce_at_zero_and_one():
    x, label = [0.0, 1.0, 0.5, 0.0], np.array([0.0, 1.0, 1.0, 1.0], "float32")
    out, grad = _loss_and_grad(elementwise_loss.bce_loss, x, label)
    np.testing.assert_allclose(out, [0, 0, np.log(2), 100], rtol=1e-6)
    np.testing.assert_allclose(grad, [0, 0, -2, -1e12], rtol=1e-6)


def test_logits_at_zero_have_the_slope_of_the_sigmoid():
    out, grad = _loss_and_grad(
        elementwise_loss.sigmoid_cross_entropy_with_logits, [0.0], np.array([1.0], "float32")
    )
    np.testing.assert_allclose(out, [np.log(2)], rtol=1e-6)
    np.testing.assert_allclose(grad, [-0.5])


@pytest.mark.parametrize("epsilon", [1e-6, 1e-7, 1e-8, 1e-10, 1e-30])
def test_log_loss_of_certain_predictions(epsilon):
    x = paddle.to_tensor([[0.0], [0.0], [1.0], [1.0]], stop_gradient=False)
    label = paddle.to_tensor([[0.0], [1.0], [0.0], [1.0]], stop_gradient=False)
    found = paddle.nn.functional.log_loss(x, label, epsilon)
    found.sum().backward()
    worst, slope = -np.log(epsilon), 1 / epsilon
    np.testing.assert_allclose(found.flatten(), [0, worst, worst, 0], rtol=1e-6, atol=2e-6)
    np.testing.assert_allclose(x.grad.flatten(), [1, -slope, slope, -1], rtol=2e-6)
    np.testing.assert_allclose(label.grad.flatten(), [worst, worst, -worst, -worst], rtol=1e-6)
