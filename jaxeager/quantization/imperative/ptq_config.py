"""PTQConfig: the quantizers of a layer."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from jaxeager.errors import RefusedTypeError
from jaxeager.quantization.imperative.ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    BaseQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)

if TYPE_CHECKING:
    from jaxeager.nn.layer.hooks import HookRemoveHelper


class PTQConfig:
    """The quantizers of the input, the output and the weight of a layer.

    Args:
        activation_quantizer: the quantizer of input and output; each has a copy.
        weight_quantizer: the quantizer of the weight, which is copied.

    Attributes:
        in_act_quantizer: the quantizer of the input.
        out_act_quantizer: the quantizer of the output.
        wt_quantizer: the quantizer of the weight.
        quant_hook_handle: the handle of the hook that observes, on a layer of a model.
        enable_in_act_quantizer: whether the input is observed.

    Raises:
        RefusedTypeError: for a quantizer that is not for activations, or not for weights.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.quantization import AbsmaxQuantizer, PTQConfig
        >>> PTQConfig(AbsmaxQuantizer(), AbsmaxQuantizer(quant_bits=4)).wt_quantizer.quant_bits
        4
    """

    def __init__(self, activation_quantizer: BaseQuantizer, weight_quantizer: BaseQuantizer):
        _check("activation_quantizer", activation_quantizer, SUPPORT_ACT_QUANTIZERS)
        _check("weight_quantizer", weight_quantizer, SUPPORT_WT_QUANTIZERS)
        self.in_act_quantizer = copy.deepcopy(activation_quantizer)
        self.out_act_quantizer = copy.deepcopy(activation_quantizer)
        self.wt_quantizer = copy.deepcopy(weight_quantizer)
        self.quant_hook_handle: HookRemoveHelper | None = None
        self.enable_in_act_quantizer = False


def _check(name: str, quantizer: object, supported: list) -> None:
    if not isinstance(quantizer, tuple(supported)):
        names = ", ".join(each.__name__ for each in supported)
        raise RefusedTypeError(f"{name} should be one of {names}, but received {quantizer!r}.")


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())
"""The config of ImperativePTQ by default."""
