"""Negative log likelihoods, and losses of probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.loss_reduction import check_reduction, check_same_shape, reduced
from jaxeager.ops.losses import log_loss as log_loss_rows
from jaxeager.ops.register import composite
from jaxeager.ops.rules.domains import NOT_NEGATIVE, check_domain, check_values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def poisson_nll_loss(
    input: Tensor,
    label: Tensor,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return minus the log likelihood of counts under Poisson distributions.

    Args:
        input: float tensor of the expected counts, or of their logarithms with log_input.
        label: float of the same shape, the counts.
        log_input: whether ``input`` contains logarithms.
        full: whether to add Stirling's approximation of log(label!) where a label is above 1.
        epsilon: added to ``input`` before its logarithm is taken.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes that differ, or an epsilon that is
            not positive.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([3.0])
        >>> paddle.nn.functional.poisson_nll_loss(x, label).item()
        1.0
    """
    if epsilon <= 0:
        raise InvalidArgumentError(
            f"The value of `epsilon` in poisson_nll_loss should be positive, but received "
            f"{epsilon:f}, which is not allowed"
        )
    check_reduction(reduction, "poisson_nll_loss")
    check_same_shape(input, label)
    if log_input:
        loss = paddle.exp(input) - label * input
    else:
        loss = input - label * paddle.log(input + epsilon)
    if full:
        loss = loss + _log_factorial(label)
    return reduced(loss, reduction)


def _log_factorial(label):
    """Return Stirling's approximation where a label is above 1, 0 elsewhere."""
    if not label.stop_gradient:  # else the branch not taken would contribute nan at 0
        label = paddle.where(label > 1, label, paddle.ones_like(label))
    stirling = label * paddle.log(label) - label + 0.5 * paddle.log(2 * math.pi * label)
    return paddle.where(label > 1, stirling, paddle.zeros_like(stirling))


@composite(public="functional", method=False)
def gaussian_nll_loss(
    input: Tensor,
    label: Tensor,
    variance: Tensor,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Return minus the log likelihood of values under normal distributions.

    Paddle: there, the variance gets no gradient.

    Args:
        input: float tensor, the means.
        label: float that broadcasts with it, the values.
        variance: float, shaped as ``input``, or without its last axis, or with size 1 there.
        full: whether to add the constant log(2 pi) / 2.
        epsilon: lower bound of the variance; below it, the gradient passes as if unclipped.
        reduction: "mean", "sum" or "none".
        name: ignored.

    Returns:
        a 0-D float tensor; with reduction "none", one value per element.

    Raises:
        InvalidArgumentError: for any other reduction, shapes or dtypes that do not match, or a
            negative variance, on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([0.0]), paddle.to_tensor([2.0])
        >>> paddle.nn.functional.gaussian_nll_loss(x, label, paddle.ones([1])).item()
        2.0
    """
    check_domain("gaussian_nll_loss: epsilon", epsilon, NOT_NEGATIVE)
    variance = _fitting_variance(input, variance)
    if reduction not in ("none", "mean", "sum"):
        raise InvalidArgumentError(f"{reduction} is not valid")
    for what, tensor in (("input", input), ("label", label), ("variance", variance)):
        if tensor.dtype not in (paddle.float32, paddle.float64):
            raise InvalidArgumentError(
                f"The data type of {what} Variable must be 'float32' or 'float64', not "
                f"{tensor.dtype}."
            )
    check_values(
        variance,
        NOT_NEGATIVE,
        lambda found: InvalidArgumentError(
            f"variance has negative entry/entries: received {found}."
        ),
    )
    variance = variance.clone()
    with paddle.no_grad():
        variance.clip_(min=epsilon)
    loss = 0.5 * (paddle.log(variance) + paddle.square(input - label) / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def _fitting_variance(input, variance):
    """Return the variance with as many dimensions as the input."""
    if variance.shape == input.shape:
        return variance
    if input.shape[:-1] == variance.shape:
        return paddle.unsqueeze(variance, -1)
    if input.shape[:-1] == variance.shape[:-1] and variance.shape[-1] == 1:
        return variance
    raise InvalidArgumentError(
        f"variance is of incorrect shape: {list(variance.shape)} does not fit the input's "
        f"{list(input.shape)}."
    )


@composite(public="functional", method=False)
def log_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-4, name: str | None = None
) -> Tensor:
    """Return the binary cross entropy of probabilities, kept away from 0 by an epsilon.

    Each element is ``-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon)``.

    Paddle: there, a label that requires a gradient gets none, and only float32 is supported.

    Args:
        input: float[N, 1], probabilities.
        label: float[N, 1].
        epsilon: added before logarithms are taken.
        name: ignored.

    Returns:
        float[N, 1].

    Raises:
        InvalidArgumentError: for any other shape.

    Example:
        >>> import jaxeager as paddle
        >>> x, label = paddle.to_tensor([[0.5]]), paddle.to_tensor([[1.0]])
        >>> round(paddle.nn.functional.log_loss(x, label).item(), 3)
        0.693
    """
    row = log_loss_rows.log_loss if label.stop_gradient else log_loss_rows.log_loss_with_label
    return row(input, label, epsilon)
