"""Orthogonal factors: QR, and products of Householder reflectors."""

from typing import TYPE_CHECKING, Literal

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.linalg.matrix_operands import IN_LINALG, adjoint, needs_matrix, needs_solver
from jaxeager.ops.linalg.products import matmul
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values
from jaxeager.ops.shape.strided import matrix_transpose

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

MODES = ("reduced", "complete", "r")


@exact_products
def qr_forward(x, *, mode: str = "reduced"):
    """Factor matrices; in mode "r" the first factor has no elements."""
    needs_matrix(x)
    if mode not in MODES:
        raise ValueError(f"mode must be 'reduced', 'complete' or 'r', not {mode!r}.")
    q, r = jax.lax.linalg.qr(x, full_matrices=mode == "complete")
    return (jnp.zeros((0,), x.dtype) if mode == "r" else q), r


def qr_reference(x, mode: Literal["reduced", "complete", "r"] = "reduced"):
    """Use NumPy's factors."""
    if mode == "r":
        return np.zeros(0, x.dtype), np.linalg.qr(x, mode)
    return tuple(np.linalg.qr(x, mode))


def qr_samples():
    """Yield tall, wide and square matrices in every mode, a batch, and no rows."""
    yield Sample(values((4, 3)))
    yield Sample(values((4, 3)), mode="complete")
    yield Sample(values((4, 3)), mode="r")
    yield Sample(values((2, 4)))
    yield Sample(values((2, 3, 3)), mode="complete")
    yield Sample(values((0, 3)))


def qr_errors():
    """Yield a vector and another mode."""
    yield BadInput((np.ones(3),), {}, InvalidArgumentError, "takes matrices")
    yield BadInput((np.ones((2, 2)),), {"mode": "full"}, InvalidArgumentError, "mode must be")


_qr = op(
    "qr",
    qr_forward,
    saves="x",
    outputs="q r",
    public=None,
    dtypes=IN_LINALG,
    reference=qr_reference,
    samples=qr_samples,
    errors=qr_errors,
    formula="dx = (dQ + Q @ copyltu(R @ dR^H - dQ^H @ Q)) @ R^-H of the first min(m, n) columns",
    boundary="infinite or nan where the first min(m, n) columns are linearly dependent.",
    doc="Factor a matrix into one of orthonormal columns and an upper triangle.",
)


@composite(public=None)
def qr(
    x: "Tensor", mode: str = "reduced", name: str | None = None
) -> "Tensor | tuple[Tensor, Tensor]":
    """Return the factors of ``x = Q @ R``: orthonormal columns and an upper triangle.

    Each column of Q is defined up to its sign (its phase, when complex).

    In Paddle, mode "r" has no gradient, and mode "complete" has none for more rows than columns.
    Here every mode has one.

    Args:
        x: float or complex tensor [..., m, n].
        mode: "reduced" (Q [..., m, k] and R [..., k, n] with k = min(m, n)), "complete"
            (Q [..., m, m] and R [..., m, n]) or "r" (only R of "reduced").
        name: accepted for compatibility.

    Returns:
        (Q, R), or R in mode "r".

    Raises:
        InvalidArgumentError: for another mode, or a tensor that holds no matrices.

    Example:
        >>> import jaxeager as paddle
        >>> q, r = paddle.linalg.qr(paddle.to_tensor([[3.0], [4.0]]))
        >>> (q @ r).numpy().round(4).tolist()
        [[3.0], [4.0]]
    """
    q, r = _qr(x, mode)
    return r if mode == "r" else (q, r)


@exact_products
def householder_product_forward(x, tau):
    """Return the first columns of the product of the reflectors.

    All reflectors are applied together: with their vectors V, the product is I - V @ T @ V^H, and
    T^-1 has 1 / tau on its diagonal and V^H @ V above it.
    """
    needs_matrix(x)
    needs_solver(x, tau)
    m, n = x.shape[-2:]
    if m < n or tau.ndim != x.ndim - 1 or tau.shape[:-1] != x.shape[:-2] or tau.shape[-1] > n:
        raise RefusedArgumentError(
            "householder_product: takes x [..., m, n] with m >= n and tau [..., k] with k <= n, "
            f"but the shapes are {list(x.shape)} and {list(tau.shape)}."
        )
    k = tau.shape[-1]
    identity = jnp.eye(m, n, dtype=x.dtype)
    if not x.size or not k:
        return jnp.broadcast_to(identity, x.shape)
    vectors = jnp.tril(x[..., :k], -1) + identity[:, :k]
    # Both sides of T^-1 @ y = V^H are multiplied by tau, so a tau of 0 is not a divisor.
    inverse = tau[..., None] * jnp.triu(adjoint(vectors) @ vectors, 1) + jnp.eye(k, dtype=x.dtype)
    y = jax.lax.linalg.triangular_solve(
        inverse, tau[..., None] * adjoint(vectors)[..., :n], left_side=True, unit_diagonal=True
    )
    return identity - vectors @ y


def householder_product_reference(x, tau):
    """Multiply the reflectors one after the other."""
    m, n = x.shape[-2:]
    out = np.broadcast_to(np.eye(m, dtype=x.dtype), (*x.shape[:-1], m))
    for i in range(tau.shape[-1]):
        vector = np.tril(x, -1)[..., :, i] + np.eye(m)[i]
        mirror = vector[..., :, None] * np.conj(vector)[..., None, :]
        out = out - tau[..., i, None, None] * (out @ mirror)
    return out[..., :n]


def householder_product_samples():
    """Yield a tall matrix, fewer reflectors than columns, a batch, no columns."""
    yield Sample(values((4, 3)), values((3,), 0.2, 1.5, seed=1))
    yield Sample(values((3, 3)), values((2,), 0.2, 1.5, seed=1))
    yield Sample(values((2, 3, 2)), values((2, 2), 0.2, 1.5, seed=1))
    yield Sample(np.zeros((3, 0)), np.zeros((0,)))


def householder_product_errors():
    """Yield more columns than rows, and another batch."""
    yield BadInput((np.ones((2, 3)), np.ones(2)), {}, InvalidArgumentError, "with m >= n")
    wrong = np.ones((2, 3, 2)), np.ones((3, 2))
    yield BadInput(wrong, {}, InvalidArgumentError, "with k <= n")


householder_product = op(
    "householder_product",
    householder_product_forward,
    saves="x tau",
    public=None,
    method=True,
    dtypes=IN_LINALG,
    reference=householder_product_reference,
    samples=householder_product_samples,
    errors=householder_product_errors,
    formula="that of the product of I - tau_i * v_i @ v_i^H; only the lower triangle of x has one",
    doc="Compute the first n columns of the product of Householder reflectors.",
    example="paddle.linalg.householder_product(paddle.ones([3, 2]), paddle.ones([2]))",
)


@composite(public=None)
def ormqr(
    x: "Tensor",
    tau: "Tensor",
    y: "Tensor",
    left: bool = True,
    transpose: bool = False,
    name: str | None = None,
) -> "Tensor":
    """Return ``Q @ y``, with Q the first n columns of a product of Householder reflectors.

    Args:
        x: float or complex tensor [..., m, n], the reflectors below its diagonal.
        tau: tensor [..., n], their factors.
        y: tensor of matrices that fit.
        left: whether Q is on the left of ``y``.
        transpose: whether Q is transposed (not conjugated, as in Paddle).
        name: accepted for compatibility.

    Returns:
        Tensor of matrices, the product.

    Raises:
        InvalidArgumentError: when the shapes do not fit each other.

    Example:
        >>> import jaxeager as paddle
        >>> x, tau = paddle.to_tensor([[0.0], [1.0]]), paddle.to_tensor([1.0])
        >>> paddle.linalg.ormqr(x, tau, paddle.to_tensor([[2.0]])).tolist()
        [[0.0], [-2.0]]
    """
    ranks = {x.ndim, y.ndim, tau.ndim + 1}
    if len(ranks) > 1 or x.ndim < 2 or x.shape[-1] != tau.shape[-1]:
        raise RefusedArgumentError(
            "ormqr: takes x [..., m, n], tau [..., n] and matrices y, but the shapes are "
            f"{x.shape}, {tau.shape} and {y.shape}."
        )
    wanted = x.shape[-1 if left != transpose else -2]
    if y.shape[-2 if left else -1] != wanted:
        raise RefusedArgumentError(
            f"ormqr: y must have {wanted} {'rows' if left else 'columns'} for x of shape "
            f"{x.shape}, but its shape is {y.shape}."
        )
    q = householder_product(x, tau)
    if transpose:
        q = matrix_transpose(q)
    return matmul(q, y) if left else matmul(y, q)
