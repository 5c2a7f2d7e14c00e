"""FLAGS_call_stack_level=3: the forward lines of a node, and what an error in backward says."""

import threading

import pytest

import jaxeager as paddle
from jaxeager.ops.row import ROWS


@pytest.fixture
def level_3():
    """Forward stacks are on while a test runs."""
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    yield
    paddle.set_flags({"FLAGS_call_stack_level": 1})


def square_then_exp(x):
    """Two ops, on two lines, in a function whose name a stack shows."""
    y = x * x
    return y.exp()


def leaf():
    """A leaf of one element."""
    return paddle.to_tensor([1.0], stop_gradient=False)


def test_a_node_knows_the_lines_that_recorded_it(level_3):
    frames = square_then_exp(leaf()).grad_fn.stack.summary()
    assert frames[-1].name == "square_then_exp"
    assert frames[-1].line == "return y.exp()"
    assert frames[-2].name == "test_a_node_knows_the_lines_that_recorded_it"


def test_every_way_to_record_has_a_stack(level_3):
    x = leaf()
    made = [x + 1, x * x, paddle.concat([x, x]), paddle.split(paddle.concat([x, x]), 2)[0]]
    y = x * 1
    y.scale_(2.0)
    z = x * 1
    z[0] = 3.0
    for tensor in (*made, y, z):
        last = tensor.grad_fn.stack.summary()[-1]
        assert last.name == "test_every_way_to_record_has_a_stack", tensor.grad_fn


def test_an_error_in_backward_carries_the_stack_of_its_node(level_3):
    z = square_then_exp(leaf())
    z.grad_fn.next_functions[0]._register_pre_hook(lambda grads: 1 / 0)
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        z.backward()
    (note,) = caught.value.__notes__
    assert note.startswith("Forward Traceback (most recent call last):\n")
    assert "    y = x * x\n" in note
    assert note.endswith("[GradNode < MultiplyGradNode > error]")


def test_a_stale_saved_tensor_carries_it_too(level_3):
    x = leaf()
    y = x * 2
    z = y * y
    y.scale_(3.0)
    with pytest.raises(
        RuntimeError, match="Its version is 1 but the expected version is 0"
    ) as caught:
        z.backward()
    assert "    z = y * y\n" in caught.value.__notes__[0]


def test_other_threads_are_seen(level_3):
    made = []
    thread = threading.Thread(target=lambda: made.append(square_then_exp(leaf())))
    thread.start()
    thread.join()
    assert made[0].grad_fn.stack.summary()[-1].name == "square_then_exp"


def test_off_the_note_names_the_node_only():
    z = square_then_exp(leaf())
    assert not hasattr(z.grad_fn, "stack")
    z.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        z.backward()
    assert caught.value.__notes__ == ["[GradNode < ExpGradNode > error]"]


def test_off_again_it_costs_nothing():
    x = leaf()
    paddle.multiply(x, x)
    code = ROWS["multiply"].function.__code__
    paddle.set_flags({"FLAGS_call_stack_level": 3})
    assert ROWS["multiply"].function.__code__ is not code
    paddle.set_flags({"FLAGS_call_stack_level": 2})
    assert ROWS["multiply"].function.__code__ is code
