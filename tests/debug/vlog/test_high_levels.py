"""The additions of levels 7 to 10, the lines of a partial backward, and those of mixed precision.

The expected lines are those that Paddle 3.3.1 writes for the same programs.
"""

import re

import pytest

import jaxeager as paddle
from jaxeager.base.framework import vlog_guard
from tests.support.here import BACKEND, only_on_a_cpu
from tests.support.leaves import leaf

pytestmark = pytest.mark.usefixtures("untouched")


@pytest.fixture
def lines(capfd):
    """Run a function at levels; return "module: first line" without pointers and names."""

    def run(levels, function):
        capfd.readouterr()
        with vlog_guard(levels):
            function()
        text = capfd.readouterr().err
        found = re.findall(r"^\t*[IW]\d{4} [\d:.]+ +\d+ (\w+)\.\w+:\d+\] ?(.*)$", text, re.M)
        return [f"{module}: {re.sub('0x[0-9a-f]+', '0x', line)}".strip() for module, line in found]

    return run


def test_a_forward_call_at_level_10(lines):
    y = leaf() * 2
    found = lines(10, lambda: y * y)
    assert "grad_node_info: Construct GradNodeBase" in found
    at = found.index(f"kernel_dispatch: update BackendSet by tensor: add [{BACKEND}]")
    assert found[at + 1] == found[at]
    assert found[at + 2] == f"api: multiply API kernel key: [{BACKEND}, NCHW, float32]"
    edges = [line for line in found if line.startswith("grad_node_info")][1:]
    assert [line.split(": ")[1][:14] for line in edges] == [
        "Add Edges for ", "Resetting Edge", "Add Edges for ", "Resetting Edge", "Set GradSlotMe",
    ]  # fmt: skip
    assert re.fullmatch(
        r"grad_node_info: Resetting Edge\(0x\)'s Grad Node from nullptr\(0\) to scale1GradNode"
        r"\(0x\)|grad_node_info: Resetting Edge\(0x\)'s Grad Node from nullptr\(0\) to "
        r"ScaleGradNode\(0x\)",
        edges[1],
    )


def test_a_backward_at_level_10(lines):
    x = leaf()
    y = (x * x).sum()
    found = lines(10, y.backward)
    start = found.index("backward: SumGradNode(0x) Found pending node: MultiplyGradNode(0x)")
    passed = [each.split(": ", 1) for each in found[start + 1 : start + 9]]
    assert [module for module, _ in passed] == [
        "backward", "backward", *["grad_tensor_holder"] * 3, "backward", "backward",
        "grad_tensor_holder",
    ]  # fmt: skip
    assert passed[0][1].startswith("RunBackward: Get Edge and grad_output_tensor with slot: 0, ")
    assert [text for _, text in passed[2:5]] == [
        "Init GradTensorHolder with meta size: 1", "Init GradTensorHolder with meta rank: 1",
        "Init GradTensorHolder with dtype: float32",
    ]  # fmt: skip
    assert passed[5][1] == "RunBackward: Sum or Move grad inputs for edge slot: 0, rank: 0"
    assert passed[7][1] == "GradTensorHolder: Move Tensor for buffer_ slot: 0, size: 1"
    holders = [line for line in found if "Tensor for buffer_ slot" in line]
    assert [line.split()[2] for line in holders] == ["Add", "Move", "Move", "Add"]
    wrapper = [line for line in found if line.startswith("tensor_wrapper")]
    assert "There's no need to check inplace_version because no_need_buffer_ is true." in wrapper[1]
    assert re.search(r"The wrapper_version_snapshot of Tensor '.*' is \[ 0 \]", wrapper[4])
    assert re.search(r"The tensor_version of Tensor '.*' is \[ 0 \]", wrapper[5])
    assert "Recovered TensorWrapper with GradNode GradNodeAccumulation addr: 0x" in wrapper[6]
    assert found.count("backward: RunBackward: Run Backward Kernel with GradTensorHolder.") == 3
    assert "dense_tensor: Allocate data with bytes: 8" in found


def test_a_saved_tensor_that_was_written_shows_both_versions(lines):
    x = leaf()
    y = x * 1
    z = (y * y).sum()
    y.scale_(2.0)

    def fail():
        with pytest.raises(RuntimeError, match="modified by an inplace"):
            z.backward()

    found = lines({"tensor_wrapper": 7}, fail)
    texts = [re.sub("'.*'", "''", line.partition(": ")[2].strip()) for line in found]
    at = texts.index("The wrapper_version_snapshot of Tensor '' is [ 0 ]")
    assert texts[at + 1] == "The tensor_version of Tensor '' is [ 1 ]"


SETUP = [
    "Running in GetTargetNodesInfo.", "Running in GetTargetNodesInfo.", "inputs are not empty.",
    "Running in PurifyPotentialStartUpNodes", "Running In GetGraphInfoBetweenTargets",
    "Running in UpdateGraphInfo", "Emplace startup_ops",
]  # fmt: skip


def graph():
    """Return two leaves, the tensors between them and a sum, and the sum."""
    x, y = leaf(), leaf()
    a = x * x
    b = a.exp() + y.tanh()
    return x, y, a, b, b.sum()


def test_a_partial_backward_writes_paddles_general_grad_lines(lines):
    x, _, _, _, loss = graph()
    found = lines({"general_grad": 10}, lambda: paddle.grad(loss, x))
    assert found == [
        f"general_grad: {each}"
        for each in [
            *SETUP,
            "Get stop edge from grad_node: AddGradNode : 0x to:TanhGradNode, 0x with output rank "
            "info: 1, 0",
            "Running in RegisterFetchGradHook.",
            "No need to call FetchGradForTensor for GradNodeAccumulation",
            "Set result for ending_nodes_ with grad_output_tensors",
            "Running in GetResults",
        ]
    ]


def test_so_does_one_with_a_root_behind_another_and_an_inner_target(lines):
    _, y, a, b, loss = graph()
    found = lines({"general_grad": 6}, lambda: paddle.grad([b, loss], [a, y]))
    texts = [each.removeprefix("general_grad: ") for each in found]
    texts = [each for each in texts if not each.startswith("Get stop edge")]
    assert texts == [
        *SETUP,
        "Set up potential_startup_nodes_to_be_erased",
        "Erase nodes in potential_startup_nodes_to_be_erased",
        "Running in RegisterFetchGradHook.",
        "No need to call FetchGradForTensor for ending_nodes",
        "No need to call FetchGradForTensor for GradNodeAccumulation",
        "Set result for ending_nodes_ with grad_output_tensors",
        "Set result for ending_nodes_ with grad_output_tensors",
        "Running in GetResults",
    ]


def test_a_whole_backward_has_none(lines):
    assert lines({"general_grad": 10}, graph()[-1].backward) == []


def test_mixed_precision_of_a_linear_layer_is_written(lines):
    layer = paddle.nn.Linear(2, 3)
    x = paddle.ones([1, 2])

    def run():
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            layer(x)

    found = lines({"amp_utils": 6}, run)
    assert found == [
        "amp_utils: AMP GetAmpDestDtype: op(linear) amp_dtype(bfloat16) amp_level(2).",
        "amp_utils: AMP AmpAutoCasts: op_name(linear) input(x) dst_dtype(bfloat16).",
        "amp_utils: AMP AmpAutoCasts: op_name(linear) input(weight) dst_dtype(bfloat16).",
        "amp_utils: AMP AmpAutoCasts: op_name(linear) input(bias) dst_dtype(bfloat16).",
    ]
    x = x.astype("bfloat16")
    assert not [line for line in lines({"amp_utils": 6}, run) if "input(x)" in line]


# ---- before a call is checked


@only_on_a_cpu("it is refused later, and the call had its lines")
def test_a_call_whose_index_is_refused_has_its_line(capfd):
    x, far = paddle.ones([3, 2]), paddle.to_tensor([5])

    with vlog_guard(3), pytest.raises(IndexError):
        paddle.gather(x, far)
    bar = "=" * 26
    said = capfd.readouterr().err
    assert said.splitlines()[-2] == f"{bar}Running_AD_API: gather{bar}"
    with vlog_guard(2), pytest.raises(IndexError):
        paddle.gather(x, far)
    assert capfd.readouterr().err == ""


def test_a_jax_function_has_its_lines_before_it_runs(capfd):
    seen = []

    def look(a):
        seen.append(capfd.readouterr().err)
        return a

    twice = paddle.autograd.from_jax(look, name="twice")
    with vlog_guard(3):
        twice(paddle.ones([2]))
    assert "Running_C++_API: twice1" in seen[0]
    assert "Finish_C++_API: twice1" not in seen[0]


def test_a_step_has_its_first_lines_before_it_runs(capfd):
    x = leaf()
    sgd = paddle.optimizer.SGD(0.1, parameters=[x])
    (x * x).sum().backward()
    with vlog_guard(3), pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(sgd._state), "state_dict", lambda self: {})
        patch.setattr(type(sgd), "_rate_array", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sgd.step()
    assert "Running_C++_API: sgd_1" in capfd.readouterr().err
