"""Losses, each recorded as the same ops as in Paddle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidIndexError
from jaxeager.nn.functional.class_labels import (
    check_label,
    lacks_class_axis,
    smooth,
    smoothed_one_hot,
    weights_of,
)
from jaxeager.nn.functional.edit_distances import edit_distance  # noqa: F401 - Paddle's place
from jaxeager.nn.functional.loss_reduction import check_reduction, reduced, warn_of_broadcast
from jaxeager.ops.call.dispatch import cast, raw
from jaxeager.ops.losses import class_loss, elementwise_loss, label_loss
from jaxeager.ops.reductions.reduction import mean_all
from jaxeager.ops.register import composite
from jaxeager.ops.rules.domains import POSITIVE, PROBABILITY, check_domain, check_values
from jaxeager.ops.rules.promotion import common_dtype

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# ---- cross entropy


@composite(public="functional", method=False)
def cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Return the cross entropy of the softmax of logits with labels.

    Args:
        input: float logits with the classes along ``axis``; probabilities when use_softmax is
            False.
        label: integers shaped as input without ``axis`` (or with size 1 there); or probabilities
            shaped as input, with soft_label.
        weight: float[classes], or None.
        ignore_index: label of samples that are ignored.
        reduction: "mean", "sum" or "none". As in Paddle, the mean excludes ignored samples from
            the count if ignore_index is 0 or more, and includes them if it is negative.
        soft_label: whether labels are probabilities. With label_smoothing, floating labels of the
            input's shape always are.
        axis: the axis of the classes.
        use_softmax: whether the input contains logits.
        label_smoothing: share of each label that is spread evenly over all classes.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per sample.

    Raises:
        InvalidArgumentError: for shapes, weights or arguments that do not match.
        OutOfRangeError: for a label that is not a class, on a CPU. On an accelerator, which is
            not waited for, the loss is nan.

    Paddle: there, label_smoothing with ignore_index divides by a wrong count (or fails for
    negative labels), and soft labels that do not sum to 1 get a wrong gradient.

    Example:
        >>> import jaxeager as paddle
        >>> logits = paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> loss = paddle.nn.functional.cross_entropy(logits, paddle.to_tensor([0, 1]))
        >>> round(loss.item(), 4)
        0.1269
    """
    check_reduction(reduction, "softmax_cross_entropy")
    if ignore_index > 0 and soft_label:
        raise InvalidArgumentError(
            "When soft_label == True, the value of 'ignore_index' in softmax_cross_entropy should "
            f"be '-100', but received {ignore_index}, which is not allowed."
        )
    squeezes, given = lacks_class_axis(input, label), label
    if squeezes:
        label = paddle.unsqueeze(label, axis)
    valid = None
    if label_smoothing > 0 and label.is_floating_point() and label.shape == input.shape:
        soft_label = True
    shape = raw(input).shape
    if not soft_label:  # the given labels: nothing to wait for
        check_label(given, shape[axis], ignore_index)
    if not 0 <= label_smoothing <= 1:
        raise InvalidArgumentError(
            f"The value of label_smoothing must be between 0 and 1, but received {label_smoothing}."
        )
    if label_smoothing > 0 and not soft_label:
        label, valid = smoothed_one_hot(label, input, axis, label_smoothing, ignore_index)
        soft_label, squeezes = True, False
    elif label_smoothing > 0:
        label = smooth(label, input, axis, label_smoothing)
    out = label_loss.cross_entropy(input, label, soft_label, use_softmax, ignore_index, axis)
    used = None
    if weight is not None:
        used = weights_of(input, label, weight, ignore_index, soft_label, axis)
        out = paddle.multiply(paddle.cast(out, used.dtype), used)
    if reduction == "mean":
        if 0 in shape:
            return mean_all(out + float("nan"))
        if valid is None and ignore_index >= 0 and not soft_label:
            valid = paddle.not_equal(label, ignore_index)
        return _mean_over(out, used, valid)
    if reduction == "sum":
        return paddle.sum(out)
    return paddle.squeeze(out, axis) if squeezes else out


def _mean_over(out, used, valid):
    """Divide the sum by the weights, or by the number of samples that count."""
    if used is None and valid is None:
        return mean_all(out)
    total = paddle.sum(out)
    share: Any = used
    if valid is not None:
        share = paddle.cast(valid, total.dtype)
        share = share if used is None else paddle.multiply(share, used)
    count = paddle.sum(share)
    empty = paddle.cast(paddle.equal(count, 0.0), count.dtype)
    return paddle.divide(total, paddle.add(count, empty))


@composite(public="functional", method=False)
def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """Return the cross entropy of each sample, keeping the class axis with size 1.

    Args:
        logits: float, with the classes along ``axis``.
        label: integers with size 1 along ``axis``; or probabilities, with soft_label.
        soft_label: whether labels are probabilities.
        ignore_index: label of samples that are ignored.
        numeric_stable_mode: accepted; the computation is always stable.
        return_softmax: whether to also return the softmax.
        axis: the axis of the classes.

    Returns:
        float, shaped as a hard label; with return_softmax, a pair of that and the softmax.

    Raises:
        InvalidArgumentError: for shapes that do not match.
        OutOfRangeError: for a label that is not a class, on a CPU.

    Paddle: there, a gradient through the returned softmax crashes; here it is a separate op.

    Example:
        >>> import jaxeager as paddle
        >>> logits, label = paddle.to_tensor([[2.0, 0.0]]), paddle.to_tensor([[0]])
        >>> loss = paddle.nn.functional.softmax_with_cross_entropy(logits, label)
        >>> loss.shape, round(loss.item(), 4)
        (paddle.Size([1, 1]), 0.1269)
    """
    if not soft_label:
        check_label(label, logits.shape[axis], ignore_index)
    loss = label_loss.cross_entropy(logits, label, soft_label, True, ignore_index, axis)
    if not return_softmax:
        return loss
    return loss, paddle.nn.functional.softmax(logits, axis)


@composite(public="functional", method=False)
def nll_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return minus the log probabilities of the labelled classes.

    Args:
        input: float[N, C, ...], log probabilities.
        label: integers[N, ...]; for two dimensions [N, 1] too.
        weight: float[C], or None.
        ignore_index: label of samples that are ignored and not counted.
        reduction: "mean" (over the weights), "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[N, ...].

    Raises:
        InvalidArgumentError: for shapes that do not match.
        InvalidIndexError: for a label that is not a class, on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> logs = paddle.to_tensor([[-0.5, -1.0]])
        >>> paddle.nn.functional.nll_loss(logs, paddle.to_tensor([1])).item()
        1.0
    """
    check_reduction(reduction, "nll_loss")
    if input.ndim < 2:
        raise InvalidArgumentError(f"Expected 2 or more dimensions (got {input.ndim})")
    check_label(label, input.shape[1], ignore_index, InvalidIndexError)
    if input.ndim == 2 and label.shape[1:] == [1]:
        label = paddle.squeeze(label, 1)
    if input.ndim in (2, 4):
        return class_loss.nll_loss(input, label, weight, ignore_index, reduction)
    shape = [input.shape[0], *input.shape[2:]]
    flat = paddle.reshape(input, [*input.shape[:2], 1, -1])
    label = paddle.reshape(label, [label.shape[0], 1, -1])
    out = class_loss.nll_loss(flat, label, weight, ignore_index, reduction)
    return paddle.reshape(out, shape) if reduction == "none" else out


# ---- differences


@composite(public="functional", method=False)
def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """Return the square of the difference, element by element.

    Args:
        input: float tensor.
        label: float tensor that broadcasts with it.

    Returns:
        float of the broadcast shape.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
        >>> paddle.nn.functional.square_error_cost(x, y).tolist()
        [4.0]
    """
    warn_of_broadcast("square_error_cost", input, label)
    return paddle.square(paddle.subtract(input, label))


@composite(public="functional", method=False)
def mse_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Return the mean square of the difference.

    Args:
        input: float tensor.
        label: float tensor that broadcasts with it.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.mse_loss(x, y).item()
        2.0
    """
    check_reduction(reduction, "mse_loss")
    warn_of_broadcast("mse_loss", input, label)
    return reduced(paddle.square(paddle.subtract(input, label)), reduction)


@composite(public="functional", method=False)
def l1_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Return the mean absolute difference, with gradient 0 where both are equal.

    Args:
        input: float tensor.
        label: float tensor that broadcasts with it.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.l1_loss(x, y).item()
        1.0
    """
    check_reduction(reduction, "L1Loss")
    warn_of_broadcast("l1_loss", input, label)
    return reduced(paddle.abs(paddle.subtract(input, label)), reduction, mean_all)


@composite(public="functional", method=False)
def smooth_l1_loss(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    is_huber: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return half the square of small differences, and a linear function of large ones.

    Args:
        input: float tensor.
        label: float tensor of the same shape.
        reduction: "mean", "sum" or "none".
        delta: where the square ends and the line begins.
        is_huber: False divides by delta.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([1.0, 1.0]), paddle.to_tensor([3.0, 1.0])
        >>> paddle.nn.functional.smooth_l1_loss(x, y).item()
        0.75
    """
    check_reduction(reduction, "smooth_l1_loss")
    check_domain("smooth_l1_loss: delta", delta, POSITIVE)
    if raw(input).dtype != raw(label).dtype:
        common = common_dtype(raw(input), raw(label), zero_dim_rule=False)
        input, label = cast(input, common), cast(label, common)
    out = elementwise_loss.huber_loss(input, label, delta)
    return reduced(out if is_huber else out / delta, reduction)


# ---- probabilities


@composite(public="functional", method=False)
def binary_cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return the binary cross entropy of probabilities.

    Args:
        input: float probabilities.
        label: float of the same shape.
        weight: float that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, or an input outside
            [0, 1] on a CPU. An accelerator is not waited for: the result is nan there, or an error
            is raised later with FLAGS_check_index=1.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([0.5]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.binary_cross_entropy(x, y).item(), 4)
        0.6931
    """
    check_reduction(reduction, "binary_cross_entropy")
    check_values(input, PROBABILITY, _no_probability)
    out = label_loss.binary_cross_entropy(input, label)
    out = out if weight is None else paddle.multiply(out, weight)
    return reduced(out, reduction, mean_all)


def _no_probability(found) -> InvalidArgumentError:
    return InvalidArgumentError(
        "Illegal input, input must be greater than or equal to 0 and less than or equal to 1, "
        f"but received {found}."
    )


@composite(public="functional", method=False)
def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the binary cross entropy of the sigmoid of logits.

    Args:
        logit: float tensor.
        label: float of the same shape.
        weight: float that broadcasts with them, or None.
        reduction: "mean", "sum" or "none".
        pos_weight: the weight of positive labels, float that broadcasts with them, or None.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, or shapes that differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
        >>> round(paddle.nn.functional.binary_cross_entropy_with_logits(x, y).item(), 4)
        0.6931
    """
    check_reduction(reduction, "binary_cross_entropy_with_logits")
    if pos_weight is not None:
        one = paddle.full([1], 1.0, logit.dtype)
        pos_weight = paddle.add(paddle.multiply(label, paddle.subtract(pos_weight, one)), one)
    out = label_loss.binary_cross_entropy_with_logits(logit, label, pos_weight)
    out = out if weight is None else paddle.multiply(out, weight)
    return reduced(out, reduction, mean_all)


@composite(public="functional", method=False)
def kl_div(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    log_target: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the Kullback-Leibler divergence of labels from log probabilities.

    Paddle: there, a label that requires a gradient gets none.

    Args:
        input: float log probabilities.
        label: float of the same shape, probabilities; their logarithms with log_target.
        reduction: "mean", "batchmean" (the sum over the first size), "sum" or "none".
        log_target: whether labels are logarithms.
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction (Paddle treats it as "none"), or shapes that
            differ.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([-1.0]), paddle.to_tensor([1.0])
        >>> paddle.nn.functional.kl_div(x, y).item()
        1.0
    """
    if reduction != "batchmean":
        check_reduction(reduction, "kl_div")
    if input.dtype != label.dtype:
        wide = paddle.float64
        input = input if input.dtype == wide else paddle.cast(input, wide)
        label = label if label.dtype == wide else paddle.cast(label, wide)
    out = label_loss.kl_div(input, label, log_target)
    if reduction == "batchmean":
        total = paddle.sum(out)
        return total / input.shape[0] if input.ndim else total
    return reduced(out, reduction)
