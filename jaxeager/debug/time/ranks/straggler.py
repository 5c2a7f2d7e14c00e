"""The straggler: the rank that the others wait for most, and the lines where its time goes.

Note [Stragglers]
    The ranks that wait in a call wait for the one that joins it last, each from the moment when its
    program stops for the call. A wait that runs while the program computes costs nothing, and does
    not count. What the others wait for a rank is the mean over them, summed over the calls in which
    that rank was last.

    Steps are compared, not runs: the first step has the start of the program in it, and a step that
    makes kernels says little about the others, so these are left out, unless most steps make some.
    The step after such a step is left out, too: what a rank does late in one step, the others wait
    for in the next.
    A rank spends more than the others at a line if it spends more there than their median.
"""

from __future__ import annotations

import bisect
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jaxeager.debug.time.ranks.clocks import Offset
from jaxeager.debug.time.ranks.meetings import Meeting, Spans, length
from jaxeager.debug.time.ranks.record import RankRecord, SourceLine

_LEAST_PART = 0.1  # of a step; less waiting than this needs no straggler
_CLEARLY = 1.5  # the others wait so many times as long for the straggler as for any other rank


class Excess(NamedTuple):
    """A line at which the ranks spend different times.

    Attributes:
        place: the line.
        ns: by rank, the time of a step.
        more_ns: how much longer the slowest rank takes than the median of the others.
        rank: the slowest rank.
    """

    place: SourceLine
    ns: dict[int, float]
    more_ns: float
    rank: int


class Straggler(NamedTuple):
    """The rank that the others wait for.

    Attributes:
        rank: its number.
        waited_ns: how long the others wait for it in a step.
        lines: the lines at which it spends more than the others, the largest difference first.
    """

    rank: int
    waited_ns: float
    lines: list[Excess]


def steady_steps(records: Sequence[RankRecord]) -> list[int]:
    """Return the numbers of the steps that are compared; see Note [Stragglers]."""
    count = min([len(each.step_ends) for each in records], default=0)
    if count < 2:
        return list(range(count))
    later = range(1, count)
    makes = [any(each.made_kernels[step] for each in records) for step in range(count)]
    quiet = [step for step in later if not makes[step] and not makes[step - 1]]
    return quiet if len(quiet) >= max(1, count // 4) else list(later)


def step_ns(records: Sequence[RankRecord], steps: Sequence[int]) -> float:
    """Return the mean duration of the compared steps, over all ranks."""
    took = [
        each.step_ends[step] - (each.step_ends[step - 1] if step else each.began_ns)
        for each in records
        for step in steps
    ]
    return statistics.fmean(took) if took else 0.0


def differences(records: Sequence[RankRecord], steps: Sequence[int]) -> list[Excess]:
    """Return the lines and their times in a step, the largest difference between ranks first."""
    sums: dict[SourceLine, dict[int, float]] = {}
    for record in records:
        for step in steps:
            for place, took in record.lines[step].items():
                by_rank = sums.setdefault(place, {each.rank: 0.0 for each in records})
                by_rank[record.rank] += took / len(steps)
    found = [_excess(place, by_rank) for place, by_rank in sums.items()]
    return sorted(found, key=lambda each: -each.more_ns)


def _excess(place: SourceLine, by_rank: dict[int, float], rank: int | None = None) -> Excess:
    """Return the difference of a rank from the others at a line; of the slowest by default."""
    slowest = max(by_rank, key=lambda each: by_rank[each]) if rank is None else rank
    others = [took for each, took in by_rank.items() if each != slowest]
    usual = statistics.median(others) if others else by_rank[slowest]
    return Excess(place, by_rank, by_rank[slowest] - usual, slowest)


def waits_for(
    records: Sequence[RankRecord], met: Iterable[Meeting], clocks: Mapping[int, Offset],
    steps: Sequence[int],
) -> dict[int, float]:  # fmt: skip
    """Return, by rank, how long the others wait for it in a step: their mean."""
    known = {each.rank: each for each in records}
    stopped = {each.rank: Spans(each.stopped) for each in records}
    compared = set(steps)
    waited = dict.fromkeys(known, 0.0)
    for meeting in met:
        shift = clocks[meeting.last].ns
        ends = known[meeting.last].step_ends
        if len(meeting.calls) < 2 or step_of(ends, meeting.complete_ns + shift) not in compared:
            continue
        for rank, call in meeting.calls.items():
            if rank != meeting.last:
                moved = clocks[rank].ns
                span = call.began_ns + moved, min(meeting.complete_ns, call.ended_ns) + moved
                others = len(meeting.calls) - 1
                waited[meeting.last] += length(stopped[rank].common(*span)) / others
    return {rank: total / max(len(steps), 1) for rank, total in waited.items()}


def step_of(ends: Sequence[int], time: int) -> int:
    """Return the number of the step in which a call is made."""
    return bisect.bisect_left(ends, time)


def straggler_of(
    waited: Mapping[int, float], lines: Sequence[Excess], whole_step_ns: float
) -> Straggler | None:
    """Return the straggler; None when no rank is waited for clearly longer than all others.

    Args:
        waited: see ``waits_for``.
        lines: see ``differences``.
        whole_step_ns: the duration of a step.
    """
    if len(waited) < 2:
        return None
    rank, *_ = order = sorted(waited, key=lambda each: -waited[each])
    most, second = waited[rank], waited[order[1]]
    if most < _LEAST_PART * whole_step_ns or most < _CLEARLY * second:
        return None
    own = [_excess(each.place, each.ns, rank) for each in lines]
    more = sorted([each for each in own if each.more_ns > 0], key=lambda each: -each.more_ns)
    return Straggler(rank, most, more)
