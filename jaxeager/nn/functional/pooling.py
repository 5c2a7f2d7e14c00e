"""Max and average pooling of sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.window_arguments import (
    FORMATS,
    check_layout,
    check_ndim,
    numbers,
    paddings,
    spatial,
)
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.pooling import pooling as rows
from jaxeager.ops.pooling.pool_index import max_pool2d_with_index, max_pool3d_with_index
from jaxeager.ops.register import composite
from jaxeager.ops.rules.memoized import planned

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def window_of(x, kernel_size, stride, padding, ceil_mode: bool, data_format: str) -> tuple:
    """Return kernel, strides and paddings of a pooling; the layout sets the number of dimensions.

    Raises:
        InvalidArgumentError: for invalid numbers or padding.
    """
    size = spatial(raw(x).shape, data_format)
    return _window(size, kernel_size, stride, padding, ceil_mode, data_format)


@planned
def _window(size: tuple, kernel_size, stride, padding, ceil_mode: bool, data_format: str) -> tuple:
    dims = len(data_format) - 2
    kernel = numbers(kernel_size, dims, "kernel_size")
    strides = kernel if stride is None else numbers(stride, dims, "stride")
    if isinstance(padding, str) and padding.upper() == "VALID" and ceil_mode:
        raise InvalidArgumentError(
            'When Attr(padding) is "VALID", Attr(ceil_mode) must be False. '
            "Received ceil_mode: True."
        )
    last = data_format[-1] == "C"
    return kernel, strides, paddings(padding, size, kernel, strides, (1,) * dims, last)


def as_image_window(window: tuple) -> tuple:
    """Return a window over sequences as one over images of height 1."""
    kernel, strides, pads = window
    return (1, *kernel), (1, *strides), (0, 0, *pads)


def _max_pool(x, kernel_size, stride, padding, return_mask, ceil_mode, data_format):
    """Compute the maxima of images or volumes."""
    dims = len(data_format) - 2
    check_ndim(x, dims + 2)
    window = window_of(x, kernel_size, stride, padding, ceil_mode, data_format)
    if not return_mask:
        row = rows.pool2d if dims == 2 else rows.pool3d
        return row(x, *window, ceil_mode, True, data_format, "max")
    if data_format[-1] == "C":
        raise InvalidArgumentError(
            f"When setting return_mask to true, data_format must be set to {FORMATS[dims][0]} in "
            f"API:max_pool{dims}d"
        )
    row = max_pool2d_with_index if dims == 2 else max_pool3d_with_index
    return row(x, *window, False, ceil_mode)


def _avg_pool(x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format):
    """Compute the averages of images or volumes."""
    dims = len(data_format) - 2
    check_ndim(x, dims + 2)
    window = window_of(x, kernel_size, stride, padding, ceil_mode, data_format)
    row = rows.pool2d if dims == 2 else rows.pool3d
    out = row(x, *window, ceil_mode, exclusive, data_format, "avg")
    if divisor_override is None:
        return out
    count = 1
    for size in window[0]:
        count *= size
    return (out * count) / divisor_override


@composite(public="functional", method=False)
def max_pool2d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each window.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in any form of conv2d; padded elements are never the largest.
        return_mask: whether to also return each maximum's position in the flat image.
        ceil_mode: whether to keep a last window that extends past the edge.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask, a pair of that and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Paddle: skips a nan in a window; here the result is nan. A window wholly in the padding results
    in -3.4e38; here it is -inf. With return_mask, every form of padding has an effect here.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.max_pool2d(x, 2).tolist()
        [[[[4.0]]]]
    """
    check_layout(data_format)
    return _max_pool(x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


@composite(public="functional", method=False)
def max_pool3d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each window of volumes.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        kernel_size: one int or (depth, height, width).
        stride: one int or (depth, height, width); the kernel's size by default.
        padding: in any form of conv3d; padded elements are never the largest.
        return_mask: whether to also return each maximum's position in the flat volume.
        ceil_mode: whether to keep a last window that extends past the edge.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, C, D', H', W']; with return_mask, a pair of that and int32[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Paddle: as in ``max_pool2d``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.max_pool3d(x, [2, 1, 2]).tolist()
        [[[[[5.0], [7.0]]]]]
    """
    check_layout(data_format, FORMATS[3])
    return _max_pool(x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


@composite(public="functional", method=False)
def avg_pool2d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Return the average of each window.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in any form of conv2d.
        ceil_mode: whether to keep a last window that extends past the edge.
        exclusive: whether to exclude the padding from the count.
        divisor_override: divisor of the sum, instead of the count.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.avg_pool2d(x, 2).tolist()
        [[[[2.5]]]]
    """
    check_layout(data_format)
    return _avg_pool(
        x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


@composite(public="functional", method=False)
def avg_pool3d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Return the average of each window of volumes.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        kernel_size: one int or (depth, height, width).
        stride: one int or (depth, height, width); the kernel's size by default.
        padding: in any form of conv3d.
        ceil_mode: whether to keep a last window that extends past the edge.
        exclusive: whether to exclude the padding from the count.
        divisor_override: divisor of the sum, instead of the count.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.avg_pool3d(x, [2, 1, 2]).tolist()
        [[[[[2.5], [4.5]]]]]
    """
    check_layout(data_format, FORMATS[3])
    return _avg_pool(
        x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def _window1d(x, kernel_size, stride, padding, ceil_mode: bool) -> tuple:
    check_ndim(x, 3)
    return as_image_window(window_of(x, kernel_size, stride, padding, ceil_mode, "NCL"))


def _pool1d(x, window: tuple, ceil_mode: bool, exclusive: bool, kind: str):
    """Pool sequences as images of height 1."""
    out = rows.pool2d(paddle.unsqueeze(x, 2), *window, ceil_mode, exclusive, "NCHW", kind)
    return paddle.squeeze(out, 2)


@composite(public="functional", method=False)
def max_pool1d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each window of sequences.

    Args:
        x: float[N, C, L].
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right).
        return_mask: whether to also return each maximum's position.
        ceil_mode: whether to keep a last window that extends past the end.
        name: ignored.

    Returns:
        float[N, C, L']; with return_mask, a pair of that and int32[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.max_pool1d(x, 2).tolist()
        [[[3.0, 2.0]]]
    """
    window = _window1d(x, kernel_size, stride, padding, ceil_mode)
    if not return_mask:
        return _pool1d(x, window, ceil_mode, True, "max")
    out, mask = max_pool2d_with_index(paddle.unsqueeze(x, 2), *window, False, ceil_mode)
    return paddle.squeeze(out, 2), paddle.squeeze(mask, 2)


@composite(public="functional", method=False)
def avg_pool1d(
    x: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the average of each window of sequences.

    Args:
        x: float[N, C, L].
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right).
        exclusive: whether to exclude the padding from the count.
        ceil_mode: whether to keep a last window that extends past the end.
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.avg_pool1d(x, 2).tolist()
        [[[2.0, 1.0]]]
    """
    window = _window1d(x, kernel_size, stride, padding, ceil_mode)
    return _pool1d(x, window, ceil_mode, exclusive, "avg")
