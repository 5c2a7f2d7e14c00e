"""Sequence to sequence: a GRU with Bahdanau attention that reverses digits; greedy and beam search."""

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

BOS, EOS, PAD, VOCAB = 10, 11, 12, 13


class Encoder(nn.Layer):
    def __init__(self, size):
        super().__init__()
        self.embedder = nn.Embedding(VOCAB, size, padding_idx=PAD)
        self.gru = nn.GRU(size, size, direction="bidirectional", dropout=0.0)
        self.bridge = nn.Linear(2 * size, size)

    def forward(self, x, lengths):
        outputs, state = self.gru(self.embedder(x), sequence_length=lengths)
        state = paddle.concat([state[0], state[1]], axis=-1)
        return outputs, F.tanh(self.bridge(state))


class AttentionCell(nn.RNNCellBase):
    def __init__(self, size):
        super().__init__()
        self.cell = nn.GRUCell(3 * size, size)
        self.query = nn.Linear(size, size, bias_attr=False)
        self.key = nn.Linear(2 * size, size)
        self.score = nn.Linear(size, 1)
        self.size = size

    def forward(self, inputs, states, memory=None, mask=None):
        e = self.score(F.tanh(self.query(states).unsqueeze(1) + self.key(memory))).squeeze(-1)
        if mask is not None:
            e = e + (mask - 1.0) * 1e9
        weights = F.softmax(e, axis=-1)
        context = paddle.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return self.cell(paddle.concat([inputs, context], axis=-1), states)

    @property
    def state_shape(self):
        return (self.size,)


class Seq2Seq(nn.Layer):
    def __init__(self, size=16):
        super().__init__()
        self.encoder = Encoder(size)
        self.embed = nn.Embedding(VOCAB, size)
        self.cell = AttentionCell(size)
        self.rnn = nn.RNN(self.cell)
        self.out = nn.Linear(size, VOCAB)

    def forward(self, src, lengths, trg):
        memory, state = self.encoder(src, lengths)
        mask = (src != PAD).astype("float32")
        outputs, _ = self.rnn(self.embed(trg), state, memory=memory, mask=mask)
        return self.out(outputs)

    @paddle.no_grad()
    def beam(self, src, lengths, size=3, longest=8):
        memory, state = self.encoder(src, lengths)
        mask = (src != PAD).astype("float32")
        decoder = nn.BeamSearchDecoder(
            self.cell,
            start_token=BOS,
            end_token=EOS,
            beam_size=size,
            embedding_fn=self.embed,
            output_fn=self.out,
        )
        memory = decoder.tile_beam_merge_with_batch(memory, size)
        mask = decoder.tile_beam_merge_with_batch(mask, size)
        ids, scores, lens = nn.dynamic_decode(
            decoder, inits=state, max_step_num=longest, memory=memory, mask=mask, return_length=True
        )
        return ids, lens


def batch(rng, count):
    lengths = rng.randint(2, 6, count)
    src = np.full((count, 5), PAD, "int64")
    trg = np.full((count, 7), PAD, "int64")
    for row, n in enumerate(lengths):
        digits = rng.randint(0, 10, n)
        src[row, :n] = digits
        trg[row, : n + 2] = [BOS, *digits[::-1], EOS]
    return paddle.to_tensor(src), paddle.to_tensor(lengths), paddle.to_tensor(trg)


rng = np.random.RandomState(5)
model = Seq2Seq()
for p in model.parameters():
    p.set_value(rng.uniform(-0.3, 0.3, p.shape).astype("float32"))
opt = paddle.optimizer.Adam(
    0.01, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(5.0)
)
for step in range(8):
    src, lengths, trg = batch(rng, 16)
    logits = model(src, lengths, trg[:, :-1])
    cost = F.cross_entropy(logits, trg[:, 1:].unsqueeze(2), reduction="none", soft_label=False)
    mask = (trg[:, 1:] != PAD).astype(paddle.get_default_dtype())
    loss = (cost.squeeze(2) * mask).sum() / mask.sum()
    loss.backward()
    opt.step()
    opt.clear_grad()
    print(f"step {step} loss {float(loss):.5f} ppl {np.exp(loss.item()):.4f}")
model.eval()
src, lengths, trg = batch(rng, 2)
ids, lens = model.beam(src, lengths)
print(ids.shape, ids.dtype, lens.shape)
print(ids[:, :, 0].tolist(), lens.tolist())
print(
    paddle.nn.functional.gather_tree(
        paddle.to_tensor([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]]),
        paddle.to_tensor([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]]),
    ).tolist()
)
