"""Attention in Paddle's layout [batch, length, heads, size].

Note [Two kinds of attention]
    With few scores attention is recorded as Paddle's CPU does: matmuls and a softmax, whose weights
    are saved. With MANY_SCORES or more it is one op, ``flash_attn``, whose memory grows with the
    length and not with its square. A mask that requires a gradient needs the weights. A program
    of unknown sizes has the weights as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.arrays.random import next_key
from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.attention import math_is_chosen
from jaxeager.ops.nn import attention as rows
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

MANY_SCORES = 1 << 24  # 64 MiB in float32


@composite(public="functional", method=False)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    training: bool = True,
    backend: str | None = None,
    scale: float | None = None,
    enable_gqa: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return the values, averaged with weights from how well their keys match each query.

    With 2**24 scores or more (batch * heads * length * other) the weights are not kept, so memory
    grows with the length and not with its square; ``paddle.nn.attention.sdpa_kernel`` chooses. A
    query that a mask hides from all keys then gets 0; otherwise NaN, as in Paddle.

    Args:
        query: float[batch, length, heads, size]; the batch may be omitted.
        key: float[batch, other, heads', size], where heads' divides heads with enable_gqa.
        value: float[batch, other, heads', size].
        attn_mask: added to the scores, a float tensor that broadcasts with
            [batch, heads, length, other]; or bool, where False hides a key.
        dropout_p: the probability that a weight is zeroed in training.
        is_causal: whether a query only attends to keys that are not later, also with a mask.
        training: whether to apply dropout.
        backend: must be None.
        scale: factor of the query; 1 / sqrt(size) by default.
        enable_gqa: whether several query heads may share a key head.
        name: ignored.

    Returns:
        float[batch, length, heads, size].

    Raises:
        InvalidArgumentError: for numbers of heads that do not match.
        UnimplementedError: if a backend is given.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 3, 2, 4])
        >>> paddle.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).shape
        paddle.Size([1, 3, 2, 4])
    """
    if backend is not None:
        raise paddle.errors.UnimplementedError(
            f"Attention has no backend {backend!r}: leave it None."
        )
    is_batched = query.ndim == 4
    if not is_batched:
        query, key, value = (paddle.unsqueeze(each, 0) for each in (query, key, value))
    _repeats(query, key, value, enable_gqa)
    if _keeps_no_weights(query, key, attn_mask, scale):
        draw = next_key() if training and dropout_p > 0 else None
        dropout = float(dropout_p) if training else 0.0
        out = rows.flash_attn(
            query, key, value, draw, attn_mask, dropout, bool(is_causal), float(scale or 0.0)
        )
    else:
        out, _ = weighted_values(
            query, key, value, attn_mask, dropout_p, is_causal, training, scale
        )
    return out if is_batched else paddle.squeeze(out, 0)


def _keeps_no_weights(query, key, mask, scale) -> bool:
    """Return whether attention is one op: see Note [Two kinds of attention]."""
    has_math = math_is_chosen()
    if has_math or scale == 0 or (mask is not None and not mask.stop_gradient):
        return False
    sizes = *query._array.shape[:3], key._array.shape[1]
    if has_math is False or has_symbols(sizes):
        return has_math is False
    return math.prod(sizes) >= MANY_SCORES


def weighted_values(query, key, value, mask, dropout: float, is_causal: bool, training, scale):
    """Record attention over a batch; return the result and the weights."""
    repeats = _repeats(query, key, value, True)
    key, value = _repeat_heads(key, repeats), _repeat_heads(value, repeats)
    scale = query.shape[3] ** -0.5 if scale is None else scale
    query = paddle.scale(paddle.transpose(query, [0, 2, 1, 3]), scale)
    key, value = (paddle.transpose(each, [0, 2, 1, 3]) for each in (key, value))
    scores = paddle.matmul(query, key, transpose_y=True)
    if mask is not None:
        scores = paddle.add(scores, _as_scores(mask, query.dtype))
    if is_causal:
        scores = paddle.add(scores, _causal(scores))
    weights = paddle.nn.functional.softmax(scores)
    if dropout > 0.0:
        weights = paddle.nn.functional.dropout(weights, dropout, training=training)
    return paddle.transpose(paddle.matmul(weights, value), [0, 2, 1, 3]), weights


def _repeats(query, key, value, enable_gqa: bool) -> int:
    """Return how many query heads share a key head."""
    heads, key_heads, value_heads = query.shape[2], key.shape[2], value.shape[2]
    fits = key_heads == value_heads and key_heads > 0 and heads % key_heads == 0
    if not fits or (heads != key_heads and not enable_gqa):
        raise InvalidArgumentError(
            f"The number of heads in query({heads}) must be equal to that in key({key_heads}) and "
            f"value({value_heads}), or a multiple of it with enable_gqa."
        )
    return heads // key_heads


def _repeat_heads(x, repeats: int):
    """Repeat every head ``repeats`` times, adjacent to each other."""
    if repeats == 1:
        return x
    batch, length, heads, size = x.shape
    spread = paddle.expand(paddle.unsqueeze(x, 3), [batch, length, heads, repeats, size])
    return paddle.flatten(spread, 2, 3)


def _as_scores(mask, dtype):
    """Return a mask as a tensor to add to the scores."""
    if mask.dtype != paddle.bool:
        return mask
    zero, never = paddle.full([], 0.0, dtype), paddle.full([], float("-inf"), dtype)
    return paddle.where(mask, zero, never)


def _causal(scores):
    """Return -inf above the diagonal of [length, other] and 0 elsewhere."""
    shape = scores.shape[2:]
    return paddle.triu(paddle.full(shape, float("-inf"), scores.dtype), 1)
