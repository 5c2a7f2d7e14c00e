"""RanksReport: the profiles of all ranks side by side, and the rank that the others wait for."""

from __future__ import annotations

import datetime
import functools
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jaxeager.debug.common.first_rows import first_lines
from jaxeager.debug.stacks.lines import fitted
from jaxeager.debug.time.ranks import stages, straggler
from jaxeager.debug.time.ranks.calls import RankCall, median_bandwidth
from jaxeager.debug.time.ranks.clocks import Offset, offsets
from jaxeager.debug.time.ranks.meetings import Meeting, Spans, length, meetings
from jaxeager.debug.time.ranks.record import RankRecord, SourceLine, place_of_call
from jaxeager.errors import InvalidArgumentError

_MOST_LINES = 10
_LEAST_DIFFERENCE_NS = 500_000  # smaller differences between ranks at a line are not shown
_LEAST_CAUSE = 0.2  # of the waiting for a rank; a line with less does not explain it
_WIDTH = 44


class RankRow(NamedTuple):
    """Where the time of one rank went, in nanoseconds.

    Attributes:
        rank: its number.
        total_ns: the duration of the profile: the sum of the others.
        python_ns: the host's time of ops and nodes.
        device_ns: the time waited for their results.
        compile_ns: the time of making kernels.
        waited_ns: the time the program stopped until the other ranks had joined a call.
        transferred_ns: the rest of the time it stopped for calls between ranks.
        outside_ns: the rest.
    """

    rank: int
    total_ns: int
    python_ns: int
    device_ns: int
    compile_ns: int
    waited_ns: int
    transferred_ns: int
    outside_ns: int


class SharedRow(NamedTuple):
    """The calls between ranks of one name at one line, over all ranks.

    Attributes:
        name: "all_reduce", "send", "barrier", ...
        place: the line.
        calls: how often a rank has called it.
        bytes: the bytes of the tensors that a rank has passed in all calls; the mean over ranks.
        waited_ns: by rank, the time until the last rank had joined, over all calls.
        transferred_ns: the rest of the calls' time, the mean over ranks.
        bandwidth: the effective bandwidth in GB/s, as that of ``CallRow``; None without a call.
    """

    name: str
    place: SourceLine
    calls: int
    bytes: float
    waited_ns: dict[int, int]
    transferred_ns: float
    bandwidth: float | None


class RanksReport:
    """The profiles of all ranks of a program, side by side. Its text is a table.

    Args:
        records: what each rank has written.
        problems: by rank, why there is no record of it.

    Attributes:
        records: by rank.
        clocks: by rank, the offset of its clock: Note [Clocks of ranks].
        meetings: the calls whose participants are all known.
        steps: the numbers of the steps that are compared: Note [Stragglers].
        step_ns: the mean duration of these steps.
    """

    def __init__(self, records: Sequence[RankRecord], problems: Mapping[int, str] | None = None):
        if not records:
            raise InvalidArgumentError("There should be the record of at least one rank.")
        _refuse_several_runs(records)
        self.records = {each.rank: each for each in sorted(records, key=lambda each: each.rank)}
        self.problems = dict(problems or {})
        for rank in range(records[0].count):
            if rank not in self.records:
                self.problems.setdefault(rank, "it has written no record")
        times = [each.times for each in self._ordered]
        self.clocks: dict[int, Offset] = offsets(times)
        self.meetings: list[Meeting] = list(meetings(times, self.clocks).values())
        self.steps = straggler.steady_steps(self._ordered)
        self.step_ns = straggler.step_ns(self._ordered, self.steps)

    @property
    def _ordered(self) -> list[RankRecord]:
        return list(self.records.values())

    # ---- numbers

    def rows(self) -> list[RankRow]:
        """Return where the time of each rank went.

        Waiting for a rank that has written no record cannot be told from transferring; all of it
        counts as waiting.
        """
        return [self._row(each) for each in self._ordered]

    def _row(self, record: RankRecord) -> RankRow:
        shift = self.clocks[record.rank].ns
        stopped = Spans(record.stopped)
        known = Spans(
            [(call.began_ns, call.ended_ns) for call in self._calls_of(record.rank)]
        ).common(record.began_ns - shift, record.ended_ns - shift)
        waiting = Spans(
            [
                (meeting.calls[record.rank].began_ns, meeting.complete_ns)
                for meeting in self.meetings
                if record.rank in meeting.calls
            ]
        )
        moved = [(begin + shift, end + shift) for begin, end in known]
        in_calls = sum([length(stopped.common(*each)) for each in moved])
        waited = sum(
            [
                length(stopped.common(begin + shift, end + shift))
                for span in known
                for begin, end in waiting.common(*span)
            ]
        )
        unknown = stopped.total() - in_calls
        return RankRow(
            record.rank, record.total_ns, record.python_ns, record.device_ns, record.compile_ns,
            waited + unknown, in_calls - waited, record.outside_ns,
        )  # fmt: skip

    def _calls_of(self, rank: int) -> list[RankCall]:
        return [each.calls[rank] for each in self.meetings if rank in each.calls]

    def calls(self) -> list[SharedRow]:
        """Return the calls between ranks by name and line, the longest first."""
        groups: dict[tuple[str, SourceLine], list[Meeting]] = {}
        for each in self.meetings:
            call = each.calls[min(each.calls)]
            place = place_of_call(call)
            groups.setdefault((call.name, place), []).append(each)
        rows = [_shared_row(*key, each) for key, each in groups.items()]
        return sorted(rows, key=lambda row: -(sum(row.waited_ns.values()) + row.transferred_ns))

    def waited_for(self) -> dict[int, float]:
        """Return, by rank, how many nanoseconds of a step the others wait for it."""
        return straggler.waits_for(self._ordered, self.meetings, self.clocks, self.steps)

    @functools.cached_property
    def lines(self) -> list[straggler.Excess]:
        """Return the lines and their times in a step, the largest difference first."""
        return straggler.differences(self._ordered, self.steps)

    @functools.cached_property
    def straggler(self) -> straggler.Straggler | None:
        """Return the rank that the others wait for; None if they wait for none in particular."""
        if self.problems:
            return None
        return straggler.straggler_of(self.waited_for(), self.lines, self.step_ns)

    @functools.cached_property
    def stages(self) -> list[stages.StageRow]:
        """Return what each stage of a pipeline does; empty without a pipeline."""
        return stages.stage_rows(self._ordered, self.clocks, self.steps)

    # ---- text

    def headline(self) -> str:
        """Return what the report says in one or two sentences."""
        if self.problems:
            parts = [f"rank {rank}: {why}" for rank, why in sorted(self.problems.items())]
            return f"Not all ranks have ended well: {'; '.join(parts)}."
        if not self.steps or len(self.records) < 2:
            return "There are no steps to compare."
        found = self.straggler
        if found is None:
            waits = self.waited_for()
            most = max(waits, key=lambda rank: waits[rank])
            return (
                f"No rank is a straggler: the others wait at most {_ms(waits[most])} ms a step "
                f"for one (rank {most}); a step takes {_ms(self.step_ns)} ms."
            )
        text = (
            f"rank {found.rank} is the straggler: the others wait {_ms(found.waited_ns)} ms a "
            "step for it"
        )
        if not found.lines or found.lines[0].more_ns < _LEAST_CAUSE * found.waited_ns:
            return f"{text}; no line of it takes so much longer than on the others."
        line = found.lines[0]
        return (
            f"{text}; it spends {_ms(line.more_ns)} ms a step more than they do at "
            f"{place_text(line.place)}  {line.place.text}"
        ).rstrip()

    def compared(self) -> str:
        """Return which steps are compared, and how exact the clocks are."""
        parts = []
        count = min([len(each.step_ends) for each in self._ordered])
        if self.steps:
            ends = place_text(self._ordered[0].step_place)
            text = f"{len(self.steps)} of {count} steps compared; a step ends at {ends}"
            left_out = "; the first, those that made kernels, and the next ones are left out"
            parts.append(text + (left_out if len(self.steps) < count else ""))
        errors = [each.error_ns for each in self.clocks.values()]
        worst = max([each for each in errors if each is not None], default=0)
        if None in errors:
            parts.append("clocks of machines compared by their dates, with an unknown error")
        elif worst:
            parts.append(f"clocks of machines compared with an error of up to {_ms(worst)} ms")
        return ". ".join(parts)

    def table(self) -> str:
        """Return a line per rank; times are milliseconds."""
        heads = "total python device kernels waiting transfer outside".split()
        lines = ["rank  steps" + "".join([f"{head:>10}" for head in heads])]
        for row, record in zip(self.rows(), self._ordered, strict=True):
            numbers = "".join([f"{each / 1e6:10.1f}" for each in row[1:]])
            lines.append(f"{row.rank:4}{len(record.step_ends):7}{numbers}")
        return "\n".join(lines)

    def calls_text(self, most: int = _MOST_LINES) -> str:
        """Return a line per call between ranks; times are of all calls."""
        rows = self.calls()
        if not rows:
            return "No call between ranks was made by all of its ranks."
        width = max([len(row.name) for row in rows[:most]])
        head = (
            f"{'calls':>7}{'MB':>9}{'wait ms':>10}{'longest (rank)':>18}{'transfer ms':>13}"
            f"{'GB/s':>8}  {'what':{width}}  line"
        )

        def line(row: SharedRow) -> str:
            longest = max(row.waited_ns, key=lambda rank: row.waited_ns[rank])
            mean = statistics.fmean(row.waited_ns.values())
            shown = f"{_ms(row.waited_ns[longest])} ({longest})"
            rate = "-" if row.bandwidth is None else f"{row.bandwidth:.2f}"
            return (
                f"{row.calls:7}{row.bytes / 1e6:9.2f}{_ms(mean):>10}{shown:>18}"
                f"{_ms(row.transferred_ns):>13}{rate:>8}  {row.name:{width}}  "
                f"{place_text(row.place)}  {row.place.text}".rstrip()
            )

        return "\n".join([head, *first_lines(rows, most, line)])

    def shown_lines(self, most: int = _MOST_LINES) -> list[straggler.Excess]:
        """Return the lines whose times differ enough between ranks to be shown."""
        return [each for each in self.lines if each.more_ns >= _LEAST_DIFFERENCE_NS][:most]

    def lines_text(self) -> str:
        """Return the milliseconds of a step of each rank at the lines where ranks differ."""
        found = self.shown_lines()
        if len(self.records) < 2:
            return ""
        if not found:
            return "The ranks spend the same time at each line."
        if len(self.records) > 8:
            head = f"{'median':>10}{'longest':>10}  rank"
        else:
            head = "".join([f"{f'rank {rank}':>10}" for rank in self.records])
        lines = [f"{head}  line (ms a step, without waits for other ranks)"]
        for each in found:
            if len(self.records) > 8:
                usual = _ms(each.ns[each.rank] - each.more_ns)
                numbers = f"{usual:>10}{_ms(each.ns[each.rank]):>10}{each.rank:6}"
            else:
                numbers = "".join([f"{_ms(each.ns[rank]):>10}" for rank in self.records])
            lines.append(f"{numbers}  {place_text(each.place)}  {each.place.text}".rstrip())
        return "\n".join(lines)

    def __str__(self) -> str:
        parts = [
            self.headline(), self.table(), stages.table(self.stages), self.lines_text(),
            self.calls_text(),
        ]  # fmt: skip
        ended = [
            f"rank {each.rank} ended with {each.error}" for each in self._ordered if each.error
        ]
        parts += ["\n".join(ended)] if ended else []
        return "\n\n".join([each for each in [*parts, self.compared()] if each])


def _refuse_several_runs(records: Sequence[RankRecord]) -> None:
    """Raise InvalidArgumentError for records that were not written by the ranks of one run."""
    counts = sorted({each.count for each in records})
    if len(counts) > 1:
        raise InvalidArgumentError(
            f"The records are of programs of {' and '.join(map(str, counts))} ranks, so of "
            "several runs. Use a new folder for each run."
        )
    runs: dict[str, list[RankRecord]] = {}
    for each in records:
        if each.run:  # an older file has no name of its run
            runs.setdefault(each.run, []).append(each)
    if len(runs) > 1:
        raise InvalidArgumentError(
            f"The records are of {len(runs)} runs: {'; '.join(map(_run_text, runs.values()))}. "
            "Use a new folder for each run, or remove the files rank.N.json of the others."
        )


def _run_text(records: Sequence[RankRecord]) -> str:
    """Return when the first rank of a run has begun, and which ranks have records."""
    first_ns = min([each.date_ns + each.began_ns for each in records])
    began = datetime.datetime.fromtimestamp(first_ns // 10**9)
    ranks = ", ".join(map(str, sorted([each.rank for each in records])))
    return f"one began at {began}, with rank{'s' * (len(records) > 1)} {ranks}"


def _shared_row(name: str, place: SourceLine, met: Sequence[Meeting]) -> SharedRow:
    waited: dict[int, int] = {}
    counts: dict[int, int] = {}
    passed: list[tuple[float, int]] = []
    for each in met:
        for rank, call in each.calls.items():
            waited[rank] = waited.get(rank, 0) + each.waited_ns(rank)
            counts[rank] = counts.get(rank, 0) + 1
            passed.append((call.nbytes, each.transferred_ns(rank)))
    return SharedRow(
        name, place, max(counts.values()), sum([nbytes for nbytes, _ in passed]) / len(waited),
        waited, sum([took for _, took in passed]) / len(waited), median_bandwidth(passed),
    )  # fmt: skip


def _ms(ns: float) -> str:
    return f"{ns / 1e6:.1f}"


def place_text(place: SourceLine) -> str:
    """Return a line as text that fits into a column; "" for an unknown one."""
    return fitted(place.file, place.line, _WIDTH) if place.file else ""
