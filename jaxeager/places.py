"""Where arrays live: Paddle's places over JAX's devices."""

from typing import TYPE_CHECKING

import jax

from jaxeager.errors import InvalidArgumentError, InvalidTypeError

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


class DeviceName(str):
    """A device as text, "cpu" or "cuda:0": ``paddle.device.Device``, the class of ``x.device``.

    In a ``with`` statement new tensors go to it; its end goes back to the device before.

    Args:
        type: "cpu", "gpu:0", "cuda", "tpu:1", a Place, or an int, the number of a GPU.
        index: the number, when ``type`` does not say it; without meaning for the CPU.

    Attributes:
        type: "cpu", "cuda", "gpu", "tpu".
        index: the number, None for the CPU.

    Raises:
        InvalidArgumentError: for a kind that does not exist, or an index alone.
        InvalidTypeError: for an object that is no device.

    Example:
        >>> import jaxeager as paddle
        >>> device = paddle.device.Device("cuda", 1)
        >>> device, device.type, device.index
        ('cuda:1', 'cuda', 1)
    """

    type: str
    index: int | None

    def __new__(cls, type=None, index: int | None = None):
        if isinstance(type, Place):
            kind, index = ("cuda" if type.kind == "gpu" else type.kind), type.index
        elif isinstance(type, int):
            kind, index = "cuda", type
        elif isinstance(type, str):
            kind, _, number = type.lower().partition(":")
            index = (int(number) if number.isdigit() else 0) if index is None else index
        elif type is None and index is not None:
            raise InvalidArgumentError("Device type must be specified if index is given")
        else:
            raise InvalidTypeError(f"Unsupported type for Device: {type}")
        if kind not in _JAX_PLATFORM:
            raise InvalidArgumentError(f"Unsupported device type: {kind}")
        made = str.__new__(cls, kind if kind == "cpu" else f"{kind}:{index}")
        made.type, made.index = kind, None if kind == "cpu" else index
        return made

    def __getnewargs__(self):
        return (str(self),)

    def __enter__(self):
        _entered.append(current_device())
        set_device(self)
        return self

    def __exit__(self, *error) -> None:
        set_device(_entered.pop())


_entered: list = []  # the devices to go back to
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


def get_device(input=None) -> str | int:
    """Returns the name of the device new tensors go to, for example "cpu" or "gpu:0".

    Args:
        input: a tensor; given one, the number of its accelerator is returned, -1 for the CPU.

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.get_device(), str)
        True
    """
    if input is not None:
        return input.get_device()
    return place_of(current_device()).name()
