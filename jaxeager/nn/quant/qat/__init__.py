"""paddle.nn.quant.qat: layers that round their input and weight, as QAT and PTQ put them."""

from jaxeager.nn.quant.qat.conv import QuantedConv2D
from jaxeager.nn.quant.qat.linear import QuantedLinear

__all__ = ["QuantedConv2D", "QuantedLinear"]
