"""The inverse, and solvers of square and triangular systems of linear equations."""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.keywords import also_called
from jaxeager.ops.linalg.matrix_operands import (
    IN_LINALG,
    adjoint,
    broadcast_batches,
    needs_solver,
    needs_square,
    refuse_failed,
)
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.axes import as_first
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values
from jaxeager.ops.shape.strided import matrix_transpose

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

SINGULAR = "a singular matrix has no inverse; paddle.linalg.pinv computes a pseudo-inverse"
_LIMITS = "infinite or nan, as the result is, where the matrix is singular (Paddle: raises)."


def far_from_singular(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Return distinct matrices [..., n, n] with a dominant diagonal, for samples."""
    return values(shape, seed=seed) + 4 * np.eye(shape[-1])


def square_errors():
    """Yield a vector, and a matrix that is not square."""
    yield BadInput((np.ones(3),), {}, InvalidArgumentError, "takes matrices")
    yield BadInput((np.ones((2, 3)),), {}, InvalidArgumentError, "takes square matrices")


# ---- the inverse


@exact_products
def inverse_forward(x):
    """Invert square matrices."""
    needs_square(x)
    return jnp.linalg.inv(x)


@exact_products
def inverse_vjp(out, dout):
    """Multiply by the inverse from both sides."""
    right = adjoint(out)
    return -(right @ dout @ right)


def inverse_samples():
    """Yield one matrix, a batch, one element, matrices of no elements."""
    yield Sample(far_from_singular((3, 3)))
    yield Sample(far_from_singular((2, 2, 2), seed=1))
    yield Sample(np.array([[-2.5]]))
    yield Sample(np.zeros((2, 0, 0)))


_inverse = op(
    "inverse",
    inverse_forward,
    vjp=inverse_vjp,
    saves="out",
    public=None,
    dtypes=IN_LINALG,
    reference="numpy.linalg.inv",
    samples=inverse_samples,
    errors=square_errors,
    formula="dx = -out^H @ dout @ out^H",
    boundary=f"The gradient is {_LIMITS}",
    doc="Invert a square matrix, or each of a batch.",
)


@composite()
def inverse(x: "Tensor", name: str | None = None) -> "Tensor":
    """Return the inverse of a square matrix, or of each matrix of a batch.

    Paddle raises for a singular matrix. So does this if the result is in CPU memory; on an
    accelerator the result holds infinities or nan, because the check would wait for the device.

    Args:
        x: float or complex tensor [..., n, n].
        name: accepted for compatibility.

    Returns:
        Tensor [..., n, n] of the same dtype.

    Raises:
        InvalidArgumentError: when the matrices are not square, or one is singular.
        NotFoundError: for float16, bfloat16, integers and bool.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.inv(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    out = _inverse(x)
    refuse_failed(out, f"inverse: {SINGULAR}", x)
    return out


# ---- square systems


def _is_vector(x, y) -> bool:
    """Return whether y holds vectors: one, or as many as x has matrices."""
    return y.ndim == 1 or (x.ndim == y.ndim + 1 and x.shape[:-1] == y.shape)


@exact_products
def solve_forward(x, y):
    """Solve square systems for matrices or vectors on the right."""
    needs_square(x)
    needs_solver(x, y)
    if y.ndim == 0:
        raise ValueError("takes vectors or matrices y, not a 0-D one.")
    is_vector = _is_vector(x, y)
    right = y[..., None] if is_vector else y
    if right.shape[-2] != x.shape[-1]:
        raise ValueError(f"y must have {x.shape[-1]} rows, but has shape {list(y.shape)}.")
    x, right = broadcast_batches(x, right)
    out = jnp.linalg.solve(x, right)
    return out[..., 0] if is_vector else out


def solve_reference(x, y):
    """Use NumPy's solve."""
    if _is_vector(x, y):
        return np.linalg.solve(x, y[..., None])[..., 0]
    return np.linalg.solve(x, y)


def solve_samples():
    """Yield a matrix, vectors and batches that broadcast, no equations, no right sides."""
    yield Sample(far_from_singular((3, 3)), values((3, 2), seed=1))
    yield Sample(far_from_singular((3, 3)), values((3,), seed=1))
    yield Sample(far_from_singular((2, 3, 3)), values((2, 3), seed=1))
    yield Sample(far_from_singular((2, 1, 2, 2)), values((3, 2, 2), seed=1))
    yield Sample(far_from_singular((2, 2)), values((3, 2, 1), seed=1))
    yield Sample(np.zeros((0, 0)), np.zeros((0, 2)))
    yield Sample(far_from_singular((2, 2)), np.zeros((2, 0)))


def solve_errors():
    """Yield a matrix that is not square, and a right side with other rows."""
    square = np.ones((2, 2))
    yield BadInput((np.ones((2, 3)), square), {}, InvalidArgumentError, "takes square matrices")
    yield BadInput((square, np.ones((3, 1))), {}, InvalidArgumentError, "must have 2 rows")
    yield BadInput((square, square.astype("float32")), {}, InvalidArgumentError, "one dtype")


_solve = op(
    "solve",
    solve_forward,
    saves="x y",
    public=None,
    dtypes=IN_LINALG,
    reference=solve_reference,
    samples=solve_samples,
    errors=solve_errors,
    formula="dy = solve(x^H, dout); dx = -dy @ out^H",
    boundary=f"The gradients are {_LIMITS}",
    doc="Solve square systems of linear equations.",
)


@composite(public=None)
@also_called("A=x B=y out")
def solve(x: "Tensor", y: "Tensor", left: bool = True, name: str | None = None) -> "Tensor":
    """Return the solution of ``x @ out = y``, or of ``out @ x = y`` with ``left=False``.

    Paddle raises for a singular matrix, see ``inverse``, and accepts real numbers only.

    Args:
        x: float or complex tensor [..., n, n]; also called ``A``.
        y: tensor [..., n, k], or vectors [n] or [..., n]; also called ``B``. Batches broadcast.
        left: whether ``x`` is on the left of the unknown.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``y``, broadcast.

    Raises:
        InvalidArgumentError: when shapes do not fit, or a matrix is singular.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[3.0, 1.0], [1.0, 2.0]])
        >>> paddle.linalg.solve(x, paddle.to_tensor([9.0, 8.0])).numpy().round(4).tolist()
        [2.0, 3.0]
    """
    if left:
        out = _solve(x, y)
    elif y.ndim < 2 or x.shape[-2] != y.shape[-1]:
        raise InvalidArgumentError(
            f"solve: out @ x = y with x {x.shape} needs matrices y [..., {x.shape[-2]}], but "
            f"received {y.shape}."
        )
    else:
        out = matrix_transpose(_solve(matrix_transpose(x), matrix_transpose(y)))
    refuse_failed(out, f"solve: {SINGULAR}", x, y)
    return out


# ---- triangular systems


@exact_products
def triangular_solve_forward(
    x, y, *, upper: bool = True, transpose: bool = False, unitriangular: bool = False
):
    """Solve triangular systems; the other triangle of x is never read."""
    needs_square(x)
    x, y = as_first(x, y)
    needs_solver(x, y)
    if y.ndim < 2 or y.shape[-2] != x.shape[-1]:
        raise ValueError(f"takes y [..., {x.shape[-1]}, k], but its shape is {list(y.shape)}.")
    x, y = broadcast_batches(x, y)
    if not y.size:
        return jnp.zeros_like(y)
    return jax.lax.linalg.triangular_solve(
        x,
        y,
        left_side=True,
        lower=not upper,
        transpose_a=transpose,
        unit_diagonal=unitriangular,
    )


def triangular_solve_reference(x, y, upper=True, transpose=False, unitriangular=False):
    """Use NumPy's solve with only the triangle."""
    x = np.triu(x) if upper else np.tril(x)
    if unitriangular:
        x = x - x * np.eye(x.shape[-1]) + np.eye(x.shape[-1])
    return np.linalg.solve(np.swapaxes(x, -1, -2) if transpose else x, y)


def triangular_solve_samples():
    """Yield each triangle, transposed, with ones on the diagonal, broadcast, no elements."""
    x, y = far_from_singular((3, 3)), values((3, 2), seed=1)
    yield Sample(x, y)
    yield Sample(x, y, upper=False, transpose=True)
    yield Sample(x, y, unitriangular=True)
    yield Sample(far_from_singular((2, 1, 2, 2)), values((3, 2, 1), seed=1), transpose=True)
    yield Sample(np.zeros((0, 2, 2)), np.zeros((0, 2, 1)))


def triangular_solve_errors():
    """Yield a vector on the right, and a matrix that is not square."""
    square = np.ones((2, 2))
    yield BadInput((square, np.ones(2)), {}, InvalidArgumentError, "takes y [..., 2, k]")
    yield BadInput((np.ones((2, 3)), square), {}, InvalidArgumentError, "takes square matrices")


triangular_solve = op(
    "triangular_solve",
    triangular_solve_forward,
    saves="x y",
    public=None,
    dtypes=IN_LINALG,
    reference=triangular_solve_reference,
    samples=triangular_solve_samples,
    errors=triangular_solve_errors,
    formula="dy = triangular_solve(x^H, dout); dx = the triangle of -dy @ out^H",
    boundary="infinite or nan, as the result is, where the diagonal has a zero; as in Paddle.",
    doc="Solve systems of linear equations with triangular matrices.",
    example="paddle.linalg.triangular_solve(paddle.eye(2), paddle.ones([2, 1]))",
)
