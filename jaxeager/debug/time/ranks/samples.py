"""Sampler: which line of the program runs outside of ops, recorded every few milliseconds."""

from __future__ import annotations

import sys
import threading
from types import FrameType

from jaxeager.core import user_lines
from jaxeager.debug.memory.program_roots import is_seen
from jaxeager.debug.time.clock import now_ns
from jaxeager.debug.time.event_tree import is_counted
from jaxeager.debug.time.timed_events import Event
from jaxeager.debug.time.user_stack import Frame, frame_of

PERIOD_SECONDS = 0.005
_is_program: dict[str, bool] = {}


class Sampler:
    """A thread that records the innermost line of the program in the thread that starts it.

    While that thread is in an op, or waits for another rank, nothing is recorded: these times are
    known exactly. A sample takes about 10 us.

    Args:
        samples: gets a pair of time and line each time.
    """

    def __init__(self, samples: list[tuple[int, Frame]]):
        self._samples = samples
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, opened: list[Event]) -> None:
        """Begin to observe this thread, whose open events are in a list."""
        self._over.clear()
        given = threading.get_ident(), opened
        self._thread = threading.Thread(
            target=self._run, args=given, name="samples of lines", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, observed: int, opened: list[Event]) -> None:
        while not self._over.wait(PERIOD_SECONDS):
            if any(map(is_counted, list(opened))):
                continue
            line = innermost_line(sys._current_frames().get(observed))
            if line is not None:
                self._samples.append((now_ns(), line))


def innermost_line(frame: FrameType | None) -> Frame | None:
    """Return the innermost line of the program that a frame was called from.

    The program is what is neither this package, nor Python's library, nor an installed package; if
    no frame is of such a file, the innermost line outside of this package.
    """
    outside = None
    while frame is not None:
        file = frame.f_code.co_filename
        if file not in _is_program:
            _is_program[file] = is_seen(file) and user_lines.is_users(file)
        if _is_program[file]:
            return frame_of(frame)
        if outside is None and user_lines.is_users(file) and not file.startswith("<frozen"):
            outside = frame
        frame = frame.f_back
    return None if outside is None else frame_of(outside)
