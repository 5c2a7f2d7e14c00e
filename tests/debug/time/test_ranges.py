"""ranges: the names of ops, nodes and lines in traces of other profilers."""

import glob
import gzip
import json
import sys
import types

import jax
import pytest

import jaxeager as paddle
from jaxeager.debug.time.ranges import NUMBER, Range
from jaxeager.graph import events
from tests.support.py_layers import Double

HERE = "tests/debug/time/test_ranges.py"


def step(net, optimizer, x):
    loss = net(x).sum()  # the forward
    loss.backward()
    optimizer.step()  # the step


def place(text):
    with open(__file__) as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith(text))


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """Return (name, begin, end) of the ranges of a step, from the file that JAX writes."""
    folder = str(tmp_path_factory.mktemp("trace"))
    net = paddle.nn.Linear(3, 2)
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    with jax.profiler.trace(folder), paddle.debug.ranges():
        step(net, optimizer, paddle.ones([4, 3]))
    (file,) = glob.glob(f"{folder}/**/*.trace.json.gz", recursive=True)
    with gzip.open(file, "rt") as text:
        found = json.load(text)["traceEvents"]
    found = [each for each in found if NUMBER in each.get("args", {})]
    found.sort(key=lambda each: int(each["args"][NUMBER]))
    return [(each["name"], each["ts"], each["ts"] + each["dur"]) for each in found]


def test_ops_nodes_steps_and_layers_have_their_lines(traced):
    names = [name.replace(__file__, HERE) for name, _, _ in traced]
    forward, update = place("# the forward"), place("# the step")
    inner = " > nn/functional/common.py:"
    assert names[1] == f"Linear {HERE}:{forward}"
    assert names[2].startswith(f"matmul {HERE}:{forward}{inner}")
    assert f"sum {HERE}:{forward}" in names
    assert f"SumGradNode {HERE}:{forward}" in names
    assert any(name.startswith(f"MatmulGradNode {HERE}:{forward}{inner}") for name in names)
    assert any(name.startswith(f"sgd step {HERE}:{update}") for name in names)
    assert names.count("GradNodeAccumulation") == 2


def test_a_layer_contains_its_ops(traced):
    (layer,) = [each for each in traced if each[0].startswith("Linear ")]
    (matmul,) = [each for each in traced if each[0].startswith("matmul ")]
    (total,) = [each for each in traced if each[0].startswith("sum ")]
    assert layer[1] <= matmul[1] <= matmul[2] <= layer[2] <= total[1]


@pytest.fixture
def nvtx(monkeypatch):
    """Return what a stand-in for the package nvtx is asked for."""
    calls = []
    module = types.ModuleType("nvtx")
    module.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]  # find_spec looks at it
    module.push_range = calls.append  # type: ignore[attr-defined]
    module.pop_range = lambda: calls.append("end")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nvtx", module)
    return calls


def test_nvtx_gets_the_same_ranges(nvtx):
    with paddle.debug.ranges():
        paddle.ones([2]).tanh()
    assert [each.partition(" ")[0] for each in nvtx] == ["full", "end", "tanh", "end"]


def test_errors_leave_no_range_open(nvtx):
    x = paddle.ones([2])
    x.stop_gradient = False

    def fails(grad):
        raise KeyError("mine")

    x.register_hook(fails)
    with paddle.debug.ranges():
        with pytest.raises(ValueError, match="reshape"):
            x.reshape([7])
        with pytest.raises(KeyError):
            Double.apply(x).sum().backward()
    depths, depth = [], 0
    for each in nvtx:
        depth += -1 if each == "end" else 1
        depths.append(depth)
    assert min(depths) == depths[-1] == 0


def test_the_profiler_turns_them_on_while_it_records(nvtx):
    with paddle.profiler.Profiler(
        scheduler=(1, 2), on_trace_ready=lambda p: None, emit_nvtx=True
    ) as seen:
        for _ in range(3):
            paddle.ones([2]).exp()
            seen.step()
    assert [each.partition(" ")[0] for each in nvtx] == ["full", "end", "exp", "end"]


def test_nothing_is_left_afterwards():
    with paddle.debug.ranges():
        pass
    assert not events.has_ops
    assert not events.has_graph


def test_a_name_has_no_sign_that_begins_arguments():
    assert Range("op", "exp", "a#b.py:3").text == "exp a?b.py:3"
    assert Range("node", "GradNodeAccumulation", "").text == "GradNodeAccumulation"
