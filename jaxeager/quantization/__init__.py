"""paddle.quantization: models that compute with values that integers could represent.

All values stay floats: they are rounded to the steps of integers, so they show what a device with
integers would compute. QAT trains with the rounding; PTQ first observes examples.
"""

from jaxeager.quantization import imperative, observers, quanters
from jaxeager.quantization.bases import BaseObserver, BaseQuanter
from jaxeager.quantization.config import QuantConfig
from jaxeager.quantization.factory import quanter
from jaxeager.quantization.imperative import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    ImperativePTQ,
    ImperativeQuantAware,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    PTQRegistry,
    default_ptq_config,
)
from jaxeager.quantization.quantize import PTQ, QAT

__all__ = [
    "PTQ", "QAT", "SUPPORT_ACT_QUANTIZERS", "SUPPORT_WT_QUANTIZERS", "AbsmaxQuantizer",
    "BaseObserver", "BaseQuanter", "BaseQuantizer", "HistQuantizer", "ImperativePTQ",
    "ImperativeQuantAware", "KLQuantizer", "PTQConfig", "PTQRegistry", "PerChannelAbsmaxQuantizer",
    "QuantConfig", "default_ptq_config", "imperative", "observers", "quanter", "quanters",
]  # fmt: skip
