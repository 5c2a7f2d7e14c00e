"""ImperativePTQ: a model whose layers are observed, then rounded by the observed thresholds."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import jaxeager as paddle
from jaxeager.core.user_lines import warn
from jaxeager.errors import PreconditionNotMetError, RefusedTypeError
from jaxeager.nn.layer.layer import Layer
from jaxeager.quantization.imperative import fuse_utils, ptq_config, ptq_hooks
from jaxeager.quantization.imperative.frozen import frozen
from jaxeager.quantization.imperative.ptq_quantizer import AbsmaxQuantizer
from jaxeager.quantization.imperative.ptq_registry import PTQRegistry
from jaxeager.quantization.imperative.utils import (
    check_is_layer,
    is_leaf_layer,
    is_skipped,
    quantized_class,
    replace_layers,
)


class ImperativePTQ:
    """Quantization after training: thresholds are computed from examples.

    ``quantize`` adds hooks that observe; then run the model on examples, and
    ``save_quantized_model`` rounds by what they observed.

    Args:
        quant_config: the quantizers; each layer has a copy.

    Raises:
        RefusedTypeError: for anything but a PTQConfig.

    Example:
        >>> import tempfile
        >>> import jaxeager as paddle
        >>> ptq = paddle.quantization.ImperativePTQ()
        >>> model = ptq.quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 3)).eval())
        >>> seen = model(paddle.ones([4, 2]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     spec = [paddle.static.InputSpec([None, 2])]
        ...     ptq.save_quantized_model(model, folder + "/net", spec)
        ...     loaded = paddle.jit.load(folder + "/net")
        >>> bool(paddle.allclose(loaded(paddle.ones([1, 2])), model(paddle.ones([1, 2]))))
        True
    """

    def __init__(self, quant_config: ptq_config.PTQConfig = ptq_config.default_ptq_config):
        if not isinstance(quant_config, ptq_config.PTQConfig):
            raise RefusedTypeError(f"quant_config should be a PTQConfig, not {quant_config!r}.")
        self._quant_config = quant_config

    def quantize(
        self,
        model: Layer,
        inplace: bool = False,
        fuse: bool = False,
        fuse_list: list[list[str]] | None = None,
    ) -> Layer:
        """Return a model whose layers are observed.

        Those are the layers without sublayers that PTQRegistry supports, unless they have
        ``skip_quant = True``.

        Args:
            model: a trained model.
            inplace: whether to change the model itself, instead of a copy.
            fuse: whether to fuse pairs of layers first; the model is in evaluation afterwards.
            fuse_list: the pairs, as ``fuse_layers`` takes them.

        Raises:
            RefusedTypeError: when the model is not a Layer.
            InvalidTypeError: for ``fuse`` without a list.

        Paddle: fuses a copy, even with ``inplace``.
        """
        check_is_layer(model)
        model = model if inplace else copy.deepcopy(model)
        if fuse:
            model.eval()
            fuse_utils.fuse_layers(model, fuse_list, inplace=True)
        for layer in model.sublayers():
            is_observed = PTQRegistry.is_supported_layer(layer) and is_leaf_layer(layer)
            if is_observed and not is_skipped(layer):
                self._observe(layer)
        return model

    def _observe(self, layer: Any) -> None:
        """Add a config and the hook that observes to a layer."""
        config = copy.deepcopy(self._quant_config)
        config.enable_in_act_quantizer = PTQRegistry.is_simulated_quant_layer(layer)
        layer._quant_config = config
        hook = ptq_hooks.quant_forward_post_hook
        config.quant_hook_handle = layer.register_forward_post_hook(hook, prepend=True)

    def save_quantized_model(
        self, model: Layer, path: str, input_spec: Any = None, **config: Any
    ) -> None:
        """Round the weights and inputs of a model by the observed thresholds, and save it.

        The model itself is changed: Conv2D and Linear are replaced by QuantizedConv2D and
        QuantizedLinear, whose scales are the thresholds. The saved program has rounded weights,
        and ``NAME.out_threshold`` for each observed output among the weights.

        Args:
            model: a model that ``quantize`` returned, after it has run on examples. A layer that
                none of them reached is not rounded, with a warning.
            path: the beginning of the names of the files, as for ``paddle.jit.save``.
            input_spec: for each argument an InputSpec or a tensor, as for ``paddle.jit.save``.
            **config: settings of ``paddle.jit.save``.

        Raises:
            RefusedTypeError: when the model is not a Layer.
            PreconditionNotMetError: when no layer has observed anything.

        Paddle: version 3.3.1 fails, as its layers that round cannot be traced to a program.
        """
        check_is_layer(model)
        self._convert(model)
        paddle.jit.save(frozen(model), path, input_spec, **config)

    def _convert(self, model: Layer) -> None:
        """Remove the hooks, compute the thresholds, and replace the layers that are rounded."""
        observed = {
            name: layer
            for name, layer in model.named_sublayers()
            if hasattr(layer, "_quant_config")
        }
        for layer in observed.values():
            handle = layer._quant_config.quant_hook_handle
            layer._forward_post_hooks.pop(handle._hook_id, None)  # of a copied model too
        reached = {name: each for name, each in observed.items() if _was_called(each)}
        if observed and not reached:
            raise PreconditionNotMetError(
                "No layer has observed anything: run the model that quantize() returned on "
                "examples before it is saved."
            )
        unreached = [name for name in observed if name not in reached]
        if unreached:
            warn(f"No example has reached these layers, which are not rounded: {unreached}.")
        for layer in reached.values():
            _compute_thresholds(layer)
        replace_layers(model, lambda layer: _rounded(layer) if _is_rounded(layer) else None)


def _was_called(layer: Any) -> bool:
    return bool(layer._quant_config.out_act_quantizer.abs_max_vals)


def _is_rounded(layer: object) -> bool:
    return (
        hasattr(layer, "_quant_config")
        and PTQRegistry.is_simulated_quant_layer(layer)
        and _was_called(layer)
    )


def _compute_thresholds(layer: Any) -> None:
    """Compute the thresholds of a layer's output, and of input and weight if they are rounded."""
    config = layer._quant_config
    config.out_act_quantizer.cal_thresholds()
    layer._out_threshold = config.out_act_quantizer.thresholds[0]
    if config.enable_in_act_quantizer:
        config.in_act_quantizer.cal_thresholds()
    if PTQRegistry.is_simulated_quant_layer(layer):
        config.wt_quantizer.sample_data(layer, (layer.weight,))
        config.wt_quantizer.cal_thresholds()


def _rounded(layer: Any) -> Layer:
    """Return the layer that replaces one, with the thresholds as scales."""
    config = layer._quant_config
    is_single = isinstance(config.wt_quantizer, AbsmaxQuantizer)
    made = quantized_class(layer)(
        layer,
        weight_bits=config.wt_quantizer.quant_bits,
        activation_bits=config.in_act_quantizer.quant_bits,
        weight_quantize_type="abs_max" if is_single else "channel_wise_abs_max",
        activation_quantize_type="moving_average_abs_max",
    )
    for quanter, quantizer in (
        (made._fake_quant_input, config.in_act_quantizer),
        (made._fake_quant_weight, config.wt_quantizer),
    ):
        quanter._scale.set_value(np.array(quantizer.thresholds, "float32").reshape([-1]))
    made._out_threshold = layer._out_threshold
    return made.train() if layer.training else made.eval()
