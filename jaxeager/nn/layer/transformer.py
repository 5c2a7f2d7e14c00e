"""Transformer layers, and the encoder, decoder and Transformer built from them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.attention import MultiHeadAttention, convert_mask
from jaxeager.nn.layer.common import Linear
from jaxeager.nn.layer.container import LayerList
from jaxeager.nn.layer.dropout import Dropout
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.layer.norm import LayerNorm
from jaxeager.nn.param_attr import ParamAttr

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


_convert_attention_mask = convert_mask  # Paddle's name, which programs import


def _convert_param_attr_to_list(attr, count: int) -> list:
    """Return ``count`` attributes: those of a list, or one repeated with numbered names."""
    if isinstance(attr, (list, tuple)):
        if len(attr) != count:
            raise RefusedArgumentError(
                f"length of param_attr should be {count} when it is a list/tuple, but it is "
                f"{len(attr)}."
            )
        return list(attr)
    name = attr if isinstance(attr, str) else getattr(attr, "name", None)
    if not isinstance(name, str):
        return [attr] * count
    attrs = [ParamAttr(name) if isinstance(attr, str) else copy.copy(attr) for _ in range(count)]
    for number, each in enumerate(attrs):
        each.name = f"{name}_{number}"
    return attrs


class _TransformerLayer(Layer):
    """Base of encoder and decoder layers: arguments, feed-forward part, residual sums."""

    _attentions: tuple[str, ...] = ()

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: ParamAttrLike | Sequence[ParamAttrLike] | None = None,
        bias_attr: ParamAttrLike | Sequence[ParamAttrLike] | None = None,
        layer_norm_eps: float = 1e-5,
    ):
        config = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        super().__init__()
        for name in ("d_model", "nhead", "dim_feedforward"):
            if config[name] <= 0:
                raise RefusedArgumentError(
                    f"Expected {name} to be greater than 0, but received {config[name]}"
                )
        if not hasattr(F, activation):
            raise InvalidArgumentError(f"There is no activation '{activation}' in nn.functional.")
        self._config = config
        self.activation = getattr(F, activation)
        self.normalize_before = normalize_before
        parts = len(self._attentions) + 1
        weight_attrs, bias_attrs = (
            _convert_param_attr_to_list(attr, parts) for attr in (weight_attr, bias_attr)
        )
        for number, name in enumerate(self._attentions):
            attention = MultiHeadAttention(
                d_model,
                nhead,
                dropout=dropout if attn_dropout is None else attn_dropout,
                weight_attr=weight_attrs[number],
                bias_attr=bias_attrs[number],
            )
            setattr(self, name, attention)
        last = weight_attrs[-1], bias_attrs[-1]
        self.linear1 = Linear(d_model, dim_feedforward, last[0], bias_attr=last[1])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, last[0], bias_attr=last[1])
        for number in range(1, parts + 1):
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps))
        for number in range(1, parts + 1):
            setattr(self, f"dropout{number}", Dropout(dropout))

    def _sublayer(self, number: int, x, compute):
        """Return ``x + dropout(compute(x))``, normalized before or after."""
        norm = getattr(self, f"norm{number}")
        residual = x
        if self.normalize_before:
            x = norm(x)
        x = compute(x)
        x = residual + getattr(self, f"dropout{number}")(x)
        return x if self.normalize_before else norm(x)

    def _feed_forward(self, x):
        x = self.activation(self.linear1(x))
        return self.linear2(self.dropout(x))


class TransformerEncoderLayer(_TransformerLayer):
    """One layer of an encoder: self-attention, then two linear layers, with residual sums.

    Args:
        d_model: last dimension of input and output.
        nhead: number of attention heads.
        dim_feedforward: width between the two linear layers.
        dropout: dropout probability before each residual sum.
        activation: name of a function in nn.functional.
        attn_dropout: dropout probability in the attention; ``dropout`` if None.
        act_dropout: dropout probability after the activation; ``dropout`` if None.
        normalize_before: normalize the input of each part instead of the sum after it.
        weight_attr: ParamAttr of the weights, or two: attention, linear layers.
        bias_attr: the same for the biases; False for none.
        layer_norm_eps: epsilon of the layer norms.

    Raises:
        RefusedArgumentError: if a size is not positive, or a list of attributes has another
            length.
        InvalidArgumentError: if the activation does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
        >>> layer(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    _attentions = ("self_attn",)

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        found = []

        def attend(x):
            mask = convert_mask(src_mask, x.dtype)
            if cache is None:  # Paddle's calling form, which paddle.summary shows
                return self.self_attn(x, x, x, mask)
            return _keep(self.self_attn(x, x, x, mask, cache), found)

        x = self._sublayer(1, src, attend)
        output = self._sublayer(2, x, self._feed_forward)
        return output if cache is None else (output, found[0])

    def gen_cache(self, src: Tensor) -> MultiHeadAttention.Cache:
        """Return an empty cache for inputs like ``src``."""
        return self.self_attn.gen_cache(src)


class TransformerDecoderLayer(_TransformerLayer):
    """One layer of a decoder: self-attention, attention to a memory, then two linear layers.

    Args:
        d_model: last dimension of input and output.
        nhead: number of attention heads.
        dim_feedforward: width between the two linear layers.
        dropout: dropout probability before each residual sum.
        activation: name of a function in nn.functional.
        attn_dropout: dropout probability in the attentions; ``dropout`` if None.
        act_dropout: dropout probability after the activation; ``dropout`` if None.
        normalize_before: normalize the input of each part instead of the sum after it.
        weight_attr: ParamAttr of the weights, or three: both attentions, linear layers.
        bias_attr: the same for the biases; False for none.
        layer_norm_eps: epsilon of the layer norms.

    Raises:
        RefusedArgumentError: if a size is not positive, or a list of attributes has another
            length.
        InvalidArgumentError: if the activation does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.TransformerDecoderLayer(8, 2, 16)
        >>> layer(paddle.ones([3, 4, 8]), paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 4, 8])
    """

    _attentions = ("self_attn", "cross_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor | None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: Any = None,
    ) -> Any:
        own, static = (None, None) if cache is None else cache
        found = []

        def attend(x):
            output = self.self_attn(x, x, x, convert_mask(tgt_mask, x.dtype), own)
            return output if cache is None else _keep(output, found)

        def attend_memory(x):
            mask = convert_mask(memory_mask, x.dtype)
            output = self.cross_attn(x, memory, memory, mask, static)
            return output if cache is None else _keep(output, found)

        x = self._sublayer(1, tgt, attend)
        x = self._sublayer(2, x, attend_memory)
        output = self._sublayer(3, x, self._feed_forward)
        return output if cache is None else (output, tuple(found))

    def gen_cache(
        self, memory: Tensor
    ) -> tuple[MultiHeadAttention.Cache, MultiHeadAttention.StaticCache]:
        """Return an empty cache for the self-attention, and a cache of the memory."""
        own = self.self_attn.gen_cache(memory, type=MultiHeadAttention.Cache)
        static = self.cross_attn.gen_cache(memory, memory, type=MultiHeadAttention.StaticCache)
        return own, static


def _keep(output: tuple, found: list):
    """Append the cache of an attention's output to ``found`` and return the output proper."""
    found.append(output[1])
    return output[0]


def _copies(layer: Layer, count: int) -> LayerList:
    """Return the layer and new layers of the same configuration, with their own values."""
    return LayerList(
        [layer if number == 0 else type(layer)(**layer._config) for number in range(count)]
    )


class TransformerEncoder(Layer):
    """A stack of encoder layers.

    Args:
        encoder_layer: the first layer; the others have the same configuration.
        num_layers: number of layers.
        norm: a LayerNorm for the output, or None.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
        >>> paddle.nn.TransformerEncoder(layer, 2)(paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 5, 8])
    """

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: LayerNorm | None = None
    ):
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, cache: Sequence | None = None
    ) -> Any:
        output, caches = src, []
        for number, layer in enumerate(self.layers):
            if cache is None:
                output = layer(output, src_mask=src_mask)
            else:
                output, new = layer(output, src_mask=src_mask, cache=cache[number])
                caches.append(new)
        if self.norm is not None:
            output = self.norm(output)
        return output if cache is None else (output, caches)

    def gen_cache(self, src: Tensor) -> list[MultiHeadAttention.Cache]:
        """Return an empty cache for each layer."""
        return [layer.gen_cache(src) for layer in self.layers]


class TransformerDecoder(Layer):
    """A stack of decoder layers.

    Args:
        decoder_layer: the first layer; the others have the same configuration.
        num_layers: number of layers.
        norm: a LayerNorm for the output, or None.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.TransformerDecoderLayer(8, 2, 16)
        >>> decoder = paddle.nn.TransformerDecoder(layer, 2)
        >>> decoder(paddle.ones([3, 4, 8]), paddle.ones([3, 5, 8])).shape
        paddle.Size([3, 4, 8])
    """

    def __init__(
        self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: LayerNorm | None = None
    ):
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor | None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: Sequence | None = None,
    ) -> Any:
        output, caches = tgt, []
        for number, layer in enumerate(self.layers):
            if cache is None:
                output = layer(output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
            else:
                output, new = layer(
                    output,
                    memory,
                    tgt_mask=tgt_mask,
                    memory_mask=memory_mask,
                    cache=cache[number],
                )
                caches.append(new)
        if self.norm is not None:
            output = self.norm(output)
        return output if cache is None else (output, caches)

    def gen_cache(self, memory: Tensor, do_zip: bool = False) -> list:
        """Return a cache for each layer, or, if zipped, one list per kind of cache."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches, strict=True)) if do_zip else caches


class Transformer(Layer):
    """An encoder, and a decoder that attends to its output.

    Args:
        d_model: last dimension of all sequences.
        nhead: number of attention heads.
        num_encoder_layers: number of encoder layers.
        num_decoder_layers: number of decoder layers.
        dim_feedforward: width between the linear layers.
        dropout: dropout probability before each residual sum.
        activation: name of a function in nn.functional.
        attn_dropout: dropout probability in the attentions; ``dropout`` if None.
        act_dropout: dropout probability after the activation; ``dropout`` if None.
        normalize_before: normalize the input of each part instead of the sum after it.
        weight_attr: ParamAttr of the weights; or one to three: self-attentions, cross-attention,
            linear layers (two: attentions, linear layers).
        bias_attr: the same for the biases; False for none.
        custom_encoder: an encoder to use instead.
        custom_decoder: a decoder to use instead.

    Raises:
        RefusedArgumentError: if a size is not positive, or a list of attributes has another
            length.
        InvalidArgumentError: if the activation does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Transformer(8, 2, 1, 1, 16)
        >>> model(paddle.ones([3, 5, 8]), paddle.ones([3, 4, 8])).shape
        paddle.Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: ParamAttrLike | Sequence[ParamAttrLike] | None = None,
        bias_attr: ParamAttrLike | Sequence[ParamAttrLike] | None = None,
        custom_encoder: Layer | None = None,
        custom_decoder: Layer | None = None,
    ):
        super().__init__()
        for name, size in (("d_model", d_model), ("nhead", nhead)):
            if size <= 0:
                raise RefusedArgumentError(
                    f"Expected {name} to be greater than 0, but received {size}"
                )
        shared = (dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before)
        weights = _spread(weight_attr, "weight_attr")
        biases = _spread(bias_attr, "bias_attr")
        if custom_encoder is None:
            layer = TransformerEncoderLayer(
                d_model, nhead, *shared, (weights[0], weights[2]), (biases[0], biases[2])
            )
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(d_model, nhead, *shared, weights, biases)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))
        self.decoder = custom_decoder
        self.d_model, self.nhead = d_model, nhead

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        memory = self.encoder(src, src_mask=convert_mask(src_mask, src.dtype))
        return self.decoder(
            tgt,
            memory,
            tgt_mask=convert_mask(tgt_mask, tgt.dtype),
            memory_mask=convert_mask(memory_mask, memory.dtype),
        )

    def generate_square_subsequent_mask(self, length: int | Tensor) -> Tensor:
        """Return float[length, length]: 0 on and below the diagonal, minus infinity above.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Transformer(8, 2, 1, 1, 16).generate_square_subsequent_mask(2).tolist()
            [[0.0, -inf], [0.0, 0.0]]
        """
        infinite = paddle.full([int(length), int(length)], -float("inf"))
        return paddle.triu(infinite, 1)


def _spread(attr, name: str) -> tuple:
    """Return the attributes of self-attentions, cross-attention and linear layers."""
    if not isinstance(attr, (list, tuple)):
        return (attr, attr, attr)
    if len(attr) not in (1, 2, 3):
        raise RefusedArgumentError(
            f"length of {name} should be 1 or 2 or 3 when it is a list/tuple, but it is "
            f"{len(attr)}."
        )
    return (attr[0], attr[0 if len(attr) == 2 else len(attr) // 2], attr[-1])
