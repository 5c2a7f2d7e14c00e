"""Distances between all pairs of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.creation.creation import from_numpy
from jaxeager.ops.elementwise.math import add, multiply, subtract
from jaxeager.ops.elementwise.scaling import clip, scale
from jaxeager.ops.indexing.gather import index_select
from jaxeager.ops.linalg.products import matmul
from jaxeager.ops.linalg.vector_norm import p_norm, sqrt_of_squares
from jaxeager.ops.reductions.reduction import sum as sum_over
from jaxeager.ops.register import composite
from jaxeager.ops.shape.manipulation import unsqueeze

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)
_MANY = 25  # with more rows, the product of matrices is faster


def _check_cdist(x, y, p, compute_mode) -> None:
    if compute_mode not in _MODES:
        raise InvalidArgumentError(
            f"compute_mode must be one of {', '.join(map(repr, _MODES))}, but received "
            f"{compute_mode!r}."
        )
    shapes = [list(raw(each).shape) for each in (x, y)]
    if min(map(len, shapes)) < 2 or shapes[0][-1] != shapes[1][-1]:
        raise RefusedArgumentError(
            "x and y must have at least 2 dimensions and the same last one, but received "
            f"{shapes[0]} and {shapes[1]}."
        )
    if p < 0:
        raise RefusedArgumentError(f"p must be 0 or more, but received {p}.")


def _by_product(x, y):
    """Return Euclidean distances from |x|^2 + |y|^2 - 2 x.y, without a tensor of all pairs."""
    x_squares = sum_over(multiply(x, x), -1, None, True)
    y_squares = unsqueeze(sum_over(multiply(y, y), -1), -2)
    products = scale(matmul(x, y, False, True), -2, None)
    return sqrt_of_squares(clip(add(add(products, x_squares), y_squares), 0.0, None))


@composite()
def cdist(
    x: Tensor,
    y: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
    name: str | None = None,
) -> Tensor:
    """Return the p-norm distance of each row of ``x`` to each row of ``y``.

    It needs memory for all differences, [..., m, n, d], except for Euclidean distances by a product
    of matrices.

    Args:
        x: float[..., m, d].
        y: float[..., n, d]; leading dimensions broadcast.
        p: the norm, from 0 to infinity; 0 counts the coordinates that differ.
        compute_mode: whether to compute Euclidean distances by a product of matrices, which needs
            less memory and loses digits of small distances: "use_mm_for_euclid_dist",
            "donot_use_mm_for_euclid_dist", or "use_mm_for_euclid_dist_if_necessary", which uses it
            for more than 25 rows.
        name: accepted for compatibility.

    In Paddle, the gradient of a distance of 0 is nan by a product of matrices. Here it is always 0.

    Returns:
        float[..., m, n].

    Raises:
        InvalidArgumentError: for fewer than 2 dimensions, last dimensions that differ, a negative
            ``p`` or another mode.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cdist(paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])).tolist()
        [[5.0]]
    """
    _check_cdist(x, y, p, compute_mode)
    counts = raw(x).shape[-2], raw(y).shape[-2]
    many = has_symbols(counts) or max(counts) > _MANY
    if p == 2 and (compute_mode == _MODES[1] or (compute_mode == _MODES[0] and many)):
        return _by_product(x, y)
    return p_norm(subtract(unsqueeze(x, -2), unsqueeze(y, -3)), float(p), -1)


@composite(method=False, public="both")
def pdist(x: Tensor, p: float = 2.0, name: str | None = None) -> Tensor:
    """Return the p-norm distance of each pair of rows of ``x``, in the order of the pairs.

    It needs memory for all differences, [n (n - 1) / 2, d].

    Args:
        x: float[n, d].
        p: the norm, from 0 to infinity.
        name: accepted for compatibility.

    Returns:
        float[n (n - 1) / 2].

    Raises:
        InvalidArgumentError: when ``x`` does not have 2 dimensions, or for a negative ``p``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.pdist(paddle.to_tensor([[0.0], [1.0], [3.0]])).tolist()
        [1.0, 3.0, 2.0]
    """
    if raw(x).ndim != 2:
        raise RefusedArgumentError(f"pdist: x must have 2 dimensions, not {raw(x).ndim}.")
    if p < 0:
        raise InvalidArgumentError(f"p must be 0 or more, but received {p}.")
    rows = raw(x).shape[0]
    check_size("pdist", (rows, rows), np.bool_)  # NumPy makes a mask of all pairs
    pairs = np.triu_indices(rows, 1)
    rows = [index_select(x, from_numpy(each), 0) for each in pairs]
    return p_norm(subtract(*rows), float(p), -1)
