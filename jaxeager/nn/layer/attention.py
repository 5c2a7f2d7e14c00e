"""MultiHeadAttention and its caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.common import Linear
from jaxeager.nn.layer.layer import Layer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike


class Cache(NamedTuple):
    """Keys and values seen so far, float[batch, heads, length, head_dim]; calls append to them."""

    k: Tensor
    v: Tensor


class StaticCache(NamedTuple):
    """Keys and values of a constant memory, float[batch, heads, length, head_dim]."""

    k: Tensor
    v: Tensor


def convert_mask(mask: Tensor | None, dtype) -> Tensor | None:
    """Return a mask that can be added to scores.

    Args:
        mask: bool or integer (0 forbids, and becomes -1e9), or floating, which is cast.
        dtype: the dtype of the scores.
    """
    if mask is None or mask.dtype == dtype:
        return mask
    cast = mask.astype(dtype)
    if dtypes.is_floating(mask._array.dtype):
        return cast
    return (cast - 1.0) * 1e9


class MultiHeadAttention(Layer):
    """Multi-head attention.

    Each head projects queries, keys and values, and weights the values by
    ``softmax(q @ k.T / sqrt(head_dim))``. The concatenated heads are projected once more.

    Args:
        embed_dim: last dimension of queries and output, split among the heads.
        num_heads: number of heads.
        dropout: probability that a weight is zeroed in training.
        kdim: last dimension of the keys; ``embed_dim`` if None.
        vdim: last dimension of the values; ``embed_dim`` if None.
        need_weights: also return the weights, float[batch, heads, queries, keys].
        weight_attr: ParamAttr of the weights of the four projections.
        bias_attr: ParamAttr of their biases; False for none.

    Raises:
        RefusedArgumentError: if sizes are not positive, or the heads do not divide embed_dim.

    Example:
        >>> import jaxeager as paddle
        >>> attention = paddle.nn.MultiHeadAttention(8, 2)
        >>> attention(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: int | None = None,
        vdim: int | None = None,
        need_weights: bool = False,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
    ):
        super().__init__()
        for name, size in (("embed_dim", embed_dim), ("num_heads", num_heads)):
            if size <= 0:
                raise RefusedArgumentError(
                    f"Expected {name} to be greater than 0, but received {size}"
                )
        if embed_dim % num_heads:
            raise RefusedArgumentError(
                f"embed_dim must be divisible by num_heads, but received {embed_dim} and "
                f"{num_heads}."
            )
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.need_weights = dropout, need_weights
        self.head_dim = embed_dim // num_heads
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _split_heads(self, x: Tensor) -> Tensor:
        """Return x, [batch, length, embed_dim], as [batch, heads, length, head_dim]."""
        x = x.reshape([0, 0, self.num_heads, self.head_dim])
        return x.transpose([0, 2, 1, 3])

    def compute_kv(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Return projected keys and values, each float[batch, heads, length, head_dim].

        Example:
            >>> import jaxeager as paddle
            >>> attention = paddle.nn.MultiHeadAttention(8, 2)
            >>> x = paddle.ones([3, 5, 8])
            >>> attention.compute_kv(x, x)[0].shape
            paddle.Size([3, 2, 5, 4])
        """
        k = self._split_heads(self.k_proj(key))
        v = self._split_heads(self.v_proj(value))
        return k, v

    def gen_cache(
        self, key: Tensor, value: Tensor | None = None, type: type = Cache
    ) -> Cache | StaticCache:
        """Return a cache to pass to the layer.

        Args:
            key: for StaticCache, the memory, float[batch, length, kdim]; for Cache, a tensor with
                the batch size and dtype of an empty cache, or, with ``value``, the keys themselves.
            value: for StaticCache, the memory's values (``key`` if None); for Cache, the values
                that belong to ``key``.
            type: MultiHeadAttention.Cache or MultiHeadAttention.StaticCache.

        Example:
            >>> import jaxeager as paddle
            >>> attention = paddle.nn.MultiHeadAttention(8, 2)
            >>> x = paddle.ones([3, 5, 8])
            >>> output, cache = attention(x, cache=attention.gen_cache(x))
            >>> cache.k.shape
            paddle.Size([3, 2, 5, 4])
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is not None:
            return Cache(key, value)
        empty = paddle.zeros([key.shape[0], self.num_heads, 0, self.head_dim], dtype=key.dtype)
        return Cache(empty, empty)

    def _prepare_qkv(
        self, query: Tensor, key: Tensor, value: Tensor, cache: Cache | StaticCache | None = None
    ) -> tuple:
        """Return the heads' queries, keys and values, and the extended cache if one is given.

        Each is float[batch, heads, length, head_dim]. A subclass may override it.
        """
        q = self._split_heads(self.q_proj(query))
        if isinstance(cache, StaticCache):
            k, v = cache
        else:
            k, v = self.compute_kv(key, value)
        if isinstance(cache, Cache):
            k = paddle.concat([cache.k, k], axis=2)
            v = paddle.concat([cache.v, v], axis=2)
            cache = Cache(k, v)
        return (q, k, v) if cache is None else (q, k, v, cache)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attn_mask: Tensor | None = None,
        cache: Cache | StaticCache | None = None,
    ) -> Any:
        key = query if key is None else key
        value = query if value is None else value
        if cache is None:
            q, k, v = self._prepare_qkv(query, key, value)
        else:
            q, k, v, cache = self._prepare_qkv(query, key, value, cache)
        output, weights = self._attend(q, k, v, attn_mask)
        outputs: list[object] = [self.out_proj(output)]
        if self.need_weights:
            outputs.append(weights)
        if cache is not None:
            outputs.append(cache)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _attend(self, q, k, v, attn_mask):
        """Return the concatenated output, float[batch, queries, embed_dim], and the weights."""
        q = q * self.head_dim**-0.5
        scores = paddle.matmul(q, k, transpose_y=True)
        mask = convert_mask(attn_mask, scores.dtype)
        if mask is not None:
            scores = scores + mask
        weights = F.softmax(scores)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        output = paddle.matmul(weights, v)
        output = output.transpose([0, 2, 1, 3])
        return output.reshape([0, 0, self.embed_dim]), weights
