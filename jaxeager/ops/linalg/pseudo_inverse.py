"""The pseudo-inverse and the rank, where small singular values count as zero."""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.linalg.matrix_operands import (
    IN_LINALG,
    adjoint,
    hermitian_of,
    needs_matrix,
    needs_square,
    real_dtype,
)
from jaxeager.ops.linalg.solvers import far_from_singular
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _split(x, rcond, hermitian: bool):
    """Return the decomposition of x, and a mask of the singular values that count."""
    needs_square(x) if hermitian else needs_matrix(x)
    u, s, vh = jnp.linalg.svd(hermitian_of(x, True) if hermitian else x, full_matrices=False)
    return u, s, vh, s > rcond * jnp.max(s, axis=-1, keepdims=True, initial=0)


@exact_products
def pinv_forward(x, rcond, *, hermitian: bool = False):
    """Invert the singular values that count."""
    u, s, vh, is_kept = _split(x, rcond, hermitian)
    inverted = jnp.where(is_kept, 1 / jnp.where(is_kept, s, 1), 0).astype(x.dtype)
    return adjoint(vh) @ (inverted[..., None] * adjoint(u))


@exact_products
def pinv_vjp(x, rcond, out, dout, *, hermitian):
    """Return the gradient for exact rank, corrected if values treated as zero are not zero."""
    if not x.size:
        return jnp.zeros_like(x)
    whole = hermitian_of(x, True) if hermitian else x
    p, ph, gh = out, adjoint(out), adjoint(dout)
    left, right = gh - whole @ (p @ gh), gh - gh @ p @ whole
    grad = left @ p @ ph + ph @ p @ right - ph @ dout @ ph
    rest = whole - whole @ p @ whole
    limit = 100 * jnp.finfo(x.dtype).eps * jnp.linalg.norm(whole, axis=(-2, -1))
    is_cut = jnp.any(jnp.linalg.norm(rest, axis=(-2, -1)) > limit)
    grad = grad + jax.lax.cond(
        is_cut, lambda: _correction(x, rcond, gh, hermitian), lambda: jnp.zeros_like(grad)
    )
    return (grad + adjoint(grad)) / 2 if hermitian else grad


def _correction(x, rcond, gh, hermitian: bool):
    """Return the contribution of dropped nonzero values, which rotate the others' vectors."""
    u, s, vh, is_kept = _split(x, rcond, hermitian)
    row, column = s[..., :, None], s[..., None, :]
    kept_row, kept_column = is_kept[..., :, None], is_kept[..., None, :]
    large, small = jnp.maximum(row, column), jnp.minimum(row, column)
    is_pair = (kept_row != kept_column) & (large > small)
    gap = jnp.where(is_pair, large**2 - small**2, 1)
    large = jnp.where(is_pair, large, 1)
    same = jnp.where(is_pair, small**2 / (large**2 * gap), 0).astype(x.dtype)
    crossed = jnp.where(is_pair, small / (large * gap), 0).astype(x.dtype)
    inside = adjoint(u) @ gh @ adjoint(vh)
    return u @ (same * inside + adjoint(crossed * inside)) @ vh


def pinv_reference(x, rcond, hermitian=False):
    """Use NumPy's pseudo-inverse."""
    return np.linalg.pinv(x, rcond[..., 0] if np.ndim(rcond) else rcond, hermitian)


def pinv_samples():
    """Yield tall, wide and Hermitian matrices, a limit, a rank below full, a batch, none."""
    small = np.array(1e-6)
    yield Sample(values((4, 3)), small)
    yield Sample(values((2, 3)), small)
    yield Sample(far_from_singular((2, 2, 2)), np.array([[1e-6], [1e-7]]))
    yield Sample(np.array([[1.0, 2.0], [2.0, 4.0], [0.5, 1.0]]), small, grad=False)
    symmetric = values((3, 3)) + values((3, 3)).T
    yield Sample(symmetric, small, hermitian=True)
    yield Sample(np.zeros((2, 0, 3)), small)


def pinv_errors():
    """Yield a vector."""
    yield BadInput((np.ones(3), np.array(1e-6)), {}, InvalidArgumentError, "takes matrices")


_pinv = op(
    "pinv",
    pinv_forward,
    vjp=pinv_vjp,
    saves="x rcond out",
    nondiff="rcond",
    public=None,
    host_on="tpu",
    dtypes=IN_LINALG,
    reference=pinv_reference,
    samples=pinv_samples,
    errors=pinv_errors,
    formula="g = -P^H @ dout @ P^H + (I - x @ P) @ dout^H @ P @ P^H + P^H @ P @ dout^H @ (I - P "
    "@ x), P = out; dx = g, hermitian(g) where hermitian",
    boundary="Correct where singular values repeat (Paddle: nan), if the rank does not change.",
    doc="Compute the Moore-Penrose pseudo-inverse of matrices.",
)


@composite(public=None)
def pinv(
    x: "Tensor", rcond: "float | Tensor" = 1e-15, hermitian: bool = False, name: str | None = None
) -> "Tensor":
    """Return the Moore-Penrose pseudo-inverse of a matrix, or of each matrix of a batch.

    Paddle returns the conjugate of the pseudo-inverse for complex matrices (without ``hermitian``),
    and its gradient is nan where singular values repeat.

    Args:
        x: float or complex tensor [..., m, n].
        rcond: singular values up to this fraction of the largest count as zero: a number, or a
            tensor that broadcasts with [..., 1].
        hermitian: whether ``x`` is Hermitian; then only its lower triangle is read.
        name: accepted for compatibility.

    Returns:
        Tensor [..., n, m] of the same dtype.

    Raises:
        InvalidArgumentError: for a tensor that holds no matrices.
        NotFoundError: for float16, bfloat16, integers and bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.pinv(paddle.to_tensor([[2.0, 0.0]])).tolist()
        [[0.5], [0.0]]
    """
    return _pinv(x, _limit(rcond, x), hermitian)


def _limit(value, x):
    """Return a number or tensor as a tensor of the real dtype of x."""
    dtype = real_dtype(x._array.dtype) if x._array.dtype.kind in "fc" else np.dtype("float32")
    array = value._array if hasattr(value, "_storage") else value
    return wrap(on_device(array, dtype))


def matrix_rank_forward(x, atol, rtol, *, hermitian: bool = False):
    """Count singular values (or absolute eigenvalues) above a limit."""
    needs_square(x) if hermitian else needs_matrix(x)
    if hermitian and x.size:
        s = jnp.abs(jnp.linalg.eigvalsh(hermitian_of(x, True), symmetrize_input=False))
    else:
        s = jnp.linalg.svd(x, compute_uv=False)
    limit = jnp.maximum(atol, rtol * jnp.max(s, axis=-1, initial=0))
    return jnp.sum(s > limit[..., None], axis=-1, dtype=np.int64)


def matrix_rank_reference(x, atol, rtol, hermitian=False):
    """Count NumPy's singular values."""
    s = np.linalg.svd(x, compute_uv=False, hermitian=hermitian)
    limit = np.maximum(atol, rtol * s.max(axis=-1, initial=0))
    return np.sum(s > limit[..., None], axis=-1)


def matrix_rank_samples():
    """Yield full and lower ranks, both limits, a batch with its own limits, no elements."""
    zero, small = np.array(0.0), np.array(1e-4)
    yield Sample(values((4, 3)), zero, small)
    yield Sample(np.ones((2, 3, 2)), zero, small)
    yield Sample(np.diag([4.0, 1.0, 0.1]), np.array([0.05, 0.5, 2.0]), np.array([0.0, 0.5, 0.0]))
    yield Sample(np.diag([4.0, -1.0, 0.1]), zero, np.array(0.1), hermitian=True)
    yield Sample(np.zeros((2, 0, 3)), zero, small)


_matrix_rank = op(
    "matrix_rank",
    matrix_rank_forward,
    vjp=NONDIFF,
    public=None,
    dtypes="float32 float64",
    reference=matrix_rank_reference,
    samples=matrix_rank_samples,
    doc="Count the singular values of matrices above a limit.",
)


@composite(public=None, method=False)
def matrix_rank(
    x: "Tensor",
    tol: "float | Tensor | None" = None,
    hermitian: bool = False,
    atol: "float | Tensor | None" = None,
    rtol: "float | Tensor | None" = None,
    name: str | None = None,
) -> "Tensor":
    """Return the rank of a matrix, or of each matrix of a batch, as int64.

    It is the number of singular values above ``max(atol, rtol * largest)``.

    Args:
        x: float or complex tensor [..., m, n].
        tol: the limit itself, a number or tensor; excludes ``atol`` and ``rtol``.
        hermitian: whether ``x`` is Hermitian; then eigenvalues are counted by absolute value, and
            only the lower triangle is read.
        atol: number or tensor; 0 by default.
        rtol: number or tensor; the dtype's rounding times max(m, n) by default.
        name: accepted for compatibility.

    Returns:
        Tensor [...], broadcast with the limits.

    Raises:
        InvalidArgumentError: for ``tol`` with another limit, or a tensor without matrices.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.matrix_rank(paddle.ones([3, 3])).item()
        1
    """
    if tol is not None and (atol is not None or rtol is not None):
        raise InvalidArgumentError(
            "Only support to use tol alone or use atol and rtol without tol."
        )
    if tol is not None:
        atol, rtol = tol, 0.0
    if rtol is None:
        dtype = x._array.dtype
        eps = np.finfo(dtype).eps if dtype.kind in "fc" else 0.0
        rtol = float(eps) * max(x.shape[-2:], default=0)
    return _matrix_rank(x, _limit(0.0 if atol is None else atol, x), _limit(rtol, x), hermitian)
