"""Losses that require a score, a distance or a class to exceed the others by a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidIndexError
from jaxeager.nn.functional.loss_reduction import (
    check_reduction,
    check_reduction_briefly,
    check_same_shape,
    reduced,
)
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.reductions.reduction import mean_all
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def margin_ranking_loss(
    input: Tensor,
    other: Tensor,
    label: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return by how much two scores violate the order given by their label.

    Each element is ``max(0, -label * (input - other) + margin)``.

    Args:
        input: float tensor.
        other: float tensor that broadcasts with it.
        label: float, 1 where ``input`` should be larger, -1 where ``other`` should.
        margin: by how much it should be larger.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.margin_ranking_loss(x, y, paddle.to_tensor([1.0, 1.0])).item()
        1.0
    """
    check_reduction(reduction, "MarginRankingLoss")
    out = paddle.multiply(paddle.subtract(other, input), label)
    if margin != 0.0:
        out = paddle.add(out, paddle.full([1], margin, out.dtype))
    return reduced(paddle.nn.functional.relu(out), reduction, mean_all)


@composite(public="functional", method=False)
def hinge_embedding_loss(
    input: Tensor,
    label: Tensor,
    margin: float = 1.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return the distances of matching pairs, and by how much other pairs are too near.

    Each element is ``input`` where the label is 1, ``max(0, margin - input)`` where it is -1, and
    0 elsewhere.

    Args:
        input: float tensor of distances.
        label: 1 or -1, of the same shape.
        margin: minimum distance of pairs of label -1.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])
        >>> paddle.nn.functional.hinge_embedding_loss(x, label, reduction="none").tolist()
        [0.5, 0.75]
    """
    check_reduction_briefly(reduction, "hinge_embedding_loss")
    zero = paddle.zeros([1], dtype=input.dtype)
    near = paddle.where(label == 1.0, input, zero)
    far = paddle.where(label == -1.0, paddle.nn.functional.relu(margin - input), zero)
    return reduced(near + far, reduction)


@composite(public="functional", method=False)
def soft_margin_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Return ``log(1 + exp(-label * input))`` of each element.

    Paddle: there, exp overflows for ``-label * input`` above 88, and the gradient is nan; here the
    loss is that number.

    Args:
        input: float tensor.
        label: 1 or -1, of the same shape, of any number dtype.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.soft_margin_loss(x, label).item(), 4)
        0.6931
    """
    check_reduction(reduction, "soft_margin_loss")
    check_same_shape(input, label)
    agreement = paddle.cast(label, input.dtype) * input
    return reduced(-paddle.nn.functional.log_sigmoid(agreement), reduction)


@composite(public="functional", method=False)
def multi_label_soft_margin_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return the mean over the classes of their binary cross entropies.

    Args:
        input: float[N, C], logits.
        label: 0 or 1, float[N, C].
        weight: float[C], or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[1.0, 0.0]])
        >>> round(paddle.nn.functional.multi_label_soft_margin_loss(x, label).item(), 4)
        0.6931
    """
    check_reduction_briefly(reduction, "multi_label_soft_margin_loss")
    if input.shape != label.shape:
        raise InvalidArgumentError(
            "The input and label should have same dimension,but received "
            f"{list(input.shape)}!={list(label.shape)}"
        )
    log_sigmoid = paddle.nn.functional.log_sigmoid
    loss = -(label * log_sigmoid(input) + (1 - label) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.mean(axis=-1), reduction)


@composite(public="functional", method=False)
def multi_margin_loss(
    input: Tensor,
    label: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return the average margin violation of the other classes against the labelled one.

    Each sample is ``sum over c != label of max(0, margin - input[label] + input[c]) ** p / C``.

    Args:
        input: float[N, C], scores.
        label: int32 or int64[N].
        p: the exponent.
        margin: by how much the labelled class should lead.
        weight: float[C], a factor for each label, or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that do not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[0.0, 0.5, -1.0]])
        >>> round(paddle.nn.functional.multi_margin_loss(x, paddle.to_tensor([0])).item(), 4)
        0.5
    """
    check_reduction_briefly(reduction, "multi_margin_loss")
    if input.shape[0] != label.shape[0]:
        raise InvalidArgumentError(
            "The label's shape[0] should be equal to input's shape[0], but received input's "
            f"shape[0] {input.shape[0]} and label's shape[0]:{label.shape[0]}. "
        )
    classes = input.shape[1]
    label = label.reshape((-1, 1))
    short = paddle.clip(margin - paddle.index_sample(input, label) + input, min=0.0)
    own = paddle.full([1], margin**p / classes, input.dtype)  # the labelled class itself
    if weight is None:
        return reduced(paddle.mean(paddle.pow(short, p), axis=1) - own, reduction)
    if classes != weight.shape[0]:
        raise InvalidArgumentError(
            "The weight's shape[0] should be equal to input's shape[1]but received weight's "
            f"shape[0]: {weight.shape[0]} and input's shape[1]: {classes}"
        )
    weight = paddle.gather(weight, label.reshape([-1]), axis=0).reshape((-1, 1))
    loss = paddle.mean(weight * paddle.pow(short, p), axis=1) - (weight * own).squeeze(1)
    return reduced(loss, reduction)


@composite(public="functional", method=False)
def multi_label_margin_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Return by how much the labelled classes fail to lead the other classes by 1.

    Each sample is the sum of ``max(0, 1 - input[t] + input[c]) / C`` over its labels t and its
    unlabelled classes c. All pairs are computed, [N, C, C] in total.

    Paddle: there, a single row of labels applies to the first sample, and the others cost nothing.

    Args:
        input: float[N, C], scores.
        label: int32 or int64[N, C], the labels of a sample, ended by -1. A single row, [1, C],
            applies to every sample.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or a label that is
            not a class, on a CPU. An accelerator is not waited for: the label is clipped there.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.0, 0.5]]), paddle.to_tensor([[0, -1]])
        >>> paddle.nn.functional.multi_label_margin_loss(x, label).item()
        0.75
    """
    check_reduction_briefly(reduction, "multi_label_margin_loss")
    for what, tensor in (("input", input), ("label", label)):
        if tensor.ndim != 2:
            raise InvalidArgumentError(f"Expected 2D {what} tensor, but got {tensor.ndim}D")
    classes = input.shape[1]
    _check_labels(label, classes)
    counts = paddle.cumprod((label != -1).cast("int32"), dim=1).cast("bool")
    place = paddle.clip(label, 0, classes - 1)
    hot = paddle.nn.functional.one_hot(place, classes).cast("bool")
    is_label = paddle.any(paddle.logical_and(hot, counts.unsqueeze(-1)), axis=1)
    is_pair = paddle.logical_and(counts.unsqueeze(-1), paddle.logical_not(is_label).unsqueeze(1))
    target = paddle.take_along_axis(input, place, 1)
    short = 1 - target.unsqueeze(-1) + input.unsqueeze(1)
    short = paddle.where(is_pair, short, paddle.zeros_like(short))
    loss = paddle.maximum(short, paddle.zeros_like(short)).sum(axis=[1, 2]) / classes
    return reduced(loss, reduction)


def _check_labels(label, classes: int) -> None:
    def error(bad: int) -> InvalidIndexError:
        bound = ">= -1" if bad < -1 else f"< {classes}"
        return InvalidIndexError(f"label values should be {bound}, but one is {bad}.")

    check_within(label._array, -1, classes, error)
