"""Functions that Paddle records as several elementwise ops: hypot, logaddexp, nan_to_num, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.core import dtypes
from jaxeager.core.further_names import without
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.ops.call.dispatch import cast, promote_to_float, raw, scalar_of_dtype, wrap
from jaxeager.ops.call.keywords import compute_into
from jaxeager.ops.creation.creation import ones_like
from jaxeager.ops.elementwise import complex as complex_rows
from jaxeager.ops.elementwise import math
from jaxeager.ops.elementwise.composite_math import neg
from jaxeager.ops.elementwise.logic import equal, isnan, isneginf, isposinf
from jaxeager.ops.elementwise.scaling import scale
from jaxeager.ops.elementwise.trigonometry import cos, sin
from jaxeager.ops.elementwise.unary import abs, exp, log1p, trunc
from jaxeager.ops.elementwise.unary import sign as _sign
from jaxeager.ops.indexing.selecting import where
from jaxeager.ops.linalg.vector_norm import sqrt_of_squares
from jaxeager.ops.nn import softmax as softmax_rows
from jaxeager.ops.register import composite, publish
from jaxeager.ops.row import ROWS

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


def write_result(x, compute):
    """Write the result of ``compute`` on a copy of x into x, and return x.

    The copy keeps the overwritten value for backward.

    Raises:
        InvalidArgumentError: when the result has another shape.
        InvalidTypeError: when it has another dtype.
    """
    result = compute(complex_rows.assign(x))
    old, new = raw(x), raw(result)
    if old.shape != new.shape:
        raise InvalidArgumentError(
            f"The shape of broadcast output {list(new.shape)} is different from that of inplace "
            f"tensor {list(old.shape)} in the Inplace operation."
        )
    if old.dtype != new.dtype:
        raise InvalidTypeError(
            f"The result is {new.dtype.name} and cannot be written into a tensor of "
            f"{old.dtype.name}. Use the function without _ instead."
        )
    return ROWS["assign_out"].inplace_function(x, result)


@composite()
def frac(x: Tensor, name: str | None = None) -> Tensor:
    """Return ``x - trunc(x)``.

    ``x`` is a tensor of any shape, of floats, int32 or int64; the result has its shape and dtype.

    Raises:
        InvalidTypeError: for other dtypes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.frac(paddle.to_tensor([-1.5, 2.25])).tolist()
        [-0.5, 0.25]
    """
    _has_fractions(x)
    return math.subtract(x, trunc(x))


def _has_fractions(x) -> None:
    dtype = raw(x).dtype
    if dtype not in dtypes.FLOATS and dtype not in (np.int32, np.int64):
        raise InvalidTypeError(f"frac: x must be of floats, int32 or int64, not {dtype.name}.")


@composite()
def frac_(x: Tensor, name: str | None = None) -> Tensor:
    """Take ``trunc(x)`` from ``x`` in place and return ``x``.

    ``x`` is a tensor of any shape, of floats or integers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([-1.5, 2.25]).frac_().tolist()
        [-0.5, 0.25]
    """
    _has_fractions(x)
    return ROWS["subtract"].inplace_function(x, trunc(x))


@composite()
def deg2rad(x: Tensor, name: str | None = None) -> Tensor:
    """Return angles in radians for degrees.

    ``x`` is a tensor of any shape and dtype; integers and bool become the default floating dtype.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.deg2rad(paddle.to_tensor(180.0)).item(), 4)
        3.1416
    """
    return scale(promote_to_float(x), np.pi / 180.0, None)


@composite()
def rad2deg(x: Tensor, name: str | None = None) -> Tensor:
    """Return angles in degrees for radians.

    ``x`` is a tensor of any shape and dtype; integers and bool become the default floating dtype.

    Example:
        >>> import jaxeager as paddle
        >>> round(paddle.rad2deg(paddle.to_tensor(3.14159265)).item(), 2)
        180.0
    """
    return scale(promote_to_float(x), 180.0 / np.pi, None)


@composite()
def hypot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return ``sqrt(x^2 + y^2)``.

    ``x`` and ``y`` are tensors that broadcast with each other, integers as the default floating
    dtype; the result is floating or complex, of the common shape.

    Paddle: the gradient at (0, 0) is nan there. Here it is 0, as at the minimum of a norm. Squares
    of integers overflow there, so that the result for 50000 and 0 in int32 is nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.hypot(paddle.to_tensor([3.0]), paddle.to_tensor([4.0])).tolist()
        [5.0]
    """
    x, y = promote_to_float(x), promote_to_float(y)
    return sqrt_of_squares(math.add(math.pow(x, 2), math.pow(y, 2)))


@composite()
def hypot_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Write ``sqrt(x^2 + y^2)`` into ``x`` and return it; see ``hypot``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).hypot_(paddle.to_tensor([4.0])).tolist()
        [5.0]
    """
    return write_result(x, lambda old: hypot(old, old if y is x else y))


@composite()
def logaddexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return ``log(exp(x) + exp(y))`` without overflow.

    ``x`` and ``y`` are tensors of real numbers that broadcast with each other, integers as the
    default floating dtype; the result has the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.logaddexp(paddle.to_tensor([1000.0]), paddle.to_tensor([0.0])).tolist()
        [1000.0]
    """
    x, y = promote_to_float(x), promote_to_float(y)
    return math.add(log1p(exp(neg(abs(math.subtract(x, y))))), math.maximum(x, y))


@composite()
def ldexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return ``x * 2^y``.

    ``x`` and ``y`` are tensors that broadcast with each other, integers as the default floating
    dtype; the result has the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ldexp(paddle.to_tensor([3.0]), paddle.to_tensor([2])).tolist()
        [12.0]
    """
    return math.multiply(promote_to_float(x), math.elementwise_pow(2.0, promote_to_float(y)))


@composite()
def ldexp_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Write ``x * 2^y`` into ``x``, a floating tensor, and return it; see ``ldexp``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([3.0]).ldexp_(paddle.to_tensor([2])).tolist()
        [12.0]
    """
    return write_result(x, lambda old: ldexp(old, old if y is x else y))


@composite()
def nan_to_num(
    x: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    name: str | None = None,
) -> Tensor:
    """Return ``x`` with numbers instead of nan and the infinities.

    Args:
        x: floating tensor.
        nan: the replacement of nan.
        posinf: the replacement of infinity, the largest number of the dtype by default.
        neginf: the replacement of minus infinity, the smallest by default.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape and dtype of ``x``.

    Raises:
        RefusedArgumentError: for integers and bools, which have no nan.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nan_to_num(paddle.to_tensor([float("nan"), 1.0])).tolist()
        [0.0, 1.0]
    """
    dtype = raw(x).dtype
    if not jnp.issubdtype(dtype, jnp.floating):
        raise RefusedArgumentError(f"nan_to_num: x must be of a float dtype, not {dtype.name}.")
    limits = jnp.finfo(dtype)
    posinf = float(limits.max) if posinf is None else posinf
    neginf = float(limits.min) if neginf is None else neginf
    replaced = ((isnan, nan), (isposinf, posinf), (isneginf, neginf))
    for is_found, value in replaced:
        x = where(is_found(x), wrap(scalar_of_dtype(value, dtype)), x)
    return x


@composite()
def nan_to_num_(
    x: Tensor,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    name: str | None = None,
) -> Tensor:
    """Replace nan and the infinities in ``x`` in place and return it; see ``nan_to_num``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([float("nan"), 1.0]).nan_to_num_().tolist()
        [0.0, 1.0]
    """
    return write_result(x, lambda old: nan_to_num(old, nan, posinf, neginf))


@composite()
def polar(abs: Tensor, angle: Tensor, name: str | None = None) -> Tensor:
    """Return complex numbers of the given absolute values and angles.

    ``abs`` and ``angle`` are float32 or float64 tensors of shapes that broadcast; the result is
    complex64 or complex128, of the common shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.polar(paddle.to_tensor([2.0]), paddle.to_tensor([0.0])).tolist()
        [(2+0j)]
    """
    return complex_rows.complex(math.multiply(abs, cos(angle)), math.multiply(abs, sin(angle)))


@composite()
def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """Return the sign of each element; ``x / |x|`` for complex numbers, 0 at 0.

    ``x`` is a tensor of any shape, of a float or complex dtype; the result has its shape and dtype.

    Raises:
        InvalidTypeError: for integers and bools.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sgn(paddle.to_tensor([-3.0, 0.0])).tolist()
        [-1.0, 0.0]
    """
    dtype = getattr(raw(x), "dtype", None)
    if dtype not in dtypes.COMPLEX:
        if dtype is not None and dtype not in dtypes.FLOATS:
            raise InvalidTypeError(f"sgn: x must be of a float or complex dtype, not {dtype.name}.")
        return _sign(x)
    size = abs(x)
    return math.divide(x, where(equal(size, 0), ones_like(size), size))


@composite()
def sign(x: Tensor, name: str | None = None) -> Tensor:
    """Return the sign of each element: -1, 0 or 1, nan at nan; ``x / |x|`` for complex numbers.

    ``x`` is a tensor of any shape, of any dtype but bool; the result has its shape and dtype.

    Paddle: the gradient of a complex sign is 0 there. Here it is that of ``x / |x|``, which rotates
    with ``x``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.sign(paddle.to_tensor([-3.0, 0.0])).tolist()
        [-1.0, 0.0]
    """
    return sgn(x) if getattr(raw(x), "dtype", None) in dtypes.COMPLEX else _sign(x)


publish("sign_", ROWS["sign"].inplace_function, "paddle", method=True)


def cast_first(x, dtype):
    """Return x cast to a dtype, by a recorded cast even when it has that dtype, as in Paddle."""
    return x if dtype is None else cast(x, dtypes.to_numpy(dtype))


@composite(public="functional", method=False)
def softmax(
    x: Tensor, axis: int = -1, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Return ``exp(x)`` divided by its sum along an axis.

    Args:
        x: floating tensor.
        axis: the axis along which the results add up to 1.
        dtype: dtype to cast ``x`` to first; the cast is recorded.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``, in its dtype or ``dtype``.

    Raises:
        InvalidArgumentError: when the axis is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.functional.softmax(paddle.to_tensor([1.0, 1.0])).tolist()
        [0.5, 0.5]
    """
    return softmax_rows.softmax(cast_first(x, dtype), axis)


@composite(name="softmax")
@without("_stacklevel", 2, int)
def softmax_over(
    input: Tensor,
    dim: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``exp(input)`` divided by its sum along a dimension, in PyTorch's signature.

    nn.functional.softmax is the same with Paddle's own parameter names and axis -1 by default.

    Args:
        input: floating tensor.
        dim: the dimension; by default the first of a tensor with 0, 1 or 3 dimensions, else the
            second.
        dtype: dtype to cast ``input`` to first; the cast is recorded. An int in front of it, or
            ``_stacklevel=``, which concerns warnings in PyTorch, is dropped, as in Paddle.
        out: a tensor that becomes the result.

    Returns:
        Tensor of the shape of ``input``, in its dtype or ``dtype``.

    Raises:
        InvalidArgumentError: when the dimension is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.softmax(paddle.to_tensor([1.0, 1.0]), dim=0).tolist()
        [0.5, 0.5]
    """
    if dim is None:
        dim = 0 if raw(input).ndim in (0, 1, 3) else 1
    if out is not None:
        return compute_into(out, lambda: softmax(input, dim, dtype))
    return softmax(input, dim, dtype)
