"""Metric, Accuracy, Precision, Recall, Auc, and accuracy of one batch."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.tensor import Tensor


class Metric(metaclass=abc.ABCMeta):
    """Base of metrics: ``update`` adds a batch, ``accumulate`` returns the value so far.

    ``compute`` may do part of the work on tensors first; its result is passed to ``update``.

    Example:
        >>> import jaxeager as paddle
        >>> class Count(paddle.metric.Metric):
        ...     def reset(self):
        ...         self.count = 0
        ...
        ...     def update(self, pred, label):
        ...         self.count += len(label)
        ...
        ...     def accumulate(self):
        ...         return self.count
        ...
        ...     def name(self):
        ...         return "count"
        >>> count = Count()
        >>> count.reset()
        >>> count.update(*count.compute(paddle.ones([2, 3]), paddle.ones([2, 1])))
        >>> count.accumulate()
        2
    """

    def __init__(self):  # noqa: B027 - subclasses call it, there is just nothing to do
        pass

    @abc.abstractmethod
    def reset(self) -> None:
        """Discard all batches."""

    @abc.abstractmethod
    def update(self, *args: Any) -> None:
        """Add a batch: the result of ``compute``, as NumPy arrays or tensors."""

    @abc.abstractmethod
    def accumulate(self) -> Any:
        """Return the value over all batches since the last ``reset``."""

    @abc.abstractmethod
    def name(self) -> str:
        """Return the metric's name, or a list of names if it has several values."""

    def compute(self, *args: Any) -> Any:
        """Compute the arguments of ``update`` from outputs and labels: by default, just these."""
        return args


def _numpy(value, name: str) -> np.ndarray:
    """Return the values of an array or a tensor."""
    if isinstance(value, Tensor):
        return value.numpy()
    if not isinstance(value, (np.ndarray, np.generic)):
        raise InvalidArgumentError(
            f"The '{name}' must be a numpy ndarray or Tensor, but received {type(value).__name__}."
        )
    return np.asarray(value)


def _one_each(value, name: str) -> np.ndarray:
    """Return an array of one number per sample."""
    array = _numpy(value, name)
    if array.size != len(array):
        raise InvalidArgumentError(
            f"The '{name}' must hold one number per sample, but their shape is {list(array.shape)}."
        )
    return array.reshape(-1)


def _pairs(preds, labels) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions and labels, one number per sample each."""
    preds, labels = _one_each(preds, "preds"), _one_each(labels, "labels")
    if len(preds) < len(labels):
        raise InvalidArgumentError(
            f"There are {len(labels)} labels, but only {len(preds)} predictions."
        )
    return preds[: len(labels)], labels


class Accuracy(Metric):
    """The share of samples whose label is among the best predictions.

    Args:
        topk: a list of numbers k: count a label that is among the k best predictions.
        name: the name of the metric; "acc" when None.
        *args: passed to Metric, which accepts none.
        **kwargs: passed to Metric, which accepts none.

    Example:
        >>> import jaxeager as paddle
        >>> metric = paddle.metric.Accuracy()
        >>> pred, label = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]]), paddle.to_tensor([[1], [1]])
        >>> metric.update(metric.compute(pred, label))
        np.float64(0.5)
        >>> metric.accumulate()
        np.float64(0.5)
    """

    def __init__(
        self, topk: Sequence[int] = (1,), name: str | None = None, *args: Any, **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        self.topk, self.maxk = topk, max(topk)
        name = name or "acc"
        self._name = [name] if self.maxk == 1 else [f"{name}_top{k}" for k in topk]
        self.reset()

    def compute(self, pred: Tensor, label: Tensor, *args: Any) -> Tensor:
        """Return whether each of the best predictions is the label, float32[..., maxk].

        Args:
            pred: float[..., classes].
            label: int[...] or [..., 1]; or one-hot labels, [..., classes].
            *args: ignored.

        Raises:
            InvalidArgumentError: when predictions and labels do not match.
        """
        best = paddle.argsort(pred, descending=True)[..., : self.maxk]
        if label.ndim == 1 or (label.ndim == 2 and label.shape[-1] == 1):
            label = paddle.reshape(label, [-1, 1])
        elif label.shape[-1] != 1:
            label = paddle.argmax(label, axis=-1, keepdim=True)
        if list(label.shape[:-1]) != list(best.shape[:-1]):
            raise InvalidArgumentError(
                f"There must be a label for each prediction, but their shapes are "
                f"{list(label.shape)} and {list(pred.shape)}."
            )
        return (best == label.astype(best.dtype)).astype("float32")

    def update(self, correct: Tensor | np.ndarray, *args: Any) -> Any:
        """Add the result of ``compute`` for a batch, and return the batch's np.float64 accuracy.

        Args:
            correct: float[..., maxk].
            *args: ignored.

        Raises:
            InvalidArgumentError: for anything but an array or a tensor of at least one axis.
        """
        correct = _numpy(correct, "correct")
        if not correct.ndim:
            raise InvalidArgumentError("The 'correct' must have an axis of predictions.")
        samples = np.int64(math.prod(correct.shape[:-1]))
        found = []
        for place, k in enumerate(self.topk):
            right = float(correct[..., :k].sum())
            found.append(right / samples)
            self.total[place] += right
            self.count[place] += samples
        return found[0] if len(self.topk) == 1 else found

    def reset(self) -> None:
        """Discard all batches."""
        self.total = [0.0] * len(self.topk)
        self.count: list[int | np.int64] = [0] * len(
            self.topk
        )  # np.int64 after a batch, as in Paddle

    def accumulate(self) -> Any:
        """Return the accuracy over all batches, a np.float64; a list if there are several k."""
        pairs = zip(self.total, self.count, strict=True)
        found = [total / count if count > 0 else 0.0 for total, count in pairs]
        return found[0] if len(self.topk) == 1 else found

    def name(self) -> list[str]:
        """Return the names: ["acc"], or one for each k."""
        return self._name


class Precision(Metric):
    """The share of samples labelled 1 among those predicted to be 1.

    Args:
        name: the name of the metric.
        *args: passed to Metric, which accepts none.
        **kwargs: passed to Metric, which accepts none.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> metric = paddle.metric.Precision()
        >>> metric.update(np.array([0.9, 0.8, 0.2]), np.array([1, 0, 1]))
        >>> metric.accumulate()
        0.5
    """

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._name = name
        self.reset()

    def update(self, preds: np.ndarray | Tensor, labels: np.ndarray | Tensor) -> None:
        """Add a batch.

        Args:
            preds: float[n] or [n, 1], the probability of 1; from 0.5 on, 1 is predicted.
            labels: int[n] or [n, 1], 0 or 1.

        Raises:
            InvalidArgumentError: for anything but arrays and tensors of one number per sample.
        """
        preds, labels = _pairs(preds, labels)
        found = np.floor(preds + 0.5) == 1
        self.tp += int(np.sum(found & (labels == 1)))
        self.fp += int(np.sum(found & (labels != 1)))

    def reset(self) -> None:
        """Discard all batches."""
        self.tp = self.fp = 0

    def accumulate(self) -> float:
        """Return the precision over all batches, 0 if no sample was predicted to be 1."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    def name(self) -> str:
        """Return the name."""
        return self._name


class Recall(Metric):
    """The share of samples predicted to be 1 among those labelled 1.

    Args:
        name: the name of the metric.
        *args: passed to Metric, which accepts none.
        **kwargs: passed to Metric, which accepts none.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> metric = paddle.metric.Recall()
        >>> metric.update(np.array([0.9, 0.8, 0.2]), np.array([1, 0, 1]))
        >>> metric.accumulate()
        0.5
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._name = name
        self.reset()

    def update(self, preds: np.ndarray | Tensor, labels: np.ndarray | Tensor) -> None:
        """Add a batch.

        Args:
            preds: float[n] or [n, 1], the probability of 1; above 0.5, 1 is predicted.
            labels: int[n] or [n, 1], 0 or 1.

        Raises:
            InvalidArgumentError: for anything but arrays and tensors of one number per sample.
        """
        preds, labels = _pairs(preds, labels)
        found = np.rint(preds) == 1
        self.tp += int(np.sum(found & (labels == 1)))
        self.fn += int(np.sum(~found & (labels == 1)))

    def reset(self) -> None:
        """Discard all batches."""
        self.tp = self.fn = 0

    def accumulate(self) -> float:
        """Return the recall over all batches, 0 if no sample was labelled 1."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def name(self) -> str:
        """Return the name."""
        return self._name


class Auc(Metric):
    """The area under the ROC curve, counted in buckets of the predicted probability.

    Args:
        curve: ignored, as in Paddle: the ROC curve is measured.
        num_thresholds: the number of thresholds between 0 and 1.
        name: the name of the metric.
        *args: passed to Metric, which accepts none.
        **kwargs: passed to Metric, which accepts none.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> metric = paddle.metric.Auc()
        >>> metric.update(np.array([[0.1, 0.9], [0.6, 0.4]]), np.array([[1], [0]]))
        >>> metric.accumulate()
        np.float64(1.0)
    """

    def __init__(
        self,
        curve: str = "ROC",
        num_thresholds: int = 4095,
        name: str = "auc",
        *args: Any,
        **kwargs: Any,
    ):
        super().__init__(*args, **kwargs)
        self._curve, self._num_thresholds, self._name = curve, num_thresholds, name
        self.reset()

    def update(self, preds: np.ndarray | Tensor, labels: np.ndarray | Tensor) -> None:
        """Add a batch.

        Args:
            preds: float[n, 2], the probabilities of 0 and of 1.
            labels: int[n] or [n, 1], 0 or 1.

        Raises:
            InvalidArgumentError: for anything but arrays and tensors of these shapes.
            RefusedArgumentError: for a probability that is not between 0 and 1.
        """
        labels, preds = _one_each(labels, "labels"), _numpy(preds, "preds")
        if preds.ndim != 2 or preds.shape[1] != 2 or len(preds) < len(labels):
            raise InvalidArgumentError(
                f"The 'preds' must be the probabilities of 0 and of 1 for each of {len(labels)} "
                f"labels, but their shape is {list(preds.shape)}."
            )
        buckets = (preds[: len(labels), 1] * self._num_thresholds).astype("int64")
        if buckets.size and not 0 <= buckets.min() <= buckets.max() <= self._num_thresholds:
            raise RefusedArgumentError(
                "The predicted probabilities must be between 0 and 1, but they are between "
                f"{preds[:, 1].min()} and {preds[:, 1].max()}."
            )
        positive = labels.astype(bool)
        np.add.at(self._stat_pos, buckets[positive], 1)
        np.add.at(self._stat_neg, buckets[~positive], 1)

    def reset(self) -> None:
        """Discard all batches."""
        self._stat_pos = np.zeros(self._num_thresholds + 1)
        self._stat_neg = np.zeros(self._num_thresholds + 1)

    def accumulate(self) -> float:
        """Return the area over all batches, a np.float64; 0.0 if a class did not occur."""
        positive = np.cumsum(self._stat_pos[::-1])
        before = positive - self._stat_pos[::-1]
        negative = self._stat_neg.sum()
        area = np.sum(self._stat_neg[::-1] * (positive + before)) / 2
        return area / positive[-1] / negative if positive[-1] * negative > 0 else 0.0

    def name(self) -> str:
        """Return the name."""
        return self._name


@names_operands
def accuracy(
    input: Tensor,
    label: Tensor,
    k: int = 1,
    correct: Tensor | None = None,
    total: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return how often the label is among the k best predictions of a batch.

    Args:
        input: float[n, classes], the scores.
        label: int32 or int64[n, 1].
        k: the number of best predictions that count.
        correct: an int32 tensor that receives the number of correct predictions, or None.
        total: an int32 tensor that receives the number of samples, or None.
        name: ignored.

    Returns:
        float32[], without gradient.

    Raises:
        InvalidArgumentError: when the label's shape does not match, or k is too large.

    Example:
        >>> import jaxeager as paddle
        >>> score, label = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]]), paddle.to_tensor([[1], [1]])
        >>> paddle.metric.accuracy(score, label).item()
        0.5
    """
    if label.ndim != 2:
        raise InvalidArgumentError(
            "ShapeError: label's dimensions of AccuracyOp must be 2. But received label's "
            f"dimensions = {label.ndim}, label's shape = {list(label.shape)}"
        )
    if list(label.shape) != [input.shape[0], 1]:
        raise InvalidArgumentError(
            f"The label must have the shape {[input.shape[0], 1]}, one row for each of the input, "
            f"but its shape is {list(label.shape)}."
        )
    with paddle.no_grad():
        _, places = paddle.topk(input, k)
        right = (places == label.astype("int64")).astype("int32").sum(dtype="int32")
    rows = input.shape[0]
    if correct is not None:
        paddle.assign(right, correct)
    if total is not None:
        paddle.assign(paddle.full([], rows, "int32"), total)
    return right.astype("float32") / max(rows, 1)
