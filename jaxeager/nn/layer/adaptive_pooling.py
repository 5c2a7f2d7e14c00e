"""Adaptive and fractional pooling layers: the size of the output is given."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class _AdaptiveAvgPool(Layer):
    """What the adaptive average pooling layers share."""

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}"


class AdaptiveAvgPool1D(_AdaptiveAvgPool):
    """Takes means of windows chosen so that the output has a given size.

    Args:
        output_size: an int.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveAvgPool1D(2)(paddle.ones([1, 1, 4])).shape
        [1, 1, 2]
    """

    def __init__(self, output_size: int, name: str | None = None):
        super().__init__()
        self._output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, output_size=self._output_size)


class AdaptiveAvgPool2D(_AdaptiveAvgPool):
    """Takes means of windows chosen so that the output has a given size.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        data_format: "NCHW" or "NHWC".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveAvgPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
        [1, 1, 2, 2]
    """

    output_size = property(attrgetter("_output_size"))

    def __init__(
        self, output_size: int | Sequence[int], data_format: str = "NCHW", name: str | None = None
    ):
        super().__init__()
        self._output_size, self._data_format = output_size, data_format

    def forward(self, x: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(
            x, output_size=self._output_size, data_format=self._data_format
        )


class AdaptiveAvgPool3D(_AdaptiveAvgPool):
    """Takes means of windows chosen so that the output has a given size.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        data_format: "NCDHW" or "NDHWC".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveAvgPool3D(2)(paddle.ones([1, 1, 4, 4, 4])).shape
        [1, 1, 2, 2, 2]
    """

    output_size = property(attrgetter("_output_size"))

    def __init__(
        self, output_size: int | Sequence[int], data_format: str = "NCDHW", name: str | None = None
    ):
        super().__init__()
        self._output_size, self._data_format = output_size, data_format

    def forward(self, x: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(
            x, output_size=self._output_size, data_format=self._data_format
        )


class _AdaptiveMaxPool(Layer):
    """What the adaptive max pooling layers share."""

    return_indices = property(attrgetter("_return_mask"))

    def __init__(
        self, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None
    ):
        super().__init__()
        self._output_size, self._return_mask = output_size, return_mask

    def extra_repr(self) -> str:
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveMaxPool1D(_AdaptiveMaxPool):
    """Takes maxima of windows chosen so that the output has a given size.

    Args:
        output_size: an int.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveMaxPool1D(2)(paddle.ones([1, 1, 4])).shape
        [1, 1, 2]
    """

    def forward(self, input: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return F.adaptive_max_pool1d(
            input, output_size=self._output_size, return_mask=self._return_mask
        )


class AdaptiveMaxPool2D(_AdaptiveMaxPool):
    """Takes maxima of windows chosen so that the output has a given size.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveMaxPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
        [1, 1, 2, 2]
    """

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return F.adaptive_max_pool2d(
            x, output_size=self._output_size, return_mask=self._return_mask
        )


class AdaptiveMaxPool3D(_AdaptiveMaxPool):
    """Takes maxima of windows chosen so that the output has a given size.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.AdaptiveMaxPool3D(2)(paddle.ones([1, 1, 4, 4, 4])).shape
        [1, 1, 2, 2, 2]
    """

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return F.adaptive_max_pool3d(
            x, output_size=self._output_size, return_mask=self._return_mask
        )


class _Fractional(Layer):
    """What the fractional pooling layers share."""

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


class FractionalMaxPool2D(_Fractional):
    """Takes maxima of windows of images that a random number places.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        kernel_size: size of the windows, which then overlap; None for windows that touch.
        random_u: the number, in (0, 1); drawn at each call when None.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.FractionalMaxPool2D(2)(paddle.ones([1, 1, 5, 5])).shape
        [1, 1, 2, 2]
    """

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return F.fractional_max_pool2d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )


class FractionalMaxPool3D(_Fractional):
    """Takes maxima of windows of volumes that a random number places.

    Args:
        output_size: an int, or one per dimension; None keeps that dimension.
        kernel_size: size of the windows, which then overlap; None for windows that touch.
        random_u: the number, in (0, 1); drawn at each call when None.
        return_mask: return the positions of the greatest elements too.
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.FractionalMaxPool3D(2)(paddle.ones([1, 1, 5, 5, 5])).shape
        [1, 1, 2, 2, 2]
    """

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return F.fractional_max_pool3d(
            x, self._output_size, self._kernel_size, self._random_u, self._return_mask
        )
