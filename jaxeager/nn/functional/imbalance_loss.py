"""Losses for detection and segmentation, where few positions are positive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.functional.loss_reduction import check_reduction, reduced
from jaxeager.ops.losses import label_loss
from jaxeager.ops.reductions.reduction import mean_all
from jaxeager.ops.register import composite
from jaxeager.ops.rules.domains import NOT_NEGATIVE, PROBABILITY, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def sigmoid_focal_loss(
    logit: Tensor,
    label: Tensor,
    normalizer: Tensor | None = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
    name: str | None = None,
) -> Tensor:
    """Return a binary cross entropy that down-weights predictions that are already good.

    Each element is ``alpha_t * (1 - p_t) ** gamma * cross_entropy``, where p_t is the
    probability of its label.

    Args:
        logit: float tensor.
        label: 0 or 1, float of the same shape.
        normalizer: divisor of the loss, float of one element, or None.
        alpha: the weight of label 1; that of label 0 is 1 - alpha.
        gamma: how fast the weight of good predictions falls.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, a normalizer of two
            dimensions, an ``alpha`` outside [0, 1] or a negative ``gamma``.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.sigmoid_focal_loss(x, label).item(), 4)
        0.0433
    """
    check_reduction(reduction, "sigmoid_focal_loss")
    check_domain("sigmoid_focal_loss: alpha", alpha, PROBABILITY)
    check_domain("sigmoid_focal_loss: gamma", gamma, NOT_NEGATIVE)
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


@composite(public="functional", method=False)
def dice_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-5, name: str | None = None
) -> Tensor:
    """Return 1 minus the overlap of predicted and labelled areas, averaged over the samples.

    Args:
        input: float32 or float64[N, ..., C], probabilities of the classes.
        label: int32 or int64[N, ..., 1].
        epsilon: added to the areas in the divisor.
        name: ignored.

    Returns:
        a 0-D float tensor.

    Raises:
        InvalidArgumentError: for dtypes or shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.25, 0.75]]), paddle.to_tensor([[1]])
        >>> round(paddle.nn.functional.dice_loss(x, label).item(), 3)
        0.25
    """
    _check_dice(input, label)
    hot = paddle.nn.functional.one_hot(paddle.squeeze(label, [-1]), input.shape[-1])
    if hot.dtype != input.dtype:
        hot = paddle.cast(hot, input.dtype)
    axes = list(range(1, input.ndim))
    overlap = paddle.sum(input * hot, axis=axes)
    areas = paddle.sum(input, axis=axes) + paddle.sum(hot, axis=axes)
    return paddle.mean(1 - overlap * 2 / (areas + epsilon))


def _check_dice(input, label) -> None:
    if input.dtype not in (paddle.float32, paddle.float64):
        raise RefusedArgumentError(f"dice_loss takes float32 or float64, not {input.dtype}.")
    if label.dtype not in (paddle.int32, paddle.int64):
        raise RefusedArgumentError(f"The label must be int32 or int64, not {label.dtype}.")
    if input.ndim < 2:
        raise RefusedArgumentError("The rank of input should be greater than or equal to 2.")
    if input.ndim != label.ndim:
        raise RefusedArgumentError(
            f"The rank of input and label should be equal, but received input: {input.ndim}, "
            f"label: {label.ndim}."
        )
    if label.shape[-1] != 1:
        raise RefusedArgumentError(
            f"The last dimension of label should be 1, but received {label.shape[-1]}."
        )
    if input.shape[:-1] != label.shape[:-1]:
        raise RefusedArgumentError(
            "All dimensions should be equal except the last one: they are "
            f"{list(input.shape)} and {list(label.shape)}."
        )
