"""The program on the tape: one node, for hooks, dumps and higher orders."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.support.leaves import leaf


@pytest.fixture
def cubes():
    @paddle.jit.to_static(full_graph=True)
    def cubes(x):
        return (x * x * x).sum()

    return cubes


def test_a_program_is_one_node_of_the_graph(cubes):
    x = leaf([2.0, 3.0])
    y = cubes(x)
    node = y.grad_fn
    assert node.name() == "Dy2StGradNode"  # as in Paddle 3.3.1
    assert node.next_functions == [x.grad_fn]
    y.backward()
    assert x.grad.tolist() == [12.0, 27.0]
    with pytest.raises(paddle.errors.FatalError, match="backward twice"):
        y.backward()


def test_every_order(cubes):
    x, found = leaf([2.0, 3.0]), []
    (slope,) = paddle.grad(cubes(x), [x], create_graph=True)
    for _ in range(2):
        found.append(slope.tolist())
        (slope,) = paddle.grad(slope.sum(), [x], create_graph=True)
    assert [*found, slope.tolist()] == [[12.0, 27.0], [12.0, 18.0], [6.0, 6.0]]


def test_second_order_of_a_layer_with_weights():
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Tanh(), paddle.nn.Dropout(0.5))
    forward = paddle.jit.to_static(lambda x: net(x).sum(), full_graph=True)
    found = []
    for function in (lambda x: net(x).sum(), forward):
        paddle.seed(4)
        net.clear_gradients()
        x = leaf([2.0, 3.0]).reshape([1, 2])
        (slope,) = paddle.grad(function(x), [x], create_graph=True)
        slope.square().sum().backward()
        found.append([slope.numpy(), net[0].weight.grad.numpy()])
    for wanted, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_outputs_that_no_gradient_arrives_at():
    two = paddle.jit.to_static(lambda x: (x * 2, x * 3, x.argmax()), full_graph=True)
    x = leaf([2.0, 3.0])
    first, second, place = two(x)
    assert place.stop_gradient
    second.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert first.grad_fn is second.grad_fn


def test_hooks_on_the_node_and_around_it(cubes):
    x, seen = leaf([2.0, 3.0]), []
    h = x * 1
    h.register_hook(lambda grad: seen.append(grad.tolist()))
    y = cubes(h)
    y.grad_fn._register_post_hook(lambda outputs, inputs: [outputs[0] * 10])
    y.backward()
    assert seen == [[120.0, 270.0]]
    assert x.grad.tolist() == [120.0, 270.0]


def test_saved_tensors_hooks(cubes):
    kept = []

    def pack(tensor):
        kept.append(tensor)
        return len(kept) - 1

    x = leaf([2.0, 3.0])
    with paddle.autograd.saved_tensors_hooks(pack, lambda place: kept[place]):
        y = cubes(x)
    assert kept
    y.backward()
    assert x.grad.tolist() == [12.0, 27.0]


def test_tools_see_it(cubes, tmp_path):
    x = leaf([2.0, 3.0])
    with paddle.debug.capture_step() as step:
        y = cubes(x)
        y.backward(dump_backward_graph_path=str(tmp_path))
    assert len(step.calls) == 1
    assert "Dy2StGradNode" in str(paddle.debug.explain(cubes(leaf([2.0, 3.0]))))
    assert any("cubes1GradNode" in path.read_text() for path in tmp_path.rglob("*.dot"))


def test_nan_checks_look_at_what_it_returns():
    root = paddle.jit.to_static(lambda x: paddle.sqrt(x), full_graph=True)
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match=r"contains nan|nan"):
            root(paddle.to_tensor([-1.0])).numpy()
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
