"""Floats rounded to the values that integers could hold; gradients pass through the rounding.

Note [Rounding that gradients pass]
Rounding has the gradient 0 almost everywhere, which would prevent training. As in Paddle, the
gradient of the rounded value is passed to the original value, also where that was clipped.
``rounded + (x - x)``, where rounded and the last x are detached, does exactly that: the difference
is 0 and has the gradient 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def passed_through(x: Tensor, rounded: Tensor) -> Tensor:
    """Return the rounded value, with the gradient of x (Note [Rounding that gradients pass])."""
    return rounded.detach() + (x - x.detach())


def largest(x: Tensor, axis: int | None = None) -> Tensor:
    """Return the largest absolute value, float[1], or one value for each index of an axis."""
    if axis is None:
        return x.abs().max().reshape([1])
    return x.abs().transpose([axis, *(a for a in range(x.ndim) if a != axis)]).flatten(1).max(1)


def simulated(x: Tensor, scale: Tensor, bits: int) -> Tensor:
    """Return x rounded as integers of ``bits`` bits would hold it, with the gradient of x.

    Args:
        x: float[...].
        scale: the largest absolute value, of a shape that broadcasts; x is clipped to it.
        bits: number of bits, including the sign.
    """
    with paddle.no_grad():
        found = steps_of(x, scale, bits) * scale / top_step(bits)
    return passed_through(x, found)


def steps_of(x: Tensor, scale: Tensor, bits: int) -> Tensor:
    """Return the integers of ``bits`` bits that represent x, as floats.

    Args:
        x: float[...].
        scale: the value of the highest integer, of a shape that broadcasts; x is clipped to it.
        bits: number of bits, including the sign.
    """
    inverse = paddle.where(scale > 1e-30, 1.0 / scale, 1.0 / (scale + 1e-6))
    steps = paddle.maximum(paddle.minimum(x, scale), -scale) * (inverse * top_step(bits))
    return paddle.sign(steps) * paddle.floor(steps.abs() + 0.5)


def top_step(bits: int) -> int:
    """Return the highest integer of ``bits`` bits, including the sign."""
    return 2 ** (bits - 1) - 1


def quantized(x: Tensor, scale: Tensor, axis: int, low: int, high: int) -> Tensor:
    """Return x in steps of ``scale / high``, rounded and clipped, as floats.

    Args:
        x: float[...].
        scale: the value of the highest step; float[n] along an axis.
        axis: the axis of the scales, or -1 for one scale.
        low: the lowest number of steps.
        high: the highest number of steps.
    """
    return paddle.clip(paddle.round(x * high / along(scale, axis, x.ndim)), low, high)


def dequantized(x: Tensor, scale: Tensor, axis: int, high: int) -> Tensor:
    """Return the numbers represented by steps of ``scale / high``."""
    return x * along(scale, axis, x.ndim) / high


def along(scale: Tensor, axis: int, ndim: int) -> Tensor:
    """Return a scale in a shape that broadcasts along an axis of a tensor; -1 for one scale."""
    if axis < 0 or scale.size == 1:
        return scale
    shape = [1] * ndim
    shape[axis] = -1
    return scale.reshape(shape)
