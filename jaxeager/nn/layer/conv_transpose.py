"""Transposed convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.conv import ConvNd

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


class Conv1DTranspose(ConvNd):
    """Applies the transpose of a convolution of sequences: the map its gradient takes.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the kernel, an int or one per dimension.
        stride: step of the kernel in the output.
        padding: an int, ints, pairs, "SAME" or "VALID".
        output_padding: added to one side of the output.
        groups: groups of channels that are convolved apart.
        dilation: distance of the kernel's elements.
        weight_attr: ParamAttr of ``weight``, float[in_channels, out_channels / groups, L];
            Xavier's uniform values by default.
        bias_attr: ParamAttr of ``bias``, float[out_channels], zeros by default; False for no bias.
        data_format: "NCL" or "NLC".

    Raises:
        InvalidArgumentError: when sizes, groups, padding or formats do not fit.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Conv1DTranspose(3, 4, 3)(paddle.ones([2, 3, 8])).shape
        [2, 4, 10]
    """

    _dims = 1
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        dilation: int | Sequence[int] = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCL",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
            weight_attr,
            bias_attr,
            output_padding=output_padding,
        )

    def forward(self, x: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv1d_transpose, x, output_size)


class Conv2DTranspose(ConvNd):
    """Applies the transpose of a convolution of images: the map its gradient takes.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the kernel, an int or one per dimension.
        stride: step of the kernel in the output.
        padding: an int, ints, pairs, "SAME" or "VALID".
        output_padding: added to one side of the output.
        dilation: distance of the kernel's elements.
        groups: groups of channels that are convolved apart.
        weight_attr: ParamAttr of ``weight``, float[in_channels, out_channels / groups, H, W];
            Xavier's uniform values by default.
        bias_attr: ParamAttr of ``bias``, float[out_channels], zeros by default; False for no bias.
        data_format: "NCHW" or "NHWC".

    Raises:
        InvalidArgumentError: when sizes, groups, padding or formats do not fit.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Conv2DTranspose(3, 4, 3)(paddle.ones([2, 3, 8, 8])).shape
        [2, 4, 10, 10]
    """

    _dims = 2
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        output_padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCHW",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
            weight_attr,
            bias_attr,
            output_padding=output_padding,
        )

    def forward(self, x: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv2d_transpose, x, output_size)


class Conv3DTranspose(ConvNd):
    """Applies the transpose of a convolution of volumes: the map its gradient takes.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the kernel, an int or one per dimension.
        stride: step of the kernel in the output.
        padding: an int, ints, pairs, "SAME" or "VALID".
        output_padding: added to one side of the output.
        dilation: distance of the kernel's elements.
        groups: groups of channels that are convolved apart.
        weight_attr: ParamAttr of ``weight``, float[in_channels, out_channels / groups, D, H, W];
            Xavier's uniform values by default.
        bias_attr: ParamAttr of ``bias``, float[out_channels], zeros by default; False for no bias.
        data_format: "NCDHW" or "NDHWC".

    Raises:
        InvalidArgumentError: when sizes, groups, padding or formats do not fit.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Conv3DTranspose(3, 4, 3)(paddle.ones([2, 3, 2, 3, 4])).shape
        [2, 4, 4, 5, 6]
    """

    _dims = 3
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        output_padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        data_format: str = "NCDHW",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
            weight_attr,
            bias_attr,
            output_padding=output_padding,
        )

    def forward(self, x: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv3d_transpose, x, output_size)
