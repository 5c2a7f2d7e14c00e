"""Attention, feed-forward and an encoder layer, each in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError
from jaxeager.incubate.nn import functional
from jaxeager.nn.layer.attention import convert_mask
from jaxeager.nn.layer.transformer import _convert_param_attr_to_list

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


def check_sizes(**sizes: int) -> None:
    """Raise for a size that is not positive."""
    for name, value in sizes.items():
        if value <= 0:
            raise RefusedArgumentError(
                f"Expected {name} to be greater than 0, but received {value}"
            )


def shared_among(nranks: int, ring_id: int, name: str, value: int) -> int:
    """Return one process's part of a size that several processes share."""
    if nranks > 1 and ring_id == -1:
        raise RefusedArgumentError("nranks > 1 needs a ring_id.")
    if value % nranks:
        raise RefusedArgumentError(f"nranks={nranks} must divide {name}={value}.")
    return value // nranks


def ends_of_a_norm(
    layer: paddle.nn.Layer,
    size: int,
    scale_attr: ParamAttrLike | None,
    bias_attr: ParamAttrLike | None,
):
    """Return scale and bias of a norm, as parameters of a layer."""
    ones = paddle.nn.initializer.Constant(1.0)
    scale = layer.create_parameter([size], attr=scale_attr, default_initializer=ones)
    return scale, layer.create_parameter([size], attr=bias_attr, is_bias=True)


class FusedMultiHeadAttention(paddle.nn.Layer):
    """Self-attention of a sequence, which adds the sequence and normalises.

    Args:
        embed_dim: last dimension of input and output.
        num_heads: number of heads.
        dropout_rate: the probability that an element of the result is dropped.
        attn_dropout_rate: the probability that a weight is dropped.
        kdim: ignored.
        vdim: ignored.
        normalize_before: normalise the input instead of the result.
        need_weights: False, as weights are not available.
        qkv_weight_attr: the attributes of the weight of queries, keys and values.
        qkv_bias_attr: the attributes of their bias; False for none.
        linear_weight_attr: the attributes of the weight of the last projection.
        linear_bias_attr: the attributes of its bias; False for none.
        pre_ln_scale_attr: the attributes of the scale of the norm before.
        pre_ln_bias_attr: the attributes of its bias.
        ln_scale_attr: the attributes of the scale of the norm after.
        ln_bias_attr: the attributes of its bias.
        epsilon: added to the variance.
        nranks: the number of processes that share the heads.
        ring_id: the group of these processes.
        transpose_qkv_wb: keep weight and bias of q, k and v as plain matrix and vector.
        name: a name.

    Attributes:
        qkv_weight: float[3, num_heads, head_dim, embed_dim].
        qkv_bias: float[3, num_heads, head_dim].
        linear_weight: float[embed_dim, embed_dim].
        linear_bias: float[embed_dim].
        pre_ln_scale: float[embed_dim], or None without ``normalize_before``.
        pre_ln_bias: float[embed_dim], or None.
        ln_scale: float[embed_dim], or None with ``normalize_before``.
        ln_bias: float[embed_dim], or None.

    Shapes:
        float[batch, length, embed_dim] to the same.

    Raises:
        RefusedArgumentError: when sizes are not positive, heads do not divide embed_dim, or weights
            are requested.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.incubate.nn.FusedMultiHeadAttention(8, 2)
        >>> layer(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout_rate: float = 0.5,
        attn_dropout_rate: float = 0.5,
        kdim: int | None = None,
        vdim: int | None = None,
        normalize_before: bool = False,
        need_weights: bool = False,
        qkv_weight_attr: ParamAttrLike | None = None,
        qkv_bias_attr: ParamAttrLike | None = None,
        linear_weight_attr: ParamAttrLike | None = None,
        linear_bias_attr: ParamAttrLike | None = None,
        pre_ln_scale_attr: ParamAttrLike | None = None,
        pre_ln_bias_attr: ParamAttrLike | None = None,
        ln_scale_attr: ParamAttrLike | None = None,
        ln_bias_attr: ParamAttrLike | None = None,
        epsilon: float = 1e-5,
        nranks: int = 1,
        ring_id: int = -1,
        transpose_qkv_wb: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        check_sizes(embed_dim=embed_dim, num_heads=num_heads)
        if embed_dim % num_heads:
            raise RefusedArgumentError("embed_dim must be divisible by num_heads")
        if need_weights:
            raise RefusedArgumentError("Only support need_weight is False now.")
        self.normalize_before, self.need_weights = normalize_before, need_weights
        self.embed_dim, self.head_dim = embed_dim, embed_dim // num_heads
        self.num_heads = shared_among(nranks, ring_id, "num_heads", num_heads)
        self.kdim, self.vdim, self.name = kdim, vdim, name
        self.transpose_qkv_wb = transpose_qkv_wb
        self.dropout_rate, self.attn_dropout_rate = dropout_rate, attn_dropout_rate
        self._epsilon, self._ring_id = epsilon, ring_id
        width = self.num_heads * self.head_dim
        heads = [3 * width] if transpose_qkv_wb else [3, self.num_heads, self.head_dim]
        shape = [embed_dim, *heads] if transpose_qkv_wb else [*heads, embed_dim]
        self.qkv_weight = self.create_parameter(shape, attr=qkv_weight_attr)
        self.qkv_bias = self.create_parameter(heads, attr=qkv_bias_attr, is_bias=True)
        self.linear_weight = self.create_parameter([width, embed_dim], attr=linear_weight_attr)
        self.linear_bias = self.create_parameter([embed_dim], attr=linear_bias_attr, is_bias=True)
        self.pre_ln_scale = self.pre_ln_bias = self.ln_scale = self.ln_bias = None
        if normalize_before:
            attrs = pre_ln_scale_attr, pre_ln_bias_attr
            self.pre_ln_scale, self.pre_ln_bias = ends_of_a_norm(self, embed_dim, *attrs)
        else:
            attrs = ln_scale_attr, ln_bias_attr
            self.ln_scale, self.ln_bias = ends_of_a_norm(self, embed_dim, *attrs)

    def forward(
        self,
        query: paddle.Tensor,
        key: paddle.Tensor | None = None,
        value: paddle.Tensor | None = None,
        attn_mask: paddle.Tensor | None = None,
        cache: paddle.Tensor | None = None,
    ) -> Any:
        """Return the output for a sequence; with a cache also the extended cache.

        Args:
            query: float[batch, length, embed_dim].
            key: ignored, as the sequence attends to itself.
            value: ignored.
            attn_mask: added to the scores; bool or int, where False masks out; or None.
            cache: keys and values, float[2, batch, num_heads, length, head_dim], or None.
        """
        assert self.qkv_weight is not None
        assert self.linear_weight is not None
        return functional.fused_multi_head_attention(
            query, self.qkv_weight, self.linear_weight, self.normalize_before,
            self.pre_ln_scale, self.pre_ln_bias, self.ln_scale, self.ln_bias, self._epsilon,
            self.qkv_bias, self.linear_bias, cache, convert_mask(attn_mask, query.dtype),
            self.dropout_rate, self.attn_dropout_rate, self._epsilon, self.training,
            num_heads=self.num_heads, transpose_qkv_wb=self.transpose_qkv_wb,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return (
            f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, "
            f"dropout_rate={self.dropout_rate}, attn_dropout_rate={self.attn_dropout_rate}, "
            f"epsilon={self._epsilon}, kdim={self.kdim}, vdim={self.vdim}, "
            f"normalize_before={self.normalize_before}, need_weights={self.need_weights}, "
            f"dtype={self._dtype}" + (f", name={self.name}" if self.name else "")
        )


class FusedFeedForward(paddle.nn.Layer):
    """Two linear layers with an activation between; the input is added and normalised.

    Args:
        d_model: last dimension of input and output.
        dim_feedforward: width between the two linear layers.
        dropout_rate: the probability that an element of the result is dropped.
        epsilon: added to the variance.
        activation: "relu" or "gelu".
        act_dropout_rate: the probability that an element is dropped after the activation;
            ``dropout_rate`` when None.
        normalize_before: normalise the input instead of the result.
        linear1_weight_attr: the attributes of the first weight.
        linear1_bias_attr: the attributes of the first bias; False for none.
        linear2_weight_attr: the attributes of the second weight.
        linear2_bias_attr: the attributes of the second bias; False for none.
        ln1_scale_attr: the attributes of the scale of the norm before.
        ln1_bias_attr: the attributes of its bias.
        ln2_scale_attr: the attributes of the scale of the norm after.
        ln2_bias_attr: the attributes of its bias.
        nranks: the number of processes that share the width.
        ring_id: the group of these processes.
        name: a name.

    Shapes:
        float[batch, length, d_model] to the same.

    Raises:
        RefusedArgumentError: when sizes are not positive.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.nn.FusedFeedForward(8, 16)(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        dim_feedforward: int,
        dropout_rate: float = 0.1,
        epsilon: float = 1e-05,
        activation: str = "relu",
        act_dropout_rate: float | None = None,
        normalize_before: bool = False,
        linear1_weight_attr: ParamAttrLike | None = None,
        linear1_bias_attr: ParamAttrLike | None = None,
        linear2_weight_attr: ParamAttrLike | None = None,
        linear2_bias_attr: ParamAttrLike | None = None,
        ln1_scale_attr: ParamAttrLike | None = None,
        ln1_bias_attr: ParamAttrLike | None = None,
        ln2_scale_attr: ParamAttrLike | None = None,
        ln2_bias_attr: ParamAttrLike | None = None,
        nranks: int = 1,
        ring_id: int = -1,
        name: str | None = None,
    ):
        super().__init__()
        check_sizes(d_model=d_model, dim_feedforward=dim_feedforward)
        width = shared_among(nranks, ring_id, "dim_feedforward", dim_feedforward)
        self._d_model, self._dim_feedforward = d_model, width
        self._dropout_rate, self._act_method = dropout_rate, activation
        self._act_dropout_rate = dropout_rate if act_dropout_rate is None else act_dropout_rate
        self._normalize_before, self._epsilon = normalize_before, epsilon
        self._ring_id, self.name = ring_id, name
        self._linear1_weight = self.create_parameter([d_model, width], attr=linear1_weight_attr)
        self._linear1_bias = self.create_parameter([width], attr=linear1_bias_attr, is_bias=True)
        self._linear2_weight = self.create_parameter([width, d_model], attr=linear2_weight_attr)
        self._linear2_bias = self.create_parameter([d_model], attr=linear2_bias_attr, is_bias=True)
        self._ln1_scale = self._ln1_bias = self._ln2_scale = self._ln2_bias = None
        if normalize_before:
            attrs = ln1_scale_attr, ln1_bias_attr
            self._ln1_scale, self._ln1_bias = ends_of_a_norm(self, d_model, *attrs)
        else:
            attrs = ln2_scale_attr, ln2_bias_attr
            self._ln2_scale, self._ln2_bias = ends_of_a_norm(self, d_model, *attrs)

    def forward(self, src: paddle.Tensor, cache: object = None) -> paddle.Tensor:
        """Return the output for a sequence; ignore the cache."""
        assert self._linear1_weight is not None
        assert self._linear2_weight is not None
        return functional.fused_feedforward(
            src, self._linear1_weight, self._linear2_weight, self._linear1_bias,
            self._linear2_bias, self._ln1_scale, self._ln1_bias, self._ln2_scale, self._ln2_bias,
            self._act_dropout_rate, self._dropout_rate, self._act_method, self._epsilon,
            self._epsilon, self._normalize_before, self.training,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return (
            f"d_model={self._d_model}, dim_feedforward={self._dim_feedforward}, "
            f"dropout_rate={self._dropout_rate}, epsilon={self._epsilon}, "
            f"activation={self._act_method}, act_dropout_rate={self._act_dropout_rate}, "
            f"normalize_before={self._normalize_before}, dtype={self._dtype}"
            + (f", name={self.name}" if self.name else "")
        )


class FusedTransformerEncoderLayer(paddle.nn.Layer):
    """One layer of an encoder: ``FusedMultiHeadAttention``, then ``FusedFeedForward``.

    Args:
        d_model: last dimension of input and output.
        nhead: heads of the attention.
        dim_feedforward: width between the two linear layers.
        dropout_rate: the probability that an element is dropped before the input is added.
        activation: "relu" or "gelu".
        attn_dropout_rate: the probability that a weight is dropped; ``dropout_rate`` when None.
        act_dropout_rate: the same after the activation; ``dropout_rate`` when None.
        normalize_before: normalise the input of each part instead of the result.
        weight_attr: the attributes of weights and scales, or two: attention, feed-forward.
        bias_attr: the same for the biases; False for none.

    Attributes:
        fused_attn: the FusedMultiHeadAttention.
        ffn: the FusedFeedForward.

    Shapes:
        float[batch, length, d_model] to the same.

    Raises:
        RefusedArgumentError: when sizes are not positive.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.incubate.nn.FusedTransformerEncoderLayer(8, 2, 16)
        >>> layer(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout_rate: float = 0.1,
        activation: str = "relu",
        attn_dropout_rate: float | None = None,
        act_dropout_rate: float | None = None,
        normalize_before: bool = False,
        weight_attr: ParamAttrLike | Sequence[ParamAttrLike] | None = None,
        bias_attr: ParamAttrLike | Sequence[ParamAttrLike] | None = None,
    ):
        config = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        super().__init__()
        self._config = config
        check_sizes(d_model=d_model, nhead=nhead, dim_feedforward=dim_feedforward)
        self.normalize_before = normalize_before
        weights, biases = (
            _convert_param_attr_to_list(weight_attr, 2),
            _convert_param_attr_to_list(bias_attr, 2),
        )
        self.fused_attn = FusedMultiHeadAttention(
            d_model, nhead, dropout_rate,
            dropout_rate if attn_dropout_rate is None else attn_dropout_rate,
            normalize_before=normalize_before,
            qkv_weight_attr=weights[0], qkv_bias_attr=biases[0],
            linear_weight_attr=weights[0], linear_bias_attr=biases[0],
            pre_ln_scale_attr=weights[0], pre_ln_bias_attr=biases[0],
            ln_scale_attr=weights[0], ln_bias_attr=biases[0],
        )  # fmt: skip
        self.ffn = FusedFeedForward(
            d_model, dim_feedforward, dropout_rate, activation=activation,
            act_dropout_rate=act_dropout_rate, normalize_before=normalize_before,
            linear1_weight_attr=weights[1], linear1_bias_attr=biases[1],
            linear2_weight_attr=weights[1], linear2_bias_attr=biases[1],
        )  # fmt: skip

    def forward(
        self, src: paddle.Tensor, src_mask: Tensor | None = None, cache: Tensor | None = None
    ) -> Any:
        """Return the output for a sequence; with a cache also the extended cache.

        Args:
            src: float[batch, length, d_model].
            src_mask: added to the scores; bool or int, where False masks out; or None.
            cache: keys and values, float[2, batch, nhead, length, d_model / nhead], or None.
        """
        found = self.fused_attn(src, attn_mask=src_mask, cache=cache)
        if cache is None:
            return self.ffn(found)
        return self.ffn(found[0]), found[1]
