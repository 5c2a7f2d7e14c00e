"""recompute: the gradients of the plain call, less memory, and clear errors when not possible."""

import gc
import random
import threading
import weakref
from collections import namedtuple
from functools import partial

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.distributed.fleet.recompute.recompute import check_recompute_necessary
from jaxeager.distributed.fleet.utils import recompute
from jaxeager.incubate.distributed.fleet import recompute_sequential
from tests.support.leaves import leaf64

BOTH = pytest.mark.parametrize("kwargs", [{}, {"use_reentrant": False}], ids=["default", "hooks"])


def block(x, weight):
    """Run ops that save their inputs, their outputs, nothing, and a random mask."""
    h = nn.functional.dropout(paddle.matmul(x, weight).tanh(), 0.5)
    return (h * h).exp() + x


def plain_and_recomputed(run, *shapes, **kwargs):
    """Return values and gradients of run, called plainly and through recompute."""
    found = []
    for call in (lambda f, *args: f(*args), partial(recompute, **kwargs)):
        paddle.seed(5)
        draws = np.random.default_rng(0)
        tensors = [leaf64(draws.uniform(-1, 1, shape)) for shape in shapes]
        y = call(run, *tensors)
        drawn = paddle.rand([2]).numpy()
        (y * y).sum().backward()
        found.append([y.numpy(), *(t.grad.numpy() for t in tensors), drawn, paddle.rand([2])])
    return found


@BOTH
def test_values_gradients_and_draws_are_those_of_the_plain_call(kwargs):
    plain, recomputed = plain_and_recomputed(block, (4, 3), (3, 3), **kwargs)
    for a, b in zip(plain, recomputed, strict=True):
        np.testing.assert_array_equal(a, b)


def test_without_preserving_the_state_another_mask_is_drawn():
    x = leaf64(np.ones(200))
    y = recompute(partial(nn.functional.dropout, p=0.5), x, preserve_rng_state=False)
    y.sum().backward()
    assert (x.grad.numpy() != y.numpy()).any()


def test_numpy_and_python_draw_the_same_and_go_on_as_if_nothing_was():
    drawn = []

    def noisy(x):
        drawn.append((np.random.rand(), random.random()))
        return x * x * drawn[-1][0]

    x = leaf64([1.0])
    y = recompute(noisy, x)
    states = np.random.get_state()[2], random.getstate()
    y.backward()
    assert len(drawn) == 2
    assert drawn[0] == drawn[1]
    assert (np.random.get_state()[2], random.getstate()) == states
    assert x.grad.item() == 2 * y.item()


def test_parameters_found_elsewhere_get_gradients_also_when_no_argument_wants_one():
    layer = nn.Linear(3, 2)
    x = paddle.ones([4, 3])
    y = recompute(lambda x: layer(x).tanh(), x)
    assert not y.stop_gradient
    y.sum().backward()
    found = [parameter.grad.numpy() for parameter in layer.parameters()]
    layer.clear_gradients()
    layer(x).tanh().sum().backward()
    for grad, parameter in zip(found, layer.parameters(), strict=True):
        np.testing.assert_allclose(grad, parameter.grad.numpy(), rtol=1e-6)


def test_nested_calls_drop_the_inputs_of_the_inner_ones_too():
    held, runs = [], []

    def inner(x):
        runs.append("inner")
        held.append(weakref.ref(x._array))
        return x.exp()

    def outer(x):
        runs.append("outer")
        return recompute(inner, x * x) * x

    x = leaf64([0.5, 1.0])
    y = recompute(outer, x)
    gc.collect()
    assert held[0]() is None
    y.sum().backward()
    assert runs[:2] == ["outer", "inner"]
    assert runs.count("outer") <= 3
    h = np.float64([0.5, 1.0])
    np.testing.assert_allclose(x.grad.numpy(), np.exp(h * h) * (1 + 2 * h * h))


def test_a_hook_of_a_captured_tensor_runs_once_with_the_whole_gradient():
    x = leaf64([1.0, 2.0])
    seen = []
    h = x * 3
    h.register_hook(lambda grad: seen.append(grad.tolist()))
    (recompute(lambda x: (x * h).exp(), x) + h).sum().backward()
    e = np.exp([3.0, 12.0])
    np.testing.assert_allclose(seen, [1 + np.float64([1.0, 2.0]) * e])
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.float64([3.0, 6.0]) * e + 3)


@BOTH
def test_paddle_grad_and_higher_orders(kwargs):
    x, w = leaf64([1.0, 2.0]), leaf64([3.0, 4.0])
    y = recompute(lambda x: x * x * x * w, x, **kwargs)
    first, of_w = paddle.grad(y, [x, w], create_graph=True)
    (second,) = paddle.grad(first, [x], create_graph=True)
    (third,) = paddle.grad(second, [x])
    for got, wanted in (
        (first, [9.0, 48.0]), (of_w, [1.0, 8.0]), (second, [18.0, 48.0]), (third, [18.0, 24.0]),
    ):  # fmt: skip
        assert got.tolist() == wanted
    assert x.grad is None


def test_a_retained_graph_runs_again_and_a_released_one_says_so():
    x = leaf64([1.0, 2.0])
    y = recompute(lambda x: (x * x).exp(), x).sum()
    y.backward(retain_graph=True)
    once = x.grad.numpy()
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * once)
    with pytest.raises(SystemError, match="backward twice for the same subgraph"):
        y.backward()


def test_the_function_runs_once_per_backward_and_not_at_all_without_one():
    runs = []

    def run(x):
        runs.append(paddle.is_grad_enabled())
        return (x * x).exp() * x.sin()

    x = leaf64([1.0, 2.0])
    y = recompute(run, x).sum()
    assert runs == [True]
    with paddle.no_grad():
        y.backward(retain_graph=True)
    assert runs == [True, True]
    with paddle.inference_mode():
        paddle.grad(y, [x])
    assert runs == [True] * 3


def test_arguments_of_every_kind():
    Pair = namedtuple("Pair", "left right")

    def run(pair, table, *rest, scale, other=None, name="?"):
        assert (name, other) == ("n", None)
        return pair.left * pair.right * scale, [table["a"][0] + rest[0], 7], name

    x, z, c = leaf64([1.0, 2.0]), leaf64([3.0, 4.0]), paddle.to_tensor(np.float64([1.0, 1.0]))
    first, (second, number), text = recompute(
        run, Pair(x, z), {"a": [x]}, c, scale=leaf64([2.0, 2.0]), name="n"
    )
    assert (number, text) == (7, "n")
    (first * second * second).sum().backward()
    assert x.grad.tolist() == [48.0, 168.0]
    assert z.grad.tolist() == [8.0, 36.0]
    assert c.grad is None


def test_an_argument_overwritten_meanwhile_had_the_value_it_had():
    x = leaf64([1.0, 2.0])
    h = x * 1
    y = recompute(lambda h: h * h, h)
    h.add_(paddle.to_tensor(np.float64([10.0, 10.0])))
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert h.tolist() == [11.0, 12.0]


def test_a_function_that_writes_into_its_argument_writes_once():
    x = leaf64([1.0, 2.0])
    h = x * 1
    y = recompute(lambda h: h.multiply_(leaf64([3.0, 3.0])) * h, h)
    assert h.tolist() == [3.0, 6.0]
    y.sum().backward()
    assert h.tolist() == [3.0, 6.0]
    np.testing.assert_allclose(x.grad.numpy(), [18.0, 36.0])


@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: lambda x: f(x), lambda f: f.forward])
def test_running_statistics_move_once(wrap):
    norm = nn.BatchNorm1D(3)
    x = paddle.to_tensor(np.random.rand(8, 3).astype("float32"), stop_gradient=False)
    y = recompute(wrap(norm), x)
    once = norm._mean.numpy()
    assert (once != 0).all()
    (y * y).sum().backward()
    np.testing.assert_array_equal(norm._mean.numpy(), once)


def test_mixed_precision_is_that_of_the_first_run():
    seen = []

    def run(x, weight):
        y = paddle.matmul(x, weight)
        seen.append(str(y.dtype))
        return y * y

    x = paddle.ones([2, 3]) * 0.5
    weight = paddle.to_tensor(np.ones((3, 3), "float32"), stop_gradient=False)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        y = recompute(run, x, weight)
    y.astype("float32").sum().backward()
    z = recompute(run, x, weight)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        z.sum().backward()
    assert seen == ["paddle.bfloat16"] * 2 + ["paddle.float32"] * 2
    assert weight.grad.dtype == paddle.float32


def test_offloaded_inputs_wait_on_the_host():
    x = leaf64(np.ones((64, 64)))
    h = x * 2
    y = recompute(lambda h: (h * h).exp(), h, offload_indices=[0])
    held = weakref.ref(h._array)
    del h
    gc.collect()
    assert held() is None
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 8 * np.exp(4.0))


def test_pylayers_inside_are_dropped_too():
    class Square(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensor()
            return grad * 2 * x

    x = leaf64([1.0, 2.0])
    recompute(lambda x: Square.apply(x * 3).exp(), x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 18 * np.float64([1, 2]) * np.exp([9.0, 36.0]))


def test_two_threads_run_one_retained_graph():
    x = leaf64(np.linspace(0.1, 1.0, 50))
    y = recompute(lambda x: (x * x).exp() * x.sin(), x).sum()
    y.backward(retain_graph=True)
    once = x.grad.numpy()
    x.clear_gradient(False)
    threads = [threading.Thread(target=y.backward, args=(None, True)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(x.grad.numpy(), 4 * once)


# ---- when the second run is not like the first


def changing(first, then):
    """Return a function that acts differently after the first time."""
    runs = []

    def run(x):
        runs.append(x)
        return (first if len(runs) == 1 else then)(x)

    return run


@pytest.mark.parametrize(
    ("then", "error", "message"),
    [
        (
            lambda x: x + 1,
            RuntimeError,
            r"the function saved 2 tensors for backward when it ran first, and 0 when it ran again",
        ),
        (
            lambda x: (x * x).exp(),
            RuntimeError,
            r"the function saved 2 tensors for backward when it ran first, and 3 when it ran again",
        ),
        (
            lambda x: x.sum() * x.sum(),
            ValueError,
            r"saved tensor number 0 was float64\[2\] when the function ran first, and is "
            r"float64\[\] now that it ran again\. It must do the same thing each time",
        ),
        (
            lambda x: paddle.autograd.backward([(x * x).sum()]),
            RuntimeError,
            "the function runs backward through ops that it recorded itself",
        ),
    ],
)
def test_a_function_that_changes_is_found_out(then, error, message):
    x = leaf64([1.0, 2.0])
    y = recompute(changing(lambda x: x * x, then), x)
    with pytest.raises(error, match=message):
        y.sum().backward()
    assert x.grad is None
    assert paddle.is_grad_enabled()
    (x * x).sum().backward()  # and nothing is left active
    assert x.grad.tolist() == [2.0, 4.0]


def test_an_error_of_the_second_run_keeps_its_type_and_puts_everything_back():
    def fails(x):
        np.random.rand()
        raise KeyError("the second time")

    x = leaf64([1.0, 2.0])
    y = recompute(changing(lambda x: x * x, fails), x)
    states = np.random.get_state()[2], paddle.get_rng_state()[0]
    with pytest.raises(KeyError, match="the second time") as caught:
        y.sum().backward()
    assert any("MultiplyGradNode" in note for note in caught.value.__notes__)
    assert x.grad is None
    assert np.random.get_state()[2] == states[0]
    assert paddle.get_rng_state()[0] is states[1]


def test_backwards_that_fail_keep_no_arrays():
    def fail(grad):
        raise KeyError("on purpose")

    def step():
        x = leaf64(np.ones(100))
        h = x * 2
        h.register_hook(fail)
        y = recompute(lambda h: (h * h).exp(), h).sum()
        with pytest.raises(KeyError, match="on purpose"):
            y.backward()

    step()
    gc.collect()
    before = len(jax.live_arrays())
    for _ in range(20):
        step()
    gc.collect()
    assert len(jax.live_arrays()) == before


def test_a_partial_backward_leaves_nothing_computed_behind():
    made = []

    def run(x, z):
        results = x.exp(), z.sin().exp()
        made.append([weakref.ref(each._array) for each in results])
        return results

    x, z = leaf64(np.ones(100)), leaf64(np.ones(100))
    y, w = recompute(run, x, z)
    paddle.grad(y, [x], retain_graph=True)
    del y
    gc.collect()
    assert len(made) == 2
    assert [ref() for ref in made[1]] == [None, None]
    w.sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), np.exp(np.sin(1.0)) * np.cos(1.0) * np.ones(100))


def test_bad_calls():
    with pytest.raises(TypeError, match="recompute needs a Layer or a function, but got int"):
        recompute(3, leaf64([1.0]))
    with pytest.raises(
        TypeError, match=r"offload_indices names positions of Tensors.*no Tensor at 1"
    ):
        recompute(lambda x, n: x * n, leaf64([1.0]), 3, offload_indices=[1])


# ---- recompute_sequential


@pytest.mark.parametrize("segments", [1, 2, 3, 5])
def test_segments_give_what_the_plain_network_gives(segments):
    layers = [layer for _ in range(5) for layer in (nn.Linear(4, 4),)]
    for net in (nn.Sequential(*layers), layers):
        x = paddle.to_tensor(np.random.rand(3, 4).astype("float32"), stop_gradient=False)
        wanted = nn.Sequential(*layers)(x)
        y = recompute_sequential({"segments": segments}, net, x)
        np.testing.assert_array_equal(y.numpy(), wanted.numpy())
        (grad,) = paddle.grad(wanted.sum(), [x])
        (same,) = paddle.grad(y.sum(), [x])
        np.testing.assert_allclose(same.numpy(), grad.numpy(), rtol=1e-5)


def test_more_segments_than_functions():
    with pytest.raises(ValueError, match="2 functions cannot be cut into 3 segments"):
        recompute_sequential({"segments": 3}, [nn.Linear(2, 2), nn.Linear(2, 2)], leaf64([1.0]))


# ---- memory


class PeakMemory:
    """The most bytes of live arrays, above those at the start, at the times of measurement."""

    def __init__(self, layers):
        self.peak = self.base = 0
        self.handles = [
            sub.register_forward_post_hook(self.after_forward)
            for layer in layers
            for sub in layer.sublayers(include_self=True)
        ]

    def look(self, *_):
        live = sum(array.nbytes for array in jax.live_arrays())
        self.peak = max(self.peak, live - self.base)

    def after_forward(self, layer, inputs, output):
        self.look()
        if isinstance(output, paddle.Tensor) and not output.stop_gradient:
            output.register_hook(self.look)

    def measure(self, run) -> int:
        """Return the peak of one call."""
        gc.collect()
        self.base, self.peak = sum(array.nbytes for array in jax.live_arrays()), 0
        run()
        return self.peak


@pytest.mark.deep
def test_peak_memory_of_twelve_transformer_blocks_falls():
    layers = [nn.TransformerEncoderLayer(32, 4, 128, dropout=0.1) for _ in range(12)]
    x = paddle.to_tensor(np.random.rand(4, 32, 32).astype("float32"))
    memory = PeakMemory(layers)
    peaks, gradients = [], []
    for call in (lambda layer, x: layer(x), recompute):

        def step(call=call):
            paddle.seed(1)
            h = x
            for layer in layers:
                h = call(layer, h)
            (h * h).mean().backward()

        peaks.append(memory.measure(step))
        gradients.append([p.grad.numpy() for layer in layers for p in layer.parameters()])
        for layer in layers:
            layer.clear_gradients()
    for plain, recomputed in zip(*gradients, strict=True):
        np.testing.assert_allclose(recomputed, plain, rtol=1e-4, atol=1e-6)
    # One block's activations and twelve inputs, instead of twelve blocks' activations.
    assert peaks[1] < 0.35 * peaks[0], peaks


def test_inputs_without_gradients_need_no_recomputation():
    x, y = paddle.ones([1]), paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.warns(UserWarning, match="nothing needs to be recomputed"):
        check_recompute_necessary((x, (x, 3), None))
    check_recompute_necessary((x, (x, y)))
