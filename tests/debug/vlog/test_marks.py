"""backward_vlog_guard."""

import gc
import threading

import pytest

import jaxeager as paddle
from jaxeager.base import core
from jaxeager.base.framework import backward_vlog_guard, vlog_guard
from jaxeager.debug.vlog import marks as vlog_marks
from jaxeager.debug.vlog import vlog
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events
from tests.debug.vlog_lines import Inner, bars, leaf

pytestmark = pytest.mark.usefixtures("untouched")

# ---- backward_vlog_guard


def test_nodes_of_a_captured_subgraph_are_reported(log, tmp_path):
    def captured():
        return [line for line in log() if "for subgraph." in line]

    x, y = leaf(), leaf()
    with vlog_guard(3):
        x + y
        assert captured() == []
        with paddle.utils.capture_backward_subgraph_guard(str(tmp_path)):
            paddle.sin(x) + y
            lines = captured()
        x - y
        assert captured() == []
    assert len(lines) == 2
    assert "Capture the grad nodeSinGradNode(0x" in lines[0]


def test_the_text_of_tensors_goes_by_the_module_utils_where_that_is_higher(log):
    x, y = leaf(), leaf()
    with vlog_guard({"dygraph_functions": 4}):
        x + (y * y)
    assert "ADInfo" not in "\n".join(log())
    with vlog_guard({"dygraph_functions": 4, "utils": 6}):
        x + (y * y)
    text = "\n".join(log())
    assert "ADInfo:{" in text
    assert "Edges[" in text


def guarded(level, log):
    """Return the lines of the backward of an op in a guard, with others around it."""
    x, y = leaf(), leaf()
    a = x + y
    with backward_vlog_guard(level):
        b = a - y
    c = a * b
    log()
    c.backward()
    return log()


def test_a_backward_guard_shows_its_ops_alone(log):
    lines = guarded(3, log)
    assert bars(lines) == [
        "Running_AD_API_GRAD: subtract_grad",
        "Finish_AD_API_GRAD: subtract_grad",
    ]
    assert not any("Preparing" in line for line in lines)


def test_a_backward_guard_at_6_shows_its_edges_too(log):
    lines = guarded(6, log)
    assert len([line for line in lines if "Found pending node" in line]) == 2
    assert len([line for line in lines if "ref_cnt" in line]) == 2
    assert len([line for line in lines if line.startswith("backward]")]) == 9
    assert "Running_C++_API: subtract_grad1" in bars(lines)


def test_forward_says_what_is_marked(log):
    x = leaf()
    with vlog_guard(3), backward_vlog_guard(5):
        log()
        paddle.sin(x)
        lines = log()
        Inner.apply(x)
        more = log()
    assert "dygraph_functions] Capture the grad nodeSinGradNode(0x)for subgraph." in lines
    text = "Capture the grad nodeGradNodePyLayer_Inner(0x)for subgraph."
    assert f"\teager_py_layer] {text}" in more
    assert bars(lines) == [
        "Running_AD_API: sin", "Running_C++_API: sin1", "Finish_C++_API: sin1",
        "Finish_AD_API: sin",
    ]  # fmt: skip


def test_each_node_keeps_the_level_of_its_guard(log):
    x = leaf()
    with backward_vlog_guard(3):
        a = paddle.sin(x)
    b = paddle.tanh(a)
    with backward_vlog_guard(4):
        c = paddle.exp(b)
    c.backward()
    assert bars(log()) == [
        "Running_AD_API_GRAD: exp_grad",
        "Running_C++_API: exp_grad1",
        "Finish_C++_API: exp_grad1",
        "Finish_AD_API_GRAD: exp_grad",
        "Running_AD_API_GRAD: sin_grad",
        "Finish_AD_API_GRAD: sin_grad",
    ]


def test_an_inner_guard_leaves_the_outer_one_on(log):
    x = leaf()
    with backward_vlog_guard(3):
        a = x + x
        with backward_vlog_guard(5):
            b = paddle.tanh(a)
        c = paddle.exp(b)
    c.backward()
    assert [line for line in bars(log()) if "Running_AD" in line] == [
        "Running_AD_API_GRAD: exp_grad",
        "Running_AD_API_GRAD: tanh_grad",
        "Running_AD_API_GRAD: add_grad",
    ]


def test_no_later_node_is_taken_for_a_marked_one(log):
    x = leaf()
    with backward_vlog_guard(3):
        paddle.sin(x)
        Inner.apply(x)
    gc.collect()
    assert not vlog_marks._alive
    for _ in range(50):
        paddle.sin(x).backward()
    assert log() == []


def test_the_surrounding_level_is_restored(log):
    x = leaf()
    core.set_vlog_level(3)
    with backward_vlog_guard(5):
        a = paddle.sin(x)
    b = paddle.tanh(a)
    log()
    b.backward()
    lines = log()
    assert "Running_C++_API: sin_grad1" in bars(lines)
    assert "Running_C++_API: tanh_grad1" not in bars(lines)
    text = "backward] TanhGradNode(0x) Found pending node: SinGradNode(0x)"
    assert text not in lines
    assert lines[-1].startswith("backward] =")
    core.set_vlog_level(0)


def test_a_guard_may_silence(logged):
    x = leaf()
    with backward_vlog_guard(0):
        a = paddle.sin(x)
    b = paddle.tanh(a)
    lines = bars(logged(b.backward, {"nodes": 3}))
    assert "Running_AD_API_GRAD: tanh_grad" in lines


def test_a_pylayer_in_a_guard_shows_its_body(log):
    x = leaf()
    with backward_vlog_guard(3):
        y = Inner.apply(x)
    y.sum().backward()
    lines = log()
    assert lines[0] == "\tpy_layer_node] Running Eager Backward Node: GradNodePyLayer_Inner"
    assert bars(lines) == [
        "\tRunning_AD_API: exp", "\tRunning_C++_API: exp1", "\tFinish_C++_API: exp1",
        "\tFinish_AD_API: exp",
    ]  # fmt: skip


def test_the_log_becomes_active_only_where_user_code_runs(log):
    seen = []
    x = leaf()
    x.register_hook(lambda grad: seen.append(("leaf", vlog.is_active())))
    with backward_vlog_guard(3):
        y = paddle.sin(x)
    y.backward()
    assert bars(log()) == ["Running_AD_API_GRAD: sin_grad", "Finish_AD_API_GRAD: sin_grad"]
    with backward_vlog_guard(3):
        y = paddle.sin(x)
    y.register_hook(lambda grad: seen.append(("sin", vlog.is_active())) or grad.abs())
    y.backward()
    assert seen == [("leaf", False), ("sin", True), ("leaf", True)]
    assert "Running_AD_API: abs" in bars(log())
    assert not vlog.is_active()


def test_ops_of_an_unpack_hook_of_a_marked_node_are_logged(log):
    with backward_vlog_guard(3), paddle.autograd.saved_tensors_hooks(lambda x: x, paddle.abs):
        y = paddle.sin(leaf())
    y.backward()
    assert "Running_AD_API: abs" in bars(log())


def test_an_error_in_a_marked_node_ends_the_run(log):
    x = leaf()
    with backward_vlog_guard(3):
        y = paddle.sin(x)
        z = y * y
    y.add_(y.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        z.backward()
    assert "Running_AD_API_GRAD: multiply_grad" in bars(log())
    (x * 2).backward()
    assert log() == []


def test_higher_orders_of_marked_nodes(log):
    x = leaf()
    with backward_vlog_guard(3):
        y = paddle.sin(x).sum()
    paddle.grad(y, x, create_graph=True)
    lines = bars(log())
    assert "Running_AD_API_GRAD: sin_grad" in lines
    assert "Running_AD_API: sin_grad" not in lines
    assert not vlog.is_active()


def test_leaves_are_not_covered_as_in_paddle(log):
    with backward_vlog_guard(6):
        x = leaf()
        y = paddle.sin(x)
    y.backward()
    assert not any("GradNodeAccumulation==" in line for line in log())


def test_a_node_runs_again_with_its_mark(log):
    x = leaf()
    with backward_vlog_guard(3):
        y = paddle.sin(x)
    y.backward(retain_graph=True)
    first = log()
    y.backward()
    assert log() == first
    assert vlog_marks.mark_of(y.grad_fn) is None  # it cannot run any more


def test_a_guard_decorates(log):
    @backward_vlog_guard(3)
    def function(x):
        return paddle.sin(x)

    for _ in range(2):
        function(leaf()).backward()
        assert len(bars(log())) == 2
    paddle.sin(leaf()).backward()
    assert log() == []


def test_an_error_in_a_guard_leaves_nothing(log):
    with pytest.raises(ZeroDivisionError), backward_vlog_guard(3):
        1 / 0  # noqa: B018
    paddle.sin(leaf()).backward()
    assert log() == []
    assert vlog_marks.guard_level() is None


@pytest.mark.parametrize("level", [{"nodes": 3}, True, "3", 3.0, None])
def test_a_guard_takes_an_int(level):
    with pytest.raises(InvalidTypeError, match="vlog level is not an int"):
        backward_vlog_guard(level).__enter__()
    assert vlog_marks.guard_level() is None


def test_a_guard_is_for_its_thread(log):
    found = []

    def work():
        found.append(paddle.sin(leaf()))

    with backward_vlog_guard(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        mine = paddle.cos(leaf())
    found[0].backward()
    assert log() == []
    thread = threading.Thread(target=mine.backward)  # marked nodes are logged wherever they run
    thread.start()
    thread.join()
    assert bars(log()) == ["Running_AD_API_GRAD: cos_grad", "Finish_AD_API_GRAD: cos_grad"]


def test_guards_may_be_left_in_another_order(log):
    first, second = backward_vlog_guard(3), backward_vlog_guard(4)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert vlog_marks.guard_level() == 4
    second.__exit__(None, None, None)
    assert vlog_marks.guard_level() is None
    paddle.sin(leaf()).backward()
    assert log() == []


def test_a_guard_may_be_left_in_another_thread():
    def held():
        with backward_vlog_guard(3):
            yield

    guard = held()
    next(guard)
    thread = threading.Thread(target=guard.close)
    thread.start()
    thread.join()
    assert vlog_marks.guard_level() is None
    assert vlog_marks._marker not in events._observers


def test_nodes_that_never_run_leave_nothing_behind():
    x = leaf()
    with backward_vlog_guard(3):
        y = paddle.sin(x)
    assert vlog_marks._reader in events._observers
    del y
    gc.collect()
    (x * 2).backward()
    assert vlog_marks._reader not in events._observers


def test_the_guard_is_in_utils_too():
    assert paddle.utils.backward_vlog_guard is backward_vlog_guard
    assert paddle.base.framework.backward_vlog_guard is backward_vlog_guard
