"""A marked step continues with a state that is loaded between its calls."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn, optimizer
from tests.jit.marked import same_as_op_by_op, vector

NAMES = ["Momentum", "Adam", "AdamW", "Adamax", "Lamb", "NAdam", "RAdam", "Adagrad", "RMSProp"]


def own(state):
    return state


def as_arrays(state):
    return {name: np.asarray(value) for name, value in state.items()}


def begun_again(state):
    first = {"beta1_pow_acc": 0.9, "beta2_pow_acc": 0.999}
    return {
        name: paddle.full_like(value, next((v for k, v in first.items() if k in name), 0.0))
        for name, value in state.items()
    }


def trained(name, loaded, dtype="float32", **settings):
    def make(mark):
        fill = nn.initializer.Constant(1.0)
        w = paddle.create_parameter([2], dtype, default_initializer=fill)
        rule = getattr(optimizer, name)(0.1, parameters=[w], **settings)

        def step(x):
            ((w.astype("float32") - x) ** 2).sum().backward()
            rule.step()
            rule.clear_grad()

        step = mark(step)
        for _ in range(2):
            for _ in range(4):
                step(vector(0.3, 2))
            rule.set_state_dict(loaded(rule.state_dict()))
        for _ in range(4):
            step(vector(0.3, 2))
        yield w.astype("float32")

    return make


@pytest.mark.parametrize("name", NAMES)
def test_training_continues_after_its_own_state_is_loaded(name):
    same_as_op_by_op(trained(name, own))


@pytest.mark.parametrize("loaded", [as_arrays, begun_again])
def test_another_state(loaded):
    same_as_op_by_op(trained("Adam", loaded))


@pytest.mark.parametrize("name", ["Adam", "Momentum"])
def test_master_weights(name):
    same_as_op_by_op(trained(name, own, "float16", multi_precision=True))


def test_powers_that_part_and_join_again():
    def make(mark):
        a, b = (paddle.create_parameter([1], "float32") for _ in range(2))
        for each in (a, b):
            each.set_value(vector())
        adam = optimizer.Adam(0.1, parameters=[a, b])

        def step(x):
            (a * a * x).sum().backward()
            adam.step()
            adam.clear_grad(False)

        step = mark(step)
        (a + b).sum().backward()
        adam.step()
        adam.clear_grad(False)
        together = as_arrays(adam.state_dict())
        for _ in range(3):
            step(vector())
        apart = as_arrays(adam.state_dict())
        for state in (together, apart, together):
            adam.set_state_dict(state)
            for _ in range(3):
                step(vector())
            yield a.clone()
        yield b

    same_as_op_by_op(make)


def test_a_loaded_state_needs_no_other_program():
    w = paddle.create_parameter([2], "float32")
    adam = optimizer.Adam(0.1, parameters=[w])

    @paddle.jit.to_static(full_graph=True)
    def step(x):
        (w * x).sum().backward()
        adam.step()
        adam.clear_grad()

    for _ in range(3):
        step(vector(1.0, 2))
        adam.set_state_dict(adam.state_dict())
    assert len(step.program_cache.concrete_programs()) == 1


def test_state_dict_shows_the_live_masters_after_a_load():
    w = paddle.create_parameter([2], "float16")
    adam = optimizer.Adam(0.1, parameters=[w], multi_precision=True)

    def step():
        w.sum().backward()
        adam.step()
        adam.clear_grad()

    step()
    (master,) = adam.state_dict()["master_weights"].values()
    adam.set_state_dict(adam.state_dict())
    before = master.numpy().copy()
    step()
    assert not np.array_equal(master.numpy(), before)
