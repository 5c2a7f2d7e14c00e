"""debug.compilations: a line for each call that needed kernels."""

import sys

import pytest

import jaxeager as paddle
from jaxeager.kernels import compilations as journal
from jaxeager.kernels.call_shapes import Change


@pytest.fixture(autouse=True)
def _anew():
    """Give each test its own journal."""
    journal.forget()
    yield
    journal.forget()


def test_a_line_of_the_program_is_one_call_whatever_layers_it_runs():
    layers = [paddle.nn.Linear(size, 3) for size in (51, 52)]
    paddle.debug.compilations(forget=True)
    for layer in layers:
        for length in (4, 5, 6):
            layer(paddle.ones([length, layer.weight.shape[0]]))
    line = sys._getframe().f_lineno - 1
    report = paddle.debug.compilations()
    (call,) = [each for each in report.calls if each.name == "matmul"]
    assert (call.kernels, call.file, call.line) == (6, __file__, line)
    assert call.changes == (Change("operand 0, axis 0", (4, 5, 6)),)
    assert report.kernels == sum(each.kernels for each in report.calls)
    assert report.compiled + sum(each.loaded + each.cached for each in report.calls) == (
        report.kernels
    )
    took = [each.cpu_seconds for each in report.calls]
    assert took == sorted(took, reverse=True)
    assert report.cpu_seconds == pytest.approx(sum(took))
    assert report.seconds > 0


def test_the_table():
    for length in (61, 62):
        paddle.zeros([length]).tanh()
    line = sys._getframe().f_lineno - 1
    report = paddle.debug.compilations()
    heads, *rows, total = str(report).splitlines()
    assert heads.split()[:4] == ["kernels", "loaded", "cached", "quick"]
    (row,) = [each for each in rows if " tanh " in each]
    assert row.split()[0] == "2"
    assert f"test_report.py:{line}" in row
    assert row.endswith("operand 0, axis 0: 61, 62")
    assert total.startswith(f"{report.kernels} kernels for {len(report.calls)} calls, ")
    short = report.table(1).splitlines()
    assert short[2] == f"... and {len(report.calls) - 1} more calls"


def test_nothing_yet():
    report = paddle.debug.compilations()
    assert (report.kernels, report.calls) == (0, ())
    assert str(report).splitlines()[-1].startswith("0 kernels for 0 calls, 0 of them compiled")
    paddle.zeros([63])
    assert paddle.debug.compilations(forget=True).kernels > 0
    assert paddle.debug.compilations().kernels == 0


def test_calls_no_longer_kept_are_summed_up(monkeypatch):
    monkeypatch.setattr(journal, "MOST_SITES", 1)
    paddle.zeros([71]).tanh()
    paddle.zeros([72]).tanh()
    calls = {(each.name, each.line == 0): each for each in paddle.debug.compilations().calls}
    assert calls["tanh", True].kernels + calls["full", True].kernels == 3
    assert "(elsewhere)" in str(paddle.debug.compilations())
