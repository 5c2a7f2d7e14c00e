"""debug.numerics: planted losses of digits, each found at its line."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph import events


def line_after(function, count):
    return f"{__file__}:{function.__code__.co_firstlineno + count}"


def test_a_variance_that_cancels_is_found():
    x = paddle.to_tensor(np.random.default_rng(0).random([4, 8]).astype("float32") + 1000)

    def step():
        squares = (x * x).mean(axis=1)
        return squares - x.mean(axis=1) ** 2  # cancels

    found = paddle.debug.numerics(step)
    first = found[0]
    assert (first.name, first.dtype, first.line) == ("subtract", "float32", line_after(step, 2))
    assert first.lost > 4
    assert first.given > 6 > 3 > first.made
    assert first.is_safe_low is False
    assert all(each.lost < 1 for each in found[1:])
    assert f"subtract (float32) at {first.line}" in str(found)
    assert not events._observers


def test_ops_that_lose_nothing_are_safe_in_bfloat16():
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    found = paddle.debug.numerics(lambda: (x * 2).tanh().sum())
    assert [each.is_safe_low for each in found] == [True] * 3
    assert all(each.lost < 0.8 and each.made > 6 for each in found)
    assert found.skipped == []


@pytest.mark.deep
def test_a_node_that_loses_digits_is_found_with_the_line_that_recorded_it():
    x = paddle.to_tensor([1e4], stop_gradient=False)

    def step():
        y = x.tanh()
        y = 1.0 - (1.0 - x * 1e-4 + 1e-4)  # cancels in forward
        (y.log() * 3).sum().backward()
        x.clear_gradient()

    found = paddle.debug.numerics(step)
    assert found[0].line == line_after(step, 2)
    nodes = {each.name: each for each in found if each.name.endswith("GradNode")}
    assert {"LogGradNode", "SumGradNode"} <= set(nodes)
    assert nodes["LogGradNode"].line == line_after(step, 3)


def test_digits_lost_in_a_cast_to_bfloat16_are_found():
    x = paddle.to_tensor([1.0, 1.001], dtype="float32")

    def step():
        low = x.astype("bfloat16")
        return low[1] - low[0]

    found = paddle.debug.numerics(step)
    cast = next(each for each in found if each.name == "cast")
    assert (cast.dtype, cast.line) == ("bfloat16", line_after(step, 1))
    assert 2 < cast.made < 3
    assert found[0].name == "subtract"
    assert found[0].made == 0


def test_random_numbers_are_not_followed_and_are_listed_as_such():
    layer = paddle.nn.Dropout(0.5)
    x = paddle.ones([8])
    found = paddle.debug.numerics(lambda: layer(x).exp())
    assert found.skipped == ["dropout"]
    assert [each.name for each in found] == ["exp"]
    assert "not followed in float64: dropout" in str(found)


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64"])
def test_other_dtypes(dtype):
    x = paddle.to_tensor(np.array([0.5, 0.25])).astype(dtype)
    (found,) = paddle.debug.numerics(lambda: x * x)
    assert found.lost < 0.5
    assert found.dtype == dtype


@pytest.mark.deep
def test_the_step_trains_as_always():
    def trained(run):
        paddle.seed(1)
        layer = paddle.nn.Linear(3, 2)
        sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())

        def step():
            layer(paddle.ones([2, 3])).tanh().sum().backward()
            sgd.step()
            sgd.clear_grad()

        run(step)
        return layer.weight.numpy().tobytes()

    assert trained(paddle.debug.numerics) == trained(lambda step: step())
