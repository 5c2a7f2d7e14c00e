"""Train a small BERT to fill in masked letters of a licence text.

An encoder of `nn.TransformerEncoder` that sees both sides of a letter: 15 percent of the letters of
a line are predicted, most of them masked, some exchanged, some unchanged (the others do not count).
It is ordinary Paddle code:

    python examples/bert.py                           # on Paddle
    python -m jaxeager examples/bert.py --steps 600   # here
"""

import argparse
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from tqdm import tqdm

TEXT = Path(__file__).resolve().parent.parent / "LICENSE"
LENGTH, BATCH = 48, 32
MASK = 0  # as a label it means that a letter is not predicted


class Bert(nn.Layer):
    """Letters int64[batch, length] to logits of the true letters [batch, length, letters]."""

    def __init__(self, letters, width=64, heads=4, depth=2):
        super().__init__()
        angles = np.arange(LENGTH)[:, None] * 50.0 ** (-np.arange(0, width, 2) / width)
        waves = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype("float32")
        self.places = nn.Embedding(LENGTH, width, weight_attr=nn.initializer.Assign(waves))
        self.letters = nn.Embedding(letters, width, weight_attr=nn.initializer.Normal(std=0.5))
        self.norm = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.0, activation="gelu", normalize_before=True
        )
        self.encoder = nn.TransformerEncoder(layer, depth, norm=nn.LayerNorm(width))
        self.transform = nn.Linear(width, width)
        self.bias = self.create_parameter([letters], is_bias=True)

    def forward(self, ids):
        places = paddle.arange(ids.shape[1]).expand_as(ids)
        x = F.gelu(self.transform(self.encoder(self.norm(self.letters(ids) + self.places(places)))))
        # The head shares the table of letters with the input.
        return paddle.matmul(x, self.letters.weight, transpose_y=True) + self.bias


class Masked(paddle.io.IterableDataset):
    """Lines with some of their letters hidden, and the hidden letters as labels."""

    def __init__(self, ids, letters, count, seed):
        self.ids, self.letters, self.count, self.seed = ids, letters, count, seed

    def __iter__(self):
        rng = np.random.RandomState(self.seed)
        for _ in range(self.count):
            start = rng.randint(0, len(self.ids) - LENGTH + 1)
            labels = self.ids[start : start + LENGTH].copy()
            seen, chance, is_asked = labels.copy(), rng.rand(LENGTH), rng.rand(LENGTH) < 0.15
            seen[is_asked & (chance < 0.8)] = MASK
            is_other = is_asked & (chance >= 0.9)
            seen[is_other] = rng.randint(1, self.letters, is_other.sum())
            labels[~is_asked] = MASK
            yield seen, labels


def train(model, loader, steps):
    """Return the loss of each step; the rate rises for a tenth of them, and falls to zero."""
    fall = paddle.optimizer.lr.PolynomialDecay(4e-3, decay_steps=steps, end_lr=0.0)
    rate = paddle.optimizer.lr.LinearWarmup(fall, max(steps // 10, 1), start_lr=0.0, end_lr=4e-3)
    decayed = {p.name for p in model.parameters() if p.ndim > 1}
    adam = paddle.optimizer.AdamW(
        rate,
        parameters=model.parameters(),
        weight_decay=0.01,
        apply_decay_param_fun=lambda name: name in decayed,
        grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    losses = []
    for seen, labels in (bar := tqdm(loader, total=steps, unit="step")):
        loss = F.cross_entropy(model(seen), labels, ignore_index=MASK)
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    return losses


@paddle.no_grad()
def fill_in(model, letters, ids, rng, lines=4):
    """Print lines with letters hidden, and below them the predicted letters."""
    model.eval()
    right = asked = 0
    for start in rng.randint(0, len(ids) - LENGTH + 1, lines):
        line = ids[start : start + LENGTH]
        is_hidden = rng.rand(LENGTH) < 0.15
        hidden = np.where(is_hidden, MASK, line)
        found = model(paddle.to_tensor(hidden[None]))[0].argmax(axis=-1).numpy()
        filled = np.where(is_hidden, found, line)
        right, asked = right + (filled == line)[is_hidden].sum(), asked + is_hidden.sum()
        for each in (hidden, filled):
            print("  " + "".join(letters[at] for at in each))
    print(f"{right} of {asked} hidden letters are right")


def main(arguments=None):
    """Train, and fill in some letters; return the losses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    paddle.seed(options.seed)
    text = " ".join(TEXT.read_text(encoding="utf-8").lower().split())
    letters = ["_", *sorted(set(text))]
    ids = np.array([letters.index(each) for each in text])
    model = Bert(len(letters))
    print(f"{len(ids)} letters, {sum(p.size for p in model.parameters())} parameters")
    data = Masked(ids, len(letters), options.steps * BATCH, options.seed)
    losses = train(model, paddle.io.DataLoader(data, batch_size=BATCH), options.steps)
    fill_in(model, letters, ids, np.random.RandomState(options.seed))
    return losses


if __name__ == "__main__":
    main()
