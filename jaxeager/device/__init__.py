"""paddle.device: the available devices, the device of new tensors, and random states.

The module can be called: ``paddle.device("cuda", 1)`` is ``paddle.device.Device("cuda", 1)``.

XLA orders its work by data dependencies, so a device has one stream; ``synchronize`` waits.
"""

import sys
from types import ModuleType

from jaxeager.core.places import (
    CPUPlace,
    CUDAPlace,
    CustomPlace,
    IPUPlace,
    Place,
    TPUPlace,
    XPUPlace,
    _convert_to_place,
    get_default_device,
    get_device,
    set_default_device,
    set_device,
)
from jaxeager.core.places import DeviceName as Device
from jaxeager.device import cuda
from jaxeager.device.generators import get_rng_state, manual_seed, set_rng_state
from jaxeager.device.guards import device, device_guard
from jaxeager.device.kinds import (
    device_count,
    get_all_custom_device_type,
    get_all_device_type,
    get_available_custom_device,
    get_available_device,
    is_available,
    is_bf16_supported,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
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
    get_cudnn_version,
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
    stream_guard,
)
from jaxeager.device.waiting import synchronize
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

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CPUPlace",
    "CUDAPlace",
    "CharTensor",
    "CustomPlace",
    "Device",
    "DoubleTensor",
    "Event",
    "FloatTensor",
    "HalfTensor",
    "IPUPlace",
    "IntTensor",
    "LongTensor",
    "Place",
    "ShortTensor",
    "Stream",
    "StreamContext",
    "TPUPlace",
    "XPUPlace",
    "cuda",
    "current_stream",
    "device",
    "device_count",
    "device_guard",
    "empty_cache",
    "get_all_custom_device_type",
    "get_all_device_type",
    "get_available_custom_device",
    "get_available_device",
    "get_cudnn_version",
    "get_device",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "is_available",
    "is_bf16_supported",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "is_current_stream_capturing",
    "manual_seed",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "set_rng_state",
    "set_stream",
    "stream",
    "stream_guard",
    "synchronize",
]  # fmt: skip


class _CallableModule(ModuleType):
    def __call__(self, type=None, index: int | None = None) -> Device:
        return Device(type, index)


sys.modules[__name__].__class__ = _CallableModule
