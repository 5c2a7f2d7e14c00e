"""Streams and events, as programs for GPUs use them: XLA has one ordered queue for each device.

Work on a device runs in the order of its data dependencies. So all streams of a device are that
queue: no stream has to wait for another, and ``synchronize`` waits for everything.
"""

from __future__ import annotations

import time
import weakref
from typing import TYPE_CHECKING, Any

from jaxeager.arrays.as_array import live_arrays
from jaxeager.device.properties import device_of
from jaxeager.device.waiting import synchronize
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


class Event:
    """A point in the work of a device.

    Args:
        enable_timing: whether ``elapsed_time`` is called later. ``record`` then waits for the
            device, and the time is that of the host: XLA has no clock of its devices.
        blocking: ignored.
        interprocess: ignored.

    Example:
        >>> import jaxeager as paddle
        >>> start, end = (paddle.device.Event(enable_timing=True) for _ in range(2))
        >>> start.record()
        >>> y = paddle.ones([10]) + 1
        >>> end.record()
        >>> start.elapsed_time(end) > 0.0
        True
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ):
        self._is_timed = enable_timing
        self._time: float | None = None
        self._waiting: list[weakref.ref] = []

    def record(self, stream: Stream | None = None) -> None:
        """Record the work given to a device so far; with ``enable_timing`` wait for it.

        Args:
            stream: of the device; None for the current one.
        """
        device = (current_stream() if stream is None else stream).device
        if self._is_timed:
            synchronize(device)
            self._time = time.perf_counter()
            return
        target = device_of(device)
        arrays = [array for array in live_arrays() if target in array.devices()]
        self._waiting = [weakref.ref(array) for array in arrays if not array.is_ready()]

    def query(self) -> bool:
        """Return whether the recorded work is done."""
        arrays = [found for found in (each() for each in self._waiting) if found is not None]
        return all(array.is_deleted() or array.is_ready() for array in arrays)

    def synchronize(self) -> None:
        """Wait until the recorded work is done."""
        for each in self._waiting:
            array = each()
            if array is not None and not array.is_deleted():
                array.block_until_ready()

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this event to another, by the clock of the host.

        Raises:
            PreconditionNotMetError: for an event without ``enable_timing``, or not recorded.
        """
        if self._time is None or end_event._time is None:
            raise PreconditionNotMetError(
                "elapsed_time() needs two events that were made with enable_timing=True and "
                "recorded."
            )
        return (end_event._time - self._time) * 1000.0

    def __repr__(self) -> str:
        return f"Event(enable_timing={self._is_timed})"


class Stream:
    """The queue of a device.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.
        priority: ignored.
        stream_base: ignored.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Example:
        >>> import jaxeager as paddle
        >>> stream = paddle.device.Stream()
        >>> with paddle.device.stream_guard(stream):
        ...     y = paddle.ones([2]) + 1
        >>> stream.synchronize()
        >>> stream.query()
        True
    """

    def __init__(
        self, device: PlaceLike | int | None = None, priority: int = 2, stream_base: object = None
    ):
        self.device = device_of(device)
        self.priority = priority

    def wait_event(self, event: Event) -> None:
        """Do nothing: XLA orders its work by data dependencies."""

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing: XLA orders its work by data dependencies."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, or a new one when it is None, and return it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """Return whether all work of the device is done."""
        return self.record_event().query()

    def synchronize(self) -> None:
        """Wait until all work of the device is done."""
        synchronize(self.device)

    def __repr__(self) -> str:
        return f"<paddle.device.Stream device={self.device}>"


_current: dict[Any, Stream] = {}


def current_stream(device: PlaceLike | None = None) -> Stream:
    """Return the stream that was set for a device.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.current_stream() is paddle.device.current_stream()
        True
    """
    found = device_of(device)
    if found not in _current:
        _current[found] = Stream(device)
    return _current[found]


def set_stream(stream: Stream) -> Stream:
    """Make a stream the current one of its device, and return the previous one.

    Raises:
        InvalidTypeError: if it is not a stream.

    Example:
        >>> import jaxeager as paddle
        >>> stream = paddle.device.Stream()
        >>> before = paddle.device.set_stream(stream)
        >>> paddle.device.set_stream(before) is stream
        True
    """
    if not isinstance(stream, Stream):
        raise InvalidTypeError(f"set_stream() takes a Stream, but received {stream!r}.")
    before = _current.get(stream.device)
    if before is None:
        before = Stream()
        before.device = stream.device
    _current[stream.device] = stream
    return before


class stream_guard:
    """Makes a stream the current one inside a ``with`` statement; None changes nothing.

    Args:
        stream: the stream.

    Example:
        >>> import jaxeager as paddle
        >>> stream = paddle.device.Stream()
        >>> with paddle.device.stream_guard(stream):
        ...     paddle.device.current_stream() is stream
        True
    """

    def __init__(self, stream: Stream | None = None):
        self.stream = stream
        self._before: list[Stream] = []

    def __enter__(self) -> None:
        if self.stream is not None:
            self._before.append(set_stream(self.stream))

    def __exit__(self, *error: object) -> None:
        if self._before:
            set_stream(self._before.pop())


StreamContext = stream_guard


def stream(stream: Stream | None) -> stream_guard:
    """Return ``stream_guard(stream)``, for use in a ``with`` statement.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.device.stream(None):
        ...     pass
    """
    return stream_guard(stream)


def is_current_stream_capturing() -> bool:
    """Return False: XLA does not capture streams.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.is_current_stream_capturing()
        False
    """
    return False
