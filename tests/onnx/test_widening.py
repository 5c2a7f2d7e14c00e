"""Dtypes that ONNX's operators, or onnxruntime's, do not have."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.onnx.widening import wider
from tests.onnx.running import check_same

NUMBERS = np.random.RandomState(0).randint(0, 2**31, (4, 3))
OF_INTEGERS = {
    "sum": lambda x: x.sum(0).astype(x.dtype),
    "prod": lambda x: paddle.prod(x % 3 + 1, 0),
    "max": lambda x: x.max(0),
    "argmax": lambda x: x.argmax(0),
    "cumsum": lambda x: x.cumsum(0),
    "maximum": lambda x: paddle.maximum(x, x[0]),
    "sort": lambda x: x.sort(0),
    "topk": lambda x: paddle.topk(x, 2, 0),
    "pad": lambda x: paddle.nn.functional.pad(x, [1, 2]),
    "gather": lambda x: paddle.take_along_axis(x, paddle.to_tensor([[2], [0]]), 0),
    "matmul": lambda x: paddle.matmul(x, x.T),
    "shifts": lambda x: (x << 1, x << 7, x >> 1),
    "power": lambda x: x**3,
}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_narrow_integers(name, dtype):
    check_same(OF_INTEGERS[name], [paddle.to_tensor(NUMBERS.astype(dtype))])


def _written(x):
    x = x.clone()
    x[1:3] = False
    return x


@pytest.mark.parametrize(
    "function", [_written, lambda x: x.sort(0), lambda x: paddle.topk(x, 2, 0),
                 lambda x: paddle.matmul(x, x.T), lambda x: paddle.searchsorted(x[0].sort(), x)]
)  # fmt: skip
def test_bools(function):
    check_same(function, [paddle.to_tensor(NUMBERS % 2 == 0)])


def test_what_an_operator_takes_stays():
    assert wider("add", np.dtype("int8")) is None
    assert wider("sort", np.dtype("float16")) is None
    assert wider("reduce_sum", np.dtype("int32")) is None
