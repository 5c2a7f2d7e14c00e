"""The bases of quanters and observers."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """A layer that quantizes tensors; a subclass defines all of these methods.

    Example:
        >>> import jaxeager as paddle
        >>> class Halves(paddle.quantization.BaseQuanter):
        ...     def forward(self, input):
        ...         return (input * 2).round() / 2
        ...     def scales(self):
        ...         return paddle.to_tensor(63.5)
        ...     def zero_points(self):
        ...         return None
        ...     def quant_axis(self):
        ...         return -1
        ...     def bit_length(self):
        ...         return 8
        >>> Halves()(paddle.to_tensor([0.7, 1.1])).tolist()
        [0.5, 1.0]
    """

    @abc.abstractmethod
    def forward(self, input: Tensor) -> Any:
        """Return the tensor, quantized, or as it is."""

    @abc.abstractmethod
    def scales(self) -> Any:
        """Return the values that the largest integers represent; None when they are not known."""

    @abc.abstractmethod
    def zero_points(self) -> Any:
        """Return the integers that represent 0; None for 0."""

    @abc.abstractmethod
    def quant_axis(self) -> int | Iterable[int]:
        """Return the axis along which scales differ; -1 for one scale."""

    @abc.abstractmethod
    def bit_length(self) -> int | Iterable[int]:
        """Return the number of bits of an integer."""


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """A quanter that only observes tensors, and computes the scales afterwards.

    Example:
        >>> import jaxeager as paddle
        >>> issubclass(paddle.quantization.BaseObserver, paddle.quantization.BaseQuanter)
        True
    """

    @abc.abstractmethod
    def cal_thresholds(self) -> None:
        """Compute the scales from the observed tensors."""
