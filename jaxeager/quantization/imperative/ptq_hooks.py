"""The hook by which quantizers observe the calls of a layer."""

from __future__ import annotations

from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.layer.layer import Layer


def quant_forward_post_hook(layer: Layer, inputs: tuple, outputs: object) -> None:
    """Observe the input and the output of a layer.

    Args:
        layer: the layer, with a PTQConfig as ``_quant_config``.
        inputs: the positional arguments of the call.
        outputs: the result.

    Raises:
        RefusedArgumentError: when the layer has no config.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.ReLU()
        >>> layer._quant_config = paddle.quantization.PTQConfig(
        ...     paddle.quantization.AbsmaxQuantizer(), paddle.quantization.AbsmaxQuantizer()
        ... )
        >>> quant_forward_post_hook(layer, (), paddle.to_tensor([-3.0]))
        >>> layer._quant_config.out_act_quantizer.abs_max_vals
        [3.0]
    """
    config = getattr(layer, "_quant_config", None)
    if config is None:
        raise RefusedArgumentError(f"The layer {layer.full_name()} should have _quant_config attr.")
    if config.enable_in_act_quantizer:
        config.in_act_quantizer.sample_data(layer, inputs)
    config.out_act_quantizer.sample_data(layer, (outputs,))
