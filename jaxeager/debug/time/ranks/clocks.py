"""The clocks of ranks: by how much those of different machines differ.

Note [Clocks of ranks]
    A rank records nanoseconds of the monotonic clock. All processes of one machine share that
    clock, so their times are compared as they are; a machine is known by the number of its boot.

    The clocks of two machines have nothing in common, and those that show the date differ by
    milliseconds. What ranks do together bounds the difference: no rank leaves an ``all_reduce``,
    an ``all_gather`` or a barrier before all have joined it. So if a rank of machine A joins at
    time a and one of B leaves at time b, B's clock is ahead of A's by no more than b - a, and the
    same holds in the other direction. Every such call gives two bounds; the difference is halfway
    between the highest lower bound and the lowest upper one, and its error is at most half of their
    distance. The report states this error. With ``--profile`` the ranks make a few barriers before
    the program begins, as quickly as they can, so the distance is about the time of one message
    there and back. Without such calls the dates are compared, and the error is not known.
"""

from __future__ import annotations

import functools
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from jaxeager.debug.time.ranks.calls import RankCall

_NONE_LEAVES_EARLY = ("all_reduce", "all_gather", "barrier")
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@functools.cache
def machine() -> str:
    """Return what processes that share a monotonic clock have in common."""
    try:
        return _BOOT.read_text(encoding="utf-8").strip()
    except OSError:
        return platform.node()


class RankTimes(NamedTuple):
    """What a rank's clock has shown.

    Attributes:
        rank: its number.
        machine: see ``machine``.
        date_ns: what is added to its times to get nanoseconds since 1970.
        calls: its calls between ranks.
        meetings: (name, joined, left) of each barrier made before the program began.
    """

    rank: int
    machine: str
    date_ns: int
    calls: Sequence[RankCall]
    meetings: Sequence[tuple[str, int, int]] = ()

    def joined(self) -> dict[object, tuple[int, int]]:
        """Return when it joined and left the calls that no rank leaves before all have joined."""
        found: dict[object, tuple[int, int]] = {
            name: (began, ended) for name, began, ended in self.meetings
        }
        for call in self.calls:
            if call.succeeded and call.name in _NONE_LEAVES_EARLY:
                found[call.key] = call.began_ns, call.ended_ns
        return found


class Offset(NamedTuple):
    """The difference between the clock of a rank and that of the first rank.

    Attributes:
        ns: what is subtracted from its times.
        error_ns: the bound of the error; 0 on one machine, None if it is not known.
    """

    ns: int
    error_ns: int | None


def offsets(ranks: Iterable[RankTimes]) -> dict[int, Offset]:
    """Return the offset of each rank's clock.

    Example:
        >>> def rank(number, machine, began, ended):
        ...     return RankTimes(number, machine, 0, (), [("start", began, ended)])
        >>> offsets([rank(0, "A", 1000, 1300), rank(1, "B", 51050, 51290)])[1]
        Offset(ns=50020, error_ns=270)
    """
    ordered = sorted(ranks, key=lambda each: each.rank)
    found: dict[str, Offset] = {}
    for each in ordered:
        if not found:
            found[each.machine] = Offset(0, 0)
        elif each.machine not in found:
            first = [one for one in ordered if one.machine == ordered[0].machine]
            others = [one for one in ordered if one.machine == each.machine]
            found[each.machine] = _between(first, others)
    return {each.rank: found[each.machine] for each in ordered}


def _between(first: Sequence[RankTimes], others: Sequence[RankTimes]) -> Offset:
    """Return the offset of one machine's clock to that of the first."""
    low: list[int] = []
    high: list[int] = []
    for one in first:
        here = one.joined()
        for other in others:
            for key, (began, ended) in other.joined().items():
                if key in here:
                    low.append(began - here[key][1])
                    high.append(ended - here[key][0])
    if not low:
        return Offset(first[0].date_ns - others[0].date_ns, None)
    least, most = max(low), min(high)
    return Offset((least + most) // 2, max(most - least, 0) // 2)
