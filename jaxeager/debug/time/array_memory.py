"""ArrayMemory: when the arrays of a program are created and freed."""

import weakref
from collections.abc import Callable

import jax

from jaxeager.core import places
from jaxeager.debug.time.clock import now_ns
from jaxeager.debug.time.timed_events import Event


class ArrayMemory:
    """Records when arrays that are made while it is active are created and freed.

    An array is freed when nothing in Python refers to it any more. XLA may reuse or keep its memory
    independently of that.

    Attributes:
        current, peak: bytes in use, and their maximum.
    """

    def __init__(self):
        self.current = self.peak = 0
        self._known: dict[int, weakref.ref] = {}

    def record(self, event: Event, arrays, running: Callable[[], list[Event]]) -> None:
        """Record the arrays that an event has made; ``running`` returns the open events."""
        for array in arrays:
            key = id(array)
            if not isinstance(array, jax.Array) or key in self._known:
                continue
            nbytes, place = array.nbytes, str(places.place_of(next(iter(array.devices()))))
            self._note(event, nbytes, place)

            def gone(_, key=key, nbytes=nbytes, place=place) -> None:
                if self._known.pop(key, None) is not None:
                    under_way = running()
                    self._note(under_way[-1] if under_way else None, -nbytes, place)

            self._known[key] = weakref.ref(array, gone)

    def _note(self, event: Event | None, nbytes: int, place: str) -> None:
        self.current += nbytes
        self.peak = max(self.peak, self.current)
        if event is not None:
            event.memory = event.memory or []
            event.memory.append((now_ns(), nbytes, self.current, self.peak, place))

    def stop(self) -> None:
        """Forget the arrays that are still alive."""
        self._known.clear()
