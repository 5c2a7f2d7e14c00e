"""Integrals by the trapezoidal rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.elementwise.math import add, multiply
from jaxeager.ops.elementwise.scaling import scale
from jaxeager.ops.indexing.gather import axis_of
from jaxeager.ops.reductions.cumulative import cumsum
from jaxeager.ops.reductions.reduction import sum as sum_over
from jaxeager.ops.register import composite
from jaxeager.ops.shape.composite_shape import diff
from jaxeager.ops.shape.manipulation import reshape

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _areas(y, x, dx, axis: int):
    """Return the areas between neighbors along an axis."""
    if x is not None and dx is not None:
        raise InvalidArgumentError(
            f"x and dx may not both be given: each specifies the distances. dx was {dx!r}."
        )
    for each in (y, x):
        if each is not None and raw(each).dtype not in dtypes.FLOATS:
            raise InvalidTypeError(
                f"The data type of input must be a floating one, but got {raw(each).dtype.name}."
            )
    before = (slice(None),) * axis
    heights = add(y[(*before, slice(1, None))], y[(*before, slice(None, -1))])
    if x is None:
        return scale(heights, 0.5 * (1.0 if dx is None else dx), None)
    if x.ndim == 1:
        shape = [1] * y.ndim
        shape[axis] = -1
        steps = reshape(diff(x), shape)
    else:
        steps = diff(x, axis=axis)
    return scale(multiply(heights, steps), 0.5, None)


@composite()
def trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    dx: float | None = None,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Return the integral of ``y`` along an axis, by the trapezoidal rule.

    Args:
        y: floating tensor, the values of a function.
        x: floating tensor of their positions: 1-D, or of the shape of ``y``.
        dx: their distance if ``x`` is not given, 1 by default.
        axis: the axis.
        name: accepted for compatibility.

    Returns:
        Tensor of the other axes.

    Raises:
        InvalidArgumentError: when both ``x`` and ``dx`` are given, or the axis is out of range.
        InvalidTypeError: for an integer tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.trapezoid(paddle.to_tensor([1.0, 2.0, 3.0]), dx=2.0).item()
        8.0
    """
    axis = axis_of(y, axis)
    return sum_over(_areas(y, x, dx, axis), axis)


@composite()
def cumulative_trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    dx: float | None = None,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Return the integrals of ``y`` up to each place but the first; see ``trapezoid``.

    Returns:
        Tensor that is one element shorter than ``y`` along the axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cumulative_trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [1.5, 4.0]
    """
    axis = axis_of(y, axis)
    return cumsum(_areas(y, x, dx, axis), axis)
