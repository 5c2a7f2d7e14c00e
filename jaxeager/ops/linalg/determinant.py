"""Determinants, and the logarithms of their absolute values."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.ops.linalg.matrix_operands import IN_LINALG, needs_square
from jaxeager.ops.linalg.solvers import far_from_singular, square_errors
from jaxeager.ops.register import op
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import Sample, values


@exact_products
def det_forward(x):
    """Compute determinants."""
    needs_square(x)
    if not x.size:
        return jnp.ones(x.shape[:-2], x.dtype)
    return _det_of_few_rows(x) if x.shape[-1] in (2, 3) else jnp.linalg.det(x)


@jax.custom_jvp
def _det_of_few_rows(x):
    """Return the determinant of 2x2 and 3x3 matrices.

    Its derivatives of every order are those of the polynomial, also where x is singular. From 0.11
    on, JAX differentiates the LU factors, whose second derivative is nan there.
    """
    return jnp.linalg.det(x)


@_det_of_few_rows.defjvp
def _det_of_few_rows_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return _det_of_few_rows(x), (_cofactors(x) * dx).sum((-2, -1))


def _cofactors(x):
    """Return the cofactors of 2x2 and 3x3 matrices."""
    if x.shape[-1] == 2:
        (a, b), (c, d) = jnp.moveaxis(x, (-2, -1), (0, 1))
        return jnp.moveaxis(jnp.stack([jnp.stack([d, -c]), jnp.stack([-b, a])]), (0, 1), (-2, -1))
    first, second, third = x[..., 0, :], x[..., 1, :], x[..., 2, :]
    rows = jnp.cross(second, third), jnp.cross(third, first), jnp.cross(first, second)
    return jnp.stack(rows, -2)


def det_samples():
    """Yield small and larger matrices, a batch, a singular one, one element, no elements."""
    yield Sample(values((3, 3)))
    yield Sample(far_from_singular((2, 4, 4)))
    yield Sample(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]))
    yield Sample(np.array([[-2.5]]))
    yield Sample(np.zeros((2, 0, 0)))


det = op(
    "det",
    det_forward,
    saves="x",
    public=None,
    dtypes=IN_LINALG,
    reference="numpy.linalg.det",
    samples=det_samples,
    errors=square_errors,
    formula="dx = dout * conj(cofactors(x))",
    boundary="The cofactors also where x is singular (Paddle: 0 there); second order is nan where "
    "x has more than 3 rows and is singular.",
    doc="Compute the determinant of square matrices.",
    example="paddle.linalg.det(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))",
)


@exact_products
def slogdet_forward(x):
    """Stack the signs and the logarithms of the absolute values of determinants."""
    needs_square(x)
    if not x.size:
        zeros = jnp.zeros(x.shape[:-2], x.dtype)
        return jnp.stack([zeros + 1, zeros])
    sign, logarithm = jnp.linalg.slogdet(x)
    return jnp.stack([sign, logarithm.astype(x.dtype)])


def slogdet_reference(x):
    """Use NumPy's sign and logarithm."""
    sign, logarithm = np.linalg.slogdet(x)
    return np.stack([sign, logarithm.astype(sign.dtype)])


def slogdet_samples():
    """Yield small and larger matrices, a batch, one element, no elements."""
    yield Sample(values((3, 3)))
    yield Sample(far_from_singular((2, 4, 4)))
    yield Sample(np.array([[-2.5]]))
    yield Sample(np.zeros((2, 0, 0)))


slogdet = op(
    "slogdet",
    slogdet_forward,
    saves="x",
    public=None,
    method=True,
    dtypes=IN_LINALG,
    reference=slogdet_reference,
    samples=slogdet_samples,
    errors=square_errors,
    formula="dx = (real(dout[1]) + i * imag(dout[0] * conj(out[0]))) * x^-H: the sign of a real "
    "one has none",
    boundary="infinite or nan where a matrix is singular, where the logarithm is -inf.",
    doc="Compute sign and logarithm of the absolute value of determinants, stacked: [2, ...].",
    example="paddle.linalg.slogdet(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]))",
)
