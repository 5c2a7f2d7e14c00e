"""Meetings: calls between ranks as all of them have seen them, and how long each has waited."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from jaxeager.debug.time.ranks.calls import RankCall
from jaxeager.debug.time.ranks.clocks import Offset, RankTimes


class Meeting(NamedTuple):
    """One call between ranks, by all ranks that have made it together.

    Attributes:
        calls: by rank, its call, whose times are those of the first rank's clock.
        last: the rank that has joined last.
        complete_ns: when it has joined.
    """

    calls: dict[int, RankCall]
    last: int
    complete_ns: int

    def waited_ns(self, rank: int) -> int:
        """Return how long a rank has waited for the last one."""
        call = self.calls[rank]
        return max(0, min(self.complete_ns, call.ended_ns) - call.began_ns)

    def transferred_ns(self, rank: int) -> int:
        """Return the rest of the call's time on a rank."""
        call = self.calls[rank]
        return call.ended_ns - call.began_ns - self.waited_ns(rank)


def meetings(
    ranks: Iterable[RankTimes], clocks: Mapping[int, Offset]
) -> dict[tuple[int, str, int], Meeting]:
    """Return the calls whose participants are all known, by their key, in order of time."""
    found: dict[tuple[int, str, int], dict[int, RankCall]] = {}
    for each in ranks:
        shift = clocks[each.rank].ns
        for call in each.calls:
            if call.succeeded:
                at = call.began_ns - shift, call.ended_ns - shift
                moved = call._replace(began_ns=at[0], ended_ns=at[1])
                found.setdefault(call.key, {})[each.rank] = moved
    made = {
        key: _meeting(calls)
        for key, calls in found.items()
        if set(calls) == set(next(iter(calls.values())).ranks)
    }
    return dict(sorted(made.items(), key=lambda each: each[1].complete_ns))


def _meeting(calls: dict[int, RankCall]) -> Meeting:
    last = max(calls, key=lambda rank: calls[rank].began_ns)
    return Meeting(calls, last, calls[last].began_ns)


class Spans:
    """Spans of time that do not overlap.

    Args:
        spans: pairs of begin and end, in any order; overlapping ones are merged.
    """

    def __init__(self, spans: Iterable[tuple[int, int]]):
        self._begins: list[int] = []
        self._ends: list[int] = []
        for begin, end in sorted(spans):
            if self._ends and begin <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            elif end > begin:
                self._begins.append(begin)
                self._ends.append(end)

    def total(self) -> int:
        """Return the sum of the durations."""
        return sum(self._ends) - sum(self._begins)

    def common(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Return the parts that are between two times.

        Example:
            >>> Spans([(0, 10), (20, 30)]).common(5, 22)
            [(5, 10), (20, 22)]
        """
        found = []
        at = bisect.bisect_right(self._ends, begin)
        while at < len(self._begins) and self._begins[at] < end:
            found.append((max(begin, self._begins[at]), min(end, self._ends[at])))
            at += 1
        return found


def length(spans: Iterable[tuple[int, int]]) -> int:
    """Return the sum of the durations of spans."""
    return sum([end - begin for begin, end in spans])
