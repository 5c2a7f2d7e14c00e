"""Older names of the functions in paddle.geometric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxeager.geometric.messages import send_u_recv
from jaxeager.geometric.reindex import reindex_graph
from jaxeager.geometric.sampling import sample_neighbors
from jaxeager.ops.call.bad_operands import names_operands

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@names_operands
def graph_send_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    pool_type: str = "sum",
    out_size: int | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Gather ``x`` at the sources of edges and reduce it at their destinations.

    Args:
        x: as in ``paddle.geometric.send_u_recv``.
        src_index: as there.
        dst_index: as there.
        pool_type: its ``reduce_op``.
        out_size: as there.
        name: ignored.

    Returns:
        as ``paddle.geometric.send_u_recv``.

    Raises:
        InvalidArgumentError: as there.

    Example:
        >>> import jaxeager as paddle
        >>> x, src, dst = (paddle.to_tensor(v) for v in ([[1.0], [2.0]], [0, 1], [1, 1]))
        >>> paddle.incubate.graph_send_recv(x, src, dst, pool_type="max").tolist()
        [[0.0], [2.0]]
    """
    return send_u_recv(x, src_index, dst_index, pool_type, out_size, name)


@names_operands
def graph_reindex(
    x: Tensor,
    neighbors: Tensor,
    count: Tensor,
    value_buffer: Tensor | None = None,
    index_buffer: Tensor | None = None,
    flag_buffer_hashtable: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Renumber the nodes of a sampled graph; see ``paddle.geometric.reindex_graph``.

    Args:
        x: as there.
        neighbors: as there.
        count: as there.
        value_buffer: ignored.
        index_buffer: ignored.
        flag_buffer_hashtable: ignored: it concerns Paddle's GPU kernel.
        name: ignored.

    Returns:
        as there.

    Raises:
        InvalidArgumentError: as there.

    Example:
        >>> import jaxeager as paddle
        >>> x, around, count = (paddle.to_tensor(v) for v in ([0, 1], [8, 0], [1, 1]))
        >>> [out.tolist() for out in paddle.incubate.graph_reindex(x, around, count)]
        [[2, 0], [0, 1], [0, 1, 8]]
    """
    return reindex_graph(x, neighbors, count, value_buffer, index_buffer, name)


@names_operands
def graph_sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    input_nodes: Tensor,
    eids: Tensor | None = None,
    perm_buffer: Tensor | None = None,
    sample_size: int = -1,
    return_eids: bool = False,
    flag_perm_buffer: bool = False,
    name: str | None = None,
) -> Any:
    """Draw neighbors of nodes; see ``paddle.geometric.sample_neighbors``.

    Args:
        row: as there.
        colptr: as there.
        input_nodes: as there.
        eids: as there.
        perm_buffer: ignored.
        sample_size: as there.
        return_eids: as there.
        flag_perm_buffer: ignored: it concerns Paddle's GPU kernel.
        name: ignored.

    Returns:
        as there.

    Raises:
        InvalidArgumentError: as there.

    Example:
        >>> import jaxeager as paddle
        >>> row, colptr, nodes = (paddle.to_tensor(v) for v in ([1, 2, 0], [0, 2, 3], [0]))
        >>> [out.tolist() for out in paddle.incubate.graph_sample_neighbors(row, colptr, nodes)]
        [[1, 2], [2]]
    """
    return sample_neighbors(
        row, colptr, input_nodes, sample_size, eids, return_eids, perm_buffer, name
    )
