"""paddle.device: which devices there are, and which one new tensors go to."""

import jax

from jaxeager.places import (
    CPUPlace,
    CUDAPlace,
    Place,
    TPUPlace,
    current_device,
    get_device,
    place_of,
    set_device,
)

__all__ = [
    "CPUPlace", "CUDAPlace", "Place", "TPUPlace", "device_count", "get_all_device_type",
    "get_available_device", "get_device", "is_compiled_with_cuda", "is_compiled_with_rocm",
    "is_compiled_with_xpu", "set_device", "synchronize",
]  # fmt: skip


def _devices() -> list:
    """Every device of every backend JAX has here, host memory included."""
    found = list(jax.local_devices())
    if all(device.platform != "cpu" for device in found):
        found += jax.local_devices(backend="cpu")
    return found


def get_available_device() -> list[str]:
    """Returns the names of the devices of this machine.

    Example:
        >>> import jaxeager as paddle
        >>> "cpu" in paddle.device.get_available_device()
        True
    """
    return [place_of(device).name() for device in _devices()]


def get_all_device_type() -> list[str]:
    """Returns the kinds of device of this machine.

    Example:
        >>> import jaxeager as paddle
        >>> "cpu" in paddle.device.get_all_device_type()
        True
    """
    return sorted({place_of(device).kind for device in _devices()})


def device_count() -> int:
    """Returns the number of accelerators: 0 on a machine that has only a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.device_count() >= 0
        True
    """
    return sum(device.platform != "cpu" for device in _devices())


def is_compiled_with_cuda() -> bool:
    """Says whether JAX sees a CUDA device."""
    return any(place_of(device).kind == "gpu" for device in _devices())


def is_compiled_with_rocm() -> bool:
    """Says whether JAX sees an AMD device."""
    return any("rocm" in getattr(d.client, "platform_version", "").lower() for d in _devices())


def is_compiled_with_xpu() -> bool:
    """Says whether JAX sees a Kunlun XPU: XLA has no such backend, so never."""
    return False


def synchronize(device=None) -> None:
    """Waits until everything that was started on the current device is done.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.synchronize()
    """
    jax.block_until_ready(jax.device_put(0, current_device()))
    for array in jax.live_arrays():
        array.block_until_ready()
