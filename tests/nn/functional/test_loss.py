"""Losses as a user calls them; numbers are real Paddle 3.3.1's unless a test states otherwise."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidArgumentError, OutOfRangeError
from tests.support.refusals import refused

LOGITS = np.random.default_rng(0).standard_normal((3, 5)).astype("float32")
WEIGHT = [1.0, 2.0, 3.0, 4.0, 5.0]


def _cross_entropy(label, weight=None, **kwargs):
    logits = paddle.to_tensor(LOGITS, stop_gradient=False)
    weight = None if weight is None else paddle.to_tensor(weight)
    loss = F.cross_entropy(logits, paddle.to_tensor(label), weight, **kwargs)
    loss.sum().backward()
    return loss, logits.grad.numpy()


def _soft_label():
    return F.softmax(paddle.to_tensor(LOGITS) * 2).numpy()


@pytest.mark.parametrize(
    ("label", "weight", "kwargs", "expected"),
    [
        ([1, 1, 1], None, {"ignore_index": 1}, 0.0),
        ([1, -100, 2], None, {}, 1.7328),  # a negative ignore_index counts in the mean
        ([1, -1, 2], None, {"ignore_index": -1}, 1.7328),
        ([1, -100, 2], WEIGHT, {}, 2.74794),
        ([1, 0, 2], WEIGHT, {"ignore_index": 2}, 1.82881),
        ([1, 0, 2], WEIGHT, {"ignore_index": 2, "reduction": "sum"}, 5.48644),
        ([1, 0, 2], WEIGHT, {"ignore_index": 2, "reduction": "none"}, [3.71095, 1.77548, 0.0]),
        ([1, 0, 4], WEIGHT, {}, 2.10067),
        ([1, 0, 4], None, {"label_smoothing": 0.2}, 1.94415),
        ([1, 0, 4], WEIGHT, {"label_smoothing": 0.2}, 2.02787),
    ],
)
def test_cross_entropy(label, weight, kwargs, expected):
    loss, _ = _cross_entropy(label, weight, **kwargs)
    np.testing.assert_allclose(loss.numpy(), expected, atol=2e-5)


@pytest.mark.parametrize(
    ("weight", "kwargs", "expected"),
    [
        (WEIGHT, {}, 1.23488),
        (WEIGHT, {"reduction": "none"}, [[3.935], [2.35747], [3.13702]]),
        (WEIGHT, {"reduction": "sum"}, 9.42949),
        (
            None,
            {"label_smoothing": 0.2, "reduction": "none"},
            [[1.45945], [1.24547], [1.34463]],
        ),
        (None, {"use_softmax": True}, 1.22204),
    ],
)
def test_cross_entropy_of_soft_labels(weight, kwargs, expected):
    loss, _ = _cross_entropy(_soft_label(), weight, soft_label=True, **kwargs)
    np.testing.assert_allclose(loss.numpy(), expected, atol=2e-5)


def test_ignored_labels_get_no_gradient():
    _, grad = _cross_entropy([1, -100, 2])
    np.testing.assert_array_equal(grad[1], np.zeros(5))
    assert abs(grad[0, 1] + 0.28121) < 1e-5


@pytest.mark.parametrize("ignored", [0, -100])
def test_smoothed_labels_can_be_ignored(ignored):
    """Real Paddle 3.3.1 divides by the number of elements that differ, or fails for -100."""
    loss, grad = _cross_entropy(
        [1, ignored, 4], label_smoothing=0.2, ignore_index=ignored, reduction="none"
    )
    plain, _ = _cross_entropy([1, 2, 4], label_smoothing=0.2, reduction="none")
    np.testing.assert_allclose(loss.numpy()[[0, 2]], plain.numpy()[[0, 2]], rtol=1e-6)
    assert loss.numpy()[1, 0] == 0
    np.testing.assert_array_equal(grad[1], np.zeros(5))
    mean, _ = _cross_entropy([1, ignored, 4], label_smoothing=0.2, ignore_index=ignored)
    count = 2 if ignored >= 0 else 3
    np.testing.assert_allclose(mean.item(), loss.numpy().sum() / count, rtol=1e-6)


def test_soft_labels_of_another_sum_have_the_right_gradient():
    """Real Paddle 3.3.1 returns softmax - label, whatever the label sums to."""
    label = np.full((3, 5), 0.5, "float32")
    _, grad = _cross_entropy(label, soft_label=True, reduction="sum")
    softmax = F.softmax(paddle.to_tensor(LOGITS)).numpy()
    np.testing.assert_allclose(grad, 2.5 * softmax - 0.5, atol=1e-6)


def test_another_axis_is_the_last_one_moved():
    x = np.random.default_rng(1).standard_normal((2, 5, 3)).astype("float32")
    label, weight = paddle.to_tensor([[0, 1, 2], [3, 4, 1]]), paddle.to_tensor(WEIGHT)
    for kwargs in ({}, {"weight": weight}, {"label_smoothing": 0.1}, {"reduction": "none"}):
        found = F.cross_entropy(paddle.to_tensor(x), label, axis=1, **kwargs)
        moved = F.cross_entropy(paddle.to_tensor(x.transpose(0, 2, 1)), label, **kwargs)
        np.testing.assert_allclose(found.numpy(), moved.numpy(), rtol=1e-5)


def test_a_mean_over_nothing_is_nan():
    empty = paddle.zeros([0, 5])
    assert np.isnan(F.cross_entropy(empty, paddle.zeros([0], "int64")).item())


def test_the_returned_softmax_has_a_gradient():
    """Real Paddle 3.3.1 crashes here."""
    logits = paddle.to_tensor(LOGITS, stop_gradient=False)
    label = paddle.to_tensor([[1], [0], [4]])
    _, softmax = F.softmax_with_cross_entropy(logits, label, return_softmax=True)
    (softmax * softmax).sum().backward()
    s = softmax.numpy()
    expected = 2 * s * (s - (s * s).sum(1, keepdims=True))
    np.testing.assert_allclose(logits.grad.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("label", [[1, 2, 7], [1, 2, -7]])
def test_a_label_that_is_no_class_is_refused(label):
    with refused(OutOfRangeError, match=f"received label value as {label[2]}"):
        F.cross_entropy(paddle.to_tensor(LOGITS), paddle.to_tensor(label))


@pytest.mark.parametrize(
    ("label", "weight", "kwargs", "expected"),
    [
        ([1, 0, 4], WEIGHT, {}, 0.766520),
        ([1, 0, 4], None, {"ignore_index": 0}, 0.689010),
        ([1, 0, 4], WEIGHT, {"reduction": "sum"}, 6.13217),
        (
            [1, 0, 4],
            WEIGHT,
            {"ignore_index": 0, "reduction": "none"},
            [0.264210, 0.0, 6.229560],
        ),
    ],
)
def test_nll_loss(label, weight, kwargs, expected):
    weight = None if weight is None else paddle.to_tensor(weight)
    out = F.nll_loss(paddle.to_tensor(LOGITS), paddle.to_tensor(label), weight, **kwargs)
    np.testing.assert_allclose(out.numpy(), expected, atol=2e-5)


def test_kl_div_reductions():
    x, label = paddle.to_tensor([[-1.0, -1.0]]), paddle.to_tensor([[0.0, 0.5]])
    each = F.kl_div(x, label, "none").numpy()
    np.testing.assert_allclose(each, [[0, 0.15343]], atol=1e-5)
    assert F.kl_div(x, label, "sum").item() == F.kl_div(x, label, "batchmean").item()
    assert F.kl_div(x, label.astype("float64")).dtype == paddle.float64


def test_a_positive_weight_counts_positive_labels():
    x, label = paddle.to_tensor([0.0, 0.0]), paddle.to_tensor([1.0, 0.0])
    out = F.binary_cross_entropy_with_logits(
        x, label, reduction="none", pos_weight=paddle.to_tensor([3.0, 3.0])
    )
    np.testing.assert_allclose(out.numpy(), [3 * np.log(2), np.log(2)], rtol=1e-6)


REDUCED = {
    "cross_entropy": lambda **k: F.cross_entropy(
        paddle.ones([2, 2]), paddle.ones([2], "int64"), **k
    ),
    "nll_loss": lambda **k: F.nll_loss(paddle.ones([2, 2]), paddle.ones([2], "int64"), **k),
    "mse_loss": lambda **k: F.mse_loss(paddle.ones([2]), paddle.ones([2]), **k),
    "L1Loss": lambda **k: F.l1_loss(paddle.ones([2]), paddle.ones([2]), **k),
    "smooth_l1_loss": lambda **k: F.smooth_l1_loss(paddle.ones([2]), paddle.ones([2]), **k),
    "binary_cross_entropy": lambda **k: F.binary_cross_entropy(
        paddle.ones([2]), paddle.ones([2]), **k
    ),
    "binary_cross_entropy_with_logits": lambda **k: F.binary_cross_entropy_with_logits(
        paddle.ones([2]), paddle.ones([2]), **k
    ),
    "kl_div": lambda **k: F.kl_div(paddle.ones([2]), paddle.ones([2]), **k),
}


@pytest.mark.parametrize("name", REDUCED)
def test_another_reduction_is_refused(name):
    with pytest.raises(InvalidArgumentError, match=f"{name}.*but received x, which is not allowed"):
        REDUCED[name](reduction="x")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: F.cross_entropy(
                paddle.ones([2, 3]), paddle.ones([2], "int64"), paddle.ones([2])
            ),
            "input's class_dimension\\(3\\) must equal to weight's class_dimension\\(2\\)",
        ),
        (
            lambda: F.cross_entropy(
                paddle.ones([2, 3]), paddle.ones([2, 3]), soft_label=True, ignore_index=1
            ),
            "When soft_label == True",
        ),
        (
            lambda: F.cross_entropy(paddle.ones([2, 3]), paddle.ones([2, 1, 1], "int64")),
            "Expected input_dims - 1 = label_dims",
        ),
        (
            lambda: F.cross_entropy(
                paddle.ones([2, 3]), paddle.ones([2], "int64"), label_smoothing=2.0
            ),
            "label_smoothing must be between 0 and 1",
        ),
        (
            lambda: F.nll_loss(paddle.ones([2, 3]), paddle.to_tensor([0, 5])),
            "received label value as 5",
        ),
        (
            lambda: F.binary_cross_entropy(paddle.to_tensor([2.0]), paddle.to_tensor([1.0])),
            "Illegal input, input must be greater than or equal to 0",
        ),
    ],
)
def test_invalid_arguments_are_refused(call, text):
    with refused(InvalidArgumentError, match=text):
        call()
