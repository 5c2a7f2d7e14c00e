"""Singular vectors and values of matrices of low rank, by random projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import cast, raw
from jaxeager.ops.linalg.matrix_operands import conjugate_transpose, real_dtype
from jaxeager.ops.linalg.products import matmul
from jaxeager.ops.linalg.qr import qr
from jaxeager.ops.linalg.svd import svd
from jaxeager.ops.random.draws import standard_normal
from jaxeager.ops.reductions.reduction import mean
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public=None)
def svd_lowrank(
    x: Tensor,
    q: int | None = None,
    niter: int | None = 2,
    M: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return approximations of the q largest singular values of ``x - M`` and their vectors.

    The range of the matrix is estimated from its products with random vectors, drawn from the
    global generator, and refined by ``niter`` rounds of multiplication by the matrix and its
    adjoint (Halko, Martinsson and Tropp 2011). It is exact for a matrix of rank q or below.

    Args:
        x: float or complex tensor [..., m, n].
        q: the number of values; min(6, m, n) by default.
        niter: the number of rounds; None means 2.
        M: tensor that broadcasts to ``x`` and is subtracted from it.
        name: accepted for compatibility.

    Returns:
        U [..., m, q], S [..., q] and V [..., n, q], with ``x - M`` near ``U @ diag(S) @ V^H``.

    Raises:
        InvalidArgumentError: when q is not in [0, min(m, n)], or niter is negative.

    Example:
        >>> import jaxeager as paddle
        >>> u, s, v = paddle.linalg.svd_lowrank(paddle.ones([4, 3]), q=1)
        >>> round(s.item(), 4)
        3.4641
    """
    q = _checked_count(x, q, niter)
    x = x if M is None else x.subtract(M)
    rows, columns = x.shape[-2:]
    if rows < columns or columns > q:
        basis = _basis(conjugate_transpose(x), q, niter)
        u, s, vh = svd(matmul(x, basis))
        return u, s, matmul(basis, conjugate_transpose(vh))
    basis = _basis(x, q, niter)
    u, s, vh = svd(matmul(conjugate_transpose(basis), x))
    return matmul(basis, u), s, conjugate_transpose(vh)


@composite(public=None)
def pca_lowrank(
    x: Tensor,
    q: int | None = None,
    center: bool = True,
    niter: int | None = 2,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return approximations of the first q principal components of rows of observations.

    Args:
        x: float or complex tensor [..., observations, variables].
        q: the number of components; min(6, observations, variables) by default.
        center: whether the mean of each variable is subtracted first.
        niter: the number of rounds; see ``svd_lowrank``.
        name: accepted for compatibility.

    Returns:
        U [..., observations, q], S [..., q] and V [..., variables, q], the components being the
        columns of V.

    Raises:
        InvalidArgumentError: when q is not in [0, min(m, n)], or niter is negative.

    Example:
        >>> import jaxeager as paddle
        >>> u, s, v = paddle.linalg.pca_lowrank(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), q=1)
        >>> round(s.item(), 4)
        2.0
    """
    q = _checked_count(x, q, niter)
    return svd_lowrank(x.subtract(mean(x, -2, True)) if center else x, q, niter)


def _checked_count(x, q, niter) -> int:
    if not hasattr(x, "_storage") or x.ndim < 2:
        raise InvalidArgumentError(f"Input must be tensor of matrices, but got {x!r}")
    most = min(x.shape[-2:])
    q = min(6, most) if q is None else q
    if not 0 <= q <= most:
        raise InvalidArgumentError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={most}"
        )
    if niter is not None and niter < 0:
        raise InvalidArgumentError(f"niter(={niter}) must be non-negative integer")
    return q


def _basis(x, q: int, niter: int | None):
    """Return q orthonormal columns that approximately span the range of x."""
    dtype = raw(x).dtype
    drawn = standard_normal([x.shape[-1], q], real_dtype(dtype).name)
    basis = qr(matmul(x, cast(drawn, dtype) if jnp.iscomplexobj(raw(x)) else drawn))[0]
    for _ in range(2 if niter is None else niter):
        basis = qr(matmul(conjugate_transpose(x), basis))[0]
        basis = qr(matmul(x, basis))[0]
    return basis
