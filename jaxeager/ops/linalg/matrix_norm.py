"""paddle.linalg's norms of vectors and matrices, and the condition number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.keywords import also_called, compute_into
from jaxeager.ops.creation.creation import zeros
from jaxeager.ops.indexing.gather import axis_of
from jaxeager.ops.linalg.matrix_operands import real_dtype
from jaxeager.ops.linalg.solvers import inverse
from jaxeager.ops.linalg.svd import svdvals
from jaxeager.ops.linalg.vector_norm import frobenius_norm, p_norm
from jaxeager.ops.reductions.reduction import max as max_over
from jaxeager.ops.reductions.reduction import min as min_over
from jaxeager.ops.reductions.reduction import sum as sum_over
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int
from jaxeager.ops.shape.manipulation import transpose, unsqueeze

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor

SUMS = (1, -1, math.inf, -math.inf)  # orders: the largest or smallest sum of a row or column


def _as_axes(axis):
    """Return an axis as an int, a list of ints, or None."""
    if axis is None or isinstance(axis, int):
        return axis
    axes = [as_int(each, "axis") for each in axis] if hasattr(axis, "__len__") else as_int(axis)
    return axes[0] if isinstance(axes, list) and len(axes) == 1 else axes


def _vector_norm(x, p, axis, keepdim):
    if axis is None or axis == []:
        return p_norm(x, float(p), -1, 1e-12, keepdim, True)
    return p_norm(x, float(p), axis, 1e-12, keepdim, False)


@composite(public=None, method=False)
@also_called("ord=p dim=axis out")
def vector_norm(
    x: Tensor,
    p: float = 2.0,
    axis: int | Sequence[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the p-norm of the vectors along the given axes.

    In Paddle, p = 0, a count, has a gradient of 1 over two or more axes. Here it is always 0.

    Args:
        x: float or complex tensor of any shape.
        p: order, a number: 2 by default; 0 counts the nonzero elements, inf and -inf are the
            largest and smallest absolute value.
        axis: int or list of ints; all axes by default.
        keepdim: whether reduced axes stay, with size 1.
        name: accepted for compatibility.
        dtype: a dtype that ``x`` is cast to first.

    Returns:
        Tensor of the remaining axes, real.

    Raises:
        InvalidArgumentError: when p is not a number, or an axis is out of range.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.vector_norm(paddle.to_tensor([3.0, 4.0])).item()
        5.0
    """
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise InvalidArgumentError(f"only valid p type is int and float, found {type(p)}")
    x = x if dtype is None else x.astype(dtype)
    return _vector_norm(x, p, _as_axes(axis), keepdim)


@composite(public=None, method=False)
def matrix_norm(
    x: Tensor,
    p: float | str = "fro",
    axis: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return a norm of the matrices in two axes.

    In Paddle, the Frobenius norm of a complex matrix is complex, and wrong.

    Args:
        x: float or complex tensor of 2 dimensions or more.
        p: "fro" (the root of the sum of squares), "nuc" (the sum of the singular values), 2 and -2
            (the largest and smallest singular value), 1 and -1 (the largest and smallest sum of a
            column), inf and -inf (of a row).
        axis: the two axes of the rows and columns; the last two by default.
        keepdim: whether the two axes stay, with size 1.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes, real.

    Raises:
        InvalidArgumentError: for another order, or when ``axis`` does not name two axes.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> [paddle.linalg.matrix_norm(x, p).item() for p in (1, float("inf"))]
        [6.0, 7.0]
    """
    axes = [axis] if isinstance(axis, int) else list(axis)
    if len(axes) != 2:
        raise InvalidArgumentError(
            f"except axis type int or list (length of list == 2), found {len(axes)}"
        )
    first, second = (axis_of(x, each) for each in axes)
    if first == second:
        raise InvalidArgumentError(f"matrix_norm: the two axes must differ, not {axes}.")
    if p == "fro":
        return frobenius_norm(x, [first, second], keepdim)
    if p in ("nuc", 2, -2):
        return _norm_of_values(x, p, first, second, keepdim)
    if isinstance(p, str) or p not in SUMS:
        raise InvalidArgumentError(
            f"just support p value 'fro','nuc',1,-1,inf,-inf,2,-2 if axis is 2D, found {p}"
        )
    if abs(p) == math.inf:
        first, second = second, first
    sums = p_norm(x, 1.0, first, 1e-12, keepdim, False)
    second -= not keepdim and second > first
    return (max_over if p > 0 else min_over)(sums, second, keepdim)


def _norm_of_values(x, p, first: int, second: int, keepdim: bool):
    """Return a norm that is the sum or an extreme of the singular values."""
    others = [axis for axis in range(x.ndim) if axis not in (first, second)]
    order = [*others, first, second]
    reduce = {"nuc": sum_over, 2: max_over, -2: min_over}[p]
    found = reduce(svdvals(transpose(x, order)), -1)
    if not keepdim:
        return found
    found = unsqueeze(unsqueeze(found, -1), -1)
    return transpose(found, [order.index(axis) for axis in range(x.ndim)])


@composite()
@also_called("input=x A=x ord=p dim=axis")
def norm(
    x: Tensor,
    p: float | str | None = None,
    axis: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return a norm of a tensor: of vectors along an axis, of matrices over two axes.

    Args:
        x: float or complex tensor of any shape.
        p: order; 2 by default, which over two axes is the largest singular value. "fro" is the
            root of the sum of squares; see ``paddle.linalg.vector_norm`` and ``matrix_norm``.
        axis: int, or list of ints: two for matrices; without it all elements form one vector
            (for "nuc", ``x`` is one matrix).
        keepdim: whether reduced axes stay, with size 1.
        out: a tensor that becomes the result.
        dtype: a dtype that ``x`` is cast to first.
        name: accepted for compatibility.

    Returns:
        Tensor of the remaining axes, real.

    Raises:
        InvalidArgumentError: for an order or number of axes that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.norm(paddle.to_tensor([3.0, 4.0])).item()
        5.0
    """
    if out is not None:
        return compute_into(out, lambda: norm(x, p, axis, keepdim, None, dtype))
    x = x if dtype is None else x.astype(dtype)
    axis = _as_axes(axis)
    if isinstance(p, str) and not (p == "fro" and (axis is None or isinstance(axis, int))):
        return matrix_norm(x, p, list(range(x.ndim)) if axis is None else axis, keepdim)  # type: ignore[arg-type]
    p = 2.0 if p is None or p == "fro" else p
    if isinstance(axis, list) and len(axis) == 2:
        return matrix_norm(x, p, axis, keepdim)
    return _vector_norm(x, p, axis, keepdim)


@composite(public=None)
def cond(x: Tensor, p: float | str | None = None, name: str | None = None) -> Tensor:
    """Return the condition number of a matrix, or of each matrix of a batch.

    In Paddle, "fro" of a complex matrix is complex, and wrong.

    Args:
        x: float or complex tensor [..., m, n]; square for other orders than 2 and -2.
        p: the norm: None or 2 (the largest singular value over the smallest), -2 (the opposite),
            "fro", "nuc", 1, -1, inf or -inf (the norm of ``x`` times that of its inverse).
        name: accepted for compatibility.

    Returns:
        Tensor [...], real; 0 for matrices of no elements.

    Raises:
        InvalidArgumentError: for another order, for matrices that must be square but are not, and
            for a singular one if the inverse is needed.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.cond(paddle.to_tensor([[4.0, 0.0], [0.0, 2.0]])).item()
        2.0
    """
    if x.ndim < 2:
        raise InvalidArgumentError(
            "input should be a matrix or batches of matrices, but the dimension of received input "
            f"is {x.ndim}"
        )
    p = 2 if p is None else p
    if p not in ("fro", "nuc", 2, -2, *SUMS):
        raise InvalidArgumentError(
            f"unsupported {p} for p, only supporting ('fro', 'nuc', 1, -1, 2, -2, inf, -inf) or "
            "none"
        )
    if p not in (2, -2) and x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(
            f"only support p is {p} when input is a square matrix or batches of square matrices"
        )
    if not x._array.size:
        return zeros(x.shape[:-2], real_dtype(x._array.dtype).name)
    if p not in (2, -2):
        return matrix_norm(x, p).multiply(matrix_norm(inverse(x), p))
    found = svdvals(x)
    largest, smallest = max_over(found, -1), min_over(found, -1)
    return largest.divide(smallest) if p == 2 else smallest.divide(largest)
