"""to_static: the same results, one word in the log, and what it is asked for."""

import copy
import logging

import pytest

import jaxeager as paddle
from jaxeager.jit import static_function
from jaxeager.static import InputSpec


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(2, 3)

    @paddle.jit.to_static
    def forward(self, x):
        """Runs it."""
        return self.inner(x)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 2])], full_graph=True)
    def twice(self, x):
        return self(x) * 2

    @paddle.jit.not_to_static
    def plain(self, x):
        return x


def test_it_says_once_that_nothing_is_compiled(caplog, monkeypatch):
    monkeypatch.setattr(static_function, "_said", [])
    with caplog.at_level(logging.WARNING, "jaxeager.jit"):
        for _ in range(2):
            paddle.jit.to_static(lambda x: x)
            paddle.jit.to_static(paddle.nn.Linear(2, 2))
    assert caplog.text.count("functions run op by op") == 1


def test_methods_of_a_class():
    net, x = Net(), paddle.ones([1, 2])
    assert net.twice(x).tolist() == (net.inner(x) * 2).tolist()
    assert net(x).tolist() == net.inner(x).tolist()
    assert isinstance(Net.forward, static_function.StaticFunction)
    assert net.forward.class_instance is net
    assert net.forward == net.forward
    assert net.twice.input_spec[0].shape == (-1, 2)
    assert net.forward.__doc__ == "Runs it."
    assert "def forward(self, x):" in net.forward.code
    assert net.plain(3) == 3
    net(x).sum().backward()
    assert net.inner.weight.grad is not None


def test_a_layer_comes_back_itself():
    layer, x = paddle.nn.Linear(2, 3), paddle.ones([1, 2])
    wanted = layer(x).tolist()
    marked = paddle.jit.to_static(layer, input_spec=[InputSpec([None, 2])])
    assert marked is layer
    assert layer(x).tolist() == wanted
    assert paddle.jit.to_static(layer).forward is layer.forward
    other = copy.deepcopy(layer)
    other.weight.set_value(other.weight * 2)
    assert layer(x).tolist() == wanted
    assert layer.forward.rollback()(x).tolist() == wanted
    assert not isinstance(layer.forward, static_function.StaticFunction)
    assert list(layer.state_dict()) == ["weight", "bias"]


def test_marking_twice_marks_once():
    def f(x):
        return x

    marked = paddle.jit.to_static(paddle.jit.to_static(f), input_spec=[1])
    assert marked.dygraph_function is f
    assert marked.input_spec == [1]
    assert marked.rollback() is f
    with pytest.raises(NotImplementedError, match="no static programs"):
        marked.concrete_program  # noqa: B018 - asking raises


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: paddle.jit.to_static(3), TypeError, "takes a function or a Layer"),
        (lambda: paddle.jit.ignore_module([3]), TypeError, "takes modules, but received 3"),
        (lambda: paddle.jit.enable_to_static(3), TypeError, "takes a bool"),
        (lambda: paddle.jit.set_verbosity("a"), TypeError, "Level is not an integer: a"),
        (lambda: paddle.jit.set_code_level("a"), TypeError, "Level is not an integer: a"),
    ],
)
def test_bad_calls(call, error, message):
    with pytest.raises(error, match=message):
        call()
