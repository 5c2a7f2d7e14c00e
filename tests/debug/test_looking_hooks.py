"""Observing hooks: Paddle's guide, effects of a hook on its gradient, and the data of nodes."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from tests.support.leaves import leaf
from tests.support.py_layers import Double


def test_the_guides_example():
    """e = c * d and f = e + d: hooks of both nodes, then that of d with the gradient's sum."""
    log = []
    a, b = leaf([[1.0, 2.0]]), leaf([[3.0, 4.0]])
    c, d = a * b, a * b
    e = c * d
    f = e + d

    def hook(name):
        def post(outputs, inputs):
            assert type(outputs) is type(inputs) is tuple
            log.append((name, [i.tolist() for i in inputs], [o.tolist() for o in outputs]))
            return list(outputs)

        return post

    handles = [
        e.grad_fn._register_post_hook(hook("mul")),
        f.grad_fn._register_post_hook(hook("add")),
        d.register_hook(lambda grad: log.append(("d", grad.tolist()))),
    ]
    (found,) = paddle.grad([f], [a], [paddle.ones([1, 2]) * 3], allow_unused=True)
    assert log == [
        ("add", [[[3.0, 3.0]]], [[[3.0, 3.0]], [[3.0, 3.0]]]),
        ("mul", [[[3.0, 3.0]]], [[[9.0, 24.0]], [[9.0, 24.0]]]),
        ("d", [[12.0, 27.0]]),
    ]
    assert found.tolist() == [[63.0, 204.0]]
    assert [handle.remove() for handle in handles] == [True, True, True]
    assert handles[0].remove() is False


def run_with(hook):
    """Return the leaf's gradient of a program with a hook on its only intermediate tensor."""
    x = leaf([1.0, 1.0])
    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize(
    "write",
    [
        lambda grad: (grad.scale_(5.0), None)[1],
        lambda grad: grad.scale_(5.0),
        lambda grad: (grad.add_(grad * 4), None)[1],
        lambda grad: grad.__setitem__(slice(None), 5.0),
        lambda grad: grad.set_value(np.full(2, 5.0, np.float32)),
    ],
    ids=["scale_", "returned", "add_", "setitem", "set_value"],
)
def test_a_hook_may_write_to_its_gradient(write):
    assert run_with(write) == [10.0, 10.0]


def test_an_in_place_change_reaches_the_next_hook_and_no_other_node():
    x, seen = leaf([1.0]), []
    y = x * 2
    left, right = y * 3, y * 5
    left.register_hook(lambda grad: (grad.scale_(10.0), None)[1])
    left.register_hook(lambda grad: seen.append(("left", grad.tolist())))
    right.register_hook(lambda grad: seen.append(("right", grad.tolist())))
    (left + right).backward()
    assert seen == [("left", [10.0]), ("right", [1.0])]
    assert x.grad.tolist() == [70.0]


def test_writing_to_a_leafs_gradient_in_its_hook():
    x = leaf([1.0])
    x.register_hook(lambda grad: (grad.scale_(10.0), None)[1])
    (x * 2).backward()
    (x * 2).backward()
    assert x.grad.tolist() == [40.0]
    assert x.grad.is_leaf
    assert x.grad.grad_fn is None or x.grad.grad_fn.name() == "GradNodeAccumulation"


def test_a_gradient_that_was_kept_is_a_leaf_like_any_other():
    x = leaf([1.0])
    y = x * 2
    y.retain_grads()
    (y * 3).backward()
    with pytest.raises(InvalidArgumentError, match="can't use inplace strategy"):
        y.grad.scale_(2.0)


def test_post_hooks_may_write_to_their_arguments():
    x = leaf([1.0, 1.0])
    y = x * 2

    def hook(outputs, inputs):
        outputs[0].scale_(5.0)
        return outputs

    y.grad_fn._register_post_hook(hook)
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]


@pytest.mark.parametrize("answer", [3.0, 3, "x", np.ones(2, np.float32)])
def test_a_hook_that_returns_no_tensor_is_refused(answer):
    with pytest.raises(InvalidTypeError, match="must return a Tensor or None"):
        run_with(lambda grad: answer)
    assert paddle.is_grad_enabled()


def test_a_hook_that_changes_the_shape_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"The shape of tensor before\(\[2\]\)"):
        run_with(lambda grad: grad.sum())


def test_a_failed_hook_leaves_recording_on():
    def fail(grad):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_with(fail)
    assert paddle.is_grad_enabled()


# ---- the attributes of a node


def test_metas_of_a_node():
    x, y = leaf([[1.0, 2.0]]), paddle.ones([2], "float64")
    node = (x * y.astype("float32")).grad_fn
    ((arrives,),) = node.input_meta()
    (first,), (second,) = node.output_meta()
    assert (arrives.shape, arrives.dtype.name) == ((1, 2), "float32")
    assert (first.shape, first.stop_gradient, first.edge.node) == ((1, 2), False, x.grad_fn)
    assert (second.stop_gradient, second.edge) == (True, None)
    assert (node.in_meta, node.out_meta) == (node.input_meta(), node.output_meta())


def test_metas_of_nodes_with_lists_of_leaves_and_of_py_layers():
    x = leaf([1.0, 2.0])
    pieces, joined = paddle.split(x, 2), paddle.concat([x, x])
    assert [len(slot) for slot in pieces[0].grad_fn.input_meta()] == [2]
    assert [len(slot) for slot in joined.grad_fn.output_meta()] == [2]
    assert Double.apply(x).grad_fn.input_meta()[0][0].shape == (2,)
    assert x.grad_fn.input_meta() == x.grad_fn.output_meta() == ()


def test_nodes_are_distinguished_by_their_numbers():
    x = leaf([1.0])
    y = x * 2
    nodes = [x.grad_fn, y.grad_fn, (y + 1).grad_fn]
    numbers = [node.node_ptr() for node in nodes]
    assert len(set(numbers)) == 3
    assert numbers == [node.node_ptr() for node in nodes]
    assert nodes[2].next_functions[0].node_ptr() == y.grad_fn.node_ptr()
    freed = (x * 3).grad_fn.node_ptr()
    assert (x * 3).grad_fn.node_ptr() != freed  # Paddle reuses an address


def test_gradients_look_alike_under_grad_and_backward():
    """As in Paddle: gradients in hooks require gradients and have no node, ``grad``'s do not."""
    x = leaf([1.0, 2.0])
    y = x * x
    seen = []
    y.register_hook(lambda grad: seen.append((grad.stop_gradient, grad.grad_fn)))
    y.grad_fn._register_post_hook(
        lambda made, taken: (
            seen.extend((each.stop_gradient, None) for each in (*made, *taken)) or made
        )
    )
    loss = (y * 3).sum()
    (found,) = paddle.grad(loss, x, retain_graph=True)
    assert seen == [(False, None)] * 4
    assert found.stop_gradient
    loss.backward()
    assert seen == [(False, None)] * 8
