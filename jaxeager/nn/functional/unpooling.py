"""Unpooling: places the maxima of a max pooling back at their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, OutOfRangeError, RefusedTypeError
from jaxeager.nn.functional.window_arguments import FORMATS, check_layout, numbers
from jaxeager.ops.indexing.index_parse import check_bounds
from jaxeager.ops.pooling import unpool as rows
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _output_size(size, kernel, strides, pads, output_size) -> tuple[int, ...]:
    """Return the requested size; by default the smallest that such a pooling would accept."""
    least = [
        (n - 1) * s + k - 2 * p for n, k, s, p in zip(size, kernel, strides, pads, strict=True)
    ]
    if output_size is None:
        return tuple(least)
    if not isinstance(output_size, (list, tuple)):
        raise RefusedTypeError(
            f"Required output_size is None|list|tuple, but received {output_size}"
        )
    wanted = [int(n) for n in output_size]
    dims = len(kernel)
    if len(wanted) not in (dims, dims + 2):
        raise InvalidArgumentError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it "
            f"has a length of '{len(wanted)}'"
        )
    wanted = wanted[-dims:]
    for axis, (n, base, step) in enumerate(zip(wanted, least, strides, strict=True)):
        if not base - step < n < base + step:
            raise InvalidArgumentError(
                f'invalid output_size "{wanted}" (dim {axis} must be between {base - step} and '
                f"{base + step})"
            )
    return tuple(wanted)


def _unpool(row, x, indices, kernel_size, stride, padding, output_size, dims: int):
    """Check the arguments and the indices, and record the row."""
    kernel = numbers(kernel_size, dims, "kernel_size")
    strides = kernel if stride is None else numbers(stride, dims, "stride")
    if isinstance(padding, str):
        raise InvalidArgumentError(f"The padding's length must be {dims}. Received: {padding}")
    pads = numbers(padding, dims, "padding")
    size = _output_size(tuple(x.shape[2:]), kernel, strides, pads, output_size)
    count = 1
    for n in size:
        count *= n
    try:
        if "int" in str(indices.dtype):
            check_bounds(indices._array, count, 2)
    except OutOfRangeError as error:
        raise InvalidArgumentError(
            f"index should less than output tensor size {count}: {error}"
        ) from None
    return row(x, indices, size)


def _check_ndim(x, letters: str) -> None:
    if x.ndim != len(letters):
        raise InvalidArgumentError(
            f"The x should have [{', '.join(letters)}] format, but received {list(x.shape)}."
        )


@composite(public="functional", method=False)
def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    data_format: str = "NCL",
    output_size: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Return sequences of zeros with the elements of x at the given indices.

    Args:
        x: [N, C, L], as returned by max_pool1d.
        indices: int32 or int64[N, C, L], the mask of max_pool1d.
        kernel_size: window of the pooling.
        stride: the pooling's stride; the window's size by default.
        padding: the pooling's padding, an int.
        data_format: "NCL".
        output_size: the length of the result, [L'] or [N, C, L']; if None, the shortest that
            such a pooling would accept.
        name: ignored.

    Returns:
        Tensor [N, C, L'].

    Raises:
        InvalidArgumentError: for a size that such a pooling would not accept, and, if the indices
            are in host memory, for an index outside the result.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> x = paddle.to_tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> F.max_unpool1d(*F.max_pool1d(x, 2, return_mask=True), 2).tolist()
        [[[0.0, 3.0, 2.0, 0.0]]]
    """
    check_layout(data_format, ("NCL",))
    _check_ndim(x, "NCL")
    kernel = (1, *numbers(kernel_size, 1, "kernel_size"))
    strides = kernel if stride is None else (1, *numbers(stride, 1, "stride"))
    if output_size is not None:
        output_size = [*output_size[:-1], 1, output_size[-1]]
    pads = padding if isinstance(padding, str) else (0, *numbers(padding, 1, "padding"))
    images, places = paddle.unsqueeze(x, 2), paddle.unsqueeze(indices, 2)
    out = _unpool(rows.unpool, images, places, kernel, strides, pads, output_size, 2)
    return paddle.squeeze(out, 2)


@composite(public="functional", method=False)
def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    data_format: str = "NCHW",
    output_size: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Return images of zeros with the elements of x at the given indices.

    Args:
        x: [N, C, H, W], as returned by max_pool2d.
        indices: int32 or int64[N, C, H, W], the mask of max_pool2d.
        kernel_size: the pooling's window, one int or (height, width).
        stride: the pooling's stride; the window's size by default.
        padding: the pooling's padding, one int or (height, width).
        data_format: "NCHW".
        output_size: the size of the result, [H', W'] or [N, C, H', W']; if None, the smallest
            that such a pooling would accept.
        name: ignored.

    Returns:
        Tensor [N, C, H', W'].

    Raises:
        InvalidArgumentError: for a size that such a pooling would not accept, and, if the indices
            are in host memory, for an index outside the result.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> x = paddle.to_tensor([[[[1.0, 3.0], [2.0, 0.0]]]])
        >>> F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2).tolist()
        [[[[0.0, 3.0], [0.0, 0.0]]]]
    """
    check_layout(data_format, FORMATS[2][:1])
    _check_ndim(x, "NCHW")
    return _unpool(rows.unpool, x, indices, kernel_size, stride, padding, output_size, 2)


@composite(public="functional", method=False)
def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    data_format: str = "NCDHW",
    output_size: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Return volumes of zeros with the elements of x at the given indices.

    Args:
        x: [N, C, D, H, W], as returned by max_pool3d.
        indices: int32 or int64[N, C, D, H, W], the mask of max_pool3d.
        kernel_size: the pooling's window, one int or (depth, height, width).
        stride: the pooling's stride; the window's size by default.
        padding: the pooling's padding, one int or (depth, height, width).
        data_format: "NCDHW".
        output_size: the size of the result, [D', H', W'] or [N, C, D', H', W']; if None, the
            smallest that such a pooling would accept.
        name: ignored.

    Returns:
        Tensor [N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for a size that such a pooling would not accept, and, if the indices
            are in host memory, for an index outside the result.

    Example:
        >>> import jaxeager as paddle
        >>> import jaxeager.nn.functional as F
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> F.max_unpool3d(*F.max_pool3d(x, 2, return_mask=True), 2).sum().item()
        7.0
    """
    check_layout(data_format, FORMATS[3][:1])
    _check_ndim(x, "NCDHW")
    return _unpool(rows.unpool3d, x, indices, kernel_size, stride, padding, output_size, 3)
