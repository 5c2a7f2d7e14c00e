"""paddle.base: internal names that programs written for Paddle use."""

from jaxeager.core.places import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    IPUPlace,
    XPUPinnedPlace,
    XPUPlace,
)
from jaxeager.legacy.base import (
    core,
    data_feeder,
    dygraph,
    framework,
    layer_helper,
    log_helper,
    param_attr,
)
from jaxeager.legacy.base.dygraph.base import disable_dygraph, enable_dygraph
from jaxeager.legacy.base.framework import (
    cpu_places,
    cuda_places,
    device_guard,
    get_flags,
    in_dygraph_mode,
    in_dynamic_or_pir_mode,
    in_pir_mode,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
    name_scope,
    require_version,
    set_flags,
)
from jaxeager.legacy.base.layer_helper import LayerHelper
from jaxeager.nn.param_attr import ParamAttr
from jaxeager.static.build_strategy import BuildStrategy
from jaxeager.static.default_programs import default_main_program, default_startup_program
from jaxeager.static.programs import NAMED
from jaxeager.static.variable import Variable
from jaxeager.tensor import Tensor
from jaxeager.utils import unique_name

disable_imperative, enable_imperative = disable_dygraph, enable_dygraph
_REFUSED = """
    CompiledProgram Executor Program Scope WeightNormParamAttr append_backward
    global_scope gradients ipu_shard_guard program_guard scope_guard set_ipu_shard xpu_places
""".split()
globals().update({name: NAMED[name] for name in _REFUSED})

__all__ = [
    "BuildStrategy", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "IPUPlace",
    "LayerHelper", "ParamAttr", "Tensor", "Variable", "XPUPinnedPlace", "XPUPlace", "core",
    "cpu_places", "cuda_places", "data_feeder", "default_main_program", "default_startup_program",
    "device_guard", "disable_dygraph", "disable_imperative", "dygraph", "enable_dygraph",
    "enable_imperative", "framework", "get_flags", "in_dygraph_mode",
    "in_dynamic_or_pir_mode", "in_pir_mode", "is_compiled_with_cinn", "is_compiled_with_cuda",
    "is_compiled_with_rocm", "is_compiled_with_xpu", "layer_helper", "log_helper", "name_scope",
    "param_attr", "require_version", "set_flags", "unique_name",
]  # fmt: skip
__all__ += _REFUSED
