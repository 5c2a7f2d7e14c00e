"""Distances between tensors: cosine_similarity and pairwise_distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.ops.linalg.vector_norm import p_norm
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public="functional", method=False)
def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along an axis.

    float16 and bfloat16 are computed in float32: the squared product of the lengths overflows
    float16 for vectors of ordinary lengths.

    Args:
        x1: float tensor.
        x2: float tensor that broadcasts with x1, along the axis too.
        axis: the axis of the vectors, in the broadcast shape.
        eps: lower bound of the product of the lengths.

    Returns:
        float of the broadcast shape, without the axis.

    Raises:
        InvalidArgumentError: for shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[3.0, 4.0]])
        >>> round(paddle.nn.functional.cosine_similarity(x, x).item(), 4)
        1.0
    """
    cosine = _cosine(_at_least_float32(x1), _at_least_float32(x2), axis, eps)
    is_half = x1.dtype == x2.dtype and _is_half(x1)
    return paddle.cast(cosine, x1.dtype) if is_half else cosine


def _is_half(x) -> bool:
    return x._array.dtype in dtypes.HALF


def _at_least_float32(x):
    return paddle.cast(x, paddle.float32) if _is_half(x) else x


def _cosine(x1, x2, axis: int, eps: float):
    products = paddle.multiply(x1, x2)
    dot = paddle.sum(products, axis=axis)
    x1, x2 = (_spread(each, products.shape, axis) for each in (x1, x2))
    square1 = paddle.sum(paddle.multiply(x1, x1), axis=axis)
    square2 = paddle.sum(paddle.multiply(x2, x2), axis=axis)
    lengths = paddle.sqrt(paddle.clip(paddle.multiply(square1, square2), min=eps * eps))
    return paddle.divide(dot, lengths)


def _spread(x, shape, axis: int):
    """Return vectors expanded to the broadcast shape."""
    if len(x.shape) == len(shape) and x.shape[axis] == shape[axis]:
        return x
    return paddle.expand(x, shape)


@composite(public="functional", method=False)
def pairwise_distance(
    x: Tensor,
    y: Tensor,
    p: float = 2.0,
    epsilon: float = 1e-6,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the p-norm of the difference along the last axis.

    Args:
        x: float[N, D] or [D].
        y: as x.
        p: exponent of the norm.
        epsilon: added to the difference.
        keepdim: whether to keep the last axis, with size 1.
        name: ignored.

    Returns:
        float[N], or [N, 1].

    Raises:
        InvalidArgumentError: for shapes that do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.to_tensor([[0.0, 0.0]])
        >>> round(paddle.nn.functional.pairwise_distance(x, y).item(), 3)
        5.0
    """
    difference = paddle.subtract(x, y)
    if epsilon != 0:
        difference = paddle.add(difference, paddle.full([1], epsilon, difference.dtype))
    return p_norm(difference, float(p), -1, 0.0, keepdim)
