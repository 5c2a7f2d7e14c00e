"""An LSTM tagger: lines of unequal length, collate_fn, a batch sampler, ignored labels, clipping."""

import collections

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.io import BatchSampler, DataLoader, Dataset

WORDS = "the a cat dog sees chases old small tree house in under".split()
TAGS = {"the": 0, "a": 0, "cat": 1, "dog": 1, "tree": 1, "house": 1, "sees": 2, "chases": 2}
Sample = collections.namedtuple("Sample", "words tags")


class Sentences(Dataset):
    def __init__(self, count):
        rng = np.random.RandomState(4)
        lines = [rng.choice(WORDS, rng.randint(3, 9)) for _ in range(count)]
        self.samples = [
            Sample([WORDS.index(w) + 1 for w in line], [TAGS.get(w, 3) for w in line])
            for line in lines
        ]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]


def collate(samples):
    longest = max(len(sample.words) for sample in samples)
    words = np.zeros((len(samples), longest), "int64")
    tags = np.full((len(samples), longest), -100, "int64")
    for row, sample in enumerate(samples):
        words[row, : len(sample.words)] = sample.words
        tags[row, : len(sample.tags)] = sample.tags
    return words, tags, np.array([len(sample.words) for sample in samples], "int64")


class Tagger(nn.Layer):
    def __init__(self, vocabulary, tags, size=12):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, num_layers=2, direction="bidirect")
        self.out = nn.Linear(2 * size, tags)

    def forward(self, words, lengths):
        states, (last, _) = self.lstm(self.embedding(words), sequence_length=lengths)
        return self.out(states), last


model = Tagger(len(WORDS) + 1, 4)
rng = np.random.RandomState(8)
for name, parameter in model.named_parameters():
    value = rng.uniform(-0.3, 0.3, parameter.shape).astype("float32")
    if name.startswith("embedding"):
        value[0] = 0
    parameter.set_value(value)
data = Sentences(40)
sampler = BatchSampler(dataset=data, batch_size=10, shuffle=False)
loader = DataLoader(data, batch_sampler=sampler, collate_fn=collate, return_list=True)
optimizer = paddle.optimizer.RMSProp(
    0.01, parameters=model.parameters(), grad_clip=nn.ClipGradByNorm(0.5)
)
for epoch in range(3):
    right = total = 0
    for words, tags, lengths in loader():
        logits, last = model(words, lengths)
        loss = F.cross_entropy(logits.reshape([-1, 4]), tags.reshape([-1]), ignore_index=-100)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        is_word = tags != -100
        right += int(((logits.argmax(-1) == tags) & is_word).sum())
        total += int(is_word.sum().numpy())
    print(f"epoch {epoch} loss {loss.item():.5f} accuracy {right}/{total} last {last.shape}")
print(len(loader), float(model.embedding.weight[0].abs().sum()))
