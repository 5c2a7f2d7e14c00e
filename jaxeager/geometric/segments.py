"""segment_sum, segment_mean, segment_max, segment_min."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.geometric.indices import host_integers
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.reductions.segment import segment_pool

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _pool(data, segment_ids, pooltype: str):
    ids = host_integers(segment_ids, "segment_ids")
    if ids.size and (np.diff(ids) < 0).any():
        place = int(np.argmax(np.diff(ids) < 0))
        raise InvalidArgumentError(
            f"segment_ids must be sorted, but {ids[place]} at {place} is followed by "
            f"{ids[place + 1]}."
        )
    if ids.size and ids[0] < 0:
        raise InvalidArgumentError(f"segment_ids must not be negative, but contains {ids[0]}.")
    size = int(ids[-1]) + 1 if ids.size else 0
    return segment_pool(data, segment_ids, pooltype=pooltype, size=size)


@names_operands
def segment_sum(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Sum the slices of ``data`` that have the same id.

    The number of segments is the last id plus one; reading it waits for the device.

    Args:
        data: float or integer tensor [N, ...].
        segment_ids: sorted int32[N] or int64[N].
        name: ignored.

    Returns:
        tensor [last id + 1, ...]; 0 for a segment without slices.

    Raises:
        InvalidTypeError: when the ids are not integers.
        InvalidArgumentError: when they are not sorted, are negative, or are not N.

    Example:
        >>> import jaxeager as paddle
        >>> data, ids = paddle.to_tensor([[1.0], [2.0], [4.0]]), paddle.to_tensor([0, 0, 1])
        >>> paddle.geometric.segment_sum(data, ids).tolist()
        [[3.0], [4.0]]
    """
    return _pool(data, segment_ids, "SUM")


@names_operands
def segment_mean(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Average the slices of ``data`` that have the same id; see ``segment_sum``.

    Example:
        >>> import jaxeager as paddle
        >>> data, ids = paddle.to_tensor([[1.0], [2.0], [4.0]]), paddle.to_tensor([0, 0, 1])
        >>> paddle.geometric.segment_mean(data, ids).tolist()
        [[1.5], [4.0]]
    """
    return _pool(data, segment_ids, "MEAN")


@names_operands
def segment_max(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Compute the maximum of the slices of ``data`` that have the same id; see ``segment_sum``.

    Tied elements share the gradient. Paddle: each of them gets all of it.

    Example:
        >>> import jaxeager as paddle
        >>> data, ids = paddle.to_tensor([[1.0], [2.0], [4.0]]), paddle.to_tensor([0, 0, 1])
        >>> paddle.geometric.segment_max(data, ids).tolist()
        [[2.0], [4.0]]
    """
    return _pool(data, segment_ids, "MAX")


@names_operands
def segment_min(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Compute the minimum of the slices of ``data`` that have the same id; see ``segment_max``.

    Example:
        >>> import jaxeager as paddle
        >>> data, ids = paddle.to_tensor([[1.0], [2.0], [4.0]]), paddle.to_tensor([0, 0, 1])
        >>> paddle.geometric.segment_min(data, ids).tolist()
        [[1.0], [4.0]]
    """
    return _pool(data, segment_ids, "MIN")
