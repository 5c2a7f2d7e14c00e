"""PTQRegistry: the classes of layers that ImperativePTQ observes and rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant import quant_layers

if TYPE_CHECKING:
    from collections.abc import Iterable


class LayerInfo(NamedTuple):
    """A class of layers, and the names of arguments and results of Paddle's op for it.

    Attributes:
        layer: the class.
        input_names: names of the inputs.
        weight_names: names of the weights.
        output_names: names of the outputs.
    """

    layer: type[Layer]
    input_names: list[str]
    weight_names: list[str]
    output_names: list[str]


_Infos = dict[type[Layer], LayerInfo]
_CONV, _LINEAR = (["Input"], ["Filter"], ["Output"]), (["X"], ["Y"], ["Out"])

PTQ_LAYERS_INFO = [
    LayerInfo(paddle.nn.Conv2D, *_CONV),
    LayerInfo(paddle.nn.Linear, *_LINEAR),
    LayerInfo(paddle.nn.BatchNorm2D, ["X"], [], ["Y"]),
    *(
        LayerInfo(each, ["X"], [], ["Out"])
        for each in (
            paddle.nn.AdaptiveMaxPool2D, paddle.nn.AdaptiveAvgPool2D, paddle.nn.AvgPool2D,
            paddle.nn.MaxPool2D, paddle.nn.ReLU, paddle.nn.ReLU6, paddle.nn.Hardswish,
            paddle.nn.Swish, paddle.nn.Sigmoid, paddle.nn.Softmax, paddle.nn.Tanh,
        )
    ),
    LayerInfo(paddle.nn.quant.add, ["X", "Y"], [], ["Out"]),
]  # fmt: skip
"""The layers that are observed."""

QUANT_LAYERS_INFO = [
    LayerInfo(quant_layers.QuantizedConv2D, *_CONV),
    LayerInfo(quant_layers.QuantizedLinear, *_LINEAR),
]
"""The layers that replace some of them."""

SIMULATED_LAYERS: list[type[Layer]] = [paddle.nn.Conv2D, paddle.nn.Linear]
"""The layers that are replaced, so that input and weight are rounded."""


class PTQRegistry:
    """What is known about the classes of layers that ImperativePTQ handles.

    Attributes:
        supported_layers_map: observed class -> its LayerInfo.
        registered_layers_map: the same, with the replacing classes.

    Example:
        >>> import jaxeager as paddle
        >>> registry = paddle.quantization.PTQRegistry
        >>> registry.is_supported_layer(paddle.nn.ReLU()), registry.is_supported_layer(int)
        (True, False)
        >>> registry.layer_info(paddle.nn.Linear).weight_names
        ['Y']
    """

    supported_layers_map: ClassVar[_Infos] = {info.layer: info for info in PTQ_LAYERS_INFO}
    registered_layers_map: ClassVar[_Infos] = {
        info.layer: info for info in (*PTQ_LAYERS_INFO, *QUANT_LAYERS_INFO)
    }

    @classmethod
    def is_supported_layer(cls, layer: object) -> bool:
        """Return whether a layer, or a class, is observed."""
        return _is_one_of(layer, cls.supported_layers_map)

    @classmethod
    def is_registered_layer(cls, layer: object) -> bool:
        """Return whether a layer, or a class, is observed or replaces one that is."""
        return _is_one_of(layer, cls.registered_layers_map)

    @classmethod
    def is_simulated_quant_layer(cls, layer: object) -> bool:
        """Return whether a layer, or a class, is replaced by one that rounds."""
        return _is_one_of(layer, SIMULATED_LAYERS)

    @classmethod
    def layer_info(cls, layer: object) -> LayerInfo:
        """Return the LayerInfo of a layer or a class.

        Raises:
            RefusedArgumentError: for one that is not registered.
        """
        for each, info in cls.registered_layers_map.items():
            if layer is each or isinstance(layer, each):
                return info
        raise RefusedArgumentError(f"The input layer is not registered: {layer!r}.")


def _is_one_of(layer: object, classes: Iterable) -> bool:
    return isinstance(layer, tuple(classes)) or any(layer is each for each in classes)
