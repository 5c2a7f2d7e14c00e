"""A small Transformer that predicts the next letter: masks, warm-up, decay for some weights."""

import math

import numpy as np
import paddle
import paddle.nn as nn
from paddle.nn import functional as F

TEXT = "the quick brown fox jumps over the lazy dog while the small cat sleeps under the old tree "


class PositionalEncoding(nn.Layer):
    def __init__(self, size, longest=64):
        super().__init__()
        position = paddle.arange(longest, dtype="float32").unsqueeze(1)
        rate = paddle.exp(paddle.arange(0, size, 2, dtype="float32") * (-math.log(10000.0) / size))
        table = paddle.zeros([longest, size])
        table[:, 0::2] = paddle.sin(position * rate)
        table[:, 1::2] = paddle.cos(position * rate)
        self.register_buffer("table", table.unsqueeze(0), persistable=False)

    def forward(self, x):
        return x + self.table[:, : x.shape[1]]


class Model(nn.Layer):
    def __init__(self, letters, size=16, heads=2, depth=2):
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(letters, size)
        self.position = PositionalEncoding(size)
        layer = nn.TransformerEncoderLayer(size, heads, 4 * size, dropout=0.0, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, depth, norm=nn.LayerNorm(size))

    def forward(self, ids):
        length = ids.shape[1]
        mask = paddle.triu(paddle.full([length, length], -float("inf")), diagonal=1)
        x = self.position(self.embedding(ids) * math.sqrt(self.size))
        return F.linear(self.encoder(x, src_mask=mask), self.embedding.weight.T)


letters = sorted(set(TEXT))
ids = np.array([letters.index(each) for each in TEXT])
model = Model(len(letters))
rng = np.random.RandomState(9)
state = model.state_dict()
for name in state:
    if state[name].ndim == 2:
        state[name] = paddle.to_tensor(rng.normal(0, 0.1, state[name].shape).astype("float32"))
missing, unexpected = model.set_state_dict(state)
print(missing, unexpected, len(model.sublayers()))

decayed = [p.name for n, p in model.named_parameters() if not any(x in n for x in ("bias", "norm"))]
schedule = paddle.optimizer.lr.LinearWarmup(
    paddle.optimizer.lr.NoamDecay(16, 10), warmup_steps=4, start_lr=0.0, end_lr=0.02
)
optimizer = paddle.optimizer.AdamW(
    schedule,
    parameters=model.parameters(),
    weight_decay=0.1,
    apply_decay_param_fun=lambda name: name in decayed,
    grad_clip=nn.ClipGradByGlobalNorm(1.0),
)
for step in range(8):
    start = rng.randint(0, len(ids) - 17, 8)
    batch = paddle.to_tensor(np.stack([ids[at : at + 17] for at in start]))
    logits = model(batch[:, :-1])
    loss = F.cross_entropy(logits, batch[:, 1:].unsqueeze(-1))
    loss.backward()
    optimizer.step()
    schedule.step()
    optimizer.clear_grad()
    print(f"step {step} ppl {math.exp(loss):.4f} lr {optimizer.get_lr():.6f}")
model.eval()
with paddle.no_grad():
    probabilities = F.softmax(model(paddle.to_tensor([ids[:8]]))[0, -1])
    values, indices = paddle.topk(probabilities, 3)
print([round(each, 4) for each in values.tolist()], indices.dtype, len(decayed))
