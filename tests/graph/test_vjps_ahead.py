"""The VJP kernels that threads compile before a backward runs: graph/vjps_ahead.py."""

import itertools

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph import vjps_ahead
from jaxeager.kernels import compile_threads, executables
from jaxeager.nn import functional as F
from tests.support.compile_threads import listen, wait_for_threads
from tests.support.often import some
from tests.support.py_layers import Double

pytestmark = [
    pytest.mark.skipif(not executables._is_known, reason="JAX handles all kernels itself"),
    pytest.mark.single_calls,
    pytest.mark.usefixtures("no_kernel_files"),
]
_sizes = itertools.count(109, 2)  # a size that no other test has makes all kernels new


@pytest.fixture
def compiled_by(monkeypatch):
    """Return (thread, kernel) of each compilation in a backward, in a list that grows.

    The kernels are waited for before the first node runs, so that the list shows who needs more.
    """
    paddle.kernel_memory.free()  # also those of other tests
    found = listen(monkeypatch)
    begin = vjps_ahead.begin

    def begin_and_wait(tasks, roots):
        found.clear()
        compile_threads._jobs.clear()
        begin(tasks, roots)
        wait_for_threads()

    monkeypatch.setattr(vjps_ahead, "begin", begin_and_wait)
    return found


def threads_of_vjps(compiled_by):
    """Return the threads that compile VJP kernels; other kernels are of constants in a rule."""
    return {thread for thread, name in compiled_by if "_grad" in name}


def bound(*shape):
    """Return a leaf that is bound to its device, as parameters are."""
    values = np.linspace(0.1, 0.9, int(np.prod(shape)), dtype="float32").reshape(shape)
    leaf = paddle.to_tensor(values, stop_gradient=False)
    assert leaf._array.committed
    return leaf


def free(*shape):
    """Return a leaf that is not bound to a device."""
    leaf = paddle.full(shape, 0.5)
    leaf.stop_gradient = False
    assert not leaf._array.committed
    return leaf


def classified(n):
    """Return the loss of a small network."""
    net = paddle.nn.Sequential(
        paddle.nn.Linear(n, 6), paddle.nn.LayerNorm(6), paddle.nn.GELU(), paddle.nn.Linear(6, 3)
    )
    return F.cross_entropy(net(paddle.full([4, n], 0.5)), paddle.to_tensor([0, 1, 2, 0]))


def convolved(n):
    """Return the mean of a convolution without and with a bias."""
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(2, 3, 3, bias_attr=False), paddle.nn.ReLU(), paddle.nn.Conv2D(3, 2, 3)
    )
    return net(paddle.full([1, 2, 8, n], 0.5)).mean()


PROGRAMS = {
    "unary": lambda n: paddle.tanh(paddle.exp(bound(n))).sum(),
    "free": lambda n: paddle.tanh(paddle.exp(free(n))).sum(),
    "free and bound": lambda n: (paddle.sin(free(n)) * bound(n)).sum(),
    "bound late": lambda n: paddle.cos(paddle.sin(free(n)) @ bound(n, 3)).mean(),
    "scalars": lambda n: (bound(n) * 3.5).pow(2.5).sum(),
    "lists": lambda n: paddle.concat([paddle.tanh(bound(n)), free(n)]).prod(),
    "several outputs": lambda n: paddle.multiply(*paddle.split(bound(2 * n), 2)).sum(),
    "one of several outputs": lambda n: paddle.tanh(
        paddle.split(paddle.exp(bound(2 * n)), 2)[1]
    ).sum(),
    "no gradient of positions": lambda n: paddle.sin(paddle.topk(bound(n), 2)[0]).sum(),
    "an output of a list of which one is wanted": lambda n: paddle.unbind(paddle.sin(bound(3, n)))[
        2
    ].sum(),
    "network": classified,
    "convolutions": convolved,
    "looked up": lambda n: paddle.tanh(paddle.nn.Embedding(n, 3)(paddle.to_tensor([1, 2]))).sum(),
    "dropout": lambda n: paddle.sqrt(F.dropout(bound(n), 0.5)).sum(),
    "in float16": lambda n: paddle.tanh(bound(n).astype("float16")).sum(),
}


@pytest.mark.parametrize("name", some(PROGRAMS, lambda name, place: name != "convolutions"))
def test_threads_compile_what_a_backward_calls(name, compiled_by):
    """They compile no kernel that is not called, and the calls compile none again."""
    loss = PROGRAMS[name](next(_sizes))
    loss.backward()
    assert threads_of_vjps(compiled_by) == {"kernels"}
    assert compile_threads._jobs == {}


def test_threads_compile_what_a_partial_backward_calls(compiled_by):
    """Nodes behind the inputs of ``paddle.grad`` do not run."""
    x = bound(next(_sizes))
    y = paddle.sin(x)
    (grad,) = paddle.grad(paddle.exp(paddle.tanh(y)).sum(), [y])
    want = np.exp(np.tanh(y.numpy())) * (1 - np.tanh(y.numpy()) ** 2)
    np.testing.assert_allclose(grad.numpy(), want, rtol=1e-5)
    assert threads_of_vjps(compiled_by) == {"kernels"}
    assert compile_threads._jobs == {}


def test_threads_compile_what_a_backward_with_a_graph_calls(compiled_by):
    """With ``create_graph``, and then those of the gradients' own gradients."""
    x = bound(next(_sizes))
    y = paddle.exp(paddle.tanh(x)).sum()
    (grad,) = paddle.grad(y, [x], create_graph=True)
    assert threads_of_vjps(compiled_by) == {"kernels"}
    assert compile_threads._jobs == {}
    grad.sum().backward(retain_graph=True)
    assert ("kernels", "jit(tanh_grad_grad)") in compiled_by
    slope = 1 - np.tanh(x.numpy()) ** 2
    want = np.exp(np.tanh(x.numpy())) * (slope**2 - 2 * np.tanh(x.numpy()) * slope)
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-4)


def test_threads_compile_nodes_that_a_gradient_reaches_in_part(compiled_by):
    """The product's VJP has two results; the loss depends on the first alone."""
    x, y = bound(next(_sizes)), bound(1)
    product = paddle.sin(x) * y
    (grad,) = paddle.grad(product.sum(), [x], create_graph=True)
    seen = paddle.autograd.grad((grad * grad).sum(), [y])[0]
    want = (2 * np.cos(x.numpy()) ** 2 * y.numpy()).sum()
    np.testing.assert_allclose(seen.numpy(), [want], rtol=1e-5)
    assert threads_of_vjps(compiled_by) == {"kernels"}
    assert compile_threads._jobs == {}


def test_a_backward_compiles_nothing_after_one_with_a_graph(compiled_by):
    x = bound(next(_sizes))
    y = paddle.exp(paddle.tanh(x)).sum()
    (grad,) = paddle.grad(y, [x], create_graph=True)
    assert compiled_by
    compiled_by.clear()
    y.backward()
    assert compiled_by == []
    np.testing.assert_array_equal(x.grad.numpy(), grad.numpy())


def test_a_long_tape_is_walked_in_part(monkeypatch):
    queued = []
    monkeypatch.setattr(vjps_ahead, "MOST_NODES", 3)
    monkeypatch.setattr(executables, "has_new", True)
    monkeypatch.setattr(executables, "begin", lambda kernel, *_: queued.append(kernel))
    x = bound(next(_sizes))
    paddle.sin(paddle.cos(paddle.tanh(paddle.exp(x)))).sum().backward()
    assert len(queued) == 3


LEFT = {
    "sums": lambda x: paddle.sin(x) + paddle.cos(x),
    "user's function": lambda x: paddle.sin(Double.apply(paddle.sin(x))),
    "user's backward": lambda x: Double.apply(x),
}


@pytest.mark.parametrize("name", LEFT)
def test_a_kernel_that_is_not_known_before_is_left_to_its_call(name, compiled_by):
    x = bound(next(_sizes))
    LEFT[name](x).sum().backward()
    assert "main" in dict(compiled_by)
    assert compile_threads._jobs == {}
    want = {
        "sums": np.cos(x.numpy()) - np.sin(x.numpy()),
        "user's function": np.cos(2 * np.sin(x.numpy())) * 2 * np.cos(x.numpy()),
        "user's backward": np.full(x.shape, 2.0),
    }
    np.testing.assert_allclose(x.grad.numpy(), want[name], rtol=1e-5, atol=1e-6)  # cos - sin


def test_packed_tensors_are_unpacked_once(compiled_by):
    unpacked = []
    x = bound(next(_sizes))
    with paddle.autograd.saved_tensors_hooks(
        lambda tensor: tensor.numpy(), lambda kept: unpacked.append(1) or paddle.to_tensor(kept)
    ):
        y = paddle.tanh(x)
    y.sum().backward()
    assert unpacked == [1]
    np.testing.assert_allclose(x.grad.numpy(), 1 - np.tanh(x.numpy()) ** 2, rtol=1e-5)


def test_kernels_that_were_freed_begin_again(compiled_by):
    size = next(_sizes)
    for _ in range(2):
        paddle.tanh(bound(size)).sum().backward()
        assert threads_of_vjps(compiled_by) == {"kernels"}
        paddle.kernel_memory.free()


def test_a_tape_is_walked_only_after_a_compilation(monkeypatch):
    walked = []
    in_order = vjps_ahead._in_order
    monkeypatch.setattr(vjps_ahead, "_in_order", lambda *args: walked.append(1) or in_order(*args))
    size = next(_sizes)
    for _ in range(2):  # the first backward compiles, so that the second one walks
        paddle.tanh(bound(size)).sum().backward()
    assert walked
    walked.clear()
    paddle.tanh(bound(size)).sum().backward()
    assert walked == []
    paddle.tanh(bound(next(_sizes))).sum().backward()
    assert walked == [1]


def test_an_error_while_queueing_is_left_to_the_call(monkeypatch):
    def refuse(*_):
        raise ValueError("not now")

    monkeypatch.setattr(executables, "begin", refuse)
    monkeypatch.setattr(executables, "has_new", True)
    x = bound(next(_sizes))
    paddle.tanh(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1 - np.tanh(x.numpy()) ** 2, rtol=1e-5)


def test_a_pending_tensor_is_not_computed_for_it(monkeypatch):
    x = bound(next(_sizes))
    with paddle.lazy():
        paddle.lazy_report(clear=True)
        loss = paddle.tanh(x).sum()
        monkeypatch.setattr(executables, "has_new", True)
        loss.backward()
        assert paddle.lazy_report().segments == 0
        x.grad.numpy()
