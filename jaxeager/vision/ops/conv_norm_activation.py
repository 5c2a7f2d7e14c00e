"""ConvNormActivation, a building block of many vision models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager import nn

if TYPE_CHECKING:
    from collections.abc import Sequence


class ConvNormActivation(nn.Sequential):
    """A convolution, a norm and an activation, of which the last two are optional.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: an int or a pair.
        stride: an int or a pair.
        padding: an int or a pair; by default it keeps the size for a square kernel at stride 1.
        groups: groups of the convolution.
        norm_layer: function from the number of channels to a norm layer; None for no norm.
        activation_layer: makes the activation; None for no activation.
        dilation: dilation of the kernel.
        bias: whether the convolution has a bias; by default only without a norm.

    Shape:
        float[N, in_channels, H, W] to float[N, out_channels, H', W'].

    Example:
        >>> import jaxeager as paddle
        >>> block = paddle.vision.ops.ConvNormActivation(3, 8, stride=2)
        >>> block(paddle.ones([1, 3, 8, 8])).shape
        paddle.Size([1, 8, 4, 4])
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size: int | Sequence[int] = 3,
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str | None = None,
        groups=1,
        norm_layer: Callable | None = nn.BatchNorm2D,
        activation_layer: Callable | None = nn.ReLU,
        dilation=1,
        bias=None,
    ):
        if padding is None:
            widest = kernel_size if isinstance(kernel_size, int) else max(kernel_size)
            padding = (widest - 1) // 2 * dilation
        has_bias = norm_layer is None if bias is None else bias
        conv = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation=dilation,
            groups=groups,
            bias_attr=None if has_bias else False,
        )
        norm = [norm_layer(out_channels)] if norm_layer is not None else []
        activation = [activation_layer()] if activation_layer is not None else []
        super().__init__(conv, *norm, *activation)
