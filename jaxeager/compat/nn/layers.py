"""Layers of paddle.compat.nn: those of paddle.nn with PyTorch's argument names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.compat.nn import functional
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from jaxeager.compat.nn.types import Sizes
    from jaxeager.core.types import DTypeLike, PlaceLike

F = paddle.nn.functional


class Linear(paddle.nn.Layer):
    """Multiplies by a transposed matrix and adds a bias; initialized as in PyTorch.

    Args:
        in_features: the size of the input's last axis.
        out_features: the size of the output's last axis.
        bias: whether there is a bias.
        device: the device of the parameters; the current device when None.
        dtype: the dtype of the parameters; the default dtype when None.

    Attributes:
        weight: float[out_features, in_features].
        bias: float[out_features], or None.

    Shapes:
        float[..., in_features] to float[..., out_features].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.Linear(2, 3)(paddle.ones([4, 2])).shape
        paddle.Size([4, 3])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
    ):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(in_features) if in_features else 0.0
        near = paddle.nn.initializer.Uniform(-bound, bound)
        made = {"dtype": dtype, "device": device, "default_initializer": near}
        self.weight = self.create_parameter([out_features, in_features], **made)
        self.bias = None
        if bias:
            self.bias = self.create_parameter([out_features], is_bias=True, **made)

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input @ weight.T + bias``."""
        assert self.weight is not None
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Softmax(paddle.nn.Layer):
    """The softmax along an axis.

    Args:
        dim: the axis; None for the first of tensors with 0, 1 or 3 axes, the second of others.

    Shapes:
        float[...] to the same.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.Softmax(-1)(paddle.zeros([2])).tolist()
        [0.5, 0.5]
    """

    def __init__(self, dim: int | None = None):
        super().__init__()
        self._dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the softmax."""
        return functional.softmax(input, self._dim)

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return f"dim={self._dim}"


class Unfold(paddle.nn.Unfold):
    """The windows of images as columns.

    Args:
        kernel_size: the window size: an int, or two.
        dilation: the spacing of a window's elements: an int, or two.
        padding: zeros around the image: an int, or two.
        stride: the distance between windows: an int, or two.

    Shapes:
        float[batch, channels, height, width] to float[batch, channels * window, windows].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.Unfold(2)(paddle.ones([1, 1, 3, 3])).shape
        paddle.Size([1, 4, 4])
    """

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ):
        sizes = map(functional.as_numbers, (kernel_size, dilation, padding, stride))
        super().__init__(*sizes)


class _AvgPool(paddle.nn.Layer):
    """Means over windows.

    Args:
        kernel_size: the window size: an int, or one for each axis.
        stride: the distance between windows; the kernel size when None.
        padding: zeros on both sides.
        ceil_mode: whether windows may begin inside and end beyond the end.
        count_include_pad: whether padded zeros count.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def extra_repr(self) -> str:
        """Return the text shown when printed."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


def _single(value: int | Sequence[int]) -> tuple:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


class AvgPool1D(_AvgPool):
    """Means over windows of one axis.

    Args:
        kernel_size: the window size.
        stride: the distance between windows; the kernel size when None.
        padding: zeros at both ends.
        ceil_mode: whether windows may begin inside and end beyond the end.
        count_include_pad: whether padded zeros count.

    Shapes:
        float[batch, channels, length] to float[batch, channels, windows].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.AvgPool1D(2)(paddle.ones([1, 1, 4])).shape
        paddle.Size([1, 1, 2])
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ):
        stride = kernel_size if stride is None else stride
        sizes = _single(kernel_size), _single(stride), _single(padding)
        super().__init__(*sizes, ceil_mode, count_include_pad)

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool1d(
            input, list(self.kernel_size), list(self.stride), list(self.padding),
            not self.count_include_pad, self.ceil_mode,
        )  # fmt: skip


class _AvgPoolMore(_AvgPool):
    """Means over windows of two or three axes, with an optional divisor."""

    _function: Callable

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return type(self)._function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            not self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class AvgPool2D(_AvgPoolMore):
    """Means over windows of two axes.

    The arguments are those of ``AvgPool1D``, and ``divisor_override``, the divisor of the sums.

    Shapes:
        float[batch, channels, height, width] to the same with fewer rows and columns.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.AvgPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
        paddle.Size([1, 1, 2, 2])
    """

    _function = F.avg_pool2d


class AvgPool3D(_AvgPoolMore):
    """Means over windows of three axes.

    The arguments are those of ``AvgPool1D``, and ``divisor_override``, the divisor of the sums.

    Shapes:
        float[batch, channels, depth, height, width] to the same with fewer of the last three.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nn.AvgPool3D(2)(paddle.ones([1, 1, 2, 4, 4])).shape
        paddle.Size([1, 1, 1, 2, 2])
    """

    _function = F.avg_pool3d


AvgPool1d, AvgPool2d, AvgPool3d = AvgPool1D, AvgPool2D, AvgPool3D
