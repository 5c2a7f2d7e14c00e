"""The engine on small graphs: order, accumulation, release, errors."""

import weakref

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import (
    FatalError,
    InvalidArgumentError,
    InvalidTypeError,
    PermissionDeniedError,
)
from tests.support.leaves import leaf


def test_gradients_of_a_shared_leaf_add_up():
    x = leaf([1.0, 2.0])
    (x * x + x).sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_a_diamond_runs_each_node_once(monkeypatch):
    from jaxeager.graph.node import GradNode

    ran = []
    run = GradNode.run
    monkeypatch.setattr(
        GradNode, "run", lambda self, *args: ran.append(self.name()) or run(self, *args)
    )
    x = leaf([1.0])
    a = x * 2
    ((a * 3) + (a * 5)).backward()
    assert x.grad.tolist() == [16.0]
    assert sorted(ran) == ["AddGradNode"] + ["ScaleGradNode"] * 3


def test_nodes_run_first_in_first_out_and_leaves_first(monkeypatch):
    from jaxeager.graph import node as nodes

    ran = []
    for kind in (nodes.GradNode, nodes.GradNodeAccumulation):
        run = kind.run
        monkeypatch.setattr(
            kind,
            "run",
            lambda self, *args, run=run: ran.append(names.get(self, "?")) or run(self, *args),
        )
    x, y = leaf([2.0]), leaf([3.0])
    a = x * y
    b = a + x
    c = b * y
    names = {t.grad_fn: n for t, n in [(a, "a"), (b, "b"), (c, "c"), (x, "x"), (y, "y")]}
    c.backward()
    assert ran == ["c", "b", "a", "y", "x"]


def test_two_backwards_accumulate():
    x = leaf([1.0])
    for _ in range(2):
        (x * 3).backward()
    assert x.grad.tolist() == [6.0]


def test_a_held_gradient_is_never_changed():
    x = leaf([1.0])
    (x * 2).backward()
    held = x.grad
    (x * 2).backward()
    assert held.tolist() == [2.0]
    assert x.grad.tolist() == [4.0]


@pytest.mark.parametrize("set_to_zero", [True, False])
def test_clear_grad(set_to_zero):
    x = leaf([1.0])
    x.clear_grad()
    assert x.grad is None
    (x * 2).backward()
    x.clear_gradient(set_to_zero=set_to_zero)
    assert (x.grad.tolist() == [0.0]) if set_to_zero else (x.grad is None)
    (x * 5).backward()
    assert x.grad.tolist() == [5.0]


def test_cleared_gradient_is_replaced_not_added_to():
    x = leaf([1.0])
    (x * float("inf")).backward()
    x.clear_grad()
    (x * 5).backward()
    assert x.grad.tolist() == [5.0]


@pytest.mark.single_calls
def test_clearing_frees_the_gradient():
    """Zeros are created when the gradient is read: until then they use no memory."""
    x = leaf([1.0, 2.0])
    (x * 2).backward()
    array = weakref.ref(x.grad._array)
    x.clear_grad()
    assert array() is None
    x.clear_grad()
    assert x.grad.tolist() == [0.0, 0.0]
    assert x.grad.dtype == x.dtype
    assert x.grad.place == x.place


def test_a_backward_that_fails_leaves_a_cleared_gradient_cleared():
    x, y = leaf([1.0]), leaf([3.0])
    (x * 2).backward()
    x.clear_grad()
    seen = []

    def fail(grad):
        seen.append(x.grad.tolist())
        raise ValueError("on purpose")

    y.register_hook(fail)
    with pytest.raises(ValueError, match="on purpose"):
        paddle.autograd.backward([x * 5, y * y])
    assert seen == [[5.0]]
    assert x.grad.tolist() == [0.0]


def test_second_backward_raises_paddles_error():
    x = leaf([1.0])
    z = (x * x).sum()
    z.backward()
    with pytest.raises(FatalError, match="The TensorWrappers of SumGradNode do not exist"):
        z.backward()
    assert isinstance(FatalError("x"), SystemError)


def test_an_op_that_saves_nothing_is_released_too():
    x = leaf([1.0])
    z = x * 2
    z.backward()
    with pytest.raises(FatalError, match="ScaleGradNode"):
        z.backward()


def test_a_graph_that_was_released_in_part_changes_nothing():
    x, w = leaf([1.0]), leaf([2.0])
    y = x * x
    product = y * w
    y.backward()
    with pytest.raises(FatalError, match="MultiplyGradNode"):
        product.backward()
    assert w.grad is None
    assert x.grad.tolist() == [2.0]


def test_retain_graph():
    x = leaf([3.0])
    z = x * x
    z.backward(retain_graph=True)
    z.backward()
    assert x.grad.tolist() == [12.0]


def test_saved_tensors_are_freed_as_soon_as_a_node_has_run():
    x = leaf([3.0])
    z = x * x
    node = z.grad_fn
    assert len(node.saved) == 2
    z.backward()
    assert node.saved == ()
    assert node.next_functions == [x.grad_fn, x.grad_fn]


def test_non_scalar_root_starts_from_ones():
    x = leaf([[1.0, 2.0]])
    (x * 4).backward()
    assert x.grad.tolist() == [[4.0, 4.0]]


def test_backward_of_a_leaf_adds_its_own_gradient():
    x = leaf([1.0, 2.0])
    x.backward()
    x.backward(paddle.to_tensor([10.0, 20.0]))
    assert x.grad.tolist() == [11.0, 21.0]


def test_roots_that_depend_on_each_other():
    for order in (1, -1):
        x = leaf([1.0])
        a = x * 2
        b = a * 3
        paddle.autograd.backward([a, b][::order])
        assert x.grad.tolist() == [8.0]


def test_two_roots_of_one_node_are_summed():
    x = leaf([1.0])
    p = x * 2
    paddle.autograd.backward([p, p[:]])
    assert x.grad.tolist() == [4.0]


def test_unused_output_gets_zeros():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    first, _ = paddle.split(x, 2)
    (first * 10).sum().backward()
    assert x.grad.tolist() == [10.0, 10.0, 0.0, 0.0]


def test_a_root_that_stops_gradients_is_warned_of():
    x = paddle.to_tensor([1.0])
    with pytest.warns(UserWarning, match="computes no gradients"):
        x.backward()
    assert x.grad is None


def test_backward_works_under_no_grad():
    x = leaf([1.0])
    z = x * 2
    with paddle.no_grad():
        z.backward()
    assert x.grad.tolist() == [2.0]


def test_toggling_stop_gradient_later_cuts_nothing():
    x = leaf([1.0])
    y = x * 2
    z = y * 3
    y.stop_gradient = True
    z.backward()
    assert x.grad.tolist() == [6.0]


def test_grad_tensor_shape_is_checked():
    x = leaf([1.0, 2.0])
    y = x * 2
    bad = paddle.to_tensor([1.0, 1.0, 1.0])
    with pytest.raises(InvalidArgumentError, match=r"shape \[3\] mismatch .* shape \[2\]"):
        y.backward(bad)
    with pytest.raises(InvalidArgumentError, match="mismatch"):
        paddle.autograd.backward([y], [bad])
    y.backward(paddle.to_tensor([1, 2], dtype="int32"))
    assert x.grad.dtype == "float32"
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("tensors", "grads", "error", "text"),
    [
        (lambda y: [], None, InvalidArgumentError, "cannot be empty"),
        (lambda y: [1.0], None, InvalidTypeError, "must be paddle.Tensor"),
        (lambda y: [y, y], None, InvalidArgumentError, "duplicate"),
        (lambda y: [y], [None, None], InvalidArgumentError, "length of grad_tensors"),
        (lambda y: [y], [[1.0]], InvalidTypeError, "type of grad_tensor"),
    ],
)
def test_bad_arguments(tensors, grads, error, text):
    y = leaf([1.0]) * 2
    with pytest.raises(error, match=text):
        paddle.autograd.backward(tensors(y), grads)


def test_version_error_text():
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y * y
    y.add_(paddle.ones([2]))
    with pytest.raises(
        PermissionDeniedError,
        match=r"modified by an inplace operation\. Its version is 1 but the expected version is 0",
    ):
        z.sum().backward()


def test_no_need_buffer_saves_are_not_checked():
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y + y
    y.add_(paddle.ones([2]))
    z.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_set_value_keeps_what_was_saved():
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y * y
    y.set_value(np.array([100.0, 100.0], "float32"))
    z.sum().backward()
    assert x.grad.tolist() == [8.0, 16.0]


def test_integers_carry_gradients():
    c = paddle.to_tensor([1, 2], stop_gradient=False)
    (c * 2).backward()
    assert c.grad.dtype == "int64"
    assert c.grad.tolist() == [2, 2]


def test_a_dead_leaf_drops_its_gradient():
    x = leaf([1.0])
    y = leaf([1.0])
    z = x * y
    del y
    z.backward()
    assert x.grad.tolist() == [1.0]


def test_metas_of_a_node():
    x, w = leaf([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]])
    node = paddle.matmul(x, w).grad_fn
    (out,) = node.in_meta
    assert (out[0].shape, out[0].dtype) == ((1, 1), np.float32)
    (first,), (second,) = node.out_meta
    assert first.edge.node is x.grad_fn
    assert not first.stop_gradient
    assert second.stop_gradient
    assert second.shape == (2, 1)
