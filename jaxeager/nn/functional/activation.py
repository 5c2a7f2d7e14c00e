"""Activation functions whose signature differs from their row's, or that draw random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.arrays.random import next_key
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.elementwise.composite_functions import cast_first
from jaxeager.ops.elementwise.math import multiply
from jaxeager.ops.elementwise.unary import sigmoid
from jaxeager.ops.indexing.gather import axis_of
from jaxeager.ops.nn import hard_activation
from jaxeager.ops.nn import softmax as rows
from jaxeager.ops.register import composite
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.attrs import as_int
from jaxeager.ops.shape.splitting import split

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def softmax_(
    x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Write the softmax of ``x`` into ``x`` and return it; see ``softmax``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softmax_(paddle.to_tensor([1.0, 1.0])).tolist()
        [0.5, 0.5]
    """
    if dtype is not None:
        x.cast_(dtype)
    return ROWS["softmax"].inplace_function(x, axis)


@composite(public="functional", method=False)
def log_softmax(
    x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Return the logarithm of the softmax along an axis, without overflow.

    Paddle: on a CPU it clips differences below -64; they are exact here.

    Args:
        x: floating tensor.
        axis: the axis.
        dtype: dtype to cast ``x`` to first; the cast is recorded.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the axis is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.log_softmax(paddle.to_tensor([1000.0, 0.0])).tolist()
        [0.0, -1000.0]
    """
    return rows.log_softmax(cast_first(x, dtype), axis)


@composite(public="functional", method=False)
def gumbel_softmax(
    x: Tensor, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: str | None = None
) -> Tensor:
    """Return samples of the categorical distribution softmax(x), by the Gumbel trick.

    Paddle: its gradient is not divided by the temperature, and is 0 for hard draws. Here it is the
    gradient of the soft draw in both cases.

    Args:
        x: floating tensor of logits.
        temperature: above 0; the lower, the closer the draws are to 0 and 1.
        hard: draw exactly 0 or 1; the gradient is that of the soft draw.
        axis: the axis along which the draws sum to 1.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the temperature is not above 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.gumbel_softmax(paddle.zeros([3]), hard=True).sum().item()
        1.0
    """
    return rows.gumbel_softmax(x, next_key(), temperature, hard, axis)


@composite(public="functional", method=False)
def rrelu(
    x: Tensor,
    lower: float = 1.0 / 8.0,
    upper: float = 1.0 / 3.0,
    training: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return ``x`` with negative elements multiplied by a slope, which is random in training.

    Args:
        x: floating tensor.
        lower: the smallest slope, in [0, 1].
        upper: the largest slope, in [lower, 1].
        training: draw random slopes; otherwise the mean of both bounds is used.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the bounds are out of order or outside [0, 1].
        InvalidTypeError: if one of them is not a number.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.nn.functional.rrelu(x, 0.25, 0.75, training=False).tolist()
        [-0.5, 2.0]
    """
    for name, value in (("lower", lower), ("upper", upper)):
        if not isinstance(value, (int, float)):
            raise InvalidTypeError(f"rrelu: {name} must be a number, but received {value!r}.")
    if not 0 <= lower <= upper <= 1:
        raise InvalidArgumentError(
            "The upper value must be greater than lower value, and both in [0, 1]. "
            f"Received: lower {lower}, upper {upper}."
        )
    return hard_activation.rrelu(x, next_key(), lower, upper, training)


@composite(public="functional", method=False)
def glu(x: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the first half of ``x`` along an axis times the sigmoid of the second half.

    Args:
        x: floating tensor with an even size along the axis.
        axis: the axis to split.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: if the size is odd.
        InvalidAxisError: for an axis out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.glu(paddle.to_tensor([2.0, 0.0])).tolist()
        [1.0]
    """
    axis = as_int(axis, "glu: axis")
    if raw(x).ndim and raw(x).shape[axis_of(raw(x), axis)] % 2:
        raise InvalidArgumentError(
            f"glu splits its input in two: the size of axis {axis} must be even, but the shape is "
            f"{list(raw(x).shape)}."
        )
    first, second = split(x, 2, axis)
    return multiply(first, sigmoid(second))
