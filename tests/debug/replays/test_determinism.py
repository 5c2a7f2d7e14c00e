"""debug.determinism: planted reasons for two runs to differ, each found at its line."""

import random

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph import events


@pytest.fixture
def trained():
    """Return a model with dropout, its optimizer, and a step of them."""
    paddle.seed(3)
    model = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.Dropout(0.5))
    adam = paddle.optimizer.Adam(parameters=model.parameters())

    def step(x):
        model(x).sum().backward()
        adam.step()
        adam.clear_grad()

    return model, adam, step


def line_after(function, count):
    return f"{__file__}:{function.__code__.co_firstlineno + count}"


def test_a_step_with_dropout_shuffles_and_an_optimizer_is_equal(trained):
    model, adam, step = trained
    before = model[0].weight.numpy()

    def whole():
        step(paddle.to_tensor(np.random.rand(2, 4).astype("float32") * random.random()))

    found = paddle.debug.determinism(whole, model, adam)
    assert found
    assert found.compared > 8
    assert "Both runs are equal, bit by bit" in str(found)
    assert model[0].weight.numpy().tobytes() == before.tobytes()
    assert not events._observers
    assert paddle.debug.determinism(whole, model, adam)  # after steps that made accumulators


def test_a_separate_generator_is_found_where_its_numbers_are_used(trained):
    model, adam, step = trained
    noise = np.random.default_rng(0)

    def whole():
        x = paddle.to_tensor(noise.normal(size=[2, 4]).astype("float32"))
        step(x)

    found = paddle.debug.determinism(whole, model, adam)
    assert not found
    assert found.compared == 0
    assert found.entries[0].line == line_after(whole, 1)
    assert found.ulps > 1
    assert "numpy.random.default_rng()" in str(found)


def test_state_that_was_not_given_is_found(trained):
    _, _, step = trained
    x = paddle.ones([2, 4])
    found = paddle.debug.determinism(lambda: step(x))
    assert not found
    assert found.entries[0].name == "matmul"
    assert found.entries[0].line.startswith(f"{__file__}:")
    assert "a tensor that the step changes was not given to determinism" in str(found)


def test_another_path_is_found():
    count = []

    def whole():
        x = paddle.ones([3])
        count.append(1)
        if len(count) % 2:
            return x.exp()
        return x.tanh()

    found = paddle.debug.determinism(whole)
    assert [each.name for each in found.entries] == ["exp", "tanh"]
    assert [each.line for each in found.entries] == [line_after(whole, 4), line_after(whole, 5)]
    assert "took another path" in found.why
    assert "exp at " in str(found)


def test_a_run_that_ends_early_is_found():
    count = []

    def whole():
        count.append(1)
        x = paddle.ones([3])
        return x.exp() if len(count) == 2 else x

    found = paddle.debug.determinism(whole)
    assert found.entries[0] is None
    assert found.entries[1].name == "exp"
    assert "the end in one run" in str(found)


def test_a_kernel_that_differs_is_found():
    import jax

    calls = []

    def draw(x):
        calls.append(1)
        return x + len(calls)

    @paddle.autograd.from_jax
    def noisy(x):
        return jax.pure_callback(draw, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    x = paddle.ones([3])
    found = paddle.debug.determinism(lambda: noisy(x).exp())
    assert not found
    assert "the kernel itself differs" in found.why


def test_an_object_without_state_is_refused():
    with pytest.raises(TypeError, match="received list, which has no state_dict"):
        paddle.debug.determinism(lambda: None, [1])


def test_a_python_argument_that_differs_is_no_fault_of_the_kernel():
    count = [0]

    def step():
        count[0] += 1
        return paddle.ones([2]) * count[0]

    found = paddle.debug.determinism(step)
    assert found.entries[0].name == "scale"
    assert "Its arguments that are no tensors differ" in str(found)
