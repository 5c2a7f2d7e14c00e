"""States and targets of a Profiler, its schedules, and handlers of its result."""

from __future__ import annotations

import datetime
import enum
import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxeager.core import user_lines
from jaxeager.debug.time.timed_events import TracerEventType
from jaxeager.errors import UnavailableError

if TYPE_CHECKING:
    from jaxeager.profiler.profiler import Profiler

__all__ = [
    "ProfilerState", "ProfilerTarget", "SummaryView", "TracerEventType", "export_chrome_tracing",
    "export_protobuf", "make_scheduler",
]  # fmt: skip


class SummaryView(enum.Enum):
    """The tables that ``Profiler.summary`` can print."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


class ProfilerState(enum.Enum):
    """The state of a Profiler in a step.

    ``CLOSED``: it is off. ``READY``: it is about to record. ``RECORD``: it records.
    ``RECORD_AND_RETURN``: it records, and publishes its result at the end of the step.
    """

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerTarget(enum.Enum):
    """The source of events: the host (CPU), or the device that kernels run on."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


def make_scheduler(
    *, closed: int, ready: int, record: int, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], ProfilerState]:
    """Return a function from the number of a step to the state of the profiler in it.

    After ``skip_first`` steps the schedule repeats rounds of ``closed`` steps, ``ready`` steps and
    ``record`` steps, of which the last one returns the result.

    Args:
        closed, ready, record: how many steps of each state a round has; ``record`` at least 1.
        repeat: how many rounds; 0 repeats until the profiler stops.
        skip_first: how many steps precede the first round.

    Raises:
        AssertionError: for a negative number, or no step that records.

    Example:
        >>> import jaxeager as paddle
        >>> schedule = paddle.profiler.make_scheduler(closed=1, ready=1, record=2, repeat=1)
        >>> [schedule(step).name for step in range(5)]
        ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN', 'CLOSED']
    """
    if closed < 0 or ready < 0 or record <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError("Invalid profiler scheduler arguments")
    if ready == 0:
        user_lines.warn(
            "Profiler will record data after enabling profiler immediately, "
            "some data collected at the beginning of profiling may be 'noisy' because of overhead."
        )

    def getScheduleState(step: int) -> ProfilerState:  # its name is visible to programs
        if step < 0:
            raise AssertionError(f"The number of a step is never negative, but is {step}.")
        if step < skip_first:
            return ProfilerState.CLOSED
        rounds, at = divmod(step - skip_first, closed + ready + record)
        if (repeat and rounds >= repeat) or at < closed:
            return ProfilerState.CLOSED
        if at < closed + ready:
            return ProfilerState.READY
        is_last = at == closed + ready + record - 1
        return ProfilerState.RECORD_AND_RETURN if is_last else ProfilerState.RECORD

    return getScheduleState


def export_chrome_tracing(
    dir_name: str, worker_name: str | None = None
) -> Callable[[Profiler], None]:
    """Return a function for ``on_trace_ready`` that writes a trace for chrome://tracing.

    The file is ``{worker_name}_time_{date}.paddle_trace.json`` in the folder, which is created.

    Args:
        dir_name: the folder.
        worker_name: "host_{name}pid_{pid}" by default.

    Raises:
        UnavailableError: when the folder cannot be created.

    Example:
        >>> import jaxeager as paddle
        >>> profiler, folder = paddle.profiler, getfixture("tmp_path")
        >>> ready = profiler.export_chrome_tracing(str(folder), worker_name="a")
        >>> with profiler.Profiler(on_trace_ready=ready):
        ...     y = paddle.ones([2]) + 1
        >>> [path.name[:7] for path in folder.iterdir()]
        ['a_time_']
    """
    return _exporter(dir_name, worker_name, "json")


def export_protobuf(dir_name: str, worker_name: str | None = None) -> Callable[[Profiler], None]:
    """Return a function for ``on_trace_ready`` that writes a file for ``load_profiler_result``.

    The file ends in ``.pb``; everything else is as in ``export_chrome_tracing``.

    Example:
        >>> import jaxeager as paddle
        >>> profiler, folder = paddle.profiler, getfixture("tmp_path")
        >>> with profiler.Profiler(on_trace_ready=profiler.export_protobuf(str(folder))):
        ...     y = paddle.ones([2]) + 1
        >>> [path.suffix for path in folder.iterdir()]
        ['.pb']
    """
    return _exporter(dir_name, worker_name, "pb")


def _exporter(folder: str, worker: str | None, kind: str) -> Callable[[Profiler], None]:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"Can not create directory '{folder}' for saving profiling results: {error}."
        ) from error

    def export(profiler: Profiler) -> None:
        name = worker or f"host_{socket.gethostname()}pid_{os.getpid()}"
        now = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        profiler.export(os.path.join(folder, f"{name}_time_{now}.paddle_trace.{kind}"), kind)

    return export
