"""Powers, the exponential, and chains of products of matrices."""

from math import factorial
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError, UnsupportedDtypeError
from jaxeager.ops.linalg.matrix_operands import (
    IN_LINALG,
    SOLVED_DTYPES,
    adjoint,
    needs_solver,
    needs_square,
    refuse_failed,
)
from jaxeager.ops.linalg.solvers import SINGULAR, far_from_singular, square_errors
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.attrs import Tensors, as_int
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@exact_products
def matrix_power_forward(x, *, n: int):
    """Multiply square matrices by themselves."""
    needs_square(x)
    if n == 0 or not x.size:
        return jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape)
    return jnp.linalg.matrix_power(x, n)


def matrix_power_reference(x, n):
    """Use NumPy's power."""
    return np.linalg.matrix_power(x, n)


def matrix_power_samples():
    """Yield powers of every kind, a batch, no elements."""
    for n in (3, -2, 1, 0, 2):
        yield Sample(far_from_singular((3, 3)), n=n)
    yield Sample(far_from_singular((2, 2, 2)), n=5)
    yield Sample(np.zeros((2, 0, 0)), n=2)


def matrix_power_errors():
    """Yield a matrix that is not square."""
    yield BadInput((np.ones((2, 3)),), {"n": 2}, InvalidArgumentError, "takes square matrices")


_matrix_power = op(
    "matrix_power",
    matrix_power_forward,
    saves="x",
    public=None,
    dtypes=IN_LINALG,
    reference=matrix_power_reference,
    samples=matrix_power_samples,
    errors=matrix_power_errors,
    formula="dx = the sum over k < n of (x^H)^k @ dout @ (x^H)^(n-1-k); through x^-1 for n < 0",
    boundary="0 for n = 0, as in Paddle; infinite or nan for n < 0 where x is singular.",
    doc="Compute a power of square matrices.",
)


@composite(public=None)
def matrix_power(x: "Tensor", n: int, name: str | None = None) -> "Tensor":
    """Return the n-th power of a square matrix, or of each matrix of a batch.

    Paddle raises for a negative power of a singular matrix; see ``inverse``.

    Args:
        x: float or complex tensor [..., n, n].
        n: int of either sign; the 0th power is the identity.
        name: accepted for compatibility.

    Returns:
        Tensor [..., n, n] of the same dtype.

    Raises:
        InvalidArgumentError: when the matrices are not square, or one is singular and n < 0.
        InvalidTypeError: when n is not an integer.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.matrix_power(paddle.to_tensor([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
        [[1.0, 3.0], [0.0, 1.0]]
    """
    n = as_int(n, "n")
    out = _matrix_power(x, n)
    if n < 0:
        refuse_failed(out, f"matrix_power: {SINGULAR}", x)
    return out


# By the bits of a real number: the order of the Pade approximant, and the norm up to which all its
# digits are correct (Higham 2005, The scaling and squaring method for the matrix exponential
# revisited).
PADE = {32: (7, 3.925724783138660), 64: (13, 5.371920351148152)}
SQUARINGS = 16  # the maximum: the result is nan for norms over 2 ** 16 times the norm above


def _factors(order: int) -> list[float]:
    """Return the coefficients of the powers in the numerator of exp's Pade approximant."""
    whole = [
        factorial(2 * order - k) // factorial(k) // factorial(order - k) for k in range(order + 1)
    ]
    return [each / whole[0] for each in whole]


def exponential(x):
    """Return the exponential of square matrices, by scaling and squaring.

    jax.scipy.linalg.expm chooses among five orders. All of them are compiled, and for a batch all
    are computed. One order compiles in a quarter of the time, and its derivatives in half of it.
    """
    order, limit = PADE[jnp.finfo(x.dtype).bits]
    norm = lax.stop_gradient(jnp.max(jnp.sum(jnp.abs(x), -2), -1))
    count = jnp.maximum(jnp.ceil(jnp.log2(norm / limit)), 0)[..., None, None]
    scaled = x / jnp.exp2(count).astype(x.dtype)
    square = scaled @ scaled
    powers = [jnp.eye(x.shape[-1], dtype=x.dtype), square]
    while len(powers) <= order // 2:
        powers.append(powers[-1] @ square)
    factors = _factors(order)
    even = sum(c * power for c, power in zip(factors[::2], powers, strict=True))
    odd = scaled @ sum(c * power for c, power in zip(factors[1::2], powers, strict=True))
    most = jnp.max(count)

    def squared(out, step):
        return lax.cond(
            step < most, lambda out: jnp.where(step < count, out @ out, out), lambda out: out, out
        ), None

    steps = jnp.arange(SQUARINGS, dtype=count.dtype)
    out = lax.scan(squared, jnp.linalg.solve(even - odd, even + odd), steps)[0]
    return jnp.where(count <= SQUARINGS, out, jnp.nan)


@exact_products
def matrix_exp_forward(x):
    """Compute matrix exponentials, or the exponential of one number."""
    if x.dtype not in SOLVED_DTYPES:
        raise UnsupportedDtypeError(
            f"matrix_exp: there is no decomposition in {x.dtype.name}. The dtype must be float32, "
            "float64, complex64 or complex128: cast the operand, as with x.astype('float32')."
        )
    if x.ndim == 0:
        return jnp.exp(x)
    needs_square(x)
    return exponential(x) if x.size else jnp.zeros_like(x)


@exact_products
def matrix_exp_vjp(x, dout):
    """Take the derivative from the exponential of a matrix of twice the size."""
    if x.ndim == 0:
        return dout * jnp.exp(jnp.conj(x))
    if not x.size:
        return jnp.zeros_like(x)
    other, n = adjoint(x), x.shape[-1]
    upper = jnp.concatenate([other, dout], axis=-1)
    lower = jnp.concatenate([jnp.zeros_like(x), other], axis=-1)
    return exponential(jnp.concatenate([upper, lower], axis=-2))[..., :n, n:]


def matrix_exp_reference(x):
    """Sum the series of x / 64, and raise the sum to the power of 64."""
    if np.ndim(x) == 0:
        return np.exp(x)
    out = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for k in range(30, 0, -1):
        out = np.eye(x.shape[-1]) + x @ out / (64 * k)
    return np.linalg.matrix_power(out, 64)


def matrix_exp_samples():
    """Yield a matrix, a batch, zeros, a nilpotent matrix, no elements."""
    yield Sample(values((3, 3)))
    yield Sample(values((2, 2, 2), -0.2, 0.3))
    yield Sample(np.zeros((2, 2)))
    yield Sample(np.array([[0.0, 1.0], [0.0, 0.0]]))
    yield Sample(np.zeros((2, 0, 0)))
    yield Sample(values(()))


matrix_exp = op(
    "matrix_exp",
    matrix_exp_forward,
    vjp=matrix_exp_vjp,
    saves="x",
    public=None,
    dtypes=IN_LINALG,
    reference=matrix_exp_reference,
    samples=matrix_exp_samples,
    errors=square_errors,
    formula="dx = upper_right(expm([[x^H, dout], [0, x^H]])), "
    "dout * exp(conj(x)) where ndim(x) = 0",
    doc="Compute the matrix exponential of square matrices; of a number, its exponential.",
    example="paddle.linalg.matrix_exp(paddle.zeros([2, 2]))",
)


def multi_dot_forward(x: Tensors):
    """Multiply matrices in the order that needs the fewest multiplications."""
    needs_solver(*x)
    if len(x) < 2:
        raise ValueError(f"takes 2 matrices or more, but received {len(x)}.")
    ranks = [each.ndim for each in x]
    ends = {ranks[0], ranks[-1]}
    if not ends <= {1, 2} or any(rank != 2 for rank in ranks[1:-1]):
        raise ValueError(f"takes matrices, and vectors only at the ends, not ranks {ranks}.")
    return jnp.linalg.multi_dot(x)


def multi_dot_reference(x):
    """Use NumPy's products, one after the other."""
    out = x[0]
    for each in x[1:]:
        out = np.matmul(out, each)
    return out


def multi_dot_samples():
    """Yield two and four matrices, vectors at the ends, no rows."""
    x, y, z = values((2, 3)), values((3, 4), seed=1), values((4, 2), seed=2)
    yield Sample([x, y])
    yield Sample([x, y, z, x])
    yield Sample([values((3,)), y, values((4,), seed=2)])
    yield Sample([np.zeros((0, 3)), y, z])


def multi_dot_errors():
    """Yield one matrix, a vector in the middle, sizes that do not match."""
    square = np.ones((2, 2))
    yield BadInput(([square],), {}, InvalidArgumentError, "takes 2 matrices or more")
    vector = [square, np.ones(2), square]
    yield BadInput((vector,), {}, InvalidArgumentError, "vectors only at the ends")
    yield BadInput(([square, np.ones((3, 2))],), {}, InvalidArgumentError, "multi_dot")


multi_dot = op(
    "multi_dot",
    multi_dot_forward,
    saves="x",
    public=None,
    method=True,
    dtypes=IN_LINALG,
    reference=multi_dot_reference,
    samples=multi_dot_samples,
    errors=multi_dot_errors,
    formula="dx_i = (x_1 ... x_(i-1))^H @ dout @ (x_(i+1) ... x_k)^H",
    doc="Multiply a list of matrices, in the order that takes the fewest multiplications.",
    example="paddle.linalg.multi_dot([paddle.ones([2, 3]), paddle.ones([3, 1])])",
)
