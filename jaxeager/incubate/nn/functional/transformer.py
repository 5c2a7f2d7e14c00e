"""Attention and feed-forward of a transformer, each in one call."""

from __future__ import annotations

import math
from numbers import Real

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.incubate.nn.functional.products import activate

F = paddle.nn.functional


def check_dropout(mode: str, *rates: float) -> None:
    """Raise for a mode or a rate that dropout does not support."""
    if mode not in ("downscale_in_infer", "upscale_in_train"):
        raise InvalidArgumentError(
            f"mode is 'downscale_in_infer' or 'upscale_in_train', but received {mode!r}."
        )
    for rate in rates:
        if not isinstance(rate, Real):
            raise InvalidTypeError(f"a dropout rate is a number, but received {rate!r}.")
        if not 0 <= rate <= 1:
            raise InvalidArgumentError(f"a dropout rate is between 0 and 1, but received {rate!r}.")


def attended(q, k, v, mask, scale: float, drop=None) -> paddle.Tensor:
    """Return ``softmax(scale * q @ k.T + mask) @ v``.

    Args:
        q: float[batch, heads, queries, n].
        k: float[batch, heads, keys, n].
        v: float[batch, heads, keys, n].
        mask: added to the scores, or None.
        scale: the factor of the products.
        drop: a function applied to the weights, or None.
    """
    scores = paddle.matmul(q * scale, k, transpose_y=True)
    weights = F.softmax(scores if mask is None else scores + mask.astype(scores.dtype))
    return paddle.matmul(weights if drop is None else drop(weights), v)


def refuse_ring(function: str, ring_id: int) -> None:
    """Raise UnimplementedError when results are to be summed over processes."""
    if ring_id != -1:
        raise UnimplementedError(
            f"{function}(): ring_id={ring_id}, which adds results up over processes, is not there. "
            "Leave it -1, and divide layers with paddle.distributed.fleet.meta_parallel."
        )


def fused_feedforward(
    x: paddle.Tensor,
    linear1_weight: paddle.Tensor,
    linear2_weight: paddle.Tensor,
    linear1_bias: paddle.Tensor | None = None,
    linear2_bias: paddle.Tensor | None = None,
    ln1_scale: paddle.Tensor | None = None,
    ln1_bias: paddle.Tensor | None = None,
    ln2_scale: paddle.Tensor | None = None,
    ln2_bias: paddle.Tensor | None = None,
    dropout1_rate: float = 0.5,
    dropout2_rate: float = 0.5,
    activation: str = "relu",
    ln1_epsilon: float = 1e-5,
    ln2_epsilon: float = 1e-5,
    pre_layer_norm: bool = False,
    training: bool = True,
    mode: str = "upscale_in_train",
    ring_id: int = -1,
    add_residual: bool = True,
    name: str | None = None,
) -> paddle.Tensor:
    """Return ``x + dropout2(linear2(dropout1(activation(linear1(x)))))``, normalised.

    Args:
        x: float[batch, length, n].
        linear1_weight: float[n, inner].
        linear2_weight: float[inner, n].
        linear1_bias: float[inner], or None.
        linear2_bias: float[n], or None.
        ln1_scale: float[n] of the norm before, or None.
        ln1_bias: float[n] of the norm before, or None.
        ln2_scale: float[n] of the norm after, or None.
        ln2_bias: float[n] of the norm after, or None.
        dropout1_rate: the probability that an element is dropped after the activation.
        dropout2_rate: the probability that an element is dropped at the end.
        activation: "relu" or "gelu".
        ln1_epsilon: added to the variance of the norm before.
        ln2_epsilon: added to the variance of the norm after.
        pre_layer_norm: whether x is normalised first; else the result is.
        training: whether anything is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        ring_id: must be -1: results are not summed over processes.
        add_residual: whether x is added.
        name: a name.

    Raises:
        InvalidArgumentError: for another mode, activation, or a rate outside 0 and 1.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x, w = paddle.to_tensor([[[1.0, 3.0]]]), paddle.eye(2)
        >>> F = paddle.incubate.nn.functional
        >>> F.fused_feedforward(x, w, w, training=False).round(2).tolist()
        [[[-1.0, 1.0]]]
    """
    check_dropout(mode, dropout1_rate, dropout2_rate)
    size = [x.shape[-1]]
    refuse_ring("fused_feedforward", ring_id)
    out = F.layer_norm(x, size, ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    out = activate(F.linear(out, linear1_weight, linear1_bias), activation)
    out = F.dropout(out, dropout1_rate, training=training, mode=mode)
    out = F.linear(out, linear2_weight, linear2_bias)
    out = F.dropout(out, dropout2_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    return out if pre_layer_norm else F.layer_norm(out, size, ln2_scale, ln2_bias, ln2_epsilon)


def fused_multi_head_attention(
    x: paddle.Tensor,
    qkv_weight: paddle.Tensor,
    linear_weight: paddle.Tensor,
    pre_layer_norm: bool = False,
    pre_ln_scale: paddle.Tensor | None = None,
    pre_ln_bias: paddle.Tensor | None = None,
    ln_scale: paddle.Tensor | None = None,
    ln_bias: paddle.Tensor | None = None,
    pre_ln_epsilon: float = 1e-5,
    qkv_bias: paddle.Tensor | None = None,
    linear_bias: paddle.Tensor | None = None,
    cache_kv: paddle.Tensor | None = None,
    attn_mask: paddle.Tensor | None = None,
    dropout_rate: float = 0.5,
    attn_dropout_rate: float = 0.5,
    ln_epsilon: float = 1e-5,
    training: bool = True,
    mode: str = "upscale_in_train",
    ring_id: int = -1,
    add_residual: bool = True,
    num_heads: int = -1,
    transpose_qkv_wb: bool = False,
    name: str | None = None,
) -> paddle.Tensor | tuple[paddle.Tensor, paddle.Tensor]:
    """Return ``x + dropout(linear(attention(x)))``, normalised, of a sequence's self-attention.

    Args:
        x: float[batch, length, n].
        qkv_weight: float[3, heads, n / heads, n]; float[n, 3 * n] with ``transpose_qkv_wb``.
        linear_weight: float[n, n].
        pre_layer_norm: whether x is normalised first; else the result is.
        pre_ln_scale: float[n] of the norm before, or None.
        pre_ln_bias: float[n] of the norm before, or None.
        ln_scale: float[n] of the norm after, or None.
        ln_bias: float[n] of the norm after, or None.
        pre_ln_epsilon: added to the variance of the norm before.
        qkv_bias: float[3, heads, n / heads], or [3 * n] with ``transpose_qkv_wb``, or None.
        linear_bias: float[n], or None.
        cache_kv: earlier keys and values, float[2, batch, heads, length, n / heads], or None.
        attn_mask: added to the scores, of a shape that broadcasts to [batch, heads, length,
            length]; bool or int, where False masks out; or None.
        dropout_rate: the probability that an element of the result is dropped.
        attn_dropout_rate: the probability that a weight is dropped.
        ln_epsilon: added to the variance of the norm after.
        training: whether anything is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        ring_id: must be -1: results are not summed over processes.
        add_residual: whether x is added.
        num_heads: the number of heads, with ``transpose_qkv_wb``.
        transpose_qkv_wb: whether weight and bias of q, k and v are a plain matrix and vector.
        name: a name.

    Returns:
        float[batch, length, n]; with a cache also the extended cache.

    Raises:
        InvalidArgumentError: for shapes that do not fit, another mode, or a rate outside 0 and 1.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 3, 4]), paddle.ones([3, 2, 2, 4])
        >>> F = paddle.incubate.nn.functional
        >>> F.fused_multi_head_attention(x, weight, paddle.eye(4)).shape
        paddle.Size([1, 3, 4])
    """
    check_dropout(mode, dropout_rate, attn_dropout_rate)
    refuse_ring("fused_multi_head_attention", ring_id)
    if x.ndim != 3:
        raise InvalidArgumentError(f"the rank of the x should be 3, but received {x.ndim}.")
    weight, bias = _per_head(x, qkv_weight, qkv_bias, num_heads, transpose_qkv_wb)
    size = [x.shape[-1]]
    out = F.layer_norm(x, size, pre_ln_scale, pre_ln_bias, pre_ln_epsilon) if pre_layer_norm else x
    q, k, v = paddle.einsum("ble,chde->cbhld", out, weight) + bias
    if cache_kv is not None:
        k, v = (paddle.concat([old, new], 2) for old, new in zip(cache_kv, (k, v), strict=True))

    def drop(weights):
        return F.dropout(weights, attn_dropout_rate, training=training, mode=mode)

    mask = as_added(attn_mask, x.dtype)
    out = attended(q, k, v, mask, 1 / math.sqrt(q.shape[-1]), drop)
    out = F.linear(out.transpose([0, 2, 1, 3]).flatten(2), linear_weight, linear_bias)
    out = F.dropout(out, dropout_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    out = out if pre_layer_norm else F.layer_norm(out, size, ln_scale, ln_bias, ln_epsilon)
    return out if cache_kv is None else (out, paddle.stack([k, v]))


def as_added(mask: paddle.Tensor | None, dtype) -> paddle.Tensor | None:
    """Return a mask that can be added to scores; False and 0 become -1e9."""
    if mask is None or mask.is_floating_point():
        return mask
    return (mask.astype(dtype) - 1.0) * 1e9


def _per_head(x, weight, bias, num_heads: int, transposed: bool):
    """Return the weight, float[3, heads, d, n], and the bias, float[3, 1, heads, 1, d], or 0."""
    size = x.shape[-1]
    if transposed:
        if num_heads <= 0 or list(weight.shape) != [size, 3 * size]:
            raise InvalidArgumentError(
                "with transpose_qkv_wb, give num_heads, and qkv_weight in the shape "
                f"{[size, 3 * size]}, but received {num_heads} and {list(weight.shape)}."
            )
        weight = weight.T.reshape([3, num_heads, size // num_heads, size])
    elif weight.ndim != 4 or weight.shape[0] != 3 or weight.shape[3] != size:
        raise InvalidArgumentError(
            "qkv_weight has the shape [3, num_heads, head_dim, embed_dim], embed_dim "
            f"{size}, but received {list(weight.shape)}."
        )
    heads, each = weight.shape[1:3]
    return weight, 0.0 if bias is None else bias.reshape([3, 1, heads, 1, each])


def fused_dot_product_attention(
    query: paddle.Tensor,
    key: paddle.Tensor,
    value: paddle.Tensor,
    attn_mask: paddle.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scaling_factor: float | None = None,
    training: bool = True,
    name: str | None = None,
) -> paddle.Tensor:
    """Return the values, weighted by the match of keys and queries.

    Args:
        query: float[batch, length, heads, n].
        key: float[batch, other, heads, n].
        value: float[batch, other, heads, n].
        attn_mask: added to the scores, or None.
        dropout_p: the probability that a weight is dropped.
        is_causal: whether a query sees only keys that are not later; without a mask.
        scaling_factor: the factor of the products; 1 / sqrt(n) by default.
        training: whether anything is dropped.
        name: a name.

    Returns:
        float[batch, length, heads, n].

    Raises:
        InvalidArgumentError: for a mask with ``is_causal``.

    Paddle: computes this on some GPUs only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 2, 1, 4])
        >>> paddle.incubate.nn.functional.fused_dot_product_attention(x, x, x).shape
        paddle.Size([1, 2, 1, 4])
    """
    if is_causal and attn_mask is not None:
        raise InvalidArgumentError("mask must be None when is_causal is True.")
    scale = scaling_factor or 1 / math.sqrt(query.shape[-1])
    q, k, v = (each.transpose([0, 2, 1, 3]) for each in (query, key, value))
    if is_causal:
        attn_mask = causal_mask(q.shape[2], k.shape[2], 0)

    def drop(weights):
        return F.dropout(weights, dropout_p, training=training)

    return attended(q, k, v, attn_mask, scale, drop).transpose([0, 2, 1, 3])


def causal_mask(queries: int, keys: int, before: int) -> paddle.Tensor:
    """Return 0 where a key is visible and -1e9 elsewhere, float32[queries, keys].

    Args:
        queries: the number of queries.
        keys: the number of keys.
        before: the number of keys before that of the first query.
    """
    ahead = paddle.arange(keys) > paddle.arange(queries).unsqueeze(1) + before
    return ahead.astype("float32") * -1e9
