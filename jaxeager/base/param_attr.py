"""paddle.base.param_attr: how a parameter is made."""

from jaxeager.nn.param_attr import ParamAttr
from jaxeager.static.programs import NAMED

WeightNormParamAttr = NAMED["WeightNormParamAttr"]

__all__ = ["ParamAttr", "WeightNormParamAttr"]
