"""Initializers, which fill parameters with their first values."""

from jaxeager.nn.initializer.constant import Assign, Constant
from jaxeager.nn.initializer.initializer import (
    Initializer,
    calculate_gain,
    set_global_initializer,
)
from jaxeager.nn.initializer.kaiming import KaimingNormal, KaimingUniform, MSRAInitializer
from jaxeager.nn.initializer.normal import Normal, TruncatedNormal
from jaxeager.nn.initializer.structured import Bilinear, Dirac, Orthogonal
from jaxeager.nn.initializer.uniform import Uniform
from jaxeager.nn.initializer.xavier import XavierInitializer, XavierNormal, XavierUniform

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "MSRAInitializer",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierInitializer",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "set_global_initializer",
]
