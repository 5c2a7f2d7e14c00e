"""A function that fails for an argument of another kind names it, in place of Python's error."""

import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidTypeError, JaxEagerError

X = paddle.ones([1, 3, 4])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: F.dropout1d(X, p="a"),
            r"dropout1d\(\): argument 'p' \(position 1\) must be float",
        ),
        (lambda: paddle.uniform([2], min=None), "argument 'min' .* must be float, .* None"),
        (lambda: F.triplet_margin_loss(X, X, X, margin=[1]), r"argument 'margin' .*\[1\] \(list\)"),
        (lambda: paddle.var(X, "a"), "axis must be an integer, .* 'a'"),
        (lambda: paddle.rot90(X, 1, None), "argument 'axes'"),
        (lambda: paddle.trapezoid(X[0, 0], dx="a"), "argument 'dx'"),
        (lambda: paddle.index_add(X, paddle.to_tensor([0]), None, X), "argument 'axis'"),
        (lambda: F.hsigmoid_loss(X[0], paddle.to_tensor([0, 1, 2]), None, X), "num_classes"),
        (lambda: paddle.linalg.matrix_norm(X, axis=None), "argument 'axis'"),
    ],
)
def test_the_argument_is_named(call, text):
    with pytest.raises(InvalidTypeError, match=text):
        call()


def test_a_tensor_is_no_dtype():
    with pytest.raises(TypeError, match="dtype must be one of"):
        paddle.cumprod(X, 0, dtype=X)


def test_the_error_of_a_users_function_is_left():
    def fails(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        F.triplet_margin_with_distance_loss(X, X, X, fails)


def test_a_call_that_does_not_bind_is_left():
    with pytest.raises(TypeError, match="colour") as caught:
        paddle.rot90(X, colour=3)
    assert not isinstance(caught.value, JaxEagerError)
