"""Losses of sequences with unknown alignment: CTC and the transducer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

import jaxeager as paddle
from jaxeager.core import ports
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.losses import ctc, rnnt
from jaxeager.ops.register import composite
from jaxeager.ops.rules.value_checks import can_be_looked_at

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _check_reduction(reduction: str, function: str) -> None:
    """Raise, where Paddle asserts, if a reduction is not "sum", "mean" or "none"."""
    if reduction not in ("sum", "mean", "none"):
        raise RefusedArgumentError(
            f"The value of 'reduction' in {function} should be 'sum', 'mean' or 'none', but "
            f"received {reduction}, which is not allowed."
        )


@composite(public="functional", method=False)
def ctc_loss(
    log_probs: Tensor,
    labels: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    norm_by_times: bool = False,
    zero_infinity: bool = False,
) -> Tensor:
    """Return minus the log probability that the outputs over time read as a label (CTC).

    Paddle: there, a label that does not fit in its time costs 0; here it costs inf, so that
    zero_infinity has an effect. There, samples with an empty label make the mean inf; here their
    loss is divided by 1.

    Args:
        log_probs: float[time, batch, classes], logits: the function computes their log_softmax.
        labels: integers[batch, length].
        input_lengths: integers[batch], number of time steps of each sample.
        label_lengths: integers[batch], number of labels of each sample.
        blank: the class that reads as nothing.
        reduction: "mean" (each loss divided by its label's length first), "sum" or "none".
        norm_by_times: whether to divide the gradients, not the losses, by the number of time steps.
        zero_infinity: whether infinite losses count as 0.

    Returns:
        a 0-D float tensor; with reduction "none", float[batch].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or, on a CPU,
            lengths or labels that are out of range.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.to_tensor([1])
        >>> scores = paddle.zeros([1, 1, 2])
        >>> loss = paddle.nn.functional.ctc_loss(scores, paddle.to_tensor([[1]]), one, one)
        >>> round(loss.item(), 4)
        0.6931
    """
    _check_reduction(reduction, "ctc_loss")
    if log_probs.ndim == 3 and labels.ndim == 2:
        time, _, classes = log_probs.shape
        _check_lengths(input_lengths, time, label_lengths, labels, classes)
    loss = ctc.warpctc(log_probs, labels, input_lengths, label_lengths, blank, norm_by_times)
    loss = paddle.squeeze(loss, [-1])
    if zero_infinity:
        loss = paddle.where(paddle.isinf(loss), paddle.zeros_like(loss), loss)
    if reduction == "mean":
        lengths = paddle.clip(label_lengths, min=1).astype(loss.dtype)
        return paddle.mean(loss / lengths)
    return paddle.sum(loss) if reduction == "sum" else loss


def _check_lengths(input_lengths, time: int, label_lengths, labels, classes: int) -> None:
    """Raise for lengths not of shape [batch], and for values out of range (``check_within``)."""
    batch = labels.shape[0]
    for what, lengths in [("input_lengths", input_lengths), ("label_lengths", label_lengths)]:
        if tuple(lengths.shape) != (batch,):
            raise InvalidArgumentError(
                f"{what} must be [{batch}], one for each sample, but is {list(lengths.shape)}."
            )
    for what, lengths, most in [
        ("input_lengths", input_lengths, time),
        ("label_lengths", label_lengths, labels.shape[1]),
    ]:
        check_within(lengths._array, 0, most + 1, partial(_no_length, what, most))
    check_within(
        _used(labels._array, label_lengths._array), 0, classes, partial(_no_label, classes)
    )


def _used(labels, lengths):
    """Return the labels with zeros after the length of each row."""
    if can_be_looked_at(labels) and can_be_looked_at(lengths):
        labels, lengths = np.asarray(labels), np.asarray(lengths)
    elif ports.look_at_indices is None:  # the values will not be checked
        return labels
    numpy = np if isinstance(labels, np.ndarray) else jnp
    return numpy.where(np.arange(labels.shape[1]) < lengths[:, None], labels, 0)


def _no_length(what: str, most: int, found: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{what} must be in [0, {most}], the padded size, but received {found}."
    )


def _no_label(classes: int, found: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"labels must be in [0, {classes}), the number of classes, but received {found}."
    )


@composite(public="functional", method=False)
def rnnt_loss(
    input: Tensor,
    label: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    fastemit_lambda: float = 0.001,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return minus the log probability that a transducer emits a label.

    Args:
        input: float[batch, time, length + 1, classes], log probabilities; no softmax is applied.
        label: integers[batch, length].
        input_lengths: integers[batch], number of time steps of each sample, at least 1.
        label_lengths: integers[batch], number of labels of each sample.
        blank: the class that advances in time.
        fastemit_lambda: by how much to enlarge the gradients of emitted labels.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", float[batch].

    Raises:
        InvalidArgumentError: for any other reduction, shapes that do not match, or, on a CPU,
            lengths or labels that are out of range.

    Example:
        >>> import jaxeager as paddle
        >>> one = paddle.to_tensor([1])
        >>> scores = paddle.nn.functional.log_softmax(paddle.zeros([1, 1, 2, 2]))
        >>> loss = paddle.nn.functional.rnnt_loss(scores, paddle.to_tensor([[1]]), one, one)
        >>> round(loss.item(), 4)
        1.3863
    """
    _check_reduction(reduction, "rnnt_loss")
    if input.ndim == 4 and label.ndim == 2:
        _check_lengths(input_lengths, input.shape[1], label_lengths, label, input.shape[3])
    loss = rnnt.warprnnt(input, label, input_lengths, label_lengths, blank, fastemit_lambda)
    if reduction == "mean":
        return paddle.sum(loss) / input.shape[0]
    return paddle.sum(loss) if reduction == "sum" else loss
