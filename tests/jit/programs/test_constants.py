"""Numbers in programs: XLA does not combine them, so a program computes what its ops compute."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.jit.programs.constants import opaque, with_opaque_constants


def log_of_the_rest(p):
    return paddle.log(1 - p + 1e-8)


def in_a_branch(p):
    if p.sum() > 0:
        return paddle.log(1 - p + 1e-8)
    return p


def in_a_loop(p):
    i = paddle.to_tensor(0)
    while i < 1:
        p, i = paddle.log(1 - p + 1e-8), i + 1
    return p


def of_a_tensor(p):
    return paddle.log(paddle.to_tensor([1.0, 1.0]) - p + paddle.full([2], 1e-8))


FUNCTIONS = [log_of_the_rest, in_a_branch, in_a_loop, of_a_tensor]


def value_and_gradient(function):
    p = paddle.to_tensor([1.0, 0.5], stop_gradient=False)
    found = function(p)
    found.sum().backward()
    return found.numpy(), p.grad.numpy()


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_program_has_the_values_of_its_ops(function, full_graph):
    expected = value_and_gradient(function)
    assert np.isfinite(expected[0]).all()
    found = value_and_gradient(paddle.jit.to_static(function, full_graph=full_graph))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_saved_program_has_the_values_of_its_ops(function, tmp_path):
    layer = paddle.nn.Layer()
    layer.forward = paddle.jit.to_static(function)
    spec = [paddle.static.InputSpec([2], "float32")]
    paddle.jit.save(layer, str(tmp_path / "program"), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / "program"))
    p = paddle.to_tensor([1.0, 0.5])
    np.testing.assert_array_equal(loaded(p).numpy(), function(p).numpy())


def test_whole_numbers_stay_known_to_xla():
    number = jnp.int32(3)
    assert opaque(number) is number


def test_results_keep_their_structure():
    def function(x, pair):
        return {"a": x + jnp.float32(2), "b": (pair[0], pair[1] * jnp.arange(2.0))}

    x, pair = jnp.ones(2), [jnp.zeros(()), jnp.ones(2)]
    found = jax.jit(with_opaque_constants(function))(x, pair)
    assert jax.tree.structure(found) == jax.tree.structure(function(x, pair))
    jax.tree.map(np.testing.assert_array_equal, found, function(x, pair))
