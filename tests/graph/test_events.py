"""The observer protocol: the events, their order, and that off means off."""

import itertools
import threading
from typing import ClassVar

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph import events
from jaxeager.graph.engine import run_backward
from jaxeager.graph.node import gradient_edge
from jaxeager.graph.partial import run_partial
from tests.support.leaves import leaf


class Recorder(events.Observer):
    """Records the names of its events."""

    def __init__(self):
        self.seen = []


def _record(name):
    def told(self, *what):
        self.seen.append((name, what))

    return told


def recorder(*names):
    """Return a Recorder of these events only."""
    return type("Some", (Recorder,), {name: _record(name) for name in names})()


def names(seen):
    return [name for name, _ in seen]


def test_every_event_has_a_method_and_an_attribute():
    for event in events.EVENTS:
        assert callable(getattr(events.Observer, event))
        assert getattr(events, event) is None, "an observer is still active"


def test_a_recorded_op_is_reported_once_with_its_node():
    told, x = recorder("op_ran"), leaf()
    with events.observing(told):
        y = x * x
    ((_, (row, operands, attrs, outputs, node, is_inplace)),) = told.seen
    assert row.name == "multiply"
    assert attrs == ()
    assert not is_inplace
    assert operands[0] is x
    assert operands[1] is x
    assert outputs == (y,)
    assert node is y.grad_fn


def test_an_op_that_is_not_recorded_has_no_node():
    told = recorder("op_ran")
    with events.observing(told), paddle.no_grad():
        leaf() + leaf()
    assert [what[4] for _, what in told.seen] == [None]


def test_the_stages_of_a_call_come_in_order():
    told, x = recorder(*events.STAGES, *events.OPS), leaf()
    with events.observing(told):
        y = x * x
    assert names(told.seen) == [
        "call_began", "operands_ready", "kernel_found", "kernel_finished", "kernel_ran",
        "node_made", "op_ran", "call_ended",
    ]  # fmt: skip
    call = told.seen[0][1][0]
    assert call.row.name == "multiply"
    assert call.outputs == (y,)
    assert call.node is y.grad_fn
    assert call.is_recorded
    assert not call.is_inplace


def test_a_call_says_whether_its_kernel_was_compiled():
    told, x = recorder("kernel_finished"), paddle.ones([3, 1, 7])
    for kernel in paddle.tanh.row.forward_kernels.values():
        kernel.clear_cache()  # another test may have had this shape
    with events.observing(told):
        paddle.tanh(x)
        paddle.tanh(x)
    assert [what[0].is_compiled for _, what in told.seen] == [True, False]


CALLS = {
    "two operands": lambda x: x * x,
    "attributes": lambda x: paddle.sum(x, axis=0, keepdim=True),
    "scalars": lambda x: paddle.scale(x, 2.0, bias=1.0),
    "a view": lambda x: paddle.reshape(x, [2, 1]),
    "hidden outputs": lambda x: paddle.nn.functional.layer_norm(x.reshape([1, 2]), 2),
    "several outputs": lambda x: paddle.topk(x, 1),
    "no gradient": lambda x: x > x,
}


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("what", CALLS)
def test_a_call_is_reported_with_its_properties(what, is_recorded):
    x, told = leaf(), recorder(*events.STAGES)
    with events.observing(told), paddle.set_grad_enabled(is_recorded):
        made = CALLS[what](x)
    call = told.seen[-1][1][0]
    outputs = made if isinstance(made, tuple) else (made,)
    assert [a is b for a, b in zip(call.outputs, outputs, strict=True)] == [True] * len(outputs)
    assert all(a is b._array for a, b in zip(call.results, outputs, strict=False))
    assert len(call.results) - len(outputs) == len(call.row.hidden) * call.is_recorded
    assert call.is_recorded == (call.node is not None) == (is_recorded and what != "no gradient")
    assert call.node is getattr(made[0] if outputs is made else made, "grad_fn", None)
    arrays = [None if each is None else each._array for each in call.operands]
    assert all(a is b for a, b in zip(call.arrays, arrays, strict=True))


def test_a_failing_op_is_reported():
    told = recorder("call_began", "call_failed", "op_failed", "call_ended")
    with events.observing(told), pytest.raises(ValueError, match="matmul"):
        paddle.matmul(paddle.ones([2, 3]), paddle.ones([2, 3]))
    assert names(told.seen)[-3:] == ["call_began", "op_failed", "call_failed"]


def test_promotion_shows_the_cast_inside_the_op():
    told = recorder("call_began", "call_ended")
    with events.observing(told):
        leaf() + leaf().astype("float64")
    shown = [(name, what[0].row.name) for name, what in told.seen]
    assert shown[2:] == [
        ("call_began", "add"),
        ("call_began", "cast"),
        ("call_ended", "cast"),
        ("call_ended", "add"),
    ]


def test_in_place_ops_and_lists_are_reported():
    told, x = recorder("op_ran"), paddle.ones([2, 2])
    with events.observing(told):
        x.add_(x)
        paddle.split(x, 2)
    (_, first), (_, second) = told.seen
    assert first[0].name == "add"
    assert first[5]
    assert first[3][0] is x
    assert second[0].name == "split_with_num"
    assert len(second[3]) == 2


def test_a_write_in_place_is_reported_with_its_version():
    class Versions(events.Observer):
        seen: ClassVar[list] = []

        def op_wrote(self, row, tensor):
            self.seen.append((row.name, tensor, tensor.inplace_version))

    x = paddle.ones([2, 2])
    with events.observing(Versions()):
        assert not events.has_ops
        x.add_(x)
        x + x
    assert Versions.seen == [("add", x, 1)]


def test_every_node_of_an_op_is_given_a_stack():
    x, numbers = leaf(), itertools.count()
    events.set_take_stack(lambda: next(numbers))
    try:
        nodes = [(x * x).grad_fn, paddle.concat([x, x]).grad_fn, (x * 1).scale_(2.0).grad_fn]
        with paddle.amp.auto_cast(dtype="bfloat16"):
            nodes.append((x * x).grad_fn)
        paddle.ones([1]) * paddle.ones([1])
    finally:
        events.set_take_stack(None)
    assert [node.stack for node in nodes] == [0, 1, 3, 4]
    assert not hasattr((x * x).grad_fn, "stack")


def test_raising_before_an_in_place_write_leaves_the_tensor_as_it_was():
    class Refuse(events.Observer):
        def kernel_ran(self, row, operands, attrs, arrays, is_inplace):
            raise RuntimeError("no")

    x = paddle.ones([2])
    with events.observing(Refuse()), pytest.raises(RuntimeError, match="no"):
        x.add_(x)
    assert x.tolist() == [1.0, 1.0]
    assert x.inplace_version == 0


def test_creation_is_reported_under_paddles_op_name():
    told = recorder("op_ran", "call_began")
    with events.observing(told):
        made = [paddle.zeros([2]), paddle.randn([2]), paddle.ones_like(paddle.arange(2))]
    shown = [what[0].name for name, what in told.seen if name == "op_ran"]
    bounds = ["full"] * 3  # Paddle makes tensors of the start, end and step of arange
    assert shown == ["full", "gaussian", *bounds, "arange", "full_like"]
    assert told.seen[1][1][3] == (made[0],)


def test_backward_is_reported_node_by_node():
    x = leaf()
    y = x * x
    loss = y.sum()
    told = recorder(*events.GRAPH)
    with events.observing(told):
        loss.backward()
    assert names(told.seen) == [
        "backward_began",
        "node_began", "node_ended", "node_ran", "gradient_passed",
        "node_began", "node_ended", "node_ran", "gradient_passed", "gradient_passed",
        "node_began", "gradients_met", "node_ended", "node_ran",
        "backward_ended",
    ]  # fmt: skip
    passed = [what for name, what in told.seen if name == "gradient_passed"]
    assert [(what[3], what[4]) for what in passed] == [(True, 0), (True, 1), (False, 0)]
    assert told.seen[-1][1][1] is None
    np.testing.assert_allclose(x.grad.numpy(), [2.0, 4.0])


@pytest.mark.parametrize("is_grad", [False, True])
def test_places_where_gradients_are_added_up_are_reported(is_grad):
    x = leaf()
    y = x * x
    edge, one = gradient_edge(y._meta), paddle.ones([2])
    told = recorder("gradients_met")
    with events.observing(told):
        if is_grad:
            run_partial([(edge, one), (edge, one)], [gradient_edge(x._meta)])
        else:
            run_backward([(edge, one._array), (edge, one._array)])
    met = [what for _, what in told.seen]
    assert [(node.name(), positions) for node, _, positions in met] == [
        ("MultiplyGradNode", {0}), ("GradNodeAccumulation", {0}),
    ]  # fmt: skip
    assert [grads[0].tolist() for _, grads, _ in met] == [[2.0, 2.0], [4.0, 8.0]]


def test_node_ran_gets_the_saved_arrays_gradients_and_results():
    x = leaf()
    y = x * x
    told = recorder("node_ran")
    with events.observing(told):
        y.sum().backward()
    _, (_, (node, saved, grads, results)), _ = told.seen
    assert node is y.grad_fn
    assert node.saved == ()
    assert [array.tolist() for array, _, _ in saved] == [[1.0, 2.0]] * 2
    assert [each.tolist() for each in (*grads, *results)] == [[1.0, 1.0], [1.0, 2.0], [1.0, 2.0]]


@pytest.mark.parametrize("create_graph", [False, True])
def test_grad_is_reported_too(create_graph):
    x = leaf()
    loss = (x * x).sum()
    told = recorder("backward_began", "node_began", "node_ended", "backward_ended")
    with events.observing(told):
        (grad,) = paddle.grad(loss, x, create_graph=create_graph)
    run = told.seen[0][1][0]
    assert run.kind == "grad"
    assert run.create_graph is create_graph
    began = [what[0].name() for name, what in told.seen if name == "node_began"]
    assert began == ["SumGradNode", "MultiplyGradNode", "GradNodeAccumulation"]
    assert names(told.seen)[-1] == "backward_ended"
    assert grad.tolist() == [2.0, 4.0]


def test_hooks_and_a_failing_backward():
    x = leaf()
    y = x * x
    y.register_hook(lambda grad: grad * 2)
    x.register_hook(lambda grad: 1 / 0)
    told = recorder("hook_began", "hook_ended", "node_failed", "backward_ended")
    with events.observing(told), pytest.raises(ZeroDivisionError):
        y.sum().backward()
    assert names(told.seen) == [
        "hook_began", "hook_ended", "hook_began", "node_failed", "backward_ended",
    ]  # fmt: skip
    before, after = told.seen[1][1][3:]
    assert before.tolist() == [1.0, 1.0]
    assert after.tolist() == [2.0, 2.0]
    assert isinstance(told.seen[-1][1][1], ZeroDivisionError)


class Double(paddle.autograd.PyLayer):
    """Doubles; fails on request."""

    @staticmethod
    def forward(ctx, x, fails=False):
        if fails:
            raise KeyError("forward")
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def test_pylayers_are_reported():
    told, x = recorder(*events.LAYERS, "op_ran"), leaf()
    with events.observing(told):
        y = Double.apply(x)
        with pytest.raises(KeyError):
            Double.apply(x, True)
    assert names(told.seen) == [
        "layer_called", "layer_began", "op_ran", "layer_ended",
        "layer_called", "layer_began", "layer_failed",
    ]  # fmt: skip
    layer, inputs, outputs, node = told.seen[3][1]
    assert layer is Double
    assert inputs[0] is x
    assert outputs == [y]
    assert node is y.grad_fn


def test_leaves_are_reported_where_they_are_made():
    told = recorder("leaf_made")
    with events.observing(told):
        x = leaf()
        y = paddle.ones([2])
        y.stop_gradient = False
        parameter = paddle.nn.Linear(1, 1).weight
    metas = [what[0] for _, what in told.seen]
    assert all(tensor._meta in metas for tensor in (x, y, parameter))


def test_view_updates_and_silent_blocks_notify_no_observer():
    told = recorder("op_ran", "call_began")
    base = paddle.ones([4])
    view = base[:2]
    base.add_(base)
    with events.observing(told):
        assert view.tolist() == [2.0, 2.0]  # read again from its base
        with events.silent():
            base * 2
    assert told.seen == []


def test_a_removed_observer_is_not_notified():
    told, x = recorder(*events.EVENTS), leaf()
    with events.observing(told):
        pass
    (x * x).sum().backward()
    assert told.seen == []
    events.unobserve(told)  # once too often: nothing happens
    assert not (events.has_ops)
    assert not (events.has_stages)
    assert not (events.has_graph)
    assert not (events.has_layers)


def test_the_active_observers_are_known():
    first, last = recorder("op_ran"), recorder("op_ran")
    with events.observing(last):
        events.observe(first, first=True)
        try:
            assert events.in_force() == (first, last)
        finally:
            events.unobserve(first)
        assert events.in_force() == (last,)


def test_several_observers_are_notified_in_order_and_first_ones_first():
    order = []

    class Tell(events.Observer):
        def __init__(self, name):
            self.name = name

        def op_ran(self, *what):
            order.append(self.name)

    a, b, c = Tell("a"), Tell("b"), Tell("c")
    with events.observing(a), events.observing(b):
        events.observe(c, first=True)
        try:
            leaf() + 1
        finally:
            events.unobserve(c)
    assert order == ["c", "a", "b"]


def test_observers_come_and_go_while_other_threads_run():
    stop, failures = threading.Event(), []

    def work():
        x = leaf()
        try:
            while not stop.is_set():
                (x * x + x).sum().backward()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        with (
            events.observing(recorder("op_ran", "node_ended")),
            events.observing(recorder("call_began")),
        ):
            pass
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("event", ["kernel_ran", "op_ran", "kernel_finished", "kernel_found"])
def test_a_call_that_a_tool_stops_is_reported_as_failed(event):
    """It is so where a function only creates a tensor: every start has an end for every tool."""

    def refuse(*what):
        raise ValueError("stopped")

    told = recorder("call_began", "call_failed")
    stops = type("Stops", (events.Observer,), {event: lambda self, *what: refuse()})()
    x = leaf()
    for make in (lambda: paddle.ones([2]), lambda: x.exp()):
        events.observe(told)
        events.observe(stops)
        with pytest.raises(ValueError, match="stopped"):
            make()
        events.unobserve(told)
        events.unobserve(stops)
    assert names(told.seen) == ["call_began", "call_failed"] * 2


def test_a_change_that_fails_leaves_observers_changeable(monkeypatch):
    def refuse():
        raise KeyboardInterrupt

    told = recorder("op_ran")
    with monkeypatch.context() as patch:
        patch.setattr(events, "_changed", [refuse])
        with pytest.raises(KeyboardInterrupt):
            events.observe(told)
    assert events.try_unobserve(told)


def test_all_are_notified_of_an_end_although_one_raises():
    def refuse(*what):
        raise ValueError("no room on the disk")

    told = recorder("backward_ended", "layer_ended")
    overrides = {"backward_ended": refuse, "layer_ended": refuse}
    stops = type("Stops", (events.Observer,), overrides)()
    x = leaf()
    loss = x.sum()
    events.observe(stops)
    events.observe(told)
    try:
        with pytest.raises(ValueError, match="no room"):
            loss.backward()
        with pytest.raises(ValueError, match="no room"):
            Double.apply(x)
    finally:
        events.unobserve(stops)
        events.unobserve(told)
    assert names(told.seen) == ["backward_ended", "layer_ended"]
