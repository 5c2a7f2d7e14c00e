"""The devices of this machine, and the kinds of device that JAX was built for."""

import contextlib

import jax

from jaxeager.core.places import current_device, place_of


def _devices() -> list:
    """Return every device of every backend that JAX has here, including host memory."""
    found = list(jax.local_devices())
    if all(device.platform != "cpu" for device in found):
        with contextlib.suppress(RuntimeError):  # JAX_PLATFORMS=cuda excludes the CPU
            found += jax.local_devices(backend="cpu")
    return found


def get_available_device() -> list[str]:
    """Return the names of the devices of this machine.

    Example:
        >>> import jaxeager as paddle
        >>> "cpu" in paddle.device.get_available_device()
        True
    """
    return [place_of(device).name() for device in _devices()]


def get_all_device_type() -> list[str]:
    """Return the kinds of device of this machine.

    Example:
        >>> import jaxeager as paddle
        >>> "cpu" in paddle.device.get_all_device_type()
        True
    """
    return sorted({place_of(device).kind for device in _devices()})


def device_count() -> int:
    """Return the number of accelerators: 0 on a machine that has only a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.device_count() >= 0
        True
    """
    return sum(device.platform != "cpu" for device in _devices())


def is_compiled_with_cuda() -> bool:
    """Return whether JAX sees a CUDA device."""
    return any(place_of(device).kind == "gpu" for device in _devices())


def is_compiled_with_rocm() -> bool:
    """Return whether JAX sees an AMD device."""
    return any("rocm" in getattr(d.client, "platform_version", "").lower() for d in _devices())


def is_compiled_with_xpu() -> bool:
    """Return False: XLA has no backend for Kunlun XPUs."""
    return False


def get_all_custom_device_type() -> list[str]:
    """Return the kinds of device that are neither CPU nor GPU, such as "tpu".

    Example:
        >>> import jaxeager as paddle
        >>> "cpu" in paddle.device.get_all_custom_device_type()
        False
    """
    return [kind for kind in get_all_device_type() if kind not in ("cpu", "gpu")]


def get_available_custom_device() -> list[str]:
    """Return the names of the devices that are neither CPU nor GPU.

    Example:
        >>> import jaxeager as paddle
        >>> "cpu" in paddle.device.get_available_custom_device()
        False
    """
    return [place_of(d).name() for d in _devices() if place_of(d).kind not in ("cpu", "gpu")]


def is_available() -> bool:
    """Return whether there is an accelerator.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.is_available() == (paddle.device.device_count() > 0)
        True
    """
    return device_count() > 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether the current device computes in bfloat16.

    Args:
        including_emulation: whether it counts when XLA computes in float32 and rounds, as it does
            on CPUs and old GPUs. Paddle returns True for CPUs either way.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.is_bf16_supported()
        True
    """
    if including_emulation:
        return True
    device = current_device()
    if place_of(device).is_gpu_place():
        return float(getattr(device, "compute_capability", 0)) >= 8.0
    return device.platform != "cpu"


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Return whether JAX sees a device of a kind that is neither CPU nor GPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.is_compiled_with_custom_device("npu")
        False
    """
    return device_type in get_all_custom_device_type()


def is_compiled_with_cinn() -> bool:
    """Return False: XLA compiles, not Paddle's compiler CINN."""
    return False


def is_compiled_with_ipu() -> bool:
    """Return False: XLA has no backend for Graphcore IPUs."""
    return False


def is_compiled_with_distribute() -> bool:
    """Return False: Paddle's own communication library is not used."""
    return False
