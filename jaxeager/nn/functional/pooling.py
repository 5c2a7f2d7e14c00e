"""Pooling: max, average and their adaptive forms, of sequences and images."""

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.window import check_layout, check_ndim, numbers, paddings, spatial
from jaxeager.ops import pooling as rows
from jaxeager.ops.pool_index import max_pool2d_with_index
from jaxeager.ops.row import composite


def _window(x, kernel_size, stride, padding, ceil_mode: bool, data_format: str):
    """Returns kernel, strides and paddings of a 2-D pooling."""
    kernel = numbers(kernel_size, 2, "kernel_size")
    strides = kernel if stride is None else numbers(stride, 2, "stride")
    _check_ceil(padding, ceil_mode)
    last = data_format == "NHWC"
    return (
        kernel,
        strides,
        paddings(padding, spatial(x, data_format), kernel, strides, (1, 1), last),
    )


def _check_ceil(padding, ceil_mode: bool) -> None:
    if isinstance(padding, str) and padding.upper() == "VALID" and ceil_mode:
        raise InvalidArgumentError(
            'When Attr(padding) is "VALID", Attr(ceil_mode) must be False. '
            "Received ceil_mode: True."
        )


@composite(public="functional", method=False)
def max_pool2d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    return_mask=False,
    ceil_mode=False,
    data_format="NCHW",
    name=None,
):
    """Returns the largest element of each window.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in the spellings of conv2d; what lies there never is the largest.
        return_mask: whether each maximum's position in the flat image is returned as well.
        ceil_mode: whether a last window that reaches over the edge counts.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask a pair of it and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Paddle: a nan in a window gives nan (Paddle passes over it), a window that lies in the padding
    wholly gives -inf (Paddle -3.4e38), and the padding holds with return_mask in every spelling.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.max_pool2d(x, 2).tolist()
        [[[[4.0]]]]
    """
    check_layout(data_format)
    check_ndim(x, 4)
    kernel, strides, pads = _window(x, kernel_size, stride, padding, ceil_mode, data_format)
    if not return_mask:
        return rows.pool2d(x, kernel, strides, pads, ceil_mode, True, data_format, "max")
    if data_format != "NCHW":
        raise InvalidArgumentError(
            "When setting return_mask to true, data_format must be set to NCHW in API:max_pool2d"
        )
    return max_pool2d_with_index(x, kernel, strides, pads, False, ceil_mode)


@composite(public="functional", method=False)
def avg_pool2d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    exclusive=True,
    divisor_override=None,
    data_format="NCHW",
    name=None,
):
    """Returns the average of each window.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        kernel_size: one int or (height, width).
        stride: one int or (height, width); the kernel's size by default.
        padding: in the spellings of conv2d.
        ceil_mode: whether a last window that reaches over the edge counts.
        exclusive: whether the padding is left out of the count.
        divisor_override: what the sum is divided by instead of the count.
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
    check_ndim(x, 4)
    kernel, strides, pads = _window(x, kernel_size, stride, padding, ceil_mode, data_format)
    out = rows.pool2d(x, kernel, strides, pads, ceil_mode, exclusive, data_format, "avg")
    if divisor_override is None:
        return out
    return (out * (kernel[0] * kernel[1])) / divisor_override


def _pool1d(x, kernel_size, stride, padding, ceil_mode: bool, exclusive: bool, kind: str):
    """Pools sequences as images of height 1."""
    check_ndim(x, 3)
    kernel, strides, pads = _window1d(x, kernel_size, stride, padding, ceil_mode)
    image = paddle.unsqueeze(x, 2)
    out = rows.pool2d(image, kernel, strides, pads, ceil_mode, exclusive, "NCHW", kind)
    return paddle.squeeze(out, 2)


def _window1d(x, kernel_size, stride, padding, ceil_mode: bool):
    kernel = numbers(kernel_size, 1, "kernel_size")
    strides = kernel if stride is None else numbers(stride, 1, "stride")
    _check_ceil(padding, ceil_mode)
    pads = paddings(padding, (x.shape[2],), kernel, strides, (1,))
    return (1, *kernel), (1, *strides), (0, 0, *pads)


@composite(public="functional", method=False)
def max_pool1d(
    x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, name=None
):
    """Returns the largest element of each window of sequences.

    Args:
        x: float[N, C, L].
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right).
        return_mask: whether each maximum's position is returned as well.
        ceil_mode: whether a last window that reaches over the end counts.
        name: ignored.

    Returns:
        float[N, C, L']; with return_mask a pair of it and int32[N, C, L'].

    Raises:
        InvalidArgumentError: for a window that does not fit.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.max_pool1d(x, 2).tolist()
        [[[3.0, 2.0]]]
    """
    if not return_mask:
        return _pool1d(x, kernel_size, stride, padding, ceil_mode, True, "max")
    check_ndim(x, 3)
    kernel, strides, pads = _window1d(x, kernel_size, stride, padding, ceil_mode)
    out, mask = max_pool2d_with_index(
        paddle.unsqueeze(x, 2), kernel, strides, pads, False, ceil_mode
    )
    return paddle.squeeze(out, 2), paddle.squeeze(mask, 2)


@composite(public="functional", method=False)
def avg_pool1d(x, kernel_size, stride=None, padding=0, exclusive=True, ceil_mode=False, name=None):
    """Returns the average of each window of sequences.

    Args:
        x: float[N, C, L].
        kernel_size: an int.
        stride: an int; the kernel's size by default.
        padding: "SAME", "VALID", an int, or (left, right).
        exclusive: whether the padding is left out of the count.
        ceil_mode: whether a last window that reaches over the end counts.
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
    return _pool1d(x, kernel_size, stride, padding, ceil_mode, exclusive, "avg")


def _adaptive_size(output_size, size: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the output's size; None keeps the input's."""
    if isinstance(output_size, (list, tuple)):
        output_size = [n if o is None else o for o, n in zip(output_size, size, strict=True)]
    wanted = size if output_size is None else numbers(output_size, len(size), "output_size")
    if min(wanted) < 1:
        raise InvalidArgumentError(f"output_size must be at least 1, but received {output_size}.")
    return wanted


@composite(public="functional", method=False)
def adaptive_avg_pool2d(x, output_size, data_format="NCHW", name=None):
    """Returns the averages over as many windows as the output has pixels.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        output_size: one int or (height, width); None keeps the input's.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a size that cannot be.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.adaptive_avg_pool2d(x, 1).tolist()
        [[[[2.5]]]]
    """
    check_layout(data_format)
    check_ndim(x, 4)
    size = _adaptive_size(output_size, spatial(x, data_format))
    return rows.pool2d(x, size, data_format=data_format, pooling_type="avg", adaptive=True)


@composite(public="functional", method=False)
def adaptive_avg_pool1d(x, output_size, name=None):
    """Returns the averages over as many windows as the output is long.

    Args:
        x: float[N, C, L].
        output_size: an int.
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for a size that cannot be.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.adaptive_avg_pool1d(x, 2).tolist()
        [[[2.0, 1.0]]]
    """
    check_ndim(x, 3)
    size = (1, *_adaptive_size(output_size, (x.shape[2],)))
    out = rows.pool2d(paddle.unsqueeze(x, 2), size, pooling_type="avg", adaptive=True)
    return paddle.squeeze(out, 2)


@composite(public="functional", method=False)
def adaptive_max_pool2d(x, output_size, return_mask=False, name=None):
    """Returns the largest element of each of as many windows as the output has pixels.

    Args:
        x: float[N, C, H, W].
        output_size: one int or (height, width); None keeps the input's.
        return_mask: whether each maximum's position in the flat image is returned as well.
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask a pair of it and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for a size that cannot be.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.adaptive_max_pool2d(x, 1).tolist()
        [[[[4.0]]]]
    """
    check_ndim(x, 4)
    size = _adaptive_size(output_size, spatial(x, "NCHW"))
    out, mask = max_pool2d_with_index(x, size, adaptive=True)
    return (out, mask) if return_mask else out


@composite(public="functional", method=False)
def adaptive_max_pool1d(x, output_size, return_mask=False, name=None):
    """Returns the largest element of each of as many windows as the output is long.

    Args:
        x: float[N, C, L].
        output_size: an int.
        return_mask: whether each maximum's position is returned as well.
        name: ignored.

    Returns:
        float[N, C, L']; with return_mask a pair of it and int32[N, C, L'].

    Raises:
        InvalidArgumentError: for a size that cannot be.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> paddle.nn.functional.adaptive_max_pool1d(x, 2).tolist()
        [[[3.0, 2.0]]]
    """
    check_ndim(x, 3)
    size = (1, *_adaptive_size(output_size, (x.shape[2],)))
    out, mask = max_pool2d_with_index(paddle.unsqueeze(x, 2), size, adaptive=True)
    out, mask = paddle.squeeze(out, 2), paddle.squeeze(mask, 2)
    return (out, mask) if return_mask else out
