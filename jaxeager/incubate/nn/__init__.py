"""paddle.incubate.nn: layers of several operations in one, made of the plain ones."""

from jaxeager.incubate.nn import functional
from jaxeager.incubate.nn.layer import (
    FusedBiasDropoutResidualLayerNorm,
    FusedDropoutAdd,
    FusedLinear,
)

__all__ = ["FusedBiasDropoutResidualLayerNorm", "FusedDropoutAdd", "FusedLinear", "functional"]
