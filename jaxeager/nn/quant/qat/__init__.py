"""paddle.nn.quant.qat: the layers that QAT and PTQ insert; they round their input and weight."""

from jaxeager.nn.quant.qat.conv import QuantedConv2D
from jaxeager.nn.quant.qat.linear import QuantedLinear

__all__ = ["QuantedConv2D", "QuantedLinear"]
