"""StageRow: what each stage of a pipeline computes, holds and waits for; the heaviest stage.

Note [Stages]
    A stage is on a process, or on one process of each pipeline if there are several. Its time
    forward and backward is that of the parts of the batches in the steps that are compared (Note
    [Stragglers]), without the time for which the program stops for other ranks.

    A batch lasts from the moment when the first stage of it begins its first part to the moment
    when the last one ends its last. In this time a stage is idle when it computes no part: it waits
    for its neighbours, sends and receives. A part of that cannot be avoided, as the last stage has
    nothing to do before the first part reaches it (the bubble); the rest is imbalance.

    The bytes that a stage holds are those of all arrays of its process, parameters and states of
    the optimizer included, at the begin or end of a part, when they are most: with one forward, one
    backward (1F1B) an early stage holds the graphs of more parts than a late one.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jaxeager.debug.time.ranks.clocks import Offset
from jaxeager.debug.time.ranks.meetings import Spans, length
from jaxeager.debug.time.ranks.parts import PartRun
from jaxeager.debug.time.ranks.record import RankRecord
from jaxeager.debug.time.ranks.straggler import step_of

_CLEARLY = 1.1  # a stage with so many times the others' mean is heavier than they


class StageRow(NamedTuple):
    """What one rank does as a stage of a pipeline, per compared step; see Note [Stages].

    Attributes:
        stage: the number of its stage.
        rank: its number.
        forward_ns, backward_ns: the time of computing in a step.
        idle: the part of the time of its batches in which it computes nothing, from 0 to 1.
        peak_bytes: the most bytes that it has held, in all steps.
        parts: how many parts a batch has.
    """

    stage: int
    rank: int
    forward_ns: float
    backward_ns: float
    idle: float
    peak_bytes: int
    parts: int

    @property
    def busy_ns(self) -> float:
        """Return the time of computing in a step."""
        return self.forward_ns + self.backward_ns


class Heaviest(NamedTuple):
    """The stage that has most of something.

    Attributes:
        stage: its number.
        ranks: its ranks.
        most: the mean over its ranks.
        others: the mean over the other stages.
    """

    stage: int
    ranks: list[int]
    most: float
    others: float

    @property
    def ratio(self) -> float:
        """Return how many times as much it has as the others."""
        return self.most / self.others if self.others else float("inf")


def stage_rows(
    records: Sequence[RankRecord], clocks: Mapping[int, Offset], steps: Sequence[int]
) -> list[StageRow]:
    """Return a row per rank that is a stage of a pipeline, in the order of stages."""
    compared = {each.rank: _compared(each, steps) for each in records}
    windows = _windows(records, compared, clocks)
    rows = [
        _row(each, compared[each.rank], windows, clocks[each.rank].ns, len(steps))
        for each in records
        if each.parts
    ]
    return sorted(rows, key=lambda row: row[:2])


def _compared(record: RankRecord, steps: Sequence[int]) -> list[PartRun]:
    """Return the parts of the compared steps."""
    wanted = set(steps)
    return [each for each in record.parts if step_of(record.step_ends, each.ended_ns) in wanted]


def _windows(
    records: Sequence[RankRecord], parts: Mapping[int, Sequence[PartRun]],
    clocks: Mapping[int, Offset],
) -> dict[int, tuple[int, int]]:  # fmt: skip
    """Return when each batch has begun and ended on any rank, on the first rank's clock."""
    windows: dict[int, tuple[int, int]] = {}
    for record in records:
        for each in parts[record.rank]:
            here = each.moved(-clocks[record.rank].ns)
            begin, end = windows.get(each.batch, (here.began_ns, here.ended_ns))
            windows[each.batch] = min(begin, here.began_ns), max(end, here.ended_ns)
    return windows


def _row(
    record: RankRecord, parts: Sequence[PartRun], windows: Mapping[int, tuple[int, int]],
    shift: int, steps: int,
) -> StageRow:  # fmt: skip
    stopped = Spans(record.stopped)
    took = {"forward": 0.0, "backward": 0.0}
    for each in parts:
        waited = length(stopped.common(each.began_ns, each.ended_ns))
        took[each.kind] += each.ended_ns - each.began_ns - waited
    batches = {each.batch for each in parts}
    whole = sum([windows[each][1] - windows[each][0] for each in batches])
    count = max(steps, 1)
    return StageRow(
        record.parts[0].stage, record.rank, took["forward"] / count, took["backward"] / count,
        1 - sum(took.values()) / whole if whole else 0.0,
        max([each.held_bytes for each in record.parts]), _parts_of_batch(record),
    )  # fmt: skip


def _parts_of_batch(record: RankRecord) -> int:
    first = record.parts[0]
    same = [each for each in record.parts if each.batch == first.batch and each.kind == first.kind]
    return len(same)


def least_idle(stages: int, parts: int) -> float:
    """Return the part of a batch's time in which each of some equal stages is idle.

    Example:
        >>> least_idle(stages=2, parts=4)
        0.2
    """
    return (stages - 1) / (parts + stages - 1)


def heaviest(rows: Iterable[StageRow], field: str) -> Heaviest | None:
    """Return the stage with most of a field; None if there are fewer than two stages.

    Args:
        rows: see ``stage_rows``.
        field: "busy_ns" or "peak_bytes".
    """
    by_stage: dict[int, list[StageRow]] = {}
    for row in rows:
        by_stage.setdefault(row.stage, []).append(row)
    if len(by_stage) < 2:
        return None
    means = {
        stage: statistics.fmean([getattr(each, field) for each in of_stage])
        for stage, of_stage in by_stage.items()
    }
    stage = max(means, key=lambda each: means[each])
    others = statistics.fmean([mean for each, mean in means.items() if each != stage])
    return Heaviest(stage, [each.rank for each in by_stage[stage]], means[stage], others)


# ---- text


def sentence(rows: Sequence[StageRow]) -> str:
    """Return which stage of a pipeline is the heaviest, and by how much; "" without stages."""
    found = heaviest(rows, "busy_ns")
    memory = heaviest(rows, "peak_bytes")
    if found is None or memory is None:
        return ""
    if found.ratio < _CLEARLY:
        text = f"No stage is clearly heavier than the others: at most {_ms(found.most)} ms a step"
    else:
        text = (
            f"stage {found.stage} ({_ranks(found.ranks)}) is the heaviest: it computes "
            f"{_ms(found.most)} ms a step, {found.ratio:.1f} times as long as the others "
            f"({_ms(found.others)} ms)"
        )
    if memory.ratio < _CLEARLY:
        return f"{text}; all hold about {_mb(memory.most)} MB"
    return (
        f"{text}; stage {memory.stage} ({_ranks(memory.ranks)}) holds most: "
        f"{_mb(memory.most)} MB, {memory.ratio:.1f} times as much as the others"
    )


def unavoidable(rows: Sequence[StageRow]) -> str:
    """Return for how long equal stages would be idle; "" without stages."""
    count = len({row.stage for row in rows})
    if count < 2:
        return ""
    least = 100 * least_idle(count, rows[0].parts)
    return f"{count} equal stages would be idle for {least:.0f} % of a batch of {_parts(rows)}"


def _parts(rows: Sequence[StageRow]) -> str:
    return f"{rows[0].parts} part{'s' * (rows[0].parts != 1)}"


HEADS = ("stage", "rank", "forward ms", "backward ms", "idle %", "peak MB")


def cells(row: StageRow) -> tuple[str, ...]:
    """Return a row as texts, one for each of ``HEADS``.

    Example:
        >>> cells(StageRow(1, 3, 2e6, 4e6, 0.25, 5_000_000, parts=4))
        ('1', '3', '2.0', '4.0', '25', '5.0')
    """
    return (
        str(row.stage), str(row.rank), _ms(row.forward_ns), _ms(row.backward_ns),
        f"{100 * row.idle:.0f}", _mb(row.peak_bytes),
    )  # fmt: skip


def table(rows: Sequence[StageRow]) -> str:
    """Return a line per stage and rank, below the sentence; "" without stages."""
    if not rows:
        return ""
    lines = [HEADS, *map(cells, rows)]
    text = "\n".join(["".join([f"{each:>13}" for each in line])[8:] for line in lines])
    return "\n".join([each for each in (sentence(rows), text, unavoidable(rows)) if each])


def _ranks(ranks: Sequence[int]) -> str:
    return f"rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"


def _ms(ns: float) -> str:
    return f"{ns / 1e6:.1f}"


def _mb(nbytes: float) -> str:
    return f"{nbytes / 1e6:.1f}"
