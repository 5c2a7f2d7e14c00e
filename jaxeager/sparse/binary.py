"""add, subtract, multiply, divide: two sparse tensors of one kind and shape, any coordinates."""

from __future__ import annotations

import math

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.sparse import sparse_values as rows
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseTensor
from jaxeager.sparse.unary import map_values


def _checked_pair(x, y, what: str) -> None:
    """Check that two operands can be combined.

    Raises:
        UnimplementedError: unless both are sparse and of the same kind.
        InvalidArgumentError: for different shapes.
    """
    if not isinstance(x, SparseTensor) or type(x) is not type(y):
        if not hasattr(y, "shape"):
            raise InvalidArgumentError(
                f"{what}(): argument 'y' (position 1) must be Tensor, but got {type(y).__name__}"
            )
        raise UnimplementedError(
            f"paddle.sparse.{what} takes two sparse tensors of one kind, but received "
            f"{type(x).__name__} and {type(y).__name__}. Convert one of them, by to_sparse_coo(), "
            "to_sparse_csr() or to_dense()."
        )
    if x.shape != y.shape or x.dense_dim() != y.dense_dim():
        raise InvalidArgumentError(
            f"{what}: both sparse tensors must have one shape, and entries of one shape, but "
            f"received {list(x.shape)} and {list(y.shape)} with {x.dense_dim()} and "
            f"{y.dense_dim()} dense dimensions."
        )


def _combine(x, y, dense, what: str, everywhere: bool = False):
    """Return a dense op of the values, at the united coordinates or at every coordinate."""
    _checked_pair(x, y, what)
    dims = x.shape[: x.sparse_dim()]
    x_keys, y_keys = (host.keys_of(each.coordinates(), dims) for each in (x, y))
    same = len(x_keys) == len(y_keys) and bool(np.all(x_keys == y_keys))
    if same and not everywhere and host.is_increasing(x_keys):
        return x.like(dense(x._values, y._values))
    if everywhere:
        check_size("The result", dims, np.int64)
    kept = np.arange(math.prod(dims)) if everywhere else np.union1d(x_keys, y_keys)
    spread = [
        rows.merge_values(
            each._values, paddle.to_tensor(np.searchsorted(kept, keys)), size=len(kept)
        )
        for each, keys in ((x, x_keys), (y, y_keys))
    ]
    return x.rebuilt(dense(*spread), host.coordinates_of(kept, dims), x.shape)


def add(x: SparseTensor, y: SparseTensor | float, name: str | None = None) -> SparseTensor:
    """Return the sum of two sparse tensors, with the coordinates of both.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        y: of the same kind and shape.
        name: ignored.

    Raises:
        UnimplementedError: for different kinds, or a dense tensor.
        InvalidArgumentError: for different shapes.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [1.0, 2.0], [3])
        >>> y = paddle.sparse.sparse_coo_tensor([[0, 1]], [5.0, 7.0], [3])
        >>> paddle.sparse.add(x, y).to_dense().tolist()
        [6.0, 7.0, 2.0]
    """
    return _combine(x, y, paddle.add, "add")


def subtract(x: SparseTensor, y: SparseTensor | float, name: str | None = None) -> SparseTensor:
    """Return the difference of two sparse tensors, with the coordinates of both.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        y: of the same kind and shape.
        name: ignored.

    Raises:
        UnimplementedError: for different kinds, or a dense tensor.
        InvalidArgumentError: for different shapes.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [1.0, 2.0], [3])
        >>> y = paddle.sparse.sparse_coo_tensor([[0, 1]], [5.0, 7.0], [3])
        >>> paddle.sparse.subtract(x, y).to_dense().tolist()
        [-4.0, -7.0, 2.0]
    """
    return _combine(x, y, paddle.subtract, "subtract")


def multiply(x: SparseTensor, y: SparseTensor | float, name: str | None = None) -> SparseTensor:
    """Return the elementwise product of two sparse tensors, with the coordinates of both.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        y: of the same kind and shape, or a number.
        name: ignored.

    Raises:
        UnimplementedError: for different kinds, or a dense tensor.
        InvalidArgumentError: for different shapes.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [1.0, 2.0], [3])
        >>> paddle.sparse.multiply(x, x).values().tolist()
        [1.0, 4.0]
    """
    if isinstance(y, (int, float)):
        return map_values(x, lambda values: paddle.scale(values, float(y)), "multiply")
    return _combine(x, y, paddle.multiply, "multiply")


def divide(x: SparseTensor, y: SparseTensor | float, name: str | None = None) -> SparseTensor:
    """Return the quotient of two sparse tensors, at every coordinate: 0 / 0 is NaN.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        y: of the same kind and shape, or a number, which keeps the coordinates.
        name: ignored.

    Raises:
        UnimplementedError: for different kinds, or a dense tensor.
        InvalidArgumentError: for different shapes.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [1.0, 2.0], [3])
        >>> paddle.sparse.divide(x, x).to_dense().tolist()
        [1.0, nan, 1.0]
    """
    if isinstance(y, (int, float)):
        return map_values(x, lambda values: paddle.divide(values, _number(values, y)), "divide")
    return _combine(x, y, paddle.divide, "divide", everywhere=True)


def _number(like, value):
    """Return a number as a tensor of the values' dtype, float32 for integers."""
    dtype = like.dtype if like.is_floating_point() or like.is_complex() else "float32"
    return paddle.to_tensor(value, dtype=dtype)
