"""Public functions of elementwise arithmetic that take more arguments than their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.ops.call.dispatch import cast, raw, scalar_of_dtype
from jaxeager.ops.elementwise import math, scaling
from jaxeager.ops.elementwise.unary import trunc
from jaxeager.ops.register import composite
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules import fitting
from jaxeager.ops.rules.promotion import NUMBERS, number_dtype

if TYPE_CHECKING:
    from jaxeager.core.types import Number
    from jaxeager.tensor.tensor import Tensor


def _times(y, alpha):
    """Return y scaled by alpha, y itself for 1."""
    return y if alpha == 1 else scaling.scale(y, alpha, None)


@composite()
def add(x: Tensor, y: Tensor | Number, name: str | None = None, *, alpha: Number = 1) -> Tensor:
    """Return ``x + alpha * y``, element by element.

    Args:
        x: tensor.
        y: tensor (or number) that broadcasts with ``x``.
        name: accepted for compatibility.
        alpha: factor of ``y``; other than 1 it is a recorded ``scale``.

    Returns:
        Tensor of the broadcast shape, in the dtype that both promote to.

    Raises:
        InvalidTypeError: for dtypes that do not promote, such as int64 and float32.
        InvalidArgumentError: for shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.add(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [4.0, 6.0]
    """
    return math.add(x, _times(y, alpha))


@composite()
def add_(x: Tensor, y: Tensor | Number, name: str | None = None, *, alpha: Number = 1) -> Tensor:
    """Add ``alpha * y`` to ``x`` in place and return ``x``.

    ``y`` is a tensor or number that broadcasts to the shape of ``x``; see ``add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).add_(paddle.to_tensor([2.0])).tolist()
        [3.0]
    """
    return ROWS["add"].inplace_function(x, _times(y, alpha))


@composite(aliases="sub")
def subtract(
    x: Tensor, y: Tensor | Number, name: str | None = None, *, alpha: Number = 1
) -> Tensor:
    """Return ``x - alpha * y``, element by element; see ``add``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.subtract(paddle.to_tensor([3.0]), paddle.to_tensor([1.0])).tolist()
        [2.0]
    """
    return math.subtract(x, _times(y, alpha))


@composite(aliases="sub_")
def subtract_(
    x: Tensor, y: Tensor | Number, name: str | None = None, *, alpha: Number = 1
) -> Tensor:
    """Subtract ``alpha * y`` from ``x`` in place and return ``x``.

    ``y`` is a tensor or number that broadcasts to the shape of ``x``; see ``subtract``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).subtract_(paddle.to_tensor([1.0])).tolist()
        [2.0]
    """
    return ROWS["subtract"].inplace_function(x, _times(y, alpha))


def _check_rounding(rounding_mode) -> None:
    if rounding_mode not in ("floor", "trunc"):
        raise InvalidArgumentError(
            f"rounding_mode must be None, 'floor' or 'trunc', but received {rounding_mode!r}."
        )


@composite(aliases="div")
def divide(
    x: Tensor, y: Tensor | Number, name: str | None = None, *, rounding_mode: str | None = None
) -> Tensor:
    """Return ``x / y``, element by element; integers are divided as float32.

    Args:
        x: tensor.
        y: tensor (or number, unless rounded by "trunc") that broadcasts with ``x``.
        name: accepted for compatibility.
        rounding_mode: None, "floor" (rounds down) or "trunc" (towards 0); a rounded quotient has no
            gradient, and integers stay integers.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        InvalidArgumentError: for another rounding mode, or shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.divide(paddle.to_tensor([3.0]), paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    if rounding_mode is None:
        return math.divide(x, y)
    _check_rounding(rounding_mode)
    if rounding_mode == "floor":
        return math.floor_divide(x, y)
    x, y = x.detach(), y.detach()  # type: ignore[union-attr]
    if raw(x).dtype in dtypes.FLOATS or raw(y).dtype in dtypes.FLOATS:
        return trunc(math.divide(x, y))
    return _truncated(x, y)


def _truncated(x, y):
    """Return the quotient of integers, rounded towards 0; that of floats would not be exact."""
    quotient = math.floor_divide(x, y)
    is_low = (quotient < 0) & (quotient * y != x)
    return cast(quotient + cast(is_low, raw(quotient).dtype), raw(x).dtype)


@composite(aliases="div_")
def divide_(
    x: Tensor, y: Tensor | Number, name: str | None = None, *, rounding_mode: str | None = None
) -> Tensor:
    """Divide ``x`` by ``y`` in place and return ``x``; see ``divide``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).divide_(paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    if rounding_mode is None:
        return ROWS["divide"].inplace_function(x, y)
    _check_rounding(rounding_mode)
    if rounding_mode == "floor":
        return ROWS["floor_divide"].inplace_function(x, y)
    return ROWS["assign_out"].inplace_function(x, divide(x, y, rounding_mode="trunc"))


@composite()
def true_divide(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return ``input / other``; see ``divide``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.true_divide(paddle.to_tensor([3.0]), paddle.to_tensor([2.0])).tolist()
        [1.5]
    """
    return math.divide(input, other)


_ACTIVATIONS = {
    **{
        name: (name, {})
        for name in (
            "abs acos acosh asin asinh atan atanh ceil celu cos cosh elu erf exp expm1 floor gelu "
            "log log10 log1p log2 log_softmax mish reciprocal relu relu6 round rsqrt selu sigmoid "
            "sign silu sin sinh softmax softshrink softsign sqrt square swish tan tanh "
            "thresholded_relu"
        ).split()
    },
    "hard_shrink": ("hardshrink", {}),
    "hard_sigmoid": ("hardsigmoid", {"slope": 0.2, "offset": 0.5}),
    "hard_swish": ("hardswish", {}),
    "logsigmoid": ("logsigmoid", {}),
    "tanh_shrink": ("tanh_shrink", {}),
}
"""The functions that ``scale(act=)`` takes, by Paddle's names of their operators: row, options."""


def _activated(x: Tensor, act: str | None) -> Tensor:
    """Return an activation of ``x``; without a name ``x``."""
    if act is None:
        return x
    if act not in _ACTIVATIONS:
        raise UnimplementedError(
            f"scale(): act={act!r} is not supported. Call the activation on the result instead; "
            f"act may be one of {', '.join(sorted(_ACTIVATIONS))}."
        )
    name, options = _ACTIVATIONS[act]
    return ROWS[name].function(x, **options)


@composite()
def scale(
    x: Tensor,
    scale: Number | Tensor = 1.0,
    bias: Number | Tensor = 0.0,
    bias_after_scale: bool = True,
    act: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Return ``x * scale + bias``, or an activation of that.

    Args:
        x: tensor.
        scale: a number or a Tensor of one element, in the dtype of ``x``.
        bias: likewise.
        bias_after_scale: False computes ``(x + bias) * scale``.
        act: the name of an activation that is applied to the result, such as "relu".
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        UnimplementedError: for an ``act`` of another name.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.scale(paddle.to_tensor([1.0, 2.0]), scale=3.0, bias=1.0).tolist()
        [4.0, 7.0]
    """
    return _activated(scaling.scale(x, scale, bias, bias_after_scale), act)


@composite()
def scale_(
    x: Tensor,
    scale: Number | Tensor = 1.0,
    bias: Number | Tensor = 0.0,
    bias_after_scale: bool = True,
    act: None = None,
    name: str | None = None,
) -> Tensor:
    """Scale and shift ``x`` in place and return ``x``; see ``scale``.

    Paddle: ignores ``act``. Here it must be None.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).scale_(2.0).tolist()
        [2.0]
    """
    if act is not None:
        raise UnimplementedError(
            f"scale_(): act={act!r} is not supported. Call the activation on the result instead."
        )
    return ROWS["scale"].inplace_function(x, scale, bias, bias_after_scale)


@composite()
def negative(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``-x``; unlike ``neg`` it refuses bools.

    ``x`` is a tensor of any shape, of any dtype but bool; the result has the same.

    Raises:
        InvalidTypeError: for a bool tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.negative(paddle.to_tensor([1.0, -2.0])).tolist()
        [-1.0, 2.0]
    """
    _no_bool(x, "-")
    return scaling.scale(x, -1, None)


@composite()
def neg(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``-x``, recorded as ``scale``.

    ``x`` is a tensor of any shape and dtype; the result has the same.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.neg(paddle.to_tensor([1.0, -2.0])).tolist()
        [-1.0, 2.0]
    """
    return scaling.scale(x, -1, None)


def _no_bool(x, sign: str) -> None:
    if raw(x).dtype == np.bool_:
        raise InvalidTypeError(f"The `{sign}` operator, on a bool tensor is not supported.")


@composite()
def neg_(x: Tensor, name: str | None = None) -> Tensor:
    """Negate ``x`` in place and return ``x``.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1.0]).neg_().tolist()
        [-1.0]
    """
    return ROWS["scale"].inplace_function(x, -1, None)


@composite(method=False)
def positive(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``x`` itself.

    ``x`` is a tensor of any shape, of any dtype but bool.

    Raises:
        InvalidTypeError: for a bool tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1])
        >>> paddle.positive(x) is x
        True
    """
    _no_bool(x, "+")
    return x


@composite()
def add_n(inputs: Tensor | Sequence[Tensor], name: str | None = None) -> Tensor:
    """Return the sum of a list of tensors of one shape and dtype.

    Args:
        inputs: list of tensors, or one tensor.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidTypeError: when it is empty or not a list of tensors.
        InvalidArgumentError: when shapes or dtypes differ.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.add_n([paddle.ones([2]), paddle.ones([2])]).tolist()
        [2.0, 2.0]
    """
    if hasattr(inputs, "_storage"):
        inputs = [inputs]  # type: ignore[list-item]
    if isinstance(inputs, (list, tuple)) and not inputs:
        raise InvalidTypeError(
            "add_n(): argument 'inputs' must be list of Tensors, but it is empty."
        )
    return scaling.add_n(inputs)


# ---- limits and interpolation


def _for_clip(x, low, high):
    """Check the bounds; return x, as float if it is an integer tensor and a bound is a float."""
    bounds = [bound for bound in (low, high) if type(bound) in NUMBERS]
    if len(bounds) == 2 and low > high:
        raise InvalidArgumentError(
            f"max should be greater than or equal to min. But received min = {low}, max = {high}."
        )
    dtype = raw(x).dtype
    for bound in bounds:
        target = number_dtype(bound, dtype)
        if target != dtype:
            return cast(x, target)
    if jnp.issubdtype(dtype, jnp.integer) and any(map(_is_float_tensor, (low, high))):
        return cast(x, dtypes.default_float())
    return x


def _is_float_tensor(bound) -> bool:
    return hasattr(bound, "_storage") and raw(bound).dtype in dtypes.FLOATS


def _limit(bound, x):
    """Return a bound of clip, limited to the range of the dtype of x."""
    return fitting.bound(bound, raw(x).dtype) if type(bound) is int else bound


@composite(aliases="clamp")
def clip(
    x: Tensor,
    min: float | Tensor | None = None,
    max: float | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return ``x`` limited to [min, max].

    Args:
        x: tensor; an integer one becomes float32 when a bound is a float.
        min: lower bound, a number or a one-element Tensor; None leaves it open.
        max: upper bound.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: when ``min`` is above ``max``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 2.0]), 0.0, 1.0).tolist()
        [0.0, 0.5, 1.0]
    """
    x = _for_clip(x, min, max)
    return scaling.clip(x, _limit(min, x), _limit(max, x))


@composite(aliases="clamp_")
def clip_(
    x: Tensor,
    min: float | Tensor | None = None,
    max: float | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Limit ``x`` to [min, max] in place and return ``x``; see ``clip``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([-1.0, 2.0]).clip_(0.0, 1.0).tolist()
        [0.0, 1.0]
    """
    if _for_clip(x, min, max) is not x:
        raise InvalidTypeError(
            f"clip_(): the bounds {min} and {max} would change the dtype of an integer tensor."
        )
    return ROWS["clip"].inplace_function(x, _limit(min, x), _limit(max, x))


def _weight(x, weight):
    """Return the weight of lerp as an operand: a number in the dtype of x."""
    return scalar_of_dtype(weight, raw(x).dtype) if type(weight) in NUMBERS else weight


@composite()
def lerp(x: Tensor, y: Tensor, weight: Number | Tensor, name: str | None = None) -> Tensor:
    """Return ``x + weight * (y - x)``.

    Paddle: a weight that requires a gradient gets none there.

    Args:
        x: tensor.
        y: tensor of the dtype of ``x``.
        weight: a number, or a tensor of the dtype of ``x``.
        name: accepted for compatibility.

    Returns:
        Tensor of the broadcast shape, in the dtype of ``x``.

    Raises:
        InvalidArgumentError: when dtypes differ or shapes do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.lerp(paddle.zeros([2]), paddle.ones([2]), 0.25).tolist()
        [0.25, 0.25]
    """
    row = scaling.lerp if getattr(weight, "stop_gradient", True) else scaling.lerp_with_weight
    return row(x, y, _weight(x, weight))


@composite()
def lerp_(x: Tensor, y: Tensor, weight: Number | Tensor, name: str | None = None) -> Tensor:
    """Move ``x`` towards ``y`` in place and return ``x``; see ``lerp``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([1]).lerp_(paddle.ones([1]), 0.5).tolist()
        [0.5]
    """
    name = "lerp" if getattr(weight, "stop_gradient", True) else "lerp_with_weight"
    return ROWS[name].inplace_function(x, y, _weight(x, weight))
