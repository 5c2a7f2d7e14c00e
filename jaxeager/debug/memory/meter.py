"""Memory that a device has allocated: the numbers of paddle.device.memory_allocated and others.

Note [Memory statistics]
    On accelerators the numbers are XLA's own (``jax.Device.memory_stats``): "allocated" is the size
    of buffers, "reserved" the size of the pool that contains them. XLA has no statistics for its
    CPU; there the live buffers are counted, each once however many tensors share it, and nothing is
    reserved beyond them.

    XLA's peak is that of the whole process, and cannot be reset. So ``Meter`` keeps a separate one:
    the highest number seen, measured on request and, from the first ``reset_...`` on (or with
    FLAGS_enable_gpu_memory_usage_log), after every op and every node of a backward that can have
    raised it by a hundredth. On an accelerator XLA's peak counts as well once it has risen since
    the reset. On the CPU, temporary memory of an op is not included.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
from jax.core import Tracer

from jaxeager.arrays.as_array import live_arrays
from jaxeager.graph import events

ALLOCATED, RESERVED = "Allocated", "Reserved"
SLACK_BYTES = 1 << 16
"""After an op, a peak higher by fewer bytes, or by less than a hundredth, is ignored."""


class Usage(NamedTuple):
    """Bytes that a device has allocated.

    Attributes:
        allocated: the bytes of buffers.
        reserved: the bytes of the pool that buffers are allocated from.
        peak_allocated: the peak of ``allocated`` since the process began; 0 if XLA does not know.
        peak_reserved: the peak of ``reserved``.
    """

    allocated: int
    reserved: int
    peak_allocated: int = 0
    peak_reserved: int = 0


def usage(device) -> Usage:
    """Return the memory that a jax.Device has allocated; see Note [Memory statistics]."""
    stats = device.memory_stats()
    if not stats:
        live = sum(live_buffers(device).values())
        return Usage(live, live)
    allocated, peak = stats.get("bytes_in_use", 0), stats.get("peak_bytes_in_use", 0)
    reserved = stats.get("pool_bytes", stats.get("bytes_reserved", 0)) or allocated
    most = stats.get("peak_pool_bytes", stats.get("peak_bytes_reserved", 0)) or peak
    return Usage(allocated, max(reserved, allocated), peak, max(most, peak))


def live_buffers(device) -> dict[int, int]:
    """Return the bytes of each live buffer of a device by its address. About 3 us per buffer."""
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
    """The peaks of one device since they were last reset.

    Attributes:
        device: the jax.Device.
        added: an upper bound of the bytes added since the last measurement.
    """

    def __init__(self, device):
        self.device = device
        self.added = 0
        self._last = Usage(0, 0)
        self._peaks = {ALLOCATED: 0, RESERVED: 0}
        self._before = Usage(0, 0)  # XLA's peaks at the last reset

    def measure(self) -> Usage:
        """Measure and store the current usage, and return it."""
        now = self._last = usage(self.device)
        self.added = 0
        for stat, seen, most, before in (
            (ALLOCATED, now.allocated, now.peak_allocated, self._before.peak_allocated),
            (RESERVED, now.reserved, now.peak_reserved, self._before.peak_reserved),
        ):
            known = max(seen, most) if most > before else seen
            self._peaks[stat] = max(self._peaks[stat], known)
        return now

    def note_added(self, nbytes: int) -> None:
        """Measure if new buffers may have caused a new peak; see ``SLACK_BYTES``."""
        self.added += nbytes
        peak = self._peaks[ALLOCATED]
        if self._last.allocated + self.added > peak + max(SLACK_BYTES, peak // 100):
            self.measure()

    def peak(self, stat: str) -> int:
        """Return the highest value seen."""
        self.measure()
        return self._peaks[stat]

    def reset(self, stat: str | None = None) -> None:
        """Reset one peak, or both, to the current usage."""
        self._before = self.measure()
        now = {ALLOCATED: self._last.allocated, RESERVED: self._last.reserved}
        self._peaks |= now if stat is None else {stat: now[stat]}

    def restart(self, stat: str | None = None) -> None:
        """Do the work of the public ``reset_...`` functions: ``reset`` and ``watch``."""
        self.reset(stat)
        self.watch()

    def watch(self, who: str = "reset") -> None:
        """Measure after every op from now on, until ``unwatch`` by the same ``who``. About 1 us."""
        self.measure()
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
    """Makes meters measure after every op and every node."""

    def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
        _note_added(arrays)

    def node_ended(self, node, grads, results):
        _note_added(results)

    def array_made(self, array):
        _note_added((array,))

    def value_written(self, op, tensor, array):
        _note_added((array,))


def _note_added(arrays) -> None:
    nbytes = sum(each.nbytes for each in arrays if _is_in_memory(each))
    if nbytes:
        for each in list(_meters.values()):
            each.note_added(nbytes)


def _is_in_memory(value: object) -> bool:
    """Return whether a value is an array with data, and not one that is being traced."""
    return isinstance(value, jax.Array) and not isinstance(value, Tracer)


_watcher = _Watcher()
_watched_for: set[str] = set()


def unwatch(who: str = "reset") -> None:
    """Measure only on request, unless another user has called ``watch``."""
    _watched_for.discard(who)
    if not _watched_for:
        events.unobserve(_watcher)
