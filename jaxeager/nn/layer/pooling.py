"""Pooling layers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, VOLUMES, Space, member
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


_MAX_DOC = """Layer that takes the maximum of every window of {things}.

    Args:
        kernel_size: size of the window.
        stride: distance between windows; the window's size if None.
        padding: an int, ints, pairs, "SAME" or "VALID".
        return_mask: also return the positions of the maxima.
        ceil_mode: round the output's size up instead of down.
        data_format: {layouts}.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(2)(paddle.ones({shape})).shape
        paddle.Size({result})
    """

_AVG_DOC = """Layer that takes the mean of every window of {things}.

    Args:
        kernel_size: size of the window.
        stride: distance between windows; the window's size if None.
        padding: an int, ints, pairs, "SAME" or "VALID".
        ceil_mode: round the output's size up instead of down.
        exclusive: exclude the padding from the count.
        divisor_override: divide by this instead of the number of elements.
        data_format: {layouts}.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(2)(paddle.ones({shape})).shape
        paddle.Size({result})
    """


class _Pool(Layer):
    """Base of the pooling layers with a kernel: their repr."""

    ksize: int | Sequence[int]

    def extra_repr(self) -> str:
        return f"kernel_size={self.ksize}, stride={self.stride}, padding={self.padding}"


class MaxPool1D(_Pool):
    """Layer that takes the maximum of every window of sequences.

    Args:
        kernel_size: size of the window.
        stride: distance between windows; the window's size if None.
        padding: an int, ints, pairs, "SAME" or "VALID".
        return_mask: also return the positions of the maxima.
        ceil_mode: round the output's size up instead of down.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.MaxPool1D(2)(paddle.ones([1, 1, 4])).shape
        paddle.Size([1, 1, 2])
    """

    kernel_size = property(attrgetter("ksize"))

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.name = name
        self.return_mask, self.ceil_mode = return_mask, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return F.max_pool1d(
            input,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            return_mask=self.return_mask,
            ceil_mode=self.ceil_mode,
        )


class _MaxPool(_Pool):
    """Base of MaxPool2D and MaxPool3D."""

    _space: Space

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.name = name
        self.return_mask, self.ceil_mode = return_mask, ceil_mode
        self.data_format = data_format

    def _pooled(self, function, x):
        return function(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            return_mask=self.return_mask,
            ceil_mode=self.ceil_mode,
            data_format=self.data_format,
        )


@member(_MAX_DOC, shape=[1, 1, 4, 4], result=[1, 1, 2, 2])
class MaxPool2D(_MaxPool):
    _space = IMAGES

    def forward(self, x: Tensor) -> Tensor:
        return self._pooled(F.max_pool2d, x)


@member(_MAX_DOC, shape=[1, 1, 4, 4, 4], result=[1, 1, 2, 2, 2])
class MaxPool3D(_MaxPool):
    _space = VOLUMES

    def forward(self, x: Tensor) -> Tensor:
        return self._pooled(F.max_pool3d, x)


class AvgPool1D(_Pool):
    """Layer that takes the mean of every window of sequences.

    Args:
        kernel_size: size of the window.
        stride: distance between windows; the window's size if None.
        padding: an int, ints, pairs, "SAME" or "VALID".
        exclusive: exclude the padding from the count.
        ceil_mode: round the output's size up instead of down.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AvgPool1D(2)(paddle.ones([1, 1, 4])).shape
        paddle.Size([1, 1, 2])
    """

    kernel_size = property(attrgetter("ksize"))

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.name = name
        self.exclusive, self.ceil_mode = exclusive, ceil_mode

    def forward(self, x: Tensor) -> Tensor:
        return F.avg_pool1d(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            exclusive=self.exclusive,
            ceil_mode=self.ceil_mode,
        )


class _AvgPool(_Pool):
    """Base of AvgPool2D and AvgPool3D."""

    _space: Space

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = OWN_LAYOUT,
        name: str | None = None,
    ):
        super().__init__()
        self.ksize, self.stride, self.padding = kernel_size, stride, padding
        self.name = name
        self.exclusive, self.ceil_mode = exclusive, ceil_mode
        self.divisor, self.data_format = divisor_override, data_format

    def _pooled(self, function, x):
        return function(
            x,
            kernel_size=self.ksize,
            stride=self.stride,
            padding=self.padding,
            exclusive=self.exclusive,
            ceil_mode=self.ceil_mode,
            divisor_override=self.divisor,
            data_format=self.data_format,
        )


@member(_AVG_DOC, shape=[1, 1, 4, 4], result=[1, 1, 2, 2])
class AvgPool2D(_AvgPool):
    _space = IMAGES

    def forward(self, x: Tensor) -> Tensor:
        return self._pooled(F.avg_pool2d, x)


@member(_AVG_DOC, shape=[1, 1, 4, 4, 4], result=[1, 1, 2, 2, 2])
class AvgPool3D(_AvgPool):
    _space = VOLUMES

    def forward(self, x: Tensor) -> Tensor:
        return self._pooled(F.avg_pool3d, x)
