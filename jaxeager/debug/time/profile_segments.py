"""profile_segments: where the time of a block goes in lazy mode, by segment and by line."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.time.clock import now_ns
from jaxeager.debug.time.profile import place_text
from jaxeager.debug.time.segments import SegmentRecorder, TimedEnd
from jaxeager.debug.time.user_stack import Frame, source_text
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError


class SegmentRow(NamedTuple):
    """The time within segments that one kernel, or one line, took.

    Attributes:
        name: the kernel ("matmul", "matmul_grad"); "" in a table by line.
        frame: the line that called it; of a backward, the line of ``backward()``.
        calls: how often it was called in segments that ran as executables.
        device_ns: the time of these calls.
    """

    name: str
    frame: Frame
    calls: int
    device_ns: float


class profile_segments:
    """Measures where the time of a block goes in lazy mode; its text is two tables.

    ``profile`` observes ops, so each op runs by itself while it measures. This one turns lazy mode
    on in its block, waits for each segment, and divides its time among the lines in it: Note [Time
    within a segment] in debug/time/segments.py. The first table has the lines at which segments
    ended, the second one the kernels and the lines that called them. Segments that are new run
    kernel by kernel; they count in the first table alone.

    JAX's profiler is on meanwhile, which makes segments slower, most of all short ones.

    Attributes:
        seconds: that the block took.
        recorder: what was recorded, a SegmentRecorder.

    Paddle: has no lazy mode.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.rand([64, 64])
        >>> with paddle.debug.profile_segments() as seen:
        ...     for _ in range(6):
        ...         y = float(paddle.matmul(x, x).tanh().sum())
        >>> [(end.times, end.calls, end.one_by_one) for end in seen.ends]
        [(6, 18, 3)]
        >>> sorted((row.name, row.calls) for row in seen.rows())
        [('matmul', 3), ('sum', 3), ('tanh', 3)]
        >>> print(seen)
           times ...
    """

    def __init__(self):
        self.recorder = SegmentRecorder()
        self._began_ns = self._ended_ns = 0

    def __enter__(self) -> profile_segments:
        self.recorder.start()
        self._began_ns = now_ns()
        return self

    def __exit__(self, *raised) -> None:
        self.recorder.stop()
        self._ended_ns = now_ns()

    @property
    def seconds(self) -> float:
        return (self._ended_ns - self._began_ns) / 1e9

    def _ended(self) -> SegmentRecorder:
        if not self._ended_ns:
            raise PreconditionNotMetError("The profiled block has not ended yet.")
        return self.recorder

    # ---- numbers

    @property
    def ends(self) -> list[TimedEnd]:
        """Return the lines at which segments ended, those that took longest first."""
        return self._ended().ends()

    def rows(self, by: str = "op") -> list[SegmentRow]:
        """Return the time of each kernel and line within segments, the longest first.

        Args:
            by: "op" or "line".

        Raises:
            InvalidArgumentError: for another word.
        """
        if by not in ("op", "line"):
            raise InvalidArgumentError(f"by should be 'op' or 'line', but received {by!r}.")
        found: dict[tuple[str, Frame], list] = {}
        for (name, frame), (calls, took) in self._ended().calls().items():
            entry = found.setdefault((name if by == "op" else "", frame), [0, 0.0])
            entry[0] += calls
            entry[1] += took
        rows = [SegmentRow(*key, *entry) for key, entry in found.items()]
        return sorted(rows, key=lambda row: -row.device_ns)

    # ---- text

    def ends_text(self, most: int = 10) -> str:
        """Return a line for each line of the program at which segments ended."""
        ends = self.ends
        if not ends:
            return "No kernel was called."
        head = f"{'times':>8}{'calls':>9}{'ms':>9}{'each ms':>9}{'1 by 1':>8}  ended at"
        return "\n".join([head, *first_lines(ends, most, _end_text, "lines"), self._sums()])

    def _sums(self) -> str:
        recorder, total = self._ended(), self.seconds * 1e3
        inside = sum([run.ns for run in recorder.runs]) / 1e6
        lines = [
            f"{total:.1f} ms: {inside:.1f} ms in {len(recorder.runs)} segments, "
            f"{max(total - inside, 0):.1f} ms outside of them; executables made: "
            f"{recorder.executables}, in {recorder.compile_seconds:.1f} s"
        ]
        reasons = Counter(run.alone for run in recorder.runs if run.alone)
        lines += [f"kernel by kernel, because {why}: {times}" for why, times in reasons.items()]
        return "\n".join(lines)

    def table(self, most: int | None = 20, by: str = "op") -> str:
        """Return a line per kernel and line, or per line; times are milliseconds.

        Args:
            most: how many lines; None for all.
            by: "op" or "line".
        """
        rows = self.rows(by)
        if not rows:
            return "No segment ran as an executable: each was new."
        total = sum([row.device_ns for row in rows]) or 1
        width = max([len(row.name) for row in rows[:most]] + [4]) if by == "op" else 0
        head = f"  {'what':{width}}  line" if width else "  line"

        def line_of(row: SegmentRow) -> str:
            numbers = f"{row.calls:8}{row.device_ns / 1e6:9.2f}{100 * row.device_ns / total:7.1f}"
            named = f"{row.name:{width}}  " if width else ""
            line = f"{place_text(row.frame)}  {source_text(row.frame)}"
            return f"{numbers}  {named}{line}".rstrip()

        lines = first_lines(rows, most, line_of)
        return "\n".join([f"{'calls':>8}{'ms':>9}{'%':>7}{head}", *lines])

    def __str__(self) -> str:
        if not self._ended_ns:
            return "a profile whose block has not ended"
        return f"{self.ends_text()}\n\n{self.table()}"


def _end_text(end: TimedEnd) -> str:
    took = end.ns / 1e6
    numbers = f"{end.times:8}{end.calls:9}{took:9.2f}{took / end.times:9.3f}"
    return f"{numbers}{end.one_by_one:8}  {place_text(end.frame)}: {end.why}"
