"""Layers that round a tensor, or record the scale for rounding it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core.ignored_arguments import unheeded
from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant.moving_average import MovingScale, fixed_parameter
from jaxeager.nn.quant.simulate import along, largest, simulated

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


class FakeQuantAbsMax(Layer):
    """Layer that rounds a tensor, with its largest absolute value as the scale.

    Args:
        name: prefix of the scale's name.
        quant_bits: number of bits of an integer.
        dtype: the dtype of the scale.
        quant_on_weight: whether to keep the scale, as ``_scale``.
        reduce_type: "max" for the maximum over all processes; there is only one.

    Shapes:
        float[...] to the same.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantAbsMax(quant_bits=3)
        >>> layer(paddle.to_tensor([3.0, 1.2, -0.4])).tolist()
        [3.0, 1.0, 0.0]
    """

    def __init__(
        self,
        name: str | None = None,
        quant_bits: int = 8,
        dtype: DTypeLike = "float32",
        quant_on_weight: bool = False,
        reduce_type: str | None = None,
    ):
        unheeded(
            "FakeQuantAbsMax", "the scale has the dtype of the input", dtype=(dtype, "float32")
        )
        super().__init__()
        self._quant_bits, self._name, self._reduce_type = quant_bits, name, reduce_type
        self._scale = None
        if quant_on_weight:
            prefix = f"{name or 'quant_dequant'}.scale"
            self._scale = fixed_parameter(self, [1], prefix, 0.001, self._dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rounded input, whose gradient is the input's."""
        scale = largest(input.detach())
        if self._scale is not None:
            self._scale.set_value(scale.astype(self._scale.dtype))
        return simulated(input, scale, self._quant_bits)


class FakeQuantChannelWiseAbsMax(Layer):
    """Layer that rounds a weight, with the largest absolute value of each channel as the scale.

    Args:
        name: prefix of the scale's name.
        channel_num: number of channels.
        quant_bits: number of bits of an integer.
        quant_axis: the axis of the channels.
        dtype: the dtype of the scale.
        quant_on_weight: True.
        reduce_type: "max" for the maximum over all processes; there is only one.

    Shapes:
        float[...] to the same.

    Raises:
        RefusedArgumentError: without ``quant_on_weight``.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantChannelWiseAbsMax(
        ...     channel_num=2, quant_bits=2, quant_on_weight=True
        ... )
        >>> layer(paddle.to_tensor([[2.0, 0.8], [4.0, -3.0]])).tolist()
        [[2.0, 0.0], [4.0, -4.0]]
    """

    def __init__(
        self,
        name: str | None = None,
        channel_num: int | None = None,
        quant_bits: int = 8,
        quant_axis: int = 0,
        dtype: DTypeLike = "float32",
        quant_on_weight: bool = False,
        reduce_type: str | None = None,
    ):
        if not quant_on_weight or channel_num is None:
            raise RefusedArgumentError(
                "Channel_wise only can be used on weight quantization: give quant_on_weight=True "
                "and channel_num."
            )
        super().__init__()
        self._quant_bits, self._quant_axis = quant_bits, quant_axis
        self._name, self._channel_num, self._reduce_type = name, channel_num, reduce_type
        prefix = f"{name or 'quant_dequant'}.scale"
        self._scale = fixed_parameter(self, [channel_num], prefix, 0.0, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rounded weight, whose gradient is the weight's."""
        self._scale.set_value(largest(input.detach(), self._quant_axis))
        scale = along(self._scale.detach(), self._quant_axis, input.ndim)
        return simulated(input, scale, self._quant_bits)


class FakeQuantMovingAverageAbsMax(MovingScale):
    """Layer that rounds tensors by a moving mean of their largest absolute values.

    Args:
        name: prefix of the parameters' names.
        moving_rate: fraction of the mean kept at each step.
        quant_bits: number of bits of an integer.
        dtype: the dtype of the scale.
        reduce_type: "max" for the maximum over all processes; there is only one.

    Shapes:
        float[...] to the same.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantMovingAverageAbsMax(moving_rate=0.0)
        >>> layer(paddle.to_tensor([127.0, 1.2])).tolist()
        [127.0, 1.0]
    """

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        quant_bits: int = 8,
        dtype: DTypeLike = "float32",
        reduce_type: str | None = None,
    ):
        super().__init__()
        self._quant_bits, self._reduce_type = quant_bits, reduce_type
        self._make_scale(name, moving_rate, dtype, "quant_dequant", 0.001, 1.0)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rounded input, whose gradient is the input's."""
        return self._rounded(input, self._quant_bits)


class MovingAverageAbsMaxScale(MovingScale):
    """Layer that tracks a moving mean of the largest absolute values of tensors, left unchanged.

    Args:
        name: prefix of the parameters' names.
        moving_rate: fraction of the mean kept at each step.
        dtype: the dtype of the scale.
        reduce_type: "max" for the maximum over all processes; there is only one.

    Shapes:
        float[...] to the same.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.quant.quant_layers.MovingAverageAbsMaxScale()
        >>> layer(paddle.to_tensor([2.0, -3.0])).tolist(), layer._scale.item()
        ([2.0, -3.0], 3.0)
    """

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        dtype: DTypeLike = "float32",
        reduce_type: str | None = None,
    ):
        super().__init__()
        self._reduce_type = reduce_type
        self._make_scale(name, moving_rate, dtype, "outscale", 0.0, 0.0)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input; in training, update the scale from it."""
        self._moved(input)
        return input


QuantStub = MovingAverageAbsMaxScale
