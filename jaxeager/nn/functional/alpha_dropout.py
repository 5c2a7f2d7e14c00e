"""Dropout that preserves the mean and variance of SELU outputs, and dropout of whole rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from jaxeager.graph.mode import grad_mode
from jaxeager.nn.functional.common import dropout
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# SELU's own constants: for very negative inputs it returns minus their product.
ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805


@composite(public="functional", method=False)
def alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    """Set random elements of x to SELU's lowest value, then rescale.

    Mean 0 and variance 1 are preserved.

    Args:
        x: float tensor.
        p: the probability that an element is dropped, a number in [0, 1].
        training: whether to apply dropout.
        name: ignored.

    Returns:
        float, shaped as x; x itself when not training.

    Raises:
        InvalidTypeError: if p is not a number.
        InvalidArgumentError: for a p outside [0, 1].

    Paddle: the random numbers differ.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.alpha_dropout(paddle.zeros([64]), 0.5)
        >>> [round(each, 4) for each in sorted(set(out.tolist()))]
        [-0.7792, 0.7792]
    """
    return _alpha_dropout(x, p, training, list(x.shape))


@composite(public="functional", method=False)
def feature_alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    """Set random channels of x to SELU's lowest value, then rescale.

    Args:
        x: float[N, C, ...].
        p: the probability that a channel is dropped, a number in [0, 1].
        training: whether to apply dropout.
        name: ignored.

    Returns:
        float, shaped as x; x itself when not training.

    Raises:
        InvalidTypeError: if p is not a number.
        InvalidArgumentError: for a p outside [0, 1], or fewer than 2 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> out = paddle.nn.functional.feature_alpha_dropout(paddle.zeros([1, 1, 4]), 0.5)
        >>> len(set(out.flatten().tolist()))
        1
    """
    if training and p != 1 and x.ndim < 2:
        raise InvalidArgumentError(
            f"Feature alpha dropout needs at least 2D input, not {list(x.shape)}."
        )
    return _alpha_dropout(x, p, training, [*x.shape[:2], *[1] * (x.ndim - 2)])


def _alpha_dropout(x, p, training: bool, mask_shape: list[int]):
    """Record the mask, the replacement values, and the map back to mean 0 and variance 1."""
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise InvalidTypeError("p argument should be a float or int")
    if not 0 <= p <= 1:
        raise InvalidArgumentError(f"p argument should between 0 and 1, but received {p}")
    if not training or grad_mode.for_inference:
        return x
    if p == 1:
        return paddle.scale(x, 0.0)
    low = -ALPHA * SCALE
    slope = ((1 - p) * (1 + p * low**2)) ** -0.5
    draw = paddle.uniform(mask_shape, "float32", 0.0, 1.0)
    kept = paddle.greater_equal(draw, paddle.full(mask_shape, p, "float32"))
    kept = paddle.cast(kept, x.dtype)
    dropped = paddle.subtract(paddle.full(mask_shape, 1.0, x.dtype), kept)
    mixed = paddle.add(paddle.multiply(x, kept), paddle.scale(dropped, low))
    shift = paddle.full(mask_shape, -slope * low * p, x.dtype)
    return paddle.add(paddle.scale(mixed, slope), shift)


@composite(public="functional", method=False)
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero random entries of the second axis, the same for every sample.

    Args:
        input: float[N, C, L], or float[C, L].
        p: the probability that a channel is zeroed.
        training: whether to apply dropout.
        inplace: no effect, as in Paddle; a warning is issued.

    Returns:
        float, shaped as input.

    Raises:
        InvalidArgumentError: for a p outside [0, 1].
        PreconditionNotMetError: unless there are 2 or 3 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.dropout1d(paddle.ones([2, 3]), training=False).sum().item()
        6.0
    """
    if p < 0 or p > 1:
        raise InvalidArgumentError(f"dropout probability must be in [0, 1], got {p}")
    if input.ndim not in (2, 3):
        raise PreconditionNotMetError(f"dropout1d expects 2D or 3D input, got {input.ndim}D")
    if inplace:
        warnings.warn("dropout1d has no inplace form: inplace=True is ignored.", stacklevel=2)
    if input.ndim == 3:
        return dropout(input, p=p, axis=1, training=training)
    return dropout(input.unsqueeze(0), p=p, axis=1, training=training).squeeze(0)
