"""sparse_coo_tensor, sparse_csr_tensor, and conversions from dense to sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.arrays.as_array import host_values
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.rules.attrs import as_int, as_shape
from jaxeager.ops.sparse import sparse_values as rows
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseCooTensor, SparseCsrTensor

if TYPE_CHECKING:
    from jaxeager.core.places import CPUPlace, CUDAPinnedPlace, CUDAPlace
    from jaxeager.core.types import DTypeLike, ShapeLike
    from jaxeager.tensor.tensor import Tensor


def _as_indices(value, place):
    """Return integers as a Tensor.

    Raises:
        InvalidTypeError: for other dtypes than int8 to int64.
    """
    tensor = value if isinstance(value, paddle.Tensor) else paddle.to_tensor(value, place=place)
    if tensor._array.dtype.name not in ("int8", "int16", "int32", "int64"):
        raise InvalidTypeError(
            "the dtype of indices must be 'int8' or 'int16' or 'int32' or 'int64', but is "
            f"{tensor.dtype}."
        )
    return tensor.detach() if place is None else tensor.detach().to(place)


def _as_values(value, dtype, place, stop_gradient: bool):
    """Return values as a Tensor, and set its stop_gradient, as in Paddle."""
    if not isinstance(value, paddle.Tensor):
        return paddle.to_tensor(value, dtype, place, stop_gradient)
    value = value if place is None else value.to(place)
    value = value if dtype is None else value.astype(dtype)
    value.stop_gradient = stop_gradient
    return value


def sparse_coo_tensor(
    indices: Sequence[Sequence[int]] | np.ndarray | Tensor,
    values: Sequence[complex] | np.ndarray | Tensor,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    place: CPUPlace | CUDAPinnedPlace | CUDAPlace | str | None = None,
    stop_gradient: bool = True,
) -> SparseCooTensor:
    """Return a sparse tensor of entries with coordinates.

    Gradients reach ``values`` when it is a Tensor; its ``stop_gradient`` is set to the given one,
    as in Paddle. Coordinates may repeat: such entries are added up. The host checks the
    coordinates.

    Args:
        indices: integers [sparse_dim, nnz].
        values: [nnz, ...].
        shape: sparse_dim dimensions and those of one entry; by default the smallest that fits.
        dtype: the dtype of the values; their own by default.
        place: the device of the tensor.
        stop_gradient: whether gradients stop here.

    Raises:
        InvalidTypeError: for indices that are not integers.
        InvalidArgumentError: for indices and values that do not match, or coordinates outside the
            shape (Paddle accepts negative ones, and a shape that is too small in a later
            dimension).

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    indices = _as_indices(indices, place)
    if indices.ndim != 2:
        raise InvalidArgumentError("'indices' must be 2-D.")
    values = _as_values(values, dtype, place, stop_gradient)
    nnz = indices.shape[1]
    if values.ndim < 1 or values.shape[0] != nnz:
        found = values.shape[0] if values.ndim else "a scalar"
        raise InvalidArgumentError(
            f"the indices and values must have same number of non-zero, but get {nnz} and {found}"
        )
    shape = _coo_shape(host.host_array(indices), list(values.shape[1:]), shape)
    return SparseCooTensor(indices, rows.sparse_coo_tensor(values), shape)


def _coo_shape(coordinates: np.ndarray, entry: list[int], shape) -> tuple[int, ...]:
    """Return the shape, checked against the coordinates.

    Raises:
        InvalidArgumentError: when they do not match.
    """
    if coordinates.size and coordinates.min() < 0:
        raise InvalidArgumentError(
            f"the indices must not be negative, but the smallest is {coordinates.min()}."
        )
    if shape is None and not coordinates.shape[1]:
        raise InvalidArgumentError("a sparse tensor without entries needs a shape.")
    count = len(coordinates)
    least = (coordinates.max(axis=1) + 1).tolist() if coordinates.shape[1] else [0] * count
    if shape is None:
        return (*least, *entry)
    shape = as_shape(shape)
    if len(shape) != count + len(entry):
        raise InvalidArgumentError(
            f"the number of dimensions(len(shape) must be sparse_dim({count}) + "
            f"dense_dim({len(entry)}), but get {len(shape)}"
        )
    fits = all(size >= needed for size, needed in zip(shape, least, strict=False))
    if not fits or list(shape[count:]) != entry:
        raise InvalidArgumentError(
            f"the minimum shape required is {[*least, *entry]}, but get {list(shape)}"
        )
    return shape


def sparse_csr_tensor(
    crows: Sequence[int] | np.ndarray | Tensor,
    cols: Sequence[int] | np.ndarray | Tensor,
    values: Sequence[complex] | np.ndarray | Tensor,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    place: CPUPlace | CUDAPinnedPlace | CUDAPlace | str | None = None,
    stop_gradient: bool = True,
) -> SparseCsrTensor:
    """Return a sparse matrix, or a batch of them, in compressed rows.

    Gradients reach ``values`` when it is a Tensor; its ``stop_gradient`` is set to the given one.
    The host checks the rows.

    Args:
        crows: integers [batch * (rows + 1)]: the start of each row among the entries of its batch.
        cols: integers [nnz], the column of each entry.
        values: [nnz].
        shape: [rows, columns] or [batch, rows, columns]; by default the smallest that fits.
        dtype: the dtype of the values; their own by default.
        place: the device of the tensor.
        stop_gradient: whether gradients stop here.

    Raises:
        InvalidTypeError: for crows or cols that are not integers.
        InvalidArgumentError: for inconsistent parts (Paddle accepts columns outside the shape).

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], [2, 3])
        >>> x.to_dense().tolist()
        [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    crows, cols = _as_indices(crows, place), _as_indices(cols, place)
    values = _as_values(values, dtype, place, stop_gradient)
    if crows.ndim != 1 or cols.ndim != 1 or values.ndim != 1:
        raise InvalidArgumentError("The 'crows', 'cols' and 'values' must be 1-D.")
    if cols.shape[0] != values.shape[0]:
        raise InvalidArgumentError("the length of cols must be same as length of values")
    starts, columns = host.host_array(crows), host.host_array(cols)
    shape = _csr_shape(starts, columns) if shape is None else as_shape(shape)
    _check_csr(starts, columns, shape)
    return SparseCsrTensor(crows, cols, values, shape)


def _csr_shape(starts: np.ndarray, columns: np.ndarray) -> tuple[int, ...]:
    batches = int(np.sum(starts[:-1] > starts[1:])) + 1
    if not len(columns) or len(starts) % batches:
        raise InvalidArgumentError(
            f"The calculated original matrix batch size is {batches}, but it cannot correctly "
            "split the row data. Please carefully check the data or the input shape."
        )
    matrix = (len(starts) // batches - 1, int(columns.max()) + 1)
    return matrix if batches == 1 else (batches, *matrix)


def _check_csr(starts: np.ndarray, columns: np.ndarray, shape: tuple[int, ...]) -> None:
    """Check that compressed rows match a shape.

    Raises:
        InvalidArgumentError: when they do not.
    """
    if len(shape) not in (2, 3):
        raise InvalidArgumentError(
            f"SparseCsrTensor only support 2-D or 3-D matrix. but get shape {list(shape)}"
        )
    rows_count, width = shape[-2:]
    if len(shape) == 2 and len(starts) != rows_count + 1:
        raise InvalidArgumentError(
            f"The length({len(starts)}) of crows must be equal to the rows({rows_count})+1 of "
            "matrix."
        )
    if len(starts) % (rows_count + 1):
        raise InvalidArgumentError(
            f"The length({len(starts)}) of crows must be divisible the rows({rows_count})+1 of "
            "matrix."
        )
    batches = starts.reshape(-1, rows_count + 1)
    if len(shape) == 3 and len(batches) != shape[0]:
        raise InvalidArgumentError(f"crows are of {len(batches)} matrices, but shape is {shape}.")
    if np.any(batches[:, 0] != 0):
        raise InvalidArgumentError("the 0th value of crows must be 0")
    if batches[:, -1].sum() != len(columns):
        raise InvalidArgumentError("the last value of crows must be equal the number of non-zero")
    if np.any(np.diff(batches, axis=1) < 0):
        raise InvalidArgumentError("the values of crows must not fall within a matrix.")
    if len(columns) and not 0 <= columns.min() <= columns.max() < width:
        raise InvalidArgumentError(
            f"cols must be from 0 to {width - 1}, but are from {columns.min()} to {columns.max()}."
        )


def dense_to_coo(x, sparse_dim: int) -> SparseCooTensor:
    """Return the entries of a dense Tensor that are not 0; see ``Tensor.to_sparse_coo``."""
    sparse_dim = as_int(sparse_dim, "sparse_dim")
    if sparse_dim <= 0:
        raise InvalidArgumentError(f"sparse_dim must be >0, but received {sparse_dim}.")
    if sparse_dim > x.ndim:
        raise InvalidArgumentError(
            "sparse_dim must be less than the size of x.dims(), but received "
            f"{sparse_dim} and {x.ndim} dimensions."
        )
    array = host_values(x._array)
    there = np.any(array != 0, axis=tuple(range(sparse_dim, x.ndim)))
    indices = paddle.to_tensor(np.stack(np.nonzero(there)))
    return SparseCooTensor(indices, rows.to_sparse_coo(x, indices), x.shape, True)


def dense_to_csr(x) -> SparseCsrTensor:
    """Return the entries of dense matrices that are not 0; see ``Tensor.to_sparse_csr``."""
    if x.ndim not in (2, 3):
        raise InvalidArgumentError(
            f"SparseCsrTensor only support 2-D or 3-D Tensor, but received shape {list(x.shape)}."
        )
    found = np.stack(np.nonzero(host_values(x._array) != 0)).astype(np.int64)
    values = rows.to_sparse_csr(x, paddle.to_tensor(found))
    crows = paddle.to_tensor(host.row_starts(found, x.shape))
    return SparseCsrTensor(crows, paddle.to_tensor(found[-1]), values, x.shape)
