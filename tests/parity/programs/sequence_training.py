"""Models of sequences trained from the same weights: the curves agree to 1e-4. And their caches."""

from ..probe import array, leaf
from ..registry import program

CURVES = {
    "rtol": 1e-4,
    "reason": "float32 rounding of whole steps adds up; 1e-4 is what the project promises",
}


def _fill(np, layer, seed=51, scale=0.3):
    """Gives every parameter its values, by place and shape; those of norms stay as they are."""
    r = np.random.default_rng(seed)
    for name, parameter in layer.named_parameters():
        if "norm" not in name:
            parameter.set_value((r.normal(size=parameter.shape) * scale).astype("float32"))
    return layer


def _tagger(paddle):
    """Returns a tagger's class: embedding, LSTM in both directions, linear layer."""
    nn = paddle.nn

    class Tagger(nn.Layer):
        def __init__(self, words, tags):
            super().__init__()
            self.embed = nn.Embedding(words, 8)
            self.lstm = nn.LSTM(8, 6, direction="bidirect")
            self.linear = nn.Linear(12, tags)

        def forward(self, words, lengths):
            return self.linear(self.lstm(self.embed(words), sequence_length=lengths)[0])

    return Tagger


@program(**CURVES)
def training_a_tagger(paddle, np):
    """20 steps of a bidirectional LSTM tagger: lengths, ignored padding, clipping, Adam."""
    net = _fill(np, _tagger(paddle)(20, 5))
    optimizer = paddle.optimizer.Adam(
        0.02, parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)
    )
    r, losses = np.random.default_rng(52), []
    for _ in range(20):
        words, lengths = r.integers(0, 20, (4, 7)), r.integers(1, 8, 4)
        tags = np.where(np.arange(7) < lengths[:, None], words % 5, -100)
        logits = net(paddle.to_tensor(words), paddle.to_tensor(lengths))
        loss = paddle.nn.functional.cross_entropy(
            logits.reshape([-1, 5]), paddle.to_tensor(tags.reshape(-1)), ignore_index=-100
        )
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return [losses, losses[-1] < losses[0], net.lstm.weight_hh_l0_reverse.numpy()]


@program(**CURVES)
def training_gated_units(paddle, np):
    """20 steps of two GRU layers that remember a first input, SGD with momentum."""
    nn = paddle.nn
    gru, linear = nn.GRU(2, 6, num_layers=2, time_major=True), nn.Linear(6, 1)
    net = _fill(np, nn.LayerList([gru, linear]))
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters())
    r, losses = np.random.default_rng(53), []
    for _ in range(20):
        x = r.normal(size=(6, 5, 2)).astype("float32")
        _, state = gru(paddle.to_tensor(x))
        loss = nn.functional.mse_loss(linear(state[-1]), paddle.to_tensor(x[0, :, :1]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return [losses, [p.numpy() for p in linear.parameters()]]


@program(**CURVES)
def training_a_whole_transformer(paddle, np):
    """20 steps of a 2-layer nn.Transformer that copies, AdamW with a warm-up."""
    nn = paddle.nn
    embed, linear = nn.Embedding(11, 8), nn.Linear(8, 11)
    transformer = nn.Transformer(8, 2, 2, 2, 16, dropout=0.0)
    net = _fill(np, nn.LayerList([embed, transformer, linear]))
    rate = paddle.optimizer.lr.LinearWarmup(
        paddle.optimizer.lr.NoamDecay(8, 10, learning_rate=0.5), 5, 0.001, 0.02
    )
    optimizer = paddle.optimizer.AdamW(
        rate, parameters=net.parameters(), weight_decay=0.01,
        apply_decay_param_fun=lambda name: ".b_" not in name,
    )  # fmt: skip
    mask = transformer.generate_square_subsequent_mask(5)
    r, losses = np.random.default_rng(54), []
    for _ in range(20):
        words = r.integers(1, 11, (4, 5))
        before = np.concatenate([np.zeros((4, 1), words.dtype), words[:, :-1]], 1)
        out = transformer(
            embed(paddle.to_tensor(words)), embed(paddle.to_tensor(before)), tgt_mask=mask
        )
        loss = nn.functional.cross_entropy(linear(out), paddle.to_tensor(words))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        rate.step()
        losses.append(float(loss))
    return [losses, losses[-1] < losses[0], optimizer.get_lr(), linear.bias.numpy()]


@program(**CURVES)
def training_an_encoder(paddle, np):
    """20 steps of a 2-layer encoder, normalized before, with a padding mask and AdamW."""
    nn = paddle.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu",
                                       normalize_before=True)  # fmt: skip
    encoder, linear = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8)), nn.Linear(8, 3)
    net = _fill(np, nn.LayerList([encoder, linear]))
    optimizer = paddle.optimizer.AdamW(0.01, parameters=net.parameters())
    r, losses = np.random.default_rng(55), []
    for _ in range(20):
        x, lengths = r.normal(size=(4, 6, 8)).astype("float32"), r.integers(2, 7, 4)
        seen = (np.arange(6) < lengths[:, None]).reshape(4, 1, 1, 6)
        out = linear(encoder(paddle.to_tensor(x), paddle.to_tensor(seen)))
        label = (x.sum(-1) > 0) + (x[..., 0] > 0).astype("int64")
        loss = nn.functional.cross_entropy(out, paddle.to_tensor(label))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return [losses, losses[-1] < losses[0]]


# ---- caches of attention


def _attention(paddle, np, **more):
    layer = paddle.nn.MultiHeadAttention(8, 2, **more)
    return _fill(np, layer)


def _draw(np, *shape, seed=56):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@program
def attention_caches(paddle, np):
    """gen_cache in its three forms, Cache and StaticCache in calls, need_weights."""
    layer = _attention(paddle, np, need_weights=True)
    x, memory = paddle.to_tensor(_draw(np, 2, 3, 8)), paddle.to_tensor(_draw(np, 2, 5, 8, seed=1))
    empty = layer.gen_cache(x)
    static = layer.gen_cache(memory, memory, type=layer.StaticCache)
    given = layer.gen_cache(static.k, static.v)
    found = {
        "types": [type(c).__name__ for c in (empty, static, given)],
        "fields": [empty._fields, static._fields],
        "empty": [list(t.shape) for t in empty],
        "static": [t.numpy() for t in static],
        "given": [t.numpy() for t in given],
    }
    steps, cache = [], empty
    for number in range(3):
        out, weights, cache = layer(x[:, number : number + 1], cache=cache)
        steps += [out.numpy(), weights.numpy(), list(cache.k.shape)]
    found["steps"] = steps
    found["with static"] = [t.numpy() for t in layer(x, memory, memory, None, static)[:2]]
    return found


@program
def attention_masks_and_gradients(paddle, np):
    """Masks of three dtypes, keys of their own width, every gradient."""
    layer = _attention(paddle, np, kdim=4, vdim=6)
    q, k, v = (leaf(paddle, _draw(np, 2, n, w, seed=n)) for n, w in ((3, 8), (5, 4), (5, 6)))
    masks = {
        "bool": paddle.to_tensor(np.arange(5)[None, None, None] < 3),
        "int": paddle.to_tensor((np.arange(5) < 4).astype("int64").reshape(1, 1, 1, 5)),
        "float": paddle.to_tensor(_draw(np, 2, 2, 3, 5)),
    }
    found = {}
    for text, mask in masks.items():
        out = layer(q, k, v, mask)
        (out * out).sum().backward()
        found[text] = [out.numpy(), *[array(t.grad) for t in (q, k, v, *layer.parameters())]]
        for tensor in (q, k, v, *layer.parameters()):
            tensor.clear_gradient()
    return found


@program(rtol=1e-4, reason="five layer norms in float32 one after the other")
def decoder_with_a_cache(paddle, np):
    """A TransformerDecoder step by step with its caches, and all at once with a mask."""
    nn = paddle.nn
    layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0)
    decoder = _fill(np, nn.TransformerDecoder(layer, 2, norm=nn.LayerNorm(8)))
    memory, x = paddle.to_tensor(_draw(np, 2, 4, 8)), paddle.to_tensor(_draw(np, 2, 3, 8, seed=2))
    mask = nn.Transformer(8, 2, 1, 1, 8).generate_square_subsequent_mask(3)
    whole = decoder(x, memory, tgt_mask=mask)
    found = {"mask": mask.numpy(), "whole": whole.numpy()}
    for text, zipped in (("layers", False), ("zipped", True)):
        cache = decoder.gen_cache(memory, do_zip=zipped)
        found[text] = [len(cache), [[type(c).__name__ for c in pair] for pair in cache]]
    steps, cache = [], decoder.gen_cache(memory)
    for number in range(3):
        out, cache = decoder(x[:, number : number + 1], memory, cache=cache)
        steps.append(out.numpy())
    found["steps"] = steps
    found["lengths"] = [list(pair[0].k.shape) for pair in cache]
    found["close"] = bool(np.allclose(np.concatenate(steps, 1), whole.numpy(), atol=1e-4))
    return found


@program(rtol=1e-4, reason="layer norms in float32 one after the other")
def encoder_with_a_cache(paddle, np):
    """A TransformerEncoder with its caches."""
    nn = paddle.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, normalize_before=True)
    encoder = _fill(np, nn.TransformerEncoder(layer, 2))
    x = paddle.to_tensor(_draw(np, 2, 3, 8))
    cache, steps = encoder.gen_cache(x), []
    for number in range(3):
        out, cache = encoder(x[:, number : number + 1], cache=cache)
        steps.append(out.numpy())
    return [steps, [list(c.k.shape) for c in cache], [type(c).__name__ for c in cache]]
