"""Tensors from other data: as_tensor, asarray, from_numpy, and DLPack in both directions."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import as_array
from jaxeager.core import places
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call import dispatch
from jaxeager.ops.creation.placement import place_for
from jaxeager.tensor.tensor import Tensor, to_tensor

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, PlaceLike, TensorLike


def as_tensor(
    data: TensorLike,
    dtype: DTypeLike | None = None,
    device: PlaceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a new Tensor of the given values; ``to_tensor`` with other names.

    Args:
        data: Python numbers, nested lists of them, a NumPy array, a jax.Array or a Tensor.
        dtype: element type; that of ``data`` by default.
        device: "cpu", "gpu:0", a Place or a Device; the current device by default.
        requires_grad: whether it requires gradients.
        pin_memory: host memory next to an accelerator.

    Raises:
        InvalidTypeError: for data that is not an array, such as a string.
        UnavailableError: for ``pin_memory`` on the CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.as_tensor([1, 2], dtype="float32", requires_grad=True).stop_gradient
        False
    """
    place = None if device is None else places.as_place(device)
    if pin_memory:
        place = place_for(place or places.place_of(places.current_device()), True)
    return to_tensor(data, dtype, place, stop_gradient=not requires_grad)


def asarray(
    obj: TensorLike,
    *,
    dtype: DTypeLike | None = None,
    device: PlaceLike | None = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a new Tensor of the given values; see ``as_tensor``.

    Args:
        obj: Python numbers, nested lists of them, a NumPy array, a jax.Array or a Tensor.
        dtype: element type; that of ``obj`` by default.
        device: its device; the current device by default.
        copy: without effect, as in Paddle: the result never shares memory that can be written.
        requires_grad: whether it requires gradients.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.asarray([[1, 2]]).shape
        paddle.Size([1, 2])
    """
    return as_tensor(obj, dtype, device, requires_grad)


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a Tensor with a copy of a NumPy array.

    Raises:
        InvalidTypeError: when it is not a NumPy array.

    Example:
        >>> import jaxeager as paddle
        >>> import numpy as np
        >>> paddle.from_numpy(np.ones(2)).dtype
        paddle.float64
    """
    if not isinstance(ndarray, np.ndarray):
        raise InvalidTypeError(
            f"The input type of from_numpy() must be numpy.ndarray, but received {type(ndarray)}. "
            "To convert other types to tensor, please use paddle.to_tensor() instead."
        )
    return to_tensor(ndarray)


# ---- DLPack


def to_dlpack(x: Tensor) -> object:
    """Return a DLPack capsule of a tensor's memory, which it shares; it can be consumed once.

    Current libraries accept the tensor itself (``numpy.from_dlpack(x)``), which is safer.

    Raises:
        InvalidTypeError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> capsule = paddle.to_dlpack(paddle.to_tensor([1.0, 2.0]))
        >>> paddle.from_dlpack(capsule).tolist()
        [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        raise InvalidTypeError(
            f"The type of 'x' in to_dlpack must be paddle.Tensor, but received {type(x)}."
        )
    return x._array.__dlpack__()


def from_dlpack(
    dlpack: object, *, device: PlaceLike | None = None, copy: bool | None = None
) -> Tensor:
    """Return a Tensor over the memory of another library's tensor, without a copy if possible.

    XLA uses host memory that is aligned to 64 bytes, and copies other memory. A later write to the
    memory by other code changes the tensor, and values of it that backward has saved.

    Args:
        dlpack: object that has ``__dlpack__``, or a DLPack capsule that has not been consumed.
        device: the device of the result; that of the data by default.
        copy: True copies always, False never, None when needed.

    Raises:
        InvalidArgumentError: for an object or capsule that is not one, or ``copy=False`` where a
            copy is needed.

    Example:
        >>> import jaxeager as paddle
        >>> import numpy as np
        >>> paddle.from_dlpack(np.arange(3)).tolist()
        [0, 1, 2]
    """
    source = _Capsule(dlpack) if type(dlpack).__name__ == "PyCapsule" else dlpack
    if not hasattr(source, "__dlpack__"):
        raise InvalidArgumentError(
            "from_dlpack received an invalid capsule. It takes a DLPack capsule or an object that "
            f"has __dlpack__, not {type(dlpack).__name__}."
        )
    target = None if device is None else places.as_place(device).device()
    try:
        array = jax.dlpack.from_dlpack(source, copy=False if copy is False else None)
    except (ValueError, RuntimeError) as error:
        raise InvalidArgumentError(f"from_dlpack: {error}") from None
    if copy:  # even then jax.dlpack shares aligned memory
        array = jnp.array(array, copy=True)
    return dispatch.wrap(as_array(array, None, target))


class _Capsule:
    """A capsule as an object that has ``__dlpack__``, which JAX accepts."""

    # The offset of the device in DLPack's structs: after a pointer, or also after version, two
    # pointers and flags.
    OFFSETS = {b"dltensor": 8, b"dltensor_versioned": 40}  # noqa: RUF012 - a constant

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **kwargs):
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        name_of = ctypes.pythonapi.PyCapsule_GetName
        name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
        name = name_of(self._capsule)
        if name not in self.OFFSETS:
            raise InvalidArgumentError(
                "from_dlpack received an invalid capsule. Note that DLTensor capsules can be "
                "consumed only once, so you might have already constructed a tensor from it once."
            )
        pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_of.restype = ctypes.c_void_p
        pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
        kind, index = (ctypes.c_int32 * 2).from_address(
            pointer_of(self._capsule, name) + self.OFFSETS[name]
        )
        return kind, index
