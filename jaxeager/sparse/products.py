"""matmul, mv, addmm, masked_matmul, mask_as, pca_lowrank: products with sparse matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.sparse import sparse_values as rows
from jaxeager.sparse import binary
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseCooTensor, SparseCsrTensor, SparseTensor, checked

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _matrix_ends(x, what: str):
    """Return the row and column of each entry, numbered through the batch, as Tensors.

    Raises:
        InvalidArgumentError: for anything but a matrix, or a batch of them, of scalar entries.
    """
    if x.dense_dim() or x.ndim not in (2, 3):
        raise InvalidArgumentError(
            f"{what} takes sparse matrices, or batches of them, of single values, but received "
            f"shape {list(x.shape)} with {x.dense_dim()} dense dimensions."
        )
    found = x.coordinates()
    batch = host.keys_of(found[:-2], x.shape[:-2])
    row, column = batch * x.shape[-2] + found[-2], batch * x.shape[-1] + found[-1]
    return paddle.to_tensor(row), paddle.to_tensor(column)


@names_operands
def matmul(x: SparseTensor, y: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return the product of a sparse matrix, or a batch of them, and a dense or sparse one.

    Args:
        x: SparseCooTensor or SparseCsrTensor [n, k] or [batch, n, k].
        y: dense Tensor [k, m] or [batch, k, m]; or sparse, of the same kind as x, [k, m].
        name: ignored.

    Returns:
        a dense Tensor; for a sparse y, a sparse one of the same kind.

    Raises:
        UnimplementedError: for a dense x, different kinds, or two batches of sparse matrices.
        InvalidArgumentError: for shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], [2, 3])
        >>> paddle.sparse.matmul(x, paddle.to_tensor([[1.0], [2.0], [3.0]])).tolist()
        [[3.0], [2.0]]
    """
    checked(x, "matmul")
    if isinstance(y, SparseTensor):
        return _sparse_product(x, y)
    if list(y.shape[:-2]) != list(x.shape[:-2]) or y.ndim < 2 or y.shape[-2] != x.shape[-1]:
        raise InvalidArgumentError(
            f"matmul of shapes {list(x.shape)} and {list(y.shape)}: the batches must be equal, and "
            "the columns of x as many as the rows of y."
        )
    row, column = _matrix_ends(x, "matmul")
    height = int(np.prod(x.shape[:-1]))
    flat = y if y.ndim == 2 else y.reshape([-1, y.shape[-1]])
    out = rows.matmul(x._values, flat, row, column, size=height)
    return out if x.ndim == 2 else out.reshape([*x.shape[:-1], y.shape[-1]])


def _sparse_product(x, y):
    """Return the product of two sparse matrices: each pair of matching entries is one term."""
    if type(x) is not type(y) or x.ndim != 2 or y.ndim != 2 or x.dense_dim() or y.dense_dim():
        raise UnimplementedError(
            "matmul of two sparse tensors takes matrices of one kind, but received "
            f"{type(x).__name__}{list(x.shape)} and {type(y).__name__}{list(y.shape)}."
        )
    if x.shape[1] != y.shape[0]:
        raise InvalidArgumentError(
            f"matmul of shapes {list(x.shape)} and {list(y.shape)}: the columns of x must be as "
            "many as the rows of y."
        )
    (x_row, x_column), (y_row, y_column) = x.coordinates(), y.coordinates()
    order = np.argsort(y_row, kind="stable")
    first = np.searchsorted(y_row[order], x_column, "left")
    counts = np.searchsorted(y_row[order], x_column, "right") - first
    left = np.repeat(np.arange(len(x_row)), counts)
    offsets = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    right = order[np.repeat(first, counts) + offsets]
    shape = [x.shape[0], y.shape[1]]
    kept, at = host.unique_keys(host.keys_of(np.stack([x_row[left], y_column[right]]), shape))
    terms = paddle.multiply(
        rows.take_values(x._values, paddle.to_tensor(left)),
        rows.take_values(y._values, paddle.to_tensor(right)),
    )
    values = rows.merge_values(terms, paddle.to_tensor(at), size=len(kept))
    return x.rebuilt(values, host.coordinates_of(kept, shape), shape)


@names_operands
def mv(x: SparseTensor, vec: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return the product of a sparse matrix and a dense vector.

    Args:
        x: SparseCooTensor or SparseCsrTensor [n, k].
        vec: dense Tensor [k].
        name: ignored.

    Returns:
        a dense Tensor [n].

    Raises:
        UnimplementedError: for a dense x.
        InvalidArgumentError: for shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], [2, 3])
        >>> paddle.sparse.mv(x, paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [3.0, 2.0]
    """
    checked(x, "mv")
    if x.ndim != 2 or vec.ndim != 1 or x.shape[1] != vec.shape[0]:
        raise InvalidArgumentError(
            "mv takes a matrix and a vector as long as its rows, but received shapes "
            f"{list(x.shape)} and {list(vec.shape)}."
        )
    row, column = _matrix_ends(x, "mv")
    out = rows.mv(x._values, vec.reshape([-1, 1]), row, column, size=x.shape[0])
    return out.reshape([-1])


@names_operands
def addmm(
    input: SparseTensor,
    x: SparseTensor,
    y: SparseTensor,
    beta: float = 1.0,
    alpha: float = 1.0,
    name: str | None = None,
) -> SparseTensor:
    """Return ``beta * input + alpha * x @ y`` with a sparse x.

    Args:
        input: dense Tensor [n, m]; sparse, of the same kind as x, when y is sparse.
        x: SparseCooTensor or SparseCsrTensor [n, k].
        y: dense Tensor [k, m]; or sparse, of the same kind as x.
        beta: the factor of ``input``.
        alpha: the factor of the product.
        name: ignored.

    Raises:
        UnimplementedError: for a dense x, or kinds that cannot be added.
        InvalidArgumentError: for shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], [2, 3])
        >>> y = paddle.to_tensor([[1.0], [2.0], [3.0]])
        >>> paddle.sparse.addmm(paddle.ones([2, 1]), x, y, beta=10.0).tolist()
        [[13.0], [12.0]]
    """
    product = matmul(x, y)
    if isinstance(product, SparseTensor):
        return binary.add(binary.multiply(input, beta), binary.multiply(product, alpha))
    if isinstance(input, SparseTensor) or list(input.shape) != list(product.shape):
        raise InvalidArgumentError(
            f"addmm takes a dense input of the product's shape, {list(product.shape)}, but "
            f"received {input!r}."
        )
    return paddle.scale(input, beta) + paddle.scale(product, alpha)


@names_operands
def masked_matmul(
    x: SparseTensor, y: SparseTensor, mask: SparseTensor, name: str | None = None
) -> SparseTensor:
    """Return the product of two dense matrices at the coordinates of a sparse mask.

    Args:
        x: dense Tensor [n, k] or [batch, n, k].
        y: dense Tensor [k, m] or [batch, k, m].
        mask: SparseCooTensor or SparseCsrTensor of the product's shape; its values are ignored.
        name: ignored.

    Returns:
        a sparse tensor with the mask's coordinates.

    Raises:
        UnimplementedError: for a dense mask.
        InvalidArgumentError: for shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> mask = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 1.0], [2, 2])
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.sparse.masked_matmul(x, x, mask).values().tolist()
        [10.0, 15.0]
    """
    checked(mask, "masked_matmul")
    product = [*x.shape[:-1], y.shape[-1]]
    if list(mask.shape) != product or list(y.shape[:-1]) != [*x.shape[:-2], x.shape[-1]]:
        raise InvalidArgumentError(
            f"masked_matmul of shapes {list(x.shape)} and {list(y.shape)} with a mask of shape "
            f"{list(mask.shape)}: these do not fit each other."
        )
    row, column = _matrix_ends(mask, "masked_matmul")
    turned = y.transpose([*range(y.ndim - 2), y.ndim - 1, y.ndim - 2])
    size = x.shape[-1]
    x, turned = (each.reshape([int(np.prod(each.shape[:-1])), size]) for each in (x, turned))
    return mask.like(rows.masked_matmul(x, turned, row, column))


@names_operands
def mask_as(x: SparseTensor, mask: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return the elements of a dense tensor at the coordinates of a sparse mask.

    Args:
        x: dense Tensor.
        mask: SparseCooTensor or SparseCsrTensor of the same shape; its values are ignored.
        name: ignored.

    Returns:
        a sparse tensor with the mask's coordinates.

    Raises:
        UnimplementedError: for a sparse x or a dense mask.
        InvalidArgumentError: for different shapes.

    Example:
        >>> import jaxeager as paddle
        >>> mask = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 1.0], [2, 2])
        >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.sparse.mask_as(x, mask).values().tolist()
        [2.0, 3.0]
    """
    checked(mask, "mask_as")
    if isinstance(x, SparseTensor):
        raise UnimplementedError(f"mask_as takes a dense x, but received {type(x).__name__}.")
    if list(x.shape) != list(mask.shape):
        raise InvalidArgumentError(
            f"the input x and mask must have the shape, but received {list(x.shape)} and "
            f"{list(mask.shape)}."
        )
    values = rows.mask_as(x, mask.coordinate_tensor())
    if isinstance(mask, SparseCooTensor):
        return SparseCooTensor(mask._indices, values, x.shape, mask._is_coalesced)
    return SparseCsrTensor(mask._crows, mask._cols, values, x.shape)


def pca_lowrank(
    x: SparseTensor,
    q: int | None = None,
    center: bool = True,
    niter: int = 2,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return approximately the first q principal components of a sparse matrix of observations.

    The matrix is converted to dense first, because centering would make it dense anyway.

    Args:
        x: SparseCooTensor or SparseCsrTensor [observations, variables].
        q: the number of components; by default min(6, observations, variables).
        center: whether to subtract the mean of each variable first.
        niter: the number of iterations; see ``paddle.linalg.svd_lowrank``.
        name: ignored.

    Returns:
        dense U [observations, q], S [q] and V [variables, q].

    Raises:
        InvalidArgumentError: for a dense x, or a q that is too large.

    Paddle: computes this on a GPU with CUDA 11 only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [0, 1]], [1.0, 1.0], [2, 2])
        >>> u, s, v = paddle.sparse.pca_lowrank(x, q=1)
        >>> round(s.item(), 4)
        1.0
    """
    if not isinstance(x, SparseTensor):
        raise InvalidArgumentError("Input must be sparse, but got dense")
    return paddle.linalg.pca_lowrank(x.to_dense(), q, center, niter)
