"""bisect between lazy mode and its kernels one by one: which calls are compiled together."""

import json

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.__main__ import main
from jaxeager.debug.bisect.compiled import bisect_compiled, run_compiled
from jaxeager.debug.bisect.judge import Trials, Verdict
from jaxeager.debug.bisect.search import BAD, GOOD, SKIP, UnusableError
from jaxeager.kernels.lazy import segments
from tests.debug.bisect.stubs import assert_page_is_true


def trains():
    """Return the losses of three steps of Adam, of which one reads nothing in between."""
    paddle.seed(3)
    net = paddle.nn.Linear(3, 2)
    adam = paddle.optimizer.Adam(0.1, parameters=net.parameters())
    x = paddle.to_tensor(np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(4, 3))
    losses = []
    for _ in range(3):
        loss = (net(x).tanh() ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss)
    return [float(each) for each in losses]


def compiled(after, first, run, tmp_path):
    """Return what a function returns with a range of calls compiled, and the report."""
    found, report = [], tmp_path / "calls.json"
    run_compiled(after, first, str(report), [], lambda _: found.append(run()) or 0)
    return found[0], json.loads(report.read_text())


def test_any_range_has_the_numbers_of_the_program(tmp_path):
    wanted = trains()
    _, none = compiled(0, 0, trains, tmp_path)
    count = none["count"]
    assert count > 30
    assert none["lines"] == []
    for after, first in ((0, count), (0, 1), (3, 20), (count - 2, count), (10, 11), (5, 2**60)):
        losses, report = compiled(after, first, trains, tmp_path)
        np.testing.assert_allclose(losses, wanted, rtol=1e-6)
        assert report["count"] == count
        assert [line.rpartition("/")[2][:16] for _, line in report["lines"]] == 2 * [
            "test_compiled.py"
        ]


def test_only_the_calls_of_the_range_are_in_executables(tmp_path):
    def run():
        before = paddle.lazy_report().executables
        x = paddle.to_tensor([2.0]) * 3.0
        y = x + 1.0
        return (y.tanh() * y).item(), paddle.lazy_report().executables - before

    alone, report = compiled(0, 0, run, tmp_path)
    assert alone[1] == 0
    assert report["count"] == 4
    part, report = compiled(1, 3, run, tmp_path)
    assert part == (alone[0], 1)
    assert [name for name, _ in report["lines"]] == ["scale", "tanh"]


def test_lazy_mode_is_as_before_afterwards(tmp_path):
    with pytest.raises(ZeroDivisionError):
        compiled(0, 5, lambda: 1 // 0, tmp_path)
    assert segments.observer is None
    assert paddle.get_flags("FLAGS_lazy") == {"FLAGS_lazy": False}
    assert json.loads((tmp_path / "calls.json").read_text()) == {"count": 0, "lines": []}


class Needs:
    """Judges a run as bad if all of some calls are compiled; some runs are skipped."""

    with_checksums = False

    def __init__(self, *calls, count=40, skipped=()):
        self._calls, self._count, self._skipped = set(calls), count, set(skipped)
        self.ranges = []

    def judge(self, start):
        given = start.command
        first, after = (int(given[given.index(name) + 1]) for name in ("--calls", "--after"))
        lines = [(f"op{at}", f"train.py:{at}") for at in (after + 1, min(first, self._count))]
        with open(given[given.index("--report") + 1], "w") as file:
            json.dump({"count": self._count, "lines": lines}, file)
        self.ranges.append((after, first))
        if first in self._skipped:
            return Verdict(SKIP, "exit status 125")
        inside = all(after < each <= first for each in self._calls)
        return Verdict(BAD, "exit status 1") if inside else Verdict(GOOD)


@pytest.mark.parametrize("calls", [(7, 9), (1, 2), (1, 40), (39, 40), (5, 6, 21)])
def test_the_smallest_range_is_found(calls, tmp_path, capsys):
    judge = Needs(*calls)
    assert bisect_compiled(Trials(judge), ["train.py"], tmp_path) == 0
    begin, end = calls[0], calls[-1]
    out = capsys.readouterr().out
    assert (
        f"Calls {begin} to {end} of 40 change the outcome when they are compiled together:\n"
        f"  from op{begin} at train.py:{begin}\n  to op{end} at train.py:{end}\n"
    ) in out
    assert len(judge.ranges) <= 2 + 6 + 1 + 6 + 1
    assert (begin - 1, end) in judge.ranges or begin == 1


def test_a_second_set_of_calls_is_reported(tmp_path, capsys):
    class Two(Needs):
        def judge(self, start):
            verdict = super().judge(start)
            return Verdict(BAD) if self.ranges[-1] == (4, 20) else verdict

    assert bisect_compiled(Trials(Two(5, 21)), ["train.py"], tmp_path) == 0
    out = capsys.readouterr().out
    assert "Calls 5 to 21 of 40 change" in out
    assert out.endswith("without the last it is not: there are others.\n")


@pytest.mark.parametrize("call", [1, 17, 40])
def test_a_call_may_be_bad_alone(call, tmp_path, capsys):
    assert bisect_compiled(Trials(Needs(call)), ["train.py"], tmp_path) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == (
        f"Call {call} of 40 changes the outcome when it is compiled: op{call} at train.py:{call}"
    )


def test_skipped_runs_leave_several(tmp_path, capsys):
    judge = Needs(7, skipped=(6, 7, 8))
    assert bisect_compiled(Trials(judge), ["train.py"], tmp_path) == 1
    assert "the last of the calls is one of 6 to 9" in capsys.readouterr().out


def test_ends_are_checked(tmp_path):
    with pytest.raises(UnusableError, match="the bad end is good"):
        bisect_compiled(Trials(Needs(0)), ["t.py"], tmp_path)
    with pytest.raises(UnusableError, match="there is nothing to compile"):
        bisect_compiled(Trials(Needs(1, count=0)), ["t.py"], tmp_path)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--ops", "lazy", "--judge", "md5"], "checksums look at each op"),
        (["--ops", "float16", "--calls", "2", "--after", "1"], "--after is for --ops lazy"),
        (["--ops", "lazy", "--after", "1"], "--after is for --ops lazy with --calls"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, text, capsys):
    with pytest.raises(SystemExit):
        main(["bisect", *options, "train.py"])
    assert text in capsys.readouterr().err


@pytest.mark.deep
def test_the_page_prints_what_the_command_does(tmp_path, capfd, monkeypatch):
    head = "Which calls can lazy mode not compile?"
    assert_page_is_true(head, "lazy", tmp_path, capfd, monkeypatch)
