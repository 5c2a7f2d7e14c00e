"""FLAGS_enable_gpu_memory_usage_log and FLAGS_use_system_allocator.

With the first, a line per device is printed at exit, in Paddle's form::

    [Memory Usage (MB)] gpu 0 : Reserved = 367.985, Allocated = 241.834

Both numbers are peaks; debug/memory/meter.py explains how they are counted. Paddle has the flag
only on GPUs; here a machine without one reports its CPU memory ("cpu 0").
"""

import atexit
import os

import jax
from jax._src import xla_bridge

from jaxeager.core.flags import flag
from jaxeager.core.places import place_of
from jaxeager.debug.memory.meter import ALLOCATED, RESERVED, meter, unwatch
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events

_ALLOCATOR = "XLA_PYTHON_CLIENT_ALLOCATOR"
_FLAG = "FLAGS_enable_gpu_memory_usage_log"


class _Starter(events.Observer):
    """Watches the devices from the first op on: listing them earlier would start them."""

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        events.unobserve(self)
        for device in jax.local_devices():
            meter(device).watch(_FLAG)


_starter = _Starter()


def set_enabled(value: bool) -> None:
    """Apply FLAGS_enable_gpu_memory_usage_log."""
    atexit.unregister(print_usage)
    events.unobserve(_starter)
    if value:
        events.observe(_starter)
        atexit.register(print_usage)
    else:
        unwatch(_FLAG)


def print_usage() -> None:
    """Print the peaks of every device that was used."""
    if xla_bridge.backends_are_initialized():
        for device in jax.local_devices():
            print(usage_line(device), flush=True)


def usage_line(device) -> str:
    """Return the line of one device as Paddle writes it (numbers with six digits, as in C++)."""
    place, seen = place_of(device), meter(device)
    peaks = seen.peak(RESERVED), seen.peak(ALLOCATED)
    unit, numbers = "Byte", [str(peak) for peak in peaks]
    if flag("FLAGS_enable_gpu_memory_usage_log_mb"):
        unit, numbers = "MB", [f"{peak / (1 << 20):g}" for peak in peaks]
    return (
        f"[Memory Usage ({unit})] {place.kind} {place.index} : "
        f"Reserved = {numbers[0]}, Allocated = {numbers[1]}"
    )


# ---- the allocator

_before: str | None = None  # the previous value of the environment variable


def set_system_allocator(value: bool) -> None:
    """Apply FLAGS_use_system_allocator: XLA then allocates each buffer separately.

    XLA reads the setting when it starts a GPU. Its CPU never has a pool, so there it has no effect.

    Raises:
        PreconditionNotMetError: when a GPU has been started.
    """
    global _before
    if xla_bridge.backends_are_initialized() and jax.default_backend() != "cpu":
        raise PreconditionNotMetError(
            f"FLAGS_use_system_allocator is {not value} since {jax.default_backend()} was started, "
            "and XLA cannot change its allocator. Set it before the first op: "
            f"FLAGS_use_system_allocator={int(value)} python ..."
        )
    if value:
        _before = os.environ.get(_ALLOCATOR)
        os.environ[_ALLOCATOR] = "platform"
    elif _before is None:
        os.environ.pop(_ALLOCATOR, None)
    else:
        os.environ[_ALLOCATOR] = _before
