"""Reduction of losses: the check of the argument, and the sum or mean that is recorded."""

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError


def check_reduction(reduction: str, function: str) -> None:
    """Raise if a reduction is not "sum", "mean" or "none"."""
    if reduction not in ("sum", "mean", "none"):
        raise InvalidArgumentError(
            f"The value of 'reduction' in {function} should be 'sum', 'mean' or 'none', but "
            f"received {reduction}, which is not allowed."
        )


def check_reduction_briefly(reduction: str, function: str) -> None:
    """Raise as ``check_reduction`` does, with the wording of Paddle's newer losses."""
    if reduction not in ("sum", "mean", "none"):
        raise InvalidArgumentError(
            f"'reduction' in '{function}' should be 'sum', 'mean' or 'none', but received "
            f"{reduction}."
        )


def reduced(loss, reduction: str, mean=None):
    """Record the sum or the mean; ``mean`` is mean_all where Paddle records that op."""
    if reduction == "sum":
        return paddle.sum(loss)
    if reduction == "mean":
        return paddle.mean(loss) if mean is None else mean(loss)
    return loss


def check_same_shape(input, label) -> None:
    """Raise if a label does not have the shape of its input."""
    if list(input.shape) != list(label.shape):
        raise InvalidArgumentError(
            f"input's shape must equal to label's shape, but they are {list(input.shape)} and "
            f"{list(label.shape)}."
        )
