"""incubate.nn's attention and feed-forward against plain layers and plain NumPy.

Real Paddle runs these on a GPU only, so there is no result to compare with on a CPU.
"""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.incubate.nn import (
    FusedFeedForward,
    FusedMultiHeadAttention,
    FusedMultiTransformer,
    FusedTransformerEncoderLayer,
)

F = paddle.incubate.nn.functional


def close(found, wanted, rtol=2e-5, atol=2e-6):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=rtol, atol=atol)


def plain_twin(fused: FusedTransformerEncoderLayer, before: bool):
    """Return a TransformerEncoderLayer with the weights of a fused one."""
    attention, ffn = fused.fused_attn, fused.ffn
    size, heads = attention.embed_dim, attention.num_heads
    plain = paddle.nn.TransformerEncoderLayer(
        size, heads, ffn._dim_feedforward, 0.0, normalize_before=before
    )
    names = "q_proj", "k_proj", "v_proj"
    for name, weight, bias in zip(names, attention.qkv_weight, attention.qkv_bias, strict=True):
        part = getattr(plain.self_attn, name)
        part.weight.set_value(weight.reshape([size, size]).T)
        part.bias.set_value(bias.flatten())
    plain.self_attn.out_proj.weight.set_value(attention.linear_weight)
    plain.self_attn.out_proj.bias.set_value(attention.linear_bias)
    plain.linear1.weight.set_value(ffn._linear1_weight)
    plain.linear2.weight.set_value(ffn._linear2_weight)
    plain.linear1.bias.set_value(ffn._linear1_bias)
    return plain


@pytest.mark.parametrize("before", [pytest.param(False, marks=pytest.mark.deep), True])
def test_an_encoder_layer_is_that_of_plain_layers(before):
    fused = FusedTransformerEncoderLayer(8, 2, 12, 0.0, normalize_before=before)
    for bias in (fused.fused_attn.qkv_bias, fused.fused_attn.linear_bias, fused.ffn._linear1_bias):
        bias.set_value(paddle.randn(bias.shape))
    plain = plain_twin(fused, before)
    x = paddle.randn([2, 3, 8])
    mask = paddle.to_tensor(np.tril(np.ones([3, 3], bool)))
    found, wanted = fused(x, mask), plain(x, mask)
    close(found, wanted)
    (found * found).sum().backward()
    (wanted * wanted).sum().backward()
    close(fused.fused_attn.linear_weight.grad, plain.self_attn.out_proj.weight.grad, 1e-4, 1e-4)
    close(fused.ffn._linear1_weight.grad, plain.linear1.weight.grad, 1e-4, 1e-4)
    query = plain.self_attn.q_proj.weight.grad
    close(fused.fused_attn.qkv_weight.grad[0].reshape([8, 8]).T, query, 1e-3, 1e-4)


def test_a_plain_matrix_of_queries_keys_and_values():
    one, other = (FusedMultiHeadAttention(8, 2, 0.0, 0.0, transpose_qkv_wb=b) for b in (0, 1))
    other.qkv_weight.set_value(one.qkv_weight.reshape([24, 8]).T)
    other.linear_weight.set_value(one.linear_weight)
    x = paddle.randn([2, 3, 8])
    close(one(x), other(x))
    assert "embed_dim=8, num_heads=2, dropout_rate=0.0" in str(one)


def test_attention_continues_from_a_cache():
    layer = FusedMultiHeadAttention(8, 2, 0.0, 0.0)
    x = paddle.randn([2, 3, 8])
    mask = paddle.to_tensor(np.tril(np.ones([3, 3], bool)))
    wanted = layer(x, attn_mask=mask)
    cache = paddle.zeros([2, 2, 2, 0, 4])
    for at in range(3):
        found, cache = layer(x[:, at : at + 1], cache=cache)
        close(found[:, 0], wanted[:, at])
    assert cache.shape == [2, 2, 2, 3, 4]


def test_dropout_only_in_training():
    layer = FusedFeedForward(8, 12, 0.5, act_dropout_rate=0.3)
    x = paddle.randn([1, 3, 8])
    assert not np.allclose(layer(x), layer(x))
    layer.eval()
    close(layer(x), layer(x))
    assert "act_dropout_rate=0.3" in str(layer)


def test_fused_layers_refuse_invalid_arguments():
    x, weight = paddle.ones([1, 2, 4]), paddle.ones([3, 2, 2, 4])
    attend = F.fused_multi_head_attention
    with pytest.raises(ValueError, match="mode is 'downscale_in_infer'"):
        attend(x, weight, paddle.eye(4), mode="up")
    with pytest.raises(ValueError, match=r"between 0 and 1, but received 2\."):
        attend(x, weight, paddle.eye(4), dropout_rate=2.0)
    with pytest.raises(TypeError, match="a dropout rate is a number"):
        F.fused_feedforward(x, paddle.eye(4), paddle.eye(4), dropout1_rate="0")
    with pytest.raises(ValueError, match="rank of the x should be 3"):
        attend(x[0], weight, paddle.eye(4))
    with pytest.raises(ValueError, match=r"qkv_weight has the shape .* received \[3, 2, 2, 5\]"):
        attend(x, paddle.ones([3, 2, 2, 5]), paddle.eye(4))
    with pytest.raises(ValueError, match="with transpose_qkv_wb, give num_heads"):
        attend(x, paddle.ones([4, 12]), paddle.eye(4), transpose_qkv_wb=True)
    with pytest.raises(AssertionError, match="embed_dim must be divisible"):
        FusedMultiHeadAttention(5, 2)
    with pytest.raises(AssertionError, match="greater than 0, but received -1"):
        FusedMultiTransformer(4, 2, 8)


def made(activation="gelu", **options):
    """Return a layer of two layers, with biases."""
    biases = {f"{n}_bias_attrs": paddle.ParamAttr() for n in "ln qkv linear ffn1 ffn2".split()}
    layer = FusedMultiTransformer(
        8, 4, 12, num_layers=2, activation=activation, **biases, **options
    )
    for each in layer.parameters():
        each.set_value(np.random.normal(size=each.shape).astype("float32") * 0.4)
    layer.eval()
    return layer


@pytest.mark.parametrize(
    "options",
    [
        {"norm_type": "rmsnorm", "activation": "swiglu", "gqa_group_size": 2},
        pytest.param({}, marks=pytest.mark.deep),
        pytest.param({"normalize_before": False, "residual_alpha": 0.5}, marks=pytest.mark.deep),
        pytest.param({"trans_qkvw": False, "activation": "relu"}, marks=pytest.mark.deep),
    ],
)
def test_layers_give_step_by_step_what_they_give_at_once(options):
    layer = made(**options)
    x = paddle.randn([2, 4, 8])
    mask = paddle.to_tensor(np.triu(np.full([4, 4], -1e9, "float32"), 1))
    wanted = layer(x, mask)
    heads = options.get("gqa_group_size", 4)
    caches = [paddle.zeros([2, 2, heads, 4, 2]) for _ in range(2)]
    found, caches = layer(x[:, :2], mask[:2, :2], caches)
    close(found, wanted[:, :2], 1e-4, 1e-5)
    for at in range(2, 4):
        found, caches = layer(x[:, at : at + 1], caches=caches, time_step=paddle.to_tensor([at]))
        close(found[:, 0], wanted[:, at], 1e-4, 1e-5)


def test_several_layers_are_those_of_encoder_layers():
    layer = FusedMultiTransformer(8, 2, 12, num_layers=1, activation="relu")
    plain = paddle.nn.TransformerEncoderLayer(
        8, 2, 12, 0.0, activation="relu", normalize_before=True, bias_attr=False
    )
    names = "q_proj", "k_proj", "v_proj"
    for name, weight in zip(names, layer.qkv_weights[0], strict=True):
        getattr(plain.self_attn, name).weight.set_value(weight.reshape([8, 8]).T)
    plain.self_attn.out_proj.weight.set_value(layer.linear_weights[0])
    plain.linear1.weight.set_value(layer.ffn1_weights[0])
    plain.linear2.weight.set_value(layer.ffn2_weights[0])
    x = paddle.randn([2, 3, 8])
    close(layer(x), plain(x))
    assert len(layer.parameters()) == 6
    assert layer.qkv_biases is None


def test_positions_beyond_a_sequence_are_not_seen():
    layer, x = made(), paddle.randn([2, 4, 8])
    found = layer(x, seq_lens=paddle.to_tensor([2, 4], "int32"))
    close(found[0, :2], layer(x[:1, :2])[0], 1e-4, 1e-5)
    close(found[1], layer(x)[1], 1e-4, 1e-5)
    shifted = [paddle.zeros([2, 2, 4, 1, 2]) - 1e9] * 2
    assert layer(x, pre_caches=shifted).shape == [2, 4, 8]
    with pytest.raises(NotImplementedError, match="beam_offset and rotary_emb_dims=2"):
        layer(x, rotary_emb_dims=2)
    with pytest.raises(ValueError, match="2 layers need as many caches, but received 1"):
        layer(x, caches=[x])


def angles(length: int, size: int):
    """Return the angle of each position and pair, float[length, size / 2]."""
    return np.outer(np.arange(length), 10000.0 ** (-np.arange(0, size, 2) / size))


def test_rotary_embeddings_are_turned_complex_numbers():
    x = np.random.default_rng(0).normal(size=[2, 3, 2, 4])
    turn = np.exp(1j * angles(3, 4))[None, :, None]
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
    wanted = np.stack([pairs.real, pairs.imag], -1).reshape(x.shape)
    tensor = paddle.to_tensor(x)
    found, none, also = F.fused_rotary_position_embedding(tensor, None, tensor)
    assert none is None
    close(found, wanted)
    close(also, wanted)
    found = F.fused_rotary_position_embedding(tensor.transpose([1, 0, 2, 3]), time_major=True)[0]
    close(found.transpose([1, 0, 2, 3]), wanted)
    halves = (x[..., :2] + 1j * x[..., 2:]) * turn
    both = np.concatenate([angles(3, 4)] * 2, -1)
    sin, cos = paddle.to_tensor(np.sin(both)), paddle.to_tensor(np.cos(both))
    found = F.fused_rotary_position_embedding(
        tensor, sin=sin, cos=cos, use_neox_rotary_style=False
    )[0]
    close(found, np.concatenate([halves.real, halves.imag], -1))
    places = paddle.to_tensor([[0, 1, 2], [2, 1, 0]])
    found = F.fused_rotary_position_embedding(
        tensor, sin=sin, cos=cos, position_ids=places, use_neox_rotary_style=False
    )[0]
    close(found[0], np.concatenate([halves.real, halves.imag], -1)[0])
    close(found[1, 2], x[1, 2])
    with pytest.raises(ValueError, match="give sin and cos with position_ids"):
        F.fused_rotary_position_embedding(tensor, position_ids=places)


def softmaxed(q, k, v):
    """Return the attention of one head in plain NumPy."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize("by", ["src_mask", "sequence_lengths"])
def test_masked_attention_appends_a_position_to_its_cache(by):
    rng = np.random.default_rng(1)
    x, kept = rng.normal(size=[2, 16]), rng.normal(size=[2, 2, 2, 5, 2])
    bias = rng.normal(size=[16])
    lengths = {
        "src_mask": paddle.zeros([2, 1, 1, 4], "float64"),
        "sequence_lengths": paddle.to_tensor([[3], [3]], "int32"),
    }
    cache = paddle.to_tensor(kept)
    found, same = F.masked_multihead_attention(
        paddle.to_tensor(x), cache, paddle.to_tensor(bias), **{by: lengths[by]}
    )
    assert same is cache
    split = (x + bias).reshape([2, 8, 2])
    for batch in range(2):
        for head in range(4):
            k, v = kept[:, batch, head // 2].copy()
            k[3], v[3] = split[batch, 4 + head // 2], split[batch, 6 + head // 2]
            wanted = softmaxed(split[batch, head : head + 1], k[:4], v[:4])[0]
            close(found[batch, 2 * head : 2 * head + 2], wanted)
            close(same[0, batch, head // 2, :4], k[:4])
    with pytest.raises(NotImplementedError, match="out_scale is not there"):
        F.masked_multihead_attention(paddle.to_tensor(x), cache, out_scale=1.0)
    with pytest.raises(ValueError, match="needs cache_kv"):
        F.masked_multihead_attention(paddle.to_tensor(x))
    with pytest.raises(ValueError, match="needs src_mask or sequence_lengths"):
        F.masked_multihead_attention(paddle.to_tensor(x), cache)


@pytest.mark.parametrize("causal", [False, True])
def test_sequences_of_several_lengths(causal):
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=[3, 2, 2, 4, 2])
    lengths = paddle.to_tensor([[2], [4]], "int32")
    attend = F.variable_length_memory_efficient_attention
    found = attend(*map(paddle.to_tensor, (q, k, v)), lengths, lengths, causal=causal)
    assert found[0, :, 2:].abs().max().item() == 0.0
    for batch, count in enumerate((2, 4)):
        for row in range(count):
            end = row + 1 if causal else count
            wanted = softmaxed(q[batch, 1, row : row + 1], k[batch, 1, :end], v[batch, 1, :end])
            close(found[batch, 1, row], wanted[0])
    x = paddle.to_tensor(q)
    close(
        F.fused_dot_product_attention(x, x, x, is_causal=causal),
        paddle.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=causal),
    )


def test_positions_beyond_the_lengths_have_no_influence():
    x = np.random.default_rng(3).normal(size=[2, 2, 4, 8]).astype("float32")
    filled = x.copy()
    filled[0, :, 3:], filled[1, :, 2:] = np.nan, np.inf
    lengths = paddle.to_tensor([[3], [2]], "int32")
    attend = F.variable_length_memory_efficient_attention
    found = []
    for values in (x, filled):
        tensor = paddle.to_tensor(values, stop_gradient=False)
        out = attend(tensor, tensor, tensor, lengths, lengths)
        out.sum().backward()
        found.append((out.numpy(), tensor.grad.numpy()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
