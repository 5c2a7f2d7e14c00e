"""Ops of paddle.geometric: reductions over segments, and messages along graph edges."""

import operator

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

MESSAGES = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}
TIES = "elements that tie share it equally (Paddle: each of them gets all of it)."


def _spread(count, like):
    """Return one number per segment in a shape that broadcasts with the segments' values."""
    return count.reshape(count.shape + (1,) * (like.ndim - 1))


def _counts(ids, size: int):
    """Return how many slices each segment has, as integers: a float would stop at 2^24."""
    return jax.ops.segment_sum(jnp.ones(ids.shape, place_dtype(*ids.shape)), ids, size)


def reduce_segments(x, ids, reduction: str, size: int):
    """Reduce the slices of x that have the same id; a segment without slices is 0."""
    if reduction in ("sum", "mean"):
        total = jax.ops.segment_sum(x, ids, size)
        if reduction == "sum":
            return total
        count = _spread(jnp.maximum(_counts(ids, size).astype(total.dtype), 1), total)
        is_float = jnp.issubdtype(total.dtype, jnp.inexact)
        return total / count if is_float else jax.lax.div(total, count + jnp.zeros_like(total))
    extreme = {"max": jax.ops.segment_max, "min": jax.ops.segment_min}[reduction](x, ids, size)
    return jnp.where(_spread(_counts(ids, size), extreme) > 0, extreme, 0)


def reduce_segments_vjp(x, ids, out, dout, reduction: str):
    """Return each slice's share of its segment's gradient."""
    if reduction == "sum":
        return dout[ids]
    if reduction == "mean":
        count = _counts(ids, dout.shape[0]).astype(dout.dtype)
        return (dout / _spread(jnp.maximum(count, 1), dout))[ids]
    hit = (x == out[ids]).astype(dout.dtype)
    ties = jax.ops.segment_sum(hit, ids, dout.shape[0])
    return hit * (dout / jnp.maximum(ties, 1))[ids]


def _reference_reduce(x, ids, reduction, size):
    out = np.zeros((size, *x.shape[1:]), x.dtype)
    for segment in range(size):
        rows = x[ids == segment]
        if len(rows):
            out[segment] = getattr(np, reduction)(rows, axis=0)
    return out


# ---- segments


@real_only
def segment_pool_forward(x, segment_ids, *, pooltype: str = "SUM", size: int = 0):
    """Reduce the slices of each segment."""
    index_dtype(segment_ids)
    if segment_ids.ndim != 1 or x.ndim < 1 or segment_ids.shape[0] != x.shape[0]:
        raise ValueError(
            f"takes one id per slice of x, but x has shape {list(x.shape)} and the ids "
            f"{list(segment_ids.shape)}."
        )
    return reduce_segments(x, segment_ids, pooltype.lower(), size)


def segment_pool_vjp(x, segment_ids, out, dout, *, pooltype):
    """Return each slice's share of the gradient."""
    return reduce_segments_vjp(x, segment_ids, out, dout, pooltype.lower())


def segment_pool_reference(x, segment_ids, pooltype="SUM", size=0):
    """Compute NumPy's reductions, one segment after another."""
    return _reference_reduce(x, segment_ids, pooltype.lower(), size)


def segment_pool_samples():
    """Yield each reduction, an empty segment, ties, vectors."""
    x, ids = values((4, 3)), np.array([0, 0, 2, 2])
    for pooltype in ("SUM", "MEAN", "MAX", "MIN"):
        yield Sample(x, ids, pooltype=pooltype, size=3)
    yield Sample(np.array([2.0, 2.0, 1.0]), np.array([0, 0, 0]), pooltype="MAX", size=1, grad=False)
    yield Sample(values((3,)), np.array([0, 1, 1]), pooltype="SUM", size=2)
    yield Sample(np.zeros((0, 2)), np.zeros(0, np.int64), pooltype="MEAN", size=0)


def segment_pool_errors():
    """Yield ids that are too few, or not integers."""
    two = np.ones((2, 3))
    yield BadInput((two, np.array([0])), {"size": 1}, InvalidArgumentError, "one id per slice")
    yield BadInput((two, np.ones(2)), {"size": 1}, InvalidArgumentError, "must hold integers")


segment_pool = op(
    "segment_pool",
    segment_pool_forward,
    vjp=segment_pool_vjp,
    saves="x segment_ids out",
    nondiff="segment_ids",
    public=None,
    reference=segment_pool_reference,
    samples=segment_pool_samples,
    errors=segment_pool_errors,
    formula="dx = dout of the segment; for MEAN over its length; for MAX and MIN where x is it",
    boundary=TIES,
    doc="Reduce the slices that have the same id; recorded by the segment_* functions.",
)


# ---- messages along the edges of a graph


def _edges(src_index, dst_index) -> None:
    index_dtype(src_index)
    index_dtype(dst_index)
    if src_index.ndim != 1 or src_index.shape != dst_index.shape:
        raise ValueError(
            "takes src_index and dst_index of one shape [edges], but received "
            f"{list(src_index.shape)} and {list(dst_index.shape)}."
        )


def _scatter(rows, index, like):
    """Add rows at the positions that they were read from."""
    return jnp.zeros(like.shape, rows.dtype).at[index].add(rows)


@real_only
def send_u_recv_forward(x, src_index, dst_index, *, reduce_op: str = "SUM", out_size: int = 0):
    """Reduce, at each destination, the source nodes of its incoming edges."""
    _edges(src_index, dst_index)
    return reduce_segments(x[src_index], dst_index, reduce_op.lower(), out_size or x.shape[0])


def send_u_recv_vjp(x, src_index, dst_index, out, dout, *, reduce_op):
    """Add each edge's share of the gradient to its source."""
    sent = reduce_segments_vjp(x[src_index], dst_index, out, dout, reduce_op.lower())
    return _scatter(sent, src_index, x)


def send_u_recv_reference(x, src_index, dst_index, reduce_op="SUM", out_size=0):
    """Compute NumPy's reductions of the messages."""
    return _reference_reduce(x[src_index], dst_index, reduce_op.lower(), out_size or x.shape[0])


SOURCES, TARGETS = np.array([0, 1, 2, 0]), np.array([1, 2, 1, 0])


def send_u_recv_samples():
    """Yield each reduction and another number of destinations."""
    for reduce_op in ("SUM", "MEAN", "MAX", "MIN"):
        yield Sample(values((3, 2)), SOURCES, TARGETS, reduce_op=reduce_op)
    yield Sample(values((3, 2)), SOURCES, TARGETS, reduce_op="SUM", out_size=5)
    yield Sample(values((3, 2)), SOURCES[:0], TARGETS[:0], reduce_op="SUM")


def edge_errors():
    """Yield edges with more sources than destinations."""
    bad = (np.ones((3, 2)), np.array([0, 1]), np.array([0]))
    yield BadInput(bad, {}, InvalidArgumentError, "of one shape [edges]")


send_u_recv = op(
    "send_u_recv",
    send_u_recv_forward,
    vjp=send_u_recv_vjp,
    saves="x src_index dst_index out",
    nondiff="src_index dst_index",
    public=None,
    reference=send_u_recv_reference,
    samples=send_u_recv_samples,
    errors=edge_errors,
    formula="dx[src] += the share of the edge in dout[dst]",
    boundary=TIES,
    doc="Reduce, at each destination node, the source nodes of its edges.",
)


def _message(x, y, src_index, message_op: str):
    return MESSAGES[message_op.lower()](x[src_index], y)


@real_only
def send_ue_recv_forward(
    x,
    y,
    src_index,
    dst_index,
    *,
    message_op: str = "ADD",
    reduce_op: str = "SUM",
    out_size: int = 0,
):
    """Reduce, at each destination, the messages computed from source and edge values."""
    _edges(src_index, dst_index)
    sent = _message(x, y, src_index, message_op)
    return reduce_segments(sent, dst_index, reduce_op.lower(), out_size or x.shape[0])


def send_ue_recv_vjp(x, y, src_index, dst_index, out, dout, *, message_op, reduce_op):
    """Pass each edge's share back through its message to source and edge."""
    sent, back = jax.vjp(lambda x, y: _message(x, y, src_index, message_op), x, y)
    return back(reduce_segments_vjp(sent, dst_index, out, dout, reduce_op.lower()))


def send_ue_recv_reference(
    x, y, src_index, dst_index, message_op="ADD", reduce_op="SUM", out_size=0
):
    """Compute NumPy's reductions of the messages."""
    sent = MESSAGES[message_op.lower()](x[src_index], y)
    return _reference_reduce(sent, dst_index, reduce_op.lower(), out_size or x.shape[0])


def send_ue_recv_samples():
    """Yield each message and each reduction; edge values that broadcast."""
    x, y = values((3, 2)), values((4, 1), 0.5, 2.0, seed=1)
    for message_op, reduce_op in zip(
        ("ADD", "SUB", "MUL", "DIV"), ("SUM", "MEAN", "MAX", "MIN"), strict=True
    ):
        yield Sample(x, y, SOURCES, TARGETS, message_op=message_op, reduce_op=reduce_op)
    yield Sample(x, values((4, 2), seed=2), SOURCES, TARGETS, message_op="MUL", out_size=4)


def send_ue_recv_errors():
    """Yield edges with more sources than destinations."""
    bad = (np.ones((3, 2)), np.ones((2, 2)), np.array([0, 1]), np.array([0]))
    yield BadInput(bad, {}, InvalidArgumentError, "of one shape [edges]")


send_ue_recv = op(
    "send_ue_recv",
    send_ue_recv_forward,
    vjp=send_ue_recv_vjp,
    saves="x y src_index dst_index out",
    nondiff="src_index dst_index",
    public=None,
    reference=send_ue_recv_reference,
    samples=send_ue_recv_samples,
    errors=send_ue_recv_errors,
    formula="as send_u_recv, and through the message to dx and dy",
    boundary=TIES,
    doc="Reduce, at each destination node, the messages that its edges compute from source and "
    "edge values.",
)


@real_only
def send_uv_forward(x, y, src_index, dst_index, *, message_op: str = "ADD"):
    """Combine the values at both ends of each edge."""
    _edges(src_index, dst_index)
    return MESSAGES[message_op.lower()](x[src_index], y[dst_index])


def send_uv_reference(x, y, src_index, dst_index, message_op="ADD"):
    """Compute NumPy's operators."""
    return MESSAGES[message_op.lower()](x[src_index], y[dst_index])


def send_uv_samples():
    """Yield each message, and no edges."""
    x, y = values((3, 2)), values((3, 2), 0.5, 2.0, seed=1)
    for message_op in ("ADD", "SUB", "MUL", "DIV"):
        yield Sample(x, y, SOURCES, TARGETS, message_op=message_op)
    yield Sample(x, y, SOURCES[:0], TARGETS[:0], message_op="MUL")


send_uv = op(
    "send_uv",
    send_uv_forward,
    saves="x y src_index dst_index",
    nondiff="src_index dst_index",
    public=None,
    reference=send_uv_reference,
    samples=send_uv_samples,
    errors=send_ue_recv_errors,
    formula="the gradient of the message, added where x and y were read",
    doc="Combine the values at both ends of each edge.",
)
