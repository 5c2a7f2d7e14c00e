"""Norms beyond the samples: precision in 16 bits, and the running statistics."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.ops.nn import batch_norm, normalization
from jaxeager.ops.rules.samples import values


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_rms_norm_keeps_float32_for_16_bits(dtype):
    x = paddle.to_tensor(values((2, 8))).astype(dtype)
    out, inverse = normalization.rms_norm(x, normalized_shape=8)
    assert out.dtype == x.dtype
    assert inverse.dtype == paddle.float32
    wide = x.astype("float32").numpy()
    expected = 1 / np.sqrt((wide**2).mean(1) + 1e-5)
    np.testing.assert_allclose(inverse.numpy(), expected, rtol=1e-6)


def test_statistics_of_16_bits_are_computed_in_32():
    # 4096 halves: a float16 sum of squares would stop growing at 2048.
    x = paddle.full([1, 4096], 0.5, "float16")
    x[0, 0] = 1.5
    out = normalization.layer_norm(x)
    wide = x.astype("float32").numpy()
    expected = (wide[0, 0] - wide.mean()) / np.sqrt(wide.var() + 1e-5)
    assert abs(float(out[0, 0].astype("float32").item()) - expected) < 0.05


def test_running_statistics_have_no_gradient():
    x = paddle.to_tensor(values((4, 2)), stop_gradient=False)
    zeros, ones = paddle.zeros([2], "float64"), paddle.ones([2], "float64")
    _, mean_out, variance_out = batch_norm.batch_norm(x, zeros, ones)
    paddle.autograd.backward([mean_out, variance_out])
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros((4, 2)))


def test_evaluation_gives_the_running_statistics_back():
    mean, variance = jnp.asarray(values((2,))), jnp.asarray(values((2,), 0.5, 2.0))
    x = jnp.asarray(values((4, 2)))
    outs = batch_norm.batch_norm_forward(x, mean, variance, is_test=True)
    np.testing.assert_array_equal(outs[1], mean)
    np.testing.assert_array_equal(outs[2], variance)


def test_a_shift_costs_few_digits():
    # The mean is rounded at 4096 * 6e-8 = 2e-4; E[x^2] - E[x]^2 would be off by more than 1.
    x = values((4, 8)).astype("float32")
    far = paddle.to_tensor(x + np.float32(4096))
    near = paddle.to_tensor(far.numpy() - np.float32(4096))
    np.testing.assert_allclose(
        normalization.layer_norm(far).numpy(), normalization.layer_norm(near).numpy(), atol=2e-3
    )
