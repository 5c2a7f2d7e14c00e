"""Dropout beyond the samples: the mask, the share, the draw, and no recompilation."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.arrays.random import next_key
from jaxeager.ops.nn.dropout import dropout


def test_gradient_goes_exactly_where_the_forward_did():
    x = paddle.ones([64, 64])
    x.stop_gradient = False
    out = F.dropout(x, 0.3)
    out.backward(paddle.full([64, 64], 2.0))
    np.testing.assert_array_equal(x.grad.numpy(), 2 * out.numpy())
    assert set(np.unique(out.numpy())) == {np.float32(0), np.float32(1) / np.float32(0.7)}


@pytest.mark.parametrize("p", [0.1, 0.9])
def test_share_of_zeros_is_p(p):
    zeros = float((F.dropout(paddle.ones([100_000]), p).numpy() == 0).mean())
    assert abs(zeros - p) < 0.01  # 10 standard deviations


def test_each_call_draws_again_and_a_seed_repeats():
    x = paddle.ones([1000])
    first, second = F.dropout(x).numpy(), F.dropout(x).numpy()
    assert not np.array_equal(first, second)
    paddle.seed(5)
    once = F.dropout(x).numpy()
    paddle.seed(5)
    np.testing.assert_array_equal(once, F.dropout(x).numpy())


def test_evaluation_draws_nothing():
    x = paddle.ones([10])
    paddle.seed(5)
    expected = paddle.rand([4]).numpy()
    paddle.seed(5)
    F.dropout(x, 0.5, training=False)
    np.testing.assert_array_equal(paddle.rand([4]).numpy(), expected)


def test_everything_dropped_gives_zeros_and_no_nan():
    x = paddle.ones([8])
    x.stop_gradient = False
    out = F.dropout(x, 1.0)
    out.sum().backward()
    np.testing.assert_array_equal(out.numpy(), np.zeros(8))
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros(8))


def test_another_p_is_no_new_program():
    x = paddle.ones([7])
    dropout(x, next_key(), 0.5)
    kernels = dict(dropout.row.forward_kernels)
    sizes = {attrs: kernel._cache_size() for attrs, kernel in kernels.items()}
    for p in (0.1, 0.2, 0.3):
        dropout(x, next_key(), p)
    assert dropout.row.forward_kernels == kernels
    assert {attrs: kernel._cache_size() for attrs, kernel in kernels.items()} == sizes
