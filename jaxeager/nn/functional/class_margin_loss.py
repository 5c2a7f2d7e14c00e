"""Losses that want the labelled class ahead of the others by a margin."""

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.ranges import known_values
from jaxeager.nn.functional.reductions import check_reduction, check_reduction_briefly, reduced
from jaxeager.ops import label_loss
from jaxeager.ops.reduction import mean_all
from jaxeager.ops.row import composite


@composite(public="functional", method=False)
def multi_margin_loss(
    input, label, p: int = 1, margin: float = 1.0, weight=None, reduction="mean", name=None
):
    """Returns how far each class is less than a margin behind the labelled one, averaged.

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
        a 0-D float tensor; with reduction "none" float[N].

    Raises:
        InvalidArgumentError: for another reduction, or shapes that do not fit.

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
    own = paddle.full([1], margin**p / classes, input.dtype)  # of the labelled class itself
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
def multi_label_margin_loss(input, label, reduction="mean", name=None):
    """Returns how far each other class is less than 1 behind each labelled one.

    Each sample is the sum, over its labels t and the classes c that are none of them, of
    ``max(0, 1 - input[t] + input[c]) / C``. Every pair is computed, [N, C, C] of them.

    Args:
        input: float[N, C], scores.
        label: int32 or int64[N, C]: the labels of a sample, ended by -1.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" float[N].

    Raises:
        InvalidArgumentError: for another reduction, shapes that do not fit, or a label that is no
            class, on a CPU. On an accelerator, which nobody waits for, it counts for the nearest.

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
    found = known_values(label)
    if found is None:
        return
    if found.min() < -1:
        raise InvalidArgumentError(f"label values should be >= -1, but one is {found.min()}.")
    if found.max() >= classes:
        raise InvalidArgumentError(f"label values should be < {classes}, but one is {found.max()}.")


@composite(public="functional", method=False)
def sigmoid_focal_loss(
    logit, label, normalizer=None, alpha=0.25, gamma=2.0, reduction="sum", name=None
):
    """Returns a binary cross entropy that counts less where the prediction is good already.

    Each element is ``alpha_t * (1 - p_t) ** gamma * cross_entropy``, p_t the probability of its
    label.

    Args:
        logit: float tensor.
        label: 0 or 1, float of the same shape.
        normalizer: what the loss is divided by, float of one element, or None.
        alpha: the weight of label 1; that of label 0 is 1 - alpha.
        gamma: how fast good predictions stop counting.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none" one value an element.

    Raises:
        InvalidArgumentError: for another reduction, shapes that differ, or a normalizer of two
            dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.sigmoid_focal_loss(x, label).item(), 4)
        0.0433
    """
    check_reduction(reduction, "sigmoid_focal_loss")
    if normalizer is not None and normalizer.ndim > 1:
        raise InvalidArgumentError(
            "Expected zero or one dimension of normalizer in sigmoid_focal_loss but got "
            f"{normalizer.ndim}."
        )
    one = paddle.full(logit.shape, 1.0, logit.dtype)
    loss = label_loss.binary_cross_entropy_with_logits(logit, label, None)
    pred, other = paddle.nn.functional.sigmoid(logit), paddle.subtract(one, label)
    p_t = paddle.multiply(pred, label) + paddle.multiply(paddle.subtract(one, pred), other)
    alpha_t = paddle.scale(label, alpha) + paddle.scale(other, 1 - alpha)
    loss = paddle.multiply(alpha_t, loss)
    loss = paddle.multiply(paddle.pow(paddle.subtract(one, p_t), gamma), loss)
    if normalizer is not None:
        loss = paddle.divide(loss, normalizer)
    return reduced(loss, reduction, mean_all)
