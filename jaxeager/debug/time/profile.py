"""profile: the time of a block by op and node, by line, and as a picture."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.common.output_files import check_writable
from jaxeager.debug.stacks.lines import fitted
from jaxeager.debug.time import costs, flame
from jaxeager.debug.time import summary as summaries
from jaxeager.debug.time.comparison import Comparison, compare
from jaxeager.debug.time.device_kernels import DeviceKernels, KernelRow, kernels_text, limit_text
from jaxeager.debug.time.event_tree import named, ops_in, own_ns, waits_in
from jaxeager.debug.time.ranks import live
from jaxeager.debug.time.ranks import record as rank_records
from jaxeager.debug.time.ranks.calls import CallRow, numbers_text
from jaxeager.debug.time.ranks.folder import checked
from jaxeager.debug.time.ranks.lines import outside_of_ops
from jaxeager.debug.time.recorder import Recorder
from jaxeager.debug.time.timed_events import Compilation, Event, Read
from jaxeager.debug.time.user_stack import Frame, source_text
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.kernels.lazy import mode as lazy_mode

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST_NS = 20_000  # a shorter average wait is dominated by the overhead of waiting
_HEADS = ("calls", "python", "device", "compile", "%", "GFLOP/s", "GB/s", "roof")
_PLACE_WIDTH = 44
_SHOWN_OUTSIDE = 0.05  # of the run; lines that take less outside of ops are not shown
_LAZY_MODE = (
    "lazy mode was off in this block, so that each op could be timed; profile_segments "
    "(python -m jaxeager profile --lazy) measures it"
)


@dataclasses.dataclass
class Row:
    """The time and cost of one op or node, or of one line.

    Attributes:
        name: the op ("matmul") or node ("MatmulGradNode"); "" in a table by line.
        kind: "op" or "node".
        frame: the user's line with most of its time; for a node, the line that recorded it.
        calls: how often it ran.
        python_ns: the time of the host, without the next two.
        device_ns: the time of the device after the launch; 0 if it was not waited for.
        compile_ns: the time for creating kernels.
        flops, bytes: the operations and bytes of the kernels (``costs.Cost``), of all calls.
        least_seconds: the time of the device at its peak rates.
    """

    name: str
    kind: str
    frame: Frame | None = None
    calls: int = 0
    python_ns: int = 0
    device_ns: int = 0
    compile_ns: int = 0
    flops: float = 0.0
    bytes: float = 0.0
    least_seconds: float = 0.0

    @property
    def total_ns(self) -> int:
        """Return the sum of the times."""
        return self.python_ns + self.device_ns + self.compile_ns

    @property
    def roofline(self) -> float | None:
        """Return how near the kernels came to the device's peak rates, 1 at best.

        None if the device was not waited for, or for too short a time to tell.
        """
        if self.device_ns < _LEAST_NS * self.calls or not self.least_seconds:
            return None
        return min(self.least_seconds * 1e9 / self.device_ns, 1.0)


class profile:
    """Measures where the time of a block goes; its text is a table. A context manager.

    Per op and node: calls, Python time, device time, FLOPs and bytes by XLA's cost analysis, the
    ratio to the roofline of the device, and kernels that had to be created. Below the table
    are the lines that copied values to the host, and the kernels with their causes.

    To separate device time from Python time, the results of every op are waited for:
    Note [What is timed] in debug/time/recorder.py. This makes a program slower, by little if
    kernels are long. The cost of reading values is estimated for the program without these waits.

    Args:
        wait: False waits for nothing but reads; there is no device time then.
        peaks: (FLOPs, bytes) per second of the device at its peak; measured by default.
        samples: record, every 5 ms, the line that runs outside of ops.
        kernels: also trace the kernels that the device runs, with JAX's profiler.

    Attributes:
        seconds: the duration of the block, including waits.
        recorder: the recorded events, a Recorder.
        kernels: the device's kernels, a list of KernelRow; empty unless they are traced.

    Raises:
        InvalidArgumentError: when kernels are to be traced, but not waited for.

    Paddle: ``paddle.profiler.Profiler`` has tables of CPU and GPU time; this is an addition.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.rand([64, 64])
        >>> with paddle.debug.profile() as seen:
        ...     for _ in range(3):
        ...         y = paddle.matmul(x, x).tanh()
        >>> [(row.name, row.calls) for row in sorted(seen.rows(), key=lambda row: row.name)]
        [('matmul', 3), ('tanh', 3)]
        >>> print(seen)
           calls ...
    """

    def __init__(
        self,
        wait: bool = True,
        peaks: tuple[float, float] | None = None,
        samples: bool = True,
        kernels: bool = False,
    ):
        if kernels and not wait:
            raise InvalidArgumentError(
                "kernels=True needs wait=True: the op of a kernel is known if it was waited for."
            )
        self._device = DeviceKernels() if kernels else None
        self.recorder = Recorder(waits=wait, stacks=True, costs=wait, samples=samples)
        self._peaks = None if peaks is None else costs.Peaks(*peaks)
        self._costs: dict[tuple, costs.Cost] = {}
        self._was_lazy = False
        self._call_rows: list[CallRow] | None = None

    def __enter__(self) -> profile:
        self._was_lazy = lazy_mode.recorder() is not None
        if self._device is not None:
            self._device.trace()
        self.recorder.start()
        if self._device is not None:
            self._device.start()
        return self

    def __exit__(self, *raised) -> None:
        self.recorder.stop()
        if self._device is not None:
            self._device.stop()
        if raised[0] is None:  # else the rank that keeps the store may have ended
            live.show(self.recorder.rank_calls)

    @property
    def seconds(self) -> float:
        return (self._ended().ended_ns - self.recorder.began_ns) / 1e9

    def _ended(self) -> Recorder:
        if not self.recorder.ended_ns:
            raise PreconditionNotMetError("The profiled block has not ended yet.")
        return self.recorder

    # ---- numbers

    def rows(self, by: str = "op") -> list[Row]:
        """Return the times of each op and node, or of each line, the longest first.

        Args:
            by: "op" or "line".

        Raises:
            InvalidArgumentError: for another word.
        """
        if by not in ("op", "line"):
            raise InvalidArgumentError(f"by should be 'op' or 'line', but received {by!r}.")
        found: dict[object, Row] = {}
        of_line: dict[object, dict[Frame, int]] = {}
        for event in self._events():
            name, kind = named(event)
            frame = event.line
            key = (name, kind) if by == "op" else frame and frame[1:]
            row = found.get(key)
            if row is None:
                row = found[key] = Row(name if by == "op" else "", kind, frame)
            self._add(row, event)
            if frame is not None:
                lines = of_line.setdefault(key, {})
                lines[frame] = lines.get(frame, 0) + event.duration_ns
        for key, lines in of_line.items():
            found[key].frame = max(lines, key=lambda frame: lines[frame])
        return sorted(found.values(), key=lambda row: -row.total_ns)

    def _events(self) -> Iterable[Event]:
        """Yield the events of ops and nodes, including nested ones."""
        for roots in self._ended().roots.values():
            yield from ops_in(roots)

    def _add(self, row: Row, event: Event) -> None:
        row.calls += 1
        row.device_ns += event.device_ns
        row.compile_ns += event.compile_ns
        row.python_ns += max(own_ns(event) - event.device_ns, 0)
        if event.cost is not None:
            cost = self._cost(event.cost)
            row.flops += cost.flops
            row.bytes += cost.bytes
            row.least_seconds += self.peaks().least_seconds(cost)

    def _cost(self, key: tuple) -> costs.Cost:
        if key not in self._costs:
            self._costs[key] = costs.cost_of(*self.recorder.kernels[key])
        return self._costs[key]

    def peaks(self) -> costs.Peaks:
        """Return the peak rates of the device."""
        if self._peaks is None:
            self._peaks = costs.peaks()
        return self._peaks

    @property
    def reads(self) -> list[Read]:
        """Return the lines that copied values to the host, the longest waits first."""
        return sorted(self._ended().reads.values(), key=lambda read: -read.wait_ns)

    @property
    def rank_calls(self) -> list[CallRow]:
        """Return the calls between ranks (``all_reduce``, ``send``, ``barrier``), longest first.

        The time in which this rank has waited for the others needs the times of all ranks, which
        they show each other when their blocks end. It is None if another rank has not profiled
        these calls, or has not ended its block.
        """
        if self._call_rows is None:
            calls = self._ended().rank_calls
            self._call_rows = live.rows(calls, self._stopped(), live.known(calls))
        return self._call_rows

    def _stopped(self) -> dict[tuple[str, Frame], int]:
        """Return how long the program has stopped for the calls of each name and line."""
        found: dict[tuple[str, Frame], int] = {}
        for roots in self.recorder.roots.values():
            for event in waits_in(roots):
                key = event.name.removeprefix("wait for "), event.stack[-1]
                found[key] = found.get(key, 0) + event.duration_ns
        return found

    @property
    def compilations(self) -> list[Compilation]:
        """Return the kernels that had to be created or loaded, in order."""
        return self._ended().compilations

    @property
    def kernels(self) -> list[KernelRow]:
        return [] if self._device is None else self._device.rows

    # ---- text

    def table(self, most: int | None = 20, by: str = "op") -> str:
        """Return a line per op and node, or per line of the program; times are milliseconds.

        Args:
            most: the maximum number of lines; None for all.
            by: "op" or "line".
        """
        rows = self.rows(by)
        total = sum([row.total_ns for row in rows]) or 1
        width = max([len(row.name) for row in rows[:most]] + [4]) if by == "op" else 0
        heads = "".join([f"{head:>9}" for head in _HEADS])
        head = f"{heads}  {'what':{width}}  line" if width else f"{heads}  line"

        def line(row: Row) -> str:
            place = place_text(row.frame)
            named = (
                f"{row.name:{width}}  {place}" if width else f"{place}  {source_text(row.frame)}"
            )
            return f"{_numbers(row, total)}  {named}".rstrip()

        return "\n".join([head, *first_lines(rows, most, line), self._sums(rows)])

    def _sums(self, rows: list[Row]) -> str:
        python, device, made = [
            sum([getattr(row, name) for row in rows]) / 1e6
            for name in ("python_ns", "device_ns", "compile_ns")
        ]
        total = self.seconds * 1e3
        stopped = sum(self._stopped().values()) / 1e6
        outside = max(total - python - device - made - stopped, 0.0)
        device_text = f"{device:.1f} ms device, " if self.recorder.waits else ""
        stopped_text = f"{stopped:.1f} ms stopped for other ranks, " if stopped else ""
        text = (
            f"{total:.1f} ms: {python:.1f} ms Python of ops and nodes, {device_text}{made:.1f} ms "
            f"making kernels, {stopped_text}{outside:.1f} ms outside of ops"
        )
        return f"{text}\n{_LAZY_MODE}" if self._was_lazy else text

    def limit_text(self) -> str:
        """Return, in words, that the host limits the program; "" if it does not, or is unknown."""
        rows = self.rows() if self.recorder.waits else []
        calls, python_ns = sum([r.calls for r in rows]), sum([r.python_ns for r in rows])
        return limit_text(calls, python_ns, sum([r.device_ns for r in rows]), self.kernels)

    @property
    def outside(self) -> dict[Frame, int]:
        """Return the nanoseconds of each line outside of ops, longest first: a reader, a sleep.

        A thread records every 5 ms which line the program is at; shorter times are not divided.
        """
        recorder = self._ended()
        roots = recorder.roots.get(recorder.main_thread, [])
        return outside_of_ops(roots, recorder.samples, recorder.began_ns, recorder.ended_ns)

    def outside_text(self, most: int = 5) -> str:
        """Return a line for each line that takes a twentieth of the run outside of ops."""
        least = max(self.seconds * 1e9 * _SHOWN_OUTSIDE, 1e7)
        rows = [(frame, ns) for frame, ns in self.outside.items() if ns >= least][:most]
        if not rows:
            return ""
        lines = [f"{'ms':>9}{'%':>9}  line that runs outside of ops"]
        for frame, ns in rows:
            times = f"{ns / 1e6:9.1f}{ns / self.seconds / 1e7:9.1f}"
            lines.append(f"{times}  {place_text(frame)}  {source_text(frame)}".rstrip())
        return "\n".join(lines)

    def reads_text(self, most: int = 10) -> str:
        """Return a line for each line of the program that copied values to the host."""
        reads = self.reads
        if not reads:
            return "No value was copied to the host."
        lines = [f"{'times':>9}{'wait ms':>9}  line that copies values to the host"]
        lines += first_lines(reads, most, _read_text, "lines")
        if self.recorder.waits:
            clock, ended = self.recorder.clock, self.recorder.ended_ns
            with_reads, without = clock.total_ns(ended), clock.total_ns(ended, False)
            lines.append(
                f"not waiting for each op this would take {with_reads / 1e6:.1f} ms, without these "
                f"reads {without / 1e6:.1f} ms"
            )
        return "\n".join(lines)

    def rank_calls_text(self, most: int = 10) -> str:
        """Return a line for each call between ranks of the program; "" if there was none.

        Times are milliseconds of all calls: waiting for the other ranks, transferring, and how
        long the program has stopped. GB/s is the effective bandwidth (``CallRow.bandwidth``).
        """
        rows = self.rank_calls
        if not rows:
            return ""
        width = max([len(row.name) for row in rows[:most]])
        heads = "".join([f"{h:>9}" for h in "calls MB wait transfer stopped GB/s".split()])

        def line(row: CallRow) -> str:
            place = f"{place_text(row.frame)}  {source_text(row.frame)}"
            return f"{numbers_text(row)}  {row.name:{width}}  {place}".rstrip()

        head = f"{heads}  {'what':{width}}  line that calls other ranks"
        return "\n".join([head, *first_lines(rows, most, line)])

    def compilations_text(self, most: int = 10) -> str:
        """Return a line per call that needed kernels: their number, and why the last was needed."""
        found: dict[tuple, list[Compilation]] = {}
        for each in self.compilations:
            found.setdefault((each.name, each.frame), []).append(each)
        if not found:
            return "No kernel had to be made."
        head = f"{'kernels':>9}{'ms':>9}  call that needed kernels, the last one, and its cause"
        sites = sorted(found.values(), key=lambda each: -sum([one.seconds for one in each]))
        return "\n".join([head, *first_lines(sites, most, _made_text, "calls")])

    def __str__(self) -> str:
        return self.text() if self.recorder.ended_ns else "a profile whose block has not ended"

    def text(self, most: int | None = 20, by: str = "op") -> str:
        """Return all tables; see ``table`` for the arguments."""
        parts = [
            self.table(most, by), self.limit_text(), self.outside_text(), self.rank_calls_text(),
            self.reads_text(), self.compilations_text(),
            kernels_text(self.kernels, most) if self._device is not None else "",
        ]  # fmt: skip
        return "\n\n".join([each for each in parts if each])

    # ---- another run

    def save(self, path: str | os.PathLike) -> None:
        """Write what ran at each line, how often and how long, as JSON: see ``against``.

        Raises:
            InvalidArgumentError: when a file cannot be written there.
        """
        check_writable(os.fspath(path), "path")
        summaries.save(self.summary(), path)

    def summary(self) -> summaries.Summary:
        """Return what ``save`` writes."""
        calls = [
            summaries.Call(kind, name, own_ns(event), event)
            for event in self._events()
            for name, kind in [named(event)]
        ]
        return summaries.summary_of(self.seconds, self.recorder.waits, calls, self.reads)

    def save_rank(
        self,
        folder: str | os.PathLike,
        error: str = "",
        meetings: Sequence[tuple[str, int, int]] = (),
    ) -> Path:
        """Write what this rank has done for ``compare_ranks``, and return the path of the file.

        Args:
            folder: the folder, the same for all ranks; it is created.
            error: the error that has ended the program, for the report.
            meetings: (name, joined, left) of barriers that all ranks have made, in nanoseconds of
                ``time.perf_counter_ns``: Note [Clocks of ranks] in debug/time/ranks/clocks.py.

        Raises:
            InvalidTypeError: when the folder is not a path.
            InvalidArgumentError: when files cannot be written there.
        """
        check_writable(str(checked(folder, "save_rank") / "ranks.html"), "folder")
        return rank_records.save(rank_records.record_of(self._ended(), error, meetings), folder)

    def against(self, old: profile | str | os.PathLike) -> Comparison:
        """Return what is different from an earlier run: Note [Two profiles] in comparison.py.

        A list of findings, which prints as a table: another dtype, more kernels, reads or calls,
        and the ops, nodes and lines whose calls take longer than the spread of their times.

        Args:
            old: a profile, or the path of a file that ``save`` has written.

        Raises:
            InvalidArgumentError: when the file is not such a file, or one of the two did not wait.
        """
        before = old.summary() if isinstance(old, profile) else summaries.read(old)
        return compare(before, self.summary())

    # ---- picture

    def flame_graph(self, path: str | os.PathLike) -> None:
        """Write a flame graph: lines below, the Layers they run, then ops, nodes and the device.

        The width of a bar is its duration; the lowest bar is the whole block. The file is
        self-contained: HTML if its name ends so, else SVG. A click shows one bar at full width.

        Args:
            path: the path of the file.
        """
        recorder = self._ended()
        root = flame.Flame("all", "all")
        root.ns = recorder.ended_ns - recorder.began_ns
        for roots in recorder.roots.values():
            for event in roots:
                flame.add_event(root, event)
        flame.write(root, path, f"{root.ns / 1e6:.1f} ms, {_shown_mode(recorder)}")


def _shown_mode(recorder: Recorder) -> str:
    return "each op waited for" if recorder.waits else "nothing waited for but reads"


def _numbers(row: Row, total: int) -> str:
    """Return the columns of a row."""
    times = [row.python_ns / 1e6, row.device_ns / 1e6, row.compile_ns / 1e6]
    shown = "".join([f"{each:9.2f}" for each in times])
    text = f"{row.calls:9}{shown}{100 * row.total_ns / total:9.1f}"
    if row.roofline is None:
        return text + f"{'-':>9}" * 3
    seconds = row.device_ns / 1e9
    rates = [row.flops / seconds / 1e9, row.bytes / seconds / 1e9]
    return text + "".join([f"{each:9.2f}" for each in rates]) + f"{row.roofline:9.0%}"


def _read_text(read: Read) -> str:
    times = f"{read.count:9}{read.wait_ns / 1e6:9.1f}"
    return f"{times}  {place_text(read.frame)}  {source_text(read.frame)}".rstrip()


def _made_text(kernels: list[Compilation]) -> str:
    """Return the columns of the kernels of one call at a line."""
    last, took = kernels[-1], sum([each.seconds for each in kernels])
    call = f"{last.name}({_kinds_text(last.shapes)})  {place_text(last.frame)}"
    return f"{len(kernels):9}{took * 1e3:9.1f}  {call}  {last.cause}"


def place_text(frame: Frame | None) -> str:
    """Return a line as text that fits into a column; "" for None."""
    return "" if frame is None else fitted(frame.file, frame.line, _PLACE_WIDTH)


def _kinds_text(shapes: tuple) -> str:
    """Return shapes and dtypes of operands, as many as fit."""
    texts = [f"{dtype}{list(shape)}" for shape, dtype in shapes]
    shown = ", ".join(texts)
    return shown if len(shown) <= 60 else f"{', '.join(texts[:2])}, ... {len(texts)} operands"
