"""ArrayMemory: when the arrays that a program makes come and go."""

import weakref
from collections.abc import Callable

import jax

from jaxeager.core import places
from jaxeager.debug.time.clock import now_ns
from jaxeager.debug.time.timed_events import Event


class ArrayMemory:
    """When arrays that were made while it records come and go.

    An array goes when nobody holds it any more, which says what Python lets go of; what XLA does
    with the memory behind it is its own affair.

    Attributes:
        current, peak: bytes in use, and the most of these.
    """

    def __init__(self):
        self.current = self.peak = 0
        self._known: dict[int, weakref.ref] = {}

    def came(self, event: Event, arrays, running: Callable[[], list[Event]]) -> None:
        """Note the arrays that an event has made; ``running`` gives the events under way."""
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
        """Forget the arrays that still are."""
        self._known.clear()
