"""paddle.grad: texts of errors, the computed gradients, and the tensors left alone."""

import gc

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    AlreadyExistsError,
    FatalError,
    InvalidArgumentError,
    InvalidTypeError,
    PermissionDeniedError,
)
from tests.support.leaves import leaf, lists_of

# ---- errors


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda y, x: paddle.grad(y, 5), InvalidTypeError, "inputs must be Tensor or .* got int"),
        (lambda y, x: paddle.grad(y, [x, 5]), InvalidTypeError, r"received \[Tensor, int\]"),
        (lambda y, x: paddle.grad(y, {x}), InvalidTypeError, r"inputs must be .* got \[Tensor\]"),
        (lambda y, x: paddle.grad(y, None), InvalidTypeError, "inputs should not be None"),
        (lambda y, x: paddle.grad(y, []), InvalidArgumentError, "inputs cannot be empty"),
        (lambda y, x: paddle.grad([], x), InvalidArgumentError, "outputs cannot be empty"),
        (lambda y, x: paddle.grad("y", x), InvalidTypeError, "outputs must be .* got str"),
        (
            lambda y, x: paddle.grad(y, x, 1.0),
            InvalidTypeError,
            "grad_outputs must be None, a Variable or a list .* but received float",
        ),
        (
            lambda y, x: paddle.grad(y, x, [None, None]),
            InvalidArgumentError,
            "The length of grad_outputs must be equal to outputs, but received 2 and 1",
        ),
        (
            lambda y, x: paddle.grad(y, x, paddle.ones([3])),
            InvalidArgumentError,
            r"Tensor of grad_tensor \[ \S+ \] with shape \[3\] mismatch Tensor .* shape \[2\]",
        ),
        (
            lambda y, x: paddle.grad(y, x, no_grad_vars=1),
            InvalidTypeError,
            "no_grad_vars must be None, Tensor or list/tuple/set of Tensors, but received int",
        ),
        (
            lambda y, x: paddle.grad(y, x, no_grad_vars=[1]),
            InvalidTypeError,
            r"no_grad_vars can only contains Tensor, but got \[int\]",
        ),
        (
            lambda y, x: paddle.grad(y, x, only_inputs=False),
            InvalidArgumentError,
            r"only_inputs=False is not supported yet: call backward\(\)",
        ),
        (
            lambda y, x: paddle.grad(y, x, create_graph=1),
            InvalidTypeError,
            "create_graph must be True or False, but got 1",
        ),
        (
            lambda y, x: paddle.grad(y, x, retain_graph="yes"),
            InvalidTypeError,
            "retain_graph must be None, True or False, but got 'yes'",
        ),
        (
            lambda y, x: paddle.grad(y, x, allow_unused=None),
            InvalidTypeError,
            "allow_unused must be True or False, but got None",
        ),
        (
            lambda y, x: paddle.grad(y, [x, x]),
            AlreadyExistsError,
            r"inputs contain duplicate tensor \S+, please check inputs carefully",
        ),
        (
            lambda y, x: paddle.grad([y, y], x),
            AlreadyExistsError,
            r"outputs contain duplicate tensor \S+, please check outputs carefully",
        ),
        (
            lambda y, x: paddle.grad(y, [x, paddle.ones([2])]),
            InvalidArgumentError,
            "The 1-th input does not appear in the backward graph. .* set allow_unused=True",
        ),
    ],
)
def test_texts_of_errors(call, error, text):
    x = leaf([1.0, 2.0])
    y = x * x
    with pytest.raises(error, match=text):
        call(y, x)
    assert lists_of(paddle.grad(y, x)) == [[2.0, 4.0]]
    assert x.grad is None


def test_a_released_graph_is_refused():
    x = leaf([1.0])
    a = x * x
    y = paddle.exp(a)
    a.backward()
    with pytest.raises(FatalError, match="The TensorWrappers of MultiplyGradNode do not exist"):
        paddle.grad(y, x)
    assert lists_of(paddle.grad(y, a)) == [[pytest.approx(np.e)]]


def test_a_write_into_a_saved_tensor_is_refused():
    x = leaf([1.0])
    a = x * 2
    y = a * a
    a.add_(paddle.ones([1]))
    with pytest.raises(PermissionDeniedError, match="Its version is 1 but the expected version is"):
        paddle.grad(y, x)


# ---- computed gradients


def test_only_what_leads_to_the_inputs_runs(monkeypatch):
    from jaxeager.graph.node import GradNode

    ran, run = [], GradNode.run
    monkeypatch.setattr(
        GradNode, "run", lambda self, *args: ran.append(self.name()) or run(self, *args)
    )
    x, w = leaf([1.0]), leaf([2.0])
    y = paddle.exp(x * 2) + paddle.sin(w * w)
    paddle.grad(y, w)
    assert ran == ["AddGradNode", "SinGradNode", "MultiplyGradNode"]
    ran.clear()
    paddle.grad(y, x, no_grad_vars=[w])
    assert ran == ["AddGradNode", "ExpGradNode", "ScaleGradNode"]
    ran.clear()
    paddle.grad(y, y)
    assert ran == []


def test_a_node_that_feeds_only_a_cut_does_not_run(monkeypatch):
    from jaxeager.graph.node import GradNode

    ran, run = [], GradNode.run
    monkeypatch.setattr(
        GradNode, "run", lambda self, *args: ran.append(self.name()) or run(self, *args)
    )
    x = leaf([2.0])
    a = x * 3
    y = paddle.exp(a) * x
    assert lists_of(paddle.grad(y, x, no_grad_vars=a)) == [[pytest.approx(float(np.exp(6.0)))]]
    assert ran == ["MultiplyGradNode"]


@pytest.mark.parametrize("create_graph", [False, True])
def test_inputs_behind_each_other_outputs_above_each_other(create_graph):
    x = leaf([2.0])
    a = x * x
    b = a * x
    found = paddle.grad([b, a, x], [x, a, b], create_graph=create_graph)
    # d(b + a + x)/dx through everything: 3x^2 + 2x + 1; da: x + 1; db: 1
    assert lists_of(found) == [[17.0], [3.0], [1.0]]


@pytest.mark.parametrize("create_graph", [False, True])
def test_sibling_outputs_as_inputs(create_graph):
    x = leaf([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    first, second, third = paddle.split(x, 3)
    y = first * 2 + second * second
    found = paddle.grad(y, [second, third, x, first], create_graph=create_graph, allow_unused=True)
    assert lists_of(found) == [[6.0, 8.0], None, [2.0, 2.0, 6.0, 8.0, 0.0, 0.0], [2.0, 2.0]]


def test_the_same_place_through_two_objects():
    x = leaf([2.0])
    a = x * 3
    y = a * a
    assert lists_of(paddle.grad(y, [a, a[:]])) == [[12.0], [12.0]]


def test_results_are_the_callers_own():
    x = leaf([2.0])
    y = x * 1.0
    seed = paddle.to_tensor([5.0])
    (found,) = paddle.grad(y, y, seed)
    found.scale_(100.0)
    assert seed.tolist() == [5.0]
    a, b = x * 1.0, x * 1.0
    one, other = paddle.grad(a + b, [a, b])
    one.scale_(100.0)
    assert other.tolist() == [1.0]


def test_results_with_create_graph_take_in_place_ops():
    x = leaf([2.0])
    (found,) = paddle.grad(x * x * x, x, create_graph=True)
    found.scale_(2.0)
    assert lists_of(paddle.grad(found, x)) == [[24.0]]


def test_dtypes_and_shapes_of_results_are_the_inputs():
    x, w = leaf([[1.0, 2.0]], "float16"), leaf([3.0], "float64")
    y = (x.astype("float64") * w).sum()
    dx, dw = paddle.grad(y, [x, w])
    assert (dx.dtype, list(dx.shape)) == ("float16", [1, 2])
    assert (dw.dtype, list(dw.shape)) == ("float64", [1])


def test_seeds_may_be_part_of_the_graph():
    x = leaf([2.0])
    y = x * x
    (found,) = paddle.grad(y, x, y, create_graph=True)  # y dy/dx = 2 x^3
    assert found.tolist() == [16.0]
    assert lists_of(paddle.grad(found, x)) == [[24.0]]


# ---- backward(create_graph=True), which Paddle does not have


def test_backward_with_create_graph_agrees_with_grad():
    x, w = leaf([0.3, 0.7], "float64"), leaf([1.5, -2.0], "float64")
    y = (paddle.sin(x * w) * x).sum()
    y.backward(create_graph=True)
    expected = paddle.grad(y, [x, w], create_graph=True)
    assert lists_of([x.grad, w.grad]) == lists_of(expected)
    penalty = (x.grad * x.grad).sum() + w.grad.sum()
    again = (expected[0] * expected[0]).sum() + expected[1].sum()
    np.testing.assert_allclose(
        lists_of(paddle.grad(penalty, [x, w])), lists_of(paddle.grad(again, [x, w])), rtol=1e-12
    )


def test_backward_with_create_graph_accumulates():
    x = leaf([2.0])
    for expected in (12.0, 24.0):
        (x * x * x).backward(create_graph=True)
        assert x.grad.tolist() == [expected]
    assert lists_of(paddle.grad(x.grad, x)) == [[24.0]]


# ---- unchanged state


@pytest.mark.single_calls
def test_ten_thousand_refused_calls_leave_nothing():
    x, w = leaf([1.0]), leaf([2.0])

    def fail(times):
        for _ in range(times):
            y = x * x
            try:
                paddle.grad(y * 2, [x, w])
            except InvalidArgumentError:
                continue
            raise AssertionError("w was found")

    fail(10)
    gc.collect()
    before = len(jax.live_arrays())
    fail(10_000)
    gc.collect()
    assert len(jax.live_arrays()) == before


@pytest.mark.single_calls
def test_graphs_of_gradients_are_freed_with_their_tensors():
    x = leaf([0.5])

    def differentiate():
        y = paddle.tanh(x) * x
        for _ in range(3):
            (y,) = paddle.grad(y, x, create_graph=True)
        return y

    differentiate()
    gc.collect()
    gc.disable()
    try:
        before = len(jax.live_arrays())
        for _ in range(20):
            differentiate()
        assert len(jax.live_arrays()) == before
    finally:
        gc.enable()
