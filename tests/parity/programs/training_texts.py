"""Models of texts and speech as public code writes them: twenty steps from the same weights."""

from ..probe import array
from ..registry import program
from ..training import set_weights, trained


def _words(np, shape, count, seed=3):
    return np.random.default_rng(seed).integers(1, count, shape)


def _seq2seq(paddle):
    """Return the classes of an attentive translator with an LSTM decoder."""
    nn, F = paddle.nn, paddle.nn.functional

    class Attention(nn.Layer):
        def __init__(self, size):
            super().__init__()
            self.inside = nn.Linear(size, size, bias_attr=False)
            self.outside = nn.Linear(2 * size, size, bias_attr=False)

        def forward(self, hidden, memory, padding):
            scores = paddle.matmul(self.inside(hidden).unsqueeze(1), memory, transpose_y=True)
            weights = F.softmax(scores + padding.unsqueeze(1), axis=-1)
            context = paddle.matmul(weights, memory).squeeze(1)
            return paddle.tanh(self.outside(paddle.concat([context, hidden], axis=1)))

    class Cell(nn.RNNCellBase):
        def __init__(self, size):
            super().__init__()
            self.cell = nn.LSTMCell(2 * size, size)
            self.attention = Attention(size)

        def forward(self, words, states, memory, padding):
            (hidden, carry), fed = states
            out, (hidden, carry) = self.cell(paddle.concat([words, fed], 1), (hidden, carry))
            fed = self.attention(out, memory, padding)
            return fed, [(hidden, carry), fed]

    class Translator(nn.Layer):
        def __init__(self, words, size):
            super().__init__()
            self.embed = nn.Embedding(words, size, padding_idx=0)
            self.encoder = nn.LSTM(size, size)
            self.cell = Cell(size)
            self.decoder = nn.RNN(self.cell)
            self.out = nn.Linear(size, words)

        def encode(self, source, lengths):
            memory, (hidden, carry) = self.encoder(self.embed(source), sequence_length=lengths)
            mask = F.sequence_mask(lengths, maxlen=source.shape[1], dtype="float32")
            return memory, (mask - 1.0) * 1e9, [(hidden[0], carry[0]), paddle.zeros_like(hidden[0])]

        def forward(self, source, lengths, target):
            memory, padding, states = self.encode(source, lengths)
            outs, _ = self.decoder(self.embed(target), states, memory=memory, padding=padding)
            return self.out(outs)

    return Translator


@program
def training_a_translator(paddle, np):
    """An LSTM with attention: masks by length, a custom cell, Adam with a clipped norm."""
    F = paddle.nn.functional
    model = set_weights(paddle, np, _seq2seq(paddle)(13, 8))
    optimizer = paddle.optimizer.Adam(
        0.01, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )
    lengths = np.array([5, 3, 4, 2])
    source = _words(np, (4, 5), 13) * (np.arange(5) < lengths[:, None])
    target = _words(np, (4, 6), 13, 4)

    def loss_of(_):
        logits = model(*map(paddle.to_tensor, (source, lengths, target[:, :-1])))
        labels = paddle.to_tensor(target[:, 1:]).unsqueeze(-1)
        each = F.softmax_with_cross_entropy(logits, labels)
        return each.mean(axis=0).sum()

    result = trained(optimizer, loss_of)
    return [result, array(model.embed.weight)[0], array(model.cell.cell.bias_ih)]


@program(is_deep=True)
def beam_search_of_a_trained_translator(paddle, np):
    """A decoder over beams: the words found after some steps of training."""
    nn, F = paddle.nn, paddle.nn.functional
    model = set_weights(paddle, np, _seq2seq(paddle)(9, 6))
    optimizer = paddle.optimizer.Adam(0.02, parameters=model.parameters())
    source, lengths = _words(np, (3, 4), 9), np.array([4, 4, 3])
    target = np.concatenate([np.ones((3, 1), int), source[:, ::-1]], axis=1)

    def loss_of(_):
        logits = model(*map(paddle.to_tensor, (source, lengths, target[:, :-1])))
        return F.cross_entropy(logits, paddle.to_tensor(target[:, 1:]))

    result = trained(optimizer, loss_of, 12)
    model.eval()
    decoder = nn.BeamSearchDecoder(
        model.cell, start_token=1, end_token=0, beam_size=3,
        embedding_fn=model.embed, output_fn=model.out,
    )  # fmt: skip
    tile = nn.BeamSearchDecoder.tile_beam_merge_with_batch
    with paddle.no_grad():
        memory, padding, states = model.encode(paddle.to_tensor(source), paddle.to_tensor(lengths))
        found, _ = nn.dynamic_decode(
            decoder, inits=states, max_step_num=5, memory=tile(memory, 3), padding=tile(padding, 3)
        )
    return [result, array(found)]


@program(is_deep=True)
def training_a_classifier_of_sentences(paddle, np):
    """Convolutions of three widths over words, max over time, dropout off, AdaDelta."""
    nn, F = paddle.nn, paddle.nn.functional

    class Sentences(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(30, 8)
            self.convs = nn.LayerList([nn.Conv1D(8, 4, width, padding=1) for width in (2, 3, 4)])
            self.drop = nn.Dropout(0.0)
            self.out = nn.Linear(12, 3)

        def forward(self, words):
            x = self.embed(words).transpose([0, 2, 1])
            x = [F.relu(conv(x)).max(axis=2) for conv in self.convs]
            return self.out(self.drop(paddle.concat(x, axis=-1)))

    model = set_weights(paddle, np, Sentences())
    optimizer = paddle.optimizer.Adadelta(1.0, parameters=model.parameters(), weight_decay=1e-3)
    words, labels = _words(np, (6, 9), 30), np.arange(6) % 3
    metric = paddle.metric.Accuracy()

    def loss_of(_):
        logits = model(paddle.to_tensor(words))
        metric.update(metric.compute(logits, paddle.to_tensor(labels[:, None])))
        return F.cross_entropy(logits, paddle.to_tensor(labels))

    return [trained(optimizer, loss_of), float(metric.accumulate())]


@program(is_deep=True)
def training_a_language_model_with_tied_words(paddle, np):
    """A GRU of two layers whose output is the table of words; states are carried on, detached."""
    nn, F = paddle.nn, paddle.nn.functional

    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(17, 8)
            self.gru = nn.GRU(8, 8, num_layers=2, time_major=True)
            self.bias = self.create_parameter([17], is_bias=True)

        def forward(self, words, state):
            out, state = self.gru(self.embed(words), state)
            return paddle.matmul(out, self.embed.weight, transpose_y=True) + self.bias, state

    model = set_weights(paddle, np, Tied())
    rate = paddle.optimizer.lr.NaturalExpDecay(0.5, gamma=0.1)
    optimizer = paddle.optimizer.SGD(
        rate, parameters=model.parameters(), grad_clip=nn.ClipGradByNorm(0.25)
    )
    text, state = _words(np, (61, 3), 17), paddle.zeros([2, 3, 8])

    def loss_of(step):
        nonlocal state
        at = step * 3
        logits, state = model(paddle.to_tensor(text[at : at + 3]), state.detach())
        rate.step()
        labels = paddle.to_tensor(text[at + 1 : at + 4].reshape(-1))
        return F.cross_entropy(logits.reshape([-1, 17]), labels)

    return [trained(optimizer, loss_of), array(state), rate.get_lr()]


@program(is_deep=True)
def training_an_encoder_with_masked_words(paddle, np):
    """TransformerEncoder, positions, padding, a loss on masked words alone, warm-up, AdamW."""
    nn, F = paddle.nn, paddle.nn.functional

    class Encoder(nn.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(23, 8), nn.Embedding(7, 8)
            layer = nn.TransformerEncoderLayer(
                8, 2, 16, dropout=0.0, activation="gelu", normalize_before=True
            )
            self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8))
            self.head = nn.Linear(8, 23)

        def forward(self, words, present):
            x = self.words(words) + self.places(paddle.arange(words.shape[1])).unsqueeze(0)
            mask = (1.0 - present.astype("float32")).unsqueeze([1, 2]) * -1e4
            return self.head(self.encoder(x, mask))

    model = set_weights(paddle, np, Encoder())
    names = {each.name for name, each in model.named_parameters() if "norm" in name}
    rate = paddle.optimizer.lr.LinearWarmup(
        paddle.optimizer.lr.PolynomialDecay(0.01, 20, 0.001), 5, 0.0, 0.01
    )
    optimizer = paddle.optimizer.AdamW(
        rate, parameters=model.parameters(), weight_decay=0.1,
        apply_decay_param_fun=lambda name: name not in names,
    )  # fmt: skip
    words = _words(np, (4, 7), 23)
    present = np.arange(7) < np.array([7, 5, 6, 4])[:, None]
    masked = present & (words % 3 == 0)

    def loss_of(_):
        logits = model(paddle.to_tensor(np.where(masked, 22, words)), paddle.to_tensor(present))
        labels = paddle.to_tensor(np.where(masked, words, -100))
        rate.step()
        return F.cross_entropy(logits, labels, ignore_index=-100)

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_a_transformer_that_translates(paddle, np):
    """nn.Transformer with its causal mask, smoothed labels and NoamDecay."""
    nn, F = paddle.nn, paddle.nn.functional

    class Translator(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(15, 8)
            self.transformer = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0)
            self.out = nn.Linear(8, 15)

        def forward(self, source, target):
            mask = self.transformer.generate_square_subsequent_mask(target.shape[1])
            x = self.transformer(self.embed(source), self.embed(target), tgt_mask=mask)
            return self.out(x)

    model = set_weights(paddle, np, Translator())
    rate = paddle.optimizer.lr.NoamDecay(d_model=8, warmup_steps=10, learning_rate=0.5)
    optimizer = paddle.optimizer.Adam(rate, beta2=0.98, epsilon=1e-9, parameters=model.parameters())
    source, target = _words(np, (3, 5), 15), _words(np, (3, 6), 15, 4)

    def loss_of(_):
        logits = model(paddle.to_tensor(source), paddle.to_tensor(target[:, :-1]))
        labels = F.label_smooth(F.one_hot(paddle.to_tensor(target[:, 1:]), 15), epsilon=0.1)
        rate.step()
        return F.cross_entropy(logits, labels, soft_label=True)

    return trained(optimizer, loss_of)


@program
def training_an_adapter_of_a_decoder_and_generating(paddle, np):
    """A decoder with rotary positions, RMS norm and gated units; only low-rank adapters learn."""
    nn, F = paddle.nn, paddle.nn.functional

    class Adapted(nn.Layer):
        def __init__(self, inside, outside, rank=2):
            super().__init__()
            self.weight = self.create_parameter([inside, outside])
            self.weight.stop_gradient = True
            self.lora_A = self.create_parameter([inside, rank])
            self.lora_B = self.create_parameter(
                [rank, outside], default_initializer=nn.initializer.Constant(0.0)
            )

        def forward(self, x):
            return F.linear(x, self.weight) + (x @ self.lora_A @ self.lora_B) * 2.0

    class Norm(nn.Layer):
        def __init__(self, size):
            super().__init__()
            self.weight = self.create_parameter(
                [size], default_initializer=nn.initializer.Constant(1.0)
            )

        def forward(self, x):
            variance = x.astype("float32").pow(2).mean(-1, keepdim=True)
            return paddle.rsqrt(variance + 1e-6) * x * self.weight

    def rotated(x, start):
        half = x.shape[-1] // 2
        rates = 1.0 / (100.0 ** (paddle.arange(half, dtype="float32") / half))
        angles = paddle.arange(start, start + x.shape[1], dtype="float32").unsqueeze(-1) * rates
        cos, sin = (f(angles)[None, :, None] for f in (paddle.cos, paddle.sin))
        first, second = paddle.chunk(x, 2, axis=-1)
        return paddle.concat([first * cos - second * sin, second * cos + first * sin], -1)

    class Decoder(nn.Layer):
        def __init__(self, size=8, heads=2):
            super().__init__()
            self.heads = heads
            self.embed, self.norm = nn.Embedding(19, size), Norm(size)
            self.qkv, self.out = Adapted(size, 3 * size), Adapted(size, size)
            self.gate, self.up = nn.Linear(size, 2 * size), nn.Linear(size, 2 * size)
            self.down, self.head = nn.Linear(2 * size, size), nn.Linear(size, 19)

        def forward(self, words, cache=None):
            x = self.embed(words)
            q, k, v = self.qkv(self.norm(x)).reshape([0, 0, 3, self.heads, -1]).unbind(2)
            start = 0 if cache is None else cache[0].shape[1]
            q, k = rotated(q, start), rotated(k, start)
            if cache is not None:
                k, v = (paddle.concat(pair, axis=1) for pair in zip(cache, (k, v), strict=True))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
            x = x + self.out(mixed.flatten(2))
            x = x + self.down(F.silu(self.gate(x)) * self.up(x))
            return self.head(x), (k, v)

    model = set_weights(paddle, np, Decoder())
    for name, each in model.named_parameters():
        each.stop_gradient = "lora" not in name
    learning = [each for each in model.parameters() if not each.stop_gradient]
    optimizer = paddle.optimizer.AdamW(0.02, parameters=learning)
    words = _words(np, (3, 8), 19)

    def loss_of(_):
        logits, _ = model(paddle.to_tensor(words[:, :-1]))
        return F.cross_entropy(logits, paddle.to_tensor(words[:, 1:]))

    result = trained(optimizer, loss_of)
    model.eval()
    with paddle.no_grad():
        logits, cache = model(paddle.to_tensor(words[:, :3]))
        found = [logits[:, -1].argmax(-1, keepdim=True)]
        for _ in range(4):
            logits, cache = model(found[-1], cache)
            found.append(logits[:, -1].argmax(-1, keepdim=True))
    return [result, len(learning), array(paddle.concat(found, axis=1))]


@program(is_deep=True)
def training_an_encoder_of_speech(paddle, np):
    """Convolutions, a bidirectional GRU and CTC over recordings of several lengths."""
    nn = paddle.nn

    class Speech(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(1, 4, (3, 3), stride=(2, 2), padding=(1, 1))
            self.norm = nn.BatchNorm2D(4)
            self.gru = nn.GRU(16, 6, direction="bidirect")
            self.out = nn.Linear(12, 7)

        def forward(self, sound, lengths):
            x = nn.functional.hardtanh(self.norm(self.conv(sound.unsqueeze(1))), 0.0, 20.0)
            x = x.transpose([0, 2, 1, 3]).flatten(2)
            lengths = (lengths + 1) // 2
            x, _ = self.gru(x, sequence_length=lengths)
            return self.out(x), lengths

    model = set_weights(paddle, np, Speech())
    optimizer = paddle.optimizer.Momentum(0.02, 0.9, parameters=model.parameters())
    draw = np.random.default_rng(8)
    sound = draw.normal(size=(3, 16, 8)).astype("float32")
    lengths, labels = np.array([16, 11, 14]), draw.integers(1, 7, (3, 3))
    loss_fn = nn.CTCLoss(blank=0, reduction="sum")

    def loss_of(_):
        logits, out_lengths = model(paddle.to_tensor(sound), paddle.to_tensor(lengths))
        sizes = paddle.to_tensor([3, 2, 3])
        spoken = paddle.to_tensor(labels, dtype="int32")
        return loss_fn(logits.transpose([1, 0, 2]), spoken, out_lengths, sizes)

    return [trained(optimizer, loss_of), array(model.norm._mean)]


@program(is_deep=True)
def training_words_against_drawn_ones(paddle, np):
    """Skip-gram with negative samples: two tables of sparse gradients, Adagrad."""
    nn, F = paddle.nn, paddle.nn.functional
    inside, outside = (nn.Embedding(20, 6, sparse=True) for _ in range(2))
    set_weights(paddle, np, inside)
    set_weights(paddle, np, outside)
    both = inside.parameters() + outside.parameters()
    optimizer = paddle.optimizer.Adagrad(0.2, parameters=both)
    centres, others = _words(np, (20, 5), 20), _words(np, (20, 5, 4), 20, 4)
    signs = np.concatenate([np.ones((5, 1)), np.zeros((5, 3))], axis=1).astype("float32")

    def loss_of(step):
        centre, around = (
            inside(paddle.to_tensor(centres[step])),
            outside(paddle.to_tensor(others[step])),
        )
        scores = paddle.bmm(around, centre.unsqueeze(2)).squeeze(2)
        return F.binary_cross_entropy_with_logits(scores, paddle.to_tensor(signs))

    return [trained(optimizer, loss_of), array(inside.weight)]


@program(is_deep=True)
def training_a_chain_of_tags(paddle, np):
    """A linear-chain CRF whose normaliser is a loop of logsumexp; the best path by Viterbi."""
    nn = paddle.nn
    emit = set_weights(paddle, np, nn.Linear(6, 4))
    move = paddle.create_parameter([4, 4], "float32")
    move.set_value((np.arange(16).reshape(4, 4) % 5 / 5).astype("float32"))
    optimizer = paddle.optimizer.RMSProp(0.02, parameters=[*emit.parameters(), move], centered=True)
    draw = np.random.default_rng(5)
    features = paddle.to_tensor(draw.normal(size=(3, 5, 6)).astype("float32"))
    tags = paddle.to_tensor(draw.integers(0, 4, (3, 5)))

    def loss_of(_):
        scores = emit(features)
        gold = paddle.take_along_axis(scores, tags.unsqueeze(2), 2).sum([1, 2])
        gold += paddle.gather_nd(move, paddle.stack([tags[:, :-1], tags[:, 1:]], -1)).sum(1)
        total = scores[:, 0]
        for at in range(1, 5):
            total = paddle.logsumexp(total.unsqueeze(2) + move, axis=1) + scores[:, at]
        return (paddle.logsumexp(total, axis=1) - gold).mean()

    result = trained(optimizer, loss_of)
    best, path = paddle.text.viterbi_decode(
        emit(features), move, paddle.to_tensor([5, 4, 5]), include_bos_eos_tag=False
    )
    return [result, array(best), array(path)]
