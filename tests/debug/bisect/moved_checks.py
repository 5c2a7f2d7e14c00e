"""Checks of bisect between two devices, in a process that has several: see test_moved.py."""

import contextlib
import io
import json
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace

import jax

import jaxeager as paddle
from jaxeager.debug.bisect.judge import Trials, Verdict
from jaxeager.debug.bisect.moved import MovedCalls, bisect_moved, run_moved
from jaxeager.debug.bisect.search import BAD, GOOD
from jaxeager.graph import events

OTHER = "cpu:1"


@contextlib.contextmanager
def wrong(name):
    """Make a kernel wrong on every device but the first."""
    call = MovedCalls.call

    def planted(self, kernel, operands, given):
        if kernel.rule.__name__ == name:
            kernel = SimpleNamespace(kernel=_wrong_elsewhere(kernel.kernel), rule=kernel.rule)
        return call(self, kernel, operands, given)

    MovedCalls.call = planted
    try:
        yield
    finally:
        MovedCalls.call = call


def _wrong_elsewhere(kernel):
    def changed(*arrays):
        (device,) = jax.tree.leaves(arrays)[0].devices()
        factor = 1.5 if device.id else 1.0
        return jax.tree.map(lambda each: each * factor, kernel(*arrays))

    return changed


def trains():
    """Return the loss and weights after two steps, of which each reads a value."""
    x = paddle.to_tensor([0.5, 1.5, 2.0], stop_gradient=False)
    sgd = paddle.optimizer.SGD(0.1, parameters=[x])
    for _ in range(2):
        loss = (paddle.tanh(x) * paddle.exp(x)).sum()
        loss.backward()
        sgd.step()
        sgd.clear_grad()
    return [loss.item(), *x.tolist()]


def moved(first, run, device=OTHER):
    """Return what a function returns with its first calls on a device, and the report."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "calls.json"
        run_moved(device, first, str(report), [], lambda _: found.append(run()) or 0)
        return found[0], json.loads(report.read_text())


def check_a_moved_program_has_the_same_numbers_and_calls():
    wanted = trains()
    _, none = moved(0, trains)
    assert none["count"] > 12
    assert none["name"] == ""
    for first in (1, 5, 9, none["count"], 2**60):
        found, report = moved(first, trains)
        assert found == wanted
        assert report["count"] == none["count"]
        assert "moved_checks.py:" in report["line"]
        if first <= none["count"]:
            assert report["more"] == ["its results are equal on cpu:0 and cpu:1"]


def check_results_return_to_where_they_would_have_been():
    for x in (paddle.ones([1]), paddle.to_tensor([1.0])):
        y, _ = moved(1, lambda x=x: x * 2.0)
        plain = x * 2.0
        assert y.place == plain.place
        assert y._array.committed == plain._array.committed
    there = paddle.to_tensor([1.0], place=OTHER)
    y, report = moved(1, lambda: there * 2.0, "cpu:0")
    assert (y.place, y._array.committed, report["count"]) == (there.place, True, 1)


class InProcess:
    """Runs a function in this process; a run is good if its result is the one that is given."""

    with_checksums = False

    def __init__(self, run, wanted):
        self._run, self._wanted = run, wanted

    def judge(self, start):
        first, report = (start.command[at] for at in (7, 9))
        run_moved(OTHER, int(first), report, [], lambda _: results.append(self._run()) or 0)
        return Verdict(GOOD) if results.pop() == self._wanted else Verdict(BAD, "another result")

    def first_difference(self, good, bad):
        return ""


results: list = []


def found_with(kernel):
    """Return what the search prints while a kernel is wrong on the other device."""
    wanted, out = trains(), io.StringIO()
    with wrong(kernel), tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        trials = Trials(InProcess(trains, wanted))
        assert bisect_moved(trials, OTHER, ["train.py"], Path(folder)) == 0
    return out.getvalue()


def check_calls_of_forward_backward_and_optimizers_are_named():
    kernels = {"tanh": "tanh", "tanh_grad": "TanhGradNode", "optimizer_step": "optimizer_step"}
    for kernel, name in kernels.items():
        out = found_with(kernel)
        assert re.search(
            rf"is the first that cannot run on cpu:1: {name} at .*moved_checks.py:\d+\n"
            r"  result 0 at \[\d\]: \S+ on cpu:0, \S+ on cpu:1, \S+ ULPs apart\n$",
            out,
        ), out


def check_calls_of_several_devices_and_of_tools_are_not_counted():
    def run():
        with events.silent():
            return (paddle.to_tensor([1.0]) * 2.0).item()

    assert moved(9, run)[1]["count"] == 0
