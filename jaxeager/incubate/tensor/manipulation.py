"""paddle.incubate.tensor.manipulation: tensors that are moved to the host and back.

JAX starts a copy between a device and the host and returns at once; reading the result waits for
it. So the functions return while the copy runs, and a task waits for its result.
"""

from __future__ import annotations

from typing import Any

import jax

import jaxeager as paddle
from jaxeager.core.places import current_device
from jaxeager.errors import InvalidArgumentError
from jaxeager.tensor import Parameter, Tensor


class Task:
    """A copy that was started.

    Args:
        array: its result.
    """

    def __init__(self, array: jax.Array):
        self._array = array

    def is_completed(self) -> bool:
        """Return whether the copy is done."""
        return self._array.is_ready()  # pyright: ignore[reportAttributeAccessIssue]

    def synchronize(self) -> None:
        """Wait until the copy is done."""
        self._array.block_until_ready()

    cpu_wait = cuda_wait = xpu_wait = synchronize


class AsyncLoad:
    """Copies tensors to the host and back; its methods return the ``Task`` of the copy.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.tensor import manipulation
        >>> x, there = paddle.arange(3), paddle.zeros([3], "int64")
        >>> manipulation.create_async_load().offload(there, x).synchronize()
        >>> there.tolist(), there.place
        ([0, 1, 2], Place(cpu))
    """

    def offload(self, dst: Tensor, src: Tensor) -> Task:
        """Start to copy a tensor to the host, as the value of another one."""
        return _moved(dst, src, jax.local_devices(backend="cpu")[0])

    def reload(self, dst: Tensor, src: Tensor) -> Task:
        """Start to copy a tensor to the current device, as the value of another one."""
        return _moved(dst, src, current_device())

    def offload_with_offset(
        self, dst: Tensor, src: Tensor, dst_offset: int, src_offset: int, offload_size: int
    ) -> Task:
        """Start to copy elements of a vector to the host, into a vector there."""
        part = src.detach()[src_offset : src_offset + offload_size]
        with paddle.no_grad():
            dst[dst_offset : dst_offset + offload_size] = part.cpu()
        return Task(dst._array)


def _moved(dst: Tensor, src: Tensor, device: Any) -> Task:
    """Give a tensor the value of another one, on a device."""
    array = jax.device_put(src._array, device)
    dst._array = array
    return Task(array)


def create_async_load() -> AsyncLoad:
    """Return an object that copies tensors to the host and back.

    Paddle: has it on GPUs and XPUs only.
    """
    return AsyncLoad()


def async_offload(src_tensor: Tensor, async_load: AsyncLoad) -> tuple[Tensor, Task]:
    """Start to copy a tensor to the host; return the tensor there, and the task.

    Args:
        src_tensor: a tensor or a parameter.
        async_load: from ``create_async_load``.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.tensor import manipulation as m
        >>> load = m.create_async_load()
        >>> there, task = m.async_offload(paddle.to_tensor([1.0, 2.0]), load)
        >>> task.synchronize()
        >>> back, task = m.async_reload(there, load)
        >>> back.tolist()
        [1.0, 2.0]
    """
    made = _like(src_tensor)
    return made, async_load.offload(made, src_tensor)


def async_reload(src_tensor: Tensor, async_load: AsyncLoad) -> tuple[Tensor, Task]:
    """Start to copy a tensor to the current device; return the tensor there, and the task.

    Args:
        src_tensor: a tensor or a parameter.
        async_load: from ``create_async_load``.
    """
    made = _like(src_tensor)
    return made, async_load.reload(made, src_tensor)


def _like(tensor: Tensor) -> Tensor:
    """Return a new tensor of the same kind and value; a parameter keeps its settings."""
    if not isinstance(tensor, Parameter):
        return tensor.detach().clone()
    made = type(tensor)(tensor.detach().clone(), trainable=tensor.trainable, name=tensor.name)
    vars(made).update(vars(tensor))
    return made


def async_offload_with_offset(
    src_tensor: Tensor,
    dst_tensor: Tensor,
    src_offset: int,
    dst_offset: int,
    offload_size: int,
    async_loader: AsyncLoad,
) -> Task:
    """Start to copy elements of a vector to the host, into a vector there; return the task.

    Args:
        src_tensor: the vector.
        dst_tensor: the vector on the host, of the same dtype.
        src_offset: the first element to copy.
        dst_offset: where it goes.
        offload_size: the number of elements.
        async_loader: from ``create_async_load``.

    Raises:
        InvalidArgumentError: for tensors that are not vectors of one dtype. (Paddle:
            AssertionError.)

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.tensor import manipulation as m
        >>> there = paddle.zeros([4])
        >>> task = m.async_offload_with_offset(
        ...     paddle.to_tensor([1.0, 2.0, 3.0]), there, 1, 2, 2, m.create_async_load())
        >>> there.tolist()
        [0.0, 0.0, 2.0, 3.0]
    """
    if src_tensor.ndim > 1 or dst_tensor.ndim > 1 or src_tensor.dtype != dst_tensor.dtype:
        raise InvalidArgumentError(
            "async_offload_with_offset takes two vectors of one dtype, but received "
            f"{src_tensor.dtype} {list(src_tensor.shape)} and {dst_tensor.dtype} "
            f"{list(dst_tensor.shape)}."
        )
    return async_loader.offload_with_offset(
        dst_tensor, src_tensor, dst_offset, src_offset, offload_size
    )
