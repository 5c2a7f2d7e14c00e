"""paddle.nn.functional.flash_attention: attention whose memory is linear in the length.

Paddle computes most of these only on a GPU in half precision; here they support every floating
dtype on every device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.arrays.random import next_key
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError, UnimplementedError
from jaxeager.nn.attention import sdp_kernel
from jaxeager.nn.functional.attention import scaled_dot_product_attention, weighted_values
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.indexing.gather import check_index
from jaxeager.ops.nn import attention as rows
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

__all__ = [
    "flash_attention",
    "flash_attn_qkvpacked",
    "flash_attn_unpadded",
    "flash_attn_varlen_qkvpacked",
    "flashmask_attention",
    "get_triangle_upper_mask",
    "scaled_dot_product_attention",
    "sdp_kernel",
]


def get_triangle_upper_mask(x: Tensor) -> Tensor:
    """Return -10000 above the diagonal of the last two dimensions, and 0 elsewhere.

    Args:
        x: scores, [..., length, other], whose shape and dtype the result has.

    Example:
        >>> import jaxeager as paddle
        >>> flash = paddle.nn.functional.flash_attention
        >>> flash.get_triangle_upper_mask(paddle.ones([2, 2])).tolist()
        [[0.0, -10000.0], [0.0, 0.0]]
    """
    return paddle.triu(paddle.full_like(x, -1e4), diagonal=1)


def _check_random(fixed_seed_offset, rng_name: str) -> None:
    if fixed_seed_offset is not None or rng_name:
        raise UnimplementedError(
            "Attention draws its dropout from the default generator: leave fixed_seed_offset None "
            "and rng_name empty."
        )


def _drawn(dropout: float, training: bool) -> tuple:
    """Return a random key and the dropout probability, or None and 0."""
    if not 0 <= dropout <= 1:
        raise InvalidArgumentError(f"dropout must be in [0, 1], but is {dropout}.")
    return (next_key(), float(dropout)) if training and dropout > 0 else (None, 0.0)


def flash_attention(
    query,
    key,
    value,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    *,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
    softmax_scale=None,
):
    """Return attention, and its weights if requested.

    Backward recomputes the weights instead of keeping them, unless return_softmax requests them.

    Args:
        query: float[batch, length, heads, size].
        key: float[batch, other, heads', size], where heads' divides heads.
        value: float[batch, other, heads', size].
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        return_softmax: whether to return the weights.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        training: whether to apply dropout.
        name: ignored.
        softmax_scale: factor of the scores; 1 / sqrt(size) by default.

    Returns:
        a pair of float[batch, length, heads, size] and None; with return_softmax the weights,
        float[batch, heads, length, other], as the second.

    Raises:
        InvalidArgumentError: for shapes that do not match, or a dropout outside [0, 1].
        UnimplementedError: for a user-defined seed or generator.

    Paddle: on a CPU softmax_scale is ignored, and weights are recorded as a softmax.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1, 3, 2, 4])
        >>> flash = paddle.nn.functional.flash_attention.flash_attention
        >>> out, weights = flash(x, x, x, causal=True, return_softmax=True)
        >>> out.shape, weights[0, 0, 1].tolist()
        (paddle.Size([1, 3, 2, 4]), [0.5, 0.5, 0.0])
    """
    _check_random(fixed_seed_offset, rng_name)
    if return_softmax:
        return weighted_values(query, key, value, None, dropout, causal, training, softmax_scale)
    draw, dropout = _drawn(dropout, training)
    scale = 0.0 if softmax_scale is None else float(softmax_scale)
    return rows.flash_attn(query, key, value, draw, None, dropout, bool(causal), scale), None


@composite(public="functional", method=False)
def flash_attn_qkvpacked(
    qkv: Tensor,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    *,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Return attention of queries, keys and values packed in one tensor.

    Args:
        qkv: float[batch, length, groups + 2, heads, size]: groups of queries, then keys and values.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        return_softmax: whether to return the weights.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        training: whether to apply dropout.
        name: ignored.

    Returns:
        a pair of float[batch, length, groups * heads, size] and None, or the weights.

    Raises:
        InvalidArgumentError: unless there are 5 dimensions, or for a dropout outside [0, 1].
        UnimplementedError: for a user-defined seed or generator.

    Example:
        >>> import jaxeager as paddle
        >>> qkv = paddle.ones([1, 4, 3, 2, 8])
        >>> out, _ = paddle.nn.functional.flash_attn_qkvpacked(qkv, causal=True)
        >>> out.shape
        paddle.Size([1, 4, 2, 8])
    """
    if qkv.ndim != 5 or qkv.shape[2] < 3:
        raise InvalidArgumentError(
            f"qkv must be [batch, length, groups + 2, heads, size], but is {list(qkv.shape)}."
        )
    query = paddle.reshape(qkv[:, :, :-2], [0, 0, -1, qkv.shape[-1]])
    return flash_attention(
        query,
        qkv[:, :, -2],
        qkv[:, :, -1],
        dropout,
        causal,
        return_softmax,
        fixed_seed_offset=fixed_seed_offset,
        rng_name=rng_name,
        training=training,
    )


def flash_attn_unpadded(
    query,
    key,
    value,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    scale,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
):
    """Return attention within each of several sequences, concatenated in one tensor.

    Args:
        query: float[tokens, heads, size].
        key: float[other tokens, heads', size], where heads' divides heads.
        value: float[other tokens, heads', size].
        cu_seqlens_q: int32[sequences + 1], the start of each sequence of queries, and the end of
            the last.
        cu_seqlens_k: int32[sequences + 1], the same for keys.
        max_seqlen_q: accepted; implied by the lengths.
        max_seqlen_k: accepted; implied by the lengths.
        scale: factor of the scores.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later, both counted from the
            start of their sequence.
        return_softmax: must be False.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        training: whether to apply dropout.
        name: ignored.

    Returns:
        a pair of float[tokens, heads, size], 0 after the last sequence, and None.

    Raises:
        InvalidArgumentError: for shapes that do not match, or a dropout outside [0, 1].
        UnimplementedError: for the weights, or a user-defined seed or generator.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0]], [[3.0]], [[7.0]]])
        >>> ends = paddle.to_tensor([0, 2, 3], dtype="int32")
        >>> unpadded = paddle.nn.functional.flash_attention.flash_attn_unpadded
        >>> out, _ = unpadded(x * 0, x, x, ends, ends, 2, 2, 1.0)
        >>> out.flatten().tolist()
        [2.0, 2.0, 7.0]
    """
    _check_random(fixed_seed_offset, rng_name)
    if return_softmax:
        raise UnimplementedError("Unpadded attention cannot return its weights.")
    if query.ndim != 3 or key.ndim != 3 or cu_seqlens_q.shape != cu_seqlens_k.shape:
        raise InvalidArgumentError(
            "query, key and value must be [tokens, heads, size], and both cu_seqlens of one "
            f"length, but they are {[list(t.shape) for t in (query, key, value)]} and "
            f"{list(cu_seqlens_q.shape)}, {list(cu_seqlens_k.shape)}."
        )
    draw, dropout = _drawn(dropout, training)
    out = rows.flash_attn_unpadded(
        query, key, value, cu_seqlens_q, cu_seqlens_k, draw, float(scale), dropout, bool(causal)
    )
    return out, None


@composite(public="functional", method=False)
def flash_attn_varlen_qkvpacked(
    qkv: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int | Tensor,
    max_seqlen_k: int | Tensor,
    scale: float | Tensor,
    dropout: float = 0.0,
    causal: bool = False,
    return_softmax: bool = False,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    varlen_padded: bool = True,
    training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Return attention within each of several sequences, all operands packed in one tensor.

    Args:
        qkv: float[tokens, groups + 2, heads, size]: groups of queries, then keys and values.
        cu_seqlens_q: int32[sequences + 1], the total length before each sequence.
        cu_seqlens_k: int32[sequences + 1], the same for keys.
        max_seqlen_q: with varlen_padded, the number of tokens of each sequence including padding.
        max_seqlen_k: the same for keys.
        scale: factor of the scores.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        return_softmax: must be False.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        varlen_padded: whether sequences are padded to one length; otherwise they are concatenated.
        training: whether to apply dropout.
        name: ignored.

    Returns:
        a pair of float[tokens, groups * heads, size], 0 at padding, and None.

    Raises:
        InvalidArgumentError: unless there are 4 dimensions, or for a dropout outside [0, 1].
        UnimplementedError: for the weights, or a user-defined seed or generator.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> qkv = paddle.ones([4, 3, 1, 2])
        >>> ends = paddle.to_tensor([0, 2, 3], dtype="int32")
        >>> varlen = paddle.nn.functional.flash_attn_varlen_qkvpacked
        >>> out, _ = varlen(qkv, ends, ends, 2, 2, 1.0)
        >>> out[:, 0, 0].tolist()
        [1.0, 1.0, 1.0, 0.0]
    """
    _check_random(fixed_seed_offset, rng_name)
    if return_softmax:
        raise UnimplementedError("Attention of several lengths cannot return its weights.")
    if qkv.ndim != 4 or qkv.shape[1] < 3:
        raise InvalidArgumentError(
            f"qkv must be [tokens, groups + 2, heads, size], but is {list(qkv.shape)}."
        )
    draw, dropout = _drawn(dropout, training)
    padded = (int(max_seqlen_q), int(max_seqlen_k)) if varlen_padded else (0, 0)
    query = paddle.reshape(qkv[:, :-2], [0, -1, qkv.shape[-1]])
    out = rows.flash_attn_unpadded(
        query, qkv[:, -2], qkv[:, -1], cu_seqlens_q, cu_seqlens_k, draw, float(scale), dropout,
        bool(causal), *padded,
    )  # fmt: skip
    return out, None


@composite(public="functional", method=False)
def flashmask_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    startend_row_indices: Tensor | None = None,
    *,
    dropout: float = 0.0,
    causal: bool = False,
    window_size: int | Sequence[int] | None = None,
    return_softmax_lse: bool = False,
    return_seed_offset: bool = False,
    fixed_seed_offset: Tensor | None = None,
    rng_name: str = "",
    training: bool = True,
    name: str | None = None,
    softmax_scale: float | None = None,
    block_mask: Tensor | None = None,
) -> Any:
    """Return attention in which one or two ranges of queries do not see each key.

    Args:
        query: float[batch, length, heads, size].
        key: float[batch, other, heads', size], where heads' divides heads.
        value: float[batch, other, heads', size].
        startend_row_indices: int32[batch, 1 or heads' or heads, other, bounds]. With causal, the
            query from which on a key is hidden, and with 2 bounds also the end of that range.
            Without causal, 2 bounds hide it from the first on and before the second; 4 bounds
            are two ranges.
        dropout: the probability that a weight is zeroed in training.
        causal: whether a query only attends to keys that are not later.
        window_size: number of keys visible before (and after) the query's own, an int or two.
        return_softmax_lse: whether to return the logarithms of the sums of exponentials.
        return_seed_offset: must be False.
        fixed_seed_offset: must be None.
        rng_name: must be empty.
        training: whether to apply dropout.
        name: ignored.
        softmax_scale: factor of the scores; 1 / sqrt(size) by default.
        block_mask: must be None.

    Returns:
        float[batch, length, heads, size], 0 where a query sees nothing; with return_softmax_lse
        a list of that and float[batch, heads, length].

    Raises:
        InvalidArgumentError: for shapes that do not match, or both bounds and a window.
        UnimplementedError: for a block mask, or a user-defined seed or generator.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 3.0, 7.0]).reshape([1, 3, 1, 1])
        >>> bounds = paddle.to_tensor([2, 3, 3], dtype="int32").reshape([1, 1, 3, 1])
        >>> out = paddle.nn.functional.flashmask_attention(x * 0, x, x, bounds, causal=True)
        >>> out.flatten().tolist()
        [1.0, 2.0, 5.0]
    """
    _check_random(fixed_seed_offset, rng_name)
    if return_seed_offset or block_mask is not None:
        raise UnimplementedError(
            "flashmask_attention has no seed offsets and no block masks: leave them out."
        )
    if window_size is not None:
        if startend_row_indices is not None:
            raise RefusedArgumentError("can't use window_size with startend_row_indices")
        startend_row_indices = _window(query, key, window_size, causal)
    if startend_row_indices is None:
        unbounded = jnp.full((key.shape[0], 1, key.shape[1], 1), query.shape[1], jnp.int32)
        unbounded = unbounded if causal else jnp.concatenate([unbounded, unbounded * 0], 3)
        startend_row_indices = wrap(unbounded)
    _check_bounds(query, key, startend_row_indices)
    draw, dropout = _drawn(dropout, training)
    scale = 0.0 if softmax_scale is None else float(softmax_scale)
    out, lse = rows.flashmask_attention(
        query, key, value, startend_row_indices, draw, dropout, bool(causal), scale
    )
    return [out, lse] if return_softmax_lse else out


def _window(query, key, window_size, causal: bool):
    """Return the bounds that hide a key from queries too far after and too far before it."""
    before, after = (window_size,) * 2 if isinstance(window_size, int) else window_size
    place, length = jnp.arange(key.shape[1], dtype=jnp.int32), query.shape[1]
    bounds = [jnp.clip(place + before + 1, 0, length)]
    if not causal:
        bounds.append(jnp.clip(place - after, 0, length))
    stacked = jnp.stack(bounds, -1)
    return wrap(jnp.broadcast_to(stacked, (query.shape[0], 1, *stacked.shape)))


def _check_bounds(query, key, indices) -> None:
    if indices.dtype != paddle.int32:
        raise RefusedArgumentError(
            f"startend_row_indices.dtype must be paddle.int32, but got {indices.dtype}"
        )
    if indices.ndim != 4:
        raise RefusedArgumentError(
            f"startend_row_indices rank must be 4,but got {list(indices.shape)}"
        )
    if (indices.shape[0], indices.shape[2]) != (key.shape[0], key.shape[1]):
        raise RefusedArgumentError(
            "startend_row_indices must have the key's batch and length, "
            f"{[key.shape[0], key.shape[1]]}, but is {list(indices.shape)}."
        )
    if indices.shape[1] not in (1, query.shape[2], key.shape[2]):
        raise RefusedArgumentError(
            "startend_row_indices head_num must be equal to 1(broadcast) or head_num_q or "
            f"head_num_k, but is {indices.shape[1]}."
        )


@composite(public="functional", method=False)
def sparse_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    sparse_csr_offset: Tensor,
    sparse_csr_columns: Tensor,
    key_padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return attention over the keys listed for each query in compressed sparse rows (CSR).

    Args:
        query: float[batch, heads, length, size].
        key: float[batch, heads, length, size].
        value: float[batch, heads, length, size].
        sparse_csr_offset: int32[batch, heads, length + 1], the start of each query's list.
        sparse_csr_columns: int32[batch, heads, listed], the keys.
        key_padding_mask: float[batch, length], 0 where a key is hidden from all; or None.
        attn_mask: float[length, length], 0 where a key is hidden from a query; or None.
        name: ignored.

    Returns:
        float[batch, heads, length, size], 0 where a query sees nothing.

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 3.0]).reshape([1, 1, 2, 1])
        >>> offset = paddle.to_tensor([[[0, 1, 3]]], dtype="int32")
        >>> columns = paddle.to_tensor([[[1, 0, 1]]], dtype="int32")
        >>> out = paddle.nn.functional.sparse_attention(x * 0, x, x, offset, columns)
        >>> out.flatten().tolist()
        [3.0, 2.0]
    """
    batch, heads = query.shape[:2]
    expected = [batch, heads, query.shape[2] + 1]
    if query.ndim != 4 or list(sparse_csr_offset.shape) != expected:
        raise InvalidArgumentError(
            "query must be [batch, heads, length, size] and sparse_csr_offset [batch, heads, "
            f"length + 1], but they are {list(query.shape)} and {list(sparse_csr_offset.shape)}."
        )
    if sparse_csr_columns.ndim != 3 or list(sparse_csr_columns.shape[:2]) != [batch, heads]:
        raise InvalidArgumentError(
            "sparse_csr_columns must be [batch, heads, listed], but is "
            f"{list(sparse_csr_columns.shape)}."
        )
    check_index(key, sparse_csr_columns, 2)
    return rows.sparse_attention(
        query, key, value, sparse_csr_offset, sparse_csr_columns, key_padding_mask, attn_mask
    )
