"""paddle.inference: runs models that ``paddle.jit.save`` wrote, like Paddle's inference engine.

XLA compiles programs once for each shape that is passed. Settings of Paddle's own engine (passes,
oneDNN, memory) are accepted and change nothing.
"""

from jaxeager.core.unsupported_names import refused
from jaxeager.inference.config import Config
from jaxeager.inference.handles import Tensor
from jaxeager.inference.kinds import (
    DataType,
    PlaceType,
    PrecisionType,
    get_num_bytes_of_data_type,
)
from jaxeager.inference.predictor import Predictor, PredictorPool, create_predictor
from jaxeager.inference.versions import (
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)

_named = refused(
    "paddle.inference", "There are no devices of that kind under JAX.", "XpuConfig"
) | refused(
    "paddle.inference",
    "Programs are not rewritten. Cast the Layer (layer.to(dtype='bfloat16'), or "
    "paddle.amp.decorate) and save it with paddle.jit.save.",
    "convert_to_mixed_precision",
)
globals().update(_named)

__all__ = [
    "Config", "DataType", "PlaceType", "PrecisionType", "Predictor", "PredictorPool", "Tensor",
    "create_predictor", "get_num_bytes_of_data_type", "get_trt_compile_version",
    "get_trt_runtime_version", "get_version",
]  # fmt: skip
__all__ += list(_named)
