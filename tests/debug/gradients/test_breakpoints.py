"""debug.breakpoint_on: the debugger opens before the node, with the data it needs."""

import subprocess
import sys
import textwrap

import pytest

import jaxeager as paddle
from jaxeager import debug
from jaxeager.debug.common import naming
from jaxeager.errors import InvalidTypeError, PermissionDeniedError
from jaxeager.graph import events
from tests.support.leaves import leaf


@pytest.fixture
def stops(monkeypatch):
    """Return what a debugger finds at each stop."""
    found = []

    def hook():
        scope = sys._getframe(1).f_locals
        found.append({name: scope[name] for name in ("node", "gradients", "saved", "title")})

    monkeypatch.setattr(sys, "breakpointhook", hook)
    return found


def test_by_counted_name(stops):
    naming.reset()
    with debug.breakpoint_on("tanh2GradNode") as point:
        x = leaf([1.0, 2.0])
        paddle.tanh(paddle.tanh(paddle.tanh(x)) * 3).sum().backward()
    (stop,) = stops
    assert (point.hits, stop["gradients"][0].shape) == (1, [2])
    assert stop["title"].startswith("tanh2GradNode at test_breakpoints.py:")


def test_by_line_and_only_while_it_is_active(stops):
    before = events.in_force()
    point = debug.breakpoint_on(f"test_breakpoints.py:{sys._getframe().f_lineno + 2}")
    x = leaf([2.0])
    y = paddle.exp(x)
    y.backward()
    assert (point.hits, stops[0]["saved"]["out"].tolist()) == (1, y.tolist())
    assert "exp" in stops[0]["title"]
    assert "test_breakpoints.py:" in stops[0]["title"]
    assert (point.remove(), point.remove()) == (True, False)
    paddle.exp(x).backward()
    assert len(stops) == 1
    assert events.in_force() == before


def test_a_pattern_stops_at_each_and_the_result_is_the_same(stops):
    with debug.breakpoint_on("*GradNode") as point:
        x = leaf([1.0, 2.0])
        (x * x).sum().backward()
    assert (point.hits, x.grad.tolist()) == (2, [2.0, 4.0])


def test_a_later_write_is_reported(stops):
    with debug.breakpoint_on("MultiplyGradNode"):
        x = leaf([1.0, 2.0])
        y = x * 1.0
        z = y * x
        y.zero_()
        with pytest.raises(PermissionDeniedError, match="modified by an inplace"):
            z.sum().backward()
    assert isinstance(stops[0]["saved"]["error"], PermissionDeniedError)


def test_only_text():
    with pytest.raises(InvalidTypeError, match="takes a name or a line, but received 8"):
        debug.breakpoint_on(8)


def test_with_the_real_pdb(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        textwrap.dedent("""\
        import jaxeager as paddle
        from jaxeager import debug
        debug.breakpoint_on("TanhGradNode")
        x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
        paddle.tanh(x * 2).sum().backward()
        print("grad", x.grad.tolist())
        """)
    )
    result = subprocess.run(
        [sys.executable, str(script)], input="p gradients[0].tolist()\nup\np node.name()\nc\n",
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "tanh1GradNode at train.py:5 is about to run" in result.stdout
    assert "[1.0, 1.0]" in result.stdout
    assert "grad [2.0, " in result.stdout
