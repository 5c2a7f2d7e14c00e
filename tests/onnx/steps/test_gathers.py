"""Scatters of JAX that Paddle's ops do not make, in functions of the user."""

import jax.numpy as jnp
import pytest

import jaxeager as paddle
from jaxeager.errors import UnimplementedError
from tests.onnx.running import check_same, model_of_function

PLACES = jnp.array([0, -1, 7])
X = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.at[PLACES].set(9.0, mode="clip"),
        lambda x: x.at[PLACES].subtract(x, mode="drop"),
        lambda x: x.at[0].multiply(3.0),
    ],
)
def test_scatters(function):
    check_same(paddle.autograd.from_jax(function), [X])


def test_a_scatter_of_a_function_is_refused():
    applied = paddle.autograd.from_jax(lambda x: x.at[1].apply(jnp.sin))
    with pytest.raises(UnimplementedError, match="a scatter that applies a function"):
        model_of_function(applied, [X])


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of NumPy, by JAX itself
def test_a_fill_value_of_integers_that_is_nan():
    taken = paddle.autograd.from_jax(lambda x: x.at[PLACES].get(mode="fill", fill_value=jnp.nan))
    check_same(taken, [X.astype("int32")])
