"""Properties of a device: its name, memory, and number of processors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jaxeager.core import places
from jaxeager.device.guards import numbered
from jaxeager.errors import InvalidTypeError, UnavailableError

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


class DeviceProperties(NamedTuple):
    """The known properties of a device.

    Attributes:
        name: of the model; "cpu" for a CPU.
        major: the first number of its compute capability; None if it has none.
        minor: the second.
        total_memory: the bytes that XLA may use, None if unknown; for a CPU, the machine's memory.
        multi_processor_count: number of cores; None if JAX does not report it.
    """

    name: str
    major: int | None
    minor: int | None
    total_memory: int | None
    multi_processor_count: int | None


def device_of(device):
    """Return the jax.Device of an argument: None, a number, "gpu:0", a Place, a Device.

    Raises:
        InvalidArgumentError: when this machine has no such device.
        InvalidTypeError: for a bool.
    """
    if device is None:
        return places.current_device()
    is_number = isinstance(device, (int, np.integer))
    if isinstance(device, bool):
        raise InvalidTypeError(f"A device is not a bool, but received {device}.")
    place = numbered(int(device)) if is_number else places.as_place(device)
    return place.device()


def get_device_properties(device: PlaceLike | None = None) -> DeviceProperties:
    """Return the known properties of a device.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Paddle: raises NameError for a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.get_device_properties("cpu").name
        'cpu'
    """
    found = device_of(device)
    if found.platform == "cpu":
        return DeviceProperties("cpu", None, None, _host_memory(), os.cpu_count())
    major, minor = _capability(found)
    stats = found.memory_stats() or {}
    cores = getattr(found, "core_count", None)
    return DeviceProperties(found.device_kind, major, minor, stats.get("bytes_limit"), cores)


def _host_memory() -> int | None:
    """Return the bytes of memory of the machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _capability(device) -> tuple[int | None, int | None]:
    text = str(getattr(device, "compute_capability", None) or "")
    major, _, minor = text.partition(".")
    return (int(major), int(minor or 0)) if major.isdigit() else (None, None)


def get_device_name(device: PlaceLike | None = None) -> str:
    """Return the model name of a device; "cpu" for a CPU.

    Args:
        device: as for ``get_device_properties``.
    """
    return device_of(device).device_kind


def get_device_capability(device: PlaceLike | None = None) -> tuple[int, int]:
    """Return the two numbers of a GPU's compute capability.

    Raises:
        UnavailableError: for a device that has none.
    """
    major, minor = _capability(device_of(device))
    if major is None or minor is None:
        raise UnavailableError("get_device_capability: this device has no compute capability.")
    return major, minor


def get_cudnn_version() -> None:
    """Return None: JAX does not report which cuDNN it loaded.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.get_cudnn_version() is None
        True
    """
