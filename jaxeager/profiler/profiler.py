"""Profiler: records the operations of chosen steps, and prints tables of them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import jax

from jaxeager.core import places, user_lines
from jaxeager.core.ignored_arguments import unheeded
from jaxeager.debug.time import costs
from jaxeager.debug.time.ranges import RangeWriter
from jaxeager.debug.time.recorder import Recorder
from jaxeager.debug.time.timed_events import TracerEventType
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.profiler import result, utils
from jaxeager.profiler.device_trace import DeviceTrace, attach
from jaxeager.profiler.profiler_statistic import (
    SortedKeys,
    StatisticData,
    build_table,
    gen_layer_flops,
)
from jaxeager.profiler.states import (
    ProfilerState,
    ProfilerTarget,
    SummaryView,
    export_chrome_tracing,
    make_scheduler,
)
from jaxeager.profiler.timer import benchmark
from jaxeager.profiler.utils import RecordEvent

_CLOSED, _READY = ProfilerState.CLOSED, ProfilerState.READY
_RECORD, _RETURN = ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN
_RECORDING = (_RECORD, _RETURN)
_UNITS = ("s", "ms", "us", "ns")


class Profiler:
    """Records operations in some steps of a program: a context manager, or ``start`` and ``stop``.

    It records ops with their stages, nodes of backward, Layers, optimizers, the reading of batches,
    ``RecordEvent`` blocks, and on an accelerator, by JAX's own profiler, the kernels. While it does
    not record (and with ``timer_only``) a program runs as without it.

    Args:
        targets: a collection of ``ProfilerTarget``; by default all available ones.
        scheduler: a function from the number of a step to a ``ProfilerState``, or (a, b): the
            steps from a up to b; by default every step is recorded.
        on_trace_ready: called with the profiler when a result is ready; by default it writes a
            trace into ``./profiler_log/``.
        record_shapes: keep the shapes of operands.
        profile_memory: record when the arrays of ops are created and freed.
        timer_only: record nothing, only time steps: ``step_info``.
        emit_nvtx: name ops, nodes and lines in the traces of other profilers while it records, as
            ``paddle.debug.ranges`` does.
        custom_device_types: no effect; all devices of JAX are included.
        with_flops: count the operations of kernels, by XLA's cost analysis, for ``summary``.

    Attributes:
        step_num: the number of the current step.
        current_state, previous_state: the states of this step and the one before it.
        profiler_result: the last ProfilerResult; None before there is one.

    Raises:
        InvalidArgumentError: for another kind of scheduler.

    Example:
        >>> import jaxeager as paddle
        >>> profiler = paddle.profiler
        >>> net = paddle.nn.Linear(4, 4)
        >>> with profiler.Profiler(scheduler=(1, 3), on_trace_ready=lambda p: None) as seen:
        ...     for _ in range(4):
        ...         loss = net(paddle.ones([2, 4])).sum()
        ...         loss.backward()
        ...         seen.step(num_samples=2)
        >>> seen.summary(views=profiler.SummaryView.ModelView)
        ----------...Model Summary----------...
    """

    def __init__(
        self,
        *,
        targets: Iterable[ProfilerTarget] | None = None,
        scheduler: Callable[[int], ProfilerState] | Sequence[int] | None = None,
        on_trace_ready: Callable[[Profiler], None] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        timer_only: bool = False,
        emit_nvtx: bool = False,
        custom_device_types: Sequence[str] = (),
        with_flops: bool = False,
    ):
        unheeded(
            "Profiler",
            "every device that JAX has is profiled",
            custom_device_types=(custom_device_types, ()),
        )
        self.targets = _checked_targets(targets)
        self.scheduler = _as_scheduler(scheduler)
        self.on_trace_ready = on_trace_ready or export_chrome_tracing("./profiler_log/")
        self.step_num = 0
        self.previous_state = _CLOSED
        self.current_state = self.scheduler(0)
        self.record_event: RecordEvent | None = None
        self.profiler_result: result.ProfilerResult | None = None
        self.timer_only = timer_only
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_flops = with_flops
        self.emit_nvtx = emit_nvtx
        self._ranges = RangeWriter() if emit_nvtx else None
        self._recorder: Recorder | None = None
        self._trace: DeviceTrace | None = None
        self._began: tuple = ()
        self._spans = 0

    def __enter__(self) -> Profiler:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with step 0."""
        benchmark().begin()
        if self.timer_only:
            return
        utils.enter_mode()
        if self.current_state in _RECORDING:
            self._begin()
        self._begin_step()

    def stop(self) -> None:
        """End the last step; if it was recorded, make it a result, even if it is not due."""
        benchmark().end()
        if self.timer_only:
            return
        self._end_step()
        if self.current_state is _READY:
            user_lines.warn(
                "Improper Profiler state transform: READY->CLOSED, profiler will start and stop "
                "without saving data"
            )
        if self.current_state in _RECORDING:
            self._finish()
        utils.leave_mode()

    def step(self, num_samples: int | None = None) -> None:
        """End a step and begin the next.

        Args:
            num_samples: how many samples the step had, for ``step_info``.
        """
        benchmark().step(num_samples)
        if self.timer_only:
            return
        self._end_step()
        self.previous_state = self.current_state
        self.step_num += 1
        self.current_state = self.scheduler(self.step_num)
        self._change()
        self._begin_step()

    def step_info(self, unit: str | None = None) -> str:
        """Return the average duration of a step since the last call.

        ``reader_cost`` is the time to read a batch and ``batch_cost`` that of the whole step, in
        seconds; ``ips`` is samples per second, or steps per second if ``step`` gets no number.

        Args:
            unit: the word for a sample; "samples" by default.

        Example:
            >>> import jaxeager as paddle
            >>> with paddle.profiler.Profiler(timer_only=True) as seen:
            ...     for _ in range(2):
            ...         seen.step(num_samples=32)
            ...     seen.step_info("images")
            ' batch_cost: ... s ips: ... images/s'
        """
        return benchmark().step_info(unit or "samples")

    def _change(self) -> None:
        """Start or stop recording according to the last state and this one."""
        before, now = self.previous_state, self.current_state
        if before is _READY and now is _CLOSED:
            user_lines.warn(
                "Improper schedule: READY->CLOSED, profiler will start and stop without saving data"
            )
        if before is _RECORD and now not in _RECORDING:
            what = "not saving data" if now is _CLOSED else "stop and re-prepare"
            user_lines.warn(f"Improper schedule: RECORD->{now.name}, profiler will {what}")
            self._end()
        if before is _RETURN:
            self._finish()
        if now in _RECORDING and self._recorder is None:
            self._begin()

    def _begin_step(self) -> None:
        self.record_event = RecordEvent(f"ProfileStep#{self.step_num}", TracerEventType.ProfileStep)
        self.record_event.begin()

    def _end_step(self) -> None:
        if self.record_event is not None:
            self.record_event.end()
            self.record_event = None

    # ---- recording

    def _begin(self) -> None:
        """Start recording."""
        self._began = result.cpu_times()
        if self.targets - {ProfilerTarget.CPU} and jax.default_backend() != "cpu":
            self._trace = DeviceTrace()
            self._trace.start()
        self._recorder = Recorder(
            layers=True,
            shapes=self.record_shapes or self.with_flops,
            costs=self.with_flops,
            memory=self.profile_memory,
        )
        self._recorder.start()
        if self._ranges is not None:
            self._ranges.start()

    def _end(self) -> tuple[Recorder, list]:
        """Stop recording; return the events of the host and of devices."""
        recorder, self._recorder = self._recorder, None
        assert recorder is not None
        recorder.stop()
        kernels = [] if self._trace is None else self._trace.stop()
        self._trace = None
        return recorder, kernels

    def _finish(self) -> None:
        """Stop recording and publish the result."""
        if self._ranges is not None:
            self._ranges.stop()
        recorder, kernels = self._end()
        if self.with_flops:
            _count_flops(recorder)
        extra = result.cpu_use(self._began, result.cpu_times())
        self.profiler_result = result.result_of(recorder, extra, self._spans)
        self._spans += 1
        attach(self.profiler_result, kernels)
        if self.on_trace_ready:
            self.on_trace_ready(self)

    # ---- the recorded data

    def export(self, path: str = "", format: str = "json") -> None:
        """Write the last result to a file; do nothing if there is none.

        Args:
            path: the file.
            format: "json" for chrome://tracing, "pb" for ``load_profiler_result``.

        Raises:
            InvalidArgumentError: for another format.
        """
        if self.profiler_result is not None:
            self.profiler_result.save(path, format)

    def summary(
        self,
        sorted_by: SortedKeys = SortedKeys.CPUTotal,
        op_detail: bool = True,
        thread_sep: bool = False,
        time_unit: str = "ms",
        views: SummaryView | list[SummaryView] | None = None,
    ) -> None:
        """Print tables of the last result; do nothing if there is none.

        Args:
            sorted_by: the column by which ops are sorted.
            op_detail: print the stages of each op, too.
            thread_sep: print the ops of each thread separately.
            time_unit: "s", "ms", "us" or "ns".
            views: which tables; all by default.

        Raises:
            InvalidArgumentError: for another unit.
        """
        if time_unit not in _UNITS:
            raise InvalidArgumentError(
                f"time_unit should be one of {', '.join(_UNITS)}, but received {time_unit!r}."
            )
        if self.profiler_result is None:
            return
        chosen = [views] if isinstance(views, SummaryView) else views
        data = StatisticData(self.profiler_result.get_data(), self.profiler_result.get_extra_info())
        print(build_table(data, sorted_by, op_detail, thread_sep, time_unit, chosen))
        if self.with_flops:
            print(" Flops Profiler Begin ".center(100, "-"))
            print(gen_layer_flops(self.profiler_result.get_data()))
            print("- Flops Profiler End -".center(100, "-"))


def _checked_targets(targets: Iterable[ProfilerTarget] | None) -> set[ProfilerTarget]:
    """Return the available targets; warn of each other one."""
    there = {ProfilerTarget.CPU, ProfilerTarget.CUSTOM_DEVICE}
    if any(places.place_of(device).kind == "gpu" for device in jax.local_devices()):
        there.add(ProfilerTarget.GPU)
    if not targets:
        return there
    wanted = set(targets)
    for target in wanted - there:
        user_lines.warn(f"Profiling {target} is not supported in current context.")
    return wanted & there


def _as_scheduler(scheduler: object) -> Callable[[int], ProfilerState]:
    if scheduler is None:
        return lambda step: _RECORD
    if callable(scheduler):
        return cast(Callable[[int], ProfilerState], scheduler)
    if not isinstance(scheduler, (tuple, list)) or len(scheduler) != 2:
        raise InvalidArgumentError(
            "scheduler should be a function of the number of a step, or (first, end), but "
            f"received {scheduler!r}."
        )
    first, end = max(scheduler[0], 0), scheduler[1]
    if end <= first:
        raise RefusedArgumentError(
            f"scheduler should be (first, end) with first < end, but received {scheduler!r}."
        )
    if first:
        return make_scheduler(closed=first - 1, ready=1, record=end - first, repeat=1)
    return make_scheduler(closed=0, ready=0, record=end, repeat=1)


def _count_flops(recorder: Recorder) -> None:
    """Set the number of operations of each event's kernel."""
    known = {key: costs.cost_of(*pair).flops for key, pair in recorder.kernels.items()}
    waiting = [event for roots in recorder.roots.values() for event in roots]
    while waiting:
        event = waiting.pop()
        waiting += event.children
        if event.cost is not None:
            event.flops = known[event.cost]


def get_profiler(config_path: str) -> Profiler:
    """Return the Profiler that a JSON file describes; a default one if it cannot be read.

    The file may have "targets" (words: "cpu", "gpu"), "scheduler" and "on_trace_ready" (a function
    by name: {name: {"module", "use_direct", "args", "kwargs"}}; a scheduler also as a pair of
    numbers) and "timer_only".

    Args:
        config_path: the file.
    """
    try:
        with open(config_path, encoding="utf-8") as file:
            described = json.load(file)
    except (OSError, ValueError) as error:
        print(f"Load config file for profiler error: {error}")
        print("Use default parameters instead.")
        return Profiler()
    given: dict[str, Any] = {}
    readers = {
        "targets": _read_targets,
        "scheduler": _read_function,
        "on_trace_ready": _read_function,
        "timer_only": _read_bool,
    }
    for name, read in readers.items():
        if name in described:
            try:
                given[name] = read(described[name])
            except (KeyError, TypeError, ValueError, ImportError, AttributeError):
                print(f"Set {name} parameter error, use default parameter instead.")
    return Profiler(**given)


def _read_targets(words: list) -> list[ProfilerTarget]:
    return [ProfilerTarget[word.upper()] for word in words if word.lower() in ("cpu", "gpu")]


def _read_bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _read_function(described: Any) -> Any:
    if not isinstance(described, dict):
        return (described[0], described[1])
    ((name, how),) = described.items()
    function = getattr(importlib.import_module(how["module"]), name)
    return function if how["use_direct"] else function(*how["args"], **how["kwargs"])
