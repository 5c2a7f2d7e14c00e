"""relu, relu6, leaky_relu: activations of each entry; softmax, over the entries of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.ops.sparse import sparse_values as rows
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseCsrTensor, checked
from jaxeager.sparse.unary import map_values

if TYPE_CHECKING:
    from jaxeager.sparse.tensors import SparseTensor


def relu(x: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return max(x, 0) of each entry of a sparse tensor.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        name: ignored.

    Raises:
        UnimplementedError: for a dense tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [-1.0, 2.0], [3])
        >>> paddle.sparse.nn.functional.relu(x).values().tolist()
        [0.0, 2.0]
    """
    return map_values(x, paddle.nn.functional.relu, "nn.functional.relu")


def relu6(x: SparseTensor, name: str | None = None) -> SparseTensor:
    """Return min(max(x, 0), 6) of each entry of a sparse tensor.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        name: ignored.

    Raises:
        UnimplementedError: for a dense tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [-1.0, 8.0], [3])
        >>> paddle.sparse.nn.functional.relu6(x).values().tolist()
        [0.0, 6.0]
    """
    return map_values(x, paddle.nn.functional.relu6, "nn.functional.relu6")


def leaky_relu(
    x: SparseTensor, negative_slope: float = 0.01, name: str | None = None
) -> SparseTensor:
    """Return x of each positive entry x, and ``negative_slope * x`` of the others.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        negative_slope: the factor of negative entries.
        name: ignored.

    Raises:
        UnimplementedError: for a dense tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [-1.0, 8.0], [3])
        >>> paddle.sparse.nn.functional.leaky_relu(x, 0.5).values().tolist()
        [-0.5, 8.0]
    """

    def leaky(values):
        return paddle.nn.functional.leaky_relu(values, negative_slope)

    return map_values(x, leaky, "nn.functional.leaky_relu")


def softmax(x: SparseTensor, axis: int = -1, name: str | None = None) -> SparseTensor:
    """Return softmax over the stored entries along an axis.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        axis: any axis of a COO tensor, the last one of compressed rows.
        name: ignored.

    Returns:
        a sparse tensor with the same coordinates.

    Raises:
        UnimplementedError: for a dense tensor, or another axis of compressed rows.
        InvalidArgumentError: for an axis out of range.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [5.0, 5.0, 9.0], [2, 3])
        >>> paddle.sparse.nn.functional.softmax(x).values().tolist()
        [0.5, 0.5, 1.0]
    """
    checked(x, "nn.functional.softmax")
    if isinstance(x, SparseCsrTensor) and axis != -1:
        raise UnimplementedError(
            "SparseCsrTensor only support axis=-1 for softmax, which is faster when reading data "
            f"by row (axis=-1), but received {axis}."
        )
    if not -x.ndim <= axis < x.ndim:
        raise InvalidArgumentError(
            f"The axis should be in the range [{-x.ndim}, {x.ndim}), but received {axis}."
        )
    axis, count = axis % x.ndim, x.sparse_dim()
    if axis >= count:
        return x.like(paddle.nn.functional.softmax(x._values, 1 + axis - count))
    others = [each for each in range(count) if each != axis]
    found = x.coordinates()[others]
    keys = host.keys_of(found, [x.shape[each] for each in others]) if others else np.zeros(x.nnz())
    kept, group = host.unique_keys(keys)
    return x.like(rows.sparse_softmax(x._values, paddle.to_tensor(group), size=len(kept)))
