"""Creation: values, dtypes, shapes in every spelling, errors, and no compilation twice."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.creation import creation

TWO = paddle.to_tensor(2)
CASES = {
    "zeros": (lambda: paddle.zeros([2]), "float32", [0, 0]),
    "zeros int": (lambda: paddle.zeros(3, "int32"), "int32", [0, 0, 0]),
    "zeros of Tensor": (lambda: paddle.zeros(paddle.to_tensor([1, 2])), "float32", [[0, 0]]),
    "ones": (lambda: paddle.ones([TWO, 1]), "float32", [[1], [1]]),
    "empty": (lambda: paddle.empty([0, 2]), "float32", np.zeros((0, 2))),
    "full int": (lambda: paddle.full([2], 1), "float32", [1, 1]),
    "full bool": (lambda: paddle.full([1], True), "bool", [True]),
    "full complex": (lambda: paddle.full([1], 1j), "complex128", [1j]),
    "full text": (lambda: paddle.full([1], "inf"), "float32", [np.inf]),
    "full Tensor": (lambda: paddle.full([2], paddle.to_tensor(2.5), "int32"), "int32", [2, 2]),
    "full 0-D": (lambda: paddle.full([], 3.0), "float32", 3.0),
    "full_like": (lambda: paddle.full_like(paddle.ones([2], "int64"), 2.7), "int64", [2, 2]),
    "zeros_like": (lambda: paddle.zeros_like(paddle.ones([1]), "float64"), "float64", [0]),
    "ones_like": (lambda: paddle.ones_like(paddle.zeros([1], "complex64")), "complex64", [1]),
    "empty_like": (lambda: paddle.empty_like(paddle.ones([0], "int8")), "int8", []),
    "arange": (lambda: paddle.arange(4), "int64", [0, 1, 2, 3]),
    "arange float": (lambda: paddle.arange(0, 1, 0.3), "float32", [0, 0.3, 0.6, 0.9]),
    "arange down": (lambda: paddle.arange(5, 1, -2), "int64", [5, 3]),
    "arange none": (lambda: paddle.arange(3, 1), "int64", []),
    "arange Tensor": (lambda: paddle.arange(TWO, 4), "int64", [2, 3]),
    "arange dtype": (lambda: paddle.arange(2, dtype="float16"), "float16", [0, 1]),
    "linspace": (lambda: paddle.linspace(0, 1, 3), "float32", [0, 0.5, 1]),
    "linspace int": (lambda: paddle.linspace(0, 10, 5, "int32"), "int32", [0, 2, 5, 7, 10]),
    "linspace one": (lambda: paddle.linspace(0, 1, 1), "float32", [0]),
    "logspace": (lambda: paddle.logspace(0, 3, 4, base=2), "float32", [1, 2, 4, 8]),
    "eye": (lambda: paddle.eye(2, 3), "float32", [[1, 0, 0], [0, 1, 0]]),
    "eye bfloat16": (lambda: paddle.eye(1, dtype="bfloat16"), "bfloat16", [[1]]),
    "tril_indices": (lambda: paddle.tril_indices(3, 2, 1), "int64", np.tril_indices(3, 1, 2)),
    "triu_indices": (lambda: paddle.triu_indices(2), "int64", np.triu_indices(2)),
    "diagflat": (
        lambda: paddle.diagflat(paddle.to_tensor([[1, 2]]), 1), "int64", np.diagflat([[1, 2]], 1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_value_and_dtype(case):
    call, dtype, expected = case
    out = call()
    assert out.dtype == dtype
    assert out.stop_gradient
    assert tuple(out.shape) == np.shape(expected)
    found = out.astype("float32").numpy() if dtype in ("float16", "bfloat16") else out.numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_default_dtype_is_followed():
    paddle.set_default_dtype("float64")
    try:
        for call in (
            lambda: paddle.zeros([1]),
            lambda: paddle.full([1], 1),
            lambda: paddle.arange(1.0),
            lambda: paddle.linspace(0, 1, 2),
            lambda: paddle.eye(1),
        ):
            assert call().dtype == "float64"
    finally:
        paddle.set_default_dtype("float32")


ERRORS = {
    "negative": (lambda: paddle.zeros([2, -1]), InvalidArgumentError, r"shape = \[2, -1\]"),
    "dtype": (lambda: paddle.ones([2], "foo"), InvalidTypeError, "'foo'"),
    "value": (lambda: paddle.full([2], [1.0]), InvalidTypeError, "must be a number"),
    "value of two": (
        lambda: paddle.full([2], paddle.ones([2])), InvalidArgumentError, "one element"
    ),
    "step": (lambda: paddle.arange(1, 5, 0), InvalidArgumentError, "should not be 0"),
    "num": (lambda: paddle.linspace(0, 1, -1), InvalidArgumentError, "must not be negative"),
    "eye": (lambda: paddle.eye(-1), InvalidArgumentError, "must not be negative"),
    "shape": (lambda: paddle.zeros([1.5]), InvalidTypeError, "must be an integer"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS.values(), ids=ERRORS)
def test_wrong_input_says_what_is_wrong(case):
    call, error, text = case
    with pytest.raises(error, match=text):
        call()


def test_fills_of_one_shape_share_one_kernel():
    paddle.full([5, 7], 1.0)
    before = creation._fill._cache_size()
    for value in (2.0, 3, -1.5):
        paddle.full([5, 7], value)
    assert creation._fill._cache_size() == before
    paddle.zeros([5, 7])
    made = creation._constant_kernel.cache_info().misses
    assert paddle.zeros_like(paddle.full([5, 7], 3.0)).tolist() == [[0.0] * 7] * 5
    assert creation._constant_kernel.cache_info().misses == made


def test_meshgrid_takes_a_list_and_sums_gradients():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = paddle.to_tensor([3.0, 4.0, 5.0], stop_gradient=False)
    rows, columns = paddle.meshgrid([x, y], indexing="xy")
    assert rows.shape == [3, 2]
    (rows * columns).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([12.0, 12.0], [3.0, 3.0, 3.0])


def test_diag_embed_has_a_gradient():
    # Paddle's has none.
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (paddle.diag_embed(x) * paddle.to_tensor([[3.0, 9.0], [9.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
