"""Adaptive and fractional pooling layers, which have an output of a given size."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


_AVG_DOC = """Layer that averages windows chosen so that the output has a given size.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        data_format: {layouts}.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(2)(paddle.ones({shape})).shape
        paddle.Size({result})
    """

_MAX_DOC = """Layer that takes maxima of windows chosen so that the output has a given size.

    Args:
        output_size: {sizes}.
        return_mask: also return the positions of the maxima.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(2)(paddle.ones({shape})).shape
        paddle.Size({result})
    """
_SIZES = "an int, or one per dimension; None keeps that dimension"

_FRACTIONAL_DOC = """Layer that takes maxima of windows of {things}, placed by a random number.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        kernel_size: size of the windows, which then overlap; None for adjacent windows.
        random_u: the number, in (0, 1); drawn at each call if None.
        return_mask: also return the positions of the maxima.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(2)(paddle.ones({shape})).shape
        paddle.Size({result})
    """


class AdaptiveAvgPool1D(Layer):
    """Layer that averages windows chosen so that the output has a given size.

    Args:
        output_size: an int.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveAvgPool1D(2)(paddle.ones([1, 1, 4])).shape
        paddle.Size([1, 1, 2])
    """

    def __init__(self, output_size: int, name: str | None = None):
        super().__init__()
        self.output_size, self.name = output_size, name

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, output_size=self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolOfSpace(Layer):
    """Base of AdaptiveAvgPool2D and AdaptiveAvgPool3D."""

    _space: Space

    output_size = property(attrgetter("_output_size"))

    def __init__(
        self,
        output_size: int | Sequence[int],
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__()
        self._output_size, self._data_format, self._name = output_size, data_format, name

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}"


@member(_AVG_DOC, shape=[1, 1, 4, 4], result=[1, 1, 2, 2])
class AdaptiveAvgPool2D(_AdaptiveAvgPoolOfSpace):
    _space = IMAGES

    def forward(self, x: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(
            x, output_size=self._output_size, data_format=self._data_format
        )


@member(_AVG_DOC, shape=[1, 1, 4, 4, 4], result=[1, 1, 2, 2, 2])
class AdaptiveAvgPool3D(_AdaptiveAvgPoolOfSpace):
    _space = VOLUMES

    def forward(self, x: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(
            x, output_size=self._output_size, data_format=self._data_format
        )


class _AdaptiveMaxPool(Layer):
    """Base of the adaptive max pooling layers."""

    _space: Space

    return_indices = property(attrgetter("_return_mask"))

    def __init__(
        self, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None
    ):
        super().__init__()
        self._output_size, self._return_mask, self._name = output_size, return_mask, name

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


@member(_MAX_DOC, sizes="an int", shape=[1, 1, 4], result=[1, 1, 2])
class AdaptiveMaxPool1D(_AdaptiveMaxPool):
    _space = SEQUENCES

    output_size = property(attrgetter("_output_size"))
    return_mask = property(attrgetter("_return_mask"))
    name = property(attrgetter("_name"))

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_max_pool1d(
            input, output_size=self._output_size, return_mask=self._return_mask
        )


@member(_MAX_DOC, sizes=_SIZES, shape=[1, 1, 4, 4], result=[1, 1, 2, 2])
class AdaptiveMaxPool2D(_AdaptiveMaxPool):
    _space = IMAGES

    def forward(self, x: Tensor) -> Tensor:
        return F.adaptive_max_pool2d(
            x, output_size=self._output_size, return_mask=self._return_mask
        )


@member(_MAX_DOC, sizes=_SIZES, shape=[1, 1, 4, 4, 4], result=[1, 1, 2, 2, 2])
class AdaptiveMaxPool3D(_AdaptiveMaxPool):
    _space = VOLUMES

    def forward(self, x: Tensor) -> Tensor:
        return F.adaptive_max_pool3d(
            x, output_size=self._output_size, return_mask=self._return_mask
        )


class _Fractional(Layer):
    """Base of the fractional pooling layers."""

    _space: Space

    def __init__(
        self,
        output_size: int | Sequence[int],
        kernel_size: int | Sequence[int] | None = None,
        random_u: float | None = None,
        return_mask: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        self._output_size, self._kernel_size = output_size, kernel_size
        self._random_u, self._return_mask, self._name = random_u, return_mask, name

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


@member(_FRACTIONAL_DOC, shape=[1, 1, 5, 5], result=[1, 1, 2, 2])
class FractionalMaxPool2D(_Fractional):
    _space = IMAGES

    def forward(self, x: Tensor) -> Tensor:
        return F.fractional_max_pool2d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )


@member(_FRACTIONAL_DOC, shape=[1, 1, 5, 5, 5], result=[1, 1, 2, 2, 2])
class FractionalMaxPool3D(_Fractional):
    _space = VOLUMES

    def forward(self, x: Tensor) -> Tensor:
        return F.fractional_max_pool3d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )
