"""What an accelerator is: its name, memory, and number of processors."""

from typing import NamedTuple

from jaxeager import places
from jaxeager.device.guards import numbered
from jaxeager.errors import UnavailableError


class DeviceProperties(NamedTuple):
    """What JAX knows of an accelerator.

    Attributes:
        name: of the model.
        major: the first number of its compute capability; None when it has none.
        minor: the second.
        total_memory: bytes that XLA may use; None when it does not say.
        multi_processor_count: number of cores; None when JAX does not say.
    """

    name: str
    major: int | None
    minor: int | None
    total_memory: int | None
    multi_processor_count: int | None


def _accelerator(device, what: str):
    """Returns the jax.Device, the current one for None.

    Raises:
        UnavailableError: when it is a CPU.
    """
    if device is None:
        found = places.current_device()
    else:
        place = numbered(device) if isinstance(device, int) else places.as_place(device)
        found = place.device()
    if found.platform == "cpu":
        raise UnavailableError(
            f"{what} is about accelerators, and the device is a CPU. "
            "Name one of paddle.device.get_available_device()."
        )
    return found


def get_device_properties(device=None) -> DeviceProperties:
    """Returns what JAX knows of an accelerator.

    Args:
        device: "gpu:0", a number, a Place or a Device; the current device by default.

    Raises:
        UnavailableError: for a CPU. (Paddle has a NameError there.)
        InvalidArgumentError: when this machine has no such device.
    """
    found = _accelerator(device, "get_device_properties")
    major, minor = _capability(found)
    stats = found.memory_stats() or {}
    cores = getattr(found, "core_count", None)
    return DeviceProperties(found.device_kind, major, minor, stats.get("bytes_limit"), cores)


def _capability(device) -> tuple[int | None, int | None]:
    text = str(getattr(device, "compute_capability", None) or "")
    major, _, minor = text.partition(".")
    return (int(major), int(minor or 0)) if major.isdigit() else (None, None)


def get_device_name(device=None) -> str:
    """Returns the name of the model of an accelerator.

    Raises:
        UnavailableError: for a CPU.
    """
    return _accelerator(device, "get_device_name").device_kind


def get_device_capability(device=None) -> tuple[int, int]:
    """Returns the two numbers of a GPU's compute capability.

    Raises:
        UnavailableError: for a device that has none.
    """
    major, minor = _capability(_accelerator(device, "get_device_capability"))
    if major is None or minor is None:
        raise UnavailableError("get_device_capability: this device has no compute capability.")
    return major, minor
