"""Train a small GPT on a licence text, letter by letter, and let it continue the text.

A decoder in the style of current language models: rotary positions, RMSNorm, attention whose heads
share keys and values in groups, a gated feed-forward part, and a cache of keys and values that
grows by one position for each generated letter. It is ordinary Paddle code:

    python examples/gpt.py                           # on Paddle
    python -m jaxeager examples/gpt.py --steps 300   # here
"""

import argparse
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from tqdm import tqdm

TEXT = Path(__file__).resolve().parent.parent / "LICENSE"
LENGTH, BATCH = 64, 16


def rotate(x, start):
    """Rotate neighbouring channels of [batch, length, heads, size] by angles of their position."""
    length, size = x.shape[1], x.shape[3]
    rates = 10000.0 ** (-paddle.arange(0, size, 2, dtype="float32") / size)
    angles = paddle.outer(start + paddle.arange(length, dtype="float32"), rates)
    cos, sin = angles.cos().unsqueeze(1), angles.sin().unsqueeze(1)
    even, odd = x[..., ::2], x[..., 1::2]
    turned = paddle.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return turned.flatten(start_axis=-2)


class RMSNorm(nn.Layer):
    """Divides by the root mean square of the last axis, and scales each channel."""

    def __init__(self, width):
        super().__init__()
        self.weight = self.create_parameter([width], default_initializer=nn.initializer.Constant(1))

    def forward(self, x):
        return x * paddle.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Layer):
    """Causal attention of `heads` queries, of which `heads / groups` share a key and a value."""

    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query = nn.Linear(width, width, bias_attr=False)
        self.key = nn.Linear(width, groups * self.size, bias_attr=False)
        self.value = nn.Linear(width, groups * self.size, bias_attr=False)
        self.out = nn.Linear(width, width, bias_attr=False)

    def forward(self, x, cache=None):
        """Take [batch, length, width], or one letter and what was kept; return the same, and that.

        What is kept has room for a fixed number of letters, and the place of the next: the shapes
        stay the same from letter to letter, so that no kernel is compiled for each length.
        """
        start = 0 if cache is None else cache[2]
        query = rotate(self.query(x).reshape([0, 0, self.heads, self.size]), start)
        key = rotate(self.key(x).reshape([0, 0, self.groups, self.size]), start)
        value = self.value(x).reshape([0, 0, self.groups, self.size])
        seen = None
        if cache is not None:
            places = paddle.arange(cache[0].shape[1], dtype="float32")
            here = (places == start).reshape([1, -1, 1, 1])
            key, value = paddle.where(here, key, cache[0]), paddle.where(here, value, cache[1])
            seen, cache = (places <= start).reshape([1, 1, 1, -1]), (key, value, start + 1)
        share = self.heads // self.groups
        mixed = F.scaled_dot_product_attention(
            query,
            key.repeat_interleave(share, axis=2),
            value.repeat_interleave(share, axis=2),
            attn_mask=seen,
            is_causal=seen is None,
        )
        return self.out(mixed.flatten(start_axis=2)), cache

    def room(self, count):
        """Return what is kept of no letters: keys and values of `count`, the place of the next."""
        kept = paddle.zeros([1, count, self.groups, self.size])
        return kept, kept, paddle.zeros([])


class Block(nn.Layer):
    """Attention and a gated feed-forward part, each after a norm and added to its input."""

    def __init__(self, width, heads, groups):
        super().__init__()
        self.attention_norm, self.forward_norm = RMSNorm(width), RMSNorm(width)
        self.attention = Attention(width, heads, groups)
        self.gate = nn.Linear(width, 3 * width, bias_attr=False)
        self.up = nn.Linear(width, 3 * width, bias_attr=False)
        self.down = nn.Linear(3 * width, width, bias_attr=False)

    def forward(self, x, cache=None):
        mixed, cache = self.attention(self.attention_norm(x), cache)
        x = x + mixed
        inner = self.forward_norm(x)
        return x + self.down(F.silu(self.gate(inner)) * self.up(inner)), cache


class GPT(nn.Layer):
    """Letters int64[batch, length] to logits of the next [batch, length, letters]."""

    def __init__(self, letters, width=64, depth=2, heads=4, groups=2):
        super().__init__()
        self.embedding = nn.Embedding(letters, width)
        self.blocks = nn.LayerList([Block(width, heads, groups) for _ in range(depth)])
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, letters, bias_attr=False)

    def forward(self, ids, caches=None):
        x, kept = self.embedding(ids), []
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks), strict=True):
            x, cache = block(x, cache)
            kept.append(cache)
        return self.head(self.norm(x)), kept

    @paddle.no_grad()
    def generate(self, ids, count, rng, temperature=0.7):
        """Yield `count` letters after ids[1, length]; each is passed alone."""
        length = ids.shape[1]
        caches = [block.attention.room(length + count) for block in self.blocks]
        for place in range(length):
            logits, caches = self(ids[:, place : place + 1], caches)
        for _ in range(count):
            chances = F.softmax(logits[0, -1] / temperature).numpy().astype("float64")
            drawn = int(rng.choice(len(chances), p=chances / chances.sum()))
            yield drawn
            logits, caches = self(paddle.to_tensor([[drawn]]), caches)


def batches(ids, count, seed):
    """Yield `count` times [BATCH, LENGTH + 1] letters from random places."""
    rng = np.random.RandomState(seed)
    for _ in range(count):
        starts = rng.randint(0, len(ids) - LENGTH, BATCH)
        yield paddle.to_tensor(np.stack([ids[at : at + LENGTH + 1] for at in starts]))


def train(model, optimizer, data, steps):
    """Return the loss of each step."""
    losses = []
    for ids in (bar := tqdm(data, total=steps, unit="step")):
        logits, _ = model(ids[:, :-1])
        loss = F.cross_entropy(logits, ids[:, 1:])
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    return losses


def main(arguments=None):
    """Train, and print what the model writes; return the losses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--letters", type=int, default=120, help="how many to write in the end")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    paddle.seed(options.seed)
    text = " ".join(TEXT.read_text(encoding="utf-8").split())
    letters = sorted(set(text))
    ids = np.array([letters.index(each) for each in text])
    model = GPT(len(letters))
    print(f"{len(text)} letters, {sum(p.size for p in model.parameters())} parameters")
    adam = paddle.optimizer.AdamW(
        3e-3, parameters=model.parameters(), grad_clip=nn.ClipGradByGlobalNorm(1.0)
    )
    losses = train(model, adam, batches(ids, options.steps, options.seed), options.steps)
    start, rng = "You may ", np.random.RandomState(options.seed)
    prompt = paddle.to_tensor([[letters.index(each) for each in start]])
    written = model.generate(prompt, options.letters, rng)
    print(start + "".join(letters[each] for each in written))
    return losses


if __name__ == "__main__":
    main()
