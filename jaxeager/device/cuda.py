"""paddle.device.cuda: the functions of paddle.device, under the names of programs for GPUs.

They work on any device that XLA has; without a GPU they describe the CPU.
"""

from jaxeager.device.kinds import device_count
from jaxeager.device.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
)
from jaxeager.device.properties import (
    get_device_capability,
    get_device_name,
    get_device_properties,
)
from jaxeager.device.streams import Event, Stream, current_stream, stream_guard
from jaxeager.device.summary import memory_summary
from jaxeager.device.waiting import synchronize

__all__ = [
    "Event", "Stream", "current_stream", "device_count", "empty_cache", "get_device_capability",
    "get_device_name", "get_device_properties", "max_memory_allocated", "max_memory_reserved",
    "memory_allocated", "memory_reserved", "memory_summary", "reset_max_memory_allocated",
    "reset_max_memory_reserved", "stream_guard", "synchronize",
]  # fmt: skip
