"""The stacks and values next to checksums: diff-md5 names lines and values that differ."""

import os

import pytest

import jaxeager as paddle
from jaxeager.__main__ import main
from jaxeager.debug.checksums import details


@pytest.fixture
def written(tmp_path):
    """Return a function that runs a program with checksums and returns their file."""

    def run(name, program, count=4):
        path = str(tmp_path / name)
        flags = {"output_path": path, "details": count}
        paddle.set_flags({f"FLAGS_tensor_md5_checksum_{flag}": to for flag, to in flags.items()})
        try:
            program()
        finally:
            off = {"output_path": "", "details": 0}
            paddle.set_flags({f"FLAGS_tensor_md5_checksum_{flag}": to for flag, to in off.items()})
        return path

    return run


def program(factor, width=3):
    x = paddle.ones([2, width])
    x.stop_gradient = False
    y = x * 2.0
    if factor is not None:
        y = y * factor
        y.sum().backward()
        return
    y = y.tanh()
    y.sum().backward()


def line_of(text):
    with open(__file__) as file:
        return next(n for n, line in enumerate(file, 1) if line.strip() == text)


def report_of(capsys, *paths):
    main(["diff-md5", *paths])
    return capsys.readouterr().out


def test_a_value_that_differs_has_both_lines_and_the_numbers(written, capsys):
    text = report_of(capsys, written("a", lambda: program(1.0)), written("b", lambda: program(1.5)))
    place = f"test_details.py:{line_of('y = y * factor')} in program"
    assert text.count(place) == 2
    assert "called by" in text
    assert "   at [0, 0]: 2.0 in a, 3.0 in b, 1 apart\n   at [0, 1]:" in text
    assert "4 of the first 4 of 6 values differ." in text


def test_a_call_of_one_run_has_its_line_alone(written, capsys):
    text = report_of(
        capsys, written("a", lambda: program(1.0)), written("b", lambda: program(None))
    )
    assert f"test_details.py:{line_of('y = y.tanh()')} in program" in text
    assert "apart" not in text


def test_values_that_differ_later_are_named_with_the_flag(written, capsys):
    def last(value):
        paddle.to_tensor([0.0] * 9 + [value]).exp()

    text = report_of(capsys, written("a", lambda: last(1.0)), written("b", lambda: last(2.0)))
    assert "The first 4 of 10 values are equal; FLAGS_tensor_md5_checksum_details=10 keeps" in text
    paths = [
        written(name, lambda value=value: last(value), 10) for name, value in [("c", 1.0), ("d", 2)]
    ]
    assert "at [9]: " in report_of(capsys, *paths)


def test_gradients_have_the_line_of_their_forward_call(written):
    path = written("a", lambda: program(None))
    with open(path) as file:
        line = next(
            each
            for each in file.read().splitlines()
            if each.startswith("scale") and "@Grad" in each
        )
    found = details.read(path, line)
    assert f":{line_of('y = y.tanh()')} in program" in found.stack[0]
    assert found.shape == [2, 3]


@pytest.mark.parametrize(
    ("dtype", "value", "kept"),
    [
        ("float32", 0.1, 0.1),
        ("bfloat16", 0.1, 0.100098),
        ("float16", float("nan"), float("nan")),
        ("complex64", 1 + 2j, "(1+2j)"),
        ("int64", 2**53 + 1, 2**53 + 1),
        ("bool", True, True),
    ],
)
def test_values_are_exact(written, dtype, value, kept):
    path = written("a", lambda: paddle.to_tensor([value], dtype=dtype).clone())
    with open(path) as file:
        found = details.read(path, file.read().splitlines()[-1])
    assert repr(found.values) == repr([kept])


def test_the_flag_may_be_set_in_the_middle(written, tmp_path):
    def middle():
        paddle.set_flags({"FLAGS_tensor_md5_checksum_details": 0})
        paddle.ones([2]).exp()
        paddle.set_flags({"FLAGS_tensor_md5_checksum_details": 2})
        paddle.ones([3]).exp()

    path = written("a", middle)
    with open(path) as file:
        one, other = [line for line in file.read().splitlines() if line.startswith("exp")]
    assert details.read(path, one) is None
    assert details.read(path, other).shape == [3]


def test_damaged_details_leave_the_checksums(written, capsys):
    paths = [written("a", lambda: program(1.0)), written("b", lambda: program(1.5))]
    for damage in ("", "{", '{"frames": 3}\n', "\x00\xff"):
        with open(f"{paths[0]}.details", "w") as file:
            file.write(damage)
        text = report_of(capsys, *paths)
        assert "differs." in text
        assert "apart" not in text
    os.remove(f"{paths[0]}.details")
    assert "differs." in report_of(capsys, *paths)


def test_a_trainer_after_the_first_has_a_file_of_its_own(written, monkeypatch):
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    path = f"{written('a', lambda: program(None))}.{os.getpid()}"
    with open(path) as file:
        line = next(each for each in file.read().splitlines() if each.startswith("tanh"))
    assert details.read(path, line).shape == [2, 3]
    assert details.details_path(path).endswith(f"a.details.{os.getpid()}")
