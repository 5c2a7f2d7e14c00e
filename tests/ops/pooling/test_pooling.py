"""Pooling beyond the samples: ties, nan, large windows against small ones."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.pooling import pool_kernels, pooling
from jaxeager.ops.pooling.pool_index import max_pool2d_with_index
from jaxeager.ops.rules.samples import values


def _gradient(row, x, **attrs):
    x = paddle.to_tensor(x, stop_gradient=False)
    out = row(x, **attrs)
    out = out[0] if isinstance(out, tuple) else out
    out.sum().backward()
    return out.numpy(), x.grad.numpy()


# As in real Paddle 3.3.1 for both rows.
FIRST_WINS = [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("row", [pooling.pool2d, max_pool2d_with_index])
def test_first_of_equals_gets_the_gradient(row):
    _, grad = _gradient(row, np.zeros((1, 1, 3, 3), "float32"), kernel_size=2)
    np.testing.assert_array_equal(grad[0, 0], FIRST_WINS)


def test_first_of_equals_in_touching_and_large_windows():
    _, grad = _gradient(pooling.pool2d, np.ones((1, 1, 2, 4), "float32"), kernel_size=2, strides=2)
    np.testing.assert_array_equal(grad[0, 0], [[1, 0, 1, 0], [0, 0, 0, 0]])
    _, grad = _gradient(pooling.pool2d, np.ones((1, 1, 5, 5), "float32"), kernel_size=5)
    assert grad[0, 0, 0, 0] == 1
    assert grad.sum() == 1


@pytest.mark.parametrize("row", [pooling.pool2d, max_pool2d_with_index])
def test_nan_is_the_largest_and_gets_the_gradient(row):
    x = np.array([[[[1.0, np.nan], [2.0, 3.0]]]], "float32")
    out, grad = _gradient(row, x, kernel_size=2)
    assert np.isnan(out).all()
    np.testing.assert_array_equal(grad[0, 0], [[0, 1], [0, 0]])


@pytest.mark.parametrize("kind", ["max", "avg"])
def test_large_windows_equal_small_ones(kind, monkeypatch):
    x = values((2, 2, 6, 6))
    attrs = {"kernel_size": 3, "strides": 2, "paddings": 1, "pooling_type": kind}
    pool = pool_kernels.pool_of(x, 3, 2, 1, False, "NCHW")
    small = _both(kind, x, pool)
    monkeypatch.setattr(pool_kernels, "SLICED_WINDOW", 0)
    assert not pool.has_small_window
    for got, want in zip(_both(kind, x, pool), small, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    np.testing.assert_allclose(small[0], pooling.pool_reference(x, **attrs), rtol=1e-12)


def _both(kind, x, pool):
    x = jnp.asarray(x)
    out = (
        pool_kernels.max_over(x, pool)
        if kind == "max"
        else pool_kernels.average_over(x, pool, True)
    )
    dout = jnp.asarray(values(out.shape, seed=1))
    if kind == "max":
        return out, pool_kernels.max_vjp(x, out, dout, pool)
    return out, pool_kernels.average_vjp(x, dout, pool, True)


def test_a_window_in_the_padding_still_names_an_element():
    x = paddle.to_tensor(-np.ones((1, 1, 3, 3), "float32"))
    out, mask = max_pool2d_with_index(x, 2, 2, 1, ceil_mode=True)
    assert out.numpy()[0, 0, 0, 0] == -1
    assert 0 <= mask.numpy().min() <= mask.numpy().max() < 9


def test_integers_are_refused_by_name():
    with pytest.raises(InvalidArgumentError, match="pooling takes floating images, not int64"):
        pooling.pool2d(paddle.ones([1, 1, 2, 2], "int64"), 2)
