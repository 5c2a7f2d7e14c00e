"""The verbose log of backward."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.base import core
from jaxeager.base.framework import backward_vlog_guard, vlog_guard
from jaxeager.debug.vlog import backward as vlog_backward
from jaxeager.debug.vlog import nodes as vlog_nodes
from jaxeager.debug.vlog import vlog
from jaxeager.graph import events
from jaxeager.ops.row import ROWS
from tests.debug.vlog_lines import Inner, bars, leaf
from tests.support.here import BACKEND, PLACE

pytestmark = pytest.mark.usefixtures("untouched")

# ---- lines by level


def test_level_3_is_the_skeleton_of_a_backward(logged):
    x = leaf()
    y = x.exp().sum()
    lines = logged(y.backward, 3)
    assert lines[:4] == [
        "backward] Run in Backward",
        f"backward] {'=' * 17}RunBackward: Start Backward {'=' * 17}",
        "backward] RunBackward: Start_up_ops's size is 1",
        "backward] SumGradNode(0x) Preparing",
    ]
    assert bars(lines) == [
        "Running_AD_API_GRAD: sum_grad",
        "Finish_AD_API_GRAD: sum_grad",
        "Running_AD_API_GRAD: exp_grad",
        "Finish_AD_API_GRAD: exp_grad",
        "Running_AD_API_Grad: GradNodeAccumulation",
        "Finish_AD_API_Grad: GradNodeAccumulation",
    ]
    assert "accumulation_node] CopyOrAddTensor: Move Copy Tensor ptr: 0x" in lines
    assert lines[-1] == f"backward] {'=' * 17}RunBackward: Finish Backward {'=' * 17}"


def test_level_4_adds_kernels_and_edges(logged):
    x = leaf()
    y = x.exp()
    lines = logged(lambda: y.backward(paddle.full([2, 2], 2.0)), 4)
    assert "backward] RunBackward: Fill grad input tensor 0 with given grad tensor" in lines
    assert "backward] RunBackward: Update In degree Map for backward" in lines
    assert "backward] ExpGradNode(0x) begin run" in lines
    assert f"backward_api_base] exp_grad API kernel key: [{BACKEND}, NCHW, float32]" in lines
    assert 'backward_api_base] exp_grad kernel: {"input":[' in lines
    assert "backward] ExpGradNode(0x) Found pending node: GradNodeAccumulation(0x)" in lines
    assert "backward] RunBackward: Final hook size: 0" in lines
    assert not any("{ Input" in line or "ref_cnt" in line for line in lines)


def test_level_5_adds_inputs_and_counts(logged):
    x = leaf()
    y = x.exp()
    z = (y + y.sin()).sum()
    lines = logged(z.backward, 5)
    assert "backward] Out Rank of Tensor is slot: 0, rank: 0" in lines
    assert "backward] RunBackward:  Fill grad input tensor 0 with 1.0" in lines
    assert "backward] RunBackward: Totoal GradNodes num is 4" in lines
    assert "nodes] { Input: [" in lines
    assert "backward] ExpGradNode(0x) ref_cnt is: 1" in lines
    assert "backward] ExpGradNode(0x) ref_cnt is: 0" in lines
    text = "RunBackward: retain_graph is false, need to clear the TensorWrapper of nodes."
    assert lines.count(f"backward] {text}") == 5


def test_level_6_has_names(log):
    with vlog_guard(6):
        x = leaf()
        y = x.exp().sum()
        log()
        y.backward()
        lines = log()
    assert "backward] sum1GradNode(0x) Preparing" in lines
    assert "tensor_wrapper] Recover tensor: exp1_out_float32_2x2 for wrapper" in lines
    assert "\tName: exp1_out_float32_2x2@Grad," in lines
    assert "nodes] gradnode_ptr = 0x" in lines
    construct = "RunBackward: Construct GradTensorHolder for grad node: exp1GradNode(0x)"
    assert f"backward] {construct}" in lines
    add = "RunBackward: Add grad_output_tensor to GradTensorHolder, grad_output_tensor info "
    assert f"backward] {add}{PLACE},float32, (2, 2)" in lines
    assert "grad_tensor_holder] GradTensorHolder: Add Tensor for buffer_ slot: 0, size: 1" in lines


def test_multiply_has_its_own_lines(logged):
    x = leaf()
    y = x * x
    lines = logged(y.backward, 3)
    assert "multiply_node] { Input: [" in lines
    assert "Running_C++_API: multiply_grad1" in bars(lines)


def test_a_level_for_one_module_logs_only_that_module(logged):
    y = leaf().exp()
    lines = logged(y.backward, {"accumulation_node": 6})
    assert {line.split("]")[0] for line in lines if re.match(r"\w+\] ", line)} == {
        "accumulation_node"
    }
    assert "\tShape: 2, 2," in [line.replace("\t\t", "\t") for line in lines]


def test_a_gradient_is_added_to_the_one_before(log):
    x = leaf()
    for _ in range(2):
        y = x.exp()
        with vlog_guard(3):
            y.backward()
    lines = [line for line in log() if "CopyOrAdd" in line]
    assert lines == [
        "accumulation_node] CopyOrAddTensor: Move Copy Tensor ptr: 0x",
        "accumulation_node] CopyOrAddTensor: Add Tensor ptr: 0x with Tensor ptr: 0x",
    ]


def test_pointers_are_those_of_node_ptr(capfd):
    y = leaf().exp()
    with vlog_guard(3):
        y.backward()
    assert f"ExpGradNode({y.grad_fn.node_ptr():#x}) Preparing" in capfd.readouterr().err


# ---- hooks, paddle.grad, higher orders


def test_hooks_are_between_the_node_and_its_inputs(logged):
    x = leaf()
    y = x * 2
    y.retain_grads()
    seen = []
    y.register_hook(lambda grad: seen.append(grad.sum()) or grad * 3)
    x.register_hook(lambda grad: None)
    x._register_backward_hook(lambda: None)
    lines = logged(y.backward, {"*": 0, "nodes": 5, "eager_utils": 3})
    assert [line for line in lines if "Hook" in line] == [
        "eager_utils] Call PyTensorHook for var",
        "eager_utils] Call PyTensorHook for var",
        "eager_utils] Call PyVoidHook",
    ]
    assert lines.index("eager_utils] Call PyTensorHook for var") < lines.index("nodes] { Input: [")
    assert lines.count("nodes] { Input: [") == 1
    np.testing.assert_array_equal(x.grad.numpy(), np.full([2, 2], 6, "float32"))


@pytest.mark.parametrize("is_lazy", [False, True])
def test_the_inputs_are_those_the_hooks_left(capfd, is_lazy):
    with paddle.lazy(is_lazy):
        y = leaf([1]).exp()
        y.register_hook(lambda grad: grad * 7)
        with vlog_guard({"nodes": 11}):
            y.backward()
    text = capfd.readouterr().err
    assert "data: [7]" in text
    assert "data: [1]" not in text


def test_grad_says_where_it_stops(logged):
    x, w = leaf(), leaf()
    y = x.exp() * w
    lines = logged(lambda: paddle.grad(y, w), 3)
    assert lines[0] == "backward] Run in Grad"
    stops = [line for line in lines if line.startswith("general_grad]")]
    assert len(stops) == 1
    assert "from grad_node: MultiplyGradNode : 0x to:ExpGradNode, 0x" in stops[0]
    assert not any("CopyOrAddTensor" in line for line in lines)
    assert x.grad is None
    assert w.grad is None


def test_create_graph_makes_nodes_of_gradients(log):
    x = leaf()
    y = (x**3).sum()
    with vlog_guard(6):
        (first,) = paddle.grad(y, x, create_graph=True)
        lines = log()
        paddle.grad(first.sum(), x)
        again = log()
    assert "Running_C++_API: pow_grad1" in bars(lines)
    assert bars(lines).count("Running_AD_API: pow_grad") == 0
    edges = [line for line in lines if line.startswith("grad_node_info]")]
    assert any("from pow_grad1GradNode(0x)" in line for line in edges)
    assert "Running_AD_API_GRAD: pow_double_grad" in bars(again)
    np.testing.assert_array_equal(first.numpy(), np.full([2, 2], 3, "float32"))


# ---- kinds of nodes and tensors

DTYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [[], [0, 3], [2, 2]])
@pytest.mark.parametrize("level", [3, 4, 5, 6, 11])
def test_every_dtype_and_shape(dtype, shape, level, log):
    x = leaf(shape, dtype)
    with vlog_guard(level):
        y = x * x + x
        log()
        y.backward(paddle.ones(shape, dtype=dtype))
        lines = log()
    assert any("MultiplyGradNode" in line or "multiply1GradNode" in line for line in lines)
    np.testing.assert_allclose(x.grad.astype("complex128").numpy(), np.full(shape, 3))


def test_nan_and_inf_are_shown(capfd):
    x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
    y = x.log()
    with vlog_guard({"nodes": 11}):
        y.backward()
    assert "data: [inf 1]" in capfd.readouterr().err


def test_lists_missing_operands_and_stopped_ones(logged):
    x, y = leaf(), leaf()
    z = paddle.concat([x, y])
    f = paddle.nn.functional.layer_norm(z, [2])
    w = (f * paddle.ones([4, 2])).split(2)[0]
    lines = logged(w.sum().backward, 6)
    assert "( x , [[ {" in lines
    assert "( scale , { UnDefinedTensor })," in lines
    assert "tensor_wrapper] Return NULL tensor Here." in lines


def test_jax_functions_and_constants(log):
    from jaxeager.autograd import from_jax

    double = from_jax(lambda x: x * 2, name="double")
    x = leaf()
    with vlog_guard(6):
        double(x).sum().backward()
        (zero,) = paddle.grad((x * 3).sum(), x, create_graph=True)
        paddle.grad(zero, x, allow_unused=True)
        lines = log()
    assert "Running_AD_API_GRAD: double_grad" in bars(lines)


def test_a_backward_that_jax_traces(log):
    def gradient(array):
        x = paddle.to_tensor(array, stop_gradient=False)
        (x * x).sum().backward()
        return x.grad._array

    with vlog_guard(11):
        found = jax.jit(gradient)(jnp.ones(2))
    np.testing.assert_array_equal(found, [2, 2])
    assert "Running_AD_API_GRAD: multiply_grad" in bars(log())


def test_packed_tensors_stay_packed(log):
    unpacked = []
    with paddle.autograd.saved_tensors_hooks(lambda x: x, lambda x: unpacked.append(1) or x):
        y = leaf().exp()
    with vlog_guard(6):
        y.backward()
    assert len(unpacked) == 1


def test_a_stale_tensor_fails_after_its_inputs_were_reported(log):
    x = leaf()
    y = x * 1
    z = y * y
    y.add_(paddle.ones([2, 2]))
    with vlog_guard(3), pytest.raises(RuntimeError, match="modified by an inplace"):
        z.backward()
    lines = log()
    assert "multiply_node] { Input: [" in lines
    assert not any("Finish" in line for line in lines)
    with vlog_guard(3):
        log()
        x.exp().backward()
        assert log()[0].startswith("dygraph_functions]")


def test_an_error_in_a_hook_ends_the_run(log):
    x = leaf()
    y = x.exp()
    y.register_hook(lambda grad: 1 / 0)
    with vlog_guard(5), pytest.raises(ZeroDivisionError):
        y.backward()
    log()
    with vlog_guard(3):
        (x * 2).backward()
    assert log()[-2].startswith("backward] =")
    assert x.grad is not None


def test_a_backward_inside_a_hook(logged):
    x = leaf()

    def inside(grad):
        z = leaf()
        (z * 2).backward()

    y = x.exp()
    y.register_hook(inside)
    lines = logged(y.backward, {"backward": 3})
    assert [line.removeprefix("backward] ") for line in lines if "Preparing" in line] == [
        "ExpGradNode(0x) Preparing",
        "ScaleGradNode(0x) Preparing",
        "GradNodeAccumulation(0x) Preparing",
        "GradNodeAccumulation(0x) Preparing",
    ]


def test_a_level_change_inside_a_hook(log):
    x = leaf()
    y = x.exp()
    y.register_hook(lambda grad: core.set_vlog_level(0))
    core.set_vlog_level(3)
    y.backward()
    assert not any("Finish Backward" in line for line in log())
    y = x.exp()
    y.register_hook(lambda grad: core.set_vlog_level(3))
    y.backward()
    assert log() == []
    core.set_vlog_level(0)
    (x * 2).backward()
    assert not any("Preparing" in line for line in log())


# ---- nothing else changes


def program(watched: bool):
    """Return the results of a training step, with everything that a tool might have changed."""
    paddle.seed(3)
    net = paddle.nn.Linear(3, 2)
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    x = paddle.randn([4, 3])
    loss = None
    for _ in range(3):
        loss = (net(x) ** 2).sum()
        if watched:
            with vlog_guard(6), backward_vlog_guard(5):
                loss = (net(x) ** 2).sum()
                loss.backward()
        else:
            loss = (net(x) ** 2).sum()
            loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    state = {name.split("_", 2)[-1]: np.asarray(v) for name, v in optimizer.state_dict().items()}
    return [
        loss.numpy(), net.weight.numpy(), paddle.rand([2]).numpy(), paddle.is_grad_enabled(),
        net.weight.inplace_version, len(optimizer.state_dict()), sorted(state),
    ]  # fmt: skip


def test_the_log_changes_nothing(log):
    for watched, plain in zip(program(True), program(False), strict=True):
        np.testing.assert_array_equal(watched, plain)


def test_names_are_not_used_up(log):
    x = leaf()
    y = x.exp()
    before = paddle.ones([1]).name
    with vlog_guard(6):
        y.backward()
        Inner.apply(leaf())
    after = paddle.ones([1]).name
    numbers = [int(re.search(r"\d+$", name)[0]) for name in (before, after)]
    assert numbers[1] == numbers[0] + 1


def test_the_tables_name_ops_of_this_library():
    known = {row.api_name for row in ROWS.values()}
    assert known >= vlog_nodes.TWICE
    assert known >= {re.sub(r"(_double)?_grad$", "", name) for name in vlog_nodes.FUSED}


def test_a_run_whose_end_was_not_reported_leaves_nothing():
    outer, inner = (events.Backward("backward", [], {}, False) for _ in range(2))
    vlog_backward.observer.backward_began(outer)
    vlog_backward.observer.backward_began(inner)  # then an interrupt, at the worst moment
    vlog_backward.observer.backward_ended(outer, None)
    assert not vlog_backward._runs()
    assert not vlog._holds
