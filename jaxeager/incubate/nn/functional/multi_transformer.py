"""Layers of a transformer in one call, with a cache of keys and values for generation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.incubate.nn.functional.norms import fast_rms_norm
from jaxeager.incubate.nn.functional.products import activate
from jaxeager.incubate.nn.functional.rotary import turned
from jaxeager.incubate.nn.functional.transformer import (
    as_added,
    attended,
    check_dropout,
    refuse_ring,
)

F = paddle.nn.functional


class _Plan(NamedTuple):
    """The settings that all layers share."""

    before: bool
    epsilon: float
    alpha: float
    rate: float
    activation: str
    training: bool
    mode: str
    transposed: bool
    norm: str
    halves: bool
    key_heads: int
    rotary: paddle.Tensor | None
    at: int | None
    mask: paddle.Tensor | None

    def normalised(self, x, scale, bias):
        """Return x, normalised along the last axis."""
        if self.norm == "rmsnorm":
            found = fast_rms_norm(x, scale, self.epsilon)[0]
            found = found if bias is None else found + bias
        else:
            found = F.layer_norm(x, [x.shape[-1]], scale, bias, self.epsilon)
        return found.astype(x.dtype)

    def dropped(self, x):
        """Return x, with elements dropped in training."""
        return F.dropout(x, self.rate, training=self.training, mode=self.mode)


def fused_multi_transformer(
    x: paddle.Tensor,
    ln_scales: Sequence[paddle.Tensor],
    ln_biases: Sequence[paddle.Tensor] | None,
    qkv_weights: Sequence[paddle.Tensor],
    qkv_biases: Sequence[paddle.Tensor] | None,
    linear_weights: Sequence[paddle.Tensor],
    linear_biases: Sequence[paddle.Tensor] | None,
    ffn_ln_scales: Sequence[paddle.Tensor],
    ffn_ln_biases: Sequence[paddle.Tensor] | None,
    ffn1_weights: Sequence[paddle.Tensor],
    ffn1_biases: Sequence[paddle.Tensor] | None,
    ffn2_weights: Sequence[paddle.Tensor],
    ffn2_biases: Sequence[paddle.Tensor] | None,
    pre_layer_norm: bool = True,
    epsilon: float = 1e-05,
    residual_alpha: float = 1.0,
    cache_kvs: Sequence[paddle.Tensor] | None = None,
    beam_offset: paddle.Tensor | None = None,
    pre_caches: Sequence[paddle.Tensor] | None = None,
    seq_lens: paddle.Tensor | None = None,
    rotary_embs: paddle.Tensor | None = None,
    time_step: paddle.Tensor | None = None,
    attn_mask: paddle.Tensor | None = None,
    dropout_rate: float = 0.0,
    rotary_emb_dims: int = 0,
    activation: str = "gelu",
    training: bool = False,
    mode: str = "upscale_in_train",
    trans_qkvw: bool = True,
    ring_id: int = -1,
    norm_type: str = "layernorm",
    use_neox_rotary_style: bool = False,
    gqa_group_size: int = -1,
    name: str | None = None,
) -> paddle.Tensor | tuple[paddle.Tensor, Sequence[paddle.Tensor]]:
    """Return the output of layers of attention and feed-forward on a sequence.

    Args:
        x: float[batch, length, n].
        ln_scales: float[n] of the norm at the attention of each layer.
        ln_biases: float[n] each, or None.
        qkv_weights: float[3, heads, n / heads, n] each; the first two are one,
            heads + 2 * gqa_group_size, with shared keys.
        qkv_biases: float[3, heads, n / heads] each, or None.
        linear_weights: float[n, n] each.
        linear_biases: float[n] each, or None.
        ffn_ln_scales: float[n] of the norm at the feed-forward of each layer.
        ffn_ln_biases: float[n] each, or None.
        ffn1_weights: float[n, inner] each; 2 * inner for activations that halve.
        ffn1_biases: float[inner] each, or None.
        ffn2_weights: float[inner, n] each.
        ffn2_biases: float[n] each, or None.
        pre_layer_norm: whether a norm precedes attention and feed-forward; else it follows.
        epsilon: added to variances.
        residual_alpha: the factor of x where it is added.
        cache_kvs: float[2, batch, heads, longest, n / heads] each, written in place, or None.
        beam_offset: for beam search, which is not supported; None.
        pre_caches: keys and values before those of x, float[2, batch, heads, other, n / heads]
            each, or None.
        seq_lens: int[batch], the number of valid positions of each sequence, or None for all.
        rotary_embs: cosine and sine, float[2, batch, 1, length, n / heads], or None.
        time_step: int[1], the cache position of x, or None for its beginning.
        attn_mask: added to the scores, or None.
        dropout_rate: the probability that an element is dropped.
        rotary_emb_dims: 1 when ``rotary_embs`` rotates queries and keys, else 0.
        activation: "gelu", "relu", "swiglu" or "geglu".
        training: whether anything is dropped.
        mode: "upscale_in_train" or "downscale_in_infer".
        trans_qkvw: whether the last axis of ``qkv_weights`` is n; else the first is.
        ring_id: must be -1: results are not summed over processes.
        norm_type: "layernorm" or "rmsnorm".
        use_neox_rotary_style: whether halves of the last axis are rotated; else neighbours are.
        gqa_group_size: the number of keys and values that heads share; -1 for one each.
        name: a name.

    Returns:
        float[batch, length, n]; with caches also the caches.

    Raises:
        InvalidArgumentError: for a number of caches other than that of the layers, or another mode.
        UnimplementedError: for beam search, and rotary_emb_dims of 2.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x, one, w = paddle.rand([1, 3, 4]), [paddle.ones([4])], [paddle.eye(4)]
        >>> qkv = [paddle.rand([3, 2, 2, 4])]
        >>> paddle.incubate.nn.functional.fused_multi_transformer(
        ...     x, one, None, qkv, None, w, None, one, None, w, None, w, None
        ... ).shape
        paddle.Size([1, 3, 4])
    """
    check_dropout(mode, dropout_rate)
    refuse_ring("fused_multi_transformer", ring_id)
    if beam_offset is not None or rotary_emb_dims > 1:
        raise UnimplementedError(
            "fused_multi_transformer(): beam_offset and rotary_emb_dims=2 are not there."
        )
    for given in (cache_kvs, pre_caches):
        if given is not None and len(given) != len(qkv_weights):
            raise InvalidArgumentError(
                f"fused_multi_transformer(): {len(qkv_weights)} layers need as many caches, but "
                f"received {len(given)}."
            )
    plan = _Plan(
        pre_layer_norm, epsilon, residual_alpha, dropout_rate, activation, training, mode,
        trans_qkvw, norm_type, use_neox_rotary_style, gqa_group_size,
        rotary_embs if rotary_emb_dims else None,
        None if time_step is None else int(time_step.item()),
        _mask(x, attn_mask, seq_lens, time_step is not None),
    )  # fmt: skip
    for i in range(len(qkv_weights)):
        linear = (linear_weights[i], _at(linear_biases, i))
        qkv = (qkv_weights[i], _at(qkv_biases, i))
        caches = (_at(cache_kvs, i), _at(pre_caches, i))
        scale, bias = ln_scales[i], _at(ln_biases, i)
        found = plan.normalised(x, scale, bias) if plan.before else x
        found = F.linear(_attention(found, qkv, caches, plan), *linear)
        x = plan.alpha * x + plan.dropped(found)
        x = x if plan.before else plan.normalised(x, scale, bias)
        scale, bias = ffn_ln_scales[i], _at(ffn_ln_biases, i)
        found = plan.normalised(x, scale, bias) if plan.before else x
        found = activate(F.linear(found, ffn1_weights[i], _at(ffn1_biases, i)), plan.activation)
        found = F.linear(plan.dropped(found), ffn2_weights[i], _at(ffn2_biases, i))
        x = plan.alpha * x + plan.dropped(found)
        x = x if plan.before else plan.normalised(x, scale, bias)
    return x if cache_kvs is None else (x, cache_kvs)


def _at(values: Sequence[paddle.Tensor | None] | None, index: int) -> paddle.Tensor | None:
    return None if values is None else values[index]


def _mask(x, mask, seq_lens, has_step: bool) -> paddle.Tensor | None:
    """Return the term added to the scores: the mask, and -1e9 beyond the sequences' ends."""
    mask = as_added(mask, x.dtype)
    if seq_lens is None or has_step:
        return mask
    beyond = paddle.arange(x.shape[1]) >= seq_lens.astype("int64").reshape([-1, 1, 1, 1])
    ends = beyond.astype(x.dtype) * -1e9
    return ends if mask is None else mask + ends


def _attention(x, qkv, caches, plan: _Plan) -> paddle.Tensor:
    """Return the heads' outputs on a sequence, side by side, float[batch, length, n]."""
    q, k, v = _projected(x, qkv[0], qkv[1], plan)
    if plan.rotary is not None:
        cos, sin = plan.rotary
        q, k = (turned(each, cos, sin, not plan.halves) for each in (q, k))
    cache, before = caches
    if before is not None:
        k, v = (paddle.concat([old, new], 2) for old, new in zip(before, (k, v), strict=True))
    if cache is not None:
        first = plan.at or 0
        end = first + k.shape[2]
        cache[:, :, :, first:end] = paddle.stack([k, v])
        k, v = cache[:, :, :, :end]
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = (each.repeat_interleave(groups, axis=1) for each in (k, v))
    mask = plan.mask
    if mask is not None and mask.shape[-1] < k.shape[2]:
        mask = F.pad(mask, [k.shape[2] - mask.shape[-1], 0])
    found = attended(q, k, v, mask, 1 / math.sqrt(q.shape[-1]), plan.dropped)
    return found.transpose([0, 2, 1, 3]).flatten(2)


def _projected(x, weight, bias, plan: _Plan) -> list[paddle.Tensor]:
    """Return queries, keys and values, float[batch, heads, length, n / heads] each."""
    size, each = x.shape[-1], weight.shape[-2 if plan.transposed else -1]
    if not plan.transposed:
        weight = weight.reshape([size, -1]).T
    weight = weight.reshape([-1, each, size])
    found = paddle.einsum("ble,hde->bhld", x, weight)
    if bias is not None:
        found = found + bias.reshape([-1, 1, each])
    total = found.shape[1]
    keys = plan.key_heads if plan.key_heads > 0 else total // 3
    return found.split([total - 2 * keys, keys, keys], axis=1)
