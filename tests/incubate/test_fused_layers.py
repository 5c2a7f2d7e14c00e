"""incubate.nn against the plain operations it is made of."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn

F = paddle.incubate.nn.functional
plain = nn.functional


def test_products_with_a_bias():
    x, w, b = paddle.rand([2, 3]), paddle.rand([3, 4]), paddle.rand([4])
    wanted = plain.linear(x, w, b).numpy()
    np.testing.assert_allclose(F.fused_linear(x, w, b).numpy(), wanted, rtol=1e-6)
    np.testing.assert_allclose(F.fused_linear(x, w.T, b, True).numpy(), wanted, rtol=1e-6)
    np.testing.assert_allclose(F.fused_matmul_bias(x.T, w, b, True).numpy(), wanted, rtol=1e-6)
    np.testing.assert_allclose(F.fused_linear(x, w).numpy(), (x @ w).numpy(), rtol=1e-6)
    for name in ("relu", "gelu"):
        found = F.fused_linear_activation(x - 0.5, w, b, activation=name).numpy()
        wanted = getattr(plain, name)(plain.linear(x - 0.5, w, b)).numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert F.fused_linear_activation(x, w, b).tolist() == plain.linear(x, w, b).tolist()
    with pytest.raises(ValueError, match="activation is 'gelu' or 'relu', but received 'selu'"):
        F.fused_linear_activation(x, w, b, activation="selu")


@pytest.mark.parametrize("transposed", [False, True])
def test_a_linear_layer(transposed):
    layer = paddle.incubate.nn.FusedLinear(2, 3, transpose_weight=transposed)
    x = paddle.rand([4, 2])
    weight = layer.weight.T if transposed else layer.weight
    np.testing.assert_allclose(layer(x).numpy(), plain.linear(x, weight, layer.bias).numpy())
    layer(x).sum().backward()
    assert layer.bias.grad.tolist() == [4.0] * 3
    assert paddle.incubate.nn.FusedLinear(2, 3, bias_attr=False).bias is None


def test_a_norm_of_a_sum():
    layer = paddle.incubate.nn.FusedBiasDropoutResidualLayerNorm(4, dropout_rate=0.9)
    layer.linear_bias.set_value(paddle.rand([4]))
    layer.eval()
    x, residual = paddle.rand([2, 4]), paddle.rand([2, 4])
    wanted = plain.layer_norm(residual + x + layer.linear_bias, [4]).numpy()
    np.testing.assert_allclose(layer(x, residual).numpy(), wanted, rtol=1e-5, atol=1e-6)
    layer.train()
    assert not np.allclose(layer(x, residual).numpy(), wanted)
    assert "embed_dim=4, dropout_rate=0.9" in str(layer)
    assert str(paddle.incubate.nn.FusedDropoutAdd()).startswith("FusedDropoutAdd(p=0.5")


def test_root_mean_squares():
    x, r, b = paddle.rand([2, 3, 4]), paddle.rand([2, 3, 4]), paddle.rand([4])
    found, summed = F.fused_rms_norm(x, paddle.ones([12]), paddle.ones([12]), 0.0, 1, b, r)
    assert summed.tolist() == (x + b + r).tolist()
    square = (summed * summed).mean([1, 2], keepdim=True)
    np.testing.assert_allclose(found.numpy(), (summed / square.sqrt() + 1).numpy(), rtol=1e-5)
    assert F.fused_rms_norm(x, paddle.ones([4]), None, 1e-5, -1)[1] is None
    with pytest.raises(NotImplementedError, match="quant_scale, for integers"):
        F.fused_rms_norm(x, paddle.ones([4]), None, 1e-5, -1, quant_scale=1.0)
