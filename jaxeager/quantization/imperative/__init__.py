"""paddle.quantization.imperative: the older way to quantize models, by class names and bits.

ImperativeQuantAware trains with rounded numbers, ImperativePTQ observes examples. The newer classes
are ``paddle.quantization.QAT`` and ``PTQ``.
"""

from jaxeager.quantization.imperative import (
    fuse_utils,
    ptq,
    ptq_config,
    ptq_hooks,
    ptq_quantizer,
    ptq_registry,
    qat,
    utils,
)
from jaxeager.quantization.imperative.ptq import ImperativePTQ
from jaxeager.quantization.imperative.ptq_config import PTQConfig, default_ptq_config
from jaxeager.quantization.imperative.ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)
from jaxeager.quantization.imperative.ptq_registry import PTQRegistry
from jaxeager.quantization.imperative.qat import ImperativeQuantAware

__all__ = [
    "SUPPORT_ACT_QUANTIZERS", "SUPPORT_WT_QUANTIZERS", "AbsmaxQuantizer", "BaseQuantizer",
    "HistQuantizer", "ImperativePTQ", "ImperativeQuantAware", "KLQuantizer", "PTQConfig",
    "PTQRegistry", "PerChannelAbsmaxQuantizer", "default_ptq_config", "fuse_utils", "ptq",
    "ptq_config", "ptq_hooks", "ptq_quantizer", "ptq_registry", "qat", "utils",
]  # fmt: skip
