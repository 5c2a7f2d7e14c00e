"""debug.step_backward: a manual backward has the results of backward(), and can go back."""

import io

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import debug
from jaxeager.debug.gradients.stepping import _Terminal
from jaxeager.errors import FatalError, InvalidArgumentError, NotFoundError, PermissionDeniedError
from tests.support.leaves import leaf


def diamond(x, w):
    """Return a graph in which gradients meet, at a leaf and at a tensor between."""
    h = x * w
    return (paddle.tanh(h) * h + x).sum()


def gradients(*leaves):
    return [None if t.grad is None else t.grad.tolist() for t in leaves]


def expected():
    x, w = leaf([1.0, -2.0]), leaf([0.5, 3.0])
    diamond(x, w).backward()
    return gradients(x, w)


def test_to_the_end_it_is_backward():
    x, w = leaf([1.0, -2.0]), leaf([0.5, 3.0])
    stepper = debug.step_backward(diamond(x, w))
    names = []
    while stepper.node is not None:
        names.append(stepper.node.name())
        stepper.next()
    assert gradients(x, w) == expected()
    assert stepper.total == len(names) == len(stepper.done) == 7
    assert names[:2] == ["SumGradNode", "AddGradNode"]
    assert stepper.next() is None


@pytest.mark.parametrize("steps", range(1, 8))
def test_back_and_forth_from_every_place(steps):
    """Nothing was overwritten: steps that were undone run again with the same numbers."""
    x, w = leaf([1.0, -2.0]), leaf([0.5, 3.0])
    stepper = debug.step_backward(diamond(x, w))
    stepper.next(steps)
    seen = [(step.node, [None if g is None else np.asarray(g) for g in step.results])
            for step in stepper.done]  # fmt: skip
    assert stepper.back(99) == steps
    assert (gradients(x, w), stepper.done) == ([None, None], [])
    stepper.next(steps)
    for (node, results), step in zip(seen, stepper.done, strict=True):
        assert step.node is node
        for a, b in zip(results, step.results, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a, b)
    stepper.finish()
    assert gradients(x, w) == expected()


def test_an_earlier_gradient_is_restored():
    x = leaf([1.0, 2.0])
    (x * 3).sum().backward()
    stepper = debug.step_backward((x * 5).sum())
    stepper.next(3)
    assert x.grad.tolist() == [8.0, 8.0]
    stepper.back()
    assert x.grad.tolist() == [3.0, 3.0]


def test_edit_changes_the_gradient_passed_on_and_back_undoes_it():
    x = leaf([1.0, 2.0])
    stepper = debug.step_backward((x * 3).sum())
    stepper.next()
    stepper.edit([10.0, 0.0])
    assert stepper.gradients[0].tolist() == [10.0, 0.0]
    stepper.back()
    assert stepper.gradients[0].tolist() == [1.0, 1.0]
    stepper.edit(paddle.to_tensor([10, 0]))
    stepper.finish()
    assert x.grad.tolist() == [30.0, 0.0]


def test_skip_passes_nothing_on():
    x, w = leaf([1.0, -2.0]), leaf([0.5, 3.0])
    stepper = debug.step_backward(diamond(x, w))
    stepper.until("TanhGradNode")
    stepper.skip()
    stepper.finish()
    h = np.array([0.5, -6.0])
    np.testing.assert_allclose(x.grad.numpy(), np.tanh(h) * [0.5, 3.0] + 1, rtol=1e-6)


def test_until_finds_names_lines_leaves_and_pointers():
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    try:
        x, w = leaf([1.0, -2.0]), leaf([0.5, 3.0])
        x.name = "x"
        loss = diamond(x, w)
    finally:
        paddle.set_flags({"FLAGS_call_stack_level": 1})
    stepper = debug.step_backward(loss)
    line = diamond.__code__.co_firstlineno + 2
    assert stepper.until(f"test_stepping.py:{line}").name() == "MultiplyGradNode"
    stepper.back(99)
    assert stepper.until("Tanh*").name() == "TanhGradNode"
    assert "tanh(h)" in stepper.stack
    assert stepper.saved.keys() == {"out"}
    assert stepper.until("x").is_leaf
    stepper.back(99)
    pointer = f"{loss.grad_fn.edges[0].node.node_ptr():#x}"
    assert stepper.until(pointer).name() == "AddGradNode"
    with pytest.raises(NotFoundError, match="No node that has yet to run is 'ReluGradNode'"):
        stepper.until("ReluGradNode")
    assert len(stepper.done) == 1


def test_a_node_that_raises_has_not_run():
    """A planted fault: y is written between its use and the backward."""
    x = leaf([1.0, 2.0])
    y = x * 1.0
    z = paddle.exp(y) * y
    y.fill_(0.0)
    stepper = debug.step_backward(z.sum())
    stepper.next()
    before = repr(stepper)
    for _ in range(2):
        with pytest.raises(PermissionDeniedError, match="modified by an inplace"):
            stepper.next()
        assert repr(stepper) == before
    assert "written in place since" in str(stepper)
    stepper.skip()
    stepper.finish()
    assert x.grad is None


def test_hooks_run_as_in_backward():
    x = leaf([1.0, 2.0])
    x.register_hook(lambda grad: grad * 2)
    y = x * 3
    y.retain_grads()
    stepper = debug.step_backward(y.sum())
    stepper.finish()
    assert (x.grad.tolist(), y.grad.tolist()) == ([6.0, 6.0], [1.0, 1.0])


def test_the_graph_is_freed_at_the_end_only():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    debug.step_backward(loss).next(2)
    stepper = debug.step_backward(loss, retain_graph=True)
    stepper.finish()
    debug.step_backward(loss).finish()
    assert x.grad.tolist() == [4.0, 8.0]  # of three, the first has not reached the leaf
    with pytest.raises(FatalError, match="backward twice"):
        debug.step_backward(loss)


def test_an_edit_that_does_not_fit_is_refused():
    x = leaf([1.0, 2.0])
    stepper = debug.step_backward((x * 3).sum())
    with pytest.raises(InvalidArgumentError, match=r"has the shape \[\], but got one of shape \[2"):
        stepper.edit([1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match="takes 1 gradients, but position is 1"):
        stepper.edit(1.0, 1)
    stepper.finish()
    with pytest.raises(InvalidArgumentError, match="All nodes have run"):
        stepper.edit(1.0)


def test_the_terminal():
    x = leaf([1.0, 2.0])
    terminal = _Terminal(debug.step_backward((x * x).sum()))
    terminal.use_rawinput = False
    terminal.stdin = io.StringIO("n\nb\nn\ne g * 4\ne nothing\np\nu Sigmoid\nc\n")
    terminal.stdout = out = io.StringIO()
    terminal.cmdloop()
    assert x.grad.tolist() == [8.0, 16.0]
    text = out.getvalue()
    assert "0 of 3 nodes have run.\nnext  SumGradNode\n      takes float32[] 1\n" in text
    assert "saved x = float32[2] [1 2]" in text
    assert "NameError: name 'nothing' is not defined" in text
    assert "No node that has yet to run is 'Sigmoid'" in text
