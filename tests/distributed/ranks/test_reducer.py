"""Gradients that are reduced when a backward ends, and backwards that do not."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.distributed.communication.task import Task
from jaxeager.distributed.fleet.meta_parallel.sharding.backward_end import ReducedAtEnd
from jaxeager.distributed.ranks import reducer
from jaxeager.graph import engine


class Failing(paddle.autograd.PyLayer):
    """Passes a tensor on, and no gradient."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("no gradient")


def network():
    paddle.seed(1)
    return paddle.nn.Linear(2, 3)


def fail(net):
    """Run a backward that fails after the gradients of a network's parameters."""
    x = paddle.ones([4, 2])
    x.stop_gradient = False
    with pytest.raises(ValueError, match="no gradient"):
        net(Failing.apply(x)).sum().backward()


def succeed(net):
    net(paddle.ones([4, 2])).sum().backward()
    return net.weight.grad.numpy()


def test_a_backward_that_fails_is_none_of_a_reducers(monkeypatch):
    sent = []
    monkeypatch.setattr(
        reducer, "reduce_together", lambda grads, *_, **__: sent.append(len(grads)) or Task(False)
    )
    net, other = network(), network()
    found = reducer.Reducer(list(net.named_parameters()), None)
    fail(net)
    assert engine.count_final_hooks() == 0
    assert (found._ready, found._sent) == (set(), [])
    assert net.weight.grad is None
    sent.clear()
    np.testing.assert_array_equal(succeed(other), np.full((2, 3), 4))
    assert sent == []
    np.testing.assert_array_equal(succeed(net), np.full((2, 3), 4))
    assert sent == [2]
    assert (found._ready, found._sent) == (set(), [])


def test_a_backward_that_fails_gives_back_what_was_laid_aside():
    net, reduced = network(), []
    ends = ReducedAtEnd(net.parameters(), lambda: reduced.append(net.weight.grad.numpy()))
    succeed(net)
    ends.lay_aside()
    assert net.weight.grad is None
    fail(net)
    np.testing.assert_array_equal(net.weight.grad.numpy(), np.full((2, 3), 4))
    assert len(reduced) == 1
    ends.lay_aside()
    np.testing.assert_array_equal(succeed(net), np.full((2, 3), 8))
    np.testing.assert_array_equal(reduced, np.full((2, 2, 3), 4))


def test_a_hook_without_an_undo_waits_for_the_next_backward():
    told = []
    engine.add_final_hook(lambda: told.append("before"), undo=lambda: told.append("undone"))
    paddle.base.core.eager._add_backward_final_hook(lambda: told.append("waited"))
    net = network()
    net.weight.register_hook(lambda _: engine.add_final_hook(lambda: told.append("within")))
    fail(net)
    assert told == []  # both existed before, and changes inside have no undo
    succeed(network())
    assert told == ["before", "waited", "within"]
