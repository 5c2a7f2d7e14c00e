"""paddle.incubate.nn: layers that combine several operations, composed of the plain ones."""

from jaxeager.incubate.nn import functional
from jaxeager.incubate.nn.layer.multi_transformer import FusedMultiTransformer
from jaxeager.incubate.nn.layer.plain import (
    FusedBiasDropoutResidualLayerNorm,
    FusedDropoutAdd,
    FusedLinear,
)
from jaxeager.incubate.nn.layer.transformer import (
    FusedFeedForward,
    FusedMultiHeadAttention,
    FusedTransformerEncoderLayer,
)

__all__ = [
    "FusedBiasDropoutResidualLayerNorm",
    "FusedDropoutAdd",
    "FusedFeedForward",
    "FusedLinear",
    "FusedMultiHeadAttention",
    "FusedMultiTransformer",
    "FusedTransformerEncoderLayer",
    "functional",
]
