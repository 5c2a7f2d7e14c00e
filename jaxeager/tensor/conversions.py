"""Tensor's conversions to another dtype or another device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import jax

from jaxeager.core import dtypes, places
from jaxeager.errors import InvalidTypeError
from jaxeager.graph.mode import is_grad_enabled
from jaxeager.kernels.tracing import explained
from jaxeager.ops.call import dispatch

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike


class ConversionMethods:
    """A base of Tensor."""

    __slots__ = ()

    _array: jax.Array
    _name: str | None
    dtype: Any
    stop_gradient: bool
    clone: Any

    def _to_device(self, device: places.Device) -> Self:
        array = self._array
        if array.devices() == {device}:
            return self
        return self._put(device)

    def _put(self, where) -> Self:
        """Return a copy on a device or sharding; its gradient is moved back to self's place."""
        home = self._array.sharding
        if self.stop_gradient or not is_grad_enabled():
            moved = dispatch.wrap(self._array, stop_gradient=self.stop_gradient)
        else:
            moved = self.clone()
            moved.retain_grads()  # in Paddle it is a leaf: programs read its grad
            moved.register_hook(lambda grad: grad._put(home))
        moved._array = jax.device_put(self._array, where)
        moved._name = self._name
        return moved  # pyright: ignore[reportReturnType]  # self is a Tensor

    def cpu(self) -> Self:
        """Return the tensor in host memory; self when it is there."""
        return self._to_device(places.CPUPlace().device())

    def cuda(self, device_id: int = 0, blocking: bool = True) -> Self:
        """Return the tensor on a GPU; self when it is there."""
        return self._to_device(places.CUDAPlace(device_id).device())

    def pin_memory(self, blocking: bool = True) -> Self:
        """Return the tensor in host memory."""
        return self.cpu()

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Return the tensor with another dtype, on another device, or both.

        A named dtype makes a copy even when the tensor has that dtype. When the tensor is already
        on the device, or like the other Tensor, self is returned.

        Args:
            *args: a dtype, a device (string or Place), or a Tensor to be like.
            **kwargs: ``dtype``, ``device``, ``other`` (a Tensor to be like), ``copy`` (whether the
                result must not be self), ``blocking``, ``non_blocking``.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.ones([1]).to("float64").dtype
            paddle.float64
        """
        is_copy = kwargs.pop("copy", False)
        args += (kwargs.pop("other", None),)
        for name in ("blocking", "non_blocking"):
            kwargs.pop(name, None)
        device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
        if kwargs:
            raise InvalidTypeError(f"to() got unexpected arguments {sorted(kwargs)}.")
        for arg in args:
            if isinstance(arg, dispatch.Tensor):
                device, dtype = arg.place, None if arg.dtype == self.dtype else arg.dtype
            elif isinstance(arg, (places.Place, jax.Device)) or _names_device(arg):
                device = arg
            elif not isinstance(arg, bool) and arg is not None:
                dtype = arg
        moved = self if device is None else self._to_device(places.as_place(device).device())
        if dtype is not None:
            moved = dispatch.cast(moved, dtypes.to_numpy(dtype))
        return moved.clone() if is_copy and moved is self else moved

    def astype(self, dtype: DTypeLike) -> Self:
        """Return the tensor in another dtype; self when it has it. Gradients are cast back."""
        numpy_dtype = dtypes.to_numpy(dtype)
        if numpy_dtype == self._array.dtype:
            return self
        return dispatch.cast(self, numpy_dtype)

    @explained("The computation of a value")
    def block_until_ready(self) -> Self:
        """Wait until the device has computed it; return self."""
        self._array.block_until_ready()
        return self


def _names_device(value) -> bool:
    return isinstance(value, str) and value.split(":")[0].lower() in ("cpu", "gpu", "cuda", "tpu")
