"""Power-average pooling of sequences and images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.pooling import as_image_window, window_of
from jaxeager.nn.functional.window_arguments import FORMATS, check_layout, check_ndim
from jaxeager.ops.pooling import lp_pool as rows
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def padding_and_ceil(padding, ceil_mode: bool) -> tuple:
    """Return both arguments; as in Paddle, a bool as padding is meant as ceil_mode."""
    return (0, padding) if type(padding) is bool else (padding, ceil_mode)


def _check_norm(norm_type) -> float:
    if norm_type == 0:
        raise InvalidArgumentError("`norm_type` cannot be 0.")
    return float(norm_type)


@composite(public="functional", method=False)
def lp_pool1d(
    x: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    ceil_mode: bool = False,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """Return ``(sum of x^p)^(1/p)`` of each window of sequences.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        norm_type: p, not 0; the largest element for inf, the smallest for -inf.
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right); padded elements count as nothing.
            A bool is interpreted as ceil_mode.
        ceil_mode: whether to keep a last window that extends past the end.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit, or p = 0.

    Paddle: as in ``lp_pool2d``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[3.0, 4.0, 0.0, 2.0]]])
        >>> paddle.nn.functional.lp_pool1d(x, 2, 2).tolist()
        [[[5.0, 2.0]]]
    """
    padding, ceil_mode = padding_and_ceil(padding, ceil_mode)
    check_layout(data_format, FORMATS[1])
    check_ndim(x, 3)
    norm = _check_norm(norm_type)
    window = as_image_window(window_of(x, kernel_size, stride, padding, ceil_mode, data_format))
    axis, layout = (2, "NCHW") if data_format == "NCL" else (1, "NHWC")
    out = rows.lp_pool2d(paddle.unsqueeze(x, axis), *window, ceil_mode, layout, norm)
    return paddle.squeeze(out, axis)


@composite(public="functional", method=False)
def lp_pool2d(
    x: Tensor,
    norm_type: float,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Return ``(sum of x^p)^(1/p)`` of each window of images.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        norm_type: p, not 0; the largest element for inf, the smallest for -inf.
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in any form of conv2d; padded elements count as nothing. A bool is interpreted as
            ceil_mode.
        ceil_mode: whether to keep a last window that extends past the edge.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit, or p = 0.

    Paddle: the gradient of a window whose sum is 0 is nan; here it is 0. p = -inf results in 1
    everywhere; here it is the smallest element.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[3.0, 4.0], [0.0, 0.0]]]])
        >>> paddle.nn.functional.lp_pool2d(x, 2, 2).tolist()
        [[[[5.0]]]]
    """
    padding, ceil_mode = padding_and_ceil(padding, ceil_mode)
    check_layout(data_format, FORMATS[2])
    check_ndim(x, 4)
    norm = _check_norm(norm_type)
    window = window_of(x, kernel_size, stride, padding, ceil_mode, data_format)
    return rows.lp_pool2d(x, *window, ceil_mode, data_format, norm)
