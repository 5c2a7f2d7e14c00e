"""memory_allocated and its kin: how much memory a device has given out, now and at most.

What is counted, and how: debug/memory/meter.py, which is imported when somebody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.device.properties import device_of

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


def _meter(device):
    """Return what keeps the numbers of a device."""
    from jaxeager.debug.memory.meter import meter

    return meter(device_of(device))


def memory_allocated(device: PlaceLike | None = None) -> int:
    """Return the bytes that the buffers of a device take.

    On an accelerator this is XLA's own number, on the CPU the live buffers are counted.

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
    return _meter(device).look().allocated


def memory_reserved(device: PlaceLike | None = None) -> int:
    """Return the bytes of the pool that buffers are taken from, those in use among them.

    On the CPU there is no pool, and this is what is allocated.

    Args:
        device: as for ``memory_allocated``.
    """
    return _meter(device).look().reserved


def max_memory_allocated(device: PlaceLike | None = None) -> int:
    """Return the most bytes that the buffers of a device took at one time.

    On an accelerator this is XLA's own number. On the CPU, and on both after a ``reset_...``, it is
    the highest number seen: when somebody asked and, from the first ``reset_max_memory_allocated``
    (or ``reset_peak_memory_stats``) on, after every op that can have raised it by a hundredth. What
    an op needs only while it runs is not seen there.

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
    """Return the most bytes that the pool had; see ``max_memory_allocated``.

    Args:
        device: as for ``memory_allocated``.
    """
    return _meter(device).peak("Reserved")


def reset_max_memory_allocated(device: PlaceLike | None = None) -> None:
    """Start ``max_memory_allocated`` anew, and have ops looked at from now on. About 1 us an op.

    Args:
        device: as for ``memory_allocated``.
    """
    _meter(device).restart("Allocated")


def reset_max_memory_reserved(device: PlaceLike | None = None) -> None:
    """Start ``max_memory_reserved`` anew; see ``reset_max_memory_allocated``.

    Args:
        device: as for ``memory_allocated``.
    """
    _meter(device).restart("Reserved")


def reset_peak_memory_stats(device: PlaceLike | int | None = None) -> None:
    """Start both peaks anew; see ``reset_max_memory_allocated``.

    Args:
        device: as for ``memory_allocated``.
    """
    _meter(device).restart()


def empty_cache() -> None:
    """Free what nobody uses any more: cycles of tensors and graphs.

    XLA keeps its pool; it gives buffers out of it again.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.empty_cache()
    """
    import gc

    gc.collect()
