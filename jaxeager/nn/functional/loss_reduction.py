"""Reduction of losses: the check of the argument, and the sum or mean that is recorded."""

import numpy as np

import jaxeager as paddle
from jaxeager.core import user_lines
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import raw


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


def warn_of_broadcast(function: str, input, label) -> None:
    """Warn of an input and a label that both are broadcast, so that all pairs are compared."""
    shapes = raw(input).shape, raw(label).shape
    if shapes[0] == shapes[1] or any(map(is_symbolic, shapes[0] + shapes[1])):
        return
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:  # the subtraction raises
        return
    if shape not in shapes:
        user_lines.warn(
            f"{function}: the input's shape {list(shapes[0])} and the label's {list(shapes[1])} "
            f"are broadcast to {list(shape)}, so that every element of one is compared with every "
            "element of the other. Give both the same shape, for example with "
            "label.reshape(input.shape)."
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
