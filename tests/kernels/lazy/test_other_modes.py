"""Lazy mode around code that JAX traces: marked functions, to_jax, saved programs."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels.lazy.pending import Pending


def trained(is_marked: bool, is_lazy: bool, whole_step: bool) -> list:
    """Return the losses of a model that is trained, and its weights."""
    paddle.seed(2)
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Dropout(0.3), paddle.nn.Tanh())
    adam = paddle.optimizer.Adam(0.1, parameters=net.parameters())

    def step(x):
        loss = net(x).sum()
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    if is_marked and whole_step:
        step = paddle.jit.to_static(step)
    elif is_marked:
        net = paddle.jit.to_static(net)
    with paddle.lazy(is_lazy):
        losses = [step(paddle.ones([2, 3])).item() for _ in range(7)]
        weights = [each.numpy() for each in net.parameters()]
    return [np.array(losses), *weights]


@pytest.mark.parametrize("whole_step", [False, True])
def test_a_marked_function_is_called_in_the_mode(whole_step):
    found, want = trained(True, True, whole_step), trained(True, False, whole_step)
    for one, other in zip(found, want, strict=True):
        np.testing.assert_allclose(one, other, 1e-5, 1e-6)


def test_a_marked_layer_reads_parameters_that_were_trained_in_the_mode(tmp_path):
    net = paddle.nn.Linear(3, 2)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    x = paddle.ones([1, 3])
    with paddle.lazy():
        net(x).sum().backward()
        sgd.step()
    assert type(net.weight._array) is Pending
    want = net(x).numpy()
    marked = paddle.jit.to_static(net)
    np.testing.assert_allclose(marked(x).numpy(), want, 1e-6)
    path = str(tmp_path / "net")
    paddle.jit.save(marked, path, input_spec=[paddle.static.InputSpec([None, 3])])
    np.testing.assert_allclose(paddle.jit.load(path)(x).numpy(), want, 1e-6)


def test_a_traced_function_reads_a_pending_tensor_around_it():
    """The segment runs outside the trace: its values are not steps of it, and leave no tracer."""
    with paddle.lazy():
        x = paddle.to_tensor([2.0]) * 3.0

        @jax.jit
        def function(y):
            return y * x._array

        assert function(np.array([1.0], "float32")).tolist() == [6.0]
        assert x.tolist() == [6.0]
        assert (x + 1.0).tolist() == [7.0]


@pytest.mark.parametrize("draws_before", [0, 1, 16])
def test_a_whole_graph_draws_new_numbers_on_each_call(draws_before):
    """The keys of draws are pending too; a capture took one of them for a constant."""

    def results(is_lazy):
        paddle.seed(3)
        drop = paddle.jit.to_static(lambda x: paddle.nn.functional.dropout(x), full_graph=True)
        with paddle.lazy(is_lazy):
            for _ in range(draws_before):
                paddle.rand([2])
            return [drop(paddle.ones([32])).tolist() for _ in range(4)]

    assert results(True) == results(False)
    assert len(set(map(tuple, results(True)))) == 4
