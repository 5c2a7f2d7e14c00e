"""Eigenvalues and eigenvectors of Hermitian and other matrices."""

import inspect
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.linalg.matrix_operands import (
    IN_LINALG,
    adjoint,
    hermitian_of,
    needs_square,
)
from jaxeager.ops.linalg.solvers import square_errors
from jaxeager.ops.linalg.svd import off_diagonal, over_gaps
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

# Newer versions of JAX differentiate eigenvectors only with this option.
_DERIVATIVES = "enable_eigvec_derivs"
_EIG_OPTIONS: dict[str, Any] = (
    {_DERIVATIVES: True} if _DERIVATIVES in inspect.signature(jax.lax.linalg.eig).parameters else {}
)


def _is_lower(uplo: str) -> bool:
    if uplo not in ("L", "U"):
        raise ValueError(f"UPLO must be 'L' or 'U', not {uplo!r}.")
    return uplo == "L"


# ---- Hermitian matrices


@exact_products
def eigh_forward(x, *, UPLO: str = "L"):
    """Decompose Hermitian matrices; only one triangle is read."""
    needs_square(x)
    lower = _is_lower(UPLO)
    x = hermitian_of(x, lower)
    if not x.size:
        return jnp.zeros(x.shape[:-1], jnp.real(x).dtype), jnp.zeros_like(x)
    vectors, eigenvalues = jax.lax.linalg.eigh(x, lower=lower, symmetrize_input=False)
    return eigenvalues, vectors


@exact_products
def eigh_vjp(w, v, dw, dv):
    """Compute the gradient of the matrix from those of values and vectors."""
    turn = adjoint(v) @ dv
    gaps = (w[..., None, :] - w[..., :, None]).astype(v.dtype)
    stretched = dw[..., None].astype(v.dtype) * jnp.eye(w.shape[-1], dtype=v.dtype)
    out = v @ (over_gaps(off_diagonal(turn), gaps) + stretched) @ adjoint(v)
    return (out + adjoint(out)) / 2


def eigh_reference(x, UPLO: Literal["L", "U"] = "L"):
    """Use NumPy's decomposition."""
    return tuple(np.linalg.eigh(x, UPLO))


def hermitian(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Return symmetric matrices [..., n, n] with distinct eigenvalues, for samples."""
    x = values(shape, -1.0, 1.0, seed)
    return x + np.swapaxes(x, -1, -2) + 3 * np.diag(np.arange(shape[-1]))


def eigh_samples():
    """Yield matrices of either triangle, a batch, a complex one, no elements."""
    yield Sample(hermitian((3, 3)))
    yield Sample(hermitian((3, 3), seed=1), UPLO="U")
    yield Sample(hermitian((2, 2, 2)))
    yield Sample(hermitian((3, 3)) + 1j * np.array([[0.0, -1, 0.5], [1, 0, 0.2], [-0.5, -0.2, 0]]))
    yield Sample(np.zeros((2, 0, 0)))


def eigh_errors():
    """Yield a matrix that is not square, and another triangle."""
    yield from square_errors()
    yield BadInput((np.eye(2),), {"UPLO": "Q"}, InvalidArgumentError, "UPLO must be 'L' or 'U'")


eigh = op(
    "eigh",
    eigh_forward,
    vjp=eigh_vjp,
    saves="w v",
    outputs="w v",
    public=None,
    dtypes=IN_LINALG,
    reference=eigh_reference,
    samples=eigh_samples,
    errors=eigh_errors,
    formula="e = v^H @ dv / (w_j - w_i) where w_i != w_j, else 0; dx = hermitian(v @ (diag(dw) + "
    "e) @ v^H)",
    boundary="infinite or nan where eigenvalues repeat, for gradients through the eigenvectors; "
    "correct for gradients through the eigenvalues (Paddle: nan for both).",
    doc="Decompose Hermitian (symmetric) matrices: rising eigenvalues w and eigenvectors v. One "
    "triangle is read, the lower one by default; the gradient is Hermitian.",
    example="paddle.linalg.eigh(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]]))",
)


@exact_products
def eigvalsh_forward(x, *, UPLO: str = "L"):
    """Compute eigenvalues of Hermitian matrices; only one triangle is read."""
    return eigh_forward(x, UPLO=UPLO)[0]


def eigvalsh_reference(x, UPLO: Literal["L", "U"] = "L"):
    """Use NumPy's eigenvalues."""
    return np.linalg.eigvalsh(x, UPLO)


eigvalsh = op(
    "eigvalsh",
    eigvalsh_forward,
    saves="x",
    dtypes=IN_LINALG,
    reference=eigvalsh_reference,
    samples=eigh_samples,
    errors=eigh_errors,
    formula="dx = v @ diag(dout) @ v^H, (w, v) = eigh(x)",
    boundary="For repeated eigenvalues, the gradient of one choice of their vectors.",
    doc="Compute the eigenvalues of Hermitian (symmetric) matrices, the smallest first. One "
    "triangle is read, the lower one by default.",
    example="paddle.linalg.eigvalsh(paddle.to_tensor([[2.0, 0.0], [0.0, 1.0]]))",
)


# ---- other square matrices


@exact_products
def eig_forward(x):
    """Decompose square matrices; values and vectors are complex."""
    needs_square(x)
    if not x.size:
        empty = jnp.zeros(x.shape, jnp.result_type(x.dtype, np.complex64))
        return empty[..., 0] if x.shape[-1] else jnp.zeros(x.shape[:-1], empty.dtype), empty
    w, v = jax.lax.linalg.eig(x, compute_left_eigenvectors=False, **_EIG_OPTIONS)
    return w, v


@exact_products
def eig_vjp(x, w, v, dw, dv):
    """Compute the gradient of the matrix from those of values and vectors.

    LAPACK normalizes vectors to length 1 with a real largest element. So a vector also changes
    along its own direction, and that part of the gradient is subtracted.
    """
    if not w.size:
        return jnp.zeros(x.shape, x.dtype)
    along = jnp.sum(jnp.conj(dv) * v, axis=-2, keepdims=True)
    size = jnp.abs(v)
    is_top = jnp.arange(w.shape[-1])[:, None] == jnp.argmax(size, axis=-2, keepdims=True)
    top = jnp.sum(jnp.where(is_top, jnp.real(v), 0), axis=-2, keepdims=True)
    turn = dv - jnp.real(along) * v + jnp.where(is_top, 1j * jnp.imag(along) / top, 0)
    gaps = jnp.conj(w[..., None, :] - w[..., :, None])
    core = over_gaps(off_diagonal(adjoint(v) @ turn), gaps)
    core = core + dw[..., None] * jnp.eye(w.shape[-1], dtype=w.dtype)
    return jnp.linalg.solve(adjoint(v), core @ adjoint(v))


def eig_reference(x):
    """Use NumPy's decomposition, always as complex numbers."""
    w, v = np.linalg.eig(x)
    return w.astype(np.result_type(w, np.complex64)), v.astype(np.result_type(v, np.complex64))


def eig_samples():
    """Yield matrices of real and of complex eigenvalues, a batch, no elements."""
    yield Sample(values((3, 3)))
    yield Sample(np.array([[1.0, -2.0], [3.0, 1.5]]))
    yield Sample(values((2, 3, 3), seed=1))
    yield Sample(np.zeros((2, 0, 0)))


eig = op(
    "eig",
    eig_forward,
    vjp=eig_vjp,
    saves="w v",
    shapes="x",
    outputs="w v",
    public=None,
    method=True,
    host_on="tpu",
    dtypes="float64 complex128",  # the signs of vectors differ in float32: tests/linalg
    reference=eig_reference,
    samples=eig_samples,
    errors=square_errors,
    formula="dx = V^-H @ (diag(dw) + (V^H @ dv - how v keeps its length) / (w_j - w_i)^*) @ V^H",
    boundary="infinite or nan where eigenvalues repeat, for gradients through the eigenvectors; "
    "for all gradients where there are too few eigenvectors.",
    doc="Decompose square matrices: complex eigenvalues w and eigenvectors v, in no "
    "particular order. On an accelerator it needs JAX's kernel for it (CUDA has one, TPUs do not).",
    example="paddle.linalg.eig(paddle.to_tensor([[0.0, -1.0], [1.0, 0.0]]))",
)


def eigvals_forward(x):
    """Compute complex eigenvalues."""
    needs_square(x)
    if not x.size:
        return jnp.zeros(x.shape[:-1], jnp.result_type(x.dtype, np.complex64))
    return jnp.linalg.eigvals(x)


def eigvals_reference(x):
    """Use NumPy's eigenvalues."""
    w = np.linalg.eigvals(x)
    return w.astype(np.result_type(w, np.complex64))


eigvals = op(
    "eigvals",
    eigvals_forward,
    vjp=NONDIFF,
    public=None,
    method=True,
    host_on="tpu",
    dtypes=IN_LINALG,
    reference=eigvals_reference,
    samples=eig_samples,
    errors=square_errors,
    doc="Compute the complex eigenvalues of square matrices, in no particular order. "
    "It has no gradient, as in Paddle; the values of eig have one.",
    example="paddle.linalg.eigvals(paddle.to_tensor([[0.0, -1.0], [1.0, 0.0]]))",
)
