"""Deformable convolution: the function and its layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.functional.window_arguments import numbers
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.conv.deformable_conv import deformable_conv

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


@names_operands
def deform_conv2d(
    x: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    deformable_groups: int = 1,
    groups: int = 1,
    mask: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the convolution of images with pixels that are sampled at offsets.

    Args:
        x: float[N, C, H, W].
        offset: float[N, 2 * deformable_groups * kh * kw, H', W'], (row, column) distance of the
            sampled pixel from its regular position, for each element of the filter.
        weight: float[M, C / groups, kh, kw].
        bias: float[M], or None.
        stride: one int or (height, width).
        padding: one int or (height, width).
        dilation: one int or (height, width).
        deformable_groups: number of groups of channels that share offsets.
        groups: number of groups of channels that share filters.
        mask: float[N, deformable_groups * kh * kw, H', W'], factors of the samples; or None.
        name: ignored.

    Returns:
        float[N, M, H', W'].

    Raises:
        InvalidArgumentError: for shapes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])
        >>> paddle.vision.ops.deform_conv2d(x, paddle.zeros([1, 8, 2, 2]), weight).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    strides, pads = numbers(stride, 2, "stride"), numbers(padding, 2, "padding")
    dilations = numbers(dilation, 2, "dilation")
    out = deformable_conv(
        x, offset, weight, mask, strides, pads, dilations, deformable_groups, groups
    )
    return out if bias is None else paddle.add(out, paddle.reshape(bias, [1, -1, 1, 1]))


class DeformConv2D(paddle.nn.Layer):
    """Layer that convolves images with trained kernels, sampling pixels at offsets.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the kernel, one int or two.
        stride: stride of the kernel.
        padding: one int or two.
        dilation: distance of the kernel's elements.
        deformable_groups: number of groups of channels that share offsets.
        groups: number of groups of channels that are convolved separately.
        weight_attr: ParamAttr of ``weight``, float[out_channels, in_channels / groups, kh, kw];
            normal with standard deviation sqrt(2 / fan_in) by default.
        bias_attr: ParamAttr of ``bias``, float[out_channels], zeros by default; False for no bias.

    Raises:
        InvalidArgumentError: if sizes and groups do not match.

    Example:
        >>> import jaxeager as paddle
        >>> conv = paddle.vision.ops.DeformConv2D(3, 4, 2)
        >>> conv(paddle.ones([1, 3, 3, 3]), paddle.zeros([1, 8, 2, 2])).shape
        paddle.Size([1, 4, 2, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        deformable_groups: int = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
    ):
        super().__init__()
        if weight_attr is False:
            raise RefusedArgumentError("weight_attr should not be False in Conv.")
        if groups < 1 or in_channels % groups:
            raise InvalidArgumentError(
                f"in_channels must be divisible by groups, but received {in_channels} and {groups}."
            )
        self._in_channels, self._out_channels = in_channels, out_channels
        self._kernel_size = list(numbers(kernel_size, 2, "kernel_size"))
        self._stride, self._padding, self._dilation = stride, padding, dilation
        self._deformable_groups, self._groups = deformable_groups, groups
        fan_in = in_channels * self._kernel_size[0] * self._kernel_size[1]
        self.weight = self.create_parameter(
            [out_channels, in_channels // groups, *self._kernel_size],
            weight_attr,
            default_initializer=paddle.nn.initializer.Normal(0.0, (2.0 / fan_in) ** 0.5),
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Tensor, offset: Tensor, mask: Tensor | None = None) -> Tensor:
        return deform_conv2d(
            x,
            offset,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            self._dilation,
            self._deformable_groups,
            self._groups,
            mask,
        )
