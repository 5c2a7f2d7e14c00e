"""A linear chain CRF over a BiGRU: forward algorithm, Viterbi with paddle.text, chunk F1."""

import numpy as np
import paddle
import paddle.nn as nn
from paddle.text import ViterbiDecoder, viterbi_decode


class CRF(nn.Layer):
    def __init__(self, tags):
        super().__init__()
        self.transitions = self.create_parameter(
            shape=[tags, tags],
            attr=paddle.ParamAttr(name="crf_transitions", learning_rate=2.0),
            default_initializer=nn.initializer.Constant(0.0),
        )

    def partition(self, emissions, mask):
        alpha = emissions[:, 0]
        for t in range(1, emissions.shape[1]):
            scores = (
                alpha.unsqueeze(2) + self.transitions.unsqueeze(0) + emissions[:, t].unsqueeze(1)
            )
            new = paddle.logsumexp(scores, axis=1)
            alpha = paddle.where(mask[:, t : t + 1], new, alpha)
        return paddle.logsumexp(alpha, axis=-1)

    def score(self, emissions, tags, mask):
        m = paddle.cast(mask, "float32")
        unary = paddle.take_along_axis(emissions, tags.unsqueeze(-1), axis=2).squeeze(-1)
        pairs = paddle.stack([tags[:, :-1], tags[:, 1:]], axis=-1)
        binary = paddle.gather_nd(self.transitions, pairs)
        return paddle.sum(unary * m, axis=1) + paddle.sum(binary * m[:, 1:], axis=1)

    def forward(self, emissions, tags, mask):
        return paddle.mean(self.partition(emissions, mask) - self.score(emissions, tags, mask))


class Tagger(nn.Layer):
    def __init__(self, words=20, tags=3, size=10):
        super().__init__()
        self.emb = nn.Embedding(words, size)
        self.gru = nn.GRU(size, size, direction="bidirect", time_major=False)
        self.fc = nn.Linear(size * 2, tags)
        self.crf = CRF(tags)

    def forward(self, words, lengths):
        out, _ = self.gru(self.emb(words), sequence_length=lengths)
        return self.fc(out)


def data(rng, n, longest=9):
    words = rng.randint(0, 20, (n, longest))
    tags = np.zeros_like(words)
    for i in range(n):
        for j in range(longest):
            if words[i, j] % 5 == 0:
                tags[i, j] = 1
            elif j and tags[i, j - 1] in (1, 2) and words[i, j] % 2:
                tags[i, j] = 2
    lengths = rng.randint(3, longest + 1, n)
    lengths[0] = longest
    return words.astype("int64"), tags.astype("int64"), lengths.astype("int64")


def spans(tags):
    found, start = set(), None
    for i, t in enumerate(list(tags) + [0]):
        if start is not None and t != 2:
            found.add((start, i))
            start = None
        if t == 1:
            start = i
    return found


rng = np.random.RandomState(7)
model = Tagger()
for p in model.parameters():
    if p.name != "crf_transitions":
        p.set_value(paddle.to_tensor(rng.uniform(-0.4, 0.4, p.shape), dtype="float32"))
opt = paddle.optimizer.Adadelta(learning_rate=1.0, parameters=model.parameters(), rho=0.9)
for step in range(8):
    words, tags, lengths = map(paddle.to_tensor, data(rng, 16))
    mask = paddle.arange(words.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
    loss = model.crf(model(words, lengths), tags, mask)
    loss.backward()
    opt.minimize(loss)
    opt.clear_gradients()
    print("step %d loss %.5f" % (step, loss.numpy()))
model.eval()
words, tags, lengths = data(rng, 6)
emissions = model(paddle.to_tensor(words), paddle.to_tensor(lengths))
scores, paths = viterbi_decode(
    emissions, model.crf.transitions, paddle.to_tensor(lengths), include_bos_eos_tag=False
)
decoder = ViterbiDecoder(model.crf.transitions, include_bos_eos_tag=False)
other, again = decoder(emissions, paddle.to_tensor(lengths))
print(scores.numpy().round(3), paths.shape, bool((paths == again).all()), decoder)
right = given = wanted = 0
for path, gold, n in zip(paths.tolist(), tags.tolist(), lengths.tolist()):
    a, b = spans(path[:n]), spans(gold[:n])
    right, given, wanted = right + len(a & b), given + len(a), wanted + len(b)
print(right, given, wanted, model.crf.transitions.name)
