"""Ops without promotion whose first operand is complex: real floats next to it become complex."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

INDEX = np.array([0])


def solved(x, y):
    return paddle.linalg.triangular_solve(paddle.stack([x, x * 2]), paddle.stack([y, y]))


OPS = {
    "stack": lambda x, y: paddle.stack([x, y, x]),
    "add_n": lambda x, y: paddle.add_n([x, y]),
    "index_put": lambda x, y: paddle.index_put(x, (paddle.to_tensor(INDEX),), y[:1]),
    "index_put_added": lambda x, y: paddle.index_put(x, (paddle.to_tensor(INDEX),), y[:1], True),
    "index_fill": lambda x, y: paddle.index_fill(x, paddle.to_tensor(INDEX), 0, y[0]),
    "diagonal_scatter": lambda x, y: paddle.diagonal_scatter(paddle.stack([x, x]), y),
    "triangular_solve": solved,
}
PAIRS = [("complex64", "float32"), ("complex64", "float64"), ("complex128", "float32")]


def operands(first, second):
    x = paddle.to_tensor(np.array([1 + 2j, 3 - 1j], first), stop_gradient=False)
    return x, paddle.to_tensor(np.array([0.5, -2.0], second), stop_gradient=False)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("name", OPS)
def test_a_float_next_to_a_complex_first_operand_becomes_complex(name, pair):
    x, y = operands(*pair)
    out = OPS[name](x, y)
    cast_x, cast_y = operands(pair[0], pair[0])
    expected = OPS[name](cast_x, cast_y)
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(out.numpy(), expected.numpy())
    weights = paddle.to_tensor(np.arange(1, out.size + 1).reshape(out.shape) * (1 - 0.5j), pair[0])
    (out * weights).real().sum().backward()
    (expected * weights).real().sum().backward()
    assert y.grad.dtype == y.dtype
    np.testing.assert_allclose(x.grad.numpy(), cast_x.grad.numpy(), rtol=1e-6)
    np.testing.assert_allclose(y.grad.numpy(), cast_y.grad.numpy().real, rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in OPS if name != "diagonal_scatter"])
def test_a_complex_operand_next_to_a_real_first_one_is_refused(name):
    x, y = operands("complex64", "float32")
    with pytest.raises(InvalidArgumentError, match="one dtype"):
        OPS[name](y, x)


@pytest.mark.parametrize("dtype", ["int64", "bool", "float16", "complex128"])
def test_other_dtypes_are_refused(dtype):
    x, _ = operands("complex64", "float32")
    with pytest.raises(InvalidArgumentError, match="one dtype"):
        paddle.stack([x, paddle.ones([2]).astype(dtype)])


def test_isclose_takes_a_real_second_operand():
    x = paddle.to_tensor(np.array([1 + 0j, 3 - 1j], "complex64"))
    y = paddle.to_tensor([1.0, 3.0])
    assert paddle.isclose(x, y).tolist() == [True, False]
    assert not paddle.allclose(x, y)
