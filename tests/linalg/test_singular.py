"""Matrices without an inverse: errors, non-errors, and no waiting where it is not allowed.

Note [Singular matrices] of ops/linalg/matrix_operands.py.
"""

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, NotFoundError
from tests.support.here import only_on_a_cpu

linalg = paddle.linalg
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
INDEFINITE = [[1.0, 2.0], [2.0, 1.0]]
CALLS = [
    (linalg.inv, SINGULAR, "inverse: a singular matrix"),
    (lambda x: linalg.solve(x, paddle.ones([2, 1])), SINGULAR, "solve: a singular matrix"),
    (lambda x: linalg.matrix_power(x, -2), SINGULAR, "matrix_power: a singular matrix"),
    (linalg.cholesky, INDEFINITE, "cholesky: a matrix is not positive definite"),
    (lambda x: linalg.cond(x, 1), SINGULAR, "inverse: a singular matrix"),
]
AT_ONCE = only_on_a_cpu("elsewhere looking would wait, and the result says it")
OVER_CALLS = pytest.mark.parametrize(("call", "matrix", "text"), CALLS)


@pytest.fixture
def unchecked():
    """Switch the check of the values off."""
    paddle.set_flags({"FLAGS_check_singular": False})
    yield
    paddle.set_flags({"FLAGS_check_singular": True})


@AT_ONCE
@OVER_CALLS
def test_a_singular_or_indefinite_matrix_raises(call, matrix, text):
    with pytest.raises(InvalidArgumentError, match=text):
        call(paddle.to_tensor(matrix))


@AT_ONCE
@OVER_CALLS
def test_one_singular_or_indefinite_matrix_of_a_batch_raises(call, matrix, text):
    batch = paddle.to_tensor(np.stack([np.eye(2), matrix]).astype("float32"))
    with pytest.raises(InvalidArgumentError, match=text):
        call(batch)


@OVER_CALLS
def test_without_the_check_the_result_shows_it(call, matrix, text, unchecked):
    assert not np.isfinite(call(paddle.to_tensor(matrix)).numpy()).all()


@OVER_CALLS
def test_nan_that_was_there_before_is_no_error(call, matrix, text):
    assert np.isnan(call(paddle.full([2, 2], float("nan"))).numpy()).any()


def test_nan_on_the_right_is_no_error():
    out = linalg.solve(paddle.eye(2), paddle.full([2, 1], float("nan")))
    assert np.isnan(out.numpy()).all()


@OVER_CALLS
def test_under_jit_nothing_is_checked(call, matrix, text):
    operand = np.array(matrix, "float32")
    found = jax.jit(lambda x: call(paddle.Tensor.from_array(x))._array)(operand)
    assert not np.isfinite(np.asarray(found)).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int64", "bool"])
@pytest.mark.parametrize(
    "name",
    "cholesky det eig eigh eigvals eigvalsh inv lu matrix_exp matrix_rank pinv qr slogdet svd "
    "svdvals cond".split(),
)
def test_dtypes_without_a_decomposition_say_so(name, dtype):
    with pytest.raises(NotFoundError, match=f"no decomposition in {dtype}"):
        getattr(linalg, name)(paddle.ones([2, 2], dtype))


def test_mixed_precision_runs_decompositions_in_float32():
    x = paddle.to_tensor([[4.0, 2.0], [2.0, 10.0]])
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16"):
        half = x @ x
        assert half.dtype == paddle.bfloat16
        found = [linalg.inv(half), linalg.cholesky(x), *linalg.svd(half), linalg.det(x)]
    assert {each.dtype for each in found} == {paddle.float32}


def test_second_order_of_the_determinant_of_a_singular_matrix():
    """Up to three rows, the determinant is its polynomial."""
    x = paddle.to_tensor(np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]), stop_gradient=False)
    (first,) = paddle.grad(linalg.det(x), x, create_graph=True)
    assert np.abs(first.numpy()).max() < 1e-12  # rank 1: every cofactor is 0
    (second,) = paddle.grad(first[0, 0], x)
    np.testing.assert_allclose(second.numpy()[1, 1], x.numpy()[2, 2])
    np.testing.assert_allclose(second.numpy()[1, 2], -x.numpy()[2, 1])
