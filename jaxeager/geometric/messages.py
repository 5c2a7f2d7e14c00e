"""send_u_recv, send_ue_recv, send_uv: messages along the edges of a graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.geometric.indices import host_integers, no_such_node
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.ops.reductions import segment
from jaxeager.ops.rules.attrs import as_int

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

REDUCTIONS = ("sum", "mean", "max", "min")


def _chosen(value, allowed, name: str) -> str:
    """Return an option in upper case.

    Raises:
        InvalidArgumentError: for an unknown option.
    """
    if value not in allowed:
        raise InvalidArgumentError(
            f"{name} must be one of {', '.join(allowed)}, but received {value!r}."
        )
    return value.upper()


def _check_ends(index, count: int, name: str) -> None:
    """Check one end of the edges, if the check does not wait for an accelerator."""
    if index._array.dtype.kind not in "iu":
        host_integers(index, name)  # raises InvalidTypeError
    check_within(index._array, 0, count, partial(no_such_node, count, name))


def _nodes(x, src_index, dst_index, out_size) -> int:
    """Check the edges; return the number of destinations."""
    size = 0 if out_size is None else as_int(out_size, "out_size")
    size = size if size > 0 else x.shape[0]
    _check_ends(src_index, x.shape[0], "src_index")
    _check_ends(dst_index, size, "dst_index")
    return size


def _of_one_rank(x, y):
    """Give both the same rank: missing dimensions are added after the first, of nodes or edges."""
    rank = max(x.ndim, y.ndim)
    return tuple(
        each.reshape([each.shape[0], *[1] * (rank - each.ndim), *each.shape[1:]])
        if each.ndim < rank
        else each
        for each in (x, y)
    )


@names_operands
def send_u_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    reduce_op: str = "sum",
    out_size: int | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Gather ``x`` at the sources of edges and reduce it at their destinations.

    Args:
        x: tensor [nodes, ...].
        src_index: int32 or int64 [edges].
        dst_index: int32 or int64 [edges].
        reduce_op: "sum", "mean", "max" or "min"; for the last two, ties share the gradient (Paddle:
            each gets all of it).
        out_size: the number of destinations; by default the number of nodes.
        name: ignored.

    Returns:
        tensor [out_size, ...]; 0 for nodes without incoming edges.

    Raises:
        InvalidArgumentError: for another reduction, or ends of different lengths.
        OutOfRangeError: for invalid node numbers (on CPU, where the check does not wait).

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0], [2.0], [4.0]])
        >>> src, dst = paddle.to_tensor([0, 1, 2]), paddle.to_tensor([1, 2, 1])
        >>> paddle.geometric.send_u_recv(x, src, dst).tolist()
        [[0.0], [5.0], [2.0]]
    """
    reduce_op = _chosen(reduce_op, REDUCTIONS, "reduce_op")
    size = _nodes(x, src_index, dst_index, out_size)
    return segment.send_u_recv(x, src_index, dst_index, reduce_op=reduce_op, out_size=size)


@names_operands
def send_ue_recv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    reduce_op: str = "sum",
    out_size: int | Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Combine ``x`` at the sources of edges with the edges' ``y``, reduce at the destinations.

    Args:
        x: tensor [nodes, ...].
        y: tensor [edges, ...] that broadcasts with x at the sources; it may have fewer dimensions,
            so [edges] is a weight per edge.
        src_index: int32 or int64 [edges].
        dst_index: int32 or int64 [edges].
        message_op: "add", "sub", "mul" or "div".
        reduce_op: as in ``send_u_recv``.
        out_size: the number of destinations; by default the number of nodes.
        name: ignored.

    Returns:
        tensor [out_size, ...]; 0 for nodes without incoming edges.

    Raises:
        InvalidArgumentError: for another message or reduction, or ends of different lengths.
        OutOfRangeError: for invalid node numbers (on CPU, where the check does not wait).

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[10.0], [20.0]])
        >>> src, dst = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])
        >>> paddle.geometric.send_ue_recv(x, y, src, dst, "mul").tolist()
        [[0.0], [50.0]]
    """
    message_op = _chosen(message_op, segment.MESSAGES, "message_op")
    reduce_op = _chosen(reduce_op, REDUCTIONS, "reduce_op")
    size = _nodes(x, src_index, dst_index, out_size)
    x, y = _of_one_rank(x, y)
    return segment.send_ue_recv(
        x, y, src_index, dst_index, message_op=message_op, reduce_op=reduce_op, out_size=size
    )


@names_operands
def send_uv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    name: str | None = None,
) -> Tensor:
    """Combine ``x`` at the source with ``y`` at the destination of each edge.

    Args:
        x: tensor [nodes, ...].
        y: tensor [nodes, ...] that broadcasts with x; it may have more or fewer dimensions.
        src_index: int32 or int64 [edges].
        dst_index: int32 or int64 [edges].
        message_op: "add", "sub", "mul" or "div".
        name: ignored.

    Returns:
        tensor [edges, ...].

    Raises:
        InvalidArgumentError: for another message, or ends of different lengths.
        OutOfRangeError: for invalid node numbers (on CPU, where the check does not wait).

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[10.0], [20.0]])
        >>> src, dst = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])
        >>> paddle.geometric.send_uv(x, y, src, dst).tolist()
        [[21.0], [22.0]]
    """
    message_op = _chosen(message_op, segment.MESSAGES, "message_op")
    _check_ends(src_index, x.shape[0], "src_index")
    _check_ends(dst_index, y.shape[0], "dst_index")
    x, y = _of_one_rank(x, y)
    return segment.send_uv(x, y, src_index, dst_index, message_op=message_op)
