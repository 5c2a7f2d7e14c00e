"""The layers of a transformer in a single layer, for text generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError
from jaxeager.incubate.nn import functional
from jaxeager.incubate.nn.layer.transformer import check_sizes, shared_among

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Parameter

    Attrs = ParamAttrLike | Sequence[ParamAttrLike] | None


class FusedMultiTransformer(paddle.nn.Layer):
    """Layers of attention and feed-forward, with a cache of keys and values.

    Args:
        embed_dim: last dimension of input and output.
        num_heads: heads of the attention.
        dim_feedforward: width of the feed-forward parts.
        dropout_rate: the probability that an element is dropped in training.
        activation: "gelu", "relu", "swiglu" or "geglu".
        normalize_before: normalise the input of each part instead of the result.
        ln_scale_attrs: the attributes of the scales at the attentions: one for all, or a list.
        ln_bias_attrs: their biases; none are created without it.
        qkv_weight_attrs: the weights of queries, keys and values; a list has one entry per layer.
        qkv_bias_attrs: their biases; none are created without it.
        linear_weight_attrs: the weights of the last projections.
        linear_bias_attrs: their biases; none are created without it.
        ffn_ln_scale_attrs: the scales at the feed-forward parts.
        ffn_ln_bias_attrs: their biases; none are created without it.
        ffn1_weight_attrs: the first weights of the feed-forward parts.
        ffn1_bias_attrs: their biases; none are created without it.
        ffn2_weight_attrs: the second weights of the feed-forward parts.
        ffn2_bias_attrs: their biases; none are created without it.
        epsilon: added to variances.
        residual_alpha: the factor of the input where it is added.
        num_layers: the number of layers, when ``qkv_weight_attrs`` is not a list.
        nranks: the number of processes that share the heads.
        trans_qkvw: whether the last axis of ``qkv_weights`` is ``embed_dim``; else the first is.
        ring_id: the group of these processes.
        norm_type: "layernorm" or "rmsnorm".
        use_neox_rotary_style: whether halves of the last axis are rotated; else neighbours are.
        gqa_group_size: the number of keys and values that heads share; -1 for one each.
        name: a name.

    Attributes:
        qkv_weights: a list of float[3, num_heads, head_dim, embed_dim]; so are ``ln_scales``,
            ``linear_weights``, ``ffn_ln_scales``, ``ffn1_weights`` and ``ffn2_weights``.
        qkv_biases: a list, or None; so are the other biases.

    Shapes:
        float[batch, length, embed_dim] to the same.

    Raises:
        RefusedArgumentError: for sizes that are not positive or do not fit.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.incubate.nn.FusedMultiTransformer(8, 2, 16, num_layers=2)
        >>> layer(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dim_feedforward: int,
        dropout_rate: float = 0.0,
        activation: str = "gelu",
        normalize_before: bool = True,
        ln_scale_attrs: Attrs = None,
        ln_bias_attrs: Attrs = None,
        qkv_weight_attrs: Attrs = None,
        qkv_bias_attrs: Attrs = None,
        linear_weight_attrs: Attrs = None,
        linear_bias_attrs: Attrs = None,
        ffn_ln_scale_attrs: Attrs = None,
        ffn_ln_bias_attrs: Attrs = None,
        ffn1_weight_attrs: Attrs = None,
        ffn1_bias_attrs: Attrs = None,
        ffn2_weight_attrs: Attrs = None,
        ffn2_bias_attrs: Attrs = None,
        epsilon: float = 1e-5,
        residual_alpha: float = 1.0,
        num_layers: int = -1,
        nranks: int = 1,
        trans_qkvw: bool = True,
        ring_id: int = -1,
        norm_type: str = "layernorm",
        use_neox_rotary_style: bool = False,
        gqa_group_size: int = -1,
        name: str | None = None,
    ):
        super().__init__()
        check_sizes(embed_dim=embed_dim, num_heads=num_heads, dim_feedforward=dim_feedforward)
        if embed_dim % num_heads:
            raise RefusedArgumentError("embed_dim must be divisible by num_heads")
        if isinstance(qkv_weight_attrs, (list, tuple)):
            num_layers = len(qkv_weight_attrs)
        check_sizes(num_layers=num_layers)
        self.normalize_before, self.embed_dim, self.num_heads = (
            normalize_before, embed_dim, num_heads,
        )  # fmt: skip
        self.head_dim, self.name = embed_dim // num_heads, name
        self.dropout_rate, self.activation = dropout_rate, activation
        self._epsilon, self._residual_alpha = epsilon, residual_alpha
        self._trans_qkvw, self._ring_id, self._norm_type = trans_qkvw, ring_id, norm_type
        self._use_neox_rotary_style, self._gqa_group_size = use_neox_rotary_style, gqa_group_size
        self._norm_weight_dtype = "float32" if norm_type == "layernorm" else self._dtype
        self._dim_feedforward = shared_among(nranks, ring_id, "dim_feedforward", dim_feedforward)
        heads = shared_among(nranks, ring_id, "num_heads", num_heads)
        weights = {
            "ln_scales": ln_scale_attrs, "qkv_weights": qkv_weight_attrs,
            "linear_weights": linear_weight_attrs, "ffn_ln_scales": ffn_ln_scale_attrs,
            "ffn1_weights": ffn1_weight_attrs, "ffn2_weights": ffn2_weight_attrs,
        }  # fmt: skip
        biases = {
            "ln_biases": ln_bias_attrs, "qkv_biases": qkv_bias_attrs,
            "linear_biases": linear_bias_attrs, "ffn_ln_biases": ffn_ln_bias_attrs,
            "ffn1_biases": ffn1_bias_attrs, "ffn2_biases": ffn2_bias_attrs,
        }  # fmt: skip
        self._make(weights, biases, self._shapes(heads), num_layers)

    def _shapes(self, heads: int) -> list[tuple[list[int], list[int]]]:
        """Return the shapes of each weight and its bias, in the order of creation."""
        size, inner = self.embed_dim, self._dim_feedforward
        shared = self._gqa_group_size
        each = [3, heads] if shared <= 0 else [heads + 2 * shared]
        each.append(self.head_dim)
        first = 2 * inner if self.activation.endswith("glu") else inner
        return [
            ([size], [size]),
            ([*each, size] if self._trans_qkvw else [size, *each], each),
            ([heads * self.head_dim, size], [size]),
            ([size], [size]),
            ([size, first], [first]),
            ([inner, size], [size]),
        ]

    def _make(self, weights: dict, biases: dict, shapes: list, num_layers: int) -> None:
        """Create the parameters, layer by layer, and the lists of them."""
        lists: dict[str, list] = {name: [] for name in (*weights, *biases)}
        ones = paddle.nn.initializer.Constant(1.0)
        for layer in range(num_layers):
            for weight, bias, (shape, bias_shape) in zip(weights, biases, shapes, strict=True):
                is_norm = weight.endswith("scales")
                dtype = self._norm_weight_dtype if is_norm else self._dtype
                made = self.create_parameter(
                    shape, _of(weights[weight], layer, num_layers), dtype,
                    default_initializer=ones if is_norm else None,
                )  # fmt: skip
                lists[weight].append(self._added(made))
                attr = _of(biases[bias], layer, num_layers)
                made = (
                    self.create_parameter(bias_shape, attr, dtype, is_bias=True) if attr else None
                )
                lists[bias].append(self._added(made))
        for name, found in lists.items():
            setattr(self, name, None if found[0] is None else found)
        for name in ("qkv", "linear", "ffn1", "ffn2"):
            setattr(self, f"{name}_weights_scales", [])

    def _added(self, made: Parameter | None) -> Parameter | None:
        """Return a parameter after registering it in the layer under its own name."""
        if made is not None:
            self._parameters[made.name] = made
        return made

    def forward(
        self,
        src: paddle.Tensor,
        attn_mask: paddle.Tensor | None = None,
        caches: Sequence[paddle.Tensor] | None = None,
        pre_caches: Sequence[paddle.Tensor] | None = None,
        rotary_embs: paddle.Tensor | None = None,
        rotary_emb_dims: int = 0,
        beam_offset: paddle.Tensor | None = None,
        seq_lens: paddle.Tensor | None = None,
        time_step: paddle.Tensor | None = None,
    ) -> Any:
        """Return the output for a sequence; with caches, which are written, also these.

        The arguments are those of ``incubate.nn.functional.fused_multi_transformer``.
        """
        return functional.fused_multi_transformer(
            src, self.ln_scales, self.ln_biases, self.qkv_weights, self.qkv_biases,
            self.linear_weights, self.linear_biases, self.ffn_ln_scales, self.ffn_ln_biases,
            self.ffn1_weights, self.ffn1_biases, self.ffn2_weights, self.ffn2_biases,
            self.normalize_before, self._epsilon, self._residual_alpha, caches, beam_offset,
            pre_caches, seq_lens, rotary_embs, time_step, attn_mask, self.dropout_rate,
            rotary_emb_dims, self.activation, self.training, "upscale_in_train",
            self._trans_qkvw, self._ring_id, self._norm_type, self._use_neox_rotary_style,
            self._gqa_group_size,
        )  # fmt: skip


def _of(attrs: Any, layer: int, num_layers: int) -> Any:
    """Return the attribute of one layer: the entry of a list, or the one for all."""
    if not isinstance(attrs, (list, tuple)):
        return attrs
    if len(attrs) != num_layers:
        raise RefusedArgumentError(
            f"{num_layers} layers need as many attributes, but received {len(attrs)}."
        )
    return attrs[layer]
