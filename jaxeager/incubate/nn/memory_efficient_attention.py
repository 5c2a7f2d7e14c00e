"""Attention that never stores all scores together."""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError
from jaxeager.incubate.nn.attn_bias import AttentionBias
from jaxeager.tensor import Tensor


def memory_efficient_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_bias: Tensor | AttentionBias | None = None,
    p: float = 0.0,
    scale: float | None = None,
    training: bool = True,
) -> Tensor:
    """Return ``softmax(scale * query @ key.T + attn_bias) @ value`` of each head.

    Args:
        query: float[batch, length, heads, head_dim].
        key: float[batch, keys, heads, head_dim].
        value: float[batch, keys, heads, head_dim].
        attn_bias: added to the scores, float[batch, heads, length, keys]; or an ``AttentionBias``,
            such as a ``BlockDiagonalMask``.
        p: the probability that a weight is dropped.
        scale: a factor; 1 / sqrt(head_dim) when None.
        training: False drops no weight.

    Returns:
        float[batch, length, heads, head_dim].

    Raises:
        InvalidTypeError: for a bias of another type. (Paddle: AssertionError.)

    Paddle: has it on GPUs only.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.nn.memory_efficient_attention import memory_efficient_attention
        >>> memory_efficient_attention(*[paddle.ones([1, 2, 1, 4])] * 3).shape
        paddle.Size([1, 2, 1, 4])
    """
    if isinstance(attn_bias, AttentionBias):
        shape = [1, 1, query.shape[1], key.shape[1]]
        attn_bias = attn_bias.materialize(shape, query.dtype)
    if attn_bias is not None and not isinstance(attn_bias, Tensor):
        raise InvalidTypeError(
            "attn_bias is a tensor or one of paddle.incubate.nn.attn_bias, but received "
            f"{attn_bias!r}."
        )
    if scale is not None:
        query = query * (scale * query.shape[-1] ** 0.5)
    return paddle.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=attn_bias, dropout_p=p, training=training
    )
