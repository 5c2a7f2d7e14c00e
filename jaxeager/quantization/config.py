"""QuantConfig: which layers of a model are quantized, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.quant.qat import QuantedConv2D, QuantedLinear
from jaxeager.nn.quant.stub import QuanterStub, Stub
from jaxeager.quantization.wrapper import ObserveWrapper

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.quantization.factory import QuanterFactory

DEFAULT_QAT_LAYER_MAPPINGS: dict[type, type] = {
    Stub: QuanterStub,
    paddle.nn.Linear: QuantedLinear,
    paddle.nn.Conv2D: QuantedConv2D,
}
DEFAULT_LEAVES = [paddle.nn.ReLU, paddle.nn.AvgPool2D]


class SingleLayerConfig:
    """The quantization of the input and the weight of one layer.

    Args:
        activation: a factory of the quanter of the input, or None.
        weight: a factory of the quanter of the weight, or None.
    """

    def __init__(self, activation: QuanterFactory | None, weight: QuanterFactory | None):
        self.activation, self.weight = activation, weight

    def __str__(self) -> str:
        return f"activation: {self.activation}\nweight: {self.weight}"


class QuantConfig:
    """The choice of the layers of a model to quantize, and how.

    A layer has the config that was set for itself or its name, else for its class, else that of the
    layer it is in, else the global one.

    Args:
        activation: a factory of the quanters of inputs of all layers, or None.
        weight: a factory of the quanters of weights of all layers, or None.

    Example:
        >>> import jaxeager as paddle
        >>> quanter = paddle.quantization.quanters.FakeQuanterWithAbsMaxObserver(bit_length=4)
        >>> config = paddle.quantization.QuantConfig(activation=None, weight=None)
        >>> config.add_type_config(paddle.nn.Linear, activation=quanter, weight=quanter)
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
        >>> model = paddle.quantization.QAT(config).quantize(model)
        >>> type(model[0]).__name__, type(model[1]).__name__
        ('QuantedLinear', 'ReLU')
    """

    def __init__(self, activation: QuanterFactory | None, weight: QuanterFactory | None):
        given = activation is not None or weight is not None
        self._global_config = SingleLayerConfig(activation, weight) if given else None
        self._layer2config: dict[Layer, SingleLayerConfig] = {}
        self._prefix2config: dict[str, SingleLayerConfig] = {}
        self._type2config: dict[type, SingleLayerConfig] = {}
        self._model: Layer | None = None
        self._qat_layer_mapping = dict(DEFAULT_QAT_LAYER_MAPPINGS)
        self._customized_qat_layer_mapping: dict[type, type] = {}
        self._customized_leaves: list[type] = []

    # ---- settings of the user

    def add_layer_config(
        self,
        layer: Layer | list[Layer],
        activation: QuanterFactory | None = None,
        weight: QuanterFactory | None = None,
    ) -> None:
        """Set how a layer, or each layer of a list, is quantized."""
        for each in layer if isinstance(layer, list) else [layer]:
            self.add_name_config(each.full_name(), activation, weight)

    def add_name_config(
        self,
        layer_name: str | list[str],
        activation: QuanterFactory | None = None,
        weight: QuanterFactory | None = None,
    ) -> None:
        """Set how the layer with a full name, or each of a list of names, is quantized."""
        for each in layer_name if isinstance(layer_name, list) else [layer_name]:
            self._prefix2config[each] = SingleLayerConfig(activation, weight)

    def add_type_config(
        self,
        layer_type: type[Layer] | list[type[Layer]],
        activation: QuanterFactory | None = None,
        weight: QuanterFactory | None = None,
    ) -> None:
        """Set how layers of a class, or of each class of a list, are quantized."""
        for each in layer_type if isinstance(layer_type, list) else [layer_type]:
            self._type2config[each] = SingleLayerConfig(activation, weight)

    def add_qat_layer_mapping(self, source: type[Layer], target: type[Layer]) -> None:
        """Set the class that replaces another in a quantized model.

        Args:
            source: the replaced class.
            target: called with the layer and its config.

        Raises:
            RefusedArgumentError: for anything but a class of layers.
        """
        for each in (source, target):
            if not (isinstance(each, type) and issubclass(each, paddle.nn.Layer)):
                raise RefusedArgumentError(
                    "The source layer to be placed, and the target layer, should be subclasses of "
                    f"paddle.nn.Layer, but received {each!r}."
                )
        self._qat_layer_mapping[source] = target
        self._customized_qat_layer_mapping[source] = target

    def add_customized_leaf(self, layer_type: type[Layer]) -> None:
        """Quantize layers of a class as a whole, not by their sublayers."""
        self._customized_leaves.append(layer_type)

    @property
    def customized_leaves(self) -> list[type]:
        """Return the classes that are quantized as a whole."""
        return self._customized_leaves

    @property
    def qat_layer_mappings(self) -> dict[type, type]:
        """Return the replacement of each replaced class."""
        return self._qat_layer_mapping

    @property
    def default_qat_layer_mapping(self) -> dict[type, type]:
        """Return the default replacement of each replaced class, without the user's settings."""
        return DEFAULT_QAT_LAYER_MAPPINGS

    @property
    def global_config(self) -> SingleLayerConfig | None:
        """Return the config of layers without a config of their own."""
        return self._global_config

    # ---- the configs of a model's layers

    def _specify(self, model: Layer) -> None:
        """Find the config of each layer of a model."""
        self._model = model
        waiting = [model]
        while waiting:
            parent = waiting.pop()
            above = self._layer2config.get(parent, self._global_config)
            for child in parent.children():
                config = self._type2config.get(type(child), above)
                config = self._prefix2config.get(child.full_name(), config)
                if config is not None:
                    self._layer2config[child] = config
                waiting.append(child)

    def _get_config_by_layer(self, layer: Layer) -> SingleLayerConfig | None:
        return self._layer2config.get(layer)

    def _is_quantifiable(self, layer: Layer) -> bool:
        return layer in self._layer2config

    def _is_leaf(self, layer: Layer) -> bool:
        leaves = (*DEFAULT_LEAVES, *self._customized_leaves)
        return type(layer) in leaves or not layer._sub_layers

    def _need_observe(self, layer: Layer) -> bool:
        """Return whether an observer receives the input of a layer first."""
        config = self._get_config_by_layer(layer)
        return self._is_leaf(layer) and config is not None and config.activation is not None

    def _get_qat_layer(self, layer: Layer) -> Layer:
        """Return the replacement of a layer."""
        return self._qat_layer_mapping[type(layer)](layer, self._get_config_by_layer(layer))

    def _get_observe_wrapper(self, layer: Layer) -> ObserveWrapper:
        config = self._get_config_by_layer(layer)
        assert config is not None
        assert config.activation is not None
        return ObserveWrapper(config.activation._instance(layer), layer)

    # ---- printing

    def details(self) -> str:
        """Return the layers of the model that have a config, with it."""
        return str(self) if self._model is None else self._details_of(self._model)

    def _details_of(self, layer: Layer) -> str:
        lines = [
            f"({name}): {_indented(self._details_of(child))}, {self._layer2config[child]}"
            for name, child in layer.named_children()
            if child in self._layer2config
        ]
        inner = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{type(layer).__name__}({inner})"

    def __str__(self) -> str:
        text = f"Global config:\n{self._global_config}\n"
        if self._type2config:
            text += f"Layer type config:\n{self._type2config}\n"
        if self._prefix2config:
            text += f"Layer prefix config: \n{self._prefix2config}\n"
        return text


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
