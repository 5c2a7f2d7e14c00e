"""synchronize: wait for a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax

from jaxeager.arrays.as_array import live_arrays
from jaxeager.device.properties import device_of
from jaxeager.graph import events
from jaxeager.kernels.lazy import mode as lazy_mode

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def synchronize(device: PlaceLike | None = None) -> None:
    """Wait until all work on a device is done.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.synchronize()
    """
    target = device_of(device)
    lazy_mode.run()
    jax.block_until_ready(jax.device_put(0, target))
    for array in live_arrays():
        if target in array.devices():
            array.block_until_ready()
    if events.value_read is not None:  # tools that wait for the device read their data
        events.value_read(None)
