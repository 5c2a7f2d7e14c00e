"""The largest absolute value of groups of a weight's rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import RefusedArgumentError
from jaxeager.quantization.bases import BaseObserver
from jaxeager.quantization.factory import ObserverFactory

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class GroupWiseWeightObserver(ObserverFactory):
    """A factory of observers of the largest absolute value of each 128 rows of a column.

    Args:
        quant_bits: the number of bits of an integer.
        group_size: ignored, as in Paddle: the groups have 128 rows.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.quantization.observers.GroupWiseWeightObserver()
        GroupWiseWeightObserver(quant_bits=8)
    """

    def __init__(self, quant_bits: int = 8, group_size: int = 128):
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> type[GroupWiseWeightObserverLayer]:
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(BaseObserver):
    """The observer that ``GroupWiseWeightObserver`` creates for a layer."""

    def __init__(self, layer: paddle.nn.Layer, quant_bits: int = 8, group_size: int = 128):
        super().__init__()
        self._quant_bits, self.group_size, self._layer = quant_bits, group_size, layer
        self._max: Tensor | None = None
        self._scale: Tensor | None = None
        self._zero_point: Tensor | None = None

    def forward(self, inputs: Tensor) -> Tensor:
        """Observe the weight, and return it.

        Raises:
            RefusedArgumentError: for anything but a matrix, or rows that are not whole groups.
        """
        if self.group_size not in (64, 128):
            raise RefusedArgumentError("group_size only support 64 or 128")
        if inputs.ndim != 2 or inputs.shape[0] % self.group_size:
            raise RefusedArgumentError(
                f"the weight must be a matrix of whole groups of {self.group_size} rows, "
                f"but received the shape {list(inputs.shape)}."
            )
        groups = inputs.abs().reshape([-1, self.group_size, inputs.shape[1]]).max(1)
        groups = groups.astype("float32")
        self._max = paddle.where(groups == 0.0, paddle.full_like(groups, 1e-8), groups)
        return inputs

    def min_value(self) -> float:
        """Return 0."""
        return 0.0

    def max_value(self) -> Tensor | None:
        """Return the largest absolute values, float[groups, columns]."""
        return self._max

    def bit_length(self) -> int:
        """Return the number of bits of an integer."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """Return -1."""
        return -1

    def cal_thresholds(self) -> None:
        """Set the scales to the largest absolute values."""
        if self._scale is None:
            self._scale = self._max
        if self._scale is not None:
            self._zero_point = paddle.zeros_like(self._scale)

    def scales(self) -> Tensor | None:
        """Return the scales, float[groups, columns]; None if nothing was observed."""
        if self._scale is None:
            self.cal_thresholds()
        return self._scale

    def zero_points(self) -> Tensor | None:
        """Return zeros, float[groups, columns]; None if nothing was observed."""
        if self._zero_point is None:
            self.cal_thresholds()
        return self._zero_point
