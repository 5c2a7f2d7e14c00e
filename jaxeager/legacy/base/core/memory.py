"""host_memory_stat_... and device_memory_stat_...: statistics of ``paddle.device.memory_...``."""

import jax

from jaxeager.device.guards import numbered
from jaxeager.errors import InvalidArgumentError, NotFoundError

_STATS = ("Allocated", "Reserved")


def _meter(device, stat_type: str):
    """Return the memory meter of a jax.Device; import it on first use.

    Raises:
        NotFoundError: for a statistic that does not exist.
    """
    from jaxeager.debug.memory.meter import meter

    if stat_type not in _STATS:
        raise NotFoundError(f"The statistic is {' or '.join(_STATS)}, but received {stat_type!r}.")
    return meter(device)


def _host(number: int):
    devices = jax.local_devices(backend="cpu")
    if not 0 <= number < len(devices):
        raise InvalidArgumentError(f"There is no CPU number {number}; there are {len(devices)}.")
    return devices[number]


def _current(found, stat_type: str) -> int:
    now = found.measure()
    return now.allocated if stat_type == "Allocated" else now.reserved


def host_memory_stat_current_value(stat_type: str, device_id: int = 0) -> int:
    """Return the bytes of the live buffers in host memory.

    Args:
        stat_type: "Allocated" or "Reserved", which is the same: XLA's CPU has no pool.
        device_id: the number of the CPU device.

    Raises:
        NotFoundError: for another statistic.
        InvalidArgumentError: for a number that no CPU device has.

    Example:
        >>> import jaxeager as paddle
        >>> before = paddle.base.core.host_memory_stat_current_value("Allocated", 0)
        >>> x = paddle.ones([1024], "float32").cpu()
        >>> paddle.base.core.host_memory_stat_current_value("Allocated", 0) - before
        4096
    """
    return _current(_meter(_host(device_id), stat_type), stat_type)


def host_memory_stat_peak_value(stat_type: str, device_id: int = 0) -> int:
    """Return the highest number of bytes seen; see ``paddle.device.max_memory_allocated``.

    Args:
        stat_type: "Allocated" or "Reserved".
        device_id: the number of the CPU device.

    Raises:
        NotFoundError: for another statistic.
        InvalidArgumentError: for a number that no CPU device has.

    Example:
        >>> import jaxeager as paddle
        >>> now = paddle.base.core.host_memory_stat_current_value("Allocated")
        >>> paddle.base.core.host_memory_stat_peak_value("Allocated") >= now
        True
    """
    return _meter(_host(device_id), stat_type).peak(stat_type)


def host_memory_stat_reset_peak_value(stat_type: str, device_id: int = 0) -> None:
    """Reset the peak, and observe ops from now on.

    Args:
        stat_type: "Allocated" or "Reserved".
        device_id: the number of the CPU device.

    Raises:
        NotFoundError: for another statistic.
        InvalidArgumentError: for a number that no CPU device has.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.debug.memory import meter as memory_meter
        >>> paddle.base.core.host_memory_stat_reset_peak_value("Allocated")
        >>> memory_meter.unwatch()  # else every op is looked at from now on
    """
    _meter(_host(device_id), stat_type).restart(stat_type)


def device_memory_stat_current_value(stat_type: str, device_id: int = 0) -> int:
    """Return the bytes allocated on an accelerator; on the CPU if there is none.

    Args:
        stat_type: "Allocated" or "Reserved".
        device_id: the number of the accelerator.

    Raises:
        NotFoundError: for another statistic.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.device_memory_stat_current_value("Allocated") >= 0
        True
    """
    return _current(_meter(numbered(device_id).device(), stat_type), stat_type)


def device_memory_stat_peak_value(stat_type: str, device_id: int = 0) -> int:
    """Return the highest number of bytes allocated on an accelerator at one time.

    Args:
        stat_type: "Allocated" or "Reserved".
        device_id: the number of the accelerator.

    Raises:
        NotFoundError: for another statistic.

    Example:
        >>> import jaxeager as paddle
        >>> now = paddle.base.core.device_memory_stat_current_value("Allocated")
        >>> paddle.base.core.device_memory_stat_peak_value("Allocated") >= now
        True
    """
    return _meter(numbered(device_id).device(), stat_type).peak(stat_type)


def device_memory_stat_reset_peak_value(stat_type: str, device_id: int = 0) -> None:
    """Reset the peak of an accelerator.

    Args:
        stat_type: "Allocated" or "Reserved".
        device_id: the number of the accelerator.

    Raises:
        NotFoundError: for another statistic.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.debug.memory import meter as memory_meter
        >>> paddle.base.core.device_memory_stat_reset_peak_value("Allocated")
        >>> memory_meter.unwatch()  # else every op is looked at from now on
    """
    _meter(numbered(device_id).device(), stat_type).restart(stat_type)
