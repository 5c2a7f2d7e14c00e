"""masked_scatter: the elements of one tensor, in order, written where a mask is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.register import composite
from jaxeager.ops.row import ROWS

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite()
def masked_scatter(x: Tensor, mask: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    """Return a tensor with the elements of ``value``, in order, written where a mask is true.

    The place of each element depends on the mask, so this waits for it.

    Args:
        x: tensor of any shape.
        mask: bool tensor that broadcasts to the shape of ``x``.
        value: tensor of at least as many elements as places, of the dtype of ``x``.
        name: accepted for compatibility.

    Returns:
        Tensor of the shape of ``x``.

    Raises:
        InvalidArgumentError: for a mask that is not bool or does not fit, or too few elements.

    Example:
        >>> import jaxeager as paddle
        >>> x, mask = paddle.zeros([3]), paddle.to_tensor([True, False, True])
        >>> paddle.masked_scatter(x, mask, paddle.to_tensor([5.0, 6.0, 7.0])).tolist()
        [5.0, 0.0, 6.0]
    """
    keeps, filled = _filled(x, mask, value)
    return ROWS["where"].function(keeps, x, filled)


@composite()
def masked_scatter_(x: Tensor, mask: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    """Write the elements of ``value`` into ``x`` where a mask is true; see ``masked_scatter``.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.zeros([2])
        >>> x.masked_scatter_(paddle.to_tensor([False, True]), paddle.ones([1])).tolist()
        [0.0, 1.0]
    """
    keeps, filled = _filled(x, mask, value)
    return ROWS["where_into"].inplace_function(x, keeps, filled)


def _filled(x, mask, value) -> tuple:
    """Return where x stays, and a tensor of its shape with the values at all other places."""
    host, shape = mask.numpy(), x._array.shape
    if host.dtype != np.bool_ or value.dtype != x.dtype:
        raise RefusedArgumentError(
            "masked_scatter: the mask must be a bool tensor and the value have the dtype of x, "
            f"but received {mask.dtype} and {value.dtype} for {x.dtype}."
        )
    try:
        host = np.broadcast_to(host, shape)
    except ValueError:
        raise InvalidArgumentError(
            f"masked_scatter: a mask of shape {list(host.shape)} does not broadcast to the "
            f"shape {list(shape)} of x."
        ) from None
    if host.sum() > value.size:
        raise RefusedArgumentError(
            f"masked_scatter: {host.sum()} places are to be filled, but value has only "
            f"{value.size} elements."
        )
    order = np.maximum(np.cumsum(host) - 1, 0)
    if value.size == 0:
        return wrap(on_device(~host)), x
    return wrap(on_device(~host)), value.flatten()[order].reshape(shape)
