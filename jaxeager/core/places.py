"""The devices of arrays: Paddle's places over JAX's devices."""

# JAX's devices have no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:  # jax.Device is a variable to a type checker
    from typing import Any as Device

    from jaxeager.core.types import PlaceLike
    from jaxeager.tensor.tensor import Tensor
else:
    Device = jax.Device

_PADDLE_NAME = {"cuda": "gpu", "rocm": "gpu", "gpu": "gpu", "tpu": "tpu", "cpu": "cpu"}
_JAX_PLATFORM = {"gpu": "gpu", "cuda": "gpu", "tpu": "tpu", "cpu": "cpu", "xpu": "tpu"}


class Place:
    """One device, by kind ("cpu", "gpu", "tpu") and index: the class of ``x.place``.

    As in Paddle, two places of one device are equal whatever their classes. ``x.place`` is a plain
    Place: use ``is_cpu_place()`` and ``==``, not its class.

    Args:
        kind: "cpu", "gpu", "tpu" or another platform of JAX; "undefined" until ``set_place``.
        index: the number among the devices of its kind.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([1]).to("cpu")
        >>> x.place, x.place == paddle.CPUPlace(), isinstance(x.place, paddle.CPUPlace)
        (Place(cpu), True, False)
    """

    __slots__ = ("index", "kind")

    def __init__(self, kind: str = "undefined", index: int = 0):
        self.kind = kind
        self.index = index

    def set_place(self, place: Place) -> None:
        """Make this the place of another device."""
        self.kind, self.index = place.kind, place.index

    def device(self) -> Device:
        """Return the jax.Device; raise InvalidArgumentError when this machine does not have it."""
        try:
            devices: list[Device] = jax.local_devices(
                backend=_JAX_PLATFORM.get(self.kind, self.kind)
            )
        except RuntimeError:
            devices = []
        if self.index >= len(devices):
            kinds = sorted({place_of(device).name() for device in jax.local_devices()})
            named = self.name() if self.index == 0 else f"{self.kind}:{self.index}"
            raise InvalidArgumentError(
                f"There is no device '{named}' here; JAX sees {', '.join(kinds)}. "
                "Use one of those, or install the jax plugin of your accelerator."
            )
        return devices[self.index]

    def is_cpu_place(self) -> bool:
        """Return whether this is host memory."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Return whether this is a CUDA or ROCm device."""
        return self.kind == "gpu"

    def is_tpu_place(self) -> bool:
        """Return whether this is a TPU."""
        return self.kind == "tpu"

    def is_custom_place(self) -> bool:
        """Return whether this is an accelerator other than a GPU, a plugin device in Paddle."""
        return self.kind not in ("cpu", "gpu", "undefined")

    def is_cuda_pinned_place(self) -> bool:
        """Return whether pinned memory was requested; such data is in host memory."""
        return isinstance(self, CUDAPinnedPlace)

    def is_xpu_place(self) -> bool:
        """Return False: XLA has no backend for XPUs."""
        return False

    def is_xpu_pinned_place(self) -> bool:
        """Return False: XLA has no backend for XPUs."""
        return False

    def is_ipu_place(self) -> bool:
        """Return False: XLA has no backend for IPUs."""
        return False

    def get_device_id(self) -> int:
        """Return the index among the devices of its kind."""
        return self.index

    def gpu_device_id(self) -> int:
        """Return the index among the devices of its kind."""
        return self.index

    def custom_device_id(self) -> int:
        """Return the index among the devices of its kind."""
        return self.index

    def xpu_device_id(self) -> int:
        """Return the index among the devices of its kind."""
        return self.index

    def ipu_device_id(self) -> int:
        """Return the index among the devices of its kind."""
        return self.index

    def custom_device_type(self) -> str:
        """Return the kind of an accelerator other than a GPU, such as "tpu", else ""."""
        return self.kind if self.is_custom_place() else ""

    def name(self) -> str:
        """Return the name for set_device: "cpu", "gpu:0"."""
        return "cpu" if self.kind == "cpu" else f"{self.kind}:{self.index}"

    def _type(self) -> int:
        """Return Paddle's number of the kind: 0 undefined, 1 CPU, 2 GPU, 9 custom."""
        return {"undefined": 0, "cpu": 1, "gpu": 2}.get(self.kind, 9)

    def _equals(self, place: Place) -> bool:
        """Return whether another place is the same device."""
        return self == place

    def __repr__(self) -> str:
        return f"Place({self.name()})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        return (self.kind, self.index) == (other.kind, other.index)

    def __hash__(self) -> int:
        return hash((self.kind, self.index))


class CPUPlace(Place):
    """The place of host memory.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.CPUPlace()
        Place(cpu)
    """

    __slots__ = ()

    def __init__(self):
        super().__init__("cpu", 0)


class CUDAPinnedPlace(Place):
    """The place of host memory that a GPU reads fast (XLA itself pins what it needs).

    Example:
        >>> import jaxeager as paddle
        >>> paddle.CUDAPinnedPlace() == paddle.CPUPlace()
        True
    """

    __slots__ = ()

    def __init__(self):
        super().__init__("cpu", 0)


class CUDAPlace(Place):
    """The place of one GPU.

    Args:
        index: its number.

    Raises:
        InvalidArgumentError: for a number that is not an int, or negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.CUDAPlace(1)
        Place(gpu:1)
    """

    __slots__ = ()

    def __init__(self, index: int = 0):
        super().__init__("gpu", _checked(index))


class CustomPlace(Place):
    """The place of one device of another kind, which a plugin of JAX provides.

    Args:
        device_type: the platform's name in JAX, such as "tpu".
        index: its number.

    Raises:
        InvalidArgumentError: for a number that is not an int, or negative.

    Example:
        >>> import jaxeager as paddle
        >>> place = paddle.CustomPlace("tpu", 1)
        >>> place, place.is_custom_place(), place.custom_device_type()
        (Place(tpu:1), True, 'tpu')
    """

    __slots__ = ()

    def __init__(self, device_type: str, index: int = 0):
        super().__init__(str(device_type), _checked(index))


class TPUPlace(CustomPlace):
    """The place of one TPU.

    Args:
        index: its number.

    Raises:
        InvalidArgumentError: for a number that is not an int, or negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.TPUPlace()
        Place(tpu:0)
    """

    __slots__ = ()

    def __init__(self, index: int = 0):
        super().__init__("tpu", index)


class _UnknownToXLA(Place):
    """A place that cannot be made; the class exists for ``isinstance``."""

    __slots__ = ()

    def __init__(self, index: int = 0):
        raise InvalidArgumentError(
            f"{type(self).__name__}({index}): XLA has no backend for this kind of device. Use "
            "CPUPlace(), CUDAPlace(0), TPUPlace(0) or CustomPlace('<platform of a plugin>', 0)."
        )


class XPUPlace(_UnknownToXLA):
    """The place of a Kunlun XPU; it cannot be made, since XLA has no backend for XPUs."""

    __slots__ = ()


class XPUPinnedPlace(_UnknownToXLA):
    """The place of host memory of an XPU; it cannot be made, as with XPUPlace."""

    __slots__ = ()


class IPUPlace(_UnknownToXLA):
    """The place of a Graphcore IPU; it cannot be made, since XLA has no backend for IPUs."""

    __slots__ = ()


def _checked(index: int) -> int:
    """Return the number of a device; raise InvalidArgumentError when it cannot be one."""
    if not hasattr(index, "__index__") or operator.index(index) < 0:
        raise InvalidArgumentError(
            f"The number of a device is an int from 0, but received {index!r}."
        )
    return operator.index(index)


def place_of(device: Device) -> Place:
    """Return the Place of a jax.Device."""
    kind = _PADDLE_NAME.get(device.platform) or device.platform
    return Place(kind, getattr(device, "local_hardware_id", None) or 0)


def as_place(place: object) -> Place:
    """Return a Place for a Place, jax.Device or a string such as "cpu", "gpu" or "gpu:0".

    Raises:
        InvalidArgumentError: when the string names no kind of device.
    """
    if isinstance(place, Place):
        return place
    if isinstance(place, jax.Device):
        return place_of(place)
    text = str(place).lower().removeprefix("place(").removesuffix(")")
    kind, _, index = text.partition(":")
    if kind not in _JAX_PLATFORM or not (index == "" or index.isdigit()):
        raise InvalidArgumentError(
            f"The device must be a string like 'cpu', 'gpu', 'gpu:0', 'tpu' or 'tpu:0', "
            f"but received {place!r}."
        )
    return typed(_PADDLE_NAME[_JAX_PLATFORM[kind]], int(index or 0))


def typed(kind: str, index: int = 0) -> Place:
    """Return a place by the class of its kind: a CPUPlace, CUDAPlace, TPUPlace or CustomPlace."""
    if kind == "cpu":
        place = CPUPlace()
        place.index = index  # JAX can split the host into several devices
        return place
    makers = {"gpu": CUDAPlace, "tpu": TPUPlace}
    return makers[kind](index) if kind in makers else CustomPlace(kind, index)


class DeviceName(str):
    """A device as text, "cpu" or "cuda:0": ``paddle.device.Device``, the class of ``x.device``.

    In a ``with`` statement new tensors are made on it; its end restores the device before.

    Args:
        type: "cpu", "gpu:0", "cuda", "tpu:1", a Place, or an int, the number of a GPU.
        index: the number, when ``type`` does not contain it; ignored for the CPU.

    Attributes:
        type: "cpu", "cuda", "gpu", "tpu".
        index: the number, None for the CPU.

    Raises:
        InvalidArgumentError: for a kind that does not exist, or an index alone.
        InvalidTypeError: for an object that is not a device.

    Example:
        >>> import jaxeager as paddle
        >>> device = paddle.device.Device("cuda", 1)
        >>> device, device.type, device.index
        ('cuda:1', 'cuda', 1)
    """

    type: str
    index: int | None  # pyright: ignore[reportIncompatibleMethodOverride]  # Paddle's name

    def __new__(cls, type: Place | int | str | None = None, index: int | None = None):
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

    def __exit__(self, *error: object) -> None:
        set_device(_entered.pop())


_entered: list[Device] = []  # the devices to restore
_current: Device | None = None


@functools.cache
def only_on(device: Device) -> jax.sharding.Sharding:
    """Return the sharding of an array that is on one device."""
    return jax.sharding.SingleDeviceSharding(device)


def current_device() -> Device:
    """Return the jax.Device of new tensors, as set by set_device or jax_default_device."""
    config: Any = jax.config
    chosen = config.jax_default_device
    if chosen is None:
        return _current if _current is not None else jax.local_devices()[0]
    return jax.local_devices(backend=chosen)[0] if isinstance(chosen, str) else chosen


def set_device(device: PlaceLike | int) -> Place:
    """Set the device of new tensors, and return its place.

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


def get_device(input: Tensor | None = None) -> str | int:
    """Return the name of the device of new tensors, for example "cpu" or "gpu:0".

    Args:
        input: a tensor; if given, the number of its accelerator is returned, -1 for the CPU.

    Example:
        >>> import jaxeager as paddle
        >>> isinstance(paddle.get_device(), str)
        True
    """
    if input is not None:
        return input.get_device()
    return place_of(current_device()).name()


def get_default_device() -> DeviceName:
    """Return the device of new tensors, "cpu" or "cuda:0".

    Example:
        >>> import jaxeager as paddle
        >>> paddle.get_default_device() == paddle.ones([1]).device
        True
    """
    return DeviceName(place_of(current_device()))


def set_default_device(device: PlaceLike | int) -> None:
    """Set the device of new tensors; see ``set_device``.

    Args:
        device: "cpu", "gpu", "gpu:1", "tpu", a Place or a jax.Device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.set_default_device(paddle.get_default_device())
    """
    set_device(device)


def _convert_to_place(device: object) -> object:  # pyright: ignore[reportUnusedFunction]
    """Return the place of a text; anything else as it is."""
    return as_place(device) if isinstance(device, str) else device
