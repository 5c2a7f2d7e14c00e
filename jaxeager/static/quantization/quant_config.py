"""paddle.static.quantization.quant_config: no op of a static graph is quantized, as there are none.

PaddleSlim reads the tables when it is imported.
"""

from jaxeager.core.unsupported_names import refused
from jaxeager.static.quantization.reason import QUANTIZATION_REASON

SUPPORT_WEIGHT_QUANTIZATION_OP_DICT: dict[str, list[list[str]]] = {}
SUPPORT_ACT_QUANTIZATION_OP_DICT: dict[str, list[list[str]]] = {}
SUPPORT_QUANTIZATION_OP_DICT: dict[str, list[list[str]]] = {}

_named = refused(
    "paddle.static.quantization.quant_config",
    QUANTIZATION_REASON,
    "ARMCPUQuantizer BaseQuantizer TensorRTQuantizer",
)
globals().update(_named)
__all__ = [
    "SUPPORT_ACT_QUANTIZATION_OP_DICT",
    "SUPPORT_QUANTIZATION_OP_DICT",
    "SUPPORT_WEIGHT_QUANTIZATION_OP_DICT",
]
__all__ += list(_named)
