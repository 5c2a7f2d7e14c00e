"""Attention rows in Paddle's layout [batch, length, heads, size].

ops/nn/attention_kernels.py computes them, one block of queries at a time.

Paddle has kernels for them on a GPU only. Each row saves its inputs and the logarithm of the sum of
exponentials of each query, not the weights.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.nn.attention_kernels import Weighting, attend, attend_vjp, check_heads
from jaxeager.ops.register import op
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.precision import widened
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values


def reference_of(q, k, v, visible, scale=None, bias=0):
    """Compute attention with all weights at once, in NumPy: values and log sums of exponentials."""
    repeats = q.shape[2] // k.shape[2]
    k, v = np.repeat(k, repeats, 2), np.repeat(v, repeats, 2)
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * (q.shape[3] ** -0.5 if scale is None else scale)
    shares = np.where(visible, np.exp(scores + bias), 0)
    total = shares.sum(-1, keepdims=True)
    out = np.einsum("bhqk,bkhd->bqhd", shares / np.where(total == 0, 1, total), v)
    return out, np.log(total)[..., 0]


# ---- flash_attn


def _flash_weighting(q, k, rng_key, attn_mask, dropout, causal, scale) -> Weighting:
    columns, mask, bias = jnp.arange(k.shape[1]), None, None
    if attn_mask is not None:
        attn_mask = attn_mask.reshape((1,) * (4 - attn_mask.ndim) + attn_mask.shape)
        is_bool = attn_mask.dtype == bool
        mask, bias = (attn_mask, None) if is_bool else (None, widened(attn_mask))

    def sees(rows):
        seen = None if mask is None else _rows_of(mask, rows)
        if causal:
            earlier = columns <= rows[:, None]
            seen = earlier if seen is None else seen & earlier
        return seen

    return Weighting(
        sees if causal or mask is not None else None,
        None if bias is None else lambda rows: _rows_of(bias, rows),
        scale or None,
        rng_key,
        dropout,
        causal,
    )


def _rows_of(mask, rows):
    """Return the rows of a mask of some queries."""
    return mask if mask.shape[2] == 1 else mask[:, :, rows]


@real_only
def flash_attn_forward(
    q,
    k,
    v,
    rng_key=None,
    attn_mask=None,
    *,
    dropout: float = 0.0,
    causal: bool = False,
    scale: float = 0.0,
):
    """Return attention over the keys that a mask leaves; scale 0 is the default one."""
    check_heads(q, k, v)
    how = _flash_weighting(q, k, rng_key, attn_mask, dropout, causal, scale)
    return attend(q, k, v, how)


def flash_attn_vjp(q, k, v, rng_key, attn_mask, softmax_lse, dout, *, dropout, causal, scale):
    """Return the gradients of q, k and v."""
    how = _flash_weighting(q, k, rng_key, attn_mask, dropout, causal, scale)
    return attend_vjp(q, k, v, softmax_lse, dout, None, how)


def flash_attn_reference(
    q, k, v, rng_key=None, attn_mask=None, dropout=0.0, causal=False, scale=0.0
):
    """Compute attention with a triangular mask, and with a given one."""
    seen, bias = np.ones((q.shape[1], k.shape[1]), bool), 0
    if causal:
        seen = np.tril(seen)
    if attn_mask is not None:
        seen, bias = (seen & attn_mask, 0) if attn_mask.dtype == bool else (seen, attn_mask)
    return reference_of(q, k, v, seen, scale or None, bias)[0]


def attention_inputs(length: int = 3, other: int = 4, heads: int = 2, key_heads: int = 2):
    """Return queries, keys and values of two samples."""
    shapes = [(2, length, heads, 2), (2, other, key_heads, 2), (2, other, key_heads, 2)]
    return [values(shape, seed=seed) for seed, shape in enumerate(shapes)]


def flash_attn_samples():
    """Yield unequal lengths, a causal square, shared keys, a scale, masks, no query."""
    yield Sample(*attention_inputs())
    yield Sample(*attention_inputs(4), causal=True)
    yield Sample(*attention_inputs(heads=4, key_heads=1), scale=0.7)
    yield Sample(*attention_inputs(), None, values((2, 2, 3, 4), seed=4))
    seen = np.array([[True, False, True, True]] * 4)
    yield Sample(*attention_inputs(4, heads=4), None, seen, causal=True)
    yield Sample(*attention_inputs(0))


def flash_attn_errors():
    """Yield shapes that do not fit."""
    q, k, v = attention_inputs()
    bad = InvalidArgumentError
    yield BadInput((q[0], k, v), {}, bad, "must be [batch, length, heads, size]")
    yield BadInput((q, k[..., :1], v), {}, bad, "must agree in batch and size")
    yield BadInput((q[:, :, :1], k, v), {}, bad, "must be a multiple of that in")


FORMULA = (
    "dv = weights' @ dout; dscores = weights * (dweights - sum(dweights * weights)); "
    "dq = scale * dscores @ k; dk = scale * dscores' @ q"
)
BOUNDARY = "A query that sees no key gets 0, and passes no gradient on."

flash_attn = op(
    "flash_attn",
    flash_attn_forward,
    vjp=flash_attn_vjp,
    hidden="softmax_lse",
    hidden_vjp=DERIVED,
    saves="q k v rng_key attn_mask softmax_lse",
    nondiff="rng_key attn_mask",
    public=None,
    dtypes="float32 float64",
    reference=flash_attn_reference,
    samples=flash_attn_samples,
    errors=flash_attn_errors,
    formula=FORMULA,
    boundary=BOUNDARY,
    doc="Attention that keeps no weights; recorded by F.flash_attention.flash_attention and by "
    "F.scaled_dot_product_attention of many scores.",
)


# ---- flash_attn_unpadded


def _unpadded_weighting(
    q, k, cu_seqlens_q, cu_seqlens_k, rng_key, scale, dropout, causal, padded_q, padded_k
) -> Weighting:
    sample_q, place_q = _places(cu_seqlens_q, q.shape[0], padded_q)
    sample_k, place_k = _places(cu_seqlens_k, k.shape[0], padded_k)
    count = cu_seqlens_q.shape[0] - 1

    def sees(rows):
        seen = (sample_q[rows, None] == sample_k) & (sample_k < count)
        return seen & (place_k <= place_q[rows, None]) if causal else seen

    return Weighting(sees, None, scale, rng_key, dropout)


@real_only
def flash_attn_unpadded_forward(
    q,
    k,
    v,
    cu_seqlens_q,
    cu_seqlens_k,
    rng_key=None,
    *,
    scale: float,
    dropout: float = 0.0,
    causal: bool = False,
    padded_q: int = 0,
    padded_k: int = 0,
):
    """Return attention within each of several concatenated sequences."""
    check_heads(q[None], k[None], v[None])
    how = _unpadded_weighting(
        q, k, cu_seqlens_q, cu_seqlens_k, rng_key, scale, dropout, causal, padded_q, padded_k
    )
    out, lse = attend(q[None], k[None], v[None], how)
    return out[0], lse[0]


def flash_attn_unpadded_vjp(
    q, k, v, cu_seqlens_q, cu_seqlens_k, rng_key, softmax_lse, dout, *, scale, dropout, causal,
    padded_q, padded_k,
):  # fmt: skip
    """Return the gradients of q, k and v."""
    how = _unpadded_weighting(
        q, k, cu_seqlens_q, cu_seqlens_k, rng_key, scale, dropout, causal, padded_q, padded_k
    )
    grads = attend_vjp(q[None], k[None], v[None], softmax_lse[None], dout[None], None, how)
    return tuple([grad[0] for grad in grads])


def _places(ends, total: int, padded: int) -> tuple:
    """Return each token's sequence and its place there; for padding, an invalid sequence.

    Sequences are concatenated, or each begins at a multiple of ``padded``.
    """
    ends, token, count = jnp.asarray(ends), jnp.arange(total), ends.shape[0] - 1
    if not padded:
        sample = jnp.searchsorted(ends, token, side="right") - 1
        return sample, token - ends[jnp.clip(sample, 0, count)]
    sample, place = token // padded, token % padded
    held = ends[1:] - ends[:-1]
    is_there = (sample < count) & (place < held[jnp.minimum(sample, count - 1)])
    return jnp.where(is_there, sample, count), place


def flash_attn_unpadded_reference(
    q, k, v, cu_seqlens_q, cu_seqlens_k, rng_key=None, scale=1.0, dropout=0.0, causal=False,
    padded_q=0, padded_k=0,
):  # fmt: skip
    """Attend one sequence after the other."""
    out = np.zeros((q.shape[0], q.shape[1], v.shape[2]), q.dtype)
    for n in range(len(cu_seqlens_q) - 1):
        sizes = cu_seqlens_q[n + 1] - cu_seqlens_q[n], cu_seqlens_k[n + 1] - cu_seqlens_k[n]
        first = n * padded_q if padded_q else cu_seqlens_q[n]
        other = n * padded_k if padded_k else cu_seqlens_k[n]
        rows, columns = slice(first, first + sizes[0]), slice(other, other + sizes[1])
        seen = np.tril(np.ones(sizes, bool)) if causal else np.ones(sizes, bool)
        three = q[None, rows], k[None, columns], v[None, columns]
        out[rows] = reference_of(*three, seen, scale)[0][0]
    return out


def flash_attn_unpadded_samples():
    """Yield sequences of several lengths, one of them empty, and padded ones."""
    q, k, v = values((6, 2, 2)), values((7, 2, 2), seed=1), values((7, 2, 3), seed=2)
    ends = np.array([0, 2, 2, 5], np.int32), np.array([0, 3, 4, 7], np.int32)
    yield Sample(q, k, v, *ends, scale=0.7)
    yield Sample(q, k[:6], v[:6], ends[0], ends[0], scale=0.5, causal=True)
    padded = np.array([0, 2, 3], np.int32)
    yield Sample(q, k[:6], v[:6], padded, padded, scale=0.5, padded_q=3, padded_k=3)


flash_attn_unpadded = op(
    "flash_attn_unpadded",
    flash_attn_unpadded_forward,
    vjp=flash_attn_unpadded_vjp,
    hidden="softmax_lse",
    hidden_vjp=DERIVED,
    saves="q k v cu_seqlens_q cu_seqlens_k rng_key softmax_lse",
    nondiff="cu_seqlens_q cu_seqlens_k rng_key",
    public=None,
    dtypes="float32 float64",
    reference=flash_attn_unpadded_reference,
    samples=flash_attn_unpadded_samples,
    formula=FORMULA,
    boundary=BOUNDARY,
    doc="Attention within each of several sequences; F.flash_attention.flash_attn_unpadded.",
)


# ---- flashmask_attention


def _flashmask_weighting(q, k, startend_row_indices, rng_key, dropout, causal, scale) -> Weighting:
    columns = jnp.arange(k.shape[1])
    count = _count(startend_row_indices, causal)
    if startend_row_indices.shape[1] > 1:
        repeats = q.shape[2] // startend_row_indices.shape[1]
        startend_row_indices = jnp.repeat(startend_row_indices, repeats, axis=1)
    bounds = [startend_row_indices[:, :, None, :, n] for n in range(count)]

    def sees(rows):
        rows = rows[:, None]
        if causal:
            end = rows < bounds[1] if len(bounds) == 2 else True
            return (columns <= rows) & ~((rows >= bounds[0]) & end)
        if len(bounds) == 2:
            return (rows < bounds[0]) & (rows >= bounds[1])
        lower = (rows >= bounds[0]) & (rows < bounds[1])
        return ~(lower | ((rows >= bounds[2]) & (rows < bounds[3])))

    return Weighting(sees, None, scale or None, rng_key, dropout, causal)


@real_only
def flashmask_attention_forward(
    q,
    k,
    v,
    startend_row_indices,
    rng_key=None,
    *,
    dropout: float = 0.0,
    causal: bool = False,
    scale: float = 0.0,
):
    """Return attention where each key is hidden from ranges of queries, and its log sums."""
    check_heads(q, k, v)
    how = _flashmask_weighting(q, k, startend_row_indices, rng_key, dropout, causal, scale)
    return attend(q, k, v, how)


def flashmask_attention_vjp(
    q, k, v, startend_row_indices, rng_key, softmax_lse, dout, dsoftmax_lse, *, dropout, causal,
    scale,
):  # fmt: skip
    """Return the gradients of q, k and v."""
    how = _flashmask_weighting(q, k, startend_row_indices, rng_key, dropout, causal, scale)
    return attend_vjp(q, k, v, softmax_lse, dout, dsoftmax_lse, how)


def _count(indices, causal: bool) -> int:
    """Return the number of bounds of each key.

    Raises:
        ValueError: for a number that is not supported.
    """
    allowed = (1, 2) if causal else (2, 4)
    if indices.ndim != 4 or indices.shape[3] not in allowed:
        raise ValueError(
            f"Invalid shape of startend_row_indices, when causal is {causal}, the last dimension "
            f"should be either {allowed[0]} or {allowed[1]} but got {list(indices.shape)}"
        )
    return indices.shape[3]


def flashmask_attention_reference(
    q, k, v, startend_row_indices, rng_key=None, dropout=0.0, causal=False, scale=0.0
):
    """Clear each key's ranges in a matrix of visible keys."""
    batch, _, columns, bounds = startend_row_indices.shape
    rows, heads = q.shape[1], q.shape[2]
    seen = np.ones((batch, heads, rows, columns), bool)
    for n, h, j in np.ndindex(batch, heads, columns):
        shared = heads // startend_row_indices.shape[1]
        bound = [int(each) for each in startend_row_indices[n, h // shared, j]]
        has_end = bounds == (2 if causal else 4)
        seen[n, h, bound[0] : bound[1] if has_end else None, j] = False
        if causal:
            seen[n, h, :j, j] = False
        elif has_end:
            seen[n, h, bound[2] : bound[3], j] = False
        else:
            seen[n, h, : bound[1], j] = False
    with np.errstate(divide="ignore"):
        return reference_of(q, k, v, seen, scale or None)


def flashmask_attention_samples():
    """Yield every number of bounds, one head and several."""
    three = attention_inputs(4)
    ends = np.array([2, 3, 4, 4], np.int32)
    one = np.broadcast_to(ends, (2, 1, 4))[..., None]
    starts = np.array([[4, 0], [4, 0], [3, 1], [4, 2]], np.int32)
    two = np.broadcast_to(starts, (2, 2, 4, 2))
    four = np.array([[3, 4, 0, 0], [4, 4, 0, 1], [4, 4, 0, 0], [4, 4, 1, 2]], np.int32)
    yield Sample(*three, one, causal=True)
    yield Sample(*three, np.broadcast_to(starts[:, ::-1] + 1, (2, 1, 4, 2)), causal=True)
    yield Sample(*three, two)
    yield Sample(*attention_inputs(4, heads=4), np.broadcast_to(four, (2, 2, 4, 4)), scale=0.5)


def flashmask_attention_errors():
    """Yield an unsupported number of bounds."""
    bounds = np.zeros((2, 1, 4, 3), np.int32)
    bad = InvalidArgumentError
    yield BadInput((*attention_inputs(4), bounds), {"causal": True}, bad, "either 1 or 2")
    yield BadInput((*attention_inputs(4), bounds), {}, bad, "either 2 or 4")


flashmask_attention = op(
    "flashmask_attention",
    flashmask_attention_forward,
    vjp=flashmask_attention_vjp,
    outputs="out softmax_lse",
    saves="q k v startend_row_indices rng_key softmax_lse",
    nondiff="startend_row_indices rng_key",
    public=None,
    dtypes="float32 float64",
    reference=flashmask_attention_reference,
    samples=flashmask_attention_samples,
    errors=flashmask_attention_errors,
    formula=FORMULA,
    boundary=BOUNDARY,
    doc="Attention where each key is hidden from ranges of queries; F.flashmask_attention.",
)


# ---- sparse_attention


def _listed_weighting(q, k, offset, columns, key_padding_mask, attn_mask) -> Weighting:
    order = jnp.arange(columns.shape[2])
    listed_by = jax.vmap(jax.vmap(lambda o: jnp.searchsorted(o, order, side="right") - 1))(offset)
    batch, head = (each[..., None] for each in jnp.ix_(*map(jnp.arange, q.shape[:2])))

    def sees(rows):
        place = listed_by - (rows[0] if len(rows) else 0)  # rows are consecutive
        place = jnp.where((place >= 0) & (place < len(rows)), place, len(rows))
        seen = jnp.zeros((*q.shape[:2], len(rows), k.shape[2]), bool)
        seen = seen.at[batch, head, place, columns].set(True, mode="drop")
        if key_padding_mask is not None:
            seen &= (key_padding_mask != 0)[:, None, None, :]
        return seen if attn_mask is None else seen & (jnp.asarray(attn_mask)[rows] != 0)

    return Weighting(sees)


def _by_length(*tensors) -> list:
    """Return [batch, heads, length, size] as [batch, length, heads, size], and back."""
    return [jnp.moveaxis(each, 1, 2) for each in tensors]


@real_only
def sparse_attention_forward(q, k, v, offset, columns, key_padding_mask=None, attn_mask=None):
    """Return attention over the keys that each query lists, [batch, heads, length, size]."""
    queries, keys, values = _by_length(q, k, v)
    check_heads(queries, keys, values)
    how = _listed_weighting(q, k, offset, columns, key_padding_mask, attn_mask)
    out, lse = attend(queries, keys, values, how)
    return *_by_length(out), lse


def sparse_attention_vjp(q, k, v, offset, columns, key_padding_mask, attn_mask, softmax_lse, dout):
    """Return the gradients of q, k and v."""
    how = _listed_weighting(q, k, offset, columns, key_padding_mask, attn_mask)
    q, k, v, dout = _by_length(q, k, v, dout)
    return tuple(_by_length(*attend_vjp(q, k, v, softmax_lse, dout, None, how)))


def sparse_attention_reference(q, k, v, offset, columns, key_padding_mask=None, attn_mask=None):
    """Mark the keys that each row lists, one row after the other."""
    seen = np.zeros((*q.shape[:3], k.shape[2]), bool)
    for n, h, i in np.ndindex(*q.shape[:3]):
        seen[n, h, i, columns[n, h, offset[n, h, i] : offset[n, h, i + 1]]] = True
    if key_padding_mask is not None:
        seen &= (key_padding_mask != 0)[:, None, None, :]
    if attn_mask is not None:
        seen &= attn_mask != 0
    q, k, v = (np.moveaxis(each, 1, 2) for each in (q, k, v))
    with np.errstate(divide="ignore"):
        return np.moveaxis(reference_of(q, k, v, seen)[0], 2, 1)


def sparse_attention_samples():
    """Yield rows that list several keys, one, or none; both masks."""
    q, k, v = (values((1, 2, 4, 3), seed=seed) for seed in range(3))
    offset = np.array([[[0, 2, 3, 3, 5], [0, 1, 2, 3, 5]]], np.int32)
    columns = np.array([[[0, 3, 1, 2, 3], [0, 1, 2, 1, 3]]], np.int32)
    yield Sample(q, k, v, offset, columns)
    padding, mask = np.array([[1.0, 1.0, 1.0, 0.0]]), np.tril(np.ones((4, 4)))
    yield Sample(q, k, v, offset, columns, padding, mask)


sparse_attention = op(
    "sparse_attention",
    sparse_attention_forward,
    vjp=sparse_attention_vjp,
    hidden="softmax_lse",
    hidden_vjp=DERIVED,
    saves="q k v offset columns key_padding_mask attn_mask softmax_lse",
    nondiff="offset columns key_padding_mask attn_mask",
    public=None,
    dtypes="float32 float64",
    reference=sparse_attention_reference,
    samples=sparse_attention_samples,
    formula=FORMULA,
    boundary=BOUNDARY,
    doc="Attention over the keys each query lists in compressed rows; F.sparse_attention.",
)
