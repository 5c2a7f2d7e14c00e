"""synchronize: wait for a device."""

import jax

from jaxeager import places


def synchronize(device=None) -> None:
    """Waits until everything that was started on a device is done.

    Args:
        device: "cpu", "gpu:0", a Place or a Device; the current device by default.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.synchronize()
    """
    target = places.current_device() if device is None else places.as_place(device).device()
    jax.block_until_ready(jax.device_put(0, target))
    for array in jax.live_arrays():
        if target in array.devices():
            array.block_until_ready()
