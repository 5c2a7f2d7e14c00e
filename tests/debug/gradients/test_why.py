"""debug.why: each way to lose a gradient is named, with its line."""

import sys

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import debug
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events
from tests.support.leaves import leaf

RELU = paddle.nn.functional.relu


def asked(program, runs=True):
    """Return the answer of why for w after a program of (w, other) was captured."""
    w, other = leaf([1.0, -2.0, 3.0], name="w"), leaf([1.0], name="other")
    with debug.capture_step() as step:
        loss = program(w, other)
        if runs and not loss.stop_gradient:
            loss.backward()
    return debug.why(w, loss, step)


def under_no_grad(w, other):
    with paddle.no_grad():
        h = w * 2  # here
    return (h * other).sum()


def detached(w, other):
    h = paddle.tanh(w)
    h = h.detach()  # here
    return (h * other).sum()


def detached_at_once(w, other):
    return (w.detach() * other).sum()  # here


def told_to_stop(w, other):
    h = w * 2
    h.stop_gradient = True
    return (h * other).sum()  # here


def made_integer(w, other):
    return (w.argmax().astype("float32") * other).sum()  # here


def through_numpy(w, other):
    values = np.exp(w.numpy())  # here
    return (paddle.to_tensor(values) * other).sum()


def not_used(w, other):
    w * 3  # here
    return other.sum()


def dead(w, other):
    return (RELU(w - 100.0) * other).sum()  # here


def dead_in_part(w, other):
    return (RELU(w) * other).sum()  # here


def clipped(w, other):
    return (paddle.clip(w, 10.0, 20.0) * other).sum()  # here


class ReturnsNone(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, dy):
        return None


def returns_none(w, other):
    return (ReturnsNone.apply(w) * other).sum()  # here


CASES = [
    (under_no_grad, "no_grad", "scale ran under no_grad"),
    (detached, "detached", "detach() cuts the graph here: the operand of multiply"),
    (detached_at_once, "detached", "detach() cuts the graph here: the operand of multiply"),
    (told_to_stop, "stop_gradient", "multiply receives it with stop_gradient=True"),
    (made_integer, "integer", "argmax returns int64, which has no gradient"),
    (through_numpy, "host", "its value is copied to the host here, and becomes a new"),
    (not_used, "unused", "the result of scale here is not used in the loss"),
    (dead, "zeros", "the ReLU is dead for 3 of 3 elements (100%)"),
    (dead_in_part, "zeros", "the ReLU is dead for 1 of 3 elements (33%)"),
    (clipped, "zeros", "makes zeros of 3 of 3 elements (100%), by dx = dout where"),
    (returns_none, "returned None", "GradNodePyLayer_ReturnsNone returned None for it"),
]


@pytest.mark.parametrize(
    ("program", "kind", "text"), CASES, ids=lambda v: getattr(v, "__name__", "")
)
def test_the_line_that_loses_it_is_named(program, kind, text):
    """Planted: each program loses the gradient of w at the line marked "here"."""
    found = asked(program)
    assert found.kinds == [kind]
    assert text in str(found)
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = program.__code__.co_firstlineno
    here = next(n for n in range(first, first + 8) if lines[n - 1].endswith("# here"))
    assert found.reasons[0].line == f"test_why.py:{here}"
    assert found.state == {"zeros": "partly zero" if "part" in program.__name__ else "zero"}.get(
        kind, "None"
    )


def test_nothing_is_wrong():
    found = asked(lambda w, other: (w * w).sum())
    assert (found.state, found.reasons) == ("there", [])
    assert str(found) == "The gradient of w exists."


def test_no_call_took_it():
    assert "no call in the captured step used it" in str(asked(lambda w, other: other.sum()))


def test_backward_has_not_run():
    found = asked(lambda w, other: (w * other).sum(), runs=False)
    assert found.kinds == ["no backward"]


def test_a_cleared_gradient_is_named():
    w = leaf([1.0, -2.0, 3.0], name="w")
    with debug.capture_step() as step:
        loss = (w * w).sum()
        loss.backward()
        w.clear_gradient(False)
    assert debug.why(w, loss, step).kinds == ["cleared"]


def test_reasons_that_lie_in_the_tensor_itself():
    assert debug.why(paddle.ones([2])).kinds == ["stop_gradient"]
    h = leaf([1.0, -2.0, 3.0], name="w") * 2
    h.sum().backward()
    assert debug.why(h).kinds == ["not kept"]
    with pytest.raises(InvalidTypeError, match="why takes a Tensor, but received float"):
        debug.why(1.0)


def test_without_a_capture_the_graph_is_inspected():
    w, other = leaf([1.0, -2.0, 3.0], name="w"), leaf([1.0], name="other")
    loss = (w * 2).detach().sum() * other
    found = debug.why(w, loss)
    assert found.kinds == ["unreached"]
    assert "debug.capture_step()" in str(found)
    assert debug.why(w, (w * 2).sum()).kinds == ["no backward"]


def test_the_loss_of_the_last_backward_is_taken():
    w, other = leaf([1.0, -2.0, 3.0], name="w"), leaf([1.0], name="other")
    with debug.capture_step() as step:
        (RELU(w - 9.0) * other).sum().backward()
    assert debug.why(w, step=step).kinds == ["zeros"]


def test_a_capture_changes_nothing_and_ends():
    def run():
        paddle.seed(3)
        w = leaf([1.0, -2.0, 3.0], name="w")
        loss = (paddle.nn.functional.dropout(w * w, 0.5)).sum()
        loss.backward()
        return w.grad.tolist(), loss.item()

    alone, before = run(), events.in_force()
    with debug.capture_step() as step:
        captured = run()
    assert captured == alone
    assert events.in_force() == before
    assert repr(step) == f"<CapturedStep: {len(step.calls)} calls, 1 backwards>"
    assert step.calls[0].line == f"test_why.py:{run.__code__.co_firstlineno + 3}"
    assert sys.getrefcount(step) == 2
