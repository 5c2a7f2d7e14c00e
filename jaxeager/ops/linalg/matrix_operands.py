"""Checks of the operands of paddle.linalg's rows, and errors for failed decompositions.

Note [Singular matrices]
Paddle raises if a matrix has no inverse or no Cholesky factor. This depends on its values and is
known only after the computation. Results in CPU memory are checked (one pass over them;
``paddle.set_flags({"FLAGS_check_singular": False})`` turns it off), and InvalidArgumentError is
raised as in Paddle. On an accelerator, the check would wait for the device. There, the result
contains infinities or nan, and no error is raised.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import can_be_read, host_values
from jaxeager.core.flags import flag
from jaxeager.errors import InvalidArgumentError, NotFoundError
from jaxeager.ops.elementwise.complex import conj_of_complex
from jaxeager.ops.shape.strided import matrix_transpose

# Decompositions run in these: LAPACK and cuSOLVER do not support the two 16-bit floats.
SOLVED_DTYPES = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128")))
IN_LINALG = "float32 float64 complex128"


def needs_solver(*arrays) -> None:
    """Check that operands have one dtype, and that decompositions support it.

    Raises:
        NotFoundError: for float16, bfloat16, integers and bool.
        ValueError: when the dtypes differ.
    """
    for array in arrays:
        if array.dtype not in SOLVED_DTYPES:
            raise NotFoundError(
                f"There is no decomposition in {array.dtype.name}, only in float32, float64, "
                "complex64 and complex128. Cast the operand, for example with x.astype('float32')."
            )
    if len({array.dtype for array in arrays}) > 1:
        names = ", ".join(array.dtype.name for array in arrays)
        raise ValueError(f"the operands must have one dtype, but received {names}.")


def needs_matrix(x) -> None:
    """Check a matrix, or a batch of them [..., m, n].

    Raises:
        NotFoundError: for a dtype that decompositions do not support.
        ValueError: for fewer than 2 dimensions.
    """
    needs_solver(x)
    if x.ndim < 2:
        raise ValueError(f"takes matrices [..., m, n], but the shape is {list(x.shape)}.")


def needs_square(x) -> None:
    """Check a square matrix, or a batch of them [..., n, n].

    Raises:
        NotFoundError: for a dtype that decompositions do not support.
        ValueError: for another shape.
    """
    needs_matrix(x)
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"takes square matrices [..., n, n], but the shape is {list(x.shape)}.")


def adjoint(x):
    """Return the conjugate transpose of the last two dimensions."""
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def conjugate_transpose(x):
    """Return the conjugate transpose of a Tensor's last two dimensions, by recorded ops."""
    return conj_of_complex(matrix_transpose(x))


def hermitian_of(x, lower: bool):
    """Return the Hermitian matrix defined by one triangle of x.

    Its derivative is that of the Hermitian part, so that a gradient is Hermitian, as in Paddle.
    """
    part = (x + adjoint(x)) / 2
    strict = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
    diagonal = jnp.real(jnp.diagonal(x, axis1=-2, axis2=-1)).astype(x.dtype)
    whole = strict + adjoint(strict) + diagonal[..., None] * jnp.eye(x.shape[-1], dtype=x.dtype)
    return part + jax.lax.stop_gradient(whole - part)


def broadcast_batches(*arrays) -> list:
    """Broadcast the dimensions before the last two."""
    batch = jnp.broadcast_shapes(*(array.shape[:-2] for array in arrays))
    return [jnp.broadcast_to(array, (*batch, *array.shape[-2:])) for array in arrays]


def real_dtype(dtype) -> np.dtype:
    """Return the dtype of the real part."""
    return np.empty(0, dtype).real.dtype


def refuse_failed(out, what: str, *operands) -> None:
    """Raise when a result holds nan or infinities; see Note [Singular matrices].

    Args:
        out: the result, a Tensor.
        what: the message's statement about the matrix.
        operands: the operands it was computed from; if they hold nan or infinities, no error is
            raised.

    Raises:
        InvalidArgumentError: when it does, and can be read without waiting.
    """
    array = out._array
    if not flag("FLAGS_check_singular") or not can_be_read(array):
        return
    if np.isfinite(host_values(array)).all():
        return
    if all(np.isfinite(host_values(operand._array)).all() for operand in operands):
        raise InvalidArgumentError(f"{what}. The result would hold infinities or nan.")
