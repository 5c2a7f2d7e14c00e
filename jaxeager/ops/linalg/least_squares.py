"""Least squares: the smallest of the solutions with the smallest residual."""

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import host_values
from jaxeager.core import places
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.creation.creation import empty
from jaxeager.ops.linalg.matrix_operands import adjoint, needs_matrix, needs_solver
from jaxeager.ops.linalg.solvers import far_from_singular
from jaxeager.ops.register import composite, op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@exact_products
def lstsq_forward(x, y, *, rcond: float = 1e-15):
    """Solve by singular values: those below rcond times the largest count as zero."""
    needs_matrix(x)
    needs_solver(x, y)
    if x.ndim != y.ndim or x.shape[:-1] != y.shape[:-1]:
        raise ValueError(f"takes y {[*x.shape[:-1], 'k']}, but its shape is {list(y.shape)}.")
    u, s, vh = jnp.linalg.svd(x, full_matrices=False)
    is_used = s > rcond * jnp.max(s, axis=-1, keepdims=True, initial=0)
    scale = jnp.where(is_used, 1 / jnp.where(is_used, s, 1), 0).astype(x.dtype)
    solution = adjoint(vh) @ (scale[..., None] * (adjoint(u) @ y))
    residuals = jnp.sum(jnp.abs(y - x @ solution) ** 2, axis=-2)
    return solution, residuals, jnp.sum(is_used, axis=-1, dtype=np.int32), s


def lstsq_reference(x, y, rcond=1e-15):
    """Use NumPy's pinv and svd."""
    s = np.linalg.svd(x, compute_uv=False)
    solution = np.linalg.pinv(x, rcond) @ y
    rank = np.sum(s > rcond * s[..., :1], axis=-1).astype(np.int32)
    return solution, np.sum(np.abs(y - x @ solution) ** 2, axis=-2), rank, s


def lstsq_samples():
    """Yield too many equations, too few, as many as unknowns, a deficient matrix, a batch."""
    yield Sample(values((4, 3)), values((4, 2), seed=1))
    yield Sample(values((2, 3)), values((2, 2), seed=1), rcond=1e-6)
    yield Sample(far_from_singular((2, 3, 3)), values((2, 3, 1), seed=1))
    yield Sample(np.diag([4.0, 1.0]), np.ones((2, 1)), rcond=0.5)


def lstsq_errors():
    """Yield rows that differ."""
    wrong = np.ones((3, 2)), np.ones((4, 1))
    yield BadInput(wrong, {}, InvalidArgumentError, "takes y [3, 'k']")


_lstsq = op(
    "lstsq",
    lstsq_forward,
    vjp=NONDIFF,
    outputs="solution residuals rank singular_values",
    public=None,
    host_on="tpu",
    dtypes="float32 float64 complex128",
    reference=lstsq_reference,
    samples=lstsq_samples,
    errors=lstsq_errors,
    doc="Solve systems of linear equations in the sense of least squares.",
)


@composite(public=None)
def lstsq(
    x: "Tensor",
    y: "Tensor",
    rcond: float | None = None,
    driver: str | None = None,
    name: str | None = None,
) -> "tuple[Tensor, Tensor, Tensor, Tensor]":
    """Return the least-squares solution of ``x @ solution = y``, and facts about the system.

    Here all drivers use singular values; the name only selects the facts that are returned. There
    is no gradient, as in Paddle; ``paddle.linalg.pinv(x) @ y`` is the same solution with one. With
    "gelss" and "gelsd" this waits for the device: the shape of ``residuals`` depends on the rank.

    Args:
        x: float tensor [..., m, n].
        y: tensor [..., m, k] of the same dtype.
        rcond: singular values below this fraction of the largest count as zero; by default the
            dtype's rounding times max(m, n).
        driver: "gels", "gelsy", "gelsd" or "gelss"; by default "gelsy" on a CPU, else "gels".
        name: accepted for compatibility.

    Returns:
        solution [..., n, k]; residuals [..., k], the remaining sums of squares (no elements when
        m <= n, with "gelsy", or when a matrix does not have full rank, which "gels" does not
        check); rank [...], int32 (no elements with "gels"); singular values [..., min(m, n)] (no
        elements with "gels" and "gelsy").

    Raises:
        InvalidArgumentError: for another driver, or shapes that do not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> y = paddle.to_tensor([[1.0], [3.0], [5.0]])
        >>> paddle.linalg.lstsq(x, y)[0].numpy().round(4).tolist()
        [[1.0], [2.0]]
    """
    if driver is None:
        driver = "gelsy" if places.get_device() == "cpu" else "gels"
    if driver not in DRIVERS:
        raise InvalidArgumentError(f"lstsq: driver must be one of {DRIVERS}, not {driver!r}.")
    if rcond is None and x.ndim > 1:
        is_wide = x._array.dtype in (np.float64, np.complex128)
        rcond = (1e-15 if is_wide else 1e-7) * max(x.shape[-2:])
    solution, residuals, rank, singular_values = _lstsq(x, y, rcond)
    rows, columns = x.shape[-2:]
    if driver == "gelsy" or rows <= columns or _is_deficient(driver, rank, columns):
        residuals = empty([0], x.dtype)
    if driver == "gels":
        rank = empty([0], "int64")
    if driver in ("gels", "gelsy"):
        singular_values = empty([0], singular_values.dtype)
    return solution, residuals, rank, singular_values


def _is_deficient(driver: str, rank, columns: int) -> bool:
    return driver != "gels" and bool((host_values(rank._array) < columns).any())
