"""A backward that runs in a lazy block has the gradients of one that runs node by node."""

import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import FatalError, PermissionDeniedError
from jaxeager.kernels.lazy import mode
from jaxeager.kernels.lazy.recorder import Recorder
from tests.support.leaves import leaf

pytestmark = pytest.mark.single_calls

F = paddle.nn.functional
RUNS = 3  # after these a segment is one executable


@pytest.fixture(autouse=True)
def fresh_recorder(monkeypatch):
    """Start every test with segments that were never seen, and compile them at once."""
    mode.install()
    monkeypatch.setattr(mode._of_thread, "recorder", Recorder(), raising=False)
    paddle.lazy_report(clear=True)
    paddle.set_flags({"FLAGS_lazy_wait": True})
    yield
    paddle.set_flags({"FLAGS_lazy_wait": False})


def backward(loss, **given) -> None:
    """Run only the backward in a lazy block."""
    with paddle.lazy():
        loss.backward(**given)


def check(build, leaves) -> None:
    """Compare the gradients of recorded backwards with those of the engine alone."""
    wanted = _gradients(build, leaves, lambda loss: loss.backward())
    for _ in range(RUNS):
        found = _gradients(build, leaves, backward)
    assert paddle.lazy_report().segments >= RUNS
    for one, other in zip(found, wanted, strict=True):
        if other is None:
            assert one is None
        else:
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, 1e-6, 1e-6)


def _gradients(build, leaves, run) -> list:
    for each in leaves:
        each.clear_grad(False)
    run(build())
    return [None if each.grad is None else each.grad.numpy() for each in leaves]


# ---- the same gradients


def test_a_chain():
    x, y = leaf([1.0, 2.0]), leaf([0.5, -0.5])
    check(lambda: (paddle.tanh(x * y) + y / x).sum(), [x, y])


def test_gradients_meet_in_nodes_and_leaves():
    x = leaf([1.0, 2.0])

    def build():
        y = x * 2.0
        return (y * y + y + paddle.exp(y) * x).sum()

    check(build, [x])


def test_outputs_without_a_gradient_are_zeros():
    x = leaf(np.arange(6).reshape(2, 3))

    def build():
        first, _, last = paddle.split(x * 2.0, 3, axis=1)
        return (first * 3.0).sum() + paddle.topk(last.reshape([2]), 1)[0].sum()

    check(build, [x])


def test_lists_and_operands_that_are_missing():
    x, weight = leaf(np.arange(6).reshape(2, 3)), leaf([1.0, 2.0, 3.0])

    def build():
        normed = F.layer_norm(paddle.concat([x, x * 2.0], 0), 3, weight=weight)
        return (paddle.stack([normed, normed * 2.0]) ** 2.0).sum()

    check(build, [x, weight])


def test_a_network():
    paddle.seed(0)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(1, 4, 3), paddle.nn.BatchNorm2D(4), paddle.nn.ReLU(),
        paddle.nn.MaxPool2D(2), paddle.nn.Flatten(), paddle.nn.Linear(36, 5),
    )  # fmt: skip
    x, label = paddle.randn([2, 1, 8, 8]), paddle.to_tensor([1, 4])
    check(lambda: F.cross_entropy(net(x), label), list(net.parameters()))


def test_gradients_of_gradients_are_part_of_a_graph():
    x = leaf([1.0, 2.0])

    def build():
        (first,) = paddle.grad((x**3.0).sum(), x, create_graph=True)
        return (first * x).sum()

    check(build, [x])


def test_views_that_were_written():
    x, value = leaf([1.0, 2.0, 3.0]), leaf([5.0])

    def build():
        y = x * 2.0
        y[1:2] = value * 3.0
        part = y[0:2]
        part.add_(value)
        return (y * y).sum()

    check(build, [x, value])


def test_several_roots_with_gradients():
    x = leaf([1.0, 2.0])
    given = paddle.to_tensor([3.0, 4.0])
    for _ in range(3):
        x.clear_grad(False)
        roots = [x * 2.0, (x * x).sum()]
        with paddle.lazy():
            paddle.autograd.backward(roots, [given, None])
        assert x.grad.tolist() == [8.0, 12.0]


def test_gradients_are_added_to_what_is_there():
    x = leaf([1.0, 2.0])
    for times in range(1, 5):
        backward((x * 3.0).sum())
        assert x.grad.tolist() == [3.0 * times] * 2


def test_other_shapes():
    for length in (2, 3, 4):
        x = paddle.arange(length, dtype="float32")
        x.stop_gradient = False
        backward((x * x * 2.0)[0:2].sum())
        assert x.grad.tolist()[:2] == [0.0, 4.0]


# ---- nodes that Python must see


def test_hooks_of_tensors_nodes_and_leaves():
    x = leaf([1.0, 2.0])
    seen = []

    def build():
        y = x * 2.0
        y.register_hook(lambda grad: seen.append("tensor") or grad * 10.0)
        z = paddle.exp(y) * 3.0
        z.grad_fn._register_post_hook(lambda outputs, inputs: seen.append("node") or outputs)
        return (z * 0.5).sum()

    x.register_hook(lambda grad: seen.append("leaf"))
    check(build, [x])
    assert seen == ["node", "tensor", "leaf"] * (1 + RUNS)


def test_a_hook_sees_the_leaves_that_are_complete():
    x, bias = leaf([1.0, 2.0]), leaf([0.5, 0.5])
    seen = []

    def build():
        y = x * 2.0
        y.register_hook(lambda grad: seen.append(bias.grad is not None))
        return ((y + bias) * 3.0).sum()

    check(build, [x, bias])
    assert seen == [True] * (1 + RUNS)


def test_a_hook_that_hooks_a_node_further_on():
    x = leaf([1.0, 2.0])
    seen = []
    for turn in range(3):
        y = x * 2.0
        z = y * 3.0
        z.register_hook(
            lambda grad, y=y: y.register_hook(lambda grad: seen.append(grad.tolist())) and None
        )
        backward((z * 1.0).sum())
        assert seen.pop() == [3.0, 3.0], turn
        assert seen == []


def test_layers_of_the_users():
    class Half(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x)
            return x * 2.0 + y

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensor()
            return grad * x, None

    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])

    def build():
        return (Half.apply(x * 2.0, paddle.tanh(y)) * 3.0).sum()

    check(build, [x, y])
    assert y.grad is None


def test_ops_from_jax():
    import jax.numpy as jnp

    double = paddle.autograd.from_jax(lambda x: jnp.sin(x) * 2.0)
    x = leaf([1.0, 2.0])
    check(lambda: (double(x * 2.0) * 3.0).sum(), [x])


# ---- errors, and the state after them


def test_a_lazy_backward_frees_the_saved_tensors():
    x = leaf([1.0, 2.0])
    for _ in range(3):
        y = (paddle.exp(x) * x).sum()
        backward(y)
        with pytest.raises(FatalError, match="retain_graph"):
            backward(y)
        assert y.grad_fn.saved == ()


def test_a_graph_that_is_kept_runs_again():
    x = leaf([1.0, 2.0])
    y = (paddle.exp(x) * x).sum()
    for _ in range(3):
        backward(y, retain_graph=True)
    backward(y)
    np.testing.assert_allclose(x.grad.numpy(), 4 * np.exp([1, 2]) * np.array([2.0, 3.0]), 1e-6)


def test_a_saved_tensor_that_was_written():
    x = leaf([1.0, 2.0])
    for turn in range(3):
        x.clear_grad(False)
        y = x * 2.0
        loss = (y * y).sum()
        if turn == 2:
            y.add_(paddle.ones([2]))
            with pytest.raises(PermissionDeniedError, match="modified by an inplace") as error:
                backward(loss)
            assert any("MultiplyGradNode" in note for note in error.value.__notes__)
            assert x.grad is None
        else:
            backward(loss)


def test_a_hook_that_fails_leaves_the_gradients_as_they_were():
    x, bias = leaf([1.0, 2.0]), leaf([0.5, 0.5])

    def fail(grad):
        raise KeyError("mine")

    for turn in range(3):
        x.clear_grad(False)
        bias.clear_grad(False)
        y = x * 2.0
        y.register_hook(fail if turn == 2 else lambda grad: grad)
        loss = ((y + bias) * 3.0).sum()
        if turn == 2:
            with pytest.raises(KeyError, match="mine"):
                backward(loss)
            assert x.grad is None
            assert bias.grad is None
        else:
            backward(loss)


def test_a_tool_sees_every_node():
    x = leaf([1.0, 2.0])
    before = paddle.lazy_report().segments
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        backward((x * x).sum())
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert x.grad.tolist() == [2.0, 4.0]
    assert paddle.lazy_report().segments == before


def test_threads_may_run_the_same_graph():
    wrong = []

    def train(seed):
        x = paddle.to_tensor(np.full(3, seed, np.float32), stop_gradient=False)
        for _ in range(40):
            x.clear_grad(False)
            backward((paddle.exp(x) * x).sum())
            if not np.allclose(x.grad.numpy(), np.exp(seed) * (1 + seed), 1e-5):
                wrong.append(seed)

    threads = [threading.Thread(target=train, args=(seed / 4,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
