"""Adaptive and fractional pooling: as many windows as the output has elements."""

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
    spatial,
)
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.pooling import fractional_pool
from jaxeager.ops.pooling import pooling as rows
from jaxeager.ops.pooling.pool_index import max_pool2d_with_index, max_pool3d_with_index
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def _adaptive_size(output_size, size: tuple[int, ...]) -> tuple[int, ...]:
    """Return the output's size, where None means the input's."""
    if isinstance(output_size, (list, tuple)):
        output_size = [n if o is None else o for o, n in zip(output_size, size, strict=True)]
    wanted = size if output_size is None else numbers(output_size, len(size), "output_size")
    if any(n < 0 for n in wanted):
        raise InvalidArgumentError(f"output_size must be at least 0, but received {output_size}.")
    return wanted


@composite(public="functional", method=False)
def adaptive_avg_pool2d(
    x: Tensor, output_size: int | Sequence[int], data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Return the averages over as many windows as the output has pixels.

    Args:
        x: float[N, C, H, W], or [N, H, W, C] for data_format "NHWC".
        output_size: one int or (height, width); None keeps the input's.
        data_format: "NCHW" or "NHWC".
        name: ignored.

    Returns:
        float[N, C, H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.adaptive_avg_pool2d(x, 1).tolist()
        [[[[2.5]]]]
    """
    check_layout(data_format)
    check_ndim(x, 4)
    size = _adaptive_size(output_size, spatial(raw(x).shape, data_format))
    return rows.pool2d(x, size, data_format=data_format, pooling_type="avg", adaptive=True)


@composite(public="functional", method=False)
def adaptive_avg_pool3d(
    x: Tensor, output_size: int | Sequence[int], data_format: str = "NCDHW", name: str | None = None
) -> Tensor:
    """Return the averages over as many windows as the output has elements.

    Args:
        x: float[N, C, D, H, W], or [N, D, H, W, C] for data_format "NDHWC".
        output_size: one int or (depth, height, width); None keeps the input's.
        data_format: "NCDHW" or "NDHWC".
        name: ignored.

    Returns:
        float[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.adaptive_avg_pool3d(x, [1, None, 1]).tolist()
        [[[[[2.5], [4.5]]]]]
    """
    check_layout(data_format, FORMATS[3])
    check_ndim(x, 5)
    size = _adaptive_size(output_size, spatial(raw(x).shape, data_format))
    return rows.pool3d(x, size, data_format=data_format, pooling_type="avg", adaptive=True)


@composite(public="both", method=False)
def adaptive_avg_pool1d(x: Tensor, output_size: int, name: str | None = None) -> Tensor:
    """Return the averages over as many windows as the output has elements.

    Args:
        x: float[N, C, L].
        output_size: an int.
        name: ignored.

    Returns:
        float[N, C, L'].

    Raises:
        InvalidArgumentError: for an invalid size.

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
def adaptive_max_pool2d(
    x: Tensor, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each of as many windows as the output has pixels.

    Args:
        x: float[N, C, H, W].
        output_size: one int or (height, width); None keeps the input's.
        return_mask: whether to also return each maximum's position in the flat image.
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask, a pair of that and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> paddle.nn.functional.adaptive_max_pool2d(x, 1).tolist()
        [[[[4.0]]]]
    """
    check_ndim(x, 4)
    size = _adaptive_size(output_size, spatial(raw(x).shape, "NCHW"))
    out, mask = max_pool2d_with_index(x, size, adaptive=True)
    return (out, mask) if return_mask else out


@composite(public="functional", method=False)
def adaptive_max_pool3d(
    x: Tensor, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each of as many windows as the output has elements.

    Args:
        x: float[N, C, D, H, W].
        output_size: one int or (depth, height, width); None keeps the input's.
        return_mask: whether to also return each maximum's position in the flat volume.
        name: ignored.

    Returns:
        float[N, C, D', H', W']; with return_mask, a pair of that and int32[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for an invalid size.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.adaptive_max_pool3d(x, [1, None, 1]).tolist()
        [[[[[5.0], [7.0]]]]]
    """
    check_ndim(x, 5)
    size = _adaptive_size(output_size, spatial(raw(x).shape, "NCDHW"))
    out, mask = max_pool3d_with_index(x, size, adaptive=True)
    return (out, mask) if return_mask else out


@composite(public="functional", method=False)
def adaptive_max_pool1d(
    x: Tensor, output_size: int | Sequence[int], return_mask: bool = False, name: str | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each of as many windows as the output has elements.

    Args:
        x: float[N, C, L].
        output_size: an int.
        return_mask: whether to also return each maximum's position.
        name: ignored.

    Returns:
        float[N, C, L']; with return_mask, a pair of that and int32[N, C, L'].

    Raises:
        InvalidArgumentError: for an invalid size.

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


def _fractional(row, x, output_size, kernel_size, random_u, return_mask: bool):
    """Pool images or volumes with windows placed by a number in (0, 1)."""
    dims = x.ndim - 2
    size = _adaptive_size(output_size, tuple(x.shape[2:]))
    kernel = (0,) * dims if kernel_size is None else numbers(kernel_size, dims, "kernel_size")
    if random_u is None:
        u = paddle.uniform([], "float32", 0.0, 1.0)
    elif 0 < random_u < 1:
        u = paddle.full([], random_u, "float32")
    else:
        raise InvalidArgumentError(
            f"The param `random_u` should be a `float` in (0, 1). Received {random_u}."
        )
    out, mask = row(x, u, size, kernel)
    return (out, mask) if return_mask else out


@composite(public="functional", method=False)
def fractional_max_pool2d(
    x: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int] | None = None,
    random_u: float | None = None,
    return_mask: bool = False,
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each of as many windows as the output has pixels.

    The windows are placed pseudo-randomly: one number ``u`` sets where each starts, on both axes.

    Args:
        x: float[N, C, H, W].
        output_size: one int or (height, width); None keeps the input's.
        kernel_size: size of the windows, which then overlap; by default each ends where the next
            one starts.
        random_u: the number, in (0, 1); drawn at each call if None.
        return_mask: whether to also return each maximum's position in the flat image.
        name: ignored.

    Returns:
        float[N, C, H', W']; with return_mask, a pair of that and int32[N, C, H', W'].

    Raises:
        InvalidArgumentError: for an invalid size, or a ``random_u`` outside (0, 1).

    Paddle: an output larger than the input contains the lowest float32; here it is an error.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> paddle.nn.functional.fractional_max_pool2d(x, 2, random_u=0.5).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    check_ndim(x, 4)
    row = fractional_pool.fractional_max_pool2d
    return _fractional(row, x, output_size, kernel_size, random_u, return_mask)


@composite(public="functional", method=False)
def fractional_max_pool3d(
    x: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int] | None = None,
    random_u: float | None = None,
    return_mask: bool = False,
    name: str | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Return the largest element of each of as many windows as the output has elements.

    The windows are placed pseudo-randomly: one number ``u`` sets where each starts, on all axes.

    Args:
        x: float[N, C, D, H, W].
        output_size: one int or (depth, height, width); None keeps the input's.
        kernel_size: size of the windows, which then overlap; by default each ends where the next
            one starts.
        random_u: the number, in (0, 1); drawn at each call if None.
        return_mask: whether to also return each maximum's position in the flat volume.
        name: ignored.

    Returns:
        float[N, C, D', H', W']; with return_mask, a pair of that and int32[N, C, D', H', W'].

    Raises:
        InvalidArgumentError: for an invalid size, or a ``random_u`` outside (0, 1).

    Paddle: an output larger than the input contains the lowest float32; here it is an error.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
        >>> paddle.nn.functional.fractional_max_pool3d(x, 1, random_u=0.5).tolist()
        [[[[[7.0]]]]]
    """
    check_ndim(x, 5)
    row = fractional_pool.fractional_max_pool3d
    return _fractional(row, x, output_size, kernel_size, random_u, return_mask)
