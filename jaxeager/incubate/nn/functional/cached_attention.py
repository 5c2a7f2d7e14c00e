"""Attention to a cache of keys and values, and of sequences of different lengths."""

from __future__ import annotations

import math

import jaxeager as paddle
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.incubate.nn.functional.rotary import turned
from jaxeager.incubate.nn.functional.transformer import attended, causal_mask

_FORBIDDEN = -1e9


def masked_multihead_attention(
    x: paddle.Tensor,
    cache_kv: paddle.Tensor | None = None,
    bias: paddle.Tensor | None = None,
    src_mask: paddle.Tensor | None = None,
    cum_offsets: paddle.Tensor | None = None,
    sequence_lengths: paddle.Tensor | None = None,
    rotary_tensor: paddle.Tensor | None = None,
    beam_cache_offset: paddle.Tensor | None = None,
    qkv_out_scale: paddle.Tensor | None = None,
    out_shift: paddle.Tensor | None = None,
    out_smooth: paddle.Tensor | None = None,
    seq_len: int = 1,
    rotary_emb_dims: int = 0,
    use_neox_rotary_style: bool = False,
    compute_dtype: str = "default",
    out_scale: float = -1,
    quant_round_type: int = 1,
    quant_max_bound: float = 127.0,
    quant_min_bound: float = -127.0,
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Attend from one new position to those in a cache, and write it there, in place.

    Args:
        x: queries, keys and values of the position, float[batch, (heads + 2 * key_heads) * n].
        cache_kv: float[2, batch, key_heads, longest, n]; key_heads divides heads.
        bias: float[3, heads, n], added to x, or None.
        src_mask: added to the scores, float[batch, 1, 1, length], or None.
        cum_offsets: has no effect, and warns.
        sequence_lengths: int[batch, 1], the number of cached positions; without it the length of
            ``src_mask`` minus one.
        rotary_tensor: cosine and sine at the position, float[2, batch, 1, 1, n], or None.
        beam_cache_offset: for beam search, which is not supported; None.
        qkv_out_scale: for 8-bit integers, which are not supported; None.
        out_shift: for 8-bit integers; None.
        out_smooth: for 8-bit integers; None.
        seq_len: has no effect, and warns when it is not 1.
        rotary_emb_dims: 1 when x is rotated by ``rotary_tensor``, else 0.
        use_neox_rotary_style: whether halves of the last axis are rotated; else neighbours are.
        compute_dtype: for integers; has no effect, and warns.
        out_scale: for 8-bit integers; -1.
        quant_round_type: for 8-bit integers; ignored.
        quant_max_bound: for 8-bit integers; ignored.
        quant_min_bound: for 8-bit integers; ignored.

    Returns:
        float[batch, heads * n]; the cache.

    Raises:
        InvalidArgumentError: without a cache, or without src_mask and sequence_lengths.
        UnimplementedError: for beam search and integers.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> cache = paddle.zeros([2, 1, 1, 4, 2])
        >>> out, cache = paddle.incubate.nn.functional.masked_multihead_attention(
        ...     paddle.ones([1, 6]), cache, src_mask=paddle.zeros([1, 1, 1, 1])
        ... )
        >>> out.tolist(), cache[:, 0, 0, :2, 0].tolist()
        ([[1.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]])
    """
    unheeded(
        "masked_multihead_attention",
        "x, cache and sequence_lengths say it",
        cum_offsets=(cum_offsets, None),
        seq_len=(seq_len, 1),
        compute_dtype=(compute_dtype, "default"),
    )
    for value, name in (
        (beam_cache_offset, "beam_cache_offset"), (qkv_out_scale, "qkv_out_scale"),
        (out_shift, "out_shift"), (out_smooth, "out_smooth"),
        (None if out_scale <= 0 else out_scale, "out_scale"),
    ):  # fmt: skip
        if value is not None:
            raise UnimplementedError(f"masked_multihead_attention(): {name} is not there.")
    if cache_kv is None:
        raise InvalidArgumentError("masked_multihead_attention() needs cache_kv.")
    q, k, v = _split(x, bias, cache_kv)
    if rotary_emb_dims and rotary_tensor is not None:
        cos, sin = rotary_tensor.reshape([2, x.shape[0], 1, -1])
        q, k = (turned(each, cos, sin, not use_neox_rotary_style) for each in (q, k))
    at = _positions(src_mask, sequence_lengths, x.shape[0])
    rows = paddle.arange(x.shape[0])
    for which, new in enumerate((k, v)):
        cache_kv[which, rows, :, at] = new
    return _one_query(q, cache_kv, at, src_mask), cache_kv


def _split(x, bias, cache_kv) -> tuple[paddle.Tensor, ...]:
    """Return queries, keys and values of x, each float[batch, heads, n]."""
    key_heads, size = cache_kv.shape[2], cache_kv.shape[4]
    x = x if bias is None else x + bias.flatten()
    found = x.reshape([x.shape[0], -1, size])
    heads = found.shape[1] - 2 * key_heads
    return tuple(found.split([heads, key_heads, key_heads], axis=1))


def _positions(src_mask, sequence_lengths, batch: int) -> paddle.Tensor:
    """Return the next cache position of each sequence of a batch, int64[batch]."""
    if sequence_lengths is not None:
        return sequence_lengths.flatten().astype("int64")
    if src_mask is None:
        raise InvalidArgumentError(
            "masked_multihead_attention() needs src_mask or sequence_lengths, which say how many "
            "positions the cache has."
        )
    return paddle.full([batch], src_mask.shape[-1] - 1, dtype="int64")


def _one_query(q, cache_kv, at, src_mask) -> paddle.Tensor:
    """Return one query's attention per sequence up to its position, float[batch, heads * n]."""
    heads, size = q.shape[1:]
    k, v = (each.repeat_interleave(heads // each.shape[1], axis=1) for each in cache_kv)
    ahead = paddle.arange(k.shape[2]) > at.unsqueeze(1)
    mask = ahead.astype(q.dtype).unsqueeze([1, 2]) * _FORBIDDEN
    if src_mask is not None:
        mask = mask + paddle.nn.functional.pad(
            src_mask.astype(q.dtype), [0, k.shape[2] - src_mask.shape[-1]]
        )
    found = attended(q.unsqueeze(2), k, v, mask, 1 / math.sqrt(size))
    return found.reshape([q.shape[0], heads * size])


def variable_length_memory_efficient_attention(
    query: paddle.Tensor,
    key: paddle.Tensor,
    value: paddle.Tensor,
    seq_lens: paddle.Tensor,
    kv_seq_lens: paddle.Tensor,
    mask: paddle.Tensor | None = None,
    scale: float | None = None,
    causal: bool = False,
    pre_cache_length: int = 0,
) -> paddle.Tensor:
    """Attend within sequences of different lengths, which are padded to one.

    Args:
        query: float[batch, heads, length, n].
        key: float[batch, key_heads, other, n]; key_heads divides heads.
        value: float[batch, key_heads, other, n].
        seq_lens: int[batch, 1], the number of valid queries of each sequence.
        kv_seq_lens: int[batch, 1], the number of its valid keys after the cached ones.
        mask: added to the scores, float[batch, 1, length, other], or None.
        scale: the factor of the products; 1 / sqrt(n) by default.
        causal: whether a query sees only keys that are not later.
        pre_cache_length: the number of keys before those of the sequence.

    Returns:
        float[batch, heads, length, n], 0 for invalid queries.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x, one = paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1], "int32")
        >>> f = paddle.incubate.nn.functional.variable_length_memory_efficient_attention
        >>> f(x, x, x, one, one).tolist()
        [[[[1.0, 1.0], [0.0, 0.0]]]]
    """
    heads, length, size = query.shape[1:]
    k, v = (each.repeat_interleave(heads // each.shape[1], axis=1) for each in (key, value))
    keys = k.shape[2]
    ends = kv_seq_lens.astype("int64").reshape([-1, 1, 1, 1]) + pre_cache_length
    is_beyond = paddle.arange(keys) >= ends
    is_invalid = paddle.arange(length).unsqueeze(1) >= seq_lens.astype("int64").reshape(
        [-1, 1, 1, 1]
    )
    q = query.masked_fill(is_invalid, 0.0)  # where they are not used, operands may be NaN
    k, v = (each.masked_fill(is_beyond.transpose([0, 1, 3, 2]), 0.0) for each in (k, v))
    added = is_beyond.astype(query.dtype) * _FORBIDDEN
    if mask is not None:
        added = added + mask[..., :keys].astype(query.dtype)
    if causal:
        added = added + causal_mask(length, keys, pre_cache_length).astype(query.dtype)
    found = attended(q, k, v, added, scale or 1 / math.sqrt(size))
    return found.masked_fill(is_invalid, 0.0)


def blha_get_max_len(
    seq_lens_encoder: paddle.Tensor, seq_lens_decoder: paddle.Tensor, batch_size: paddle.Tensor
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Return the longest of the first sequences of two batches.

    Args:
        seq_lens_encoder: int32[n].
        seq_lens_decoder: int32[n].
        batch_size: a tensor whose first axis has the length of the batch.

    Returns:
        int32[1], int32[1].

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> lengths = paddle.to_tensor([3, 5, 9], "int32")
        >>> found = paddle.incubate.nn.functional.blha_get_max_len(
        ...     lengths, lengths, paddle.ones([2])
        ... )
        >>> found[0].tolist()
        [5]
    """
    count = batch_size.shape[0]
    encoder, decoder = (
        each.flatten()[:count].max().reshape([1]) for each in (seq_lens_encoder, seq_lens_decoder)
    )
    return encoder, decoder
