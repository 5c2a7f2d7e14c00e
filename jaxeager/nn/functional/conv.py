"""Convolutions of sequences, images and volumes, and their transposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.core.user_lines import warn
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.functional.window_arguments import (
    FORMATS,
    check_layout,
    check_ndim,
    dilations_beside,
    numbers,
    paddings,
    spatial,
)
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.conv import conv as rows
from jaxeager.ops.register import composite
from jaxeager.ops.rules.memoized import planned

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _check_groups(
    shape: Sequence[int], weight_shape: Sequence[int], groups: int, channels: int
) -> None:
    if groups < 1 or channels % groups:
        raise InvalidArgumentError(
            "The channel of input must be divisible by groups,"
            f"received: the channel of input is {channels}, the shape of input is "
            f"{list(shape)}, the groups is {groups}"
        )
    if weight_shape[0] % groups:
        raise InvalidArgumentError(
            "The number of filters must be divisible by groups,"
            f"received: the number of filters is {weight_shape[0]}, the shape of weight is "
            f"{list(weight_shape)}, the groups is {groups}"
        )


def _add_bias(out, bias, data_format: str):
    """Record a reshape and an add, as Paddle does."""
    if bias is None:
        return out
    return paddle.add(out, paddle.reshape(bias, _BIAS_SHAPES[data_format]))


_BIAS_SHAPES = {
    layout: [-1 if letter == "C" else 1 for letter in layout]
    for layouts in FORMATS.values()
    for layout in layouts
}


@planned
def _window(known, stride, padding, dilation, data_format: str) -> tuple:
    """Return strides, paddings, dilations, and a warning if dilations are not used.

    Args:
        known: the spatial sizes of the input and of the filters.
        stride, padding, dilation, data_format: as the user passed them.
    """
    size, kernel = known
    dims = len(size)
    strides, dilations = numbers(stride, dims, "stride"), numbers(dilation, dims, "dilation")
    dilations, warning = dilations_beside(padding, size, kernel, strides, dilations)
    last = data_format[-1] == "C"
    return strides, paddings(padding, size, kernel, strides, dilations, last), dilations, warning


def _window_beside(size, kernel, stride, padding, dilation, data_format: str) -> tuple:
    """Return strides, paddings and dilations, and warn when dilations are not used."""
    strides, pads, dilations, warning = _window(
        (size, kernel), stride, padding, dilation, data_format
    )
    if warning:
        warn(warning)
    return strides, pads, dilations


def _convolve(x, weight, bias, stride, padding, dilation, groups: int, data_format: str):
    """Convolve images or volumes, depending on the layout."""
    shape, weight_shape = raw(x).shape, raw(weight).shape
    dims = len(data_format) - 2
    check_ndim(x, dims + 2)
    channels = shape[data_format.index("C")]
    _check_groups(shape, weight_shape, groups, channels)
    size = spatial(shape, data_format)
    window = _window_beside(size, weight_shape[2:], stride, padding, dilation, data_format)
    row = rows.conv2d if dims == 2 else rows.conv3d
    if dims == 2 and groups > 1 and groups == channels:
        row = rows.depthwise_conv2d
    out = row(x, weight, *window, groups, data_format)
    return _add_bias(out, bias, data_format)


@composite(public="both", method=False)
def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of images with filters, plus a bias.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        weight: float[M, C / groups, kh, kw].
        bias: float[M], or None.
        stride: one int or (height, width).
        padding: "SAME", "VALID", an int, (height, width), (top, bottom, left, right), or a pair
            for each of the four dimensions.
        dilation: one int or (height, width).
        groups: number of channel groups.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, M, H', W'], or [N, H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    As in Paddle, padding "SAME" is that of a convolution without dilation, and ``dilation`` is then
    ignored with a warning. For a dilated convolution pass the padding as numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 3, 3]), paddle.ones([1, 1, 2, 2])
        >>> paddle.nn.functional.conv2d(x, weight).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    check_layout(data_format)
    return _convolve(x, weight, bias, stride, padding, dilation, groups, data_format)


@composite(public="both", method=False)
def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of volumes with filters, plus a bias.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        weight: float[M, C / groups, kd, kh, kw].
        bias: float[M], or None.
        stride: one int or (depth, height, width).
        padding: "SAME", "VALID", an int, one int per dimension, (low, high) for each of the three
            in turn, or a pair for each of the five dimensions.
        dilation: one int or (depth, height, width).
        groups: number of channel groups.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, M, D', H', W'], or [N, D', H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    As in Paddle, padding "SAME" is that of a convolution without dilation, and ``dilation`` is then
    ignored with a warning. For a dilated convolution pass the padding as numbers.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 2, 2, 3]), paddle.ones([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.conv3d(x, weight).tolist()
        [[[[[8.0, 8.0]]]]]
    """
    check_layout(data_format, FORMATS[3])
    return _convolve(x, weight, bias, stride, padding, dilation, groups, data_format)


@composite(public="both", method=False)
def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """Return the cross-correlation of sequences with filters: a conv2d of height 1.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        weight: float[M, C / groups, k].
        bias: float[M], or None.
        stride: an int.
        padding: "SAME", "VALID", an int, (left, right), or a pair for each dimension.
        dilation: an int; ignored with "SAME", see ``conv2d``.
        groups: number of channel groups.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, M, L'], or [N, L', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[1.0, 2.0, 3.0]]]), paddle.ones([1, 1, 2])
        >>> paddle.nn.functional.conv1d(x, weight).tolist()
        [[[3.0, 5.0]]]
    """
    check_layout(data_format, ("NCL", "NLC"))
    check_ndim(x, 3)
    last = data_format == "NLC"
    shape, weight_shape = raw(x).shape, raw(weight).shape
    _check_groups(shape, weight_shape, groups, shape[2 if last else 1])
    size = spatial(shape, data_format)
    strides, pads, dilations = _window_beside(
        size, weight_shape[2:], stride, padding, dilation, data_format
    )
    layout, axis = ("NHWC", 1) if last else ("NCHW", 2)
    out = rows.conv2d(
        paddle.unsqueeze(x, axis),
        paddle.unsqueeze(paddle.assign(weight), 2),
        (1, *strides),
        (0, 0, *pads),
        (1, *dilations),
        groups,
        layout,
    )
    if bias is not None:
        out = paddle.add(out, bias) if last else _add_bias(out, bias, layout)
    return paddle.squeeze(out, axis)


def _output_padding(output_size, output_padding, base: list[int], strides, count: int):
    """Return the extra elements at the high ends that produce the requested size."""
    if output_size is None:
        return numbers(output_padding, count, "output_padding")
    if any(numbers(output_padding, count, "output_padding")):
        raise InvalidArgumentError("output_padding option is mutually exclusive with output_size")
    wanted = numbers(output_size, count, "output_size")
    for size, least, step in zip(wanted, base, strides, strict=True):
        if not least <= size < least + step:
            raise InvalidArgumentError(
                f"output_size must be at least the inferred output size {base} and less than it + "
                f"stride {list(strides)}, but received {list(wanted)}."
            )
    return tuple(size - least for size, least in zip(wanted, base, strict=True))


def _base_size(size, kernel, strides, pads, dilations) -> list[int]:
    return [
        (n - 1) * s - pads[2 * i] - pads[2 * i + 1] + d * (k - 1) + 1
        for i, (n, k, s, d) in enumerate(zip(size, kernel, strides, dilations, strict=True))
    ]


def _check_transposed(x, weight, groups: int, data_format: str) -> None:
    channels = x.shape[data_format.index("C")]
    if groups < 1 or channels % groups or weight.shape[0] != channels:
        raise InvalidArgumentError(
            "The channel of input must be divisible by groups and be weight's first dimension, but "
            f"received {channels} channels, {groups} groups and weight of {list(weight.shape)}."
        )


def _convolve_transposed(
    x, weight, stride, padding, output_padding, dilation, groups, output_size, data_format
):
    """Run a transposed convolution of images or volumes, depending on the layout."""
    dims = len(data_format) - 2
    check_ndim(x, dims + 2)
    _check_transposed(x, weight, groups, data_format)
    kernel, size = raw(weight).shape[2:], spatial(raw(x).shape, data_format)
    strides, pads, dilations = _window_beside(size, kernel, stride, padding, dilation, data_format)
    base = _base_size(size, kernel, strides, pads, dilations)
    extra = _output_padding(output_size, output_padding, base, strides, dims)
    row = rows.conv2d_transpose if dims == 2 else rows.conv3d_transpose
    is_depthwise = groups > 1 and groups == weight.shape[0] and weight.shape[1] == 1
    if dims == 2 and is_depthwise:
        row = rows.depthwise_conv2d_transpose
    return row(x, weight, strides, pads, extra, dilations, groups, data_format)


@composite(public="functional", method=False)
def conv2d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
    output_padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    output_size: int | Sequence[int] | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Return the transposed convolution: the filters spread each pixel over the output.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        weight: float[C, M / groups, kh, kw].
        bias: float[M], or None.
        stride: one int or (height, width).
        padding: the amount cut off, in any form of conv2d; "SAME" cuts off as much as it would add
            to the input of a convolution, and ignores the dilation.
        output_padding: rows and columns added below and to the right.
        dilation: one int or (height, width).
        groups: number of channel groups.
        output_size: the requested size, instead of output_padding.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, M, H', W'], or [N, H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[[1.0, 2.0]]]]), paddle.ones([1, 1, 1, 2])
        >>> paddle.nn.functional.conv2d_transpose(x, weight, stride=2).tolist()
        [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    check_layout(data_format)
    out = _convolve_transposed(
        x, weight, stride, padding, output_padding, dilation, groups, output_size, data_format
    )
    return _add_bias(out, bias, data_format)


@composite(public="functional", method=False)
def conv3d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
    output_size: int | Sequence[int] | None = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Return the transposed convolution of volumes: each element is spread over the output.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        weight: float[C, M / groups, kd, kh, kw].
        bias: float[M], or None.
        stride: one int or (depth, height, width).
        padding: the amount cut off, in any form of conv3d; "SAME" as for conv2d_transpose.
        output_padding: number of elements added at the high end of each dimension.
        groups: number of channel groups.
        dilation: one int or (depth, height, width).
        output_size: the requested size, instead of output_padding.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, M, D', H', W'], or [N, D', H', W', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.ones([1, 1, 1, 1, 2]), paddle.ones([1, 1, 1, 1, 2])
        >>> paddle.nn.functional.conv3d_transpose(x, weight).tolist()
        [[[[[1.0, 2.0, 1.0]]]]]
    """
    check_layout(data_format, FORMATS[3])
    out = _convolve_transposed(
        x, weight, stride, padding, output_padding, dilation, groups, output_size, data_format
    )
    if bias is not None and data_format == "NDHWC":
        return paddle.add(out, bias)
    return _add_bias(out, bias, data_format)


@composite(public="functional", method=False)
def conv1d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
    output_size: int | Sequence[int] | None = None,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """Return the transposed convolution of sequences: a conv2d_transpose of height 1.

    Args:
        x: float[N, C, L], or [N, L, C] for data_format "NLC".
        weight: float[C, M / groups, k].
        bias: float[M], or None.
        stride: an int.
        padding: the amount cut off, in any form of conv1d; "SAME" as for conv2d_transpose.
        output_padding: number of elements added at the right.
        groups: number of channel groups.
        dilation: an int.
        output_size: the requested length, instead of output_padding.
        data_format: "NCL" or "NLC".
        name: ignored.

    Returns:
        float[N, M, L'], or [N, L', M].

    Raises:
        InvalidArgumentError: for shapes or numbers that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> x, weight = paddle.to_tensor([[[1.0, 2.0]]]), paddle.ones([1, 1, 2])
        >>> paddle.nn.functional.conv1d_transpose(x, weight).tolist()
        [[[1.0, 3.0, 2.0]]]
    """
    check_layout(data_format, ("NCL", "NLC"))
    check_ndim(x, 3)
    last = data_format == "NLC"
    layout, axis = ("NHWC", 1) if last else ("NCHW", 2)
    kernel, size = raw(weight).shape[2:], spatial(raw(x).shape, data_format)
    strides, pads, dilations = _window_beside(size, kernel, stride, padding, dilation, data_format)
    base = _base_size(size, kernel, strides, pads, dilations)
    extra = _output_padding(output_size, output_padding, base, strides, 1)
    out = rows.conv2d_transpose(
        paddle.unsqueeze(x, axis),
        paddle.unsqueeze(weight, 2),
        (1, *strides),
        (0, 0, *pads),
        (0, *extra),
        (1, *dilations),
        groups,
        layout,
    )
    return paddle.squeeze(_add_bias(out, bias, layout), axis)
