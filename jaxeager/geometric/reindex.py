"""reindex_graph, reindex_heter_graph: node numbers in order of first appearance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.geometric.indices import host_integers, node_tensor
from jaxeager.ops.call.bad_operands import listed, names_operands

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _numbers(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct nodes in order of first appearance, and each node's position in them."""
    distinct, first, inverse = np.unique(nodes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order], place[inverse]


@names_operands
def reindex_graph(
    x: Tensor,
    neighbors: Tensor,
    count: Tensor,
    value_buffer: Tensor | None = None,
    index_buffer: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Renumber the nodes of a sampled graph from 0.

    This reads the values, so it waits for the device.

    Args:
        x: int32[N] or int64[N], distinct: the nodes whose neighbors were sampled.
        neighbors: [E]: the concatenated neighbors of each of them.
        count: int32[N]: the number of neighbors of each; the sum is E. For several kinds of edges,
            int32[K * N]: the counts of one kind after those of another, as the neighbors are.
        value_buffer: Paddle's buffer for its GPU kernel; ignored.
        index_buffer: ignored, like value_buffer.
        name: ignored.

    Returns:
        the numbers of the neighbors, those of the nodes they belong to, and the nodes by number.

    Raises:
        InvalidTypeError: for anything but a tensor of integers.
        InvalidArgumentError: when count does not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, neighbors = paddle.to_tensor([0, 1]), paddle.to_tensor([8, 0, 9])
        >>> count = paddle.to_tensor([2, 1])
        >>> [out.tolist() for out in paddle.geometric.reindex_graph(x, neighbors, count)]
        [[2, 0, 3], [0, 0, 1], [0, 1, 8, 9]]
    """
    return _reindex(x, [neighbors], [count])


@names_operands
def reindex_heter_graph(
    x: Tensor,
    neighbors: Sequence[Tensor],
    count: Sequence[Tensor],
    value_buffer: Tensor | None = None,
    index_buffer: Tensor | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Renumber the nodes of several graphs over the same nodes; see ``reindex_graph``.

    Args:
        x: int32[N] or int64[N], distinct: the nodes whose neighbors were sampled.
        neighbors: a list of [E], one per kind of edge.
        count: a list of int32[N], one per kind of edge.
        value_buffer: ignored.
        index_buffer: ignored.
        name: ignored.

    Returns:
        the concatenated numbers of the neighbors over all kinds of edges, those of the nodes they
        belong to, and the nodes by number.

    Raises:
        InvalidTypeError: for anything but a tensor of integers.
        InvalidArgumentError: when the lists differ in length, or a count does not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, one, two = (paddle.to_tensor(v) for v in ([0, 1], [8], [9, 1]))
        >>> counts = [paddle.to_tensor([1, 0]), paddle.to_tensor([1, 1])]
        >>> outs = paddle.geometric.reindex_heter_graph(x, [one, two], counts)
        >>> [out.tolist() for out in outs]
        [[2, 3, 1], [0, 0, 1], [0, 1, 8, 9]]
    """
    neighbors = listed("reindex_heter_graph", "neighbors", neighbors, 1)
    count = listed("reindex_heter_graph", "count", count, 2)
    if len(neighbors) != len(count):
        raise InvalidArgumentError(
            f"neighbors and count must have the same length, but have {len(neighbors)} and "
            f"{len(count)}."
        )
    return _reindex(x, neighbors, count)


def _owners(nodes: int, many: np.ndarray) -> np.ndarray:
    """Return the number of the node that each neighbor belongs to."""
    return np.repeat(np.resize(np.arange(nodes), len(many)), many)


def _reindex(x, neighbors, count):
    nodes = host_integers(x, "x")
    around = [host_integers(each, "neighbors") for each in neighbors]
    counts = [host_integers(each, "count") for each in count]
    for each, many in zip(around, counts, strict=True):
        if len(many) % max(len(nodes), 1) or many.sum() != len(each) or (many < 0).any():
            raise InvalidArgumentError(
                f"count must hold {len(nodes)} numbers, one for each node (and kind of edge), that "
                f"add up to the {len(each)} neighbors, but holds {len(many)} that add up to "
                f"{many.sum()}."
            )
    distinct, places = _numbers(np.concatenate([nodes, *around]))
    ends = np.concatenate([_owners(len(nodes), many) for many in counts])
    return (
        node_tensor(places[len(nodes) :], x),
        node_tensor(ends, x),
        node_tensor(distinct, x),
    )
