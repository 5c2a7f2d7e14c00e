"""``launch --profile``: one report about all ranks, which names the slow one and its lines."""

import json
import re
from pathlib import Path

import pytest

from jaxeager.debug.time.ranks.compare import compare_ranks
from tests.distributed.test_ranks import PROGRAMS, log_of, run

PROGRAM = PROGRAMS / "stragglers.py"
LEAST_NS = {  # by the comment of a line, how much longer a step is at least on the slow rank
    "# a planted sleep": 3e8,
    "# a slow generator": 1e8,
    "# a slow disk": 1e8,
    "# a matrix of another size": 1e6,
}


def number_of(text):
    """Return the number of the line of the program that ends with a comment."""
    lines = PROGRAM.read_text().splitlines()
    return next(number for number, each in enumerate(lines, 1) if each.endswith(text))


def test_the_slow_rank_and_its_lines_are_named(tmp_path):
    folder = tmp_path / "report"
    reasons = "sleep,generator,dataset,matmul"
    done = run(tmp_path, "stragglers.py", reasons, launcher=("--profile", folder))
    assert done.returncode == 0, done.said
    assert "rank 1 is done" in log_of(tmp_path, 1)
    told = r"rank 1 is the straggler: the others wait .* at \S*stragglers\.py:(\d+)  \S.*# a "
    found = re.search(told, done.stdout)
    assert found, done.stdout  # which of its lines takes longest depends on the machine
    assert (folder / "ranks.txt").read_text().strip() in done.stdout
    assert "Distribution Summary" in done.stdout  # of the program's own profiler
    report = compare_ranks(folder)
    (run_name,) = {each.run for each in report.records.values()}
    assert len(run_name) == 16  # which tells their files from those of other runs
    lines = {each.place.line: each for each in report.lines}
    assert int(found.group(1)) in {number_of(text) for text in LEAST_NS}
    for text, least in LEAST_NS.items():
        found = lines[number_of(text)]
        assert Path(found.place.file) == PROGRAM
        assert found.rank == 1
        assert found.more_ns > least, (text, found)
    assert report.straggler.waited_ns > 5e8
    assert {"all_reduce", "broadcast", "barrier"} <= {row.name for row in report.calls()}
    waited = {row.rank: row.waited_ns for row in report.rows()}
    assert waited[0] > waited[1]
    check_trace(json.loads((folder / "trace.json").read_text())["traceEvents"])


@pytest.mark.deep
def test_the_heavy_stage_of_a_pipeline_is_named(tmp_path):
    folder = tmp_path / "report"
    done = run(tmp_path, "unequal_stages.py", launcher=("--profile", folder))
    assert done.returncode == 0, done.said
    told = r"stage 1 \(rank 1\) is the heaviest: it computes .* ms a step, (\d+\.\d) times as long"
    found = re.search(told, done.stdout)
    assert found, done.stdout
    assert float(found.group(1)) > 3
    assert "; stage 0 (rank 0) holds most: " in done.stdout
    assert "2 equal stages would be idle for 20 % of a batch of 4 parts" in done.stdout
    first, second = compare_ranks(folder).stages
    assert first.idle > 0.5 > second.idle >= 0
    assert min(first.forward_ns, first.backward_ns, second.forward_ns, second.backward_ns) > 0
    table = 200_000 * 64 * 4  # its gradient is as large
    assert 2 * table < first.peak_bytes < 3 * table


def check_trace(events):
    """Check that the slices of both ranks are on one clock."""
    assert {each["pid"] for each in events} == {0, 1}
    calls = [each for each in events if each.get("cat") == "call between ranks"]
    ends = {rank: [each for each in calls if each["pid"] == rank] for rank in (0, 1)}
    assert len(ends[0]) == len(ends[1]) > 10
    slices = [each for each in events if each["ph"] == "X"]
    assert {"op", "node", "wait", "step"} <= {each["cat"] for each in slices}
    assert all(each["ts"] >= 0 and each["dur"] >= 0 for each in slices)


@pytest.mark.deep
def test_a_rank_that_dies_is_named_in_the_report_of_the_others(tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "rank.1.json").write_text("of an earlier run")
    done = run(tmp_path, "stragglers.py", "death", launcher=("--profile", folder))
    assert done.returncode == 128 + 9
    text = (folder / "ranks.txt").read_text()
    assert "Not all ranks have ended well: rank 1: it was killed by SIGKILL." in text
    assert [row.rank for row in compare_ranks(folder).rows()] == [0]
    assert (folder / "ranks.html").exists()


def test_a_launch_of_one_process_has_a_report_too(tmp_path):
    folder = tmp_path / "report"
    program = tmp_path / "alone.py"
    program.write_text("import paddle\nprint((paddle.ones([2]) + 1).tolist())\n")
    done = run(tmp_path, program, count=1, launcher=("--profile", folder))
    assert done.returncode == 0, done.said
    assert "[2.0, 2.0]" in done.stdout
    assert "There are no steps to compare." in done.stdout
    assert (folder / "ranks.html").exists()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    done = run(tmp_path, "stragglers.py", "", launcher=("--profile", tmp_path / "file" / "report"))
    assert done.returncode == 2
    assert "--profile should name a file that can be written" in done.stderr
