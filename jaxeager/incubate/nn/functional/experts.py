"""Mixtures of experts: counts, combination, and the loss that balances them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


def int_bincount(
    x: paddle.Tensor, low: int, high: int, dtype: DTypeLike | None = None, name: str | None = None
) -> paddle.Tensor:
    """Count how often each number of a range is in a tensor.

    Args:
        x: int32 or int64, of any shape.
        low: the first number.
        high: the number after the last.
        dtype: "int32" or "int64" of the counts; x's when None.
        name: a name.

    Returns:
        int[high - low].

    Raises:
        InvalidArgumentError: for high below low, and negative numbers in x.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> F = paddle.incubate.nn.functional
        >>> F.int_bincount(paddle.to_tensor([1, 2, 2, 5]), 1, 4).tolist()
        [1, 2, 0]
    """
    if high < low:
        raise InvalidArgumentError(f"high ({high}) must not be less than low ({low}).")
    found = paddle.bincount(x.flatten(), minlength=high)[low:high]
    return found.astype(dtype or x.dtype)


def cal_aux_loss(
    gate_prob: paddle.Tensor,
    dispatch_mask: paddle.Tensor,
    tokens_mask: paddle.Tensor | None,
    dispatch_tokens_mask: paddle.Tensor | None,
    num_experts: int,
    use_group: bool,
    moe_k: int,
    clip_min: float,
    name: str | None = None,
) -> tuple[paddle.Tensor, paddle.Tensor, paddle.Tensor]:
    """Return a loss that is minimal when all experts get the same number of tokens.

    Args:
        gate_prob: float[tokens, experts], the probability that a token goes to an expert.
        dispatch_mask: the number of tokens of each expert, int[experts], or int[tokens, experts].
        tokens_mask: the mask of valid tokens, [tokens], or None for all.
        dispatch_tokens_mask: the same for the tokens of all processes, [all tokens], or None.
        num_experts: the number of experts.
        use_group: whether the loss is divided by ``moe_k``.
        moe_k: the number of experts per token.
        clip_min: the lower bound of the number of tokens in the divisor.
        name: a name.

    Returns:
        The loss, 0-D; the number of valid tokens, 0-D; the share of each expert, float[experts].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> loss, count, share = paddle.incubate.nn.functional.cal_aux_loss(
        ...     paddle.full([4, 2], 0.5), paddle.to_tensor([3, 1]), None, None, 2, False, 1, 1e-6
        ... )
        >>> loss.item(), count.item(), share.tolist()
        (1.0, 4.0, [0.75, 0.25])
    """
    dtype = gate_prob.dtype
    mask = None if tokens_mask is None else tokens_mask.astype(dtype)
    if dispatch_tokens_mask is not None:
        count = dispatch_tokens_mask.astype(dtype).sum()
    else:
        count = paddle.to_tensor(gate_prob.shape[0], dtype) if mask is None else mask.sum()
    count = paddle.clip(count, min=clip_min)
    given = dispatch_mask.sum(0) if dispatch_mask.ndim == 2 else dispatch_mask
    share = given.astype(dtype).detach() / count
    loss = (gate_prob.sum(0) / count * share).sum() * num_experts
    loss = loss / moe_k if use_group else loss
    everywhere = gate_prob if dispatch_tokens_mask is None else dispatch_tokens_mask
    if mask is not None and everywhere.shape[0] != gate_prob.shape[0]:
        # The value is that of this process, the gradient that of all.
        own = count / paddle.clip(mask.sum(), min=clip_min)
        loss = loss + (own - 1.0) * loss.detach()
    return loss, count, share


def moe_combine(
    x: paddle.Tensor,
    combine_weights: paddle.Tensor,
    scatter_index: paddle.Tensor,
    name: str | None = None,
) -> paddle.Tensor:
    """Return for each token the weighted sum of its experts' outputs.

    Args:
        x: float[rows, n], the experts' outputs.
        combine_weights: float[tokens, k].
        scatter_index: int32[k, tokens], the row of x of each token's experts.
        name: a name.

    Returns:
        float[tokens, n].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x, weights = paddle.to_tensor([[1.0], [3.0]]), paddle.full([1, 2], 0.5)
        >>> rows = paddle.to_tensor([[0], [1]], "int32")
        >>> paddle.incubate.nn.functional.moe_combine(x, weights, rows).item()
        2.0
    """
    return (x[scatter_index.T] * combine_weights.unsqueeze(-1)).sum(1)
