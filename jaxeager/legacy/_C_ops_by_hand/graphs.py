"""Messages along the edges of graphs, and reductions of segments."""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.tensor import Tensor


def send_u_recv(x, src_index, dst_index, reduce_op="SUM", out_size=0):
    """Return the messages that nodes receive along edges, reduced."""
    size = _size(out_size)
    return paddle.geometric.send_u_recv(x, src_index, dst_index, reduce_op.lower(), size)


def send_ue_recv(x, y, src_index, dst_index, message_op, reduce_op, out_size=0):
    """Return the messages of nodes and edges along edges, reduced."""
    return paddle.geometric.send_ue_recv(
        x, y, src_index, dst_index, message_op.lower(), reduce_op.lower(), _size(out_size)
    )


def send_uv(x, y, src_index, dst_index, message_op="ADD"):
    """Return for each edge the combination of its two nodes."""
    return paddle.geometric.send_uv(x, y, src_index, dst_index, message_op.lower())


def _size(out_size: object) -> int | None:
    number = out_size[0] if isinstance(out_size, (list, tuple)) and out_size else out_size
    return int(number) if isinstance(number, (int, Tensor)) and int(number) > 0 else None


def segment_pool(x, segment_ids, pooltype="SUM"):
    """Return each segment, reduced."""
    return getattr(paddle.geometric, f"segment_{pooltype.lower()}")(x, segment_ids)
