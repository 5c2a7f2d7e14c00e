"""debug.audit: right rules pass, and the first wrong one is named, on the current values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import debug, nn
from jaxeager.autograd import PyLayer, from_jax
from jaxeager.errors import FatalError, InvalidArgumentError
from jaxeager.graph import events
from tests.support.leaves import leaf

F = paddle.nn.functional


class Sine(PyLayer):
    """sin(x) * times; its backward has a relative error of ``off``."""

    off = 0.0

    @staticmethod
    def forward(ctx, x, times=2.0):
        ctx.save_for_backward(x)
        ctx.times = times
        return paddle.sin(x) * times

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * paddle.cos(x) * ctx.times * (1 + Sine.off)


def network():
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 4))
    x = paddle.randn([3, 6])
    h = net(x)
    loss = F.cross_entropy(Sine.apply(h, times=3.0), paddle.to_tensor([0, 3, 1]))
    return loss + F.dropout(paddle.tanh(h), 0.5).mean()


def test_a_network_is_right_and_nothing_changes():
    before = events.in_force()
    with debug.capture_step() as step:
        loss = network()
    found = debug.audit(loss, step=step)
    assert found.count("right") == len(found.nodes) > 10, str(found)
    assert {each.operands for each in found.nodes} == {"live"}
    assert loss.grad_fn.released is False
    assert events.in_force() == before
    loss.backward()


@pytest.mark.parametrize("off", [0.001, -1.0])
def test_a_wrong_rule_is_the_only_one_named(monkeypatch, off):
    """Planted: a PyLayer whose backward is 0.1 percent off, and one that returns zeros."""
    monkeypatch.setattr(Sine, "off", off)
    with debug.capture_step() as step:
        loss = network()
    (wrong,) = debug.audit(loss, step=step).wrong
    assert wrong.node.name() == "GradNodePyLayer_Sine"
    line = network.__code__.co_firstlineno + 5
    assert f"GradNodePyLayer_Sine at test_audit.py:{line}: along a direction" in str(wrong)


def test_a_rule_of_jax_that_is_wrong():
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (2.001 * x * g,))
    x = leaf([0.5, -1.5, 2.0])
    (wrong,) = debug.audit((from_jax(square, recompute=True)(x) * x).sum()).wrong
    assert "square" in str(wrong).lower()
    assert wrong.along[0] != pytest.approx(wrong.along[1], rel=1e-4)


def test_a_row_that_is_wrong(monkeypatch):
    """Planted: the rule of multiply on the tape returns half of dy."""
    x, y = leaf([1.0, 2.0]), leaf([3.0, 5.0])
    loss = paddle.exp(x * y * 0.1).sum()
    node = loss.grad_fn.edges[0].node.edges[0].node.edges[0].node
    assert node.name() == "MultiplyGradNode"
    right = node.op.run_vjp
    halved = lambda node, grads: (right(node, grads)[0], right(node, grads)[1] * 0.5)  # noqa: E731
    monkeypatch.setattr(node.op, "run_vjp", halved)
    found = debug.audit(loss)
    assert [each.node for each in found.wrong] == [node]
    assert found.wrong[0].error > 0.1


def test_values_outside_the_capture_are_reported():
    loss = network()
    found = debug.audit(loss)
    assert not found.wrong, str(found)
    reasons = {each.reason.split(";")[0] for each in found.nodes if each.status == "unchecked"}
    assert "a PyLayer keeps no inputs" in reasons
    assert "it does not keep 'x'" in reasons
    assert {"right"} == {e.status for e in found.nodes if e.operands == "drawn"}


def test_a_kink_is_not_called_wrong():
    x = leaf([0.0, 1.0, -1.0])
    with debug.capture_step() as step:
        loss = (F.relu(x) + paddle.abs(x) + paddle.maximum(x, x * 1.0)).sum()
    found = debug.audit(loss, step=step)
    assert not found.wrong, str(found)


@pytest.mark.deep
def test_every_kind_of_operand():
    x, w = leaf(np.linspace(-1, 1, 16).reshape(1, 1, 4, 4)), leaf(np.ones([2, 1, 3, 3]) * 0.3)
    with debug.capture_step() as step:
        y = F.conv2d(x, w, padding=1)
        y = F.max_pool2d(y + paddle.linspace(0, 1, 32).reshape([1, 2, 4, 4]), 2)
        z = paddle.concat([y.flatten(), x[0, 0, 1]])
        z.multiply_(z.detach() + 1.0)
        z = z.astype("bfloat16").astype("float32")
        loss = paddle.gather(z, paddle.to_tensor([0, 3, 3])).sum() + paddle.norm(w)
    found = debug.audit(loss, step=step)
    assert not found.wrong, str(found)
    assert found.count("unchecked") <= 1, str(found)


def test_hooks_do_not_run_and_a_graph_must_be_there():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(lambda grad: pytest.fail("a hook ran"))
    loss = (y * y).sum()
    assert debug.audit(loss).count("right") == 3
    y.grad_fn.hooks = None
    loss.backward()
    assert x.grad.tolist() == [8.0, 16.0]
    with pytest.raises(FatalError, match="backward twice"):
        debug.audit(loss)
    with pytest.raises(InvalidArgumentError, match="needs a tensor with a graph"):
        debug.audit(paddle.ones([2]))


def test_the_text_counts():
    x = leaf([1.0, 2.0])
    assert str(debug.audit((x * x).sum())) == "2 nodes: 2 right."
    assert jnp.isfinite(debug.audit((x * x).sum()).nodes[0].error)
