"""PyLayer: operands and results of backward, repeated runs, hooks, orders, errors, pictures."""

import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.autograd.py_layer import once_differentiable
from jaxeager.debug import draw_backward_graph, walk_backward_graph
from tests.support.leaves import leaf, leaf64
from tests.support.py_layers import Cube, Exp, layer

# ---- backward


def test_missing_gradients_are_zeros_or_none():
    seen = []

    def forward(ctx, x, materialize):
        ctx.set_materialize_grads(materialize)
        return x * 2, x * 3

    def backward(ctx, a, b):
        seen.append(b)
        return a

    p = layer(forward, backward)
    for materialize in (True, False):
        p.apply(leaf([1.0, 2.0]), materialize)[0].sum().backward()
    assert seen[0].tolist() == [0.0, 0.0]
    assert seen[0].stop_gradient
    assert seen[1] is None


def test_recording_is_on_in_backward_when_the_graph_is_wanted():
    seen = []

    def backward(ctx, grad):
        seen.append(paddle.is_grad_enabled())
        return grad

    p = layer(lambda ctx, x: x * 2, backward)
    x = leaf(1.0)
    p.apply(x).backward()
    paddle.grad(p.apply(x), x)
    paddle.grad(p.apply(x), x, create_graph=True)
    assert seen == [False, False, True]
    assert paddle.is_grad_enabled()


def test_none_is_no_gradient_whatever_made_the_input():
    p = layer(lambda ctx, x, y: x * y, lambda ctx, grad: (None, grad))
    producers = [
        lambda x: x * 1, lambda x: x + 1, lambda x: x.sum(), lambda x: x.reshape([1]),
        lambda x: x.exp(), lambda x: x.scale(2.0), lambda x: x.split(1)[0],
    ]  # fmt: skip
    for producer in producers:
        x, y = leaf([1.0]), leaf([1.0])
        p.apply(producer(x), y).sum().backward()
        assert x.grad is None
        assert y.grad is not None


def test_trailing_nones_may_be_left_out():
    p = layer(lambda ctx, x, y: x * y, lambda ctx, grad: grad)
    x = leaf(1.0)
    p.apply(x, leaf(2.0, stop_gradient=True)).backward()
    assert x.grad.item() == 1.0


def test_list_inputs_get_lists_element_by_element():
    p = layer(lambda ctx, xs, z: xs[0] * xs[1] * z, lambda ctx, grad: ([None, grad], grad * 2))
    x, y, z = leaf(1.0), leaf(1.0), leaf(1.0)
    p.apply([x, y], z).backward()
    assert x.grad is None
    assert [y.grad.item(), z.grad.item()] == [1.0, 2.0]


def test_gradients_for_stopped_elements_of_a_list_are_passed_over():
    p = layer(lambda ctx, xs: xs[0] * xs[1], lambda ctx, grad: [grad, grad])
    x, y = leaf(1.0), leaf(1.0, stop_gradient=True)
    p.apply([x, y]).backward()
    assert (x.grad.item(), y.grad) == (1.0, None)


def test_a_list_whose_first_tensor_stops_gradients_gets_none():
    p = layer(lambda ctx, xs, z: xs[0] * xs[1] * z, lambda ctx, grad: (None, grad))
    x, y, z = leaf(1.0, stop_gradient=True), leaf(1.0), leaf(1.0)
    p.apply([x, y], z).backward()
    assert (y.grad, z.grad.item()) == (None, 1.0)


def test_inputs_that_get_one_gradient_tensor_do_not_share_it():
    p = layer(lambda ctx, x, y: x + y, lambda ctx, grad: (grad, grad))
    x, y = leaf(1.0), leaf(1.0)
    p.apply(x, y).backward()
    (x * 3).backward()
    assert [x.grad.item(), y.grad.item()] == [4.0, 1.0]


def test_a_gradient_is_cast_to_the_dtype_of_its_input():
    p = layer(lambda ctx, x: x * 2, lambda ctx, grad: grad.astype("float64"))
    x = leaf(1.0)
    p.apply(x).backward()
    assert x.grad.dtype == paddle.float32


def test_gradients_come_in_the_dtype_of_the_output():
    seen = []

    def forward(ctx, x, flag):
        ctx.set_grad_in_dtype_consistent(flag)
        return x * 2

    def backward(ctx, grad):
        seen.append(str(grad.dtype))
        return grad.astype("float32")

    half = layer(lambda ctx, x: x * 1, lambda ctx, grad: grad.astype("float16"))
    p = layer(forward, backward)
    for flag in (True, False):
        half.apply(p.apply(leaf(1.0), flag)).backward()
    assert seen == ["paddle.float32", "paddle.float16"]


def test_writing_a_gradient_in_place_changes_no_other_tensor():
    p = layer(lambda ctx, x: x * 2, lambda ctx, grad: grad.scale_(3.0))
    x, seed = leaf(1.0), paddle.to_tensor(1.0)
    p.apply(x).backward(seed)
    assert (seed.item(), x.grad.item()) == (1.0, 3.0)
    y = p.apply(x)
    grads = paddle.grad(y, [y, x], create_graph=True)
    assert [grad.item() for grad in grads] == [1.0, 3.0]


def test_integer_outputs_get_integer_zeros():
    seen = []

    def backward(ctx, grad, of_indices):
        seen.append(of_indices)
        return grad

    p = layer(lambda ctx, x: (x * 2, paddle.to_tensor([1, 2])), backward)
    p.apply(leaf(1.0))[0].backward()
    assert (seen[0].tolist(), seen[0].dtype) == ([0, 0], paddle.int64)


def test_non_differentiable_outputs():
    seen = []

    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(a)
        return a, b

    def backward(ctx, a, b):
        seen.append(a.item())
        return b

    x = leaf(1.0)
    a, b = layer(forward, backward).apply(x)
    assert (a.stop_gradient, a.is_leaf, a.grad_fn.name()) == (True, False, "GradNodePyLayer_P")
    (a * b).backward()
    assert (seen, x.grad.item()) == ([0.0], 2.0)


# ---- running again, hooks


def test_a_graph_that_was_retained_runs_again():
    x = leaf(2.0)
    y = Cube.apply(x)
    for _ in range(3):
        y.backward(retain_graph=True)
    assert x.grad.item() == 36.0
    y.backward()
    with pytest.raises(SystemError, match="TensorWrappers of GradNodePyLayer_Cube do not exist"):
        y.backward()


def test_paddle_grad_runs_again_without_being_asked_to():
    x = leaf(2.0)
    y = Cube.apply(x)
    assert [paddle.grad(y, x)[0].item() for _ in range(2)] == [12.0, 12.0]


def test_hooks_on_an_output_change_what_backward_gets():
    x = leaf(1.0)
    y = layer(lambda ctx, t: t * 2, lambda ctx, grad: grad * 7).apply(x)
    y.retain_grads()
    y.register_hook(lambda grad: grad * 10)
    (y * 1).backward()
    assert x.grad.item() == 70.0
    assert y.grad.item() == 1.0


def test_post_hooks_of_the_node_change_the_gradients_it_passes_on():
    x = leaf(1.0)
    y = layer(lambda ctx, t: t * 2, lambda ctx, grad: grad * 7).apply(x)
    y.grad_fn._register_post_hook(lambda outputs, inputs: [outputs[0] + inputs[0]])
    y.backward()
    assert x.grad.item() == 8.0


def test_retain_grads_keeps_the_gradient_of_the_value_before_a_layer_in_place():
    x = leaf(1.0)
    a = x * 2
    a.retain_grads()
    layer(lambda ctx, t: t, lambda ctx, grad: grad * 3).apply(a)
    (a * 5).backward()
    assert (a.grad.item(), x.grad.item()) == (15.0, 30.0)


# ---- orders


@pytest.mark.parametrize(("function", "orders"), [(Cube, [27.0, 18.0, 6.0]), (Exp, [np.e**3] * 3)])
def test_gradients_of_gradients(function, orders):
    x = leaf64(3.0)
    y, found = function.apply(x), []
    for _ in orders:
        (y,) = paddle.grad(y, x, create_graph=True)
        found.append(y.item())
    np.testing.assert_allclose(found, orders)


def test_a_saved_output_is_differentiable_after_it_died():
    x = leaf64(1.0)
    y = Exp.apply(x) * 2
    (first,) = paddle.grad(y, x, create_graph=True)
    del y
    (second,) = paddle.grad(first, x)
    np.testing.assert_allclose(second.item(), 2 * np.e)


def test_gradients_of_gradients_by_what_came_in():
    x, w = leaf(2.0), leaf(5.0)
    (first,) = paddle.grad(Cube.apply(x) * w, x, create_graph=True)
    assert [g.item() for g in paddle.grad(first, [x, w])] == [60.0, 12.0]


def test_backward_with_create_graph():
    x = leaf(2.0)
    Cube.apply(x).backward(create_graph=True)
    grad = x.grad
    x.clear_gradient(False)
    grad.backward()
    assert x.grad.item() == 12.0


def test_once_differentiable_refuses_a_second_order():
    @once_differentiable
    def backward(ctx, grad):
        assert not paddle.is_grad_enabled()
        return grad * 2 * ctx.saved_tensor()[0]

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    x = leaf(3.0)
    y = layer(forward, backward, "Square").apply(x)
    (first,) = paddle.grad(y, x, create_graph=True)
    assert first.item() == 6.0
    with pytest.raises(
        ValueError, match="GradNodePyLayer_Square's backward function is decorated with once_diff"
    ):
        paddle.grad(first, x)
    y.backward()
    assert x.grad.item() == 6.0


# ---- PyLayers in PyLayers


def test_a_pylayer_inside_forward_records_nothing():
    outer = layer(lambda ctx, x: Cube.apply(x) * 2, lambda ctx, grad: grad * 100)
    x = leaf(1.0)
    y = outer.apply(x)
    assert [node.name() for node in y.grad_fn.next_functions] == ["GradNodeAccumulation"]
    y.backward()
    assert x.grad.item() == 100.0


def test_a_pylayer_inside_backward():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    outer = layer(forward, lambda ctx, grad: grad * Cube.apply(ctx.saved_tensor()[0]))
    x = leaf(2.0)
    (first,) = paddle.grad(outer.apply(x), x, create_graph=True)
    (second,) = paddle.grad(first, x)
    assert [first.item(), second.item()] == [8.0, 12.0]


def test_recomputing_with_an_inner_backward():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Cube.apply(x) * 3

    def backward(ctx, grad):
        x = ctx.saved_tensor()[0].detach()
        x.stop_gradient = False
        with paddle.enable_grad():
            y = Cube.apply(x) * 3
        y.backward(grad)
        return x.grad

    x = leaf(5.0)
    layer(forward, backward).apply(x * 1).backward()
    assert x.grad.item() == 225.0


def test_in_place_ops_inside_forward():
    def forward(ctx, x):
        y = paddle.zeros_like(x)
        y[0] = x[1]
        y.add_(x)
        return y

    def backward(ctx, grad):
        first = grad.clone()
        first[1] += grad[0]
        return first

    x = leaf([1.0, 2.0])
    y = layer(forward, backward).apply(x)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([3.0, 2.0], [1.0, 2.0])


def test_backward_runs_in_the_thread_that_called_it():
    x, names = leaf(1.0), []

    def backward(ctx, grad):
        names.append(threading.current_thread().name)
        return grad

    y = layer(lambda ctx, t: t * 2, backward).apply(x)
    thread = threading.Thread(target=y.backward, name="other")
    thread.start()
    thread.join()
    assert (names, x.grad.item()) == (["other"], 1.0)


# ---- errors that are the user's


def test_an_error_in_backward_keeps_its_type_and_names_the_node():
    p = layer(lambda ctx, x: x * 2, lambda ctx, grad: 1 / 0)
    x, other = leaf(1.0), leaf(1.0)
    with pytest.raises(ZeroDivisionError) as error:
        (p.apply(x) * other).backward()
    assert error.value.__notes__ == ["[GradNode < GradNodePyLayer_P > error]"]
    assert (x.grad, other.grad) == (None, None)
    assert paddle.is_grad_enabled()


def test_the_lines_that_called_apply_can_be_noted():
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        y = layer(lambda ctx, x: x * 2, lambda ctx, grad: 1 / 0).apply(leaf(1.0))
        with pytest.raises(ZeroDivisionError) as error:
            y.backward()
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    (note,) = error.value.__notes__
    assert note.startswith("Forward Traceback (most recent call last):")
    assert "in test_the_lines_that_called_apply_can_be_noted" in note


def test_an_error_in_forward_leaves_recording_on():
    p = layer(lambda ctx, x: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        p.apply(leaf(1.0))
    assert paddle.is_grad_enabled()


def test_a_backward_that_failed_can_run_again():
    fails = [True]

    def backward(ctx, grad):
        if fails.pop():
            raise KeyError("once")
        return grad

    x = leaf(1.0)
    y = layer(lambda ctx, t: t * 2, backward).apply(x)
    with pytest.raises(KeyError):
        y.backward()
    fails.append(False)
    y.backward()
    assert x.grad.item() == 1.0


# ---- pictures


def test_the_node_is_drawn(tmp_path):
    p = layer(lambda ctx, x, xs: (x * 2, xs[0] * xs[1]), name="Pair")
    x, y, z = leaf([1.0]), leaf([1.0, 2.0]), leaf([1.0, 2.0], stop_gradient=True)
    a, b = p.apply(x, [y, z])
    graph = walk_backward_graph((a * b).sum())
    names = [node.name() for node in graph.nodes]
    assert names[2] == "GradNodePyLayer_Pair"
    labels = [arrow.label for arrow in graph.arrows if 2 in (arrow.source, arrow.target)]
    assert labels == [
        "float32[1]\n(0, 0)", "float32[2]\n(1, 0)", "float32[1]", "float32[2]",
    ]  # fmt: skip
    assert draw_backward_graph(a, tmp_path / "pair", "dot")[0].read_text().count("Pair") == 1


def test_metas_of_the_node():
    p = layer(lambda ctx, x, xs: (x * 2, xs[0] * xs[1]))
    x, y, z = leaf([1.0]), leaf([1.0, 2.0]), leaf([1.0, 2.0], stop_gradient=True)
    node = p.apply(x, [y, z])[0].grad_fn
    assert [[meta.shape for meta in slot] for slot in node.in_meta] == [[(1,)], [(2,)]]
    assert [[meta.shape for meta in slot] for slot in node.out_meta] == [[(1,)], [(2,), (2,)]]
    assert [[meta.stop_gradient for meta in slot] for slot in node.out_meta] == [
        [False], [False, True],
    ]  # fmt: skip
