"""The files of the report of ranks: ranks.txt, ranks.html, and trace.json for Perfetto."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from jaxeager.debug.time.ranks.meetings import Meeting
from jaxeager.debug.time.ranks.page import page_of
from jaxeager.debug.time.ranks.record import RankRecord, SourceLine, place_of_call
from jaxeager.debug.time.ranks.report import RanksReport

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from jaxeager.debug.time.types import TraceJson

_PROGRAM, _STAGE, _FIRST_LANE = 1, 2, 3  # the rows of a process in the trace


def write(report: RanksReport, folder: str | os.PathLike) -> None:
    """Write ``ranks.txt``, ``ranks.html`` and ``trace.json`` into a folder."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / "ranks.txt").write_text(f"{report}\n", encoding="utf-8")
    page = page_of(report)
    (target / "ranks.html").write_text(page, encoding="utf-8", errors="backslashreplace")
    (target / "trace.json").write_text(json.dumps(trace_of(report)), encoding="utf-8")


def trace_of(report: RanksReport) -> dict[str, object]:
    """Return the time of all ranks in the format of Chrome's traces, for ui.perfetto.dev.

    Each rank is a process. Its first row has the ops, nodes and waits of the program's thread, the
    others the calls between ranks, each divided into waiting and transferring. Times are those of
    the first rank's clock.
    """
    clocks = report.clocks
    first_ns = min([each.began_ns - clocks[each.rank].ns for each in report.records.values()])
    entries: list[dict[str, object]] = []
    for record in report.records.values():
        entries += _names(record)
        entries += _program(record, first_ns + clocks[record.rank].ns)
    lanes: dict[int, dict[str, int]] = {rank: {} for rank in report.records}
    for meeting in report.meetings:
        entries += _calls(meeting, lanes, first_ns)
    for rank, rows in lanes.items():
        for lane, row in rows.items():
            named = {"name": f"calls between ranks, {lane}"}
            entries.append(_about(rank, row, "thread_name", named))
    return {"displayTimeUnit": "ms", "traceEvents": entries}


def _about(rank: int, row: int, what: str, arguments: Mapping[str, object]) -> dict[str, object]:
    return {"ph": "M", "pid": rank, "tid": row, "name": what, "args": arguments}


def _names(record: RankRecord) -> list[dict[str, object]]:
    rank = record.rank
    return [
        _about(rank, _PROGRAM, "process_name", {"name": f"rank {rank}"}),
        _about(rank, _PROGRAM, "process_sort_index", {"sort_index": rank}),
        _about(rank, _PROGRAM, "thread_name", {"name": "program"}),
    ]


def _slice(
    rank: int, row: int, name: str, kind: str, begin_ns: int, end_ns: int, place: SourceLine
) -> TraceJson:
    return {
        "ph": "X", "pid": rank, "tid": row, "name": name, "cat": kind,
        "ts": begin_ns / 1e3, "dur": (end_ns - begin_ns) / 1e3,
        "args": {"line": f"{place.file}:{place.line}  {place.text}"} if place.file else {},
    }  # fmt: skip


def _program(record: RankRecord, first_ns: int) -> Iterable[TraceJson]:
    """Yield the slices of the program's thread of a rank."""
    for each in record.slices:
        times = each.begin_ns - first_ns, each.end_ns - first_ns
        yield _slice(record.rank, _PROGRAM, each.name, each.kind, *times, each.place)
    begin = record.began_ns
    for number, end in enumerate(record.step_ends):
        yield _slice(
            record.rank, 0, f"step {number}", "step", begin - first_ns, end - first_ns,
            record.step_place,
        )  # fmt: skip
        begin = end
    yield _about(record.rank, 0, "thread_name", {"name": "steps"})
    yield from _parts(record, first_ns)


def _parts(record: RankRecord, first_ns: int) -> Iterable[TraceJson]:
    """Yield the parts of batches that its stage of a pipeline has computed, in their own row."""
    for each in record.parts:
        times = each.began_ns - first_ns, each.ended_ns - first_ns
        named = f"{each.kind} of batch {each.batch}"
        made = _slice(record.rank, _STAGE, named, "part", *times, SourceLine("", 0, ""))
        made["args"] = {"bytes held": each.held_bytes}
        yield made
    if record.parts:
        name = {"name": f"stage {record.parts[0].stage}"}
        yield _about(record.rank, _STAGE, "thread_name", name)


def _calls(
    meeting: Meeting, lanes: dict[int, dict[str, int]], first_ns: int
) -> Iterable[TraceJson]:
    """Yield the slices of one call, on all of its ranks."""
    for rank, call in meeting.calls.items():
        lane = f"group {call.group}, {call.lane}"
        row = lanes[rank].setdefault(lane, len(lanes[rank]) + _FIRST_LANE)
        place = place_of_call(call)
        begin, end = call.began_ns - first_ns, call.ended_ns - first_ns
        complete = begin + meeting.waited_ns(rank)
        made = _slice(rank, row, call.name, "call between ranks", begin, end, place)
        made["args"] |= {"bytes": call.nbytes, "last rank": meeting.last}
        yield made
        if complete > begin:
            what = f"waits for rank {meeting.last}"
            yield _slice(rank, row, what, "waiting", begin, complete, place)
        if end > complete:
            yield _slice(rank, row, "transfers", "transferring", complete, end, place)
