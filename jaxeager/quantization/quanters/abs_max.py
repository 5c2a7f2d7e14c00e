"""Rounding by a moving mean of the largest absolute values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.nn.quant.moving_average import MovingScale
from jaxeager.quantization.bases import BaseQuanter
from jaxeager.quantization.factory import QuanterFactory

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.tensor.tensor import Tensor


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """A factory of quanters that round by a moving mean of the largest absolute values.

    Args:
        moving_rate: the share of the mean that is kept at each step.
        bit_length: the number of bits of an integer.
        dtype: the dtype of the scale.
        name: the prefix of the names of the parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.quantization.quanters.FakeQuanterWithAbsMaxObserver(bit_length=4)
        FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.9,bit_length=4,dtype=float32)
    """

    def __init__(
        self,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: DTypeLike = "float32",
        name: str | None = None,
    ):
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)

    def _get_class(self) -> type[FakeQuanterWithAbsMaxObserverLayer]:
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(MovingScale, BaseQuanter):
    """The quanter that ``FakeQuanterWithAbsMaxObserver`` creates for a layer.

    In training each tensor updates the scale; in evaluation the scale is fixed, and larger values
    are clipped.
    """

    def __init__(
        self,
        layer: paddle.nn.Layer,
        name: str | None = None,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: DTypeLike = "float32",
    ):
        super().__init__()
        self._bit_length = bit_length
        self._make_scale(name, moving_rate, dtype, "quant_dequant", 0.001, 1.0)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rounded input; the gradient is that of the identity."""
        return self._rounded(input, self._bit_length)

    def bit_length(self) -> int:
        """Return the number of bits of an integer."""
        return self._bit_length

    def quant_axis(self) -> int:
        """Return -1, as there is one scale."""
        return -1

    def scales(self) -> Tensor:
        """Return the scale, float[1]."""
        return self._scale

    def zero_points(self) -> None:
        """Return None, as 0 represents 0."""
