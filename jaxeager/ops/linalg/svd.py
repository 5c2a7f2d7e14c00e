"""Singular values and vectors.

Note [Repeated values]
Where two singular values (or eigenvalues) are equal, their vectors are not determined, and a
gradient through such vectors is infinite or nan: no number would be right. A gradient through the
values only is defined there, and so is that of a function whose gradient by the vectors is zero:
0 / 0 is taken as 0.
"""

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.keywords import also_called
from jaxeager.ops.linalg.matrix_operands import IN_LINALG, adjoint, needs_matrix
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def over_gaps(numerator, gaps):
    """Divide by differences of values, 0 / 0 being 0; see Note [Repeated values]."""
    is_zero = numerator == 0
    return jnp.where(is_zero, 0, numerator / jnp.where(is_zero, 1, gaps))


def off_diagonal(x):
    """Return square matrices with zeros on the diagonal."""
    return jnp.where(jnp.eye(x.shape[-1], dtype=bool), 0, x)


def _diagonal(vector):
    """Return matrices with the vectors on their diagonal."""
    return vector[..., None] * jnp.eye(vector.shape[-1], dtype=vector.dtype)


@exact_products
def svd_forward(x, *, full_matrices: bool = False):
    """Decompose matrices."""
    needs_matrix(x)
    u, s, vh = jnp.linalg.svd(x, full_matrices=full_matrices)
    return u, s, vh


@exact_products
def svd_vjp(u, s, vh, du, ds, dvh, *, full_matrices):
    """Compute the gradient of the matrix from those of values and vectors."""
    k = s.shape[-1]
    v, dv = adjoint(vh), adjoint(dvh)
    (u, du, u_rest), (v, dv, v_rest) = _inside(u, du, k), _inside(v, dv, k)
    turn_u, turn_v = adjoint(u) @ du, adjoint(v) @ dv
    column, row = s[..., None, :].astype(u.dtype), s[..., :, None].astype(u.dtype)
    same = over_gaps(off_diagonal(turn_u + turn_v), column - row)
    opposite = over_gaps(off_diagonal(turn_u - turn_v), column + row)
    core = (same + adjoint(same) + opposite - adjoint(opposite)) / 2
    core = core + _diagonal(ds).astype(u.dtype)
    if jnp.iscomplexobj(u):  # a change of phase appears only in u
        phase = jnp.imag(jnp.diagonal(turn_u, axis1=-2, axis2=-1))
        core = core + _diagonal(1j * over_gaps(phase, s))
    left, right = over_gaps(u_rest, column), over_gaps(v_rest, column)
    return (u @ core + left) @ adjoint(v) + u @ adjoint(right)


def _inside(u, du, k: int):
    """Return the first k vectors, their gradient, and its part outside of their span.

    The remaining vectors rotate with the first k in the opposite direction, so their gradient is
    added.
    """
    u, beyond = u[..., :k], u[..., k:]
    du, dbeyond = du[..., :k], du[..., k:]
    du = du - beyond @ (adjoint(dbeyond) @ u)
    return u, du, du - u @ (adjoint(u) @ du)


def svd_reference(x, full_matrices=False):
    """Use NumPy's decomposition."""
    return tuple(np.linalg.svd(x, full_matrices=full_matrices))


def svd_samples():
    """Yield tall, wide and square matrices, a batch, all vectors, matrices of no elements."""
    yield Sample(values((4, 3)))
    yield Sample(values((2, 3)))
    yield Sample(values((2, 2, 2)))
    yield Sample(values((3, 3)), full_matrices=True)
    yield Sample(values((4, 2)), full_matrices=True, grad=False)  # JAX has no VJP: tests/linalg
    yield Sample(np.zeros((2, 0, 3)))


def svd_errors():
    """Yield a vector."""
    yield BadInput((np.ones(3),), {}, InvalidArgumentError, "takes matrices")


_svd = op(
    "svd",
    svd_forward,
    vjp=svd_vjp,
    saves="u s vh",
    outputs="u s vh",
    public=None,
    host_on="tpu",
    dtypes=IN_LINALG,
    reference=svd_reference,
    samples=svd_samples,
    errors=svd_errors,
    formula="dx = U @ (diag(ds) + turns of U and V over the gaps of s) @ V^H + parts out of their "
    "spans, over s",
    boundary="infinite or nan for gradients through vectors whose singular values repeat, or are 0 "
    "with vectors that turn out of their span; correct for gradients through singular values.",
    doc="Decompose a matrix into orthonormal vectors and singular values.",
)


@composite(public=None, method=False)
@also_called("out")
def svd(
    x: "Tensor", full_matrices: bool = False, name: str | None = None
) -> "tuple[Tensor, Tensor, Tensor]":
    """Return U, S and V^H with ``x = U @ diag(S) @ V^H``: singular vectors and values.

    The values are in descending order. Vectors are defined up to a sign (a phase, when complex)
    that both sides share, and those of equal values up to a rotation.

    In Paddle, with ``full_matrices``, the vectors without a value get no gradient. Here they rotate
    with the others. Where values repeat, a gradient through values only is right in both; see
    Note [Repeated values] in svd.py for the others.

    Args:
        x: float or complex tensor [..., m, n].
        full_matrices: whether U is [..., m, m] and V^H [..., n, n] instead of [..., m, k] and
            [..., k, n], with k = min(m, n).
        name: accepted for compatibility.

    Returns:
        (U, S, V^H), with S [..., k] real.

    Raises:
        InvalidArgumentError: for a tensor that holds no matrices.
        NotFoundError: for float16, bfloat16, integers and bool.

    Example:
        >>> import jaxeager as paddle
        >>> u, s, vh = paddle.linalg.svd(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]]))
        >>> s.tolist()
        [4.0, 3.0]
    """
    return _svd(x, full_matrices)


@exact_products
def svdvals_forward(x):
    """Compute singular values."""
    needs_matrix(x)
    return jnp.linalg.svd(x, compute_uv=False)


def svdvals_reference(x):
    """Use NumPy's singular values."""
    return np.linalg.svd(x, compute_uv=False)


def svdvals_samples():
    """Yield tall and wide matrices, a batch, repeated values, matrices of no elements."""
    yield Sample(values((4, 3)))
    yield Sample(values((2, 2, 3)))
    yield Sample(np.zeros((2, 0, 3)))


svdvals = op(
    "svdvals",
    svdvals_forward,
    saves="x",
    public=None,
    host_on="tpu",
    dtypes=IN_LINALG,
    reference=svdvals_reference,
    samples=svdvals_samples,
    errors=svd_errors,
    formula="dx = u @ diag(dout) @ vh, (u, s, vh) = svd(x)",
    boundary="For repeated values, and for zeros, the gradient of one choice of their vectors.",
    doc="Compute the singular values of a matrix, the largest first.",
    example="paddle.linalg.svdvals(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]]))",
)
