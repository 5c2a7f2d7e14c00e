"""paddle.quantization: models that compute with what integers could hold.

All numbers stay floats: they are rounded to the steps of integers (QAT learns with that, PTQ looks
at examples first), so that one sees what a device with integers would give.
"""

from jaxeager.quantization import observers, quanters
from jaxeager.quantization.bases import BaseObserver, BaseQuanter
from jaxeager.quantization.config import QuantConfig
from jaxeager.quantization.factory import quanter
from jaxeager.quantization.quantize import PTQ, QAT

__all__ = [
    "PTQ",
    "QAT",
    "BaseObserver",
    "BaseQuanter",
    "QuantConfig",
    "observers",
    "quanter",
    "quanters",
]
