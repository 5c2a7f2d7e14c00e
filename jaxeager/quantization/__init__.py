"""paddle.quantization: models that compute with values that integers could represent.

All values stay floats: they are rounded to the steps of integers, so they show what a device with
integers would compute. QAT trains with the rounding; PTQ first observes examples.
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
