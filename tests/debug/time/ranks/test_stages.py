"""Stages of a pipeline in the report of ranks: their times, idle shares and bytes."""

import pytest

from jaxeager.debug.time.ranks import record as rank_records
from jaxeager.debug.time.ranks.compare import compare_ranks
from jaxeager.debug.time.ranks.files import trace_of
from jaxeager.debug.time.ranks.page import page_of
from jaxeager.debug.time.ranks.parts import PartRun
from jaxeager.debug.time.ranks.report import RanksReport
from jaxeager.debug.time.ranks.stages import heaviest, least_idle, sentence, stage_rows
from tests.debug.time.ranks.given import MS, record

QUICK = [2.0] * 6

MB = 1_000_000


def parts(stage, stages, forward, backward, held=10, late=0):
    """Return the two parts of the batch of each step; times are milliseconds after its begin."""
    found = []
    for batch in range(6):
        begin = 110 * batch + late
        for kind, took in (("forward", forward), ("backward", backward)) * 2:
            times = int(begin * MS), int((begin + took) * MS)
            found.append(PartRun(kind, stage, stages, batch, *times, held * MB))
            begin += took
    return found


def rank(number, count=2, joins=QUICK, **given):
    """Return the record of a rank that stops for others only at the end of a step."""
    return record(number, count, joins, stopped=[], **given)


@pytest.fixture
def report():
    first = rank(0, parts=parts(0, 2, 2, 3, held=40))
    return RanksReport([first, rank(1, parts=parts(1, 2, 8, 16, late=2))])


def test_each_stage_has_its_times_idle_share_and_bytes(report):
    first, second = report.stages
    assert (first.stage, first.rank, first.parts) == (0, 0, 2)
    assert (first.forward_ns, first.backward_ns) == (4 * MS, 6 * MS)
    assert (second.forward_ns, second.backward_ns) == (16 * MS, 32 * MS)
    assert first.idle == pytest.approx(1 - 10 / 50)  # a batch takes from 0 to 2 + 48 ms
    assert second.idle == pytest.approx(1 - 48 / 50)
    assert (first.peak_bytes, second.peak_bytes) == (40 * MB, 10 * MB)


def test_the_heaviest_stage_is_named_with_how_much(report):
    text = str(report)
    assert (
        "stage 1 (rank 1) is the heaviest: it computes 48.0 ms a step, 4.8 times as long as the "
        "others (10.0 ms); stage 0 (rank 0) holds most: 40.0 MB, 4.0 times as much as the others"
    ) in text
    assert "    0            0          4.0          6.0           80         40.0" in text
    assert "2 equal stages would be idle for 33 % of a batch of 2 parts" in text
    page = page_of(report)
    assert "Stage 1 (rank 1) is the heaviest" in page
    assert "<h2>Stages of the pipeline</h2>" in page


def test_equal_stages_have_no_heaviest_one():
    rows = RanksReport([rank(i, parts=parts(i, 2, 2, 3)) for i in range(2)]).stages
    assert sentence(rows) == (
        "No stage is clearly heavier than the others: at most 10.0 ms a step; all hold about "
        "10.0 MB"
    )


def test_the_ranks_of_a_stage_are_averaged():
    given = [
        rank(i, 4, QUICK, parts=parts(stage, 2, forward, 3))
        for i, (stage, forward) in enumerate([(0, 2), (1, 8), (0, 4), (1, 12)])
    ]
    rows = RanksReport(given).stages
    assert [row.rank for row in rows] == [0, 2, 1, 3]
    found = heaviest(rows, "busy_ns")
    assert (found.stage, found.ranks, found.most, found.others) == (1, [1, 3], 26 * MS, 12 * MS)


def test_time_stopped_for_other_ranks_is_not_computing():
    stopped = [(110 * step * MS, (110 * step + 1) * MS) for step in range(6)]
    waits = record(0, 2, QUICK, parts=parts(0, 2, 2, 3))._replace(stopped=stopped)
    (row, _) = RanksReport([waits, rank(1, parts=parts(1, 2, 2, 3))]).stages
    assert row.forward_ns == 3 * MS


def test_only_compared_steps_count():
    made = [True, False, False, True, False, False]
    slow_at_first = parts(0, 2, 2, 3)
    slow_at_first[0] = slow_at_first[0]._replace(began_ns=-500 * MS)
    given = [rank(0, parts=slow_at_first, made_kernels=made), rank(1, parts=parts(1, 2, 2, 3))]
    report = RanksReport(given)
    assert report.steps == [2, 5]
    assert report.stages[0].forward_ns == 4 * MS


def test_without_a_pipeline_nothing_is_said():
    report = RanksReport([rank(0), rank(1)])
    assert report.stages == []
    assert "stage" not in str(report)
    assert "Stages of the pipeline" not in page_of(report)
    assert stage_rows([rank(0)], report.clocks, []) == []


def test_parts_are_in_the_file_and_in_the_trace(tmp_path, report):
    for each in report.records.values():
        rank_records.save(each, tmp_path)
    found = compare_ranks(tmp_path)
    assert found.records[1].parts == report.records[1].parts
    drawn = [each for each in trace_of(report)["traceEvents"] if each.get("cat") == "part"]
    assert len(drawn) == 48
    assert drawn[0]["name"] == "forward of batch 0"
    assert drawn[0]["args"] == {"bytes held": 40 * MB}
    assert (drawn[0]["pid"], drawn[0]["ts"], drawn[0]["dur"]) == (0, 0, 2000)


@pytest.mark.parametrize(("stages", "of_batch", "least"), [(1, 4, 0), (2, 1, 0.5), (4, 12, 0.2)])
def test_the_idle_share_of_equal_stages(stages, of_batch, least):
    assert least_idle(stages, of_batch) == least
