"""attention over the keys that a sparse mask lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.sparse import coordinates as host
from jaxeager.sparse.tensors import SparseCsrTensor

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@names_operands
def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    sparse_mask: Tensor,
    key_padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return attention over the keys that a sparse mask lists for each query.

    Args:
        query: float[batch, heads, length, size].
        key: float[batch, heads, length, size].
        value: float[batch, heads, length, size].
        sparse_mask: SparseCsrTensor [batch * heads, length, length], with the same number of
            entries in each matrix; its values are ignored.
        key_padding_mask: float[batch, length], 0 where a key is hidden from all queries; or None.
        attn_mask: float[length, length], 0 where a key is hidden from a query; or None.
        name: ignored.

    Returns:
        float[batch, heads, length, size], 0 for a query without visible keys.

    Raises:
        InvalidArgumentError: for any other mask, or shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 1, 2, 1])
        >>> mask = paddle.sparse.sparse_csr_tensor([0, 1, 3], [1, 0, 1], [1.0] * 3, [1, 2, 2])
        >>> paddle.sparse.nn.functional.attention(x * 0, x, x, mask).flatten().tolist()
        [3.0, 2.0]
    """
    batch, heads, length = query.shape[:3]
    wanted = [batch * heads, length, length]
    if not isinstance(sparse_mask, SparseCsrTensor) or list(sparse_mask.shape) != wanted:
        raise InvalidArgumentError(
            f"attention takes a SparseCsrTensor of shape {wanted} as mask, but received "
            f"{type(sparse_mask).__name__} of shape {list(sparse_mask.shape)}."
        )
    starts = host.host_array(sparse_mask.crows()).reshape(batch, heads, length + 1)
    if len(np.unique(starts[..., -1])) > 1:
        raise InvalidArgumentError(
            "attention takes a mask with equally many entries in each matrix, but they have "
            f"{starts[..., -1].reshape(-1).tolist()}."
        )
    columns = sparse_mask.cols().reshape([batch, heads, int(starts[0, 0, -1])])
    return paddle.nn.functional.sparse_attention(
        query,
        key,
        value,
        paddle.to_tensor(starts.astype(np.int32)),
        columns.astype("int32"),
        key_padding_mask,
        attn_mask,
    )
