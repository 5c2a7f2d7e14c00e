"""Functions that read values: the ops recorded before the line run there."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.jit.marked import at_once, rows

net = paddle.nn.Linear(3, 3)


def branch(x):
    y = net(x)
    z = y * 2
    if z.sum() > 0:
        w = z + 1
        w = w * 3
    else:
        w = z - 1
        w = paddle.tanh(w)
    return (w * y).sum()


def item_in_the_middle(x):
    y = net(x)
    y = y * 2
    scale = y.abs().max().item()
    y = y / scale
    return (y * y).sum()


def loop(x):
    y = net(x)
    steps = 0
    while y.abs().sum() > 1:
        y = y * 0.5
        y = y - y.mean()
        steps += 1
    return y.sum() * steps + net(x).sum()


def leaves_early(x):
    y = net(x)
    for number in range(4):
        y = y * 1.5
        if y.abs().max() > 3:
            y = y - 1
            break
        y = y + number
    else:
        y = y * 7
    return y.sum()


def returns_early(x, limit=0.0):
    y = net(x) * 2
    if y.sum() > limit:
        return y.sum() * 3
    y = paddle.tanh(y)
    return y.sum()


def collects(x):
    found = []
    y = net(x)
    for number in range(3):
        y = y + number
        found.append(y.mean())
    last = float(y.sum())
    found.append(y * 2)
    return sum(each.sum() for each in found) + last


def with_and_try(x):
    y = net(x)
    try:
        with paddle.no_grad():
            size = y.abs().sum().item()
            y2 = y * size
    finally:
        z = y * 2
        z = z + 1
    return z.sum() + y2.sum()


def breaks_thrice(x):
    y = net(x) + 1
    a = y.sum().item()
    y = y * a
    y = y + 1
    b = y.mean().item()
    y = y * b
    y = y + 2
    if y.max() > 0:
        y = y * y
    return y.sum()


FUNCTIONS = (
    branch, item_in_the_middle, loop, leaves_early, returns_early, collects, with_and_try,
    breaks_thrice,
)  # fmt: skip


@pytest.mark.parametrize("mark", [paddle.jit.to_static, at_once])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values_and_gradients(function, mark):
    marked = mark(function)
    for number in range(5):
        found = []
        for each in (function, marked):
            net.clear_gradients()
            loss = each(rows(number))
            loss.backward()
            found.append([loss.numpy(), net.weight.grad.numpy()])
        for wanted, got in zip(*found, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-5)


@pytest.mark.single_calls
def test_a_requested_value_ends_a_segment():
    marked = at_once(item_in_the_middle)
    marked(rows(0))
    paddle.lazy_report(clear=True)
    marked(rows(1))
    line = item_in_the_middle.__code__.co_firstlineno + 3
    found = paddle.lazy_report()
    assert found.segments == 2
    assert found.one_by_one == 0
    assert (line, "a value was read") in [(at, why) for _, at, why, *_ in found.ends]


def test_the_whole_graph_or_an_error():
    marked = paddle.jit.to_static(branch, full_graph=True)
    np.testing.assert_allclose(marked(rows(0)).numpy(), branch(rows(0)).numpy(), rtol=1e-5)
    marked = paddle.jit.to_static(item_in_the_middle, full_graph=True)
    line = item_in_the_middle.__code__.co_firstlineno + 3
    with pytest.raises(NotImplementedError, match=rf"float32\[\].*test_values_asked_for.py:{line}"):
        marked(rows(0))


def test_methods_closures_and_defaults():
    shift = paddle.ones([3])

    class Shifting(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = paddle.nn.Linear(3, 3)

        def forward(self, x, *more, factor=2, **named):
            y = self.inner(x) * factor + shift
            y = y + sum(more)
            if y.sum() > named.get("limit", 0):
                y = y * 2
                y = y + shift
            return y

    layer = Shifting()
    for arguments in ({}, {"factor": 3}, {"limit": 1e6}):
        wanted = layer(rows(0), 1.0, **arguments).numpy()
        marked = paddle.jit.to_static(Shifting())
        marked.set_state_dict(layer.state_dict())
        np.testing.assert_allclose(marked(rows(0), 1.0, **arguments).numpy(), wanted, rtol=1e-5)


def test_defaults_and_annotations_of_local_names():
    limit, kind = 3.0, float

    def clipped(x, most: kind = limit, *, least: kind = -limit) -> kind:
        y = x * 2
        largest = y.max().item()
        y = y * largest
        return paddle.clip(y, least, most)

    assert paddle.jit.to_static(clipped)(paddle.ones([2])).tolist() == [3.0, 3.0]


def test_a_local_that_is_not_set():
    @paddle.jit.to_static
    def unset(x):
        if x.sum() > 0:
            y = x * 2
            y = y + 1
        return y + 1

    assert unset(paddle.ones([2])).tolist() == [4.0, 4.0]
    with pytest.raises(UnboundLocalError, match="y"):
        unset(-paddle.ones([2]))
