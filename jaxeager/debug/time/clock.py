"""The time of events, and the estimated time of a program without the recorder's waits."""

import time

_EPOCH = time.time_ns() - time.perf_counter_ns()


def now_ns() -> int:
    """Return nanoseconds since 1970, of a monotonic clock."""
    return _EPOCH + time.perf_counter_ns()


def epoch_offset_ns() -> int:
    """Return what is added to the monotonic clock, which processes share, to get ``now_ns``."""
    return _EPOCH


class Clock:
    """An estimate of a program's time without the recorder's waits: one device, in order.

    The program would wait only where it reads a value.

    Attributes:
        waited_ns: how long the recorder has waited where the program itself would not.
        lost_ns: how long reads would have waited.
    """

    __slots__ = ("_began", "_device", "_device_unread", "lost_ns", "waited_ns")

    def __init__(self, began_ns: int):
        self._began = began_ns
        self.waited_ns = self.lost_ns = 0
        self._device = self._device_unread = 0  # when the device finishes, with and without reads

    def _host(self, now_ns: int) -> int:
        return now_ns - self._began - self.waited_ns

    def ran(self, launched_ns: int, device_ns: int) -> None:
        """Add a computation that was launched then, and that the recorder has waited for."""
        host = self._host(launched_ns)
        self._device = max(self._device, host + self.lost_ns) + device_ns
        self._device_unread = max(self._device_unread, host) + device_ns
        self.waited_ns += device_ns

    def read(self, now_ns: int) -> int:
        """Return how long a read would have waited."""
        wait = max(0, self._device - self._host(now_ns) - self.lost_ns)
        self.lost_ns += wait
        return wait

    def total_ns(self, now_ns: int, with_reads: bool = True) -> int:
        """Return the time the program would have taken."""
        host = self._host(now_ns)
        if with_reads:
            return max(host + self.lost_ns, self._device)
        return max(host, self._device_unread)
