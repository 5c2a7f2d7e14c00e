"""paddle.common_ops_import: the names that Paddle's own operators import."""

from jaxeager.legacy import base
from jaxeager.legacy.base import core
from jaxeager.legacy.base.core import VarDesc
from jaxeager.legacy.base.data_feeder import (
    check_dtype,
    check_type,
    check_variable_and_dtype,
    convert_dtype,
)
from jaxeager.legacy.base.framework import (
    convert_np_dtype_to_dtype_,
    device_guard,
    dygraph_only,
    in_dygraph_mode,
)
from jaxeager.legacy.base.layer_helper import LayerHelper
from jaxeager.nn.param_attr import ParamAttr
from jaxeager.static.default_programs import default_main_program
from jaxeager.static.programs import NAMED
from jaxeager.static.variable import Variable

OpProtoHolder = NAMED["OpProtoHolder"]

__all__ = [
    "LayerHelper", "OpProtoHolder", "ParamAttr", "VarDesc", "Variable", "base", "check_dtype",
    "check_type", "check_variable_and_dtype", "convert_dtype", "convert_np_dtype_to_dtype_",
    "core", "default_main_program", "device_guard", "dygraph_only", "in_dygraph_mode",
]  # fmt: skip
