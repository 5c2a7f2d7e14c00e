"""Calls between the processes that share a layer: with one process tensors are whole."""

from __future__ import annotations

from typing import Any

import jaxeager as paddle
from jaxeager.tensor import Tensor

F = paddle.nn.functional


def _c_identity(tensor: Tensor, group: Any = None, skip_c_identity_dynamic: bool = False) -> Tensor:
    """Returns the tensor; the gradient is summed over processes."""
    return tensor


def _mp_allreduce(
    tensor: Tensor,
    op: int = 0,
    group: Any = None,
    use_calc_stream: bool = True,
    use_model_parallel: bool = True,
    skip_c_identity_dynamic: bool = False,
) -> Tensor:
    """Returns the sum over processes; the gradient stays."""
    return tensor


def _c_concat(tensor: Tensor, group: Any = None) -> Tensor:
    """Returns the processes' tensors side by side."""
    return tensor


def _c_split(tensor: Tensor, group: Any = None) -> Tensor:
    """Returns this process's columns."""
    return tensor


def _c_softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    group: Any = None,
    return_softmax: bool = False,
    ignore_index: int = -100,
) -> Tensor | tuple[Tensor, Tensor]:
    """Returns the cross entropy of logits whose classes the processes share.

    Args:
        logits: float[..., classes].
        label: integers[...] or [..., 1].
        group: the processes.
        return_softmax: whether the softmax comes too.
        ignore_index: a label that costs nothing.
    """
    if label.ndim == logits.ndim - 1:
        label = paddle.unsqueeze(label, -1)
    return F.softmax_with_cross_entropy(
        logits, label, ignore_index=ignore_index, return_softmax=return_softmax
    )
