"""Differentiable calls between the processes that share a layer.

With a single process tensors are whole, and every call returns the tensor itself.
"""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.tensors import ReduceOp
from jaxeager.distributed.communication.tensors import all_reduce as _all_reduce
from jaxeager.distributed.fleet.base.topology import group_along
from jaxeager.distributed.ranks.differentiable import differentiable_call
from jaxeager.errors import UnimplementedError
from jaxeager.tensor import Tensor

F = paddle.nn.functional


def shared_by(group: Group | None) -> Group | None:
    """Return the processes that share a layer: the given ones, else those along "model"."""
    found = group_along("model") if group is None else group
    return found if found is not None and found.nranks > 1 and found.is_member() else None


def _c_identity(
    tensor: Tensor, group: Group | None = None, skip_c_identity_dynamic: bool = False
) -> Tensor:
    """Return the tensor; the gradient is summed over processes."""
    return differentiable_call(tensor, "identity", shared_by(group))


def _mp_allreduce(
    tensor: Tensor,
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    use_calc_stream: bool = True,
    use_model_parallel: bool = True,
    skip_c_identity_dynamic: bool = False,
) -> Tensor:
    """Return the sum over processes; the gradient is unchanged."""
    if op != ReduceOp.SUM:
        raise UnimplementedError(
            "_mp_allreduce() supports only the sum; other reductions have no gradient."
        )
    return differentiable_call(tensor, "sum", shared_by(group))


def _c_concat(tensor: Tensor, group: Group | None = None) -> Tensor:
    """Return the processes' tensors, concatenated; each gets its columns of the gradient."""
    return differentiable_call(tensor, "join", shared_by(group))


def _c_split(tensor: Tensor, group: Group | None = None) -> Tensor:
    """Return this process's columns; the gradient has the columns of all processes."""
    return differentiable_call(tensor, "piece", shared_by(group))


def _c_lookup_table(
    table: Tensor, index: Tensor, start_index: int = 0, vocab_size: int = -1,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Return rows of a part of a table, zeros for an index in another part.

    Args:
        table: float[rows, n], the rows from ``start_index`` on.
        index: integers[...].
        start_index: the index of the first row.
        vocab_size: the number of rows of all parts.
        name: a name.
    """
    own = index - start_index
    is_here = (own >= 0) & (own < table.shape[0])
    found = F.embedding(paddle.where(is_here, own, paddle.zeros_like(own)), table)
    return paddle.where(is_here.unsqueeze(-1), found, paddle.zeros_like(found))


def _c_softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    group: Group | None = None,
    return_softmax: bool = False,
    ignore_index: int = -100,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the cross entropy of logits whose classes the processes share.

    Args:
        logits: float[..., classes], this process's classes.
        label: integers[...] or [..., 1], out of all classes.
        group: the processes.
        return_softmax: whether to also return the softmax of this process's classes.
        ignore_index: a label whose loss is 0.
    """
    if label.ndim == logits.ndim - 1:
        label = paddle.unsqueeze(label, -1)
    shared = shared_by(group)
    if shared is None:
        return F.softmax_with_cross_entropy(
            logits, label, ignore_index=ignore_index, return_softmax=return_softmax
        )
    count = logits.shape[-1]
    largest = logits.detach().max(axis=-1, keepdim=True)
    _all_reduce(largest, ReduceOp.MAX, shared)
    powers = paddle.exp(logits - largest)
    total = differentiable_call(powers.sum(axis=-1, keepdim=True), "sum", shared)
    own = label.astype("int64") - shared.rank * count
    is_here = (own >= 0) & (own < count)
    picked = paddle.take_along_axis(
        logits - largest, paddle.where(is_here, own, paddle.zeros_like(own)), axis=-1
    )
    picked = paddle.where(is_here, picked, paddle.zeros_like(picked))
    picked = differentiable_call(picked, "sum", shared)
    loss = paddle.log(total) - picked
    loss = paddle.where(label == ignore_index, paddle.zeros_like(loss), loss)
    return (loss, powers / total) if return_softmax else loss
