"""The Cholesky factor of positive definite matrices, and systems solved with it."""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.linalg.matrix_operands import (
    IN_LINALG,
    adjoint,
    broadcast_batches,
    conjugate_transpose,
    hermitian_of,
    needs_solver,
    needs_square,
    refuse_failed,
)
from jaxeager.ops.linalg.products import matmul
from jaxeager.ops.linalg.solvers import far_from_singular, inverse, square_errors
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@exact_products
def cholesky_forward(x, *, upper: bool = False):
    """Factor positive definite matrices; only one triangle is read."""
    needs_square(x)
    if not x.size:
        return jnp.zeros_like(x)
    lower = jax.lax.linalg.cholesky(hermitian_of(x, not upper), symmetrize_input=False)
    return adjoint(lower) if upper else lower


@exact_products
def cholesky_vjp(out, dout, *, upper):
    """Solve with the factor from both sides, and take the Hermitian part."""
    if not out.size:
        return jnp.zeros_like(out)
    lower, grad = (adjoint(out), adjoint(dout)) if upper else (out, dout)
    inner = jnp.tril(adjoint(lower) @ grad)
    inner = inner - 0.5 * inner * jnp.eye(inner.shape[-1], dtype=inner.dtype)
    right = jax.lax.linalg.triangular_solve(lower, inner, left_side=False, lower=True)
    both = jax.lax.linalg.triangular_solve(
        lower, right, left_side=True, lower=True, transpose_a=True, conjugate_a=True
    )
    return (both + adjoint(both)) / 2


def cholesky_reference(x, upper=False):
    """Use NumPy's factor of the triangle that is read."""
    if upper:
        return np.conj(np.swapaxes(np.linalg.cholesky(np.conj(np.swapaxes(x, -1, -2))), -1, -2))
    return np.linalg.cholesky(x)


def definite(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Return symmetric positive definite matrices [..., n, n], for samples."""
    x = values(shape, -1.0, 1.0, seed)
    return x @ np.swapaxes(x, -1, -2) + (1 + shape[-1]) * np.eye(shape[-1])


def cholesky_samples():
    """Yield one matrix, a batch, the upper factor, one element, no elements."""
    yield Sample(definite((3, 3)))
    yield Sample(definite((3, 3), seed=1), upper=True)
    yield Sample(definite((2, 2, 2)))
    yield Sample(definite((3, 3)) + 1j * np.array([[0.0, -1, 0.5], [1, 0, 0.2], [-0.5, -0.2, 0]]))
    yield Sample(np.array([[4.0]]))
    yield Sample(np.zeros((2, 0, 0)))


_cholesky = op(
    "cholesky",
    cholesky_forward,
    vjp=cholesky_vjp,
    saves="out",
    public=None,
    dtypes=IN_LINALG,
    reference=cholesky_reference,
    samples=cholesky_samples,
    errors=square_errors,
    formula="L = out^H where upper, else out; g = dout^H where upper, else dout; P = tril(L^H @ "
    "g); dx = hermitian(L^-H @ (P - P * I / 2) @ inverse(L))",
    boundary="nan, as the result is, where a matrix is not positive definite (Paddle: raises).",
    doc="Compute the Cholesky factor of positive definite matrices.",
)


@composite()
def cholesky(x: "Tensor", upper: bool = False, name: str | None = None) -> "Tensor":
    """Return the triangular L with ``x = L @ L^H``, or with ``upper`` the U of ``x = U^H @ U``.

    Paddle raises if a matrix is not positive definite. So does this if the result is in CPU memory;
    on an accelerator the factor is nan, because the check would wait for the device. Paddle does
    not accept complex matrices.

    Args:
        x: float or complex tensor [..., n, n], Hermitian and positive definite. Only the lower
            triangle is read (the upper one with ``upper``).
        upper: whether the factor is the upper one.
        name: accepted for compatibility.

    Returns:
        Tensor [..., n, n] of the same dtype. The gradient of ``x`` is Hermitian.

    Raises:
        InvalidArgumentError: when a matrix is not square, or not positive definite.
        NotFoundError: for float16, bfloat16, integers and bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.cholesky(paddle.to_tensor([[4.0, 2.0], [2.0, 10.0]])).tolist()
        [[2.0, 0.0], [1.0, 3.0]]
    """
    shape = raw(x).shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise RefusedArgumentError(
            f"cholesky: takes square matrices [..., n, n], but the shape is {list(shape)}."
        )
    out = _cholesky(x, upper)
    refuse_failed(out, "cholesky: a matrix is not positive definite", x)
    return out


@exact_products
def cholesky_solve_forward(x, y, *, upper: bool = False):
    """Solve with a Cholesky factor: two triangular systems."""
    needs_square(y)
    needs_solver(x, y)
    if x.ndim < 2 or x.shape[-2] != y.shape[-1]:
        raise ValueError(f"takes x [..., {y.shape[-1]}, k], but its shape is {list(x.shape)}.")
    factor, out = broadcast_batches(y, x)
    if not out.size:
        return jnp.zeros_like(out)
    for is_adjoint in (upper, not upper):
        out = jax.lax.linalg.triangular_solve(
            factor,
            out,
            left_side=True,
            lower=not upper,
            transpose_a=is_adjoint,
            conjugate_a=is_adjoint,
        )
    return out


def cholesky_solve_reference(x, y, upper=False):
    """Use NumPy's solve with the product of the triangles."""
    factor = np.triu(y) if upper else np.tril(y)
    other = np.conj(np.swapaxes(factor, -1, -2))
    return np.linalg.solve(other @ factor if upper else factor @ other, x)


def cholesky_solve_samples():
    """Yield each triangle, batches that broadcast, no elements."""
    factor = far_from_singular((3, 3), seed=1)
    yield Sample(values((3, 2)), factor)
    yield Sample(values((3, 2)), factor, upper=True)
    yield Sample(values((2, 1, 2, 1)), far_from_singular((3, 2, 2), seed=1))
    yield Sample(np.zeros((0, 2, 1)), np.zeros((0, 2, 2)))


def cholesky_solve_errors():
    """Yield a vector, and a factor that is not square."""
    yield BadInput((np.ones(2), np.ones((2, 2))), {}, InvalidArgumentError, "takes x [..., 2, k]")
    wide = np.ones((2, 1)), np.ones((2, 3))
    yield BadInput(wide, {}, InvalidArgumentError, "takes square matrices")


cholesky_solve = op(
    "cholesky_solve",
    cholesky_solve_forward,
    saves="x y",
    public=None,
    method=True,
    dtypes=IN_LINALG,
    reference=cholesky_solve_reference,
    samples=cholesky_solve_samples,
    errors=cholesky_solve_errors,
    formula="dx = cholesky_solve(dout, y); g = dx @ out^H + out @ dx^H; dy = -triu(triu(y) @ g) "
    "where upper, else -tril(g @ tril(y))",
    boundary="infinite or nan, as the result is, where the factor's diagonal has a zero.",
    doc="Solve A @ out = x, given the Cholesky factor y of A: A = y @ y^H, or y^H @ y if upper.",
    example="paddle.linalg.cholesky_solve(paddle.ones([2, 1]), 2.0 * paddle.eye(2))",
)


@composite(public=None)
def cholesky_inverse(x: "Tensor", upper: bool = False, name: str | None = None) -> "Tensor":
    """Return the inverse of the matrix whose Cholesky factor is ``x``.

    Paddle multiplies a complex factor by its transpose. Here it is the conjugate transpose, which
    is correct for a Hermitian matrix.

    Args:
        x: float or complex tensor [n, n], a lower triangular matrix (an upper one with ``upper``).
        upper: whether the matrix is ``x^H @ x`` instead of ``x @ x^H``.
        name: accepted for compatibility.

    Returns:
        Tensor [n, n].

    Raises:
        InvalidArgumentError: when ``x`` is not one square matrix, or is singular.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.cholesky_inverse(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]])).tolist()
        [[0.25, 0.0], [0.0, 1.0]]
    """
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        raise InvalidArgumentError(
            f"cholesky_inverse: takes one square matrix, but the shape is {x.shape}."
        )
    other = conjugate_transpose(x)
    return inverse(matmul(other, x) if upper else matmul(x, other))
