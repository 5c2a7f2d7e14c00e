"""Names, devices and places of static graphs that are meaningful without them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from jaxeager.core import places
from jaxeager.errors import InvalidArgumentError, UnavailableError


@contextlib.contextmanager
def name_scope(prefix: str | None = None) -> Iterator[None]:
    """Name the ops created within it in a static graph; here do nothing.

    Args:
        prefix: the name.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.static.name_scope("encoder"):
        ...     x = paddle.ones([2])
    """
    yield


@contextlib.contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Set the device of a static graph's ops; the dynamic graph ignores it, as in Paddle.

    Args:
        device: "cpu", "gpu:0", ...

    Raises:
        InvalidArgumentError: for an argument that does not name a device.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.static.device_guard("cpu"):
        ...     x = paddle.ones([2])
    """
    if device is not None and device.partition(":")[0] not in ("cpu", "gpu", "xpu", "tpu", ""):
        raise InvalidArgumentError(f"The device is 'cpu' or 'gpu', but received {device!r}.")
    yield


def cpu_places(device_count: int | None = None) -> list[places.CPUPlace]:
    """Return places of the CPU.

    Args:
        device_count: the number of places; 1 by default.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.static.cpu_places(2)
        [Place(cpu), Place(cpu)]
    """
    return [places.CPUPlace() for _ in range(device_count or 1)]


def cuda_places(device_ids: Sequence[int] | None = None) -> list[places.CUDAPlace]:
    """Return places of GPUs.

    Args:
        device_ids: their numbers; all by default.

    Raises:
        UnavailableError: when there is no GPU. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle
        >>> if paddle.device.cuda.device_count():
        ...     assert paddle.static.cuda_places([0])
    """
    from jaxeager.device import cuda

    count = cuda.device_count()
    if not count:
        raise UnavailableError("There is no GPU here.")
    numbers = range(count) if device_ids is None else device_ids
    return [places.CUDAPlace(number) for number in numbers]
