"""incubate.nn against the plain operations that compose it."""

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


def test_norms_along_the_last_axis():
    x, scale, bias = paddle.randn([2, 3, 4]), paddle.rand([4]), paddle.rand([4])
    found, mean, inverse = F.fast_ln(x, scale, bias)
    np.testing.assert_allclose(
        found.numpy(), plain.layer_norm(x, [4], scale, bias).numpy(), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(mean.numpy(), x.numpy().mean(-1).flatten(), rtol=1e-4, atol=1e-6)
    wanted = 1 / np.sqrt(x.numpy().var(-1).flatten() + 1e-5)
    np.testing.assert_allclose(inverse.numpy(), wanted, rtol=1e-4)
    for norm in (F.fast_rms_norm, F.fused_rms_norm_ext):
        found, inverse = norm(x, scale)
        wanted = F.fused_rms_norm(x, scale, None, 1e-5, 2)[0]
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-5)
        assert inverse.shape == [6]
    with pytest.raises(ValueError, match=r"have 12 elements, but received 4 numbers"):
        F.fused_layer_norm(x, scale, None, 1e-5)
    with pytest.raises(NotImplementedError, match="quant_scale, for integers"):
        F.fused_layer_norm(x, scale, None, 1e-5, quant_scale=0.5)


def test_a_norm_of_a_sum_has_gradients():
    x, scale = paddle.randn([2, 4]), paddle.rand([4])
    x.stop_gradient = False
    F.fused_layer_norm(x, scale, None, 1e-5, 0.5, residual=paddle.ones([2, 4]))[0][0, 0].backward()
    found, x.grad = x.grad, None
    plain.layer_norm(x + 0.5, [4], scale)[0, 0].backward()
    np.testing.assert_allclose(found.numpy(), x.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_activations_of_a_sum():
    x, bias = paddle.randn([3, 4]), paddle.rand([4])
    for name in ("gelu", "relu", "silu"):
        wanted = getattr(plain, name)(x + bias)
        np.testing.assert_allclose(F.fused_bias_act(x, bias, act_method=name), wanted, rtol=1e-5)
    gate, value = (x + bias).chunk(2, -1)
    found = F.fused_bias_act(x, bias, act_method="geglu")
    np.testing.assert_allclose(found, plain.gelu(gate) * value, rtol=1e-5)
    found = F.fused_bias_act(x, shift=bias, smooth=bias, act_method="relu")
    np.testing.assert_allclose(found, (plain.relu(x) + bias) * bias, rtol=1e-5)
    integers = paddle.to_tensor([[2, -4]], "int32")
    found = F.fused_bias_act(integers, None, paddle.to_tensor([0.5, 0.25]), act_method="relu")
    assert found.tolist() == [[1.0, 0.0]]
    with pytest.raises(ValueError, match=r"the activation is one of gelu, relu.* received 'tanh'"):
        F.fused_bias_act(x, act_method="tanh")
    with pytest.raises(NotImplementedError, match="quant_scale, for integers"):
        F.fused_bias_act(x, quant_scale=1.0)


def test_functions_of_experts_follow_paddles_formulas():
    """The losses are those of Paddle's own formula, which is separate from its GPU kernel."""
    logits = np.random.RandomState(0).randn(4, 3).astype("float32")
    shares = plain.softmax(paddle.to_tensor(logits))
    given = paddle.to_tensor([1, 2, 1])
    some, everywhere = paddle.to_tensor([1, 1, 0, 1]), paddle.to_tensor([1, 1, 0, 1, 1, 1])
    loss, count, share = F.cal_aux_loss(shares, given, None, None, 3, False, 2, 1e-6)
    assert (round(loss.item(), 5), count.item(), share.tolist()) == (
        0.92094,
        4.0,
        [0.25, 0.5, 0.25],
    )
    loss, count, _ = F.cal_aux_loss(shares, given, some, None, 3, True, 2, 1e-6)
    assert (round(loss.item(), 5), count.item()) == (0.81862, 3.0)
    loss, count, _ = F.cal_aux_loss(shares, given, some, everywhere, 3, True, 2, 1e-6)
    assert (round(loss.item(), 5), count.item()) == (0.49117, 5.0)
    rows = paddle.to_tensor([[1, 2], [2, 5]])
    assert F.int_bincount(rows, 1, 4, "int32").tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match=r"high \(1\) must not be less than low \(2\)"):
        F.int_bincount(rows, 2, 1)
    x, weights = paddle.randn([4, 2]), paddle.rand([3, 2])
    places = paddle.to_tensor([[0, 1, 2], [3, 2, 1]], "int32")
    wanted = x.numpy()[places.numpy()] * weights.numpy().T[..., None]
    np.testing.assert_allclose(F.moe_combine(x, weights, places), wanted.sum(0), rtol=1e-5)


def test_gradients_by_hand():
    table = paddle.rand([4, 2])
    table.stop_gradient = False
    rows = paddle.to_tensor([[1, 3], [1, 0]])
    looked_up = plain.embedding(rows, table)
    (looked_up * looked_up).sum().backward()
    total = paddle.zeros([4, 2])
    assert F.embedding_grad_add_to_(rows, total, 2 * looked_up.detach()) is total
    np.testing.assert_allclose(total, table.grad, rtol=1e-6)
    logits = paddle.randn([3, 4])
    logits.stop_gradient = False
    labels, weight = paddle.to_tensor([[0], [3], [1]]), paddle.rand([3, 1])
    (plain.cross_entropy(logits, labels, reduction="none") * weight).sum().backward()
    found = F.cross_entropy_with_softmax_bwd_w_downcast(
        labels, plain.softmax(logits).detach(), weight
    )
    assert found.dtype == paddle.bfloat16
    np.testing.assert_allclose(found.astype("float32"), logits.grad, rtol=1e-2, atol=1e-3)
    x, share, grad = paddle.randn([3, 4]), paddle.rand([3, 1]), paddle.randn([3, 2])
    x.stop_gradient = share.stop_gradient = False
    out = plain.swiglu(x) * share
    out.backward(grad)
    found = F.fused_swiglu_weighted_bwd(x.detach(), grad, share.detach())
    for each, wanted in zip(found, (x.grad, share.grad, out), strict=True):
        np.testing.assert_allclose(each, wanted.detach(), rtol=1e-4, atol=1e-5)
