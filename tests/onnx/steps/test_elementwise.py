"""Steps that compute each element alone, where ONNX's operator is another one."""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.static import InputSpec
from tests.onnx.running import both, check_same, model_of_function, operators_of


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_whether_numbers_are_not_zero(dtype):
    x = paddle.to_tensor(np.array([[0, -0.0, 1], [np.nan, np.inf, -2]], dtype))
    check_same(lambda x: (x.astype("bool"), x.all(0), x.any(0), paddle.count_nonzero(x)), [x])
    model = model_of_function(lambda x: x.astype("bool"), [x])
    assert operators_of(model) == {"Cast"}


def test_whether_numbers_are_not_zero_in_a_branch():
    def function(x):
        return x if x.sum() > 3 else (x + 1).astype("bool").astype("float32")

    for x in ([1.0, 2.0], [3.0, 2.0]):
        check_same(function, [paddle.to_tensor(x)], [InputSpec([None])])


@pytest.mark.parametrize("power", [0, 1, 2, 3, 5, 6, 7])
def test_powers_of_integers_are_exact(power):
    x = paddle.to_tensor(np.array([3000001, -2, 0, 7], "int64"))
    check_same(lambda x: x**power, [x])


def test_halves_away_from_zero():
    numbers = np.array([0.49999997, 8388609.0, -2.5, 0.5, -0.49999997, -0.6], "float32")
    mode = jax.lax.RoundingMethod.AWAY_FROM_ZERO
    rounded = paddle.autograd.from_jax(lambda x: jax.lax.round(x, mode))
    (here,), (there,) = both(rounded, [paddle.to_tensor(numbers)])
    np.testing.assert_array_equal(there, here)
