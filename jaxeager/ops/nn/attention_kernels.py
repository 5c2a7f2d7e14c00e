"""Attention one block of queries at a time: only the scores of one block are in memory.

Note [Blocks of queries]
    ``attend`` returns, besides the output, the logarithm of the sum of exponentials of each query.
    With it, ``attend_vjp`` computes the weights of a block again in one step, so memory grows with
    the length and not with its square. The formulas, with weights = exp(scores - logs):
    dweights = dout v', dscores = weights (dweights - sum(weights dweights) + dlogs),
    dq = scale dscores k, dk = scale dscores' q, dv = weights' dout (Dao et al., FlashAttention,
    2022, appendix B). Heads that share keys are a separate axis, so keys are never repeated.

    Where no query sees a later key, the queries are split into up to ``_MOST_BANDS`` bands, and
    each band is computed with the keys up to its own end alone: five eighths of the scores. More
    bands save little more, and each is compiled by itself.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.arrays.random import as_key
from jaxeager.core.symbolic import is_symbolic
from jaxeager.ops.rules.precision import widened

BLOCK = 512  # queries at a time, at most
LEAST_BLOCK = 16
# Scores at a time, if the least block allows that: a CPU's cache holds so many.
_MOST_ON_CPU = 1 << 20
_MOST_ELSEWHERE = 1 << 26
_MOST_BANDS = 4


class Weighting(NamedTuple):
    """What determines the weights of keys, apart from queries and keys.

    Attributes:
        sees: a function of the indices of some queries that returns which keys each of them sees:
            bool that broadcasts with [batch, heads, queries, other]; None if each sees all.
        bias: a function of the indices of some queries that returns what is added to their scores,
            of the same shape; None for nothing.
        scale: the factor of the scores; None for 1 / sqrt(size).
        key: the random key of dropout; None for no dropout.
        dropout: the probability that a weight is zeroed.
        is_causal: whether no query sees a key of a larger index; ``sees`` hides these all the same.
    """

    sees: Callable[[jax.Array], jax.Array | None] | None = None
    bias: Callable[[jax.Array], jax.Array] | None = None
    scale: float | None = None
    key: jax.Array | None = None
    dropout: float = 0.0
    is_causal: bool = False


def attend(q, k, v, how: Weighting):
    """Average the values, weighted by the scores of their keys for each query.

    Args:
        q: float[batch, length, heads, size].
        k: float[batch, other, heads', size], where heads' divides heads.
        v: float[batch, other, heads', size'].
        how: what else determines the weights.

    Returns:
        float[batch, length, heads, size'] in the dtype of ``q``, 0 where a query sees no keys; and
        the logarithms of the sums of exponentials, float[batch, heads, length] in float32 or
        float64, -inf there.
    """
    parts = [
        _attend_band(q[:, first:last], k[:, :last], v[:, :last], how, first)
        for first, last in _bands(q, k, how)
    ]
    outs, logs = zip(*parts, strict=True)
    return jnp.concatenate(outs, 1), jnp.concatenate(logs, 2)


def _attend_band(q, k, v, how: Weighting, first: int):
    """Do the work of ``attend`` for the queries from an index on."""
    keys, values = _by_group(k), _by_group(v)

    def one(number, rows, q):
        scores = _scores(q, keys, how, rows)
        largest = jnp.max(scores, -1, keepdims=True, initial=-jnp.inf)
        largest = lax.stop_gradient(jnp.where(jnp.isfinite(largest), largest, 0))
        shares = jnp.exp(scores - largest)
        total = jnp.sum(shares, -1, keepdims=True)
        logs = jnp.where(total > 0, jnp.log(jnp.where(total > 0, total, 1)) + largest, -jnp.inf)
        out = jnp.matmul(_dropped(shares, number, how), values) / jnp.where(total > 0, total, 1)
        return (_unflat(out, q), _unflat(logs, q)), ()

    (out, lse), _ = _by_blocks(one, [_by_query(q, k.shape[2])], k.shape[1], first)
    return _joined(out).astype(q.dtype), lse.reshape(q.shape[0], q.shape[2], q.shape[1])


def attend_vjp(q, k, v, lse, dout, dlse, how: Weighting):
    """Return the gradients of q, k and v.

    Args:
        q, k, v, how: those of ``attend``.
        lse: its second result.
        dout: the gradient of its first result.
        dlse: that of its second result; None for 0.
    """
    parts = []
    for first, last in _bands(q, k, how):
        here = slice(first, last)
        given = q[:, here], k[:, :last], v[:, :last], lse[:, :, here], dout[:, here]
        dlogs = None if dlse is None else dlse[:, :, here]
        parts.append(_attend_vjp_band(*given, dlogs, how, first))
    dqs, dks, dvs = zip(*parts, strict=True)
    dk, dv = (_sum_of_bands(each, k.shape[1]) for each in (dks, dvs))
    return jnp.concatenate(dqs, 1).astype(q.dtype), dk.astype(k.dtype), dv.astype(v.dtype)


def _sum_of_bands(parts, keys: int):
    """Add gradients of the first keys, of some number each, to those of all keys."""
    padding = [((0, 0), (0, keys - part.shape[1]), (0, 0), (0, 0)) for part in parts]
    return functools.reduce(jnp.add, map(jnp.pad, parts, padding))


def _attend_vjp_band(q, k, v, lse, dout, dlse, how: Weighting, first: int):
    """Do the work of ``attend_vjp`` for the queries from an index on, without rounding."""
    groups = k.shape[2]
    keys, values = _by_group(k), _by_group(v)
    logs = jnp.where(jnp.isfinite(lse), lse, 0)  # a query that sees no key has weights exp(-inf)
    dlogs = jnp.zeros_like(logs) if dlse is None else dlse

    def one(number, rows, *by_query):
        q, dout, logs, dlogs = map(_flat, by_query)
        weights = jnp.exp(_scores(by_query[0], keys, how, rows) - logs)
        dweights = _dropped(jnp.matmul(dout, values.mT), number, how)
        shift = jnp.sum(weights * dweights, -1, keepdims=True)
        dscores = weights * (dweights - shift + dlogs) * _scale_of(q, how)
        dv = jnp.matmul(_dropped(weights, number, how).mT, dout)
        dq = _unflat(jnp.matmul(dscores, keys), by_query[0])
        return (dq,), (jnp.matmul(dscores.mT, q), dv)

    batch, length, heads, _ = q.shape
    by_head = [each.reshape(batch, groups, heads // groups, length, 1) for each in (logs, dlogs)]
    by_query = [_by_query(q, groups), _by_query(dout, groups), *by_head]
    (dq,), (dk, dv) = _by_blocks(one, by_query, k.shape[1], first, (keys, values))
    return _joined(dq), jnp.moveaxis(dk, 1, 2), jnp.moveaxis(dv, 1, 2)


def _bands(q, k, how: Weighting) -> list[tuple[int, int | None]]:
    """Return the first and the last index of each band of queries: see Note [Blocks of queries]."""
    batch, length, heads, _ = q.shape
    whole: list[tuple[int, int | None]] = [(0, None)]
    if not how.is_causal or is_symbolic(length) or is_symbolic(k.shape[1]):
        return whole
    block = _block_length(batch * heads * k.shape[1])
    blocks = -(-length // block)
    size = block * max(1, -(-blocks // _MOST_BANDS))
    bands = [(first, min(first + size, length)) for first in range(0, length, size)]
    return [*bands] or whole


def _by_blocks(one, by_query: list, keys: int, first: int, like: tuple = ()) -> tuple:
    """Compute blocks of queries one after the other.

    Args:
        one: a function of a number of the block's own, the indices of its queries, and the block's
            part of ``by_query``; it returns a tuple of results by query, and a tuple to be summed.
        by_query: arrays [batch, groups, repeats, length, ...].
        keys: the number of keys.
        first: the index of the first query.
        like: arrays of the shapes of the sums.

    Returns:
        the results by query, and the sums.
    """
    batch, groups, repeats, length, _ = by_query[0].shape
    block = _block_length(batch * groups * repeats * keys)
    if is_symbolic(length) or length <= block:
        return one(first, first + jnp.arange(length), *by_query)
    count = -(-length // block)
    rows = first + jnp.minimum(jnp.arange(count * block), length - 1).reshape(count, block)
    parts = [_cut(each, count, block) for each in by_query]

    def step(sums, each):
        results, terms = one(*each)
        return tuple(map(jnp.add, sums, terms)), results

    start = tuple(map(jnp.zeros_like, like))
    # The weights of a block are computed again if this is differentiated.
    sums, results = lax.scan(jax.checkpoint(step), start, (first + jnp.arange(count), rows, *parts))
    return tuple([_uncut(each)[:, :, :, :length] for each in results]), sums


def _block_length(scores: int) -> int:
    """Return the number of queries in a block, by the number of scores of one query."""
    block = BLOCK
    if is_symbolic(scores):
        return block
    most = _MOST_ON_CPU if jax.default_backend() == "cpu" else _MOST_ELSEWHERE
    while block > LEAST_BLOCK and block * scores > most:
        block //= 2
    return block


def _cut(x, count: int, block: int):
    """Return arrays by query with the blocks first, and zeros after the last query."""
    padding = [(0, 0)] * 5
    padding[3] = 0, count * block - x.shape[3]
    return jnp.moveaxis(jnp.pad(x, padding).reshape(*x.shape[:3], count, block, -1), 3, 0)


def _uncut(x):
    """Undo ``_cut``, except for the zeros."""
    x = jnp.moveaxis(x, 0, 3)
    return x.reshape(*x.shape[:3], -1, x.shape[5])


def _by_query(x, groups: int):
    """Return [batch, length, heads, size] as [batch, groups, repeats, length, size].

    ``repeats`` is the number of heads that share a key head.
    """
    batch, length, heads, size = x.shape
    return jnp.moveaxis(widened(x).reshape(batch, length, groups, heads // groups, size), 1, 3)


def _flat(x):
    """Return arrays by query with one axis for repeats and length, as a matrix product needs."""
    batch, groups, repeats, length, size = x.shape
    return x.reshape(batch, groups, repeats * length, size)


def _unflat(x, like):
    """Undo ``_flat``, for an array by query with the sizes of another one."""
    return x.reshape(*like.shape[:4], x.shape[3])


def _joined(x):
    """Undo ``_by_query``."""
    batch, groups, repeats, length, size = x.shape
    return jnp.moveaxis(x, 3, 1).reshape(batch, length, groups * repeats, size)


def _by_group(x):
    """Return keys or values with the heads before the length."""
    return jnp.moveaxis(widened(x), 1, 2)


def _scale_of(q, how: Weighting) -> float:
    return q.shape[-1] ** -0.5 if how.scale is None else how.scale


def _scores(q, keys, how: Weighting, rows):
    """Return the scores [batch, groups, repeats * queries, keys], -inf for hidden keys.

    Args:
        q: queries of a block, [batch, groups, repeats, queries, size].
        keys: [batch, groups, keys, size].
        how: what else determines the weights.
        rows: the indices of the queries.
    """
    scores = jnp.matmul(_flat(q), keys.mT) * _scale_of(q, how)
    if how.bias is None and how.sees is None:
        return scores
    groups = keys.shape[1]
    by_head = scores.reshape(*q.shape[:4], keys.shape[2])
    if how.bias is not None:
        by_head += _of_groups(_of_keys(how.bias(rows), keys), groups)
    if how.sees is not None:
        seen = _of_groups(_of_keys(how.sees(rows), keys), groups)
        by_head = jnp.where(seen, by_head, -jnp.inf)
    return by_head.reshape(scores.shape)


def _of_keys(mask, keys):
    """Return a mask of all keys for the first ones."""
    return mask[..., : keys.shape[2]]


def _of_groups(mask, groups: int):
    """Return a mask that broadcasts with [batch, heads, queries, keys] for scores by group."""
    if mask.ndim < 4:
        return mask
    batch, heads, *rest = mask.shape
    repeats = heads // groups if heads > 1 else 1
    return mask.reshape(batch, heads // repeats, repeats, *rest)


def _dropped(weights, number, how: Weighting):
    """Return the weights of a block, or their gradients, after dropout."""
    if how.key is None:
        return weights
    draw = jax.random.fold_in(as_key(how.key), number)
    kept = jax.random.bernoulli(draw, 1 - how.dropout, weights.shape)
    return jnp.where(kept, weights / max(1 - how.dropout, 1e-30), 0)


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
