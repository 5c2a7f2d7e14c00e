"""Where arrays live: Paddle's places over JAX's devices."""

from typing import TYPE_CHECKING

import jax

from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:  # jax.Device is a variable to a type checker
    from typing import Any as Device
else:
    Device = jax.Device

_PADDLE_NAME = {"cuda": "gpu", "rocm": "gpu", "gpu": "gpu", "tpu": "tpu", "cpu": "cpu"}
_JAX_PLATFORM = {"gpu": "gpu", "cuda": "gpu", "tpu": "tpu", "cpu": "cpu", "xpu": "tpu"}


class Place:
    """One device, by kind ("cpu", "gpu", "tpu") and index.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.CPUPlace()
        Place(cpu)
    """

    __slots__ = ("index", "kind")

    def __init__(self, kind: str = "cpu", index: int = 0):
        self.kind = kind
        self.index = index

    def device(self) -> Device:
        """Returns the jax.Device; InvalidArgumentError when this machine has none such."""
        try:
            devices = jax.local_devices(backend=_JAX_PLATFORM.get(self.kind, self.kind))
        except RuntimeError:
            devices = []
        if self.index >= len(devices):
            kinds = sorted({place_of(device).name() for device in jax.local_devices()})
            raise InvalidArgumentError(
                f"There is no device '{self.name()}' here; JAX sees {', '.join(kinds)}. "
                "Use one of those, or install the jax plugin of your accelerator."
            )
        return devices[self.index]

    def is_cpu_place(self) -> bool:
        """Says whether this is host memory."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Says whether this is a CUDA or ROCm device."""
        return self.kind == "gpu"

    def is_tpu_place(self) -> bool:
        """Says whether this is a TPU."""
        return self.kind == "tpu"

    def get_device_id(self) -> int:
        """Returns the index among the devices of its kind."""
        return self.index

    def name(self) -> str:
        """Returns what set_device takes: "cpu", "gpu:0"."""
        return "cpu" if self.kind == "cpu" else f"{self.kind}:{self.index}"

    def __repr__(self) -> str:
        return f"Place({self.name()})"

    def __eq__(self, other) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        return (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))


def CPUPlace() -> Place:
    """Returns the place of host memory."""
    return Place("cpu", 0)


def CUDAPlace(index: int = 0) -> Place:
    """Returns the place of GPU number ``index``."""
    return Place("gpu", index)


def TPUPlace(index: int = 0) -> Place:
    """Returns the place of TPU number ``index``."""
    return Place("tpu", index)


def CUDAPinnedPlace() -> Place:
    """Returns the place of host memory (XLA pins what it needs by itself)."""
    return Place("cpu", 0)


def place_of(device: Device) -> Place:
    """Returns the Place of a jax.Device."""
    kind = _PADDLE_NAME.get(device.platform) or device.platform
    return Place(kind, getattr(device, "local_hardware_id", None) or 0)


def as_place(place) -> Place:
    """Returns a Place for a Place, jax.Device or a string such as "cpu", "gpu" or "gpu:0".

    Raises:
        InvalidArgumentError: when the string names no kind of device.
    """
    if isinstance(place, Place):
        return place
    if isinstance(place, jax.Device):
        return place_of(place)
    kind, _, index = str(place).lower().partition(":")
    kind = kind.removeprefix("place(").removesuffix(")")
    if kind not in _JAX_PLATFORM or not (index == "" or index.isdigit()):
        raise InvalidArgumentError(
            f"The device must be a string like 'cpu', 'gpu', 'gpu:0', 'tpu' or 'tpu:0', "
            f"but received {place!r}."
        )
    return Place(_PADDLE_NAME[_JAX_PLATFORM[kind]], int(index or 0))


_current: Device | None = None


def current_device() -> Device:
    """Returns the jax.Device new tensors go to."""
    return _current if _current is not None else jax.local_devices()[0]


def set_device(device) -> Place:
    """Makes new tensors go to a device, and returns its place.

    Args:
        device: "cpu", "gpu", "gpu:1", "tpu", a Place or a jax.Device.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> before = paddle.get_device()
        >>> paddle.set_device("cpu")
        Place(cpu)
        >>> _ = paddle.set_device(before)
    """
    global _current
    place = as_place(device)
    _current = place.device()
    jax.config.update("jax_default_device", _current)
    return place


def get_device() -> str:
    """Returns the name of the device new tensors go to, for example "cpu" or "gpu:0".

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.get_device(), str)
        True
    """
    return place_of(current_device()).name()
