"""bisect over calls of ops: which are rounded, and the call that cannot be."""

import json

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.debug.bisect.judge import Trials, Verdict
from jaxeager.debug.bisect.ops import Rounding, bisect_ops, run_rounded
from jaxeager.debug.bisect.search import BAD, GOOD, UnusableError
from jaxeager.graph import events
from tests.debug.bisect.stubs import assert_page_is_true

THIRD = np.float32(1 / 3)


def rounded(dtype, first, run):
    seen = Rounding(dtype, first)
    with events.observing(seen):
        result = run()
    return seen, result


@pytest.mark.parametrize(("dtype", "wanted"), [("bfloat16", 0.333984375), ("float16", 0.33325195)])
def test_results_are_rounded_and_keep_their_dtype(dtype, wanted):
    x = paddle.to_tensor([THIRD])
    _, y = rounded(dtype, 1, lambda: x * 1.0)
    assert y.dtype == paddle.float32
    assert y.item() == np.float32(wanted)
    assert x.item() == THIRD


def test_float16_overflows():
    x = paddle.to_tensor([300.0])
    _, y = rounded("float16", 1, lambda: x * x)
    assert y.item() == np.inf


def test_only_the_first_calls_are_rounded_and_the_last_of_them_is_named():
    x = paddle.to_tensor([THIRD])
    seen, (y, z) = rounded("bfloat16", 1, lambda: (x * 1.0, x * 1.0))
    assert (seen.count, y.item() == THIRD, z.item() == THIRD) == (2, False, True)
    assert seen.last[0] == "scale"
    assert "test_ops.py:" in seen.last[1]


def test_data_views_and_ints_have_nothing_to_round():
    def run():
        x = paddle.to_tensor([[THIRD], [1.0]])
        return x.reshape([2]), x > 0.5, paddle.argmax(x), paddle.zeros([2])

    seen, results = rounded("bfloat16", 99, run)
    assert seen.count == 0
    assert results[0].tolist()[0] == THIRD


def test_a_node_saves_the_rounded_result():
    x = paddle.to_tensor([0.3], stop_gradient=False)
    _, y = rounded("bfloat16", 1, lambda: paddle.exp(x))
    y.backward()
    assert x.grad.item() == y.item() != paddle.exp(x).item()


def test_results_written_in_place_and_several_results_are_rounded():
    x = paddle.to_tensor([THIRD, 1.0])
    seen, _ = rounded("bfloat16", 1, lambda: x.scale_(1.0))
    assert (x[0].item() == THIRD, seen.last[0]) == (False, "scale_")
    values, indices = rounded("bfloat16", 1, lambda: paddle.topk(paddle.to_tensor([THIRD]), 1))[1]
    assert (values.item() == THIRD, indices.item()) == (False, 0)


def test_nothing_is_observed_afterwards(tmp_path):
    before = events.in_force()
    report = tmp_path / "calls.json"
    with pytest.raises(ZeroDivisionError):
        run_rounded("bfloat16", 5, str(report), [], lambda _: paddle.ones([1]) * 2.0 / (1 // 0))
    assert events.in_force() == before
    assert json.loads(report.read_text())["count"] in (0, 1)


class InProcessJudge:
    """Runs the program in this process: the command's options and a function."""

    with_checksums = False

    def __init__(self, program):
        self._program = program

    def judge(self, start):
        dtype, first, report = (start.command[at] for at in (5, 7, 9))
        status = run_rounded(dtype, int(first), report, [], lambda _: self._program())
        return Verdict(BAD, f"exit status {status}") if status else Verdict(GOOD)

    def first_difference(self, good, bad):
        return ""


def cancels():
    """Return 1 if the difference of two near numbers is lost."""
    x = paddle.to_tensor([1.001])
    y = x * 4.0 / 4.0
    y = y + 0.0
    y = paddle.tanh(y)
    return int(abs((y - paddle.tanh(paddle.to_tensor([1.0]))).item()) < 1e-5)


def test_the_call_that_cannot_be_rounded_is_named(tmp_path, capsys):
    trials = Trials(InProcessJudge(cancels))
    assert bisect_ops(trials, "bfloat16", ["train.py"], tmp_path) == 0
    out = capsys.readouterr().out
    assert "bfloat16 in no call ... good, " in out
    assert "bfloat16 in all 6 calls ... bad, " in out
    last = out.splitlines()[-1]
    assert last.startswith("Call ")
    assert "of 6 is the first that cannot have bfloat16 results: " in last
    assert "test_ops.py:" in last


def test_ends_are_checked(tmp_path):
    with pytest.raises(UnusableError, match="the good end is bad"):
        bisect_ops(Trials(InProcessJudge(lambda: 3)), "float16", ["t.py"], tmp_path)
    with pytest.raises(UnusableError, match="there is nothing to round"):
        bisect_ops(Trials(InProcessJudge(lambda: 0)), "float16", ["t.py"], tmp_path)
    exact = InProcessJudge(lambda: int((paddle.ones([1]) * 2.0).item()) - 2)
    with pytest.raises(UnusableError, match="the bad end is good"):
        bisect_ops(Trials(exact), "float16", ["t.py"], tmp_path)


@pytest.mark.deep
def test_the_page_prints_what_the_command_does(tmp_path, capfd, monkeypatch):
    head = "Which call of an op cannot be in bfloat16?"
    assert_page_is_true(head, "float16", tmp_path, capfd, monkeypatch)
