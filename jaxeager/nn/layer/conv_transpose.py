"""Transposed convolution layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.nn import functional as F
from jaxeager.nn.layer.conv import _ConvNd
from jaxeager.nn.layer.family import IMAGES, OWN_LAYOUT, SEQUENCES, VOLUMES, member

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike
    from jaxeager.tensor.tensor import Tensor


_DOC = """Transposed convolution of {things}: the gradient of a convolution for its input.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: size of the kernel, an int or one per dimension.
        stride: stride of the kernel in the output.
        padding: an int, ints, pairs, "SAME" or "VALID".
        output_padding: added to one side of the output.
        {seventh}
        {eighth}
        weight_attr: ParamAttr of ``weight``, float[in_channels, out_channels / groups, {axes}];
            Xavier's uniform values by default.
        bias_attr: ParamAttr of ``bias``, float[out_channels], zeros by default; False for no bias.
        data_format: {layouts}.

    Raises:
        InvalidArgumentError: if sizes, groups, padding or formats do not match.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.{name}(3, 4, 3)(paddle.ones({shape})).shape
        paddle.Size({result})
    """
_GROUPS = "groups: number of channel groups, which are convolved separately."
_DILATION = "dilation: distance of the kernel's elements."


class _ConvTranspose(_ConvNd):
    """Base of the transposed convolution layers."""

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
        data_format: str = OWN_LAYOUT,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            True,
            self._space.dims,
            stride,
            padding,
            output_padding=output_padding,
            dilation=dilation,
            groups=groups,
            weight_attr=weight_attr,
            bias_attr=bias_attr,
            data_format=data_format,
        )

    def _convolve_transposed(self, function, x, output_size):
        return function(
            x,
            self.weight,
            bias=self.bias,
            stride=self._stride,
            padding=self._padding,
            output_padding=0 if output_size is not None else self.output_padding,
            dilation=self._dilation,
            groups=self._groups,
            output_size=output_size,
            data_format=self._data_format,
        )


@member(_DOC, seventh=_GROUPS, eighth=_DILATION, shape=[2, 3, 8], result=[2, 4, 10])
class Conv1DTranspose(_ConvTranspose):
    _space = SEQUENCES

    # As in Paddle, groups precedes dilation here, and follows it in the other two layers.
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
        data_format: str = OWN_LAYOUT,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
        )

    def forward(self, x: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv1d_transpose, x, output_size)


@member(_DOC, seventh=_DILATION, eighth=_GROUPS, shape=[2, 3, 8, 8], result=[2, 4, 10, 10])
class Conv2DTranspose(_ConvTranspose):
    _space = IMAGES

    def forward(self, x: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv2d_transpose, x, output_size)


@member(_DOC, seventh=_DILATION, eighth=_GROUPS, shape=[2, 3, 2, 3, 4], result=[2, 4, 4, 5, 6])
class Conv3DTranspose(_ConvTranspose):
    _space = VOLUMES

    def forward(self, x: Tensor, output_size: int | Sequence[int] | None = None) -> Tensor:
        return self._convolve_transposed(F.conv3d_transpose, x, output_size)
