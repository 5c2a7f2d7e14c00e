"""How long the segments of lazy mode take, and which lines of the program that time is for.

Note [Time within a segment]
    XLA runs a segment as a few kernels, into which it fuses the calls that were recorded. JAX's
    profiler times these kernels; the text of the executable names, for each instruction, the call
    that it computes. So the time of a kernel is divided among the calls whose instructions are in
    it, by the number of these instructions. The parts are scaled so that they add up to the time
    of the segment, since kernels may run side by side.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from jaxeager.core.user_lines import user_frame
from jaxeager.debug.time.clock import now_ns
from jaxeager.debug.time.jax_trace import JaxTrace
from jaxeager.debug.time.user_stack import Frame, frame_of
from jaxeager.errors import PreconditionNotMetError
from jaxeager.kernels import executable_data
from jaxeager.kernels.lazy import mode, report, segments

if TYPE_CHECKING:
    from jaxeager.debug.time.types import TraceJson
    from jaxeager.kernels.lazy.segments import Segment

_MARK = "jaxeager segment "


class SegmentRun(NamedTuple):
    """A segment that ran.

    Attributes:
        number: that of its mark in the trace; threads run segments at the same time.
        segment: a Segment of kernels/lazy/segments.py.
        frame: the line at which it ended.
        why: what ended it.
        ns: from its start until its results were there.
        alone: why its kernels ran one by one; "" when it ran as an executable.
    """

    number: int
    segment: Segment
    frame: Frame
    why: str
    ns: int
    alone: str


@dataclasses.dataclass
class TimedEnd:
    """The segments that ended at one line for one reason.

    Attributes:
        frame, why: the line and the reason.
        times: how many segments.
        calls: how many calls of kernels they had.
        ns: the time they took.
        one_by_one: how many of them ran kernel by kernel.
    """

    frame: Frame
    why: str
    times: int = 0
    calls: int = 0
    ns: int = 0
    one_by_one: int = 0


class SegmentRecorder:
    """Records the segments that lazy mode runs, from ``start`` to ``stop``, each waited for.

    Attributes:
        runs: the segments, in their order.
        executables, compile_seconds: how many were made, and the time that took.
    """

    def __init__(self):
        self.runs: list[SegmentRun] = []
        self._numbers = itertools.count()
        self.executables, self.compile_seconds = 0, 0.0
        self._operands: dict[Segment, list] = {}
        self._kernels: dict[int, list[tuple[str, float]]] = {}
        self._shares: dict[Segment, dict[str, dict[int, float]]] = {}
        self._trace = JaxTrace()
        self._before: Any = None

    def start(self) -> None:
        """Turn lazy mode on for this thread, and observe its segments.

        Raises:
            PreconditionNotMetError: when the segments are being profiled already.
        """
        if segments.observer is not None:
            raise PreconditionNotMetError("The segments of lazy mode are being profiled already.")
        self._before = mode.begin()
        mode.run()  # what was recorded before
        made = report.made()
        self.executables, self.compile_seconds = -made.executables, -made.seconds
        segments.observer = self.run
        self._trace.start("The time within segments")

    def stop(self) -> None:
        """Run what is recorded, and put lazy mode back as it was."""
        try:
            mode.run(report.LEFT)
        finally:
            segments.observer = None
            mode.end(self._before)
            for trace in self._trace.stop():
                self._kernels |= kernels_by_segment(trace)
        made = report.made()
        self.executables += made.executables
        self.compile_seconds += made.seconds

    def run(self, segment: Segment, recording: Any, why: str) -> None:
        """Run a segment, and wait for its results."""
        if segment not in self._operands:
            self._operands[segment] = [
                executable_data.struct_of(each) for each in recording.outside
            ]
        made, is_new = recording.made, segment.seen + 1 < segments.CHANGE_OVER
        jax.block_until_ready(recording.outside)
        frame, number = frame_of(user_frame()), next(self._numbers)
        with jax.profiler.TraceAnnotation(f"{_MARK}{number}"):
            began = now_ns()
            segment.run(recording)
            jax.block_until_ready([made[at].value for at in segment.live])
            ended = now_ns()
        is_alone = bool(segment.live) and not recording.values
        alone = _reason_alone(segment, is_new) if is_alone else ""
        self.runs.append(SegmentRun(number, segment, frame, why, ended - began, alone))

    # ---- what was recorded

    def ends(self) -> list[TimedEnd]:
        """Return the lines at which segments ended, those that took longest first."""
        found: dict[tuple, TimedEnd] = {}
        for run in self.runs:
            end = found.setdefault((run.frame, run.why), TimedEnd(run.frame, run.why))
            end.times += 1
            end.calls += len(run.segment.steps)
            end.ns += run.ns
            end.one_by_one += bool(run.alone)
        return sorted(found.values(), key=lambda end: -end.ns)

    def calls(self) -> dict[tuple[str, Frame], list]:
        """Return, by (kernel, line), how often it was called in executables, and the time in ns.

        See Note [Time within a segment].
        """
        found: dict[tuple[str, Frame], list] = {}
        for run in self.runs:
            if run.alone:
                continue
            parts = self._parts(run)
            for at, step in enumerate(run.segment.steps):
                frame = Frame("", *step.line)
                entry = found.setdefault((step.kernel.name, frame), [0, 0.0])
                entry[0] += 1
                entry[1] += parts.get(at, 0.0)
        return found

    def _parts(self, run: SegmentRun) -> dict[int, float]:
        """Return the time of each call of a run, in ns, by the number of the call."""
        shares = self._shares.get(run.segment)
        if shares is None:
            structs = self._operands[run.segment]
            text = run.segment.kernel.lower(*structs).compile().as_text()
            shares = self._shares[run.segment] = shares_of(text)
        parts: dict[int, float] = collections.defaultdict(float)
        for kernel, took in self._kernels.get(run.number, ()):
            for at, share in shares.get(kernel, {}).items():
                parts[at] += took * share
        total = sum(parts.values())
        return {at: part * run.ns / total for at, part in parts.items()} if total else {}


def _reason_alone(segment: Segment, is_new: bool) -> str:
    """Return why the kernels of a segment ran one by one."""
    if segments.checks_numbers():
        return "JAX checks each kernel for NaN"
    if is_new and not segments.waits:
        return "they were new"
    if segment.held:
        return "the step's old values were still referred to"
    return "their executables failed"


def kernels_by_segment(trace: TraceJson) -> dict[int, list[tuple[str, float]]]:
    """Return (kernel, its own microseconds) of each segment that a trace has, by its number.

    Args:
        trace: what JAX writes for Perfetto: ``traceEvents``.
    """
    events = [event for event in trace.get("traceEvents", []) if event.get("ph") == "X"]
    marks = sorted(
        (event["ts"], event["ts"] + event.get("dur", 0), int(event["name"].removeprefix(_MARK)))
        for event in events
        if event["name"].startswith(_MARK)
    )
    kernels = [event for event in events if "hlo_op" in event.get("args", {})]
    kernels.sort(key=lambda event: (event["ts"], -event.get("dur", 0)))
    found: dict[int, list[tuple[str, float]]] = {}
    own = _own_times(kernels)
    at = 0
    for event, took in zip(kernels, own, strict=True):
        while at < len(marks) and marks[at][1] < event["ts"]:
            at += 1
        if at < len(marks) and marks[at][0] <= event["ts"]:
            found.setdefault(marks[at][2], []).append((event["args"]["hlo_op"], took))
    return found


def _own_times(kernels: list[TraceJson]) -> list[float]:
    """Return the time of each event without the events inside it, on the same thread."""
    own = [float(event.get("dur", 0)) for event in kernels]
    open_: dict[tuple, list[tuple[float, int]]] = collections.defaultdict(list)
    for at, event in enumerate(kernels):
        stack = open_[event.get("pid"), event.get("tid")]
        while stack and stack[-1][0] <= event["ts"]:
            stack.pop()
        if stack:
            own[stack[-1][1]] -= event.get("dur", 0)
        stack.append((event["ts"] + event.get("dur", 0), at))
    return own


_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) .*\{$")
_INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?([\w.\-]+) = ")
_CALLED = re.compile(r"\bcalls=%?([\w.\-]+)")
_NUMBER = re.compile(rf'op_name="[^"]*\b{segments.SCOPE}(\d+)\.[^/"]*/')


def shares_of(text: str) -> dict[str, dict[int, float]]:
    """Return, for each instruction of an executable, the calls it computes and their shares.

    Args:
        text: the HLO of a segment, in which ``op_name`` has the number of the call.

    Example:
        >>> from jaxeager.debug.time.segments import shares_of
        >>> shares_of('''ENTRY %main (x: f32[2]) -> f32[2] {
        ...   ROOT %neg.1 = f32[2] negate(%x), metadata={op_name="jit(f)/call3.neg/neg"}
        ... }''')
        {'neg.1': {3: 1.0}}
    """
    inside: dict[str, collections.Counter[int]] = {}
    found: dict[str, tuple[int | None, str | None]] = {}
    computation = ""
    for line in text.splitlines():
        header = _COMPUTATION.match(line)
        if header is not None:
            computation = header.group(1)
            inside[computation] = collections.Counter()
            continue
        instruction = _INSTRUCTION.match(line)
        if instruction is None:
            continue
        number, called = _NUMBER.search(line), _CALLED.search(line)
        call = None if number is None else int(number.group(1))
        if call is not None:
            inside[computation][call] += 1
        found[instruction.group(1)] = call, None if called is None else called.group(1)
    shares = {}
    for name, (call, called) in found.items():
        counts = inside.get(called or "") or ({} if call is None else {call: 1})
        total = sum(counts.values())
        if total:
            shares[name] = {each: count / total for each, count in sorted(counts.items())}
    return shares
