"""What ended segments, and what they took: the data of ``paddle.lazy_report()``."""

from collections import Counter
from typing import Any, NamedTuple

from jaxeager.core.user_lines import user_frame, warn

VALUE = "a value was asked for"
STEP = "an optimizer's step was over"
LENGTH = "it was long enough"
BYTES = "its operands took much memory"
SETTING = "the precision of products was changed"
LEFT = "the block of lazy mode ended"
TOOL = "a tool was switched on"
_MOST_LINES = 1000
_FEW = 8  # calls of a segment that costs nothing to run one by one
_MANY_NEW = 100


class End(NamedTuple):
    """A line at which segments ended.

    Attributes:
        file, line: of the user's program.
        why: what ended them.
    """

    file: str
    line: int
    why: str


class Totals(NamedTuple):
    """What ran since the process began, or ``clear``.

    Attributes:
        calls: of kernels, recorded.
        segments: that ran.
        one_by_one: segments that ran kernel by kernel.
        executables: different segments that were compiled.
        seconds: what compiling them took.
    """

    calls: int
    segments: int
    one_by_one: int
    executables: int
    seconds: float


ends: Counter[End] = Counter()
calls_of: Counter[End] = Counter()
_new_in_a_row: Counter[End] = Counter()
_totals: dict[str, float] = dict.fromkeys(Totals._fields, 0)


def note(why: str, segment: Any) -> None:
    """Note that a segment is about to run; warn of a line where each one is new."""
    frame = user_frame()
    end = End(frame.f_code.co_filename, frame.f_lineno, why)
    if end in ends or len(ends) < _MOST_LINES:
        ends[end] += 1
        calls_of[end] += len(segment.steps)
    add(calls=len(segment.steps), segments=1)
    _new_in_a_row[end] = 0 if segment.seen else _new_in_a_row[end] + (len(segment.steps) > _FEW)
    if _new_in_a_row[end] == _MANY_NEW:
        warn(
            f"Lazy mode: the last {_MANY_NEW} segments that ended here were all new, so that each "
            "op ran by itself. A shape, or a number that is no tensor, changes each time.",
            frame,
        )


def note_failed(error: Exception) -> None:
    """Warn that an executable failed where its kernels did not."""
    said = (str(error).splitlines() or [type(error).__name__])[0]
    warn(f"Lazy mode: a segment failed as one executable, and ran kernel by kernel ({said}).")


def add(**numbers: float) -> None:
    """Add to the ``Totals``."""
    for name, number in numbers.items():
        _totals[name] += number


def totals() -> Totals:
    """Return what ran."""
    return Totals(**_totals)  # type: ignore[arg-type]


def clear() -> None:
    """Forget what was counted."""
    ends.clear()
    _new_in_a_row.clear()
    calls_of.clear()
    _totals.update(dict.fromkeys(Totals._fields, 0))
