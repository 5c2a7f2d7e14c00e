"""The QuantedConv2D layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.quant.qat.linear import QuantedLayer

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.quantization.config import SingleLayerConfig
    from jaxeager.tensor.tensor import Tensor


class PaddedConv2D:
    """The convolution of a Conv2D layer, with a different input and weight.

    Args:
        layer: the Conv2D.
    """

    def __init__(self, layer: Layer):
        self.mode, self.data_format = layer._padding_mode, layer._data_format
        self.around = None
        padding = layer._padding
        if self.mode != "zeros":
            self.around, padding = [padding] * 4, 0
        self.window = (layer._stride, padding, layer._dilation, layer._groups)

    def __call__(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Return the convolution."""
        if self.around is not None:
            x = F.pad(x, self.around, mode=self.mode, data_format=self.data_format)
        return F.conv2d(x, weight, bias, *self.window, data_format=self.data_format)


class QuantedConv2D(QuantedLayer):
    """A Conv2D layer that passes its input and weight through quanters."""

    def __init__(self, layer: Layer, q_config: SingleLayerConfig):
        super().__init__(layer, q_config)
        self._convolve = PaddedConv2D(layer)

    def forward(self, input: Tensor) -> Tensor:
        """Return the convolution of the rounded input and weight."""
        return self._convolve(*self._seen(input), self.bias)
