"""paddle.static.quantization: quantization of static graphs; the names raise when called."""

from jaxeager.core.unsupported_names import refused
from jaxeager.static.quantization import quant_config, utils
from jaxeager.static.quantization.reason import QUANTIZATION_REASON

_NAMES = """
    AddQuantDequantForInferencePass AddQuantDequantPass AddQuantDequantPassV2 ConvertToInt8Pass
    OutScaleForInferencePass OutScaleForTrainingPass PostTrainingQuantization
    PostTrainingQuantizationProgram Quant2Int8MkldnnPass Quant2Int8OnednnPass QuantInt8MkldnnPass
    QuantInt8OnednnPass QuantWeightPass QuantizationFreezePass QuantizationTransformPass
    QuantizationTransformPassV2 ReplaceFakeQuantDequantPass TransformForMobilePass
    WeightQuantization convert quant_aware
"""
_named = refused("paddle.static.quantization", QUANTIZATION_REASON, _NAMES)
globals().update(_named)
__all__ = ["quant_config", "utils"]
__all__ += list(_named)
