"""The reasons that ended segments, and their cost: the data of ``paddle.lazy_report()``."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxeager.core.error_lines import first_line
from jaxeager.core.user_lines import line_of, user_frame, warn

if TYPE_CHECKING:
    from jaxeager.kernels.lazy.segments import Segment

VALUE = "a value was read"
STEP = "an optimizer's step ended"
LENGTH = "it was long enough"
BYTES = "its operands used much memory"
SETTING = "the precision of products was changed"
LEFT = "the block of lazy mode ended"
TOOL = "a tool was switched on"
_MOST_LINES = 1000
_FEW = 8  # calls of a segment that is cheap to run kernel by kernel
_MANY_NEW = 100


class End:
    """What ended at a line for one reason.

    Attributes:
        times: the number of segments.
        calls: the number of their calls.
        new_in_a_row: how many of the last ones were new, with more than a few calls each.
    """

    __slots__ = ("calls", "new_in_a_row", "times")

    def __init__(self) -> None:
        self.times = self.calls = self.new_in_a_row = 0


class LazyReport(NamedTuple):
    """The work of lazy mode since the process began; printed, it is a table.

    Attributes:
        calls: the number of recorded calls of kernels.
        segments: the number of runs of segments.
        one_by_one: the number of these that ran kernel by kernel.
        executables: the number of different segments that were compiled, or loaded from files.
        seconds: the time that took, in the thread that compiles.
        ends: the lines that ended segments, most frequent first: (file, line, why, times, calls).
    """

    calls: int
    segments: int
    one_by_one: int
    executables: int
    seconds: float
    ends: list[tuple[str, int, str, int, int]]

    def __str__(self) -> str:
        lines = [
            f"{self.calls} calls of kernels in {self.segments} segments, {self.one_by_one} of them "
            f"kernel by kernel; {self.executables} executables, compiled in {self.seconds:.1f} s",
        ]
        if self.ends:
            lines.append(f"{'times':>8} {'calls':>8}  ended at")
        lines += [
            f"{times:>8} {calls:>8}  {file}:{line}: {why}"
            for file, line, why, times, calls in self.ends
        ]
        return "\n".join(lines)


_ends: dict[tuple[str, int, str], End] = {}  # by file, line and reason
_NUMBERS = LazyReport._fields[:-1]
_totals: dict[str, Any] = dict.fromkeys(_NUMBERS, 0)


def note(why: str, segment: Segment) -> None:
    """Note that a segment is about to run; warn of a line where every segment is new."""
    frame = user_frame()
    key = frame.f_code.co_filename, frame.f_lineno, why
    calls = len(segment.steps)
    end = _ends.get(key)
    if end is None and len(_ends) < _MOST_LINES:
        end = _ends[key] = End()
    if end is not None:
        end.times += 1
        end.calls += calls
        if segment.seen:
            end.new_in_a_row = 0
        elif calls > _FEW:
            end.new_in_a_row += 1
            _warn_of_new(end, frame)
    _totals["calls"] += calls
    _totals["segments"] += 1


def _warn_of_new(end: End, frame: FrameType) -> None:
    """Warn when the last segments that ended at a line were all new."""
    if end.new_in_a_row == _MANY_NEW:
        warn(
            f"Lazy mode: the last {_MANY_NEW} segments that ended here were all new, so that each "
            "op ran by itself. A shape, or a number that is not a tensor, changes each time.",
            line_of(frame),
        )


def note_failed(error: Exception) -> None:
    """Warn that an executable failed where its kernels did not."""
    why = first_line(error)
    warn(f"Lazy mode: a segment failed as one executable, and ran kernel by kernel ({why}).")


def add(**numbers: float) -> None:
    """Add to the numbers of the report."""
    for name, number in numbers.items():
        _totals[name] += number


def made() -> LazyReport:
    """Return the report."""
    counts = sorted(_ends.items(), key=lambda each: -each[1].times)
    lines = [(*key, end.times, end.calls) for key, end in counts]
    return LazyReport(**_totals, ends=lines)


def clear() -> None:
    """Reset all counts."""
    _ends.clear()
    _totals.update(dict.fromkeys(_NUMBERS, 0))
