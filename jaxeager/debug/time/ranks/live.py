"""The rows of calls between ranks in a running program: ranks show each other their times.

When a profiled block ends, each rank writes to the store of keys when it has joined and left its
calls, and reads the times of the others as soon as its rows are requested. A rank that does not
profile, or has not ended its block, has written nothing: then the rows have no waiting times.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence

from jaxeager.core import ports
from jaxeager.debug.time.clock import epoch_offset_ns
from jaxeager.debug.time.ranks.calls import CallRow, RankCall, median_bandwidth
from jaxeager.debug.time.ranks.clocks import RankTimes, machine, offsets
from jaxeager.debug.time.ranks.meetings import Meeting, meetings
from jaxeager.debug.time.user_stack import Frame

_NAME = "profile"
_MOST_CALLS = 20_000  # the last ones; a message of the store has at most 4 MB
_PATIENCE_SECONDS = 2.0  # until the others' blocks have ended
_NOWHERE = Frame("", "", 0)


def rank() -> int:
    """Return the number of this process."""
    return int(os.environ.get("PADDLE_TRAINER_ID") or 0)


def count() -> int:
    """Return the number of processes of the program."""
    return int(os.environ.get("PADDLE_TRAINERS_NUM") or 1)


def show(calls: Sequence[RankCall]) -> None:
    """Write the times of this rank's calls for the other ranks."""
    if calls and ports.write_for_ranks is not None:
        ports.write_for_ranks(_NAME, text_of(calls[-_MOST_CALLS:]))


def text_of(calls: Sequence[RankCall]) -> str:
    """Return the text in which a rank shows its calls."""
    rows = [
        (each.name, *each.key, each.ranks, each.began_ns, each.ended_ns)
        for each in calls
        if each.succeeded
    ]
    return json.dumps([machine(), epoch_offset_ns(), rows])


def of_text(rank: int, text: str) -> RankTimes:
    """Return the times that another rank has shown."""
    where, date, rows = json.loads(text)
    calls = [
        RankCall(name, group, lane, number, tuple(ranks), 0, _NOWHERE, began - date, ended - date)
        for name, group, lane, number, ranks, began, ended in rows
    ]
    return RankTimes(rank, where, date, calls)


def known(calls: Sequence[RankCall]) -> dict[tuple[int, str, int], Meeting]:
    """Return those of this rank's calls of which the times of all participants are known."""
    own = of_text(rank(), text_of(calls))
    return of_ranks([own, *_others(calls)])


def of_ranks(times: Sequence[RankTimes]) -> dict[tuple[int, str, int], Meeting]:
    """Return the calls whose participants are all among some ranks."""
    return meetings(times, offsets(times))


def _others(calls: Sequence[RankCall]) -> list[RankTimes]:
    """Return what the other participants have shown; wait a little until they have."""
    wanted = {each: call.key for call in calls for each in call.ranks if each != rank()}
    found: dict[int, RankTimes] = {}
    until = time.monotonic() + _PATIENCE_SECONDS
    while wanted and ports.read_of_rank is not None:
        for other, last in list(wanted.items()):
            text = ports.read_of_rank(_NAME, other)
            if text is not None:
                found[other] = of_text(other, text)
                if any(each.key == last for each in found[other].calls):
                    del wanted[other]
        if not wanted or time.monotonic() >= until:
            break
        time.sleep(0.02)
    return list(found.values())


def rows(
    calls: Sequence[RankCall], stopped: dict[tuple[str, Frame], int],
    met: dict[tuple[int, str, int], Meeting],
) -> list[CallRow]:  # fmt: skip
    """Return a row per name and line of calls, the longest first.

    Args:
        calls: the calls of this rank.
        stopped: how long the program has stopped for those of each name and line.
        met: see ``known``.
    """
    groups: dict[tuple[str, Frame], list[RankCall]] = {}
    for each in calls:
        groups.setdefault((each.name, each.frame), []).append(each)
    found = [
        _row(name, frame, each, stopped.get((name, frame), 0), met)
        for (name, frame), each in groups.items()
    ]
    return sorted(found, key=lambda row: -row.total_ns)


def _row(
    name: str, frame: Frame, calls: Sequence[RankCall], stopped_ns: int,
    met: dict[tuple[int, str, int], Meeting],
) -> CallRow:  # fmt: skip
    total = sum([each.ended_ns - each.began_ns for each in calls])
    waited: int | None = None
    bandwidth: float | None = None
    if all(each.key in met for each in calls):
        waited = sum([met[each.key].waited_ns(rank()) for each in calls])
        bandwidth = median_bandwidth(
            [(each.nbytes, met[each.key].transferred_ns(rank())) for each in calls]
        )
    return CallRow(
        name, frame, len(calls), sum([each.nbytes for each in calls]), total,
        waited, None if waited is None else total - waited, stopped_ns,
        bandwidth,
    )  # fmt: skip
