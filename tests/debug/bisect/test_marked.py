"""bisect between functions of to_static as they are marked and as plain Python."""

import json
import re

import pytest

import jaxeager as paddle
from jaxeager.__main__ import main
from jaxeager.debug.bisect.judge import Trials, Verdict
from jaxeager.debug.bisect.marked import bisect_static, run_static, run_within
from jaxeager.debug.bisect.search import BAD, GOOD, SKIP, UnusableError
from jaxeager.jit import switching
from jaxeager.kernels.lazy import segments
from tests.debug.bisect.stubs import assert_page_is_true


@paddle.jit.to_static(full_graph=True)
def doubled(x):
    is_python()
    return x * 2


@paddle.jit.to_static
def added(x):
    is_python()
    return x + 1


class Scale:
    @paddle.jit.to_static(full_graph=True)
    def __call__(self, x):
        is_python()
        return x * 3


ran: list[bool] = []


def is_python():
    """Note whether Python runs in lazy mode; a captured program does not call this again."""
    from jaxeager.kernels.lazy import mode

    ran.append(mode.can_record() and mode.is_chosen())
    return True


def uses():
    """Call three functions, each twice; return the result."""
    ran.clear()
    scale, x = Scale(), paddle.to_tensor([1.0])
    for _ in range(2):
        y = scale(added(doubled(x)))
    return y.tolist()


def report_of(run, tmp_path, *numbers):
    """Return what ``uses`` returns in a run, and the report."""
    found, report = [], tmp_path / "report.json"
    run(*numbers, str(report), [], lambda _: found.append(uses()) or 0)
    return found[0], json.loads(report.read_text())


@pytest.mark.parametrize(("first", "calls"), [(0, 6), (1, 5), (2, 5), (3, 4)])
def test_the_first_functions_are_compiled_and_others_run_their_python(first, calls, tmp_path):
    """A captured function runs its Python once here; the second, in lazy mode, always."""
    doubled._known().programs = None
    result, report = report_of(run_static, tmp_path, first)
    assert result == [9.0]
    assert report["count"] == 3
    assert [name for name, _ in report["functions"]] == ["doubled", "added", "Scale.__call__"]
    assert all(re.search(r"test_marked\.py:\d+$", line) for _, line in report["functions"])
    assert len(ran) == calls
    assert sum(ran) == (2 if first >= 2 else 0)  # of ``added``


def test_one_function_alone_runs_in_lazy_mode(tmp_path):
    result, report = report_of(run_within, tmp_path, 3, 0, 1)
    assert result == [9.0]
    assert ran == [False, False, True, False, False, True]
    assert report["count"] == 2
    assert report["lines"][0][0] == "scale"


def test_the_users_setting_holds(tmp_path):
    paddle.jit.enable_to_static(False)
    try:
        _, report = report_of(run_static, tmp_path, 3)
        assert report["count"] == 0
        assert len(ran) == 6
    finally:
        paddle.jit.enable_to_static(True)


def test_everything_is_as_before_afterwards(tmp_path):
    for run, numbers in ((run_static, (1,)), (run_within, (1, 0, 1))):
        with pytest.raises(ZeroDivisionError):
            run(*numbers, str(tmp_path / "r"), [], lambda _: 1 // 0)
    assert switching.switch == {"enabled": True, "compiles": True}
    assert segments.observer is None


class Judge:
    """Judges a run as bad if some function is compiled, and in lazy mode as the test says."""

    with_checksums = False

    def __init__(self, bad, count=5, skipped=(), in_lazy_mode=GOOD):
        self._bad, self._count, self._skipped = bad, count, skipped
        self._in_lazy_mode = in_lazy_mode
        self.commands = []

    def judge(self, start):
        given = start.command
        self.commands.append(given)
        if "--within" in given:
            return Verdict(self._in_lazy_mode)
        first = int(given[given.index("--calls") + 1])
        functions = [(f"f{n}", f"train.py:{n}") for n in range(1, self._count + 1)]
        with open(given[given.index("--report") + 1], "w") as file:
            json.dump({"count": self._count, "functions": functions}, file)
        if first in self._skipped:
            return Verdict(SKIP, "exit status 125")
        return Verdict(BAD if first >= self._bad else GOOD)


@pytest.mark.parametrize("bad", [1, 3, 5])
def test_the_function_is_found(bad, tmp_path, capsys):
    judge = Judge(bad)
    assert bisect_static(Trials(judge), ["train.py"], tmp_path) == 0
    out = capsys.readouterr().out
    assert (
        f"Function {bad} of 5 changes the outcome when it is compiled: f{bad} at train.py:{bad}\n"
    ) in out
    assert f"Its ops are not the reason: f{bad} is good when its Python runs on every call" in out
    last = judge.commands[-1]
    assert last[last.index("--within") + 1] == str(bad)


def test_skipped_runs_leave_several(tmp_path, capsys):
    assert bisect_static(Trials(Judge(3, skipped=(2, 3))), ["t.py"], tmp_path) == 1
    assert "it is one of functions 2 to 4" in capsys.readouterr().out


def test_ends_are_checked(tmp_path):
    with pytest.raises(UnusableError, match="marked by to_static"):
        bisect_static(Trials(Judge(1, count=0)), ["t.py"], tmp_path)
    with pytest.raises(UnusableError, match="the good end is bad"):
        bisect_static(Trials(Judge(0)), ["t.py"], tmp_path)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--ops", "lazy", "--within", "1", "--calls", "2"], "--within is for --ops static"),
        (["--ops", "static", "--within", "1"], "--within is for --ops static with --calls"),
        (["--ops", "static", "--calls", "2", "--after", "1"], "--after is for --ops lazy"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, text, capsys):
    with pytest.raises(SystemExit):
        main(["bisect", *options, "train.py"])
    assert text in capsys.readouterr().err


@pytest.mark.deep
def test_the_page_prints_what_the_command_does(tmp_path, capfd, monkeypatch):
    head = "Which function cannot `to_static` compile?"
    assert_page_is_true(head, "static", tmp_path, capfd, monkeypatch)


@pytest.mark.deep
def test_what_was_captured_is_told_from_what_is_computed(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(
        "import paddle\n"
        "class Hidden:\n"
        "    def __float__(self):\n        return self.__dict__['value']\n"
        "hidden = Hidden()\n"
        "hidden.__dict__['value'] = 1.0\n"
        "@paddle.jit.to_static(full_graph=True)\n"
        "def scaled(x):\n    return x * float(hidden)\n"
        "scaled(paddle.ones([2]))\n"
        "hidden.__dict__['value'] = 0.5\n"
        "assert scaled(paddle.ones([2])).tolist() == [0.5, 0.5]\n"
    )
    assert main(["bisect", "--ops", "static", "train.py"]) == 0
    out = capfd.readouterr().out
    assert "Function 1 of 1 changes the outcome when it is compiled: scaled at " in out
    assert "Its ops are not the reason" in out
