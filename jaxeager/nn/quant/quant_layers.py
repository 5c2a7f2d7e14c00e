"""paddle.nn.quant.quant_layers: layers that round, each built from one other layer.

``paddle.quantization`` does this for whole models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError, UnimplementedError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant.fake_layers import (
    FakeQuantAbsMax,
    FakeQuantChannelWiseAbsMax,
    FakeQuantMovingAverageAbsMax,
    MovingAverageAbsMaxScale,
    QuantStub,
)
from jaxeager.nn.quant.qat.conv import PaddedConv2D

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor

__all__ = [
    "FakeQuantAbsMax", "FakeQuantChannelWiseAbsMax", "FakeQuantMAOutputScaleLayer",
    "FakeQuantMovingAverageAbsMax", "MAOutputScaleLayer", "MovingAverageAbsMaxScale", "QuantStub",
    "QuantizedColumnParallelLinear", "QuantizedConv2D", "QuantizedConv2DTranspose",
    "QuantizedLinear", "QuantizedMatmul", "QuantizedRowParallelLinear",
]  # fmt: skip


def _quanter(kind: str, on_weight: bool, options: dict[str, Any]) -> Layer:
    """Return the rounding layer of a kind."""
    name, bits, dtype = options.get("name"), options["bits"], options.get("dtype", "float32")
    if kind == "abs_max":
        return FakeQuantAbsMax(name, bits, dtype, on_weight)
    if kind == "moving_average_abs_max":
        return FakeQuantMovingAverageAbsMax(name, options["rate"], bits, dtype)
    if kind == "channel_wise_abs_max":
        channels, axis = options.get("channels"), options.get("axis", 0)
        return FakeQuantChannelWiseAbsMax(name, channels, bits, axis, dtype, on_weight)
    raise UnimplementedError(
        "The kinds of rounding are abs_max, moving_average_abs_max and channel_wise_abs_max; "
        f"{kind!r} is not supported."
    )


class _Quantized(Layer):
    """A layer whose input and weight are rounded.

    Args:
        layer: the layer whose weight and bias these are.
        weight_bits: number of bits of the weight.
        activation_bits: number of bits of the input.
        moving_rate: fraction of a moving mean kept at each step.
        weight_quantize_type: "abs_max", "moving_average_abs_max" or "channel_wise_abs_max".
        activation_quantize_type: "abs_max" or "moving_average_abs_max".
        weight_pre_layer: makes a layer applied to the weight first, or None.
        act_pre_layer: makes a layer applied to the input first, or None.
        weight_quant_layer: makes the layer that rounds the weight; None for the type's default.
        act_quant_layer: makes the layer that rounds the input; None for the type's default.

    Raises:
        UnimplementedError: for any other type.
    """

    _axis = 1  # axis of the weight's channels

    def __init__(
        self,
        layer: Layer,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Callable[[], Layer] | None = None,
        act_pre_layer: Callable[[], Layer] | None = None,
        weight_quant_layer: Callable[[], Layer] | None = None,
        act_quant_layer: Callable[[], Layer] | None = None,
    ):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        options = {
            "name": self.weight.name, "bits": weight_bits, "rate": moving_rate,
            "channels": self.weight.shape[self._axis], "axis": self._axis, "dtype": self._dtype,
        }  # fmt: skip
        if weight_quant_layer is None:
            self._fake_quant_weight = _quanter(weight_quantize_type, True, options)
        else:
            self._fake_quant_weight = weight_quant_layer()
        options |= {"name": layer.full_name(), "bits": activation_bits}
        if act_quant_layer is None:
            self._fake_quant_input = _quanter(activation_quantize_type, False, options)
        else:
            self._fake_quant_input = act_quant_layer()
        self._act_preprocess = None if act_pre_layer is None else act_pre_layer()
        self._weight_preprocess = None if weight_pre_layer is None else weight_pre_layer()

    def _seen(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rounded input and weight."""
        x = x if self._act_preprocess is None else self._act_preprocess(x)
        weight = self.weight
        weight = weight if self._weight_preprocess is None else self._weight_preprocess(weight)
        return self._fake_quant_input(x), self._fake_quant_weight(weight)


class QuantizedConv2D(_Quantized):
    """A Conv2D layer whose input and weight are rounded.

    The arguments are a Conv2D and those of ``QuantizedLinear``.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.QuantizedConv2D(paddle.nn.Conv2D(1, 2, 3))
        >>> layer(paddle.ones([1, 1, 4, 4])).shape
        paddle.Size([1, 2, 2, 2])
    """

    _axis = 0

    def __init__(self, layer: Layer, *args: Any, **kwargs: Any):
        super().__init__(layer, *args, **kwargs)
        self._convolve = PaddedConv2D(layer)

    def forward(self, input: Tensor) -> Tensor:
        """Return the convolution of the rounded input and weight."""
        return self._convolve(*self._seen(input), self.bias)


class QuantizedConv2DTranspose(_Quantized):
    """A Conv2DTranspose layer whose input and weight are rounded.

    The arguments are a Conv2DTranspose and those of ``QuantizedLinear``.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.Conv2DTranspose(1, 2, 3)
        >>> layer = paddle.nn.quant.quant_layers.QuantizedConv2DTranspose(layer)
        >>> layer(paddle.ones([1, 1, 4, 4])).shape
        paddle.Size([1, 2, 6, 6])
    """

    def __init__(self, layer: Layer, *args: Any, **kwargs: Any):
        super().__init__(layer, *args, **kwargs)
        self._output_padding, self._data_format = layer.output_padding, layer._data_format
        self._stride, self._padding = layer._stride, layer._padding
        self._dilation, self._groups = layer._dilation, layer._groups

    def forward(self, input: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        """Return the transposed convolution of the rounded input and weight."""
        x, weight = self._seen(input)
        return F.conv2d_transpose(
            x, weight, self.bias, self._stride, self._padding,
            self._output_padding if output_size is None else 0, groups=self._groups,
            dilation=self._dilation, output_size=output_size, data_format=self._data_format,
        )  # fmt: skip


class QuantizedLinear(_Quantized):
    """A Linear layer whose input and weight are rounded.

    Args:
        layer: the Linear.
        weight_bits: number of bits of the weight.
        activation_bits: number of bits of the input.
        moving_rate: fraction of a moving mean kept at each step.
        weight_quantize_type: "abs_max", "moving_average_abs_max" or "channel_wise_abs_max".
        activation_quantize_type: "abs_max" or "moving_average_abs_max".
        weight_pre_layer: makes a layer applied to the weight first, or None.
        act_pre_layer: makes a layer applied to the input first, or None.
        weight_quant_layer: makes the layer that rounds the weight; None for the type's default.
        act_quant_layer: makes the layer that rounds the input; None for the type's default.

    Raises:
        UnimplementedError: for any other type.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.QuantizedLinear(paddle.nn.Linear(2, 3))
        >>> layer(paddle.ones([1, 2])).shape
        paddle.Size([1, 3])
    """

    def __init__(self, layer: Layer, *args: Any, **kwargs: Any):
        super().__init__(layer, *args, **kwargs)
        self.name = getattr(layer, "name", None) or getattr(layer, "_name", None)

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input @ weight + bias``, with input and weight rounded."""
        x, weight = self._seen(input)
        return F.linear(x, weight, self.bias)


class _QuantizedParallelLinear(QuantizedLinear):
    """A linear layer that could be split among processes; here one process holds all of it."""

    def __init__(self, layer: Layer, *args: Any, **kwargs: Any):
        for name in ("weight_quant_layer", "act_quant_layer"):
            if kwargs.get(name) is not None:
                raise RefusedArgumentError(
                    f"When quantizing {type(layer).__name__}, {name} should be None."
                )
        super().__init__(layer, *args, **kwargs)
        self.is_mp, self.model_parallel_group = layer.is_mp, layer.model_parallel_group


class QuantizedColumnParallelLinear(_QuantizedParallelLinear):
    """A ColumnParallelLinear whose input and weight are rounded.

    The arguments are that layer and those of ``QuantizedLinear``.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.distributed.fleet.meta_parallel.ColumnParallelLinear(2, 3)
        >>> layer = paddle.nn.quant.quant_layers.QuantizedColumnParallelLinear(layer)
        >>> layer(paddle.ones([1, 2])).shape
        paddle.Size([1, 3])
    """


class QuantizedRowParallelLinear(_QuantizedParallelLinear):
    """A RowParallelLinear whose input and weight are rounded.

    The arguments are that layer and those of ``QuantizedLinear``.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.distributed.fleet.meta_parallel.RowParallelLinear(2, 3)
        >>> layer = paddle.nn.quant.quant_layers.QuantizedRowParallelLinear(layer)
        >>> layer(paddle.ones([1, 2])).shape
        paddle.Size([1, 3])
    """


class QuantizedMatmul(Layer):
    """Matrix product of two rounded operands.

    Args:
        layer: ignored.
        weight_bits: ignored.
        activation_bits: number of bits of both operands.
        moving_rate: fraction of a moving mean kept at each step.
        weight_quantize_type: ignored.
        activation_quantize_type: "abs_max" or "moving_average_abs_max".
        weight_pre_layer: ignored.
        act_pre_layer: makes a layer applied to each operand first, or None.
        weight_quant_layer: ignored.
        act_quant_layer: makes the layers that round; None for the type's default.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.QuantizedMatmul()
        >>> layer(paddle.ones([1, 2]), paddle.ones([2, 1])).item()
        2.0
    """

    def __init__(
        self,
        layer: Layer | None = None,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Callable[[], Layer] | None = None,
        act_pre_layer: Callable[[], Layer] | None = None,
        weight_quant_layer: Callable[[], Layer] | None = None,
        act_quant_layer: Callable[[], Layer] | None = None,
    ):
        super().__init__()
        options = {"bits": activation_bits, "rate": moving_rate}

        def quanter() -> Layer:
            if act_quant_layer is not None:
                return act_quant_layer()
            return _quanter(activation_quantize_type, False, options)

        self._fake_quant_x, self._fake_quant_y = quanter(), quanter()
        self._act_preprocess_x = None if act_pre_layer is None else act_pre_layer()
        self._act_preprocess_y = None if act_pre_layer is None else act_pre_layer()

    def forward(
        self,
        x: Tensor,
        y: Tensor,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Return the product of the rounded operands."""
        x = x if self._act_preprocess_x is None else self._act_preprocess_x(x)
        y = y if self._act_preprocess_y is None else self._act_preprocess_y(y)
        return paddle.matmul(self._fake_quant_x(x), self._fake_quant_y(y), transpose_x, transpose_y)


class MAOutputScaleLayer(Layer):
    """Wrapper of a layer that tracks a moving mean of the largest absolute values of its output.

    Args:
        layer: the layer.
        moving_rate: fraction of the mean kept at each step.
        name: prefix of the parameters' names; the layer's name if None.
        dtype: the dtype of the scale.
        reduce_type: "max" for the maximum over all processes; there is only one.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.MAOutputScaleLayer(paddle.nn.ReLU())
        >>> layer(paddle.to_tensor([-2.0, 1.0])).tolist(), layer._ma_output_scale._scale.item()
        ([0.0, 1.0], 1.0)
    """

    def __init__(
        self,
        layer: Layer,
        moving_rate: float = 0.9,
        name: str | None = None,
        dtype: DTypeLike = "float32",
        reduce_type: str | None = None,
    ):
        super().__init__()
        self._layer = layer
        name = layer.full_name() if name is None else name
        self._ma_output_scale = MovingAverageAbsMaxScale(name, moving_rate, dtype, reduce_type)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the layer's output."""
        out: Any = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple, dict)) else self._ma_output_scale(out)


class FakeQuantMAOutputScaleLayer(Layer):
    """Wrapper of a layer that rounds its output by a moving mean of the largest absolute values.

    Args:
        layer: the layer.
        weight_bits: ignored.
        activation_bits: number of bits of an integer.
        moving_rate: fraction of the mean kept at each step.
        name: prefix of the parameters' names; the layer's name if None.
        reduce_type: "max" for the maximum over all processes; there is only one.
        args: ignored.
        kwargs: ignored.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantMAOutputScaleLayer(paddle.nn.ReLU())
        >>> layer(paddle.to_tensor([-2.0, 1.0])).tolist()
        [0.0, 1.0]
    """

    def __init__(
        self,
        layer: Layer,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        name: str | None = None,
        reduce_type: str | None = None,
        *args: Any,
        **kwargs: Any,
    ):
        super().__init__()
        self._layer = layer
        self._fake_quant_output = FakeQuantMovingAverageAbsMax(
            layer.full_name() if name is None else name, moving_rate, activation_bits
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the layer's output, rounded unless it consists of several tensors."""
        out: Any = self._layer(*inputs, **kwargs)
        if isinstance(out, (list, tuple)) and len(out) > 1:
            return out
        return self._fake_quant_output(out)  # type: ignore[arg-type]  # a list of one is its own
