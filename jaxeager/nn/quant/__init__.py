"""paddle.nn.quant: layers and functions of quantized models."""

from jaxeager.nn.quant import qat
from jaxeager.nn.quant.functional_layers import (
    FloatFunctionalLayer,
    add,
    concat,
    divide,
    flatten,
    matmul,
    multiply,
    reshape,
    subtract,
    transpose,
)
from jaxeager.nn.quant.quant_layers import QuantStub
from jaxeager.nn.quant.quantized_linear import (
    apply_per_channel_scale,
    llm_int8_linear,
    weight_dequantize,
    weight_only_linear,
    weight_quantize,
)
from jaxeager.nn.quant.stub import Stub

__all__ = [
    "FloatFunctionalLayer", "QuantStub", "Stub", "add", "apply_per_channel_scale", "concat",
    "divide", "flatten", "llm_int8_linear", "matmul", "multiply", "qat", "reshape", "subtract",
    "transpose", "weight_dequantize", "weight_only_linear", "weight_quantize",
]  # fmt: skip
