"""QAT and PTQ: a copy of a model whose layers round their operands."""

from __future__ import annotations

import abc
import copy
from collections.abc import Callable

from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from jaxeager.quantization.bases import BaseQuanter
from jaxeager.quantization.config import QuantConfig


class Quantization(metaclass=abc.ABCMeta):
    """The common base of QAT and PTQ: it replaces layers, and converts observers to rounding steps.

    Args:
        config: which layers are quantized, and how; it is copied.
    """

    def __init__(self, config: QuantConfig):
        self._config = copy.deepcopy(config)

    @abc.abstractmethod
    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Return a model with replaced layers."""

    def convert(self, model: Layer, inplace: bool = False, remain_weight: bool = False) -> Layer:
        """Return a model for inference, with integer weights and fixed scales.

        Args:
            model: a model that ``quantize`` returned, after training or calibration.
            inplace: whether to change the model itself, instead of a copy.
            remain_weight: whether to keep the weights as they are, and round them in each call.

        Paddle: fails for quanters without zero points, FakeQuanterWithAbsMaxObserver among them.
        """
        model = model if inplace else copy.deepcopy(model)

        def other(child: Layer) -> Layer | None:
            if isinstance(child, ConvertibleQuantedLayer):
                if not child.converted and _has_scale(child):
                    child._convert(remain_weight=remain_weight)
                return child
            if isinstance(child, BaseQuanter):
                return LinearQuanterDequanter.from_quanter(child)
            return None

        _replace(model, other)
        return model

    def _prepared(self, model: Layer) -> Layer:
        """Replace the layers of a model that have a quantized class, and observe leaves."""
        config = self._config
        config._specify(model)
        targets = {*config._qat_layer_mapping.values()}

        def quantized(child: Layer) -> Layer | None:
            if config._is_quantifiable(child) and type(child) in config.qat_layer_mappings:
                return config._get_qat_layer(child)
            return None

        def observed(child: Layer) -> Layer | None:
            if config._need_observe(child):
                return config._get_observe_wrapper(child)
            return child if type(child) in targets else None

        _replace(model, quantized)
        _replace(model, observed)
        return model

    def __repr__(self) -> str:
        return self._config.details()


def _has_scale(layer: ConvertibleQuantedLayer) -> bool:
    """Return whether the scale of a layer's weight is known, or it has no weight."""
    if not hasattr(layer, "weight_quanter"):
        return True
    return layer.weight_quanter is not None and layer.weight_quanter.scales() is not None


def _replace(model: Layer, other: Callable[[Layer], Layer | None]) -> None:
    """Replace each layer for which ``other`` returns a layer; descend into the others."""
    waiting = [model]
    while waiting:
        parent = waiting.pop()
        for name, child in list(parent.named_children()):
            found = other(child)
            if found is None:
                waiting.append(child)
            elif found is not child:
                parent._sub_layers[name] = found


class QAT(Quantization):
    """Quantization-aware training: a model trains with rounded operands.

    Args:
        config: which layers are quantized, and how.

    Example:
        >>> import jaxeager as paddle
        >>> quanter = paddle.quantization.quanters.FakeQuanterWithAbsMaxObserver()
        >>> qat = paddle.quantization.QAT(paddle.quantization.QuantConfig(quanter, quanter))
        >>> model = qat.quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 3)))
        >>> model(paddle.ones([1, 2])).shape
        paddle.Size([1, 3])
        >>> qat.convert(model)[0].weight_quanter._quanter is None
        True
    """

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Return a model that rounds, and passes gradients through.

        Args:
            model: a model in training.
            inplace: whether to change the model itself, instead of a copy.

        Raises:
            RefusedArgumentError: for a model that is not in training.
        """
        if not model.training:
            raise RefusedArgumentError(
                "Quantization-Aware Training should work on training models. Please set training "
                "mode by model.train()."
            )
        return self._prepared(model if inplace else copy.deepcopy(model))


class PTQ(Quantization):
    """Quantization after training: the scales are computed from examples.

    Args:
        config: which layers are quantized, and how.

    Example:
        >>> import jaxeager as paddle
        >>> observer = paddle.quantization.observers.AbsmaxObserver()
        >>> ptq = paddle.quantization.PTQ(paddle.quantization.QuantConfig(observer, observer))
        >>> trained = paddle.nn.Sequential(paddle.nn.Linear(2, 3))
        >>> trained = trained.eval()
        >>> model = ptq.quantize(trained)
        >>> seen = model(paddle.ones([1, 2]))
        >>> ptq.convert(model)(paddle.ones([1, 2])).shape
        paddle.Size([1, 3])
    """

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Return a model that observes.

        Args:
            model: a trained model, in evaluation.
            inplace: whether to change the model itself, instead of a copy.

        Raises:
            RefusedArgumentError: for a model that is in training.
        """
        if model.training:
            raise RefusedArgumentError(
                "Post-Training Quantization should not work on training models. Please set "
                "evaluation mode by model.eval()."
            )
        return self._prepared(model if inplace else copy.deepcopy(model))
