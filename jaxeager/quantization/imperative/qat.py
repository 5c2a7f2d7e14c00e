"""ImperativeQuantAware: a model that trains with rounded inputs and weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError, UnimplementedError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant import quant_layers
from jaxeager.quantization.imperative import fuse_utils
from jaxeager.quantization.imperative.frozen import frozen
from jaxeager.quantization.imperative.ptq_quantizer import check_bits
from jaxeager.quantization.imperative.utils import (
    check_is_layer,
    fake_quant_input_layers,
    fake_quant_leaf_layers,
    fake_quant_output_layers,
    fake_quant_wrap_layers,
    is_leaf_layer,
    is_skipped,
    layer_name_map,
    parallel_layers,
    quantized_class,
    replace_layers,
)

_WEIGHT_TYPES = ("abs_max", "channel_wise_abs_max")
_ACTIVATION_TYPES = ("moving_average_abs_max",)
_LSQ_TYPES = ("lsq_weight", "channel_wise_lsq_weight", "lsq_act")


class ImperativeQuantAware:
    """Quantization-aware training: a model trains with rounded inputs and weights.

    Layers with ``skip_quant = True`` stay as they are.

    Args:
        quantizable_layer_type: the rounded layers: names of classes, or classes.
        weight_quantize_type: "abs_max" for one scale of a weight, "channel_wise_abs_max" for one
            scale of each output channel.
        activation_quantize_type: "moving_average_abs_max".
        weight_bits: number of bits of a weight.
        activation_bits: number of bits of an input.
        moving_rate: fraction of a moving mean kept at each step.
        fuse_conv_bn: whether to fuse each Conv2D with the BatchNorm2D after it first.
        weight_preprocess_layer: class of a layer applied to the weight before it is rounded.
        act_preprocess_layer: class of a layer applied to the input before it is rounded.
        weight_quantize_layer: class of the layer that rounds the weight, instead of the type's.
        act_quantize_layer: class of the layer that rounds the input, instead of the type's.
        onnx_format: whether only the outputs of rounded layers are tracked, and weights are saved
            as integers.

    Raises:
        RefusedArgumentError: for a layer or a type that cannot be rounded, a number of bits that is
            not from 2 to 16, or anything but a class of layers.
        UnimplementedError: for the types "lsq_weight", "channel_wise_lsq_weight" and "lsq_act".

    Paddle: ``fuse_conv_bn`` leaves the model as it is. ``moving_rate`` and ``activation_bits`` are
    ignored for layers whose output is rounded, such as ``nn.quant.add``. A layer that a model has
    in several places is replaced in the first only. Accepts 0 bits, and divides by 0.

    Example:
        >>> import jaxeager as paddle
        >>> qat = paddle.quantization.ImperativeQuantAware(weight_bits=4)
        >>> model = qat.quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 3)))
        >>> type(model[0]).__name__, type(model[0]._layer).__name__
        ('MAOutputScaleLayer', 'QuantizedLinear')
    """

    def __init__(
        self,
        quantizable_layer_type: Sequence[str | type[Layer]] = (
            "Conv2D", "Linear", "Conv2DTranspose", "ColumnParallelLinear", "RowParallelLinear",
        ),
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "moving_average_abs_max",
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        fuse_conv_bn: bool = False,
        weight_preprocess_layer: type[Layer] | None = None,
        act_preprocess_layer: type[Layer] | None = None,
        weight_quantize_layer: type[Layer] | None = None,
        act_quantize_layer: type[Layer] | None = None,
        onnx_format: bool = False,
    ):  # fmt: skip
        self.fuse_conv_bn = fuse_conv_bn
        self._quantize_inputs = ImperativeQuantizeInputs(
            quantizable_layer_type, weight_quantize_type, activation_quantize_type, weight_bits,
            activation_bits, moving_rate, weight_preprocess_layer, act_preprocess_layer,
            weight_quantize_layer, act_quantize_layer,
        )  # fmt: skip
        self._quantize_outputs = ImperativeQuantizeOutputs(
            moving_rate, activation_bits, onnx_format
        )

    def quantize(self, model: Layer) -> Layer:
        """Replace layers of a model, in place, by such that round, and return the model.

        The scales of outputs are tracked as well.

        Args:
            model: the model.

        Raises:
            RefusedTypeError: when it is not a Layer.
        """
        check_is_layer(model)
        if self.fuse_conv_bn:
            fuse_utils.fuse_conv_bn(model)
        self._quantize_inputs.apply(model)
        self._quantize_outputs.apply(model)
        return model

    def save_quantized_model(
        self, layer: Layer, path: str, input_spec: Any = None, **config: Any
    ) -> None:
        """Save a quantized model for inference, with weights that are rounded already.

        With ``onnx_format`` the weights are saved as int8, or int16 for more than 8 bits, and their
        scales. The scales of inputs and outputs are among the saved weights. The model stays as it
        is.

        Args:
            layer: a model that ``quantize`` returned.
            path: the beginning of the names of the files, as for ``paddle.jit.save``.
            input_spec: for each argument an InputSpec or a tensor, as for ``paddle.jit.save``.
            **config: settings of ``paddle.jit.save``.

        Raises:
            RefusedTypeError: when the model is not a Layer.

        Paddle: without ``onnx_format`` it fails with NumPy 2.4.
        """
        self._quantize_outputs.save_quantized_model(layer, path, input_spec, **config)


class ImperativeQuantizeInputs:
    """What replaces layers by such that round input and weight.

    Args:
        quantizable_layer_type: the rounded layers: names of classes, or classes.
        weight_quantize_type: "abs_max" or "channel_wise_abs_max".
        activation_quantize_type: "moving_average_abs_max".
        weight_bits: number of bits of a weight.
        activation_bits: number of bits of an input.
        moving_rate: fraction of a moving mean kept at each step.
        weight_preprocess_layer: class of a layer applied to the weight first, or None.
        act_preprocess_layer: class of a layer applied to the input first, or None.
        weight_quantize_layer: class of the layer that rounds the weight; None for the type's.
        act_quantize_layer: class of the layer that rounds the input; None for the type's.

    Raises:
        RefusedArgumentError: as for ImperativeQuantAware.
        UnimplementedError: as for ImperativeQuantAware.
    """

    def __init__(
        self,
        quantizable_layer_type: Sequence[str | type[Layer]] = (
            "Conv2D", "Linear", "Conv2DTranspose",
        ),
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "moving_average_abs_max",
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_preprocess_layer: type[Layer] | None = None,
        act_preprocess_layer: type[Layer] | None = None,
        weight_quantize_layer: type[Layer] | None = None,
        act_quantize_layer: type[Layer] | None = None,
    ):  # fmt: skip
        self._quantizable_layer_type = tuple(_class_of(each) for each in quantizable_layer_type)
        _check_type("weight_quantize_type", weight_quantize_type, _WEIGHT_TYPES)
        _check_type("activation_quantize_type", activation_quantize_type, _ACTIVATION_TYPES)
        check_bits("weight_bits", weight_bits)
        check_bits("activation_bits", activation_bits)
        self._kwargs = {
            "weight_quantize_type": weight_quantize_type,
            "activation_quantize_type": activation_quantize_type,
            "weight_bits": weight_bits,
            "activation_bits": activation_bits,
            "moving_rate": moving_rate,
            "weight_pre_layer": _checked("weight_preprocess_layer", weight_preprocess_layer),
            "act_pre_layer": _checked("act_preprocess_layer", act_preprocess_layer),
            "weight_quant_layer": _checked("weight_quantize_layer", weight_quantize_layer),
            "act_quant_layer": _checked("act_quantize_layer", act_quantize_layer),
        }

    def apply(self, model: Layer) -> None:
        """Replace the layers of a model, in place.

        Raises:
            RefusedTypeError: when it is not a Layer.
        """
        check_is_layer(model)
        replace_layers(model, self._rounded)

    def _rounded(self, layer: Layer) -> Layer | None:
        if not isinstance(layer, self._quantizable_layer_type) or is_skipped(layer):
            return None
        return quantized_class(layer)(layer, **self._kwargs)


class ImperativeQuantizeOutputs:
    """What tracks the scales of outputs, and saves the model.

    Args:
        moving_rate: fraction of a moving mean kept at each step.
        activation_bits: number of bits of the outputs that are rounded, as of ``nn.quant.add``.
        onnx_format: whether only the outputs of rounded layers are tracked, and weights are saved
            as integers.
    """

    def __init__(
        self, moving_rate: float = 0.9, activation_bits: int = 8, onnx_format: bool = False
    ):
        self._moving_rate, self._activation_bits = moving_rate, activation_bits
        self._onnx_format = onnx_format

    def apply(self, model: Layer) -> None:
        """Wrap the layers of a model, in place, whose outputs are tracked.

        Those are the layers without sublayers and the rounded ones. Containers without a forward,
        and what is within rounded layers, stay as they are.

        Raises:
            RefusedTypeError: when it is not a Layer.

        Paddle: wraps containers such as a ParameterList too, which cannot be read afterwards, and
        adds layers to the wrapper for what a rounded layer applies to its weight.
        """
        check_is_layer(model)
        rounded = [each for each in model.sublayers() if _is_a(each, fake_quant_wrap_layers)]
        inner = {id(each) for layer in rounded for each in layer.sublayers()}
        replace_layers(model, lambda layer: None if id(layer) in inner else self._wrapped(layer))

    def _wrapped(self, layer: Layer) -> Layer | None:
        if not self._is_target_layer(layer):
            return None
        if _is_a(layer, fake_quant_output_layers):
            return quant_layers.FakeQuantMAOutputScaleLayer(
                layer, activation_bits=self._activation_bits, moving_rate=self._moving_rate
            )
        return quant_layers.MAOutputScaleLayer(layer, self._moving_rate)

    def _is_target_layer(self, layer: Layer) -> bool:
        """Return whether the output of a layer is tracked."""
        if _is_a(layer, fake_quant_wrap_layers):
            return True
        if self._onnx_format or type(layer).forward is Layer.forward:
            return False
        if isinstance(layer, paddle.nn.quant.FloatFunctionalLayer):
            return True
        return is_leaf_layer(layer) and not _is_a(layer, fake_quant_leaf_layers)

    def save_quantized_model(
        self, model: Layer, path: str, input_spec: Any = None, **config: Any
    ) -> None:
        """Save a quantized model, as ``ImperativeQuantAware.save_quantized_model`` does.

        Args:
            model: the model.
            path: the beginning of the names of the files.
            input_spec: for each argument an InputSpec or a tensor.
            **config: settings of ``paddle.jit.save``.

        Raises:
            RefusedTypeError: when the model is not a Layer.
        """
        check_is_layer(model)
        paddle.jit.save(frozen(model, self._onnx_format), path, input_spec, **config)


def _is_a(layer: Layer, classes: list[type[Layer]]) -> bool:
    return isinstance(layer, tuple(classes))


def _class_of(given: str | type[Layer]) -> type[Layer]:
    """Return the class of a layer that can be rounded, by its name or itself."""
    parallel = parallel_layers()
    found = {**layer_name_map, **parallel}.get(given) if isinstance(given, str) else given
    if found is None or found not in [*fake_quant_input_layers, *parallel.values()]:
        raise RefusedArgumentError(f"{given} is unsupported to be quantized.")
    return found


def _check_type(name: str, value: str, supported: tuple[str, ...]) -> None:
    if value in _LSQ_TYPES:
        raise UnimplementedError(
            f"{name}={value!r}: learned step sizes (LSQ) are not supported. Give a layer that has "
            "them as weight_quantize_layer or act_quantize_layer."
        )
    if value not in supported:
        raise RefusedArgumentError(
            f"Unsupported {name}: {value!r}. It can only be {' or '.join(supported)}."
        )


def _checked(name: str, given: object) -> type[Layer] | None:
    """Return a class of layers, or None."""
    if given is not None and not (isinstance(given, type) and issubclass(given, Layer)):
        raise RefusedArgumentError(f"{name} should be a class of nn.Layer, not {given!r}.")
    return given
