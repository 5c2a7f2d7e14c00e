"""Layers that rearrange the pixels and channels of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.functional.vision import check_count
from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _check_layout(data_format) -> None:
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidArgumentError(
            f"Data format should be 'NCHW' or 'NHWC'.But receive data format: {data_format}"
        )


def _layout_text(data_format: str, name: str | None) -> str:
    shown = "" if data_format == "NCHW" else f", data_format={data_format}"
    return shown + name_text(name)


class PixelShuffle(Layer):
    """Layer that rearranges groups of r^2 channels into squares of pixels.

    Args:
        upscale_factor: r.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Raises:
        InvalidTypeError: for a factor that is not an int.
        InvalidArgumentError: for a factor below 1, or any other layout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.PixelShuffle(2)(paddle.ones([1, 8, 2, 3])).shape
        paddle.Size([1, 2, 4, 6])
    """

    def __init__(self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        check_count(upscale_factor, "upscale factor")
        _check_layout(data_format)
        self._upscale_factor, self._data_format, self._name = upscale_factor, data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.pixel_shuffle(x, self._upscale_factor, self._data_format)

    def extra_repr(self) -> str:
        text = f"upscale_factor={self._upscale_factor}"
        return text + _layout_text(self._data_format, self._name)


class PixelUnshuffle(Layer):
    """Layer that rearranges squares of r^2 pixels into channels.

    Args:
        downscale_factor: r.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Raises:
        InvalidTypeError: for a factor that is not an int.
        InvalidArgumentError: for a factor below 1, or any other layout.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.PixelUnshuffle(2)(paddle.ones([1, 2, 4, 6])).shape
        paddle.Size([1, 8, 2, 3])
    """

    def __init__(self, downscale_factor: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        check_count(downscale_factor, "Downscale factor")
        _check_layout(data_format)
        self._downscale_factor, self._data_format, self._name = downscale_factor, data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.pixel_unshuffle(x, self._downscale_factor, self._data_format)

    def extra_repr(self) -> str:
        text = f"downscale_factor={self._downscale_factor}"
        return text + _layout_text(self._data_format, self._name)


class ChannelShuffle(Layer):
    """Layer that interleaves the channels of groups.

    Args:
        groups: number of channel groups.
        data_format: "NCHW" or "NHWC".
        name: shown by repr.

    Raises:
        InvalidTypeError: for groups that are not an int.
        InvalidArgumentError: for a number below 1, or any other layout.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1])
        >>> paddle.nn.ChannelShuffle(2)(x).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """

    def __init__(self, groups: int, data_format: str = "NCHW", name: str | None = None):
        super().__init__()
        check_count(groups, "groups")
        _check_layout(data_format)
        self._groups, self._data_format, self._name = groups, data_format, name

    def forward(self, x: Tensor) -> Tensor:
        return F.channel_shuffle(x, self._groups, self._data_format)

    def extra_repr(self) -> str:
        return f"groups={self._groups}" + _layout_text(self._data_format, self._name)
