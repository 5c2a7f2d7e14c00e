"""The LU factors of a matrix, with row exchanges, and systems solved with them."""

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.linalg.matrix_operands import IN_LINALG, needs_matrix, needs_solver, needs_square
from jaxeager.ops.linalg.solvers import far_from_singular
from jaxeager.ops.register import composite, op
from jaxeager.ops.rules.precision import exact_products
from jaxeager.ops.rules.samples import BadInput, Sample, values

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

# The values of trans in lu_solve, and their counterparts in jax.lax.
TRANSPOSES = {"N": 0, "T": 1, "C": 2}


@exact_products
def lu_forward(x):
    """Factor matrices; return also the place of the first zero on the diagonal of U."""
    needs_matrix(x)
    batch, k = x.shape[:-2], min(x.shape[-2:])
    if not x.size:
        return jnp.zeros_like(x), jnp.zeros((*batch, k), np.int32), jnp.zeros(batch, np.int32)
    out, pivots, _ = jax.lax.linalg.lu(x)
    is_zero = jnp.diagonal(out, axis1=-2, axis2=-1) == 0
    first = jnp.argmax(is_zero, axis=-1).astype(np.int32) + 1
    return out, pivots.astype(np.int32) + 1, jnp.where(is_zero.any(axis=-1), first, 0)


def lu_reference(x):
    """Eliminate with row exchanges, step by step."""
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    out = np.array(x).reshape((-1, m, n))
    pivots = np.zeros((len(out), min(m, n)), np.int32)
    for matrix, exchanged in zip(out, pivots, strict=True):
        for k in range(min(m, n)):
            column = matrix[k:, k]
            place = k + np.argmax(np.abs(np.real(column)) + np.abs(np.imag(column)))
            exchanged[k] = place + 1
            matrix[[k, place]] = matrix[[place, k]]
            matrix[k + 1 :, k] /= matrix[k, k]
            matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    pivots = pivots.reshape((*batch, min(m, n)))
    return out.reshape(x.shape), pivots, np.zeros(batch, np.int32)


def lu_samples():
    """Yield a square, a tall and a wide matrix, a batch, none."""
    yield Sample(values((3, 3)))
    yield Sample(values((4, 2), seed=1))
    yield Sample(values((2, 4), seed=2))
    yield Sample(values((2, 2, 2), seed=3))
    yield Sample(np.zeros((0, 2, 2)))


def lu_errors():
    """Yield a vector."""
    yield BadInput((np.ones(3),), {}, InvalidArgumentError, "takes matrices")


_lu = op(
    "lu",
    lu_forward,
    saves="x",
    outputs="out pivots infos",
    public=None,
    dtypes=IN_LINALG,
    reference=lu_reference,
    samples=lu_samples,
    errors=lu_errors,
    formula="dx = P @ L^-H @ (strict lower of L^H @ dL + upper of dU @ U^H) @ U^-H",
    boundary="infinite or nan where U has a zero on its diagonal; as in Paddle.",
    doc="Factor a matrix into a permutation, a lower and an upper triangle.",
)


@composite(public=None)
def lu(
    x: "Tensor", pivot: bool = True, get_infos: bool = False, name: str | None = None
) -> "tuple[Tensor, Tensor] | tuple[Tensor, Tensor, Tensor]":
    """Return the factors of ``x = P @ L @ U``, packed: U, and L below the diagonal.

    Args:
        x: float or complex tensor [..., m, n].
        pivot: must be True: there is no factorization without row exchanges.
        get_infos: whether to return the third result as well.
        name: accepted for compatibility.

    Returns:
        the factors [..., m, n]; the pivots [..., min(m, n)], int32: row i was exchanged with row
        ``pivots[i]``, counted from 1; with ``get_infos`` also the infos [...], int32: 0, or the
        place, counted from 1, of the first zero on the diagonal of U. ``lu_unpack`` unpacks them.

    Raises:
        InvalidArgumentError: without pivoting, or for a tensor that holds no matrices.

    Example:
        >>> import jaxeager as paddle
        >>> lu, pivots = paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [4.0, 4.0]]))
        >>> lu.tolist(), pivots.tolist()
        ([[4.0, 4.0], [0.25, 1.0]], [2, 2])
    """
    if not pivot:
        raise InvalidArgumentError(
            "lu: there is no factorization without pivoting; leave pivot=True."
        )
    out, pivots, infos = _lu(x)
    return (out, pivots, infos) if get_infos else (out, pivots)


def _permutation(pivots, size: int):
    """Return the order of rows after row exchanges, counted from 1."""
    if not pivots.size:
        return jnp.broadcast_to(jnp.arange(size, dtype=np.int32), (*pivots.shape[:-1], size))
    return jax.lax.linalg.lu_pivots_to_permutation(pivots.astype(np.int32) - 1, size)


def _needs_pivots(x, pivots) -> None:
    if not jnp.issubdtype(pivots.dtype, jnp.integer):
        raise ValueError(f"the pivots must be integers, but are {pivots.dtype.name}.")
    if not pivots.ndim or pivots.shape[-1] != min(x.shape[-2:]):
        raise ValueError(
            f"takes {min(x.shape[-2:])} pivots per matrix, but their shape is {list(pivots.shape)}."
        )


def lu_unpack_forward(x, y, *, unpack_ludata: bool = True, unpack_pivots: bool = True):
    """Unpack factors; results that are not requested have no elements."""
    needs_matrix(x)
    _needs_pivots(x, y)
    m, n = x.shape[-2:]
    pmat = lower = upper = jnp.zeros((0,), x.dtype)
    if unpack_pivots:
        order = _permutation(y, m)
        pmat = jnp.swapaxes(jax.nn.one_hot(order, m, dtype=x.dtype), -1, -2)
    if unpack_ludata:
        k = min(m, n)
        lower = jnp.tril(x[..., :k], -1) + jnp.eye(m, k, dtype=x.dtype)
        upper = jnp.triu(x[..., :k, :])
    return pmat, lower, upper


def lu_unpack_reference(x, y, unpack_ludata=True, unpack_pivots=True):
    """Exchange rows one after the other, and use NumPy's triangles."""
    m, n = x.shape[-2:]
    k = min(m, n)
    pmat = np.broadcast_to(np.eye(m, dtype=x.dtype), (*x.shape[:-2], m, m)).copy()
    for matrix, exchanged in zip(pmat.reshape(-1, m, m), y.reshape(-1, k), strict=True):
        for i in reversed(range(k)):
            matrix[[i, exchanged[i] - 1]] = matrix[[exchanged[i] - 1, i]]
    nothing = np.zeros(0, x.dtype)
    lower, upper = np.tril(x[..., :k], -1) + np.eye(m, k), np.triu(x[..., :k, :])
    factors = (lower, upper) if unpack_ludata else (nothing, nothing)
    return pmat if unpack_pivots else nothing, *factors


def lu_unpack_samples():
    """Yield a square, a tall and a wide matrix in a batch, and only one part."""
    yield Sample(values((3, 3)), np.array([3, 3, 3], np.int32))
    yield Sample(values((2, 3, 2)), np.array([[2, 3], [1, 2]], np.int32))
    yield Sample(values((2, 3)), np.array([2, 2], np.int32), unpack_pivots=False)
    yield Sample(values((2, 2)), np.array([1, 2], np.int32), unpack_ludata=False, grad=False)


def lu_unpack_errors():
    """Yield too few pivots, and pivots that are not integers."""
    x = np.ones((2, 2))
    yield BadInput((x, np.ones(1, np.int32)), {}, InvalidArgumentError, "takes 2 pivots")
    yield BadInput((x, np.ones(2)), {}, InvalidArgumentError, "must be integers")


_lu_unpack = op(
    "lu_unpack",
    lu_unpack_forward,
    shapes="x y",
    nondiff="y",
    outputs="pmat l u",
    public=None,
    dtypes=IN_LINALG,
    reference=lu_unpack_reference,
    samples=lu_unpack_samples,
    errors=lu_unpack_errors,
    formula="dx = the strict lower triangle of dl and the upper one of du",
    doc="Unpack the result of lu into the permutation P, L and U, with x = P @ L @ U.",
)


def _check_pivots(x, pivots) -> None:
    """Raise for row exchanges, counted from 1, with rows that a matrix does not have.

    Raises:
        InvalidArgumentError: for a pivot outside [1, m].
    """
    shape, array = np.shape(raw(x)), raw(pivots)
    rows = shape[-2] if len(shape) > 1 else 0

    def error(bad: int) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"The data in Pivot must be between (1, x.shape[-2]], but got {bad} in Pivot while "
            f"x.shape[-2] is {rows}."
        )

    if rows and hasattr(array, "dtype") and np.issubdtype(array.dtype, np.integer):
        check_within(array, 1, rows + 1, error)


@composite(public=None)
def lu_unpack(
    x: "Tensor",
    y: "Tensor",
    unpack_ludata: bool = True,
    unpack_pivots: bool = True,
    name: str | None = None,
) -> "tuple[Tensor, Tensor, Tensor]":
    """Unpack the result of ``lu``: the permutation P, L and U, where ``P @ L @ U`` is the matrix.

    Args:
        x: both factors in one, [..., m, n].
        y: the row exchanges, counted from 1, int[..., min(m, n)].
        unpack_ludata: whether to return L and U; otherwise they have no elements.
        unpack_pivots: whether to return P; otherwise it has no elements.
        name: accepted for compatibility.

    Returns:
        P, L and U.

    Raises:
        InvalidArgumentError: for shapes that do not fit, and for a pivot that is not a row.

    Example:
        >>> import jaxeager as paddle
        >>> factors = paddle.linalg.lu(paddle.to_tensor([[4.0, 4.0], [1.0, 2.0]]))
        >>> paddle.linalg.lu_unpack(*factors)[1].tolist()
        [[1.0, 0.0], [0.25, 1.0]]
    """
    if unpack_pivots:
        _check_pivots(x, y)
    return _lu_unpack(x, y, unpack_ludata, unpack_pivots)


@exact_products
def lu_solve_forward(b, lu, pivots, *, trans: str = "N"):
    """Solve with packed factors: exchange rows and solve two triangular systems."""
    needs_square(lu)
    needs_solver(b, lu)
    _needs_pivots(lu, pivots)
    if b.ndim < 2 or b.shape[-2] != lu.shape[-1]:
        raise ValueError(f"takes b [..., {lu.shape[-1]}, k], but its shape is {list(b.shape)}.")
    if trans not in TRANSPOSES:
        raise ValueError(f"trans must be 'N', 'T' or 'C', not {trans!r}.")
    batch = jnp.broadcast_shapes(b.shape[:-2], lu.shape[:-2], pivots.shape[:-1])
    b, lu = (jnp.broadcast_to(each, (*batch, *each.shape[-2:])) for each in (b, lu))
    if not b.size:
        return jnp.zeros_like(b)
    order = jnp.broadcast_to(_permutation(pivots, b.shape[-2]), (*batch, b.shape[-2]))
    return _solve_in_order(b, lu, order[..., None], trans)


def _solve_in_order(b, lu, order, trans: str):
    steps = ({"lower": True, "unit_diagonal": True}, {"lower": False})
    if trans == "N":
        b = jnp.take_along_axis(b, order, axis=-2)
    else:
        how = {"transpose_a": True, "conjugate_a": trans == "C"}
        steps = tuple(step | how for step in reversed(steps))
    for step in steps:
        b = jax.lax.linalg.triangular_solve(lu, b, left_side=True, **step)
    if trans != "N":
        b = jnp.take_along_axis(b, jnp.argsort(order, axis=-2), axis=-2)
    return b


def lu_solve_reference(b, lu, pivots, trans="N"):
    """Use NumPy's solve with the product of the factors."""
    pmat, lower, upper = lu_unpack_reference(lu, pivots)
    x = pmat @ lower @ upper
    if trans != "N":
        x = np.swapaxes(np.conj(x) if trans == "C" else x, -1, -2)
    return np.linalg.solve(x, b)


def lu_solve_samples():
    """Yield plain, transposed and conjugate systems, and batches that broadcast."""
    b, lu, pivots = values((3, 2)), far_from_singular((3, 3), 1), np.array([3, 2, 3], np.int32)
    yield Sample(b, lu, pivots)
    yield Sample(b, lu, pivots, trans="T")
    yield Sample(b, lu, pivots, trans="C")
    batch = far_from_singular((2, 2, 2), 1), np.array([[2, 2], [1, 2]], np.int32)
    yield Sample(values((3, 1, 2, 1)), *batch)


def lu_solve_errors():
    """Yield a vector, and another transposition."""
    factors = np.eye(2), np.array([1, 2], np.int32)
    yield BadInput((np.ones(2), *factors), {}, InvalidArgumentError, "takes b [..., 2, k]")
    wrong = {"trans": "Q"}
    yield BadInput((np.ones((2, 1)), *factors), wrong, InvalidArgumentError, "must be 'N'")


lu_solve = op(
    "lu_solve",
    lu_solve_forward,
    saves="b lu pivots",
    nondiff="pivots",
    public=None,
    dtypes=IN_LINALG,
    reference=lu_solve_reference,
    samples=lu_solve_samples,
    errors=lu_solve_errors,
    formula="db = lu_solve(dout) with the adjoint system; dlu = the triangles of its factors'",
    boundary="infinite or nan, as the result is, where U has a zero on its diagonal.",
    doc="Solve A @ out = b (A^T, A^H for trans 'T', 'C'), given the result of lu for A.",
    example="paddle.linalg.lu_solve(paddle.ones([2, 1]), *paddle.linalg.lu(paddle.eye(2)))",
)
