"""python -m jaxeager lockstep: aligning nodes, ULPs, the report, and two real runs."""

import subprocess
import sys

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.debug.lockstep import command, instrument
from jaxeager.debug.lockstep.compare import Node, compare, report, ulps

ONE = np.array([1.0, 0.25], "float32")


def _node(name, made, line=3):
    stack = f'  File "{__file__}", line {line}, in f\n    x'
    return Node(name, stack, [ONE], made)


def test_ulps_are_those_of_the_greatest_number_and_the_coarser_dtype():
    step = np.spacing(np.float32(1))
    assert ulps(ONE, ONE + np.array([0, 3 * step], "float32")) == (3.0, (1,))
    assert ulps(ONE, ONE.astype("float64") + step / 2)[0] == 0.5
    assert ulps(np.array([np.nan, np.inf]), np.array([np.nan, np.inf])) == (0.0, (0,))
    assert ulps(np.array([1.0]), np.array([np.nan]))[0] == np.inf
    assert ulps(np.array([3]), np.array([5])) == (2.0, (0,))
    assert ulps(np.zeros([0]), np.zeros([0])) == (0.0, ())


def test_the_first_node_that_differs_is_found_past_one_that_only_one_run_has():
    tanh, off = _node("TanhGradNode", [ONE]), _node("TanhGradNode", [ONE * 2])
    one = [[_node("AddGradNode", [ONE])], [_node("MulGradNode", [ONE]), tanh]]
    scale = _node("ScaleGradNode", [ONE])
    other = [[_node("add1GradNode", [ONE])], [_node("mul7GradNode", [ONE]), scale, off]]
    found = compare(one, other, 10)
    assert (found.steps, found.aligned, found.worst) == ((2, 2), 3, 0.0)
    assert [node.name for _, node in found.alone[1]] == ["ScaleGradNode"]
    far = found.parting
    assert (far.step, far.nodes[0].name, far.given_ulps) == (2, "TanhGradNode", 0.0)
    assert (far.index, far.values) == ((0, (0,)), (1.0, 2.0))
    text = report(found, ("paddle", "jaxeager"))
    assert "backward 2: TanhGradNode, test_lockstep.py:3: gradients " in text
    assert "only jaxeager: ScaleGradNode" in text


def test_nodes_of_two_lines_are_not_one():
    found = compare([[_node("AddGradNode", [ONE], 3)]], [[_node("AddGradNode", [ONE], 4)]], 10)
    assert (found.aligned, len(found.alone[0]), len(found.alone[1])) == (0, 1, 1)


def test_what_only_one_library_computes_is_no_difference():
    label = np.zeros(2, "int64")
    assert compare([[_node("A", [ONE, label])]], [[_node("A", [ONE])]], 10).parting is None
    assert compare([[_node("A", [None, ONE])]], [[_node("A", [ONE])]], 10).parting is None
    found = compare([[_node("A", [ONE])]], [[_node("A", [np.ones(3, "float32")])]], 10)
    assert found.parting.note == "gradient 0 has shapes [2] and [3]"


def test_sides():
    side = command.read_side("paddle:float64@/usr/bin/python3")
    assert (side.library, side.dtype, side.device, side.python) == (
        "paddle", "float64", "", "/usr/bin/python3",
    )  # fmt: skip
    with pytest.raises(errors.InvalidArgumentError, match="jaxeager or paddle"):
        command.read_side("torch")


def test_the_second_run_takes_the_values_of_the_first(tmp_path):
    first = instrument.Values(str(tmp_path / "v"), True)
    assert first.exchange([ONE]) is None
    second = instrument.Values(str(tmp_path / "v"), False)
    (found,) = second.exchange([np.zeros(2, "float32")])
    assert np.array_equal(found, ONE)
    assert second.exchange([ONE]) is None  # the first run has ended
    for each in (first, second):
        each._file.close()


def test_hooks_see_every_node_once():
    x = paddle.ones([2])
    x.stop_gradient = False
    y = (x * x).sum()
    nodes = instrument._nodes([y])
    assert [node.name() for node in nodes] == ["SumGradNode", "MultiplyGradNode"]
    steps = []
    for node in nodes:
        node._register_post_hook(instrument._hook(steps, node))
    y.backward()
    assert [step["name"] for step in steps] == ["SumGradNode", "MultiplyGradNode"]
    assert steps[1]["given"][0].tolist() == [1.0, 1.0]


PROGRAM = """
import paddle
layer = paddle.nn.Linear(4, 3)
x = paddle.rand([2, 4])
for step in range(2):
    y = layer(x)
    if step and paddle.get_default_dtype() == "float64":
        y = y * 1.001
    loss = (y * y).sum()
    loss.backward()
"""


@pytest.mark.deep
def test_two_runs(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    start = [sys.executable, "-m", "jaxeager", "lockstep", "--sides"]
    same = subprocess.run(
        [*start, "jaxeager,jaxeager", str(script)], capture_output=True, text=True
    )
    assert same.returncode == 0, same.stdout + same.stderr
    assert "2 and 2 backwards, 8 nodes side by side, 0 and 0 alone" in same.stdout
    assert "at most 0.0 ULPs" in same.stdout
    apart = subprocess.run(
        [*start, "jaxeager,jaxeager:float64", str(script)], capture_output=True, text=True
    )
    assert apart.returncode == 1, apart.stdout + apart.stderr
    assert "backward 2: MultiplyGradNode, program.py:9" in apart.stdout
