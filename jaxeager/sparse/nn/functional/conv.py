"""conv2d, conv3d, subm_conv2d, subm_conv3d: convolutions that compute only near entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.functional.window_arguments import check_layout, numbers, paddings
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.sparse import sparse_windows as rows
from jaxeager.sparse.nn.functional.windows import (
    Window,
    sparse_image,
    table_at_entries,
    table_of,
)
from jaxeager.sparse.tensors import SparseCooTensor

if TYPE_CHECKING:
    from jaxeager.sparse.tensors import SparseTensor

_LAYOUTS = {2: "NHWC", 3: "NDHWC"}

_DOC = """Return the convolution of a sparse {image} at {where}.

    Args:
        x: SparseCooTensor {shape}, whose entries are vectors of channels.
        weight: dense Tensor [{kernel}, channels, filters].
        bias: dense Tensor [filters], added to each entry of the output; or None.
        stride: {stride}.
        padding: {padding}.
        dilation: an int, or one per dimension.
        groups: 1.
        data_format: "{layout}".{key}
        name: ignored.

    Returns:
        SparseCooTensor, with an entry at {where}.

    Raises:
        InvalidArgumentError: for another layout, more groups, or shapes that do not fit.

    Paddle: {paddle}.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor({indices}, [[2.0]], {sizes})
        >>> y = paddle.sparse.nn.functional.{name}(x, paddle.ones({filter}))
        >>> y.shape, y.nnz()
        ({result})
    """


def _check(weight, groups: int, data_format: str, dims: int) -> None:
    check_layout(data_format, (_LAYOUTS[dims],))
    if groups != 1:
        raise RefusedArgumentError(f"Currently, only support groups=1, but received {groups}.")
    if weight.ndim != dims + 2:
        raise InvalidArgumentError(
            f"the filter must have {dims} spatial dimensions, channels and filters, but received "
            f"shape {list(weight.shape)}."
        )


def _with_bias(values, bias):
    return values if bias is None else paddle.add(values, bias)


def _convolved(dims: int, x, weight, bias, stride, padding, dilation, groups, data_format):
    """Return a convolution with an entry at each place where the filter covers one."""
    _check(weight, groups, data_format, dims)
    x = sparse_image(x, dims, "conv")
    kernel, sizes = tuple(weight.shape[:dims]), tuple(x.shape[1:-1])
    strides = numbers(stride, dims, "stride")
    dilations = numbers(dilation, dims, "dilation")
    pads = paddings(padding, sizes, kernel, strides, dilations, channel_last=True)
    window = Window(kernel, strides, pads, dilations)
    out_dims = [x.shape[0], *window.out_sizes(sizes)]
    table, found = table_of(x, window, out_dims)
    values = rows.sparse_conv(x._values, weight, paddle.to_tensor(table))
    return x.rebuilt(_with_bias(values, bias), found, [*out_dims, weight.shape[-1]], bias is None)


def _convolved_at_entries(dims: int, x, weight, bias, dilation, groups, data_format):
    """Return a convolution at the entries of the input."""
    _check(weight, groups, data_format, dims)
    x = sparse_image(x, dims, "subm_conv")
    kernel = tuple(weight.shape[:dims])
    if any(size % 2 == 0 for size in kernel):
        raise InvalidArgumentError(
            f"a submanifold convolution needs a filter of odd sizes, but received {list(kernel)}."
        )
    dilations = numbers(dilation, dims, "dilation")
    pads = [d * (k // 2) for k, d in zip(kernel, dilations, strict=True) for _ in range(2)]
    table = table_at_entries(x, Window(kernel, (1,) * dims, tuple(pads), dilations))
    values = rows.sparse_conv(x._values, weight, paddle.to_tensor(table))
    shape = [*x.shape[:-1], weight.shape[-1]]
    return SparseCooTensor(x._indices, _with_bias(values, bias), shape, bias is None)


def _conv(title: str, dims: int) -> Callable[..., SparseTensor]:
    """Return the public convolution of sparse images with ``dims`` dimensions, under its name."""

    def convolve(
        x: SparseTensor,
        weight: SparseTensor,
        bias: SparseTensor | None = None,
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        data_format: str = _LAYOUTS[dims],
        name: str | None = None,
    ) -> SparseTensor:
        return _convolved(dims, x, weight, bias, stride, padding, dilation, groups, data_format)

    return _published(convolve, title, dims)


def _subm_conv(title: str, dims: int) -> Callable[..., SparseTensor]:
    """Return a public convolution at the entries of sparse images, under its name."""

    def convolve(
        x: SparseTensor,
        weight: SparseTensor,
        bias: SparseTensor | None = None,
        stride: int | Sequence[int] = 1,
        padding: str | int | Sequence[int] | Sequence[int | Sequence[int]] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        data_format: str = _LAYOUTS[dims],
        key: str | None = None,
        name: str | None = None,
    ) -> SparseTensor:
        return _convolved_at_entries(dims, x, weight, bias, dilation, groups, data_format)

    return _published(convolve, title, dims)


def _published(function, title: str, dims: int):
    """Set the public name and docstring of a convolution, and return it with named errors."""
    is_subm = title.startswith("subm")
    place, side, one = ([value] * dims for value in (1, 4, 1))
    shape = [1, *side, 2] if is_subm else [1, *[3] * dims, 2]
    function.__name__ = function.__qualname__ = title
    function.__doc__ = _DOC.format(
        name=title,
        image="image" if dims == 2 else "volume",
        where="the entries of the input" if is_subm else "each place whose window has an entry",
        shape=f"[batch, {'height' if dims == 2 else 'depth, height'}, width, channels]",
        kernel="height, width" if dims == 2 else "depth, height, width",
        stride="has no effect" if is_subm else "an int, or one per dimension",
        padding="has no effect: the filter is centered"
        if is_subm
        else 'an int, one or two per dimension, pairs, "SAME" or "VALID"',
        layout=_LAYOUTS[dims],
        key="\n        key: has no effect: the pairs of entries are computed at each call."
        if is_subm
        else "",
        paddle="a filter of even size, or a dilation, changes the shape"
        if is_subm
        else '"SAME" adds no padding, and padding has one number per dimension',
        indices=[[0], *[[each] for each in place]],
        sizes=[1, *side, 1],
        filter=[*([3] * dims if is_subm else [2] * dims), *one[:1], 2],
        result=f"paddle.Size({shape}), {1 if is_subm else 2**dims}",
    )
    return names_operands(function)


conv2d = _conv("conv2d", 2)
conv3d = _conv("conv3d", 3)
subm_conv2d = _subm_conv("subm_conv2d", 2)
subm_conv3d = _subm_conv("subm_conv3d", 3)
subm_conv2d_igemm = _subm_conv("subm_conv2d_igemm", 2)
subm_conv3d_igemm = _subm_conv("subm_conv3d_igemm", 3)
