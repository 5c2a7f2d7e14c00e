"""Teach an LSTM to colour Python: it tags each letter of a line with the kind of its token.

`tokenize` labels the sources of Python's own library; a tenth of the lines is held out. The lines
have unequal lengths: a collate_fn pads them, and the LSTM gets their lengths. It is ordinary Paddle
code:

    python examples/highlight.py                           # on Paddle
    python -m jaxeager examples/highlight.py --steps 250   # here
"""

import argparse
import builtins
import heapq
import keyword
import tokenize
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, Dataset
from tqdm import tqdm

TAGS = "space name keyword builtin number string comment operator".split()
COLOURS = dict(zip(TAGS, (0, 0, 35, 36, 33, 32, 90, 31), strict=True))
KINDS = {
    tokenize.NUMBER: "number",
    tokenize.STRING: "string",
    tokenize.COMMENT: "comment",
    tokenize.OP: "operator",
}
PADDING, LONGEST, BATCH = 255, 80, 16


def tag_of(token):
    """Return the number of a token's tag."""
    if token.type == tokenize.NAME:
        kind = "keyword" if keyword.iskeyword(token.string) else "name"
        kind = "builtin" if kind == "name" and hasattr(builtins, token.string) else kind
    else:
        kind = KINDS.get(token.type, "space")
    return TAGS.index(kind)


class Lines(Dataset):
    """The lines of a source: letters as int64[length], and the tag of each."""

    def __init__(self, path):
        self.texts = path.read_text(encoding="utf-8").splitlines(keepends=True)
        tags = [np.zeros(len(text), "int64") for text in self.texts]
        with open(path, "rb") as file:
            for token in tokenize.tokenize(file.readline):
                (row, start), (last, end) = token.start, token.end
                for line in range(row, last + 1):
                    if 0 < line <= len(tags):
                        stop = end if line == last else None
                        tags[line - 1][start if line == row else 0 : stop] = tag_of(token)
        pairs = zip(self.texts, tags, strict=True)
        self.samples = [(t.rstrip()[:LONGEST], y) for t, y in pairs if t.strip()]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        text, tags = self.samples[index]
        letters = np.frombuffer(text.encode("latin-1", "replace"), "uint8") % 128
        return letters.astype("int64"), tags[: len(text)]


def collate(samples):
    """Return letters and tags [BATCH, LONGEST], padded, and the lengths [BATCH].

    A batch of fewer lines is filled with padding, so that all batches have one shape: a new shape
    would need new kernels.
    """
    letters = np.zeros((BATCH, LONGEST), "int64")
    tags = np.full((BATCH, LONGEST), PADDING, "int64")
    lengths = np.ones(BATCH, "int64")
    for row, (line, right) in enumerate(samples):
        letters[row, : len(line)], tags[row, : len(line)], lengths[row] = line, right, len(line)
    return letters, tags, lengths


class Tagger(nn.Layer):
    """Letters int64[batch, length] to logits of their tags [batch, length, tags]."""

    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(128, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, direction="bidirect")
        self.head = nn.Linear(2 * width, len(TAGS))

    def forward(self, letters, lengths):
        states, _ = self.lstm(self.embedding(letters), sequence_length=lengths)
        return self.head(states)


def forever(loader):
    """Yield the batches of a loader repeatedly."""
    while True:
        yield from loader


@paddle.no_grad()
def accuracy(model, loader):
    """Return the share of letters with the right tag."""
    right, count = 0, 0
    for letters, tags, lengths in loader:
        right += int((model(letters, lengths).argmax(-1) == tags).sum())  # PADDING is no tag
        count += int((tags != PADDING).sum())
    return right / count


def show(model, data, indices):
    """Print lines in the colours that the model predicts."""
    letters, _, lengths = collate([data[index] for index in indices])
    found = model(paddle.to_tensor(letters), paddle.to_tensor(lengths)).argmax(-1).numpy()
    for index, tags in zip(indices, found, strict=False):
        text = data.samples[index][0]
        pairs = zip(text, tags, strict=False)  # the line, and the padding behind it
        print("".join(f"\033[{COLOURS[TAGS[tag]]}m{letter}" for letter, tag in pairs) + "\033[0m")


def main(arguments=None):
    """Train, and colour some lines; return the losses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--source", type=Path, default=Path(heapq.__file__))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    paddle.seed(options.seed)
    np.random.seed(options.seed)  # the order of the lines
    data = Lines(options.source)
    held_out = set(range(0, len(data), 10))
    rest = paddle.io.Subset(data, [i for i in range(len(data)) if i not in held_out])
    test = paddle.io.Subset(data, sorted(held_out))
    loader = DataLoader(rest, batch_size=BATCH, shuffle=True, drop_last=True, collate_fn=collate)
    model = Tagger()
    adam = paddle.optimizer.Adam(1e-2, parameters=model.parameters())
    losses, source = [], forever(loader)
    for _ in (bar := tqdm(range(options.steps), unit="step")):
        letters, tags, lengths = next(source)
        loss = F.cross_entropy(model(letters, lengths), tags, ignore_index=PADDING)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    tested = DataLoader(test, batch_size=BATCH, collate_fn=collate)
    print(f"{100 * accuracy(model, tested):.1f} % of the letters of lines held out")
    show(model, data, sorted(held_out)[-8:])
    return losses


if __name__ == "__main__":
    main()
