"""The report of all ranks: rows, the straggler, the text, the page and the trace."""

import datetime
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.debug.time.ranks import record as rank_records
from jaxeager.debug.time.ranks.compare import compare_ranks
from jaxeager.debug.time.ranks.files import trace_of
from jaxeager.debug.time.ranks.folder import record_path, records_in
from jaxeager.debug.time.ranks.page import bars, page_of, timeline
from jaxeager.debug.time.ranks.report import RanksReport
from tests.debug.time.ranks.given import FAST, MS, SLOW, record

SLEEPS = [100.0] * 6
QUICK = [2.0] * 6


@pytest.fixture
def report():
    return RanksReport([record(0, 3, QUICK), record(1, 3, SLEEPS), record(2, 3, QUICK)])


def test_the_straggler_has_its_line(report):
    found = report.straggler
    assert found.rank == 1
    assert found.waited_ns == pytest.approx(98 * MS)
    assert (found.lines[0].place, found.lines[0].more_ns) == (SLOW, 95 * MS)
    assert report.headline() == (
        "rank 1 is the straggler: the others wait 98.0 ms a step for it; it spends 95.0 ms a step "
        "more than they do at train.py:18  time.sleep(0.1)"
    )


def test_rows_add_up(report):
    for row in report.rows():
        assert sum(row[2:]) == row.total_ns
    first, slow, _ = report.rows()
    assert (first.waited_ns, first.transferred_ns) == (6 * 98 * MS, 6 * 2 * MS)
    assert (slow.waited_ns, slow.transferred_ns) == (0, 6 * 2 * MS)


def test_calls_have_waits_and_bandwidth(report):
    (row,) = report.calls()
    assert (row.name, row.calls, row.bytes) == ("all_reduce", 6, 24 * MS)
    assert row.waited_ns == {0: 6 * 98 * MS, 1: 0, 2: 6 * 98 * MS}
    assert row.bandwidth == pytest.approx(2.0)  # 4 MB in 2 ms


def test_equal_ranks_have_no_straggler():
    for joins in ([QUICK, QUICK], [[2.0, 50.0] * 3 + [2.0], [50.0, 2.0] * 3 + [50.0]]):
        report = RanksReport([record(rank, 2, each) for rank, each in enumerate(joins)])
        assert report.straggler is None
        assert "No rank is a straggler" in report.headline()


def test_waits_that_overlap_with_computing_do_not_count():
    quick = record(0, 2, QUICK)
    late = [(end - 4 * MS, end) for _, end in quick.stopped]  # it computes until then
    report = RanksReport([quick._replace(stopped=late), record(1, 2, SLEEPS)])
    assert report.waited_for()[1] == pytest.approx(2 * MS)
    assert report.straggler is None


def test_a_straggler_without_a_slow_line_is_not_explained():
    slow = record(1, 2, SLEEPS)
    same = record(0, 2, QUICK).lines
    report = RanksReport([record(0, 2, QUICK), slow._replace(lines=same)])
    assert report.headline().endswith("no line of it takes so much longer than on the others.")


def test_steps_that_make_kernels_and_the_next_are_left_out():
    made = [True, False, False, True, False, False]
    pair = record(0, 2, QUICK), record(1, 2, SLEEPS, made_kernels=made)
    assert RanksReport(pair).steps == [2, 5]
    always = record(1, 2, SLEEPS, made_kernels=[True] * 6)
    assert RanksReport([pair[0], always]).steps == [1, 2, 3, 4, 5]


def test_another_machines_clock_is_aligned_and_its_error_stated():
    ahead = 5_000_000_000
    slow = record(1, 2, [*SLEEPS[1:], 0.0])
    calls = [
        e._replace(began_ns=e.began_ns + ahead, ended_ns=e.ended_ns + ahead) for e in slow.calls
    ]
    moved = slow._replace(
        machine="B", calls=calls, began_ns=ahead, ended_ns=slow.ended_ns + ahead,
        step_ends=[each + ahead for each in slow.step_ends],
        stopped=[(begin + ahead, end + ahead) for begin, end in slow.stopped],
    )  # fmt: skip
    quick = record(0, 2, [*QUICK[1:], 100.0])
    report = RanksReport([quick, moved])
    assert abs(report.clocks[1].ns - ahead) <= report.clocks[1].error_ns <= 2 * MS
    assert report.straggler.rank == 1
    assert "clocks of machines compared with an error of up to 2.0 ms" in str(report)


def test_files(tmp_path, report):
    for each in report.records.values():
        rank_records.save(each, tmp_path)
    found = paddle.debug.compare_ranks(tmp_path)
    assert found.records[1].lines == report.records[1].lines
    assert found.records[1].calls == report.records[1].calls
    assert str(found) == str(report) == (tmp_path / "ranks.txt").read_text()[:-1]
    assert {path.name for path in tmp_path.iterdir()} >= {"ranks.html", "trace.json"}


def test_a_rank_without_a_record_is_named(tmp_path):
    rank_records.save(record(0, 3, QUICK, error="SIGTERM"), tmp_path)
    (tmp_path / "rank.1.json").write_text('{"format": "another"}')
    text = str(compare_ranks(tmp_path, {2: "it was killed by SIGKILL"}))
    assert "rank 1: its record cannot be read" in text
    assert "rank 2: it was killed by SIGKILL" in text
    assert "rank 0 ended with SIGTERM" in text
    (row,) = compare_ranks(tmp_path).rows()
    assert row.waited_ns == 6 * 100 * MS  # of unknown ranks: all of it is waiting
    with pytest.raises(errors.InvalidArgumentError, match=r"should have files rank\.N\.json"):
        compare_ranks(tmp_path / "missing")


@pytest.mark.parametrize("folder", [None, 3, b"report"])
def test_a_folder_that_is_no_path_is_refused(folder):
    expected = f"compare_ranks takes the path of a folder, but received {folder!r}. Pass the folder"
    with pytest.raises(errors.InvalidTypeError, match=re.escape(expected)):
        compare_ranks(folder)


def test_save_rank_refuses_what_is_no_path():
    with paddle.debug.profile() as seen:
        pass
    with pytest.raises(errors.InvalidTypeError, match=r"save_rank takes .* received None"):
        seen.save_rank(None)


def test_records_of_several_runs_are_refused(tmp_path):
    for rank, run, began in ((0, "b", 7_200), (1, "a", 3_600), (2, "b", 7_201)):
        given = record(rank, 3, QUICK, run=run, date_ns=began * 10**9)
        rank_records.save(given, tmp_path)
    with pytest.raises(errors.InvalidArgumentError) as caught:
        compare_ranks(tmp_path)
    times = [datetime.datetime.fromtimestamp(seconds) for seconds in (7_200, 3_600)]
    assert caught.value.message == (
        f"The records are of 2 runs: one began at {times[0]}, with ranks 0, 2; one began at "
        f"{times[1]}, with rank 1. Use a new folder for each run, or remove the files rank.N.json "
        "of the others."
    )
    assert not (tmp_path / "ranks.txt").exists()


def test_records_of_one_run_and_those_without_a_name_are_compared(tmp_path):
    for rank, run in enumerate(("a", "a", "")):
        rank_records.save(record(rank, 3, QUICK, run=run), tmp_path)
    path = tmp_path / "rank.2.json"
    data = json.loads(path.read_text())
    del data["run"]  # a file of an earlier version has none
    path.write_text(json.dumps(data))
    assert [each.run for each in compare_ranks(tmp_path).records.values()] == ["a", "a", ""]


@pytest.mark.parametrize(
    ("field", "value"),
    [("run", ["a"]), ("ended_ns", None), ("error", 3), ("machine", []), ("step_ends", ["x"])],
)
def test_a_field_of_another_type_makes_one_record_unreadable(tmp_path, field, value):
    """The others are compared."""
    rank_records.save(record(0, 2, QUICK), tmp_path)
    path = rank_records.save(record(1, 2, QUICK), tmp_path)
    data = json.loads(Path(path).read_text())
    Path(path).write_text(json.dumps(data | {field: value}))
    found = compare_ranks(tmp_path)
    assert list(found.records) == [0]
    assert "rank 1: its record cannot be read" in str(found)
    assert f"TypeError: its {field} " in str(found)


def test_a_folder_of_broken_records_says_how_they_are_broken(tmp_path):
    (tmp_path / "rank.0.json").write_text("{")
    (tmp_path / "rank.1.json").write_text("[" * 100_000)
    with pytest.raises(errors.InvalidArgumentError, match=r"Rank 0: .*JSONDecodeError") as raised:
        compare_ranks(tmp_path)
    assert "Rank 1: " in str(raised.value)


def test_a_record_under_the_name_of_another_rank_is_reported(tmp_path):
    path = Path(rank_records.save(record(0, 2, QUICK), tmp_path))
    (tmp_path / "rank.7.json").write_text(path.read_text())
    found = compare_ranks(tmp_path)
    assert list(found.records) == [0]
    assert "its file rank.7.json is the record of rank 0" in str(found)


def test_records_are_found_by_their_names(tmp_path):
    for name in ("rank.10.json", "rank.2.json", "rank.02.json", "rank.x.json", "rank.1.json.part"):
        (tmp_path / name).write_text("")
    assert records_in(tmp_path) == {rank: record_path(tmp_path, rank) for rank in (2, 10)}
    assert records_in(tmp_path / "missing") == {}


class Balanced(HTMLParser):
    """Checks that each element is closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)
        assert not any(value and "://" in value for _, value in attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_valid_and_needs_no_network(report):
    text = FAST._replace(text="<b>&\"'")
    slow = report.records[1]._replace(lines=[{text: MS}] * 7)
    page = page_of(RanksReport([report.records[0], slow]))
    parser = Balanced()
    parser.feed(page_of(report))
    assert parser.open == []
    assert "time.sleep(0.1)" in page_of(report)
    assert "<b>" not in page
    for picture in (bars(report), timeline(report)[0]):
        root = ElementTree.fromstring(picture)
        assert [each.text for each in root.iter("text")] == ["rank 0", "rank 1", "rank 2"]
        kinds = {each.get("class") for each in root.iter("rect")}
        assert {"waited", "transferred", "outside"} <= kinds


def test_the_trace_has_a_process_per_rank(report):
    entries = json.loads(json.dumps(trace_of(report)))["traceEvents"]
    named = {e["pid"]: e["args"]["name"] for e in entries if e["name"] == "process_name"}
    assert named == {0: "rank 0", 1: "rank 1", 2: "rank 2"}
    ops = [each for each in entries if each.get("cat") == "op"]
    assert [(each["pid"], each["ts"], each["dur"]) for each in ops] == [
        (0, 1000.0, 2000.0), (1, 1000.0, 2000.0), (2, 1000.0, 2000.0),
    ]  # fmt: skip
    waits = [each for each in entries if each["name"] == "waits for rank 1"]
    assert len(waits) == 12
    assert {each["pid"] for each in waits} == {0, 2}
