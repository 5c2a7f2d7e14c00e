"""Conversion of a layer to another device or dtype, in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import jax
import numpy as np

from jaxeager.core import dtypes, places
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidNameError,
    InvalidTypeError,
    RefusedTypeError,
)
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.nn.layer.traversal import LayerTraversal

if TYPE_CHECKING:
    from jaxeager.core.dtypes import DType
    from jaxeager.core.types import DTypeLike, PlaceLike
    from jaxeager.nn.layer.layer import Layer


class LayerConversion(LayerTraversal):
    """The part of Layer that changes the device and dtype of its tensors."""

    def to(
        self,
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
        blocking: bool | None = None,
        non_blocking: bool | None = None,
    ) -> Self:
        """Convert all parameters and buffers to a device, a dtype, or both; return self.

        The tensors stay the same objects. Their gradients are converted too.

        Args:
            device: "cpu", "gpu:0", a Place, or None to keep the device.
            dtype: any dtype, for integer buffers too, as in Paddle; None to keep it.
            blocking: True, False or None; no effect, as XLA orders the copies itself.
            non_blocking: the opposite of blocking, also without effect.

        Raises:
            InvalidArgumentError: if the device does not exist.
            InvalidTypeError: if dtype is not a dtype.
            RefusedTypeError: if blocking is not a bool.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Linear(1, 1).to(dtype="float64").weight.dtype
            paddle.float64
        """
        for flag in (blocking, non_blocking):
            if not (flag is None or isinstance(flag, bool)):
                raise RefusedTypeError(
                    f"blocking value error, must be the True, False or None, received {flag!r}."
                )
        if not (device is None or isinstance(device, (str, places.Place, jax.Device))):
            raise InvalidArgumentError(
                f"device should be a str, a Place or a jax.Device, but got {type(device).__name__}."
            )
        self._convert(device, dtype)
        if isinstance(dtype, str):  # the dtype that they are printed with, as in Paddle
            for layer in self.sublayers(include_self=True):
                layer._dtype = dtypes.to_numpy(dtype).name
        return self

    def astype(self, dtype: DTypeLike | None = None) -> Self:
        """Cast all parameters and buffers to a dtype; return self.

        Paddle:
            Paddle 3.3.1 only records the dtype and leaves the tensors unchanged.

        Raises:
            InvalidArgumentError: if dtype is None, or names no dtype.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Linear(1, 1).astype("float64").weight.dtype
            paddle.float64
        """
        if dtype is None:
            raise InvalidArgumentError(
                "dtype value error: astype needs a dtype such as 'float32', but received None."
            )
        try:
            dtype = dtypes.to_numpy(dtype)
        except InvalidTypeError as error:
            raise InvalidNameError(error.message) from None
        return self._convert(None, dtype)

    def type(self, dst_type: DType | str) -> Self:
        """Cast all parameters and buffers to a dtype; return self."""
        return self.astype(dst_type)

    def float(self, excluded_layers: Layer | Sequence[Layer] | None = None) -> Self:
        """Cast floating parameters and buffers to float32; return self.

        Args:
            excluded_layers: a Layer class, or a list of them, to leave unchanged.

        Raises:
            InvalidTypeError: if it is neither.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Linear(1, 1).bfloat16().float().weight.dtype
            paddle.float32
        """
        return self._convert(None, "float32", True, excluded_layers)

    def float16(self, excluded_layers: Layer | Sequence[Layer] | None = None) -> Self:
        """Cast floating parameters and buffers to float16; return self."""
        return self._convert(None, "float16", True, excluded_layers)

    def bfloat16(self, excluded_layers: Layer | Sequence[Layer] | None = None) -> Self:
        """Cast floating parameters and buffers to bfloat16; return self."""
        return self._convert(None, "bfloat16", True, excluded_layers)

    def half(self) -> Self:
        """Cast all parameters and buffers to float16; return self."""
        return self._convert(None, "float16")

    def double(self) -> Self:
        """Cast all parameters and buffers to float64; return self."""
        return self._convert(None, "float64")

    def cpu(self) -> Self:
        """Move all parameters and buffers to host memory; return self."""
        return self.to("cpu")

    def cuda(self, device: int | PlaceLike | None = None) -> Self:
        """Move all parameters and buffers to a GPU; return self.

        Args:
            device: its number, "gpu:0" or a Place; the first GPU if None.
        """
        if device is None or isinstance(device, int):
            device = places.CUDAPlace(device or 0)
        return self.to(device)

    def _convert(self, device, dtype, floating_only: bool = False, excluded=None):
        device = None if device is None else places.as_place(device).device()
        dtype = None if dtype is None else dtypes.to_numpy(dtype)
        excluded = _layer_classes(excluded)
        for layer in self.sublayers(include_self=True):
            if isinstance(layer, excluded):
                continue
            if dtype is not None:
                layer._dtype = dtypes.as_dtype(dtype)
            for tensor in (*layer._parameters.values(), *layer._buffers.values()):
                if tensor is not None:
                    _convert_tensor(tensor, device, dtype, floating_only)
        return self


def _layer_classes(excluded) -> tuple:
    """Return the layer classes in ``excluded_layers``."""
    if excluded is None:
        return ()
    listed = excluded if isinstance(excluded, (list, tuple)) else [excluded]
    classes = tuple(item if isinstance(item, type) else type(item) for item in listed)
    if not all(issubclass(cls, LayerConversion) for cls in classes):
        raise InvalidTypeError(
            "excluded_layers should be type nn.Layer or list, but got "
            f"{type(excluded).__name__} {excluded!r}."
        )
    return classes


def _convert_tensor(tensor, device, dtype: np.dtype | None, floating_only: bool) -> None:
    """Convert a tensor and its gradient, keeping the objects."""
    for each in (tensor, tensor.grad):
        if each is not None:
            write_array(each, _converted(each._array, device, dtype, floating_only))


def _converted(array: jax.Array, device, dtype: np.dtype | None, floating_only: bool) -> jax.Array:
    if device is not None and array.devices() != {device}:
        array = jax.device_put(array, device)
    if dtype is None or dtype == array.dtype:
        return array
    if floating_only and not dtypes.is_floating(array.dtype):
        return array
    return array.astype(dtype)
