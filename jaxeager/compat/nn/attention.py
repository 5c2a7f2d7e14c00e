"""MultiheadAttention with PyTorch's argument names and masks, where True masks out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.compat.nn.layers import Linear
from jaxeager.errors import RefusedArgumentError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.core.types import DTypeLike, PlaceLike

F = paddle.nn.functional


class MultiheadAttention(paddle.nn.Layer):
    """Attention of several heads to a sequence.

    Args:
        embed_dim: last dimension of queries and output; the heads share it.
        num_heads: number of heads.
        dropout: the probability that a weight is dropped in training.
        bias: whether projections have biases.
        add_bias_kv: whether a learned key and value are appended.
        add_zero_attn: whether a key and value of zeros are appended.
        kdim: last dimension of the keys; ``embed_dim`` when None.
        vdim: last dimension of the values; ``embed_dim`` when None.
        batch_first: whether the batch comes before the length.
        device: the device of the parameters; the current device when None.
        dtype: the dtype of the parameters; the default dtype when None.

    Attributes:
        in_proj_weight: float[3 * embed_dim, embed_dim]; None with kdim or vdim, which use
            ``q_proj_weight``, ``k_proj_weight`` and ``v_proj_weight``.
        out_proj: the last projection.

    Raises:
        RefusedArgumentError: when the heads do not divide embed_dim.

    Example:
        >>> import jaxeager as paddle
        >>> attention = paddle.compat.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = paddle.ones([3, 5, 8])
        >>> out, weights = attention(x, x, x)
        >>> out.shape, weights.shape
        (paddle.Size([3, 5, 8]), paddle.Size([3, 5, 5]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: PlaceLike | None = None,
        dtype: Any = None,
    ):
        super().__init__(**({"dtype": dtype} if dtype else {}))
        if embed_dim % num_heads:
            raise RefusedArgumentError(
                f"num_heads={num_heads} does not divide embed_dim={embed_dim}."
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.head_dim, self.batch_first = embed_dim // num_heads, batch_first
        self.add_bias_kv, self.add_zero_attn = add_bias_kv, add_zero_attn
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.in_proj_weight = self.in_proj_bias = None
        sizes = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        for name in sizes:
            setattr(self, f"{name}_proj_weight", None)
            setattr(self, f"{name}_proj_bias", None)
        made = {"dtype": self._dtype, "device": device}
        xavier = paddle.nn.initializer.XavierUniform()
        rows = {"in": (3 * embed_dim, embed_dim)}
        if not self._qkv_same_embed_dim:
            rows = {name: (embed_dim, size) for name, size in sizes.items()}
        for name, shape in rows.items():
            weight = self.create_parameter(list(shape), default_initializer=xavier, **made)
            setattr(self, f"{name}_proj_weight", weight)
        for name, shape in rows.items() if bias else ():
            found = self.create_parameter([shape[0]], is_bias=True, **made)
            setattr(self, f"{name}_proj_bias", found)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, dtype=self._dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            normal = paddle.nn.initializer.XavierNormal()
            for name in ("bias_k", "bias_v"):
                found = self.create_parameter(
                    [1, 1, embed_dim], is_bias=True, default_initializer=normal, **made
                )
                setattr(self, name, found)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the attention output and the weights.

        Args:
            query: float[length, batch, embed_dim]; the batch is first with ``batch_first``, and
                absent for one sequence.
            key: float[other, batch, kdim], likewise.
            value: float[other, batch, vdim], likewise.
            key_padding_mask: bool[batch, other], where True masks out, or float that is added.
            need_weights: whether the weights are returned.
            attn_mask: bool or float of [length, other] or [batch * heads, length, other], likewise.
            average_attn_weights: whether the weights are means over the heads.
            is_causal: whether a query sees only keys that are not later, without a mask.

        Returns:
            float of the query's shape; float[batch, length, other], or with an axis of heads before
            the length, or None.
        """
        is_batched = query.ndim == 3
        axis = 0 if self.batch_first else 1
        if not is_batched:
            query, key, value = (each.unsqueeze(axis) for each in (query, key, value))
            if key_padding_mask is not None and key_padding_mask.ndim == 1:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        if not self.batch_first:
            query, key, value = (each.transpose([1, 0, 2]) for each in (query, key, value))
        mask = self._mask(query, key, key_padding_mask, attn_mask, is_causal)
        q, k, v = self._heads(query, key, value)
        scores = paddle.matmul(q, k, transpose_y=True) / math.sqrt(self.head_dim)
        weights = F.softmax(scores if mask is None else scores + mask)
        weights = F.dropout(weights, self.dropout, training=self.training)
        out = paddle.matmul(weights, v).transpose([0, 2, 1, 3]).flatten(2)
        out = self.out_proj(out)
        out = out if self.batch_first else out.transpose([1, 0, 2])
        weights = weights.mean(1) if average_attn_weights else weights
        if not is_batched:
            out, weights = out.squeeze(axis), weights.squeeze(0)
        return out, (weights if need_weights else None)

    def _heads(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """Return queries, keys and values of the heads, float[batch, heads, length, head_dim]."""
        if self._qkv_same_embed_dim:
            assert self.in_proj_weight is not None
            weights = self.in_proj_weight.chunk(3, axis=0)
            biases = [None] * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        else:
            weights = [getattr(self, f"{name}_proj_weight") for name in "qkv"]
            biases = [getattr(self, f"{name}_proj_bias") for name in "qkv"]
        found = []
        ends = None, self.bias_k, self.bias_v
        given = zip((query, key, value), weights, biases, ends, strict=True)
        for x, weight, bias, end in given:
            rows = F.linear(x, weight.T, bias)
            if end is not None:
                rows = paddle.concat([rows, end.expand([rows.shape[0], 1, self.embed_dim])], 1)
            heads = rows.reshape([*rows.shape[:2], self.num_heads, self.head_dim])
            heads = heads.transpose([0, 2, 1, 3])
            if self.add_zero_attn and found:  # keys and values, which follow the queries
                heads = paddle.concat([heads, paddle.zeros_like(heads[:, :, :1])], 2)
            found.append(heads)
        return found

    def _mask(self, query, key, padding, mask, is_causal: bool) -> Tensor | None:
        """Return the mask added to the scores, for [batch, heads, length, keys], or None."""
        batch, length, other = query.shape[0], query.shape[1], key.shape[1]
        if mask is None and is_causal:
            mask = paddle.triu(paddle.ones([length, other]), 1).astype("bool")
        added = None
        if mask is not None:
            shape = [length, other] if mask.ndim == 2 else [batch, self.num_heads, length, other]
            added = _as_added(mask, query.dtype).reshape(shape)
        if padding is not None:
            if list(padding.shape) != [batch, other]:
                raise RefusedArgumentError(
                    f"key_padding_mask has the shape {[batch, other]}, but received "
                    f"{list(padding.shape)}."
                )
            ends = _as_added(padding, query.dtype).unsqueeze([1, 2])
            added = ends if added is None else added + ends
        more = int(self.add_bias_kv) + int(self.add_zero_attn)
        if added is not None and more:
            added = paddle.concat([added, paddle.zeros([*added.shape[:-1], more], added.dtype)], -1)
        return added


def _as_added(mask: Tensor, dtype: DTypeLike) -> Tensor:
    """Return a mask that can be added to scores; True becomes the least finite number."""
    if mask.dtype != paddle.bool:
        return mask.astype(dtype)
    least = paddle.full([], paddle.finfo(dtype).min, dtype)  # type: ignore[attr-defined]
    return paddle.where(mask, least, paddle.zeros([], dtype))
