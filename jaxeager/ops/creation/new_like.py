"""New tensors in the dtype and on the device of another one: new_zeros, new_full and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.ops.creation import creation
from jaxeager.ops.creation.placement import put
from jaxeager.ops.register import composite

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, Number, PlaceLike, ShapeLike
    from jaxeager.tensor.tensor import Tensor


def _size(size, more: tuple) -> ShapeLike | int:
    return (size, *more) if more else size


def _made_like(self, made, device, requires_grad: bool, pin_memory: bool):
    """Return a new tensor on a device, by default on that of self."""
    return put(made, self.place if device is None else device, requires_grad, pin_memory)


@composite(public=None)
def new_zeros(
    self,
    size: ShapeLike | int,
    *more: int,
    dtype: DTypeLike | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return zeros, with this tensor's dtype and device unless others are given.

    Args:
        size: shape, an int (``new_zeros(2, 3)`` works too), a list, or an integer tensor.
        *more: further sizes when ``size`` is an int.
        dtype: element type.
        device: "cpu", "gpu:0", a Place or a Device.
        requires_grad: whether the result requires a gradient.
        pin_memory: host memory next to an accelerator.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when a size is negative.
        UnavailableError: for ``pin_memory`` on the CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1, 2]).new_zeros([3]).tolist()
        [0, 0, 0]
    """
    shape, dtype = _size(size, more), dtype or self.dtype
    return _made_like(self, creation.zeros(shape, dtype), device, requires_grad, pin_memory)


@composite(public=None)
def new_ones(
    self,
    size: ShapeLike | int,
    *more: int,
    dtype: DTypeLike | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return ones, with this tensor's dtype and device unless others are given; see ``new_zeros``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1, 2]).new_ones([3], dtype="float32").tolist()
        [1.0, 1.0, 1.0]
    """
    shape, dtype = _size(size, more), dtype or self.dtype
    return _made_like(self, creation.ones(shape, dtype), device, requires_grad, pin_memory)


@composite(public=None)
def new_empty(
    self,
    size: ShapeLike | int,
    *more: int,
    dtype: DTypeLike | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor whose values are not specified, as in ``paddle.empty``.

    See ``new_zeros`` for the shape and the other parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1, 2]).new_empty(2, 3).shape
        paddle.Size([2, 3])
    """
    shape, dtype = _size(size, more), dtype or self.dtype
    return _made_like(self, creation.empty(shape, dtype), device, requires_grad, pin_memory)


@composite(public=None)
def new_full(
    self,
    size: ShapeLike | int,
    fill_value: Number | Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor full of a number, with this one's dtype and device unless others are given.

    Args:
        size: shape, an int, a list or an integer tensor.
        fill_value: a number or a tensor of one element; it is cast to the dtype.
        dtype: element type.
        device: "cpu", "gpu:0", a Place or a Device.
        requires_grad: whether the result requires a gradient.
        pin_memory: host memory next to an accelerator.

    Returns:
        Tensor of that shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.to_tensor([1, 2]).new_full([2], 2.7).tolist()
        [2, 2]
    """
    dtype = dtype or self.dtype
    return _made_like(
        self,
        creation.full(size, fill_value, dtype),
        device,
        requires_grad,
        pin_memory,
    )
