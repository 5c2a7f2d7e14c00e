"""The largest absolute value of all observed tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.quantization.bases import BaseObserver
from jaxeager.quantization.factory import ObserverFactory

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class AbsmaxObserver(ObserverFactory):
    """A factory of observers of the largest absolute value of tensors, which becomes the scale.

    Args:
        quant_bits: the number of bits of an integer.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.quantization.observers.AbsmaxObserver(quant_bits=4)
        AbsmaxObserver(quant_bits=4)
    """

    def __init__(self, quant_bits: int = 8):
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> type[AbsmaxObserverLayer]:
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(BaseObserver):
    """The observer that ``AbsmaxObserver`` creates for a layer."""

    INIT_ABS_MAX = 1e-7

    def __init__(self, layer: paddle.nn.Layer, quant_bits: int = 8):
        super().__init__()
        self._quant_bits = quant_bits
        self.abs_max_val = paddle.to_tensor(self.INIT_ABS_MAX)
        self._min: int | None = None
        self._max: Tensor | None = None
        self._scale: Tensor | None = None
        self._zero_point: Tensor | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Observe the input, and return it."""
        self._min, self._max = self.cal_min_max(input)
        return input

    def cal_min_max(self, inputs: Tensor) -> tuple[int, Tensor]:
        """Return 0, and the largest absolute value so far."""
        largest = inputs.abs().max()
        if self._max is not None:
            largest = paddle.maximum(largest, self._max.astype(inputs.dtype))
        return 0, largest

    def bit_length(self) -> int:
        """Return the number of bits of an integer."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """Return -1, as there is one scale."""
        return -1

    def cal_thresholds(self) -> None:
        """Set the scale to the largest absolute value."""
        if self._scale is None:
            self._scale = self._max
        if self._scale is not None:
            self._zero_point = paddle.zeros_like(self._scale)

    def scales(self) -> Tensor | None:
        """Return the scale; None if nothing was observed."""
        if self._scale is None:
            self.cal_thresholds()
        return self._scale

    def zero_points(self) -> Tensor | None:
        """Return 0, once the scale is known."""
        return self._zero_point
