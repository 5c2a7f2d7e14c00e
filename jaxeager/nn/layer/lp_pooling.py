"""Power-average pooling layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.functional.lp_pooling import padding_and_ceil
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class LPPool1D(Layer):
    """Layer that computes ``(sum of x^p)^(1/p)`` of every window of sequences.

    Args:
        norm_type: p, not 0.
        kernel_size: size of the window.
        stride: distance between windows; the window's size if None.
        padding: an int, ints, pairs, "SAME" or "VALID". A bool is interpreted as ceil_mode.
        ceil_mode: round the output's size up instead of down.
        data_format: "NCL" or "NLC".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LPPool1D(2, 2)(paddle.to_tensor([[[3.0, 4.0]]])).tolist()
        [[[5.0]]]
    """

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        ceil_mode: bool = False,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__()
        self.norm_type, self.kernel_size = float(norm_type), kernel_size
        self.stride = stride
        self.padding, self.ceil_mode = padding_and_ceil(padding, ceil_mode)
        self.data_format, self.name = data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.lp_pool1d(
            x,
            self.norm_type,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.data_format,
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )


class LPPool2D(Layer):
    """Layer that computes ``(sum of x^p)^(1/p)`` of every window of images.

    Args:
        norm_type: p, not 0.
        kernel_size: size of the window.
        stride: distance between windows; the window's size if None.
        padding: an int, ints, pairs, "SAME" or "VALID". A bool is interpreted as ceil_mode.
        ceil_mode: round the output's size up instead of down.
        data_format: "NCHW" or "NHWC".
        name: has no effect.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.LPPool2D(2, [1, 2])(paddle.to_tensor([[[[3.0, 4.0]]]])).tolist()
        [[[[5.0]]]]
    """

    def __init__(
        self,
        norm_type: float,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: str | int | Sequence[int] = 0,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self.norm_type, self.ksize = float(norm_type), kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding_and_ceil(padding, ceil_mode)
        self.data_format, self.name = data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.lp_pool2d(
            x,
            self.norm_type,
            self.ksize,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.data_format,
        )

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.ksize}, stride={self.stride}, "
            f"padding={self.padding}"
        )
