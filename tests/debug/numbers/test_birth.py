"""FLAGS_nan_birth: the first node whose gradient is not finite, with its line and its element."""

import contextlib
import re

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.autograd import PyLayer, from_jax
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph import events
from tests.support.leaves import leaf


@contextlib.contextmanager
def certificates():
    paddle.set_flags({"FLAGS_nan_birth": True, "FLAGS_call_stack_level": 3})
    try:
        yield
    finally:
        paddle.set_flags({"FLAGS_nan_birth": False, "FLAGS_call_stack_level": 1})


class Block(nn.Layer):
    """A block of a network; the faulty one takes the root of a square that may be zero."""

    def __init__(self, is_ill):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.is_ill = is_ill

    def forward(self, x):
        h = paddle.tanh(self.linear(x))
        if self.is_ill:
            h = h + paddle.sqrt((h - h.clip(max=0.9)) ** 2)  # ill
        return h


def line_marked(text):
    with open(__file__, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}"))


def test_a_nan_born_in_layer_seven():
    """Planted: the forward is finite; the root of 0 has an infinite slope, times 0 a NaN."""
    paddle.seed(1)
    net = nn.Sequential(*[Block(number == 7) for number in range(10)])
    x = paddle.randn([4, 8])
    with certificates():
        loss = (net(x) ** 2).mean()
        assert np.isfinite(loss.item())
        with pytest.raises(PreconditionNotMetError) as caught:
            loss.backward()
    text = str(caught.value)
    where = f"was made by SqrtGradNode at test_birth.py:{line_marked('ill')}: dx is -?inf at "
    assert re.search(where, text)
    assert "It was born here, from finite numbers:\n    dout = float32[4, 8]" in text
    assert "Its rule: dx =" in text
    assert "Forward Traceback" in text
    assert "[GradNode < SqrtGradNode > error]" in text
    assert all(p.grad is None for p in net.parameters())


def test_results_are_those_without_and_all_is_as_before():
    def run():
        paddle.seed(2)
        net = nn.Sequential(nn.Linear(6, 6), nn.LayerNorm(6), nn.GELU(), nn.Linear(6, 3))
        x = leaf(np.linspace(-1, 1, 24).reshape(4, 6))
        a, b = paddle.split(net(x) @ paddle.ones([3, 4]), 2, axis=1)
        (a.sum() + (b * x[:, :2]).mean()).backward()
        return [t.grad.numpy() for t in [x, *net.parameters()]]

    before, alone = events.in_force(), run()
    with certificates():
        told = run()
    for a, b in zip(alone, told, strict=True):
        np.testing.assert_array_equal(a, b)
    assert events.in_force() == before


def test_a_bad_number_from_forward_names_the_op_that_made_it():
    with certificates():
        x = leaf([1.0, 0.0])
        y = paddle.log(x)  # minus infinity
        with pytest.raises(PreconditionNotMetError) as caught:
            (y * x).sum().backward()
    text = str(caught.value)
    assert "was made by MultiplyGradNode" in text
    made = f"forward made it in LogGradNode at test_birth.py:{line_marked('minus infinity')}"
    assert f"It was already in an input: saved x is -inf at [1]: {made}" in text


def test_a_bad_number_that_backward_starts_from_says_so():
    with certificates():
        x = leaf([1.0, 2.0])
        with pytest.raises(PreconditionNotMetError, match="a gradient that backward started from"):
            (x * 3).backward(paddle.to_tensor([1.0, float("nan")]))
    assert x.grad is None


def test_a_bad_number_that_a_mask_removes_is_no_error():
    """The slope of the root is infinite at 0, and the mask of relu removes it."""
    with certificates():
        x = leaf([4.0, -1.0])
        paddle.sqrt(paddle.nn.functional.relu(x)).sum().backward()
        assert x.grad.tolist() == [0.25, 0.0]


def test_of_two_nodes_the_one_is_named_that_the_gradient_came_from():
    with certificates():
        x = leaf([1.0, 0.0])
        masked = paddle.sqrt(paddle.nn.functional.relu(x - 1.0))  # it runs first
        with pytest.raises(PreconditionNotMetError, match="made by SqrtGradNode") as caught:
            (paddle.sqrt(x * x).sum() + masked.sum()).backward()  # shown
    assert f"SqrtGradNode at test_birth.py:{line_marked('shown')}:" in str(caught.value)


def test_a_sum_that_overflows_at_a_leaf():
    with certificates():
        x = leaf([1.0, 1.0])
        (x * 3e38).sum().backward()
        before = x.grad.tolist()
        with pytest.raises(PreconditionNotMetError) as caught:
            (x * 3e38).sum().backward()
    text = str(caught.value)
    assert re.search(
        r"made by GradNodeAccumulation.*: its grad is inf at \[0\] of shape \[2\]", text
    )
    assert "born here, from finite numbers:\n    dout0 = float32[2]" in text
    assert "the grad before = float32[2] [3e+38 3e+38], 3e+38 at [0]" in text
    assert x.grad.tolist() == before


def test_a_gradient_that_grad_returns():
    with certificates():
        x = leaf([1.0, 0.0])
        y = x * 1.0
        z = paddle.sqrt(y * y)
        with pytest.raises(PreconditionNotMetError, match="made by SqrtGradNode"):
            paddle.grad(z.sum(), [y], retain_graph=True)
        with pytest.raises(PreconditionNotMetError, match="made by SqrtGradNode"):
            paddle.grad(z.sum(), [x], create_graph=True)
        (slope,) = paddle.grad(z.sum(), [z], retain_graph=True)
        assert slope.tolist() == [1.0, 1.0]
        with pytest.raises(PreconditionNotMetError, match=r"dout is nan at .*: a sum of finite"):
            paddle.grad(z, [z], grad_outputs=paddle.to_tensor([1.0, float("nan")]))


def test_a_hook_that_makes_it():
    with certificates():
        x = leaf([1.0, 2.0])
        y = x * 2.0
        y.register_hook(lambda grad: grad / 0.0)
        with pytest.raises(
            PreconditionNotMetError, match="by its rule, or by a hook on the gradients"
        ):
            y.sum().backward()


class Bad(PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, dy):
        return dy * float("inf")


def test_nodes_of_others():
    with certificates():
        x = leaf([1.0, 2.0])
        with pytest.raises(
            PreconditionNotMetError, match=r"made by GradNodePyLayer_Bad .*: dx0 is inf"
        ):
            Bad.apply(paddle.exp(x)).sum().backward()
        root = from_jax(jnp.sqrt, recompute=True)
        with pytest.raises(
            PreconditionNotMetError, match=r"made by GradNodeJax_sqrt .*: dx0 is inf"
        ):
            root(paddle.exp(x) * 0.0).sum().backward()


def test_a_backward_within_a_backward():
    """The inner one is finite; the earlier requests of the outer one are still read."""

    class Inner(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, dy):
            v = leaf([2.0])
            with paddle.enable_grad():
                (v * v).backward()
            assert v.grad.tolist() == [4.0]
            return dy

    with certificates():
        x = leaf([4.0])
        root = paddle.sqrt(Inner.apply(x) * 0.0)
        with pytest.raises(PreconditionNotMetError, match="made by SqrtGradNode"):
            root.sum().backward()
        y = leaf([4.0])
        paddle.sqrt(Inner.apply(paddle.sqrt(y))).sum().backward()
    assert y.grad.tolist() == [pytest.approx(0.25 * 4**-0.75)]
