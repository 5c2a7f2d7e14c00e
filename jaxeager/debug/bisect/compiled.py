"""The calls of kernels that change a program's outcome when lazy mode compiles them together.

Note [Compiled calls]
    Each run is in lazy mode, so all runs record the same calls in the same segments, as long as
    their numbers are the same. Calls are numbered in the order in which segments run them. Those of
    a range are compiled: in each segment, the ones of the range are one executable, made at the
    first run. All others run kernel by kernel, as they do without lazy mode. An executable returns
    the results that other calls, or the program, need, and so that of a whole segment is the one
    that lazy mode makes. Operands are not donated, which changes no number.

    First the end of the range is searched: the first N calls are compiled. Then the begin: those
    after the first K, up to the same end. Each of the three statements at the end is about runs
    that were made: the range is bad, and it is good without its first or its last call.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.core.flags import get_flags, set_flags
from jaxeager.debug.bisect.counted import ALL, read_report, write_report
from jaxeager.debug.bisect.judge import Start, Trials, start_of
from jaxeager.debug.bisect.search import BAD, UnusableError, first_bad
from jaxeager.kernels.lazy import segments
from jaxeager.kernels.lazy.segments import ABSENT, Segment, Step, place_of

if TYPE_CHECKING:
    from jaxeager.kernels.lazy.recorder import Recording


class CompiledCalls:
    """Runs segments with the calls of a range compiled: see Note [Compiled calls].

    Args:
        after: how many calls precede the range.
        first: the number of the last call of the range.

    Attributes:
        count: how many calls have run.
        lines: the name and line of the first and last call of the range.
    """

    def __init__(self, after: int, first: int):
        self._after, self._first = after, first
        self._lock = threading.Lock()
        self._parts: dict[tuple[int, int, int], tuple[Segment, _Part]] = {}
        self.count = 0
        self.lines: list[tuple[str, str]] = []

    def run(self, segment: Segment, recording: Recording, why: str) -> None:
        """Compute the results of a segment; ``segments.observer``."""
        with self._lock:
            before, size = self.count, len(segment.steps)
            self.count += size
            begin = min(max(self._after - before, 0), size)
            end = min(max(self._first - before, begin), size)
            if begin < end:
                first = self.lines[0] if self.lines else _shown(segment.steps[begin])
                self.lines = [first, _shown(segment.steps[end - 1])]
        if begin == end or not segment.live or recording.values:
            segment.seen = 0  # so it is never compiled by itself
            segment.run(recording)
            return
        self._run(segment, recording, begin, end)

    def _run(self, segment: Segment, recording: Recording, begin: int, end: int) -> None:
        key = id(segment), begin, end
        found = self._parts.get(key)
        if found is None or found[0] is not segment:
            found = self._parts[key] = segment, _Part(segment, recording, begin, end)
        part = found[1]
        values: list = []
        outside = recording.outside
        _each(segment, segment.steps[:begin], values, outside)
        values.extend(part.results(values, recording))
        _each(segment, segment.steps[end:], values, outside)
        for at in segment.live:
            pending = recording.made[at]
            pending.kind, pending.value = None, values[at]


def _each(segment: Segment, steps: list[Step], values: list, outside: list) -> None:
    """Add the results of calls that run kernel by kernel to the values."""
    with segment.setting():
        for step in steps:
            values.extend(jax.tree.leaves(segments.run_step(step, values, outside)))


class _Part:
    """Calls of a segment as one executable.

    Args:
        segment: the segment.
        recording: its first recording.
        begin, end: the calls, the end excluded.
    """

    def __init__(self, segment: Segment, recording: Recording, begin: int, end: int):
        path = recording.place.path()
        self._first = path[begin].first
        last = path[end - 1]
        self._size = last.first + len(last.avals) - self._first
        steps = segment.steps[begin:end]
        used = [at for step in steps for at in step.sources if at != ABSENT]
        self._given = sorted({at for at in used if at < self._first})  # from outside of the part
        numbers = {at: -1 - place for place, at in enumerate(self._given)}
        moved = [
            step._replace(
                sources=tuple([
                    at if at == ABSENT else numbers.get(at, at - self._first)
                    for at in step.sources
                ])
            )
            for step in steps
        ]  # fmt: skip
        later = {at for step in segment.steps[end:] for at in step.sources} | set(segment.live)
        self._live = [at for at in range(self._size) if at + self._first in later]
        made = recording.made[self._first : self._first + self._size]
        structs = [self._array(at, recording) for at in self._given]
        live = tuple(self._live)
        self._segment = Segment(moved, made, structs, live, segment.precision, "")
        self._segment.candidates = []  # nothing is donated
        self._segment.seen = segments.CHANGE_OVER  # it is compiled at the first run

    def _array(self, at: int, recording: Recording) -> Any:
        return recording.outside[place_of(at)] if at < 0 else recording.made[at]

    def results(self, values: list, recording: Recording) -> list:
        """Return the results of the calls, None for those that nothing needs."""
        outside = [recording.outside[place_of(at)] if at < 0 else values[at] for at in self._given]
        given = segments.Given(outside, [], recording.device)
        if self._live and not self._segment.call(given):
            raise UnusableError("JAX checks the numbers of each kernel, so none are compiled")
        found: list = [None] * self._size
        for at, value in zip(self._live, given.values[0] if self._live else (), strict=True):
            found[at] = value
        return found


def _shown(step: Step) -> tuple[str, str]:
    file, line = step.line
    return step.kernel.name, f"{file}:{line}"


def run_compiled(
    after: int, first: int, report: str, program: list[str], run_program: Callable
) -> int:
    """Run a program in lazy mode in this process, with the calls of a range compiled.

    Args:
        after: how many calls precede the range.
        first: the number of its last call.
        report: a file for the number of calls and the lines of the range; "" for none.
        program: the program and its arguments.
        run_program: runs it.
    """
    before = get_flags("FLAGS_lazy")
    try:
        with compiling(after, first, report):
            set_flags({"FLAGS_lazy": True})
            return run_program(program)
    finally:
        set_flags(before)


@contextlib.contextmanager
def compiling(after: int, first: int, report: str) -> Iterator[None]:
    """Compile a range of the calls that lazy mode runs in a block, and write the report."""
    calls = CompiledCalls(after, first)
    try:
        segments.observer = calls.run
        yield
    finally:
        segments.observer = None
        write_report(report, {"count": calls.count, "lines": calls.lines})


def bisect_compiled(
    trials: Trials, program: list[str], folder: Path, kind: Sequence[str] = ("--ops", "lazy")
) -> int:
    """Find the calls that change the outcome when they are compiled; return the exit status.

    Args:
        trials: judges and prints.
        program: the program and its arguments.
        folder: a temporary folder.
        kind: the options that choose whose calls these are.

    Raises:
        UnusableError: if the program is not good with no call compiled, or not bad with all.
    """
    report = folder / "calls.json"
    known: dict[tuple[int, int], dict] = {}

    def prepare(after: int, first: int) -> Start:
        report.unlink(missing_ok=True)
        options = [*kind, "--calls", str(first), "--after", str(after)]
        return start_of(["bisect", *options, "--report", str(report), *program], Path.cwd())

    def judge(after: int, first: int, name: str) -> str:
        verdict = trials.run(name, lambda: prepare(after, first))
        known[after, first] = read_report(report)
        return verdict.word

    trials.check_good_end("no call compiled", lambda: prepare(0, 0))
    count = read_report(report).get("count", 0)
    if not count:
        raise UnusableError(
            "the program has called no kernel, or was ended by os._exit; there is nothing to "
            "compile"
        )
    trials.check_bad_end(f"all {count} calls compiled", lambda: prepare(0, ALL))
    known[0, count] = read_report(report)
    ends = first_bad(count, lambda first: judge(0, first, f"{_calls(1, first)} compiled"))
    if len(ends) > 1:
        print(f"Runs were skipped, so the last of the calls is one of {ends[0]} to {ends[-1]}")
        return 1
    (end,) = ends
    # Of the begins number 0 leaves only the last call, and `end - 1` all of them.
    begins = range(1, 2)
    if end > 1:
        if judge(end - 1, end, f"{_calls(end, end)} compiled") == BAD:
            return _say(known[end - 1, end], end, end, count)
        begins = first_bad(
            end - 1,
            lambda more: judge(end - 1 - more, end, f"{_calls(end - more, end)} compiled"),
        )
    if len(begins) > 1:
        print(f"Runs were skipped; the calls end at {end} of {count}")
        return 1
    begin = end - begins[0] if end > 1 else 1
    # With all calls before the last one the program is good; with fewer of them it may not be.
    is_good = begin == 1 or judge(begin - 1, end - 1, f"{_calls(begin, end - 1)} compiled") != BAD
    return _say(known[begin - 1, end], begin, end, count, is_good)


def _calls(begin: int, end: int) -> str:
    return f"call {end}" if begin == end else f"calls {begin} to {end}"


def _say(found: dict, begin: int, end: int, count: int, is_good: bool = True) -> int:
    shown = [f"{name} at {line}" for name, line in found.get("lines") or []] or ["unknown"] * 2
    if begin == end:
        print(f"Call {end} of {count} changes the outcome when it is compiled: {shown[-1]}")
        return 0
    print(
        f"Calls {begin} to {end} of {count} change the outcome when they are compiled together:\n"
        f"  from {shown[0]}\n  to {shown[-1]}"
    )
    if is_good:
        print("Without the first or the last of them it is good.")
    else:
        print("Without the first of them it is good, without the last it is not: there are others.")
    return 0
