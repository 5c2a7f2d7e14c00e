"""How much memory a device has given out: what paddle.device.memory_allocated and its kin say.

Note [Memory statistics]
    On accelerators the numbers are XLA's own (``jax.Device.memory_stats``): what is allocated is
    what buffers take, what is reserved is the pool they are taken from. XLA keeps none of its CPU;
    there the live buffers are counted, each once however many tensors share it, and nothing is
    reserved beyond them.

    XLA's peak is that of the whole process, and cannot be started anew. So ``Meter`` keeps one of
    its own: the highest number seen, looked at when somebody asks and, from the first
    ``reset_...`` on (or with FLAGS_enable_gpu_memory_usage_log), after every op and every node of
    a backward that can have raised it by a hundredth. On an accelerator XLA's peak counts as well
    once it has risen since the reset. On the CPU what an op needs only while it runs is not seen.
"""

from typing import Any, NamedTuple

import jax
from jax.core import Tracer

from jaxeager.core.arrays import live_arrays
from jaxeager.graph import events

ALLOCATED, RESERVED = "Allocated", "Reserved"
SLACK_BYTES = 1 << 16
"""A peak that is higher by less, or by less than a hundredth, is not looked for after an op."""


class Usage(NamedTuple):
    """Bytes that a device has given out.

    Attributes:
        allocated: by buffers.
        reserved: by the pool that buffers are taken from.
        peak_allocated: the most of the first since the process began; 0 where XLA does not say.
        peak_reserved: the most of the second.
    """

    allocated: int
    reserved: int
    peak_allocated: int = 0
    peak_reserved: int = 0


def usage(device) -> Usage:
    """Return what a jax.Device has given out; see Note [Memory statistics]."""
    stats = device.memory_stats()
    if not stats:
        live = sum(live_buffers(device).values())
        return Usage(live, live)
    allocated, peak = stats.get("bytes_in_use", 0), stats.get("peak_bytes_in_use", 0)
    reserved = stats.get("pool_bytes", stats.get("bytes_reserved", 0)) or allocated
    most = stats.get("peak_pool_bytes", stats.get("peak_bytes_reserved", 0)) or peak
    return Usage(allocated, max(reserved, allocated), peak, max(most, peak))


def live_buffers(device) -> dict[int, int]:
    """Return the bytes of each live buffer of a device by its address. About 3 us a buffer."""
    found = {}
    for array in live_arrays():
        if array.devices() == {device}:
            pieces = (array,)
        elif device in array.devices():
            pieces = [each.data for each in array.addressable_shards if each.device == device]
        else:
            continue
        for piece in pieces:
            pointer = piece.unsafe_buffer_pointer()
            found[pointer] = max(piece.nbytes, found.get(pointer, 0))
    return found


class Meter:
    """The peaks of one device since they were last started anew.

    Attributes:
        device: the jax.Device.
        added: an upper bound of the bytes that came since the last look.
    """

    def __init__(self, device):
        self.device = device
        self.added = 0
        self._last = Usage(0, 0)
        self._peaks = {ALLOCATED: 0, RESERVED: 0}
        self._before = Usage(0, 0)  # XLA's peaks when they were started anew

    def look(self) -> Usage:
        """Return what is given out now, and remember it."""
        now = self._last = usage(self.device)
        self.added = 0
        for stat, seen, most, before in (
            (ALLOCATED, now.allocated, now.peak_allocated, self._before.peak_allocated),
            (RESERVED, now.reserved, now.peak_reserved, self._before.peak_reserved),
        ):
            known = max(seen, most) if most > before else seen
            self._peaks[stat] = max(self._peaks[stat], known)
        return now

    def came(self, nbytes: int) -> None:
        """Look when buffers that came may have brought a new peak; see ``SLACK_BYTES``."""
        self.added += nbytes
        peak = self._peaks[ALLOCATED]
        if self._last.allocated + self.added > peak + max(SLACK_BYTES, peak // 100):
            self.look()

    def peak(self, stat: str) -> int:
        """Return the most that was seen."""
        self.look()
        return self._peaks[stat]

    def reset(self, stat: str | None = None) -> None:
        """Start one peak anew, or both, from what is given out now."""
        self._before = self.look()
        now = {ALLOCATED: self._last.allocated, RESERVED: self._last.reserved}
        self._peaks |= now if stat is None else {stat: now[stat]}

    def restart(self, stat: str | None = None) -> None:
        """Do what the public ``reset_...`` do: ``reset`` and ``watch``."""
        self.reset(stat)
        self.watch()

    def watch(self, who: str = "reset") -> None:
        """Look after every op from now on, until ``unwatch`` of the same. About 1 us an op."""
        self.look()
        if not _watched_for:
            events.observe(_watcher)
        _watched_for.add(who)


_meters: dict = {}


def meter(device) -> Meter:
    """Return the Meter of a jax.Device."""
    if device not in _meters:
        _meters[device] = Meter(device)
    return _meters[device]


class _Watcher(events.Observer):
    """Lets meters look after every op and every node."""

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        _came(arrays)

    def node_ended(self, node, grads, results):
        _came(results)

    def array_made(self, array):
        _came((array,))

    def value_written(self, op, tensor, array):
        _came((array,))


def _came(arrays) -> None:
    nbytes = sum(each.nbytes for each in arrays if _is_in_memory(each))
    if nbytes:
        for each in list(_meters.values()):
            each.came(nbytes)


def _is_in_memory(value: Any) -> bool:
    """Return whether a value is an array that is there, and not one that is being traced."""
    return isinstance(value, jax.Array) and not isinstance(value, Tracer)


_watcher = _Watcher()
_watched_for: set[str] = set()


def unwatch(who: str = "reset") -> None:
    """Look only when somebody asks, unless somebody else has called ``watch``."""
    _watched_for.discard(who)
    if not _watched_for:
        events.unobserve(_watcher)
