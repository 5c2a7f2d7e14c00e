"""paddle.cuda: the functions of paddle.device under the names that programs for PyTorch use.

They work on any device that XLA has; without a GPU they describe the CPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.core.places import set_device as _set_device
from jaxeager.device.generators import get_rng_state, manual_seed, set_rng_state
from jaxeager.device.guards import device, numbered
from jaxeager.device.kinds import device_count, is_available, is_bf16_supported
from jaxeager.device.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
)
from jaxeager.device.properties import (
    device_of,
    get_device_capability,
    get_device_name,
    get_device_properties,
)
from jaxeager.device.streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    is_current_stream_capturing,
    set_stream,
    stream,
)
from jaxeager.device.waiting import synchronize
from jaxeager.errors import UnavailableError
from jaxeager.tensor.types import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "Event",
    "FloatTensor", "HalfTensor", "IntTensor", "LongTensor", "ShortTensor", "Stream",
    "StreamContext", "current_device", "current_stream", "device", "device_count", "empty_cache",
    "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state",
    "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized",
    "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved",
    "mem_get_info", "memory_allocated", "memory_reserved", "reset_max_memory_allocated",
    "reset_max_memory_reserved", "reset_peak_memory_stats", "set_device", "set_rng_state",
    "set_stream", "stream", "synchronize",
]  # fmt: skip


def current_device() -> int:
    """Return the number of the current device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cuda.current_device()
        0
    """
    return device_of(None).local_hardware_id or 0


def is_initialized() -> bool:
    """Return whether there is an accelerator; JAX initializes it at the start.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cuda.is_initialized() == paddle.cuda.is_available()
        True
    """
    return is_available()


def set_device(device: PlaceLike | int) -> None:
    """Make new tensors go to a device.

    Args:
        device: "cpu", "gpu:0", a Place or a Device, or the number of an accelerator; without one
            0 is the CPU.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cuda.set_device("cpu")
    """
    _set_device(numbered(device) if isinstance(device, int) else device)


def manual_seed_all(seed: int) -> None:
    """Seed the random numbers of all devices, which have one generator.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.cuda.manual_seed_all(7)
    """
    manual_seed(seed)


def mem_get_info(device: PlaceLike | None = None) -> tuple[int, int]:
    """Return the free bytes of a device, and the bytes that XLA may use in total.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.

    Raises:
        UnavailableError: when the device does not report them.

    Example:
        >>> import jaxeager as paddle
        >>> free, total = paddle.cuda.mem_get_info()
        >>> free <= total
        True
    """
    total = get_device_properties(device).total_memory
    if total is None:
        raise UnavailableError(f"The device {device_of(device)} does not say how much it has.")
    return total - memory_allocated(device), total
