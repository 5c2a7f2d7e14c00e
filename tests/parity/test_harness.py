"""The harness itself: the definition of a difference, and a worker that survives crashes."""

import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from . import harness
from .compare import differences
from .harness import ProgramFailed, Worker, WorkerDied, paddle_python
from .probe import attempt, names, stable_text
from .registry import EXCHANGES, LONG, PROGRAMS, differs, load_programs, program

SAME = [
    (np.float32([1.0]), np.float32([1.0 + 5e-6])),
    (np.float64([1.0]), np.float64([1.0])),
    (np.array([1, 2]), np.array([1, 2])),
    ([1.0, "a", None, True], [1.0, "a", None, True]),
    ((1, 2), [1, 2]),
    ({"a": float("nan")}, {"a": float("nan")}),
    (
        {"error": "ValueError", "text": "wrong"},
        {"error": "ValueError", "text": "wrong, do this instead"},
    ),
    (
        {"error": "AssertionError", "text": "One."},
        {"error": "TypeError", "text": "(Kind) One, but"},
    ),
    ({"error": "AssertionError", "category": None}, {"error": "ValueError", "category": "Kind"}),
]
DIFFERENT = [
    (np.float32([1.0]), np.float32([1.0001])),
    (np.float64([1.0]), np.float64([1.0 + 1e-9])),
    (np.float32([1.0]), np.float64([1.0])),
    (np.float32([1.0]), np.float32([[1.0]])),
    (np.array([1, 2]), np.array([1, 3])),
    (np.float32([np.nan]), np.float32([0.0])),
    (1, 1.0),
    (True, 1),
    ("a", "b"),
    (None, 0),
    ([1], [1, 2]),
    ({"a": 1}, {"b": 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": [1, {"b": 2.0}]}, {"a": [1, {"b": 2.1}]}),
    ({"error": "ValueError", "text": "wrong"}, {"error": "TypeError", "text": "wrong"}),
    ({"error": "ValueError", "text": "wrong"}, {"error": "ValueError", "text": "bad"}),
    (
        {"error": "ValueError", "category": "InvalidArgument"},
        {"error": "ValueError", "category": None},
    ),
    ({"error": "ValueError", "text": "wrong"}, 3.0),
    (3.0, {"error": "ValueError", "text": "wrong"}),
]


@pytest.mark.parametrize(("theirs", "ours"), SAME)
def test_equal_results_have_no_differences(theirs, ours):
    """Rounding, added advice in an error and tuples for lists are no difference."""
    assert differences(theirs, ours) == []


@pytest.mark.parametrize(("theirs", "ours"), DIFFERENT)
def test_each_kind_of_difference_is_found(theirs, ours):
    """Values, dtypes, shapes, kinds, keys, their order, and errors are compared."""
    assert len(differences(theirs, ours)) >= 1


def test_differences_name_their_place():
    """A difference in a nested value names its place."""
    (line,) = differences({"a": [1, {"b": 2.0}]}, {"a": [1, {"b": 3.0}]})
    assert line.startswith("[a][1][b]: Paddle 2.0 | jaxeager 3.0")


def test_a_wider_tolerance_is_used():
    """rtol replaces the dtype's own."""
    one, other = np.float32([1.0]), np.float32([1.0005])
    assert differences(one, other)
    assert differences(one, other, rtol=1e-3) == []


def test_stable_text_drops_what_is_not_stable():
    """The hint, the place in C++ and counted names go; the rest stays."""
    text = "(InvalidArgument) Leaf Var (generated_tensor_12) that\n  [Hint: a\n b] (at /x/y.h:3)"
    assert stable_text(text) == "(InvalidArgument) Leaf Var (generated_tensor_N) that"


def test_attempt_reports_the_builtin_class():
    """An error of a derived class is reported by the builtin class users catch."""

    class Mine(KeyError):
        pass

    def fail():
        raise Mine("no")

    assert attempt(fail) == {"error": "KeyError", "text": "'no'"}
    assert attempt(lambda: 3) == 3


def test_names_are_renumbered():
    """Numbers count from 0 for each prefix, in order of appearance."""
    found = ["linear_7.w_0", "linear_7.b_0", "conv2d_3.w_0", "linear_9.w_0", "mine"]
    assert names(found) == ["linear_0.w_0", "linear_0.b_0", "conv2d_0.w_0", "linear_1.w_0", "mine"]


def test_programs_are_registered_once():
    """There are as many programs as the project promises, and no program shadows another."""
    load_programs()
    assert len(PROGRAMS) + len(EXCHANGES) >= 70
    taken = next(iter(PROGRAMS.values())).run
    with pytest.raises(ValueError, match="two parity programs are named"):
        program(taken)
    with pytest.raises(ValueError, match="needs a reason"):
        program(rtol=1e-3)


def test_each_family_has_programs_for_every_change():
    load_programs()
    known = {f"{each.family}-{each.name}" for each in PROGRAMS.values()}
    assert known >= LONG
    quick = {each.family for each in PROGRAMS.values() if not each.is_deep}
    assert {each.partition("-")[0] for each in LONG} <= quick


def test_each_difference_has_its_reason():
    """A program that Paddle gets wrong states why, and its two answers are not the same."""
    load_programs()
    wrong = [p for p in PROGRAMS.values() if p.right is not None]
    assert wrong
    assert all(p.reason and p.paddle_gives != p.right for p in wrong)
    assert callable(differs("reason", right=1, paddle_gives=2))


@pytest.fixture
def stand_in():
    """Yield a worker whose library is a module of Python's own, so that no Paddle is needed."""
    worker = Worker(sys.executable, library="json")
    yield worker
    worker.close()


def test_a_failing_program_is_reported_and_the_worker_lives(stand_in):
    """json is not Paddle, so every program fails; the process stays the same one."""
    for _ in range(2):
        with pytest.raises(
            ProgramFailed, match=r"long_chain raised under json:[\s\S]*AttributeError"
        ):
            stand_in.run("long_chain")
    assert stand_in.deaths == []


def test_a_killed_worker_is_started_again(stand_in):
    """The running program is reported; the next one gets a new process."""
    stand_in.start()
    os.kill(stand_in._process.pid, signal.SIGSEGV)
    with pytest.raises(WorkerDied, match="long_chain: died of SIGSEGV"):
        stand_in.run("long_chain")
    with pytest.raises(ProgramFailed):
        stand_in.run("long_chain")
    assert stand_in.deaths == ["long_chain: died of SIGSEGV"]


def test_the_chosen_python_is_used(monkeypatch):
    """JAXEAGER_PADDLE_PYTHON names the interpreter."""
    monkeypatch.setenv("JAXEAGER_PADDLE_PYTHON", "/somewhere/python")
    assert paddle_python() == "/somewhere/python"


# ---- tests that were not compared


def report(nodeid, reason):
    """Return a report of a skipped test."""
    return SimpleNamespace(nodeid=nodeid, longrepr=("file.py", 1, f"Skipped: {reason}"))


def test_a_test_that_needs_paddle_is_skipped_without_it(monkeypatch):
    monkeypatch.setattr(harness, "paddle_python", lambda: "/somewhere/python")
    assert harness.needed_paddle() == "/somewhere/python"
    monkeypatch.setattr(harness, "paddle_python", lambda: None)
    with pytest.raises(pytest.skip.Exception, match=harness.NOT_COMPARED):
        harness.needed_paddle()


def test_files_that_were_not_compared_are_named():
    skipped = [
        report("tests/a.py::one", harness.ABSENT),
        report("tests/b.py::two", harness.ABSENT),
        report("tests/a.py::three[x::y]", harness.ABSENT),
        report("tests/c.py::four", f"another Paddle: this {harness.NOT_COMPARED}"),
        report("tests/d.py::five", "no GPU"),
        SimpleNamespace(nodeid="tests/e.py", longrepr=None),
    ]
    assert harness.not_compared(skipped) == {
        harness.ABSENT: {"tests/a.py": 2, "tests/b.py": 1},
        f"another Paddle: this {harness.NOT_COMPARED}": {"tests/c.py": 1},
    }


def test_every_test_that_needs_paddle_asks_for_it_in_one_way():
    """A skip of another kind would not be listed at the end of the run."""
    tests = Path(__file__).parents[1]
    own = {"harness.py", "test_harness.py", "__main__.py"}  # main does not use pytest
    asking = [
        path.name
        for path in tests.rglob("*.py")
        if path.name not in own and "paddle_python(" in path.read_text(encoding="utf-8")
    ]
    assert asking == []
