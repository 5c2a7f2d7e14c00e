"""Metrics against their definitions, over several batches."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

RNG = np.random.default_rng(11)


def test_accuracy_of_batches_is_that_of_all():
    metric = paddle.metric.Accuracy((1, 3))
    scores, labels = RNG.normal(size=(40, 6)).astype("float32"), RNG.integers(0, 6, 40)
    for part in np.array_split(np.arange(40), 3):
        correct = metric.compute(paddle.to_tensor(scores[part]), paddle.to_tensor(labels[part]))
        metric.update(correct)
    ranks = (scores > scores[np.arange(40), labels][:, None]).sum(1)
    np.testing.assert_allclose(metric.accumulate(), [(ranks < 1).mean(), (ranks < 3).mean()])


@pytest.mark.parametrize("make", [paddle.metric.Precision, paddle.metric.Recall])
def test_precision_and_recall(make):
    preds, labels = RNG.uniform(size=(50, 1)), RNG.integers(0, 2, (50, 1))
    metric = make()
    for part in np.array_split(np.arange(50), 4):
        metric.update(preds[part], paddle.to_tensor(labels[part]))
    found, true = preds > 0.5, labels == 1
    whole = found if make is paddle.metric.Precision else true
    assert metric.accumulate() == pytest.approx((found & true).sum() / whole.sum())


def test_auc_is_the_chance_of_ranking_a_pair_right():
    preds, labels = RNG.integers(0, 101, 60) / 100, RNG.integers(0, 2, 60)
    metric = paddle.metric.Auc(num_thresholds=100)
    metric.update(np.stack([1 - preds, preds], 1), labels)
    ones, zeros = np.floor(preds * 100)[labels == 1], np.floor(preds * 100)[labels == 0]
    ranked = (ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2
    assert metric.accumulate() == pytest.approx(ranked)


@pytest.mark.parametrize(
    ("make", "preds", "text"),
    [
        (paddle.metric.Precision, [0.5], "'preds' must be a numpy ndarray or Tensor"),
        (paddle.metric.Recall, np.ones((2, 2)), "one number per sample, but their shape is"),
        (paddle.metric.Auc, np.array([[0.0, -1.5]] * 2), "must be between 0 and 1"),
        (paddle.metric.Auc, np.ones(2), r"for each of 2 labels, but their shape is \[2\]"),
        (paddle.metric.Auc, np.ones((1, 2)), r"for each of 2 labels, but their shape is \[1, 2\]"),
        (paddle.metric.Precision, np.ones(1), "There are 2 labels, but only 1 predictions"),
        (paddle.metric.Recall, np.ones(1), "There are 2 labels, but only 1 predictions"),
    ],
)
def test_update_refuses_predictions_that_cannot_be_measured(make, preds, text):
    with pytest.raises((InvalidArgumentError, AssertionError), match=text):
        make().update(preds, np.array([1, 0]))


@pytest.mark.parametrize("correct", [5, [[1.0, 0.0]], np.float32(1), paddle.ones([])])
def test_accuracy_takes_in_an_array_of_predictions(correct):
    metric = paddle.metric.Accuracy()
    with pytest.raises(InvalidArgumentError, match="The 'correct' must"):
        metric.update(correct)
    assert metric.count == [0]


def test_accuracy_refuses_labels_of_other_shapes():
    with pytest.raises(InvalidArgumentError, match=r"are \[5, 1\] and \[2, 3\]"):
        paddle.metric.Accuracy().compute(paddle.ones([2, 3]), paddle.ones([5, 1], "int64"))
    scores = paddle.ones([3, 2])
    with pytest.raises(InvalidArgumentError, match="label's dimensions of AccuracyOp must be 2"):
        paddle.metric.accuracy(scores, paddle.to_tensor([0, 1, 1]))
    with pytest.raises(InvalidArgumentError, match=r"must have the shape \[3, 1\]"):
        paddle.metric.accuracy(scores, paddle.to_tensor([[0], [1]]))
