"""A backward that runs as executables has the results of node by node: graph/replay.py."""

import threading

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import FatalError, PermissionDeniedError
from jaxeager.graph import replay, replay_plan
from jaxeager.graph.mode import grad_mode

pytestmark = pytest.mark.single_calls

F = paddle.nn.functional


@pytest.fixture(autouse=True)
def no_plans(monkeypatch):
    """Start every test with graphs that have never been seen."""
    monkeypatch.setattr(replay, "_plans", {})
    monkeypatch.setattr(replay, "_said", set())


def leaf(*values, shape=None):
    array = np.array(values, np.float32)
    return paddle.to_tensor(array if shape is None else array.reshape(shape), stop_gradient=False)


def gradients(build, leaves, times: int = 3) -> list:
    """Return the leaves' gradients of the last of some backwards."""
    for _ in range(times):
        for each in leaves:
            each.clear_grad(False)
        build().backward()
    return [None if each.grad is None else each.grad.numpy() for each in leaves]


def check(build, leaves, segments: int = 1) -> None:
    """Compare compiled backward with the engine, and count the called executables."""
    wanted = gradients(build, leaves, 1)
    before = replay.counts()
    with paddle.compiled_backward(wait=True):
        found = gradients(build, leaves)
    after = replay.counts()
    assert after.replayed - before.replayed == 2
    assert after.node_by_node - before.node_by_node == 1
    assert after.segments - before.segments == 2 * segments
    for one, other in zip(found, wanted, strict=True):
        if other is None:
            assert one is None
        else:
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, 1e-6, 1e-6)


# ---- where it is on


def test_a_decorated_generator_has_it_only_inside():
    @paddle.compiled_backward(wait=True)
    def steps():
        while True:
            yield grad_mode.compiled_backward

    generator = steps()
    for _ in range(2):
        assert next(generator) == replay.Choice(True, True)
        assert grad_mode.compiled_backward is None


def test_a_decorated_function_that_calls_itself():
    @paddle.compiled_backward(False)
    def depth(n):
        assert grad_mode.compiled_backward == replay.Choice(False, False)
        return 0 if n == 0 else 1 + depth(n - 1)

    with paddle.compiled_backward():
        assert depth(2) == 2
        assert grad_mode.compiled_backward == replay.Choice(True, False)
    assert grad_mode.compiled_backward is None


# ---- the same gradients


def test_a_chain():
    x, y = leaf(1.0, 2.0), leaf(0.5, -0.5)
    check(lambda: (paddle.tanh(x * y) + y / x).sum(), [x, y])


def test_gradients_meet_in_nodes_and_leaves():
    x = leaf(1.0, 2.0)

    def build():
        y = x * 2.0
        return (y * y + y + paddle.exp(y) * x).sum()

    check(build, [x])


def test_long_graphs_are_cut():
    x, factor = leaf(1.0, 2.0), leaf(1.01, 0.99)

    def build():
        y = x
        for _ in range(120):
            y = y * factor
        return y.sum()

    check(build, [x, factor], segments=2)


def test_equal_segments_are_one_executable():
    x = leaf(1.0, 2.0)

    def build(length):
        y = x
        for _ in range(length):
            y = y * 1.01
        return y

    before = len(replay_plan._kernels)
    with paddle.compiled_backward(wait=True):
        for _ in range(2):
            build(4 * replay_plan.SEGMENT).backward(paddle.ones([2]))
    assert len(replay_plan._kernels) - before == 1


def test_outputs_without_a_gradient_are_zeros():
    x = leaf(*range(6), shape=(2, 3))

    def build():
        first, _, last = paddle.split(x * 2.0, 3, axis=1)
        return (first * 3.0).sum() + paddle.topk(last.reshape([2]), 1)[0].sum()

    check(build, [x])


def test_lists_and_operands_that_are_missing():
    x, weight = leaf(*range(6), shape=(2, 3)), leaf(1.0, 2.0, 3.0)

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
    x = leaf(1.0, 2.0)

    def build():
        (first,) = paddle.grad((x**3.0).sum(), x, create_graph=True)
        return (first * x).sum()

    check(build, [x])


def test_views_that_were_written():
    x, value = leaf(1.0, 2.0, 3.0), leaf(5.0)

    def build():
        y = x * 2.0
        y[1:2] = value * 3.0
        part = y[0:2]
        part.add_(value)
        return (y * y).sum()

    check(build, [x, value])


def test_several_roots_with_gradients():
    x = leaf(1.0, 2.0)
    given = paddle.to_tensor([3.0, 4.0])
    with paddle.compiled_backward(wait=True):
        for _ in range(3):
            x.clear_grad(False)
            paddle.autograd.backward([x * 2.0, (x * x).sum()], [given, None])
            assert x.grad.tolist() == [8.0, 12.0]
    assert len(replay._plans) == 1


def test_gradients_are_added_to_what_is_there():
    x = leaf(1.0, 2.0)
    with paddle.compiled_backward(wait=True):
        for times in range(1, 5):
            (x * 3.0).sum().backward()
            assert x.grad.tolist() == [3.0 * times] * 2


def test_other_shapes_use_the_same_plan():
    with paddle.compiled_backward(wait=True):
        for length in (2, 3, 4):
            x = paddle.arange(length, dtype="float32")
            x.stop_gradient = False
            (x * x * 2.0)[0:2].sum().backward()
            assert x.grad.tolist()[:2] == [0.0, 4.0]


# ---- nodes that Python must see


def test_hooks_of_tensors_nodes_and_leaves():
    x = leaf(1.0, 2.0)
    seen = []

    def build():
        y = x * 2.0
        y.register_hook(lambda grad: seen.append("tensor") or grad * 10.0)
        z = paddle.exp(y) * 3.0
        z.grad_fn._register_post_hook(lambda outputs, inputs: seen.append("node") or outputs)
        return (z * 0.5).sum()

    x.register_hook(lambda grad: seen.append("leaf"))
    check(build, [x], segments=2)
    assert seen == ["node", "tensor", "leaf"] * 4


def test_a_hook_sees_the_leaves_that_are_complete():
    x, bias = leaf(1.0, 2.0), leaf(0.5, 0.5)
    seen = []

    def build():
        y = x * 2.0
        y.register_hook(lambda grad: seen.append(bias.grad is not None))
        return ((y + bias) * 3.0).sum()

    check(build, [x, bias])
    assert seen == [True] * 4


def test_a_hook_that_hooks_a_node_further_on():
    x = leaf(1.0, 2.0)
    seen = []
    with paddle.compiled_backward(wait=True):
        for turn in range(3):
            y = x * 2.0
            z = y * 3.0
            z.register_hook(
                lambda grad, y=y: y.register_hook(lambda grad: seen.append(grad.tolist())) and None
            )
            (z * 1.0).sum().backward()
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

    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)

    def build():
        return (Half.apply(x * 2.0, paddle.tanh(y)) * 3.0).sum()

    wanted = gradients(build, [x, y], 1)
    with paddle.compiled_backward(wait=True):
        found = gradients(build, [x, y])
    assert wanted[1] is None
    assert found[1] is None
    np.testing.assert_allclose(found[0], wanted[0])


def test_ops_from_jax():
    import jax.numpy as jnp

    double = paddle.autograd.from_jax(lambda x: jnp.sin(x) * 2.0)
    x = leaf(1.0, 2.0)
    check(lambda: (double(x * 2.0) * 3.0).sum(), [x], segments=2)


# ---- errors, and the state after them


def test_what_was_saved_is_freed():
    x = leaf(1.0, 2.0)
    with paddle.compiled_backward(wait=True):
        for _ in range(3):
            y = (paddle.exp(x) * x).sum()
            y.backward()
            with pytest.raises(FatalError, match="retain_graph"):
                y.backward()
            assert y.grad_fn.saved == ()


def test_a_graph_that_is_kept_runs_again():
    x = leaf(1.0, 2.0)
    with paddle.compiled_backward(wait=True):
        y = (paddle.exp(x) * x).sum()
        for _ in range(3):
            y.backward(retain_graph=True)
        y.backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * np.exp([1, 2]) * np.array([2.0, 3.0]), 1e-6)


def test_a_saved_tensor_that_was_written():
    x = leaf(1.0, 2.0)
    with paddle.compiled_backward(wait=True):
        for turn in range(3):
            x.clear_grad(False)
            y = x * 2.0
            loss = (y * y).sum()
            if turn == 2:
                y.add_(paddle.ones([2]))
                with pytest.raises(PermissionDeniedError, match="modified by an inplace") as error:
                    loss.backward()
                assert any("MultiplyGradNode" in note for note in error.value.__notes__)
                assert x.grad is None
            else:
                loss.backward()


def test_a_hook_that_fails_leaves_the_gradients_as_they_were():
    x, bias = leaf(1.0, 2.0), leaf(0.5, 0.5)

    def fail(grad):
        raise KeyError("mine")

    with paddle.compiled_backward(wait=True):
        for turn in range(3):
            x.clear_grad(False)
            bias.clear_grad(False)
            y = x * 2.0
            y.register_hook(fail if turn == 2 else lambda grad: grad)
            loss = ((y + bias) * 3.0).sum()
            if turn == 2:
                with pytest.raises(KeyError, match="mine"):
                    loss.backward()
                assert x.grad is None
                assert bias.grad is None
            else:
                loss.backward()


def test_a_segment_that_fails_runs_node_by_node(monkeypatch):
    x = leaf(1.0, 2.0)

    def build():
        return (x * x * 2.0).sum()

    def refuse(taken, saved):
        raise ValueError("not today")

    with paddle.compiled_backward(wait=True):
        gradients(build, [x])
        (plan,) = replay._plans.values()
        plan.stages = [
            stage._replace(kernel=refuse) if type(stage) is replay_plan.Segment else stage
            for stage in plan.stages
        ]
        with pytest.warns(
            UserWarning, match="node by node, because a part of it failed .not today"
        ):
            found = gradients(build, [x])
    assert found[0].tolist() == [4.0, 8.0]


def test_a_tool_sees_every_node():
    x = leaf(1.0, 2.0)
    with paddle.compiled_backward(wait=True):
        gradients(lambda: (x * x).sum(), [x])
        before = replay.counts()
        paddle.set_flags({"FLAGS_check_nan_inf": True})
        try:
            with pytest.warns(UserWarning, match="because a tool observes the graph"):
                gradients(lambda: (x * x).sum(), [x])
        finally:
            paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert replay.counts().replayed == before.replayed
    assert replay.counts().node_by_node == before.node_by_node + 3


# ---- the switches


def replays() -> bool:
    """Return whether a graph that was seen before is run from executables."""
    x = leaf(1.0, 2.0)
    before = replay.counts().replayed
    gradients(lambda: (x * x).sum(), [x])
    return replay.counts().replayed > before


def test_the_flag_is_for_all_and_the_context_for_one_thread():
    assert not replays()
    seen = []
    paddle.set_flags({"FLAGS_compiled_backward": True, "FLAGS_compiled_backward_wait": True})
    try:
        with paddle.compiled_backward(False):
            seen.append(replays())
            thread = threading.Thread(target=lambda: seen.append(replays()))
            thread.start()
            thread.join()
        seen.append(replays())
    finally:
        paddle.set_flags({"FLAGS_compiled_backward": False, "FLAGS_compiled_backward_wait": False})
    assert seen == [False, True, True]
    assert not replays()


def test_executables_are_compiled_in_another_thread():
    x = leaf(1.0, 2.0)

    def build():
        return (paddle.tanh(x * x) * 2.0).sum()

    wanted = gradients(build, [x], 1)
    with paddle.compiled_backward():
        gradients(build, [x], 2)
        replay._compilers.submit(int).result()  # the earlier requests are done
        before = replay.counts()
        found = gradients(build, [x], 2)
    assert replay.counts().replayed == before.replayed + 2
    np.testing.assert_allclose(found[0], wanted[0], 1e-6)


def test_threads_may_run_the_same_graph():
    wrong = []

    def train(seed):
        x = paddle.to_tensor(np.full(3, seed, np.float32), stop_gradient=False)
        with paddle.compiled_backward():
            for _ in range(40):
                x.clear_grad(False)
                (paddle.exp(x) * x).sum().backward()
                if not np.allclose(x.grad.numpy(), np.exp(seed) * (1 + seed), 1e-5):
                    wrong.append(seed)

    threads = [threading.Thread(target=train, args=(seed / 4,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_plans_are_bounded(monkeypatch):
    monkeypatch.setattr(replay, "_MOST_PLANS", 3)
    x = leaf(1.0, 2.0)
    with paddle.compiled_backward(wait=True):
        for length in range(1, 7):
            y = x
            for _ in range(length):
                y = y * 2.0
            y.sum().backward()
    assert len(replay._plans) == 3
