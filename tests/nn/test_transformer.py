"""MultiHeadAttention and the transformer layers, compared with the same sums in NumPy."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn


def random(*shape, seed=0):
    rng = np.random.default_rng(seed + sum(shape))
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))


def project(layer, x):
    return x @ layer.weight.numpy().astype("float64") + layer.bias.numpy()


def attention(layer, q, k, v, mask=0.0):
    """Return the output of MultiHeadAttention in float64."""

    def heads(x):
        return x.reshape(*x.shape[:2], layer.num_heads, layer.head_dim).swapaxes(1, 2)

    q, k, v = (
        heads(project(p, x)) for p, x in ((layer.q_proj, q), (layer.k_proj, k), (layer.v_proj, v))
    )
    scores = q @ k.swapaxes(2, 3) / np.sqrt(layer.head_dim) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    joined = (weights @ v).swapaxes(1, 2).reshape(q.shape[0], q.shape[2], layer.embed_dim)
    return project(layer.out_proj, joined), weights


def normalise(layer, x):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + layer._epsilon)
    return scaled * layer.weight.numpy() + layer.bias.numpy()


def encode(layer, x):
    """Return the output of TransformerEncoderLayer in evaluation mode, normalised after."""
    x = normalise(layer.norm1, x + attention(layer.self_attn, x, x, x)[0])
    hidden = np.maximum(project(layer.linear1, x), 0)
    return normalise(layer.norm2, x + project(layer.linear2, hidden))


def close(got, expected):
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.fixture
def layer():
    return nn.MultiHeadAttention(8, 2)


def test_self_attention(layer):
    x = random(2, 3, 8)
    close(layer(x), attention(layer, *[x.numpy()] * 3)[0])


def test_attention_over_another_sequence():
    layer = nn.MultiHeadAttention(8, 4, kdim=6, vdim=4, need_weights=True)
    q, k, v = random(2, 3, 8), random(2, 5, 6), random(2, 5, 4)
    output, weights = layer(q, k, v)
    expected = attention(layer, q.numpy(), k.numpy(), v.numpy())
    close(output, expected[0])
    close(weights, expected[1])


def test_keys_of_the_state(layer):
    assert list(layer.state_dict()) == [
        f"{name}.{part}"
        for name in ("q_proj", "k_proj", "v_proj", "out_proj")
        for part in ("weight", "bias")
    ]


def test_masks_agree(layer):
    x = random(2, 3, 8)
    allowed = np.tril(np.ones([3, 3], bool))
    expected = attention(layer, *[x.numpy()] * 3, np.where(allowed, 0.0, -1e9))[0]
    additive = np.where(allowed, 0.0, -1e9)
    for mask in (
        allowed,
        allowed.astype("int64"),
        allowed.astype("int32"),
        additive.astype("float32"),
        additive,
        np.broadcast_to(allowed, [2, 2, 3, 3]),
    ):
        close(layer(x, attn_mask=paddle.to_tensor(mask)), expected)


def test_a_cache_gives_what_the_whole_sequence_gives(layer):
    x = random(2, 4, 8)
    mask = paddle.to_tensor(np.tril(np.ones([4, 4], bool)))
    whole = layer(x, attn_mask=mask).numpy()
    cache = layer.gen_cache(x)
    assert cache.k.shape == [2, 2, 0, 4]
    for step in range(4):
        output, cache = layer(x[:, step : step + 1], cache=cache)
        np.testing.assert_allclose(output.numpy()[:, 0], whole[:, step], rtol=1e-4, atol=1e-5)
    assert cache.k.shape == [2, 2, 4, 4]
    assert isinstance(cache, nn.MultiHeadAttention.Cache)


def test_a_static_cache_holds_the_memory(layer):
    x, memory = random(2, 3, 8), random(2, 5, 8)
    cache = layer.gen_cache(memory, type=nn.MultiHeadAttention.StaticCache)
    output, same = layer(x, memory, memory, None, cache)
    assert same is cache
    close(output, attention(layer, x.numpy(), memory.numpy(), memory.numpy())[0])


def test_dropout_only_in_training():
    layer, x = nn.MultiHeadAttention(8, 2, dropout=0.9), random(2, 3, 8)
    expected = attention(layer, *[x.numpy()] * 3)[0]
    assert not np.allclose(layer(x).numpy(), expected)
    close(layer.eval()(x), expected)


def test_gradients_reach_every_parameter(layer):
    layer(random(2, 3, 8)).sum().backward()
    assert all(p.grad.shape == p.shape for p in layer.parameters())


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: nn.MultiHeadAttention(8, 3), "embed_dim must be divisible by num_heads"),
        (lambda: nn.MultiHeadAttention(0, 3), "Expected embed_dim to be greater than 0"),
        (lambda: nn.TransformerEncoderLayer(0, 2, 16), "Expected d_model to be greater than 0"),
        (lambda: nn.TransformerEncoderLayer(8, 0, 16), "Expected nhead to be greater than 0"),
        (lambda: nn.TransformerEncoderLayer(8, 2, 0), "Expected dim_feedforward to be greater"),
        (lambda: nn.TransformerEncoderLayer(8, 2, 16, activation="foo"), "no activation 'foo'"),
        (lambda: nn.TransformerDecoderLayer(8, 2, 16, bias_attr=[False, None]), "should be 3"),
        (lambda: nn.Transformer(8, 2, 1, 1, 16, bias_attr=[None] * 5), "should be 1 or 2 or 3"),
    ],
)
def test_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_encoder_layer():
    layer, x = nn.TransformerEncoderLayer(8, 2, 16).eval(), random(2, 3, 8)
    close(layer(x), encode(layer, x.numpy()))


def test_encoder_layer_that_normalises_before():
    layer = nn.TransformerEncoderLayer(8, 2, 16, activation="tanh", normalize_before=True).eval()
    x = random(2, 3, 8).numpy().astype("float64")
    y = normalise(layer.norm1, x)
    x1 = x + attention(layer.self_attn, y, y, y)[0]
    hidden = np.tanh(project(layer.linear1, normalise(layer.norm2, x1)))
    close(layer(paddle.to_tensor(x, "float32")), x1 + project(layer.linear2, hidden))


def test_encoder_is_a_stack_of_fresh_layers():
    first = nn.TransformerEncoderLayer(8, 2, 16)
    encoder = nn.TransformerEncoder(first, 2, nn.LayerNorm(8)).eval()
    assert encoder.layers[0] is first
    one, two = encoder.layers[0].linear1.weight, encoder.layers[1].linear1.weight
    assert not np.allclose(one.numpy(), two.numpy())
    x = random(2, 3, 8).numpy()
    for layer in encoder.layers:
        x = encode(layer, x)
    close(encoder(random(2, 3, 8)), normalise(encoder.norm, x))


@pytest.mark.deep
def test_encoder_with_caches():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2).eval()
    x = random(2, 3, 8)
    causal = paddle.to_tensor(np.tril(np.ones([3, 3], bool)))
    whole, caches = encoder(x, causal).numpy(), encoder.gen_cache(x)
    for step in range(3):
        output, caches = encoder(x[:, step : step + 1], cache=caches)
        np.testing.assert_allclose(output.numpy()[:, 0], whole[:, step], rtol=1e-4, atol=1e-5)


def test_decoder_layer():
    layer = nn.TransformerDecoderLayer(8, 2, 16).eval()
    tgt, memory = random(2, 3, 8), random(2, 5, 8)
    x, m = tgt.numpy(), memory.numpy()
    x = normalise(layer.norm1, x + attention(layer.self_attn, x, x, x)[0])
    x = normalise(layer.norm2, x + attention(layer.cross_attn, x, m, m)[0])
    hidden = np.maximum(project(layer.linear1, x), 0)
    expected = normalise(layer.norm3, x + project(layer.linear2, hidden))
    close(layer(tgt, memory), expected)


def test_decoder_with_caches():
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2, nn.LayerNorm(8))
    decoder.eval()
    tgt, memory = random(2, 3, 8), random(2, 5, 8)
    causal = paddle.to_tensor(np.tril(np.ones([3, 3], bool)))
    whole, caches = decoder(tgt, memory, causal).numpy(), decoder.gen_cache(memory)
    for step in range(3):
        output, caches = decoder(tgt[:, step : step + 1], memory, cache=caches)
        np.testing.assert_allclose(output.numpy()[:, 0], whole[:, step], rtol=1e-4, atol=1e-5)
    zipped = decoder.gen_cache(memory, do_zip=True)
    assert [type(cache).__name__ for cache, _ in zipped] == ["Cache", "StaticCache"]


def test_transformer():
    model = nn.Transformer(8, 2, 1, 1, 16).eval()
    src, tgt = random(2, 5, 8), random(2, 3, 8)
    mask = model.generate_square_subsequent_mask(3)
    expected = model.decoder(tgt, model.encoder(src), mask)
    np.testing.assert_array_equal(model(src, tgt, tgt_mask=mask).numpy(), expected.numpy())
    assert mask.tolist()[0] == [0.0, -np.inf, -np.inf]
    model.train()(src, tgt).sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    assert isinstance(nn.Transformer(8, 2, custom_encoder=nn.ReLU()).encoder, nn.ReLU)


def without_bias(layer):
    """Return which of the projections and linear layers have no bias."""
    return [name for name, part in layer.named_sublayers() if getattr(part, "bias", 0) is None]


SELF = [f"self_attn.{name}_proj" for name in ("q", "k", "v", "out")]
CROSS = [f"cross_attn.{name}_proj" for name in ("q", "k", "v", "out")]
LINEAR = ["linear1", "linear2"]


@pytest.mark.parametrize(
    ("bias_attr", "encoder", "decoder"),
    [
        (False, SELF + LINEAR, SELF + CROSS + LINEAR),
        ([False], SELF + LINEAR, SELF + CROSS + LINEAR),
        ([False, None], SELF, SELF + CROSS),
        ([False, None, None], SELF, SELF),
        ([None, None, False], LINEAR, LINEAR),
    ],
)
def test_attributes_of_a_transformers_parts(bias_attr, encoder, decoder):
    model = nn.Transformer(8, 2, 1, 1, 16, bias_attr=bias_attr)
    assert without_bias(model.encoder.layers[0]) == encoder
    assert without_bias(model.decoder.layers[0]) == decoder


def test_dropouts():
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, attn_dropout=0.2, act_dropout=0.3)
    assert (layer.dropout.p, layer.dropout1.p, layer.self_attn.dropout) == (0.3, 0.1, 0.2)
    layer = nn.TransformerDecoderLayer(8, 2, 16, 0.4)
    assert (layer.dropout.p, layer.dropout3.p, layer.cross_attn.dropout) == (0.4, 0.4, 0.4)
