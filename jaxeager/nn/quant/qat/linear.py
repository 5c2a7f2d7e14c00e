"""The QuantedLinear layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.quant.format import ConvertibleQuantedLayer

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.quantization.config import SingleLayerConfig
    from jaxeager.quantization.factory import QuanterFactory
    from jaxeager.tensor.tensor import Tensor


class QuantedLayer(ConvertibleQuantedLayer):
    """A layer with a weight and a bias that passes its input and weight through quanters.

    Args:
        layer: the layer whose weight and bias these are.
        q_config: its config, with ``activation`` and ``weight``, which make quanters or are None.
    """

    def __init__(self, layer: Layer, q_config: SingleLayerConfig):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.weight_quanter = _made(q_config.weight, layer)
        self.activation_quanter = _made(q_config.activation, layer)

    def _seen(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """Return input and weight as their quanters return them."""
        activation, weight = self.activation_quanter, self.weight_quanter
        return (
            input if activation is None else activation(input),
            self.weight if weight is None else weight(self.weight),
        )

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return the weight's name and its quanter's."""
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        """Return the name of the input's quanter."""
        return ["activation_quanter"]


def _made(factory: QuanterFactory | None, layer: Layer) -> Layer | None:
    return None if factory is None else factory._instance(layer)


class QuantedLinear(QuantedLayer):
    """A Linear layer that passes its input and weight through quanters."""

    def __init__(self, layer: Layer, q_config: SingleLayerConfig):
        super().__init__(layer, q_config)
        self.name = layer.name

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input @ weight + bias``, with input and weight rounded."""
        x, weight = self._seen(input)
        return F.linear(x, weight, self.bias)
