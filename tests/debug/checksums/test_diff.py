"""diff-md5: the first difference of two checksum files, whatever was added, lost or renumbered."""

import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxeager.debug.checksums.diff import (
    Run,
    UnusableError,
    compare,
    read_run,
    report,
    without_counter,
)

OPS = ["matmul", "add", "relu", "softmax", "multiply", "conv2d", "layer_norm", "reshape"]


def run_of(calls, path="a.log"):
    """Make a run of pairs (op, checksum), counted as naming does."""
    counts, names = {}, []
    for op, _ in calls:
        counts[op] = counts.get(op, 0) + 1
        names.append(f"{op}{counts[op]}_out_float32_2x3")
    return Run(path, names, [checksum for _, checksum in calls])


def calls_of(count, seed=0):
    """Return calls of a program that repeats itself, each with a different checksum."""
    drawn = random.Random(seed)
    step = [drawn.choice(OPS) for _ in range(53)]
    return [(step[i % 53], f"{i:032x}") for i in range(count)]


def shown(a, b):
    """Return the report without its two first lines."""
    return report(compare(a, b)).split("\n", 3)[3]


# ---- names


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("add12_out_float32_4x4", "add_out_float32_4x4"),
        ("add_3_out_float32_", "add__out_float32_"),
        ("conv2d7_out_bfloat16_1x2x3x4@Grad", "conv2d_out_bfloat16_1x2x3x4@Grad"),
        ("split_with_num1_out_10_int64_2", "split_with_num_out_10_int64_2"),
        ("topk2_indices_int64_2x2", "topk_indices_int64_2x2"),
        ("Outer11_out0_0_complex64_2", "Outer_out0_0_complex64_2"),
        ("sgd_2_param_out_float32_3", "sgd__param_out_float32_3"),
        ("cast1_out_float8_e4m3fn_2", "cast_out_float8_e4m3fn_2"),
        ("exp1_out_bool_@Grad@Grad", "exp_out_bool_@Grad@Grad"),
        ("linear_12.w_0@Grad", "linear_#.w_#@Grad"),
        ("generated_tensor_5@Grad", "generated_tensor_#@Grad"),
        ("", ""),
    ],
)
def test_names_without_counters(name, key):
    assert without_counter(name) == key


# ---- finding the place


def test_equal_runs():
    calls = calls_of(200)
    found = compare(run_of(calls), run_of(calls))
    assert found.is_equal
    assert found.first is None
    assert "All checksums are equal." in report(found)


def test_the_first_value_that_differs():
    calls = calls_of(200)
    other = [(op, md5 if i < 120 else "f" * 32) for i, (op, md5) in enumerate(calls)]
    found = compare(run_of(calls), run_of(other, "b.log"))
    assert found.first == (120, 120)
    assert len(found.values) == 80
    assert f"line 121 of a: {found.a.names[120]} differs" in report(found)


@pytest.mark.parametrize("place", [0, 1, 100, 198, 200])
@pytest.mark.parametrize("count", [1, 7])
def test_calls_that_only_one_run_has(place, count):
    calls = calls_of(200)
    other = calls[:place] + [("dropout", "d" * 32)] * count + calls[place:]
    for a, b in ((calls, other), (other, calls)):
        found = compare(run_of(a), run_of(b))
        assert found.first == (place, place)
        assert not found.values
        assert not found.is_equal
        gaps = [step for step in found.steps if not step.is_matched]
        assert [(s.a_end - s.a) + (s.b_end - s.b) for s in gaps] == [count]


def test_counters_that_shifted_are_no_difference():
    calls = calls_of(60)
    a, b = run_of(calls), run_of([("add", "0" * 32), *calls])
    b = Run("b.log", b.names[1:], b.checksums[1:])
    found = compare(a, b)
    assert found.is_equal
    assert len(found.shifted) == sum(op == "add" for op, _ in calls)
    assert "Counters are shifted in" in report(found)


def test_a_run_that_ended_early():
    calls = calls_of(300)
    found = compare(run_of(calls), run_of(calls[:250]))
    assert found.first == (250, 250)
    assert "line 251 of a (the end of b): a has 50 lines that b does not have" in report(found)


def test_an_extra_call_and_then_another_value():
    calls = calls_of(100)
    other = [(op, md5 if i < 70 else "e" * 32) for i, (op, md5) in enumerate(calls)]
    other.insert(40, ("dropout", "d" * 32))
    text = shown(run_of(calls), run_of(other, "b.log"))
    assert text.startswith("The runs diverge at line 41 of a: b has 1 line that a does not have.")
    assert "The first checksum that differs is" in text
    assert "line 71 of a (line 72 of b)" in text
    assert "70 lines equal, 30 with another checksum." in text
    assert "Only in b.log: dropout x1." in text


@pytest.mark.parametrize("place", range(6))
def test_an_added_call_of_the_same_op_is_found_by_its_checksum(place):
    calls = [("exp", "9" * 32), *(("add", f"{i:032x}") for i in range(5)), ("log", "8" * 32)]
    other = [*calls[: place + 1], ("add", "e" * 32), *calls[place + 1 :]]
    for a, b in ((calls, other), (other, calls)):
        found = compare(run_of(a), run_of(b))
        assert found.first == (place + 1, place + 1)
        assert not found.values


def test_runs_that_have_nothing_in_common():
    a, b = run_of([("add", "1" * 32)] * 9), run_of([("log", "2" * 32)] * 7, "b.log")
    found = compare(a, b)
    assert found.first == (0, 0)
    assert "a has 9 lines that b does not have, and b has 7 lines that a does not have" in report(
        found
    )


def test_the_report_shows_the_lines_around_the_divergence():
    a = run_of([("exp", "1" * 32), ("log", "2" * 32), ("add", "3" * 32), ("add", "5" * 32)])
    b = run_of([("exp", "1" * 32), ("add", "3" * 32), ("add", "6" * 32), ("sin", "7" * 32)], "b")
    assert report(compare(a, b), context=2) == (
        "a: a.log (4 lines)\n"
        "b: b (4 lines)\n\n"
        "The runs diverge at line 2 of a: a has 1 line that b does not have.\n\n"
        "  1 1  exp1_out_float32_2x3\n"
        "a 2    log1_out_float32_2x3  222222222222  only in a\n"
        "  3 2  add1_out_float32_2x3\n"
        "! 4 3  add2_out_float32_2x3  555555555555 in a, 666666666666 in b\n"
        "b   4  sin1_out_float32_2x3  777777777777  only in b\n\n"
        "The first checksum that differs is add2_out_float32_2x3, line 4 of a (line 3 of b).\n"
        "2 lines equal, 1 with another checksum.\n"
        "Only in a.log: log x1.\n"
        "Only in b: sin x1.\n"
    )


@given(
    st.lists(st.sampled_from(OPS), max_size=30),
    st.lists(st.sampled_from(OPS), max_size=30),
    st.randoms(use_true_random=False),
)
def test_steps_cover_both_runs_and_match_only_equal_names(first, second, drawn):
    a, b = (run_of([(op, drawn.choice("01")) for op in ops]) for ops in (first, second))
    found = compare(a, b)
    i = j = 0
    for step in found.steps:
        assert (step.a, step.b) == (i, j)
        i, j = step.a_end, step.b_end
        if step.is_matched:
            ours, theirs = a.names[step.a : i], b.names[step.b : j]
            assert list(map(without_counter, ours)) == list(map(without_counter, theirs))
    assert (i, j) == (len(a), len(b))
    assert found.is_equal == (
        [n.rstrip("0123456789") for n in map(without_counter, a.names)]
        == [n.rstrip("0123456789") for n in map(without_counter, b.names)]
        and a.checksums == b.checksums
    )
    assert report(found).endswith("\n")


def lines_run(function, *arguments):
    """Return how many lines of Python a call runs."""
    count, before = 0, sys.gettrace()

    def traced(frame, event, argument):
        nonlocal count
        count += event == "line"
        return traced

    sys.settrace(traced)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("gap", [3, 40])
def test_work_grows_with_the_length_of_the_files(gap):
    """Differences everywhere: a pairwise alignment would take minutes."""
    taken = []
    for count in (1000, 4000):
        calls = calls_of(count)
        other = [c for i, c in enumerate(calls) for c in ([c, ("x", "0" * 32)] if i % gap else [c])]
        a, b = run_of(calls), run_of(other)
        assert not compare(a, b).is_equal
        taken.append(lines_run(compare, a, b))
    assert taken[1] < 5 * taken[0]


# ---- files


def test_a_file_is_read(tmp_path):
    path = tmp_path / "a.log"
    path.write_text(f"a:b1_out_float32_:{'1' * 32}\n:None\nx_out:unreadable (RuntimeError)\n")
    run = read_run(str(path))
    assert run.names == ["a:b1_out_float32_", "", "x_out"]
    assert run.checksums == ["1" * 32, "None", "unreadable (RuntimeError)"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "is empty"),
        (b"hello\n", r"line 1: 'hello' is not 'name:checksum'"),
        (b"a:" + b"1" * 32 + b"\n\n", "line 2: ''"),
        (b"hello", "line 1: 'hello'"),
        (b"\xff\xfe", "is not a text file. Is this a file of FLAGS_tensor_md5"),
    ],
)
def test_a_file_that_cannot_be_used_is_reported(tmp_path, text, told):
    path = tmp_path / "a.log"
    path.write_bytes(text)
    with pytest.raises(UnusableError, match=told):
        read_run(str(path))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(UnusableError, match="cannot be read"):
        read_run(str(tmp_path / "no.log"))


@pytest.mark.parametrize("cut", ["exp2_out_fl", "exp2_out_float32_:", "exp2_out_float32_:22222"])
def test_an_incomplete_last_line_is_reported_and_not_compared(tmp_path, cut):
    """A killed run leaves such a file: it is the one that a user inspects."""
    whole = f"exp1_out_float32_:{'1' * 32}\nexp2_out_float32_:{'2' * 32}\n"
    (tmp_path / "a.log").write_text(whole)
    (tmp_path / "b.log").write_text(whole.splitlines(keepends=True)[0] + cut)
    a, b = (read_run(str(tmp_path / name)) for name in ("a.log", "b.log"))
    assert (len(a), len(b), a.cut, b.cut) == (2, 1, "", cut)
    told = report(compare(a, b)).splitlines()
    assert told[1].endswith("b.log (1 line)")
    assert told[2] == f"   its last line is cut off, and not compared: {cut!r}"
    assert "line 2 of a (the end of b): a has 1 line that b does not have" in "\n".join(told)


def test_a_file_with_a_byte_order_mark_or_other_ends_of_lines_is_read(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(f"\ufeffexp1_out_float32_:{'1' * 32}\r\n:None\r\n".encode())
    assert read_run(str(path))[1:] == (["exp1_out_float32_", ""], ["1" * 32, "None"], "")
