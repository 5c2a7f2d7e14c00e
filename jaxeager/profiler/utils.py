"""RecordEvent, and settings that change while a Profiler runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TypeVar

from jaxeager.core import user_lines
from jaxeager.core.unsupported_names import refused
from jaxeager.debug.time import recorder
from jaxeager.debug.time.timed_events import TracerEventType
from jaxeager.io import dataloader_iter
from jaxeager.profiler.result import ProfilerResult, read_result

_ALLOWED = tuple(
    TracerEventType[name]
    for name in (
        "Dataloader ProfileStep Forward Backward Optimization PythonOp PythonUserDefined".split()
    )
)
_modes = 0
_Batch = TypeVar("_Batch")


class RecordEvent(contextlib.ContextDecorator):
    """Marks a range of the program in recordings: a context manager or a decorator.

    It is recorded by a ``Profiler`` in a step that records and by ``paddle.debug.profile``, and
    costs almost nothing (0.2 us) while neither runs.

    Args:
        name: the name of the range.
        event_type: its kind; kinds other than Dataloader, ProfileStep, Forward, Backward,
            Optimization, PythonOp and PythonUserDefined are not recorded, with a warning.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.debug.profile() as seen:
        ...     with paddle.profiler.RecordEvent("my part"):
        ...         y = paddle.ones([2]) + 1
        >>> [event.name for event in next(iter(seen.recorder.roots.values()))]
        ['my part']
    """

    def __init__(self, name: str, event_type: TracerEventType = TracerEventType.PythonUserDefined):
        self.name = name
        self.event_type = event_type
        self.event: list[tuple] | None = None

    def __enter__(self) -> RecordEvent:
        self.begin()
        return self

    def __exit__(self, *raised) -> None:
        self.end()

    def begin(self) -> None:
        """Begin the range."""
        self.event = None
        if not recorder.active:
            return
        if self.event_type not in _ALLOWED:
            allowed = ", ".join(map(str, _ALLOWED))
            user_lines.warn(f"Only TracerEvent Type in [{allowed}] can be recorded.")
            return
        self.event = [
            (each, each.begin(self.name, self.event_type)) for each in tuple(recorder.active)
        ]

    def end(self) -> None:
        """End the range."""
        for each, event in self.event or ():
            each.end(event)
        self.event = None


def load_profiler_result(filename: str) -> ProfilerResult:
    """Return a result from a file of ``export_protobuf`` or ``Profiler.export(path, "pb")``.

    Args:
        filename: the path of the file, written here or by Paddle.

    Raises:
        InvalidArgumentError: when it is not such a file.
        NotFoundError: when it does not exist.

    Paddle: 3.3.1 cannot read what it writes when an operator was recorded in dynamic mode, and
    returns None.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.profiler.Profiler(on_trace_ready=lambda profiler: None) as seen:
        ...     y = paddle.ones([2]) + 1
        >>> file = str(getfixture("tmp_path") / "seen.pb")
        >>> seen.export(file, "pb")
        >>> sorted(paddle.profiler.load_profiler_result(file).get_extra_info())[-1]
        'System Cpu Utilization'
    """
    return read_result(filename)


def in_profiler_mode() -> bool:
    """Return whether a Profiler runs that does more than time steps.

    Example:
        >>> from jaxeager.profiler.utils import in_profiler_mode
        >>> in_profiler_mode()
        False
    """
    return _modes > 0


def wrap_optimizers() -> None:
    """Do nothing: optimizers report their steps by themselves, and only to observers.

    Paddle: it replaces ``step`` of every optimizer permanently.
    """


def enter_mode() -> None:
    """Record DataLoaders until ``leave_mode``; calls nest."""
    global _modes
    _modes += 1
    if _modes == 1:
        dataloader_iter.set_timed("profiler", _recorded_read)


def leave_mode() -> None:
    """Undo one ``enter_mode``."""
    global _modes
    _modes -= 1
    if _modes == 0:
        dataloader_iter.set_timed("profiler", None)


def _recorded_read(iterator: object, read: Callable[[], _Batch]) -> _Batch:
    """Read a batch inside an event."""
    with RecordEvent(type(iterator).__name__, TracerEventType.Dataloader):
        return read()


globals().update(
    refused(
        "paddle.profiler.utils",
        "Of Paddle's engine of static graphs, whose jobs it times; paddle.profiler.Profiler times "
        "ops.",
        "job_schedule_profiler_range switch_job_schedule_profiler",
    )
)
