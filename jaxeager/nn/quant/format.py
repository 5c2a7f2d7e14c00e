"""The inference form of quanters: layers that round to steps of a fixed scale, and back."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError, UnimplementedError
from jaxeager.nn.layer.layer import Layer
from jaxeager.nn.quant.moving_average import fixed_parameter
from jaxeager.nn.quant.simulate import dequantized, quantized

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.core.types import TensorLike
    from jaxeager.tensor.tensor import Tensor


class _Linear(Layer):
    """Base of LinearQuanter and LinearDequanter: the scales and the number of steps.

    Args:
        scales: the value of the highest step: one number, one per index of an axis, or one
            for each group of rows and each column.
        zero_point: the step that represents 0, of the shape of the scales; None for 0.
        quant_axis: the axis along which scales differ; None for one scale.
        bit_length: number of bits of an integer.
        group_size: number of rows in a group.
    """

    def __init__(
        self,
        scales: TensorLike,
        zero_point: TensorLike | None = None,
        quant_axis: int | None = None,
        bit_length: int = 8,
        group_size: int = 128,
    ):
        super().__init__()
        if not isinstance(bit_length, int):
            raise UnimplementedError(
                f"{type(self).__name__}: steps of 8-bit floats, bit_length={bit_length}, are not "
                "supported."
            )
        scales = paddle.to_tensor(scales, dtype="float32")
        zero = paddle.zeros_like(scales) if zero_point is None else zero_point
        self._scales = self._kept("scale", scales)
        self._zero_point = self._kept("zero_point", paddle.to_tensor(zero, dtype="float32"))
        self._quant_axis = -1 if quant_axis is None else quant_axis
        self._bit_length, self._group_size = bit_length, group_size
        self._qmax = 2 ** (bit_length - 1) - 1
        self._qmin = -self._qmax - 1

    def _kept(self, name: str, value: Tensor) -> Tensor:
        name = f"quant_dequant.{name}"
        made = fixed_parameter(self, list(value.shape), name, 0.0, "float32")
        made.set_value(value)
        return made

    def _scale_of(self, x: Tensor) -> tuple[Tensor, int]:
        """Return the scales in a shape that broadcasts to x, and their axis."""
        if self._scales.ndim < 2:
            return self._scales, self._quant_axis
        return self._scales.repeat_interleave(self._group_size, 0), -1

    @classmethod
    def from_quanter(cls, quanter: Any):
        """Return a layer with a quanter's scales."""
        return cls(
            quanter.scales(), quanter.zero_points(), quanter.quant_axis(), quanter.bit_length()
        )


class LinearQuanter(_Linear):
    """Layer that rounds to steps, which are integers stored as floats."""

    def forward(self, input: Tensor) -> Tensor:
        """Return each number as a number of steps."""
        x = input.astype("float32")
        return quantized(x, *self._scale_of(x), self._qmin, self._qmax).astype(input.dtype)


class LinearDequanter(_Linear):
    """Layer that turns steps into numbers."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the numbers that the steps represent."""
        x = input.astype("float32")
        return dequantized(x, *self._scale_of(x), self._qmax).astype(input.dtype)


class LinearQuanterDequanter(Layer):
    """Layer that rounds to steps and back; a weight already in steps is only dequantized.

    Args:
        quanter: rounds to steps, or None.
        dequanter: turns them into numbers, or None.
    """

    def __init__(self, quanter: Layer | None, dequanter: Layer | None):
        super().__init__()
        self._quanter, self._dequanter = quanter, dequanter

    def forward(self, input: Tensor) -> Tensor:
        """Return the rounded input."""
        for each in (self._quanter, self._dequanter):
            input = input if each is None else each(input)
        return input

    @staticmethod
    def from_quanter(quanter: Any) -> LinearQuanterDequanter:
        """Return a layer that rounds by a quanter's scales."""
        return LinearQuanterDequanter(
            LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter)
        )


class ConvertibleQuantedLayer(Layer, metaclass=abc.ABCMeta):
    """A quantized layer that can be converted for inference.

    Attributes:
        converted: whether it has been converted.
    """

    def __init__(self):
        super().__init__()
        self.converted = False

    @abc.abstractmethod
    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return the names of the weights, each with the name of its quanter."""

    @abc.abstractmethod
    def activation_quanters(self) -> list[str]:
        """Return the names of the quanters of inputs."""

    def _convert_quanter_to_qdq(self, quanter_name: str) -> LinearQuanterDequanter | None:
        """Replace a quanter by steps of fixed scales, and return them."""
        quanter = getattr(self, quanter_name, None)
        if quanter is None:
            return None
        found = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, quanter_name, found)
        return found

    def _convert(self, remain_weight: bool = False) -> None:
        """Convert the weights to integers and fix the scales.

        Raises:
            RefusedArgumentError: if it was converted before.
        """
        if self.converted:
            raise RefusedArgumentError("The model should be converted only once.")
        for weight_name, quanter_name in self.weights_to_quanters():
            found = self._convert_quanter_to_qdq(quanter_name)
            if found is not None and found._quanter is not None and not remain_weight:
                weight = getattr(self, weight_name)
                weight.set_value(found._quanter(weight))
                found._quanter = None
        for quanter_name in self.activation_quanters():
            self._convert_quanter_to_qdq(quanter_name)
        self.converted = True
