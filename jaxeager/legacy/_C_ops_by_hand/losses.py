"""Losses."""

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

F = paddle.nn.functional


def bce_loss(input, label):
    """Return the binary cross entropy of each element."""
    return F.binary_cross_entropy(input, label, reduction="none")


def huber_loss(input, label, delta):
    """Return the Huber loss of each element."""
    apart = (input - label).abs()
    return paddle.where(apart <= delta, 0.5 * apart * apart, delta * (apart - 0.5 * delta))


def kldiv_loss(x, label, reduction, log_target=False):
    """Return the Kullback-Leibler divergence."""
    return F.kl_div(x, label, reduction, log_target)


def nll_loss(input, label, weight, ignore_index=-100, reduction="mean"):
    """Return the negative log likelihood, and the sum of the weights that count."""
    found = F.nll_loss(input, label, weight, ignore_index, reduction)
    counted = label != ignore_index
    weights = paddle.ones([input.shape[1]], input.dtype) if weight is None else weight
    rows = paddle.where(counted, label, paddle.zeros_like(label))
    total = (weights[rows] * counted.astype(input.dtype)).sum()
    return found, (total if reduction != "none" else paddle.zeros([], input.dtype))


def cross_entropy_with_softmax(
    input, label, soft_label=False, use_softmax=True, numeric_stable_mode=True, ignore_index=-100,
    axis=-1,
):  # fmt: skip
    """Return the softmax of the logits, without a gradient, and the loss of each label."""
    loss = F.cross_entropy(
        input, label, ignore_index=ignore_index, reduction="none", soft_label=soft_label,
        axis=axis, use_softmax=use_softmax,
    )  # fmt: skip
    loss = loss if loss.ndim == input.ndim else loss.unsqueeze(axis)
    return (F.softmax(input, axis) if use_softmax else input).detach(), loss


def sigmoid_cross_entropy_with_logits(
    x, label, pos_weight=None, normalize=False, ignore_index=-100
):
    """Return the binary cross entropy of each logit, 0 where a label is ignored.

    ``pos_weight`` has the label's shape and weighs the logarithm, ``(1 - label) * x + pos_weight *
    log(1 + exp(-x))``: the public function passes ``(pos_weight - 1) * label + 1``.
    """
    if pos_weight is None:
        loss = F.binary_cross_entropy_with_logits(x, label, None, "none")
    elif pos_weight.shape != label.shape:
        raise InvalidArgumentError(
            f"pos_weight must have the label's shape, {label.shape}, but has {pos_weight.shape}."
        )
    else:
        loss = (1 - label) * x - pos_weight * F.log_sigmoid(x)
    counts = (label != ignore_index).astype(x.dtype)
    loss = loss * counts
    return loss / paddle.clip(counts.sum(), min=1.0) if normalize else loss
