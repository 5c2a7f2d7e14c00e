"""Attention one block of queries at a time: only the scores of one block are in memory.

Backward computes each block's scores again, so memory grows with the length, not with its square.
"""

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.arrays.random import as_key

BLOCK = 512  # queries at a time


def attend(q, k, v, visible, scale: float | None = None, key=None, dropout: float = 0.0):
    """Average the values, weighted by the scores of their keys for each query.

    Args:
        q: float[batch, length, heads, size].
        k: float[batch, other, heads', size], where heads' divides heads.
        v: float[batch, other, heads', size'].
        visible: function of the indices of some queries that returns a mask of the keys visible to
            each, bool that broadcasts with [batch, heads, queries, other].
        scale: the factor of the scores, 1 / sqrt(size) by default.
        key: the PRNG key of dropout, None for no dropout.
        dropout: the probability that a weight is zeroed.

    Returns:
        float[batch, length, heads, size'], 0 where a query sees no keys; and the logarithms of the
        sums of exponentials, float[batch, heads, length], -inf there.
    """
    scale = q.shape[3] ** -0.5 if scale is None else scale
    repeats = q.shape[2] // max(k.shape[2], 1)
    if repeats > 1:
        k, v = jnp.repeat(k, repeats, axis=2), jnp.repeat(v, repeats, axis=2)
    length = q.shape[1]

    def one(number, rows, q):
        draw = None if key is None else jax.random.fold_in(as_key(key), number)
        return _block(q, k, v, visible(rows), scale, draw, dropout)

    if length <= BLOCK:
        return one(0, jnp.arange(length), q)
    count = -(-length // BLOCK)
    padded = jnp.pad(q, ((0, 0), (0, count * BLOCK - length), (0, 0), (0, 0)))
    blocks = jnp.moveaxis(padded.reshape(q.shape[0], count, BLOCK, *q.shape[2:]), 1, 0)
    rows = jnp.minimum(jnp.arange(count * BLOCK), length - 1).reshape(count, BLOCK)
    out, lse = lax.map(jax.checkpoint(lambda each: one(*each)), (jnp.arange(count), rows, blocks))
    out = jnp.moveaxis(out, 0, 1).reshape(q.shape[0], count * BLOCK, *out.shape[3:])
    lse = jnp.moveaxis(lse, 0, 2).reshape(*lse.shape[1:3], count * BLOCK)
    return out[:, :length], lse[:, :, :length]


def _block(q, k, v, visible, scale: float, key, dropout: float):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * scale
    visible = jnp.broadcast_to(visible, scores.shape)
    largest = jnp.max(jnp.where(visible, scores, -jnp.inf), -1, keepdims=True, initial=-jnp.inf)
    largest = lax.stop_gradient(jnp.where(jnp.isfinite(largest), largest, 0))
    # exp must not see the scores of masked keys: if no key is visible, its gradient would be nan.
    shares = jnp.where(visible, jnp.exp(jnp.where(visible, scores - largest, 0)), 0)
    total = jnp.sum(shares, -1, keepdims=True)
    seen = total > 0
    shares = shares / jnp.where(seen, total, 1)
    lse = jnp.where(seen, jnp.log(jnp.where(seen, total, 1)) + largest, -jnp.inf)[..., 0]
    if key is not None:
        kept = jax.random.bernoulli(key, 1 - dropout, shares.shape)
        shares = jnp.where(kept, shares / max(1 - dropout, 1e-30), 0)
    return jnp.einsum("bhqk,bkhd->bqhd", shares, v), lse


def check_heads(q, k, v, what: str = "heads") -> None:
    """Raise ValueError when queries, keys and values do not fit each other."""
    if not q.ndim == k.ndim == v.ndim == 4 or k.shape[:3] != v.shape[:3]:
        raise ValueError(
            "query, key and value must be [batch, length, heads, size], key and value alike, but "
            f"they are {list(q.shape)}, {list(k.shape)} and {list(v.shape)}."
        )
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise ValueError(
            f"query {list(q.shape)} and key {list(k.shape)} must agree in batch and size."
        )
    if k.shape[2] == 0 or q.shape[2] % k.shape[2]:
        raise ValueError(
            f"The number of {what} in query({q.shape[2]}) must be a multiple of that in "
            f"key({k.shape[2]})."
        )
