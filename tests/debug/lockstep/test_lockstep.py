"""python -m jaxeager lockstep: aligning nodes, ULPs, the report, and two real runs."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import errors
from jaxeager.debug.lockstep import command, instrument
from jaxeager.debug.lockstep.compare import Node, Step, compare, read, report, ulps

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
    far = found.divergence
    assert (far.step, far.nodes[0].name, far.given_ulps) == (2, "TanhGradNode", 0.0)
    assert (far.index, far.values) == ((0, (0,)), (1.0, 2.0))
    text = report(found, ("paddle", "jaxeager"))
    assert "backward 2: TanhGradNode, test_lockstep.py:3: gradients " in text
    assert "only jaxeager: ScaleGradNode" in text


def test_nodes_of_two_lines_are_not_one():
    found = compare([[_node("AddGradNode", [ONE], 3)]], [[_node("AddGradNode", [ONE], 4)]], 10)
    assert (found.aligned, len(found.alone[0]), len(found.alone[1])) == (0, 1, 1)


def test_nodes_without_a_line_align_by_name_and_order():
    double = _node("TanhDoubleGradNode", [ONE])
    found = compare([[double._replace(stack="")]], [[double]], 10)
    assert (found.aligned, found.alone) == (1, ([], []))


def test_a_gradient_that_only_one_library_computes_is_no_difference():
    label = np.zeros(2, "int64")
    assert compare([[_node("A", [ONE, label])]], [[_node("A", [ONE])]], 10).divergence is None
    assert compare([[_node("A", [None, ONE])]], [[_node("A", [ONE])]], 10).divergence is None
    found = compare([[_node("A", [ONE])]], [[_node("A", [np.ones(3, "float32")])]], 10)
    assert found.divergence.note == "gradient 0 has shapes [2] and [3]"


def test_sides():
    side = command.read_side("paddle:float64@/usr/bin/python3")
    assert (side.library, side.dtype, side.device, side.python) == (
        "paddle", "float64", "", "/usr/bin/python3",
    )  # fmt: skip
    with pytest.raises(errors.InvalidArgumentError, match="jaxeager or paddle"):
        command.read_side("torch")


def test_a_side_may_be_another_checkout(tmp_path):
    here = command.read_side("jaxeager")
    assert (here.python, here.root) == (sys.executable, command._ROOT)
    there = command.read_side("jaxeager:float64@/usr/bin/python3")
    assert (there.python, there.root) == ("/usr/bin/python3", "")  # the one that it has installed
    (tmp_path / "jaxeager").mkdir()
    with pytest.raises(errors.InvalidArgumentError, match="there is no jaxeager in the folder"):
        command.read_side(f"jaxeager@{tmp_path}")
    (tmp_path / "jaxeager" / "__init__.py").write_text("")
    other = command.read_side(f"jaxeager@{tmp_path}")
    assert (other.python, other.root) == (sys.executable, str(tmp_path))


def test_frames_of_the_runs_own_library_are_not_the_programs():
    frames = '  File "/me/train.py", line 4, in f\n  File "/old/jaxeager/nn/a.py", line 9, in g\n'
    assert Node("A", frames, [], [], "backward", "/old/jaxeager").line == "train.py:4"
    assert Node("A", frames, [], []).line == "a.py:9"


def test_the_report_says_where_to_look():
    def told(a, b, roots=(ONE, ONE)):
        found = compare([Step(a, [roots[0]])], [Step(b, [roots[1]])], 10)
        return report(found, ("a", "b"))

    wrong = [_node("A", [ONE * 2])]
    text = told([_node("A", [ONE])], wrong)
    assert "the forward agrees: backward 1 starts from values 0 ULPs apart\n" in text
    assert "both runs have the same nodes, of the same lines: look at the library\n" in text
    text = told([_node("A", [ONE])], [_node("B", [ONE]), *wrong], (ONE, ONE * 2))
    assert "the forward differs already: backward 1 starts from values " in text
    assert "only one run has nodes of " in text
    text = told([_node("A", [ONE])], [_node("A", [ONE])], (ONE, ONE * 2))
    assert "but step 1 starts from values " in text


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
        node._register_post_hook(instrument._hook(steps, node, "backward"))
    y.backward()
    assert [step["name"] for step in steps] == ["SumGradNode", "MultiplyGradNode"]
    assert steps[1]["given"][0].tolist() == [1.0, 1.0]


@pytest.fixture
def recording(tmp_path):
    names = {name: str(tmp_path / name) for name in ("values", "out", "stacks")}
    flags = {"FLAGS_call_stack_level": 3, "FLAGS_draw_backward_graphs": False}
    before = paddle.get_flags(list(flags))
    paddle.set_flags(flags)
    made = instrument.Recording(paddle, {**names, "is_first": True})
    yield made
    paddle.set_flags(before)
    made.out.close()
    made.values._file.close()


def test_a_grad_is_a_step_as_a_backward_is(recording, tmp_path):
    x = paddle.ones([2])
    x.stop_gradient = False
    grad = recording.recording(paddle.grad, "outputs")
    (slope,) = grad(outputs=[(x * x).sum()], inputs=x, create_graph=True)
    recording.recording(paddle.Tensor.backward, "self")((slope * slope).sum())
    first, second = read(tmp_path / "out")
    assert [(node.name, node.call) for node in first] == [
        ("SumGradNode", "grad"), ("MultiplyGradNode", "grad"),
    ]  # fmt: skip
    assert {node.call for node in second} == {"backward"}
    assert first[1].line.startswith("test_lockstep.py:")
    assert "MultiplyDoubleGradNode" in [node.name for node in second]
    assert "grad 1: " in report(compare([first], [[first[0], _off(first[1])]], 10), ("a", "b"))


def _off(node):
    return node._replace(made=[each * 2 for each in node.made])


def test_a_backward_that_the_library_itself_starts_is_no_step(recording):
    grad = recording._of_script(paddle.grad, recording.recording(paddle.grad, "outputs"))
    x = paddle.ones([2])
    x.stop_gradient = False
    of_library = compile("grad((x * x).sum(), x)", f"{paddle.__path__[0]}/autograd/a.py", "eval")
    eval(of_library, {"grad": grad, "x": x})
    assert recording.backwards == 0
    grad((x * x).sum(), x)
    assert recording.backwards == 1


def test_the_files_of_copied_nodes_say_in_which_order_they_ran(tmp_path):
    (tmp_path / "a_call_stack.log").write_text(
        "GradNodeBase TanhGradNode ptr : 0x20 call stack: \n  second\n\n"
        "GradNodeBase TanhGradNode ptr : 0x10 call stack: \n  first\n"
    )
    (tmp_path / "a_backward_graph.dot").write_text(
        'node_2[label="TanhGradNode\\nPtr: 0x20" shape="box"]\n'
        'node_1[label="TanhGradNode\\nPtr: 0x10" shape="box"]\n'
        'node_1->node_2[label=""]\nnode_2->node_3[label=""]\n'
    )
    (tmp_path / "a_ref_forward_graph.dot").write_text("node_9->node_1[]")
    stacks, ran = instrument._read_files(str(tmp_path))
    assert stacks == {0x10: "  first", 0x20: "  second"}
    assert ran == [("TanhGradNode", 0x10), ("TanhGradNode", 0x20)]
    assert not list(tmp_path.iterdir())


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


def _lockstep(script, sides, text):
    script.write_text(text)
    command = [sys.executable, "-m", "jaxeager", "lockstep", "--sides", sides, str(script)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.deep
def test_two_runs(tmp_path):
    script = tmp_path / "program.py"
    same = _lockstep(script, "jaxeager,jaxeager", PROGRAM)
    assert same.returncode == 0, same.stdout + same.stderr
    assert "2 and 2 backwards, 8 nodes side by side, 0 and 0 alone" in same.stdout
    assert "at most 0.0 ULPs" in same.stdout
    apart = _lockstep(script, "jaxeager,jaxeager:float64", PROGRAM)
    assert apart.returncode == 1, apart.stdout + apart.stderr
    assert "backward 2: MultiplyGradNode, program.py:9" in apart.stdout


PENALTY = """
import paddle
layer = paddle.nn.Linear(4, 3)
x = paddle.rand([2, 4])
x.stop_gradient = False
for step in range(2):
    y = paddle.tanh(layer(x))
    z = paddle.tanh(y)
    if step and CHANGED:
        y = y * 1.001
    score = (y * z).sum()
    (slope,) = paddle.grad(outputs=score, inputs=[x], create_graph=True)
    penalty = ((slope.norm(2, axis=1) - 1) ** 2).mean()
    penalty.backward()
"""


@pytest.mark.deep
def test_a_difference_in_a_gradient_penalty(tmp_path):
    changed = 'paddle.get_default_dtype() == "float64"'
    apart = _lockstep(
        tmp_path / "penalty.py", "jaxeager,jaxeager:float64", PENALTY.replace("CHANGED", changed)
    )
    assert apart.returncode == 1, apart.stdout + apart.stderr
    assert "grad 3: MultiplyGradNode, penalty.py:11" in apart.stdout


@pytest.mark.live
def test_a_difference_in_a_gradient_penalty_from_real_paddle(tmp_path):
    sides, script = "paddle,jaxeager", tmp_path / "penalty.py"
    same = _lockstep(script, sides, PENALTY.replace("CHANGED", "False"))
    assert same.returncode == 0, same.stdout + same.stderr
    assert "4 and 4 backwards, 38 nodes side by side" in same.stdout
    apart = _lockstep(script, sides, PENALTY.replace("CHANGED", '"jaxeager" in paddle.__file__'))
    assert apart.returncode == 1, apart.stdout + apart.stderr
    assert "grad 3: MultiplyGradNode, penalty.py:11" in apart.stdout
    assert apart.stdout.count("score = (y * z).sum()") == 2  # both record its line


@pytest.mark.deep
@pytest.mark.parametrize(
    ("file", "right", "wrong", "said"),
    [
        ("trigonometry", "return dout * (1 - out * out)", "return dout * (1 - out)",
         "backward 1: TanhGradNode, program.py:6"),
        ("unary", "return x * x\n", "return x * x * 1.01\n",
         "but step 1 starts from values "),
    ],
)  # fmt: skip
def test_a_bug_in_another_checkout(file, right, wrong, said, tmp_path):
    shutil.copytree(
        f"{command._ROOT}/jaxeager", tmp_path / "old" / "jaxeager",
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    row = tmp_path / "old" / "jaxeager" / "ops" / "elementwise" / f"{file}.py"
    assert right in row.read_text()
    row.write_text(row.read_text().replace(right, wrong, 1))
    program = PROGRAM.replace("layer(x)", "paddle.tanh(layer(x))").replace(
        "(y * y)", "paddle.square(y)"
    )
    found = _lockstep(tmp_path / "program.py", f"jaxeager,jaxeager@{tmp_path / 'old'}", program)
    assert said in found.stdout, found.stdout + found.stderr
    assert ("look at the library" in found.stdout) == (found.returncode == 1)
