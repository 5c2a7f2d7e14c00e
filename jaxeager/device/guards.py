"""with device(...): new tensors go to another device inside the statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax

from jaxeager.core import places
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.core.places import Place
    from jaxeager.core.types import PlaceLike


class device_guard:
    """Makes new tensors go to a device inside a ``with`` statement.

    Args:
        device: "cpu", "gpu:0", a Place or a Device; None changes nothing.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.device.device_guard("cpu"):
        ...     x = paddle.ones([1])
        >>> x.place
        Place(cpu)
    """

    def __init__(self, device: PlaceLike | None):
        self._device = None if device is None else places.as_place(device)
        if self._device is not None:
            self._device.device()
        self._before: list = []

    def __enter__(self) -> None:
        self._before.append(places.current_device())
        if self._device is not None:
            places.set_device(self._device)

    def __exit__(self, *error) -> None:
        places.set_device(self._before.pop())


class device(device_guard):
    """Makes new tensors go to a device inside a ``with`` statement.

    Args:
        device: as for ``device_guard``, or the number of an accelerator; None changes
            nothing.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.device.device("cpu"):
        ...     paddle.get_device()
        'cpu'
    """

    def __init__(self, device: Place | int | str | None = None):
        super().__init__(numbered(device) if isinstance(device, int) else device)


def numbered(number: int) -> places.Place:
    """Return the place of the accelerator with a number, or of the CPU if there is none.

    Raises:
        InvalidArgumentError: for a negative number, or one that no device has.
        InvalidTypeError: for a bool.
    """
    if isinstance(number, bool):
        raise InvalidTypeError("A device is not a bool.")
    if number < 0:
        raise InvalidArgumentError(f"Device index must be non-negative, got {number}")
    kind = places.place_of(jax.local_devices()[0]).kind
    return places.CPUPlace() if kind == "cpu" else places.Place(kind, number)
