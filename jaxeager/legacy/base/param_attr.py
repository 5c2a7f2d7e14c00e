"""paddle.base.param_attr: the attributes of parameters."""

from jaxeager.nn.param_attr import ParamAttr
from jaxeager.static.programs import NAMED

WeightNormParamAttr = NAMED["WeightNormParamAttr"]

__all__ = ["ParamAttr", "WeightNormParamAttr"]
