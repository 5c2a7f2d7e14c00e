"""debug.profile: rows by op and by line, reads, compilations, the picture, the command."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.debug.time.clock import Clock
from jaxeager.graph import events

ROOT = Path(__file__).resolve().parents[3]


def _step(weight, x):
    loss = paddle.matmul(x, weight).tanh().sum()
    loss.backward()
    return loss


@pytest.fixture(scope="module")
def seen():
    """Return the profile of three steps, each of which is read, and the line of the reading."""
    weight, x = paddle.rand([32, 32]), paddle.rand([16, 32])
    weight.stop_gradient = False
    _step(weight, x)
    _step(weight, x)  # from here on gradients are added up
    with paddle.debug.profile(peaks=(1e12, 1e12)) as found:
        for _ in range(3):
            with paddle.profiler.RecordEvent("a step"):
                float(_step(weight, x))
    return found


def test_a_row_for_each_op_and_node(seen):
    rows = {row.name: row for row in seen.rows()}
    assert {name: row.calls for name, row in rows.items()} == {
        "matmul": 3, "tanh": 3, "sum": 3, "SumGradNode": 3, "TanhGradNode": 3,
        "MatmulGradNode": 3, "GradNodeAccumulation": 3,
    }  # fmt: skip
    assert rows["matmul"].flops == 3 * 2 * 16 * 32 * 32
    assert rows["MatmulGradNode"].flops == rows["matmul"].flops  # only the weight's is required
    assert rows["matmul"].bytes == 3 * 4 * (16 * 32 + 32 * 32 + 16 * 32)
    assert all(row.device_ns > 0 for row in rows.values() if row.name != "GradNodeAccumulation")
    line = _step.__code__.co_firstlineno + 1
    for name in ("matmul", "TanhGradNode"):  # a node has the line that recorded it
        assert (rows[name].frame.file, rows[name].frame.line) == (__file__, line)
    assert sum(row.total_ns for row in rows.values()) <= seen.seconds * 1e9


def test_rows_by_line(seen):
    assert {row.frame and row.frame.line: row.calls for row in seen.rows("line")} == {
        _step.__code__.co_firstlineno + 1: 18, None: 3,
    }  # fmt: skip
    assert "loss = paddle.matmul(x, weight).tanh().sum()" in seen.table(by="line")
    with pytest.raises(errors.InvalidArgumentError, match="'op' or 'line'"):
        seen.rows("column")


def test_reads_say_their_line(seen):
    (read,) = seen.reads
    assert (read.count, read.frame.file) == (3, __file__)
    assert "float(_step(weight, x))" in seen.reads_text()


def test_the_text_adds_up(seen):
    text = str(seen)
    assert text.splitlines()[0].split() == (
        "calls python device compile % GFLOP/s GB/s roof what line".split()
    )
    numbers = re.search(r"([\d.]+) ms: ([\d.]+) ms Python.*?, ([\d.]+) ms device, ([\d.]+) ms "
                        r"making kernels, ([\d.]+) ms outside", text)  # fmt: skip
    total, *parts = map(float, numbers.groups())
    assert total == pytest.approx(sum(parts), abs=0.3)
    assert seen.compilations == []
    assert text.endswith("No kernel had to be made.")


def test_kernels_that_had_to_be_made_have_a_cause():
    with paddle.debug.profile(wait=False) as found:
        for length in (1131, 1132, 1133):
            paddle.zeros([length]).tanh()
    tanhs = [each for each in found.compilations if each.name == "tanh"]
    assert [each.cause for each in tanhs[1:]] == [
        "operand 0, axis 0: 1131, 1132", "operand 0, axis 0: 1132, 1133",
    ]  # fmt: skip
    (row,) = [row for row in found.rows() if row.name == "tanh"]
    assert row.compile_ns > 0
    assert row.device_ns == 0
    assert re.search(r"3 +[\d.]+  tanh\(float32\[1133\]\)  .*test_profile.py", str(found))


@pytest.mark.parametrize("name", ["flame.svg", "flame.html"])
def test_the_flame_graph_is_one_file_that_reads_as_xml(seen, tmp_path, name):
    seen.flame_graph(tmp_path / name)
    text = (tmp_path / name).read_text(encoding="utf-8")
    svg = text[text.index("<svg") : text.index("</svg>") + 6]
    space = {"s": "http://www.w3.org/2000/svg"}
    bars = ElementTree.fromstring(svg).findall(".//s:g[@class='bar']", space)
    names = [bar.get("data-name") for bar in bars]
    assert {"all", "a step", "matmul", "TanhGradNode", "Gradient Backward"} <= set(names)
    assert not re.search(r"(src|href)=", text)
    widths = {bar.get("data-name"): float(bar.get("data-w")) for bar in bars}
    assert widths["a step"] <= widths["all"] == 1200


def test_profiles_can_be_nested_and_end_with_their_blocks():
    before = events.in_force()
    with paddle.debug.profile() as outer, paddle.debug.profile() as inner:
        paddle.ones([2]) + 1
        with pytest.raises(errors.PreconditionNotMetError, match="not ended"):
            inner.rows()
    assert events.in_force() == before
    names = [sorted(row.name for row in each.rows()) for each in (outer, inner)]
    assert names == [["full", "scale"]] * 2  # each has measured by itself which took longer


def test_a_call_that_raises_ends_its_events():
    with paddle.debug.profile() as found:
        with pytest.raises(ValueError, match="matmul"):
            paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
        paddle.ones([2]).tanh()
    (roots,) = found.recorder.roots.values()
    assert "tanh dygraph" in [event.name for event in roots]  # not inside the one that raised


def test_the_clock_reckons_what_a_read_waits_for():
    """Launched at 0 and 10 for 100 each, waited for; read when the host is at 20."""
    clock = Clock(0)
    clock.ran(0, 100)
    clock.ran(100 + 10, 100)
    assert clock.read(200 + 20) == 180
    assert clock.total_ns(200 + 30) == 210
    assert clock.total_ns(200 + 30, with_reads=False) == 200


def test_the_command(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import sys, paddle\nprint(sys.argv[1:], float(paddle.ones([3]).sum()))\n")
    command = [sys.executable, "-m", "jaxeager", "profile", "--flame", "f.svg", str(script), "-x"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "['-x'] 3.0\n"
    assert " sum " in ran.stderr
    assert "line that copies values to the host" in ran.stderr
    assert (tmp_path / "f.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["-m", "program", "-x", "-c"], "['-x', '-c'] 3.0\n"),
        (["--most", "3", "-c", "import sys; print(sys.argv[1:])", "-m", "-x"], "['-m', '-x']\n"),
        pytest.param(
            ["program.py", "-c", "1", "-m"], "['-c', '1', '-m'] 3.0\n", marks=pytest.mark.deep
        ),
    ],
)
def test_the_command_runs_modules_and_texts(tmp_path, arguments, printed):
    script = tmp_path / "program.py"
    script.write_text("import sys, paddle\nprint(sys.argv[1:], float(paddle.ones([3]).sum()))\n")
    command = [sys.executable, "-m", "jaxeager", "profile", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == printed


def test_lines_outside_of_ops_are_named():
    """A line that sleeps, a reader's among them, is not "outside of ops" without a name."""

    def batches():
        for _ in range(3):
            time.sleep(0.2)
            yield paddle.ones([2, 2])

    with paddle.debug.profile() as seen:
        for x in batches():
            x.sum()
    frame, ns = next(iter(seen.outside.items()))
    assert (frame.file, frame.line) == (__file__, batches.__code__.co_firstlineno + 2)
    assert ns > 3 * 0.19e9
    assert "line that runs outside of ops" in str(seen)
    assert "time.sleep(0.2)" in seen.outside_text()
    with paddle.debug.profile(samples=False) as seen:
        time.sleep(0.05)
    assert seen.outside == {}
    assert seen.outside_text() == ""
