"""memory_allocated and related functions: the memory allocated on a device, now and at most.

debug/memory/meter.py states what is counted, and how; it is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.device.properties import device_of

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def _meter(device):
    """Return the memory meter of a device."""
    from jaxeager.debug.memory.meter import meter

    return meter(device_of(device))


def memory_allocated(device: PlaceLike | None = None) -> int:
    """Return the bytes of the buffers of a device.

    On an accelerator this is XLA's own number, on the CPU the sum of the live buffers.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Paddle: raises on a machine that has only a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> before = paddle.device.memory_allocated()
        >>> x = paddle.ones([1024, 1024])
        >>> paddle.device.memory_allocated() - before
        4194304
    """
    return _meter(device).measure().allocated


def memory_reserved(device: PlaceLike | None = None) -> int:
    """Return the bytes of the pool that buffers are taken from, including those in use.

    On the CPU there is no pool, and this is the allocated memory.

    Args:
        device: as for ``memory_allocated``.
    """
    return _meter(device).measure().reserved


def max_memory_allocated(device: PlaceLike | None = None) -> int:
    """Return the highest number of bytes that the buffers of a device took at one time.

    On an accelerator this is XLA's own number. On the CPU, and on both after a ``reset_...``, it is
    the highest number seen: at each call and, from the first ``reset_max_memory_allocated`` (or
    ``reset_peak_memory_stats``) on, after every op that can have raised it by one percent. Memory
    that an op needs only while it runs is not seen there.

    Args:
        device: as for ``memory_allocated``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.reset_max_memory_allocated()
        >>> before = paddle.device.memory_allocated()
        >>> x = paddle.ones([1024, 1024])
        >>> del x
        >>> paddle.device.max_memory_allocated() - before >= 4194304
        True
        >>> from jaxeager.debug.memory import meter as memory_meter
        >>> memory_meter.unwatch()  # else every op is looked at from now on
    """
    return _meter(device).peak("Allocated")


def max_memory_reserved(device: PlaceLike | None = None) -> int:
    """Return the highest number of bytes of the pool; see ``max_memory_allocated``.

    Args:
        device: as for ``memory_allocated``.
    """
    return _meter(device).peak("Reserved")


def reset_max_memory_allocated(device: PlaceLike | None = None) -> None:
    """Reset ``max_memory_allocated``, and observe ops from now on, at about 1 us per op.

    Args:
        device: as for ``memory_allocated``.
    """
    _meter(device).restart("Allocated")


def reset_max_memory_reserved(device: PlaceLike | None = None) -> None:
    """Reset ``max_memory_reserved``; see ``reset_max_memory_allocated``.

    Args:
        device: as for ``memory_allocated``.
    """
    _meter(device).restart("Reserved")


def reset_peak_memory_stats(device: PlaceLike | int | None = None) -> None:
    """Reset both peaks; see ``reset_max_memory_allocated``.

    Args:
        device: as for ``memory_allocated``.
    """
    _meter(device).restart()


def empty_cache() -> None:
    """Free unreachable memory: cycles of tensors and graphs.

    XLA keeps its pool and reuses its buffers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.empty_cache()
    """
    import gc

    gc.collect()
