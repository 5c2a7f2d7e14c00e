"""max_pool3d: the maximum of the entries in each window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.nn.functional.window_arguments import check_layout, numbers, paddings
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.sparse import sparse_windows as rows
from jaxeager.sparse.nn.functional.windows import Window, sparse_image, table_of

if TYPE_CHECKING:
    from jaxeager.sparse.tensors import SparseTensor


@names_operands
def max_pool3d(
    x: SparseTensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: str | int | Sequence[int] = 0,
    ceil_mode: bool = False,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> SparseTensor:
    """Return the largest entry in each window that has one.

    Args:
        x: SparseCooTensor [batch, depth, height, width, channels], entries are vectors of channels.
        kernel_size: an int, or one per dimension.
        stride: an int, or one per dimension; the window's size by default.
        padding: an int, one or two per dimension, pairs, "SAME" or "VALID".
        ceil_mode: whether incomplete windows at the end count (Paddle ignores it).
        data_format: "NDHWC".
        name: ignored.

    Returns:
        SparseCooTensor, with an entry at each place whose window has one. Elements that are not
        stored are ignored: they do not count as 0.

    Raises:
        InvalidArgumentError: for another layout, or another kind of tensor.

    Example:
        >>> import jaxeager as paddle
        >>> indices = [[0, 0]] + [[0, 1]] * 3
        >>> x = paddle.sparse.sparse_coo_tensor(indices, [[2.0], [5.0]], [1, 4, 4, 4, 1])
        >>> paddle.sparse.nn.functional.max_pool3d(x, 2).values().tolist()
        [[5.0]]
    """
    check_layout(data_format, ("NDHWC",))
    x = sparse_image(x, 3, "max_pool3d")
    kernel = numbers(kernel_size, 3, "kernel_size")
    strides = kernel if stride is None else numbers(stride, 3, "stride")
    sizes, ones = tuple(x.shape[1:-1]), (1, 1, 1)
    pads = paddings(padding, sizes, kernel, strides, ones, channel_last=True)
    window = Window(kernel, strides, pads, ones)
    out_dims = [x.shape[0], *window.out_sizes(sizes, ceil_mode)]
    table, found = table_of(x, window, out_dims)
    values = rows.sparse_max_pool(x._values, paddle.to_tensor(table))
    return x.rebuilt(values, found, [*out_dims, x.shape[-1]], True)
