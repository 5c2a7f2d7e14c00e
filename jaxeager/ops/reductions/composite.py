"""Public functions that Paddle records as several ops: statistics and products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.exceptions import AxisError

from jaxeager.arrays.as_array import on_device
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidAxisError, RefusedArgumentError
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.indexing.selecting import where
from jaxeager.ops.linalg.products import matmul
from jaxeager.ops.linalg.vector_norm import sqrt_of_squares
from jaxeager.ops.reductions.reduction import mean
from jaxeager.ops.reductions.reduction import sum as sum_over
from jaxeager.ops.register import composite, publish
from jaxeager.ops.rules.attrs import as_axes, as_int
from jaxeager.ops.rules.axes import count_of, normal_axis
from jaxeager.ops.shape.manipulation import reshape, transpose

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


def _number(value, like):
    """Return a number as a 0-D tensor of the dtype of another tensor."""
    return wrap(on_device(value, like._array.dtype))


def _floating(x):
    """Return x, integers and bool as the default floating dtype."""
    dtype = x._array.dtype
    if dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX:
        return x
    return x.astype(dtypes.get_default_dtype())


# ---- statistics


@composite()
def var(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    correction: float = 1,
) -> Tensor:
    """Return the variance of the elements over the given axes.

    That of complex numbers is real: the variances of both parts, added.

    Paddle: the variance of an integer tensor is computed, and returned, in integers. Here it is
    computed in the default floating dtype. Paddle refuses complex numbers.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        unbiased: True divides by n - 1, False by n; by default ``correction`` decides.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.
        correction: the number subtracted from n, 1 by default.

    Returns:
        Tensor of the remaining axes; nan for a single element, where n - 1 = 0.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.var(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    if unbiased is not None:
        correction = 1 if unbiased else 0
    axis = as_axes(axis)
    if x.is_complex():
        parts = (x.real(), x.imag())
        real, imag = [var(part, axis, None, keepdim, correction=correction) for part in parts]
        return real.add(imag)
    x = _floating(x)
    try:
        count = count_of(x._array.shape, axis)
    except AxisError as error:
        raise InvalidAxisError(f"var: {error}") from None
    except ValueError as error:
        raise InvalidArgumentError(f"var: {error}") from None
    squares = x.subtract(mean(x, axis, True)).pow(2.0)
    return sum_over(squares, axis, None, keepdim).divide(_number(max(count - correction, 0), x))


@composite()
def std(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the standard deviation of the elements over the given axes.

    Paddle: the gradient is nan there if all elements are equal. Here it is 0, as at the minimum of
    a norm.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        unbiased: whether to divide by n - 1 instead of n.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.std(paddle.to_tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    return sqrt_of_squares(var(x, axis, unbiased, keepdim))


@composite()
def nansum(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the sum of the elements that are not nan.

    ``x`` is a tensor of any shape, and ``axis`` an int, a list of ints, or None for all axes; the
    sum of integers and bool is int64. See ``sum``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nansum(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
        3.0
    """
    return sum_over(where(x.isnan(), _number(0, x), x), axis, dtype, keepdim)


@composite()
def nanmean(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the mean of the elements that are not nan.

    ``x`` is a tensor of any shape, integers counting as the default floating dtype, and ``axis`` an
    int, a list of ints, or None for all axes. See ``mean``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 2.0])).item()
        1.5
    """
    x = _floating(x)
    count = sum_over(x.isnan().logical_not().astype(x.dtype), axis, None, keepdim)
    return nansum(x, axis, None, keepdim).divide(count)


@composite()
def count_nonzero(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return how many elements are not zero, as int64.

    Args:
        x: tensor of any shape.
        axis: int, or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        int64 Tensor of the remaining axes.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.count_nonzero(paddle.to_tensor([0.0, 2.0, 3.0])).item()
        2
    """
    return sum_over(x.astype("bool").astype("int64"), axis, None, keepdim)


# ---- products


@composite()
def mm(input: Tensor, mat2: Tensor, name: str | None = None) -> Tensor:
    """Return the product of two matrices; see ``matmul``.

    ``input`` is a tensor [n, k] and ``mat2`` one [k, m] of the same dtype; the product is [n, m].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.mm(paddle.ones([2, 3]), paddle.ones([3, 1])).tolist()
        [[3.0], [3.0]]
    """
    return matmul(input, mat2)


@composite()
def inner(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return the sums of products over the last dimensions of two tensors.

    Args:
        x: tensor [..., d].
        y: tensor [..., d]; with a 0-D tensor it is a multiplication.
        name: accepted for compatibility.

    Returns:
        Tensor of shape ``x.shape[:-1] + y.shape[:-1]``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.inner(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).item()
        11.0
    """
    if x.ndim == 0 or y.ndim == 0:
        return x.multiply(y)
    product = matmul(x.reshape([-1, x.shape[-1]]), y.reshape([-1, y.shape[-1]]), False, True)
    return product.reshape(x.shape[:-1] + y.shape[:-1])


@composite(method=False)
def vecdot(x: Tensor, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Return the sums of products of two tensors along an axis, the first one conjugated.

    ``x`` and ``y`` are tensors that broadcast with each other; the result has the common shape
    without the axis.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.vecdot(paddle.ones([2, 3]), paddle.ones([2, 3])).tolist()
        [3.0, 3.0]
    """
    return sum_over(x.conj().multiply(y), axis)


@composite()
def outer(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Return the products of every element of ``x`` with every element of ``y``.

    Args:
        x: tensor of n elements.
        y: tensor of m elements.
        name: accepted for compatibility.

    Returns:
        Tensor [n, m].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.outer(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [[3.0, 4.0], [6.0, 8.0]]
    """
    return x.reshape([-1, 1]).multiply(y.reshape([1, -1]))


publish("ger", outer, "paddle", method=False)


@composite()
def tensordot(
    x: Tensor,
    y: Tensor,
    axes: int | Sequence[int] | Sequence[Sequence[int]] | Tensor = 2,
    name: str | None = None,
) -> Tensor:
    """Return the sums of products over several dimensions of two tensors.

    Args:
        x: tensor of any shape.
        y: tensor of any shape.
        axes: the number of last dimensions of ``x`` to contract with the first of ``y``, or two
            lists of dimensions to contract. One list is used for both, and the shorter of two is
            extended by the rest of the longer one. A dimension of size 1 is repeated to the size of
            the one it meets.
        name: accepted for compatibility.

    Returns:
        Tensor of the dimensions of ``x`` and then of ``y`` that are not contracted.

    Raises:
        RefusedArgumentError: when contracted dimensions differ in size, and neither size is 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 4]), 1).shape
        paddle.Size([2, 4])
    """
    left, right = _meeting_axes(x.ndim, y.ndim, axes)
    sizes = [x.shape[i] for i in left], [y.shape[i] for i in right]
    if any(a != b and 1 not in (a, b) for a, b in zip(*sizes, strict=True)):
        raise RefusedArgumentError(
            f"tensordot: dimensions {left} of x and {right} of y must have the same sizes or size "
            f"1, but have {sizes[0]} and {sizes[1]}."
        )
    x, y = _summed_to(x, left, sizes[1]), _summed_to(y, right, sizes[0])
    stays = [
        [i for i in range(each.ndim) if i not in meeting]
        for each, meeting in ((x, left), (y, right))
    ]
    shape = [x.shape[i] for i in stays[0]] + [y.shape[i] for i in stays[1]]
    length = math.prod(x.shape[i] for i in left)
    rows = math.prod(x.shape[i] for i in stays[0])
    columns = math.prod(y.shape[i] for i in stays[1])
    x = reshape(transpose(x, stays[0] + left), [rows, length])
    y = reshape(transpose(y, right + stays[1]), [length, columns])
    return reshape(matmul(x, y), shape)


def _summed_to(x, axes, sizes):
    """Return a tensor summed over the axes that meet an axis of size 1."""
    single = [axis for axis, size in zip(axes, sizes, strict=True) if size == 1 != x.shape[axis]]
    return sum_over(x, single, keepdim=True) if single else x


def _meeting_axes(x_ndim: int, y_ndim: int, axes) -> tuple[list[int], list[int]]:
    if hasattr(axes, "_storage"):
        axes = axes.tolist()
    if not isinstance(axes, (list, tuple)):
        count = as_int(axes, "axes")
        if not 0 <= count <= min(x_ndim, y_ndim):
            raise InvalidArgumentError(
                f"tensordot: axes must be in [0, {min(x_ndim, y_ndim)}], but received {count}."
            )
        return list(range(x_ndim - count, x_ndim)), list(range(count))
    if all(not isinstance(each, (list, tuple)) for each in axes):
        axes = [axes, axes]
    left, right = axes if len(axes) == 2 else (axes[0], axes[0])
    left, right = [*left, *right[len(left) :]], [*right, *left[len(right) :]]  # as Paddle does
    try:
        return [normal_axis(i, x_ndim) for i in left], [normal_axis(i, y_ndim) for i in right]
    except AxisError as error:
        raise InvalidAxisError(f"tensordot: {error}") from None
