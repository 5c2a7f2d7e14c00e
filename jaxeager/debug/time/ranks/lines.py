"""The time of each line of the program in each step of a rank, without waits for other ranks.

Note [Lines of a rank]
    The time of an op or node, with that of its device and of making its kernels, is that of its
    line; a node has the line that recorded it. The time between two of them is known exactly, too,
    and is divided among the lines that the sampler has seen in it, in proportion to their samples.
    If it has seen none, because the time is shorter than its period, the time is that of the next
    op's line. So a line that sleeps or reads a file for longer than 5 ms is named itself, and the
    sum of all lines is the time of the step.

    A step ends with the update of the optimizer; of several optimizers, at the line with the most
    updates. A program without one has a step for each call at the line with the most calls between
    ranks.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxeager.debug.time.event_tree import OPS, is_counted, ops_in, outermost, own_ns, waits_in
from jaxeager.debug.time.ranks.samples import PERIOD_SECONDS
from jaxeager.debug.time.timed_events import Event, TracerEventType
from jaxeager.debug.time.user_stack import Frame

_PERIOD_NS = int(PERIOD_SECONDS * 1e9)


class Steps(NamedTuple):
    """The steps of a rank.

    Attributes:
        frame: the line at which they end; None when there are none.
        ends: when each has ended.
        made_kernels: whether each has made kernels.
        lines: for each, and for the time after the last, the nanoseconds of each line.
    """

    frame: Frame | None
    ends: list[int]
    made_kernels: list[bool]
    lines: list[dict[Frame, int]]


def steps_of(
    roots: Sequence[Event], samples: Sequence[tuple[int, Frame]], began_ns: int, ended_ns: int
) -> Steps:
    """Return the steps of a thread.

    Args:
        roots: its events.
        samples: pairs of time and line, in order.
        began_ns, ended_ns: when recording has begun and ended.
    """
    frame, ends = _ends(roots)
    lines: list[dict[Frame, int]] = [{} for _ in range(len(ends) + 1)]
    made_kernels = [False] * len(ends)

    def add(step: int, line: Frame | None, took: int) -> None:
        where = _bare(line)
        if where is not None and took > 0:
            lines[step][where] = lines[step].get(where, 0) + took

    for event in ops_in(roots):
        step = bisect.bisect_right(ends, event.begin_ns)
        add(step, event.line, own_ns(event) + event.compile_ns)
        if event.kernels and step < len(ends):
            made_kernels[step] = True
    for gap, inside in _sampled(roots, samples, began_ns, ended_ns):
        step = bisect.bisect_left(ends, gap.end_ns)
        for line in inside:
            add(step, line, gap.duration_ns // len(inside))
        if not inside:
            add(step, gap.following, gap.duration_ns)
    return Steps(frame, ends, made_kernels, lines)


def outside_of_ops(
    roots: Sequence[Event], samples: Sequence[tuple[int, Frame]], began_ns: int, ended_ns: int
) -> dict[Frame, int]:
    """Return the nanoseconds of each line between ops, nodes and waits, the longest first.

    The time of a gap is divided among the lines that the sampler has seen in it. Of gaps that are
    shorter than its period only some have a sample, which is worth a period: it has the time of
    those without one. The arguments are those of ``steps_of``.
    """
    lines: dict[Frame, int] = {}
    for gap, inside in _sampled(roots, samples, began_ns, ended_ns):
        for line in inside:
            where = line._replace(label="")
            worth = max(gap.duration_ns // len(inside), _PERIOD_NS)
            lines[where] = lines.get(where, 0) + worth
    return dict(sorted(lines.items(), key=lambda each: -each[1]))


def _sampled(
    roots: Sequence[Event], samples: Sequence[tuple[int, Frame]], began_ns: int, ended_ns: int
) -> Iterator[tuple[Gap, list[Frame]]]:
    """Yield each gap, and the lines that the sampler has seen in it."""
    times = [time for time, _ in samples]
    for gap in gaps(roots, began_ns, ended_ns):
        first, last = (
            bisect.bisect_left(times, gap.begin_ns),
            bisect.bisect_right(times, gap.end_ns),
        )
        yield gap, [line for _, line in samples[first:last]]


class Gap(NamedTuple):
    """A time between two ops, nodes or waits.

    Attributes:
        begin_ns, end_ns: when it begins and ends.
        following: the line of what follows; None at the end.
    """

    begin_ns: int
    end_ns: int
    following: Frame | None

    @property
    def duration_ns(self) -> int:
        """Return how long it is."""
        return self.end_ns - self.begin_ns


def gaps(roots: Sequence[Event], began_ns: int, ended_ns: int) -> Iterator[Gap]:
    """Yield the times between ops, nodes and waits."""
    at = began_ns
    for event in outermost(roots):
        if event.begin_ns > at:
            yield Gap(at, event.begin_ns, event.line)
        at = max(at, event.end_ns)
    if ended_ns > at:
        yield Gap(at, ended_ns, None)


def _ends(roots: Sequence[Event]) -> tuple[Frame | None, list[int]]:
    """Return the line at which steps end, and when they have ended."""
    by_line: dict[Frame, list[int]] = {}
    for event in _updates(roots):
        line = _bare(event.line)
        if line is not None:
            # The gap after an update begins where the op within it has ended.
            inner = [each for each in event.children if is_counted(each)] or [event]
            by_line.setdefault(line, []).append(inner[-1].end_ns)
    if not by_line:
        for event in waits_in(roots):
            line = _bare(event.line)
            if line is not None:
                by_line.setdefault(line, []).append(event.end_ns)
    if not by_line:
        return None, []
    frame = max(by_line, key=lambda each: len(by_line[each]))
    return frame, sorted(by_line[frame])


def _updates(roots: Sequence[Event]) -> Iterable[Event]:
    waiting = list(roots)
    while waiting:
        event = waiting.pop()
        if event.kind is TracerEventType.Optimization:
            yield event
        elif event.kind not in OPS:
            waiting += event.children


def _bare(frame: Frame | None) -> Frame | None:
    """Return a line without its function."""
    return None if frame is None else frame._replace(label="")
