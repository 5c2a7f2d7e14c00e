"""The saved form of a quantized model: its weights are rounded once, not in every run."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant.fake_layers import FakeQuantAbsMax, FakeQuantChannelWiseAbsMax
from jaxeager.nn.quant.simulate import along, steps_of, top_step
from jaxeager.quantization.imperative.utils import fake_quant_wrap_layers

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


class FromIntegers(Layer):
    """Layer that returns the numbers that integers represent.

    Args:
        scale: the value of the highest integer, of a shape that broadcasts.
        bits: number of bits of an integer.
        dtype: dtype of the numbers.
    """

    def __init__(self, scale: paddle.Tensor, bits: int, dtype: DTypeLike):
        super().__init__()
        self.register_buffer("scale", scale)
        self._top, self._to = top_step(bits), dtype

    def forward(self, integers: paddle.Tensor) -> paddle.Tensor:
        """Return the numbers."""
        return integers.astype(self._to) * self.scale.astype(self._to) / self._top


def frozen(model: Layer, integers: bool = False) -> Layer:
    """Return a copy of a quantized model, in evaluation, with rounded weights.

    It computes what the model computes in evaluation.

    Args:
        model: the model.
        integers: whether the weights are stored as int8, or int16 for more than 8 bits, and their
            scales; otherwise as rounded floats. A weight that a user's own layer rounds is stored
            as floats.

    Raises:
        InvalidTypeError: for a model that cannot be copied.
    """
    try:
        made = copy.deepcopy(model)
    except TypeError as error:
        raise InvalidTypeError(f"The model cannot be copied to be saved: {error}") from error
    made.eval()
    for layer in made.sublayers(include_self=True):
        if isinstance(layer, tuple(fake_quant_wrap_layers)):
            _freeze(layer, integers)
        threshold = getattr(layer, "_out_threshold", None)
        if threshold is not None:
            layer.register_buffer("out_threshold", paddle.to_tensor(threshold, "float32"))
    return made


def _freeze(layer: Any, integers: bool) -> None:
    """Round the weight of a quantized layer, and let the layer use it as it is."""
    quanter = layer._fake_quant_weight
    with paddle.no_grad():
        weight = layer.weight.detach()
        if layer._weight_preprocess is not None:
            weight = layer._weight_preprocess(weight)
        rounded = quanter(weight).detach()
    layer._weight_preprocess, layer._fake_quant_weight = None, paddle.nn.Identity()
    if integers and isinstance(quanter, (FakeQuantAbsMax, FakeQuantChannelWiseAbsMax)):
        rounded = _as_integers(layer, weight, quanter)
    del layer.weight
    layer.register_buffer("weight", rounded)


def _as_integers(layer: Any, weight: paddle.Tensor, quanter: Any) -> paddle.Tensor:
    """Return a weight as integers, and let a layer turn them into numbers."""
    scale = along(quanter._scale.detach(), getattr(quanter, "_quant_axis", -1), weight.ndim)
    layer._fake_quant_weight = FromIntegers(scale, quanter._quant_bits, weight.dtype)
    steps = steps_of(weight, scale.astype(weight.dtype), quanter._quant_bits)
    return steps.astype("int8" if quanter._quant_bits <= 8 else "int16")
