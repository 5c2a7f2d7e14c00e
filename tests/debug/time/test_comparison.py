"""Two profiles side by side: planted differences, each found with its line, and no others."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import jaxeager as paddle
from jaxeager.debug.time import comparison, summary
from jaxeager.debug.time.summary import Site, Summary
from jaxeager.errors import InvalidArgumentError

ROOT = Path(__file__).resolve().parents[3]
COUNTED = ("dtype", "kernels", "reads", "calls")  # what no busy machine changes


def profiled(program, *arguments):
    program(*arguments)  # so that kernels exist
    with paddle.debug.profile() as seen:
        program(*arguments)
    return seen


def counted(found):
    """Return the findings that are counts, as kind, name, line and change without its time."""
    return [
        (each.kind, each.site.name, each.site.text, each.change.partition(",")[0])
        for each in found
        if each.kind in COUNTED
    ]


def steps(count=6, factor=2.0, reads=1, rows=lambda step: 8):
    weight = paddle.ones([4, 3])
    weight.stop_gradient = False
    for step in range(count):
        x = paddle.ones([rows(step), 4])
        y = paddle.matmul(x, weight)
        y = y * factor
        loss = y.mean()
        loss.backward()
        if step < reads:
            float(loss)
    return weight


@pytest.fixture(scope="module")
def old():
    return profiled(steps)


# ---- counts, in real runs


def test_the_same_program_has_no_differences(old):
    assert counted(profiled(steps).against(old)) == []


def test_more_steps_are_no_difference(old):
    found = profiled(steps, 12).against(old)
    assert found.steps == 2
    assert "Most ops and nodes ran 2 times as often." in str(found)
    assert counted(found) == []


def test_another_dtype_is_found_where_it_begins(old):
    found = profiled(steps, 6, paddle.full([1], 2.0, "float64")).against(old)  # it was a scale
    changed = [each for each in found if each.kind == "dtype"]
    (first,) = changed
    assert (first.site.name, first.site.text) == ("multiply", "y = y * factor")
    assert first.change == "float32 -> float64"
    assert first.more >= 2  # the mean, and its node
    assert "\ndtype    float32 -> float64" in str(found)
    assert f"(and {first.more} ops and nodes after it)" in str(found)


def test_another_dtype_of_the_same_op_is_found():
    seen = [profiled(steps, 6, paddle.full([1], 2.0, dtype)) for dtype in ("float32", "float64")]
    (first,) = [each for each in seen[1].against(seen[0]) if each.kind == "dtype"]
    assert (first.site.name, first.change) == ("multiply", "float32 -> float64")


def test_another_dtype_of_a_new_line_is_found():
    def program(is_new):
        x = paddle.ones([4]).tanh()
        y = x.tanh()
        if is_new:
            y = y.astype("float64")
            y = y.abs()

    found = profiled(program, True).against(profiled(program, False))
    (first,) = [each for each in found if each.kind == "dtype"]
    assert (first.site.text, first.change) == ('y = y.astype("float64")', "float32 -> float64")
    assert first.more == 1


def test_reads_are_found(old):
    found = profiled(steps, 6, 2.0, 6).against(old)
    assert counted(found) == [("reads", "", "float(loss)", "1 -> 6 reads")]


def test_reads_that_were_not_there_are_found(old):
    none = profiled(steps, 6, 2.0, 0)
    assert counted(old.against(none)) == [("reads", "", "float(loss)", "0 -> 1 reads")]
    assert counted(none.against(old)) == [("reads", "", "float(loss)", "1 -> 0 reads")]


def test_kernels_of_new_lengths_are_found(old):
    with paddle.debug.profile() as seen:
        steps(rows=lambda step: 1201 + step)
    found = seen.against(old)
    kernels = {(each.site.name, each.site.text) for each in found if each.kind == "kernels"}
    assert ("matmul", "y = paddle.matmul(x, weight)") in kernels
    assert ("MatmulGradNode", "y = paddle.matmul(x, weight)") in kernels
    assert {each[3] for each in counted(found) if each[1] == "matmul"} == {"0 -> 6 kernels"}


def test_a_call_more_in_some_steps_is_found():
    def program(often):
        x = paddle.ones([4])
        for step in range(6):
            for _ in range(2 if step < often else 1):
                y = x.tanh()
            y = y.exp()
            y = y.abs()

    found = profiled(program, 3).against(profiled(program, 0))
    assert counted(found) == [("calls", "tanh", "y = x.tanh()", "6 -> 9 calls")]


# ---- times, of given numbers


def site(name="matmul", calls=10, median=1e6, error=1e4):
    total = int(median * calls)
    times = {"total_ns": total, "median_ns": median, "error_ns": error, "compile_ns": 0}
    return Site(
        "op", name, "a.py", 3, f"{name}()", calls=calls, kernels=0, dtypes=("float32",), **times
    )


def run(*sites, seconds=1.0, waits=True):
    return Summary(seconds, waits, "some versions", sites)


def found(old, new):
    return [(each.kind, each.site.name) for each in comparison.compare(old, new)]


OTHERS = [site(f"op{number}") for number in range(6)]


@pytest.mark.parametrize(
    ("before", "now", "wanted"),
    [
        (site(), site(median=2e6), [("slower", "matmul")]),
        (site(), site(median=0.5e6), [("faster", "matmul")]),
        (site(), site(median=1.2e6), []),  # less than a quarter
        (site(), site(median=2e6, error=4e5), []),  # within the spread
        (site(error=4e5), site(median=2e6), []),
        (site(calls=4), site(calls=4, median=2e6), []),  # too few calls
        (site(median=1e3, error=1.0), site(median=9e3, error=1.0), []),  # too short to matter
    ],
)
def test_times_are_different_beyond_their_spread(before, now, wanted):
    assert found(run(before, *OTHERS), run(now, *OTHERS)) == wanted


def test_a_few_slow_calls_of_many_count_by_their_mean():
    """One wide layer among many that a line runs: the median is that of the others."""
    slow = site()._replace(total_ns=300_000_000)
    (one,) = comparison.compare(run(site(), *OTHERS), run(slow, *OTHERS))
    assert (one.kind, one.change) == ("slower", "1000.0 -> 30000.0 us on average, +290.0 ms")
    (one,) = comparison.compare(run(slow, *OTHERS), run(site(), *OTHERS))
    assert one.kind == "faster"
    few = site()._replace(total_ns=60_000_000)  # a twentieth of the run
    assert found(run(site(), *OTHERS), run(few, *OTHERS)) == []


def test_steps_are_those_of_the_loop():
    before = [site(f"made{number}", calls=1) for number in range(9)]
    old = run(*before, site("matmul", calls=30), site("every_tenth", calls=3),
              site("but_the_first", calls=29))  # fmt: skip
    new = run(*before, site("matmul", calls=45), site("every_tenth", calls=5),
              site("but_the_first", calls=44))  # fmt: skip
    seen = comparison.compare(old, new)
    assert float(seen.steps) == 1.5
    assert list(seen) == []


def test_a_slower_machine_is_one_line_and_no_finding():
    slow = [each._replace(median_ns=3e6, error_ns=3e4) for each in OTHERS]
    seen = comparison.compare(run(site(), *OTHERS), run(site(median=12e6), *slow))
    assert seen.machine == pytest.approx(3.0)
    assert "took 3.00 times as long" in str(seen)
    assert [(each.kind, each.change) for each in seen] == [
        ("slower", "3000.0 -> 12000.0 us a call, +90.0 ms")
    ]


def test_sites_of_only_one_run_are_new_or_gone():
    old, new = run(site("a"), *OTHERS), run(site("b"), site("c", median=10.0), *OTHERS)
    assert found(old, new) == [("new", "b"), ("gone", "a")]


def test_inserted_lines_change_nothing():
    moved = [each._replace(line=each.line + 7) for each in OTHERS]
    assert found(run(*OTHERS), run(*moved)) == []


def test_files_of_equal_names_are_told_apart():
    files = {"/a/models/net.py", "/a/heads/net.py", "/a/train.py", "net.py"}
    assert summary._short_names(files) == {
        "/a/models/net.py": "models/net.py", "/a/heads/net.py": "heads/net.py",
        "/a/train.py": "train.py", "net.py": "net.py",
    }  # fmt: skip
    moved = {file.replace("/a/", "/b/") for file in files}
    assert sorted(summary._short_names(moved).values()) == [
        "heads/net.py", "models/net.py", "net.py", "train.py",
    ]  # fmt: skip


def test_a_path_that_cannot_be_written_is_refused(old, tmp_path):
    with pytest.raises(InvalidArgumentError, match="path should name a file"):
        old.save(tmp_path)
    old.save(tmp_path / "new" / "run.json")
    assert summary.read(tmp_path / "new" / "run.json").sites


def test_few_pairs_have_no_factor():
    seen = comparison.compare(run(site()), run(site(median=2e6)))
    assert math.isnan(seen.machine)
    assert [each.kind for each in seen] == ["slower"]
    assert "times as long" not in str(seen)


def test_versions_are_shown_where_they_differ():
    other = run(*OTHERS)._replace(versions="others")
    assert "before: some versions; now: others" in str(comparison.compare(run(*OTHERS), other))


def test_an_empty_run_is_compared():
    text = str(comparison.compare(run(), run()))
    assert text.endswith("No difference in dtypes, kernels, reads, calls, and times per call.")


def test_a_long_table_is_cut():
    seen = comparison.compare(run(), run(*[site(f"op{n}") for n in range(30)]))
    assert seen.table(5).splitlines()[-1] == "... and 25 more"


def test_waits_must_be_the_same():
    with pytest.raises(InvalidArgumentError, match="The old profile waited for each op"):
        comparison.compare(run(), run(waits=False))


# ---- files


def test_a_file_has_the_summary(old, tmp_path):
    old.save(tmp_path / "run.json")
    assert summary.read(tmp_path / "run.json") == old.summary()
    assert counted(old.against(tmp_path / "run.json")) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.update(format="another"),
        lambda data: data.pop("seconds"),
        lambda data: data.update(sites=3),
        lambda data: data["sites"][0].pop("calls"),
        lambda data: data["sites"][0].update(more=1),
        lambda data: data["sites"][0].update(calls="many"),
        lambda data: data["sites"][0].update(calls=0),
        lambda data: data["sites"][0].update(calls=float("inf")),
        lambda data: data["sites"][0].update(dtypes=None),
        lambda data: data["sites"].append([]),
    ],
)
def test_damaged_files_are_refused(old, tmp_path, damage):
    path = tmp_path / "run.json"
    old.save(path)
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(InvalidArgumentError, match=r"run.json' should be a profile that save"):
        summary.read(path)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "[" * 100_000, "\ud800"])
def test_a_file_that_is_no_profile_is_refused(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidArgumentError, match="should be a profile that save wrote"):
        summary.read(path)


# ---- the command


def command(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "jaxeager", "profile", *arguments],
        capture_output=True, text=True, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )  # fmt: skip


def test_the_command(tmp_path):
    program = "import paddle\nx = paddle.ones([3])\ny = x * {}\nprint(float(y.sum()))\n"
    (tmp_path / "train.py").write_text(program.format("2.0"))
    first = command(tmp_path, "--save", "run.json", "train.py")
    assert first.returncode == 0, first.stderr
    assert "scale" in first.stderr
    (tmp_path / "train.py").write_text("# a comment\n" + program.format("2.0") + "y.numpy()\n")
    again = command(tmp_path, "--against", "run.json", "train.py")
    assert again.returncode == 0, again.stderr
    assert again.stdout == "6.0\n"
    assert "0 -> 1 reads" in again.stderr
    assert "train.py:6  y.numpy()" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param(
            ("--against", "none.json"), "none.json' should be a profile", marks=pytest.mark.deep
        ),
        pytest.param(("--save", "."), "--save should name a file", marks=pytest.mark.deep),
        pytest.param(("--flame", "."), "--flame should name a file", marks=pytest.mark.deep),
        (("--against", "waited.json", "--no-wait"), "The old profile waited for each op"),
        pytest.param(
            ("--lazy", "--save", "run.json"),
            "which lazy mode does not run one by one",
            marks=pytest.mark.deep,
        ),
    ],
)
def test_the_command_refuses_before_the_program_runs(tmp_path, arguments, named):
    (tmp_path / "train.py").write_text("print('ran')\n")
    summary.save(run(), tmp_path / "waited.json")
    ran = command(tmp_path, *arguments, "train.py")
    assert ran.returncode
    assert ran.stdout == ""
    assert named in ran.stderr.replace("\n", " ")
    assert "Traceback" not in ran.stderr
    assert sorted(os.listdir(tmp_path)) == ["train.py", "waited.json"]
