"""Parts of networks that people save to run elsewhere, in their usual form, and small.

``test_open_architectures.py`` saves each with open sizes; see open_programs.py for the fields of a
Program.
"""

from __future__ import annotations

from typing import Any

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F
from tests.jit.saved_model.open_programs import Program

PROGRAMS: dict[str, Program] = {}
IMAGES = [(2, 32, 32), (1, 48, 40), (3, 37, 50)]


def network(*shapes: list, tries: list[tuple], dtypes: list[str] | None = None) -> Any:
    """Return a decorator that registers a Layer."""

    def note(layer: type) -> type:
        kinds = dtypes or ["float32"] * len(shapes)
        PROGRAMS[layer.__name__] = Program(layer, list(shapes), tries, kinds)
        return layer

    return note


class Block(nn.Layer):
    def __init__(self, width, heads=2, is_causal=False):
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def attend(self, x, mask=None, past=None):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape([b, n, 3, self.heads, c // self.heads])
        q, k, v = qkv.transpose([2, 0, 3, 1, 4]).unbind(0)
        if past is not None:
            k, v = paddle.concat([past[0], k], 2), paddle.concat([past[1], v], 2)
        scores = q @ k.transpose([0, 1, 3, 2]) * (c // self.heads) ** -0.5
        if self.is_causal:
            m = k.shape[2]
            ahead = paddle.triu(paddle.full([n, m], -1e4), m - n + 1)
            scores = scores + ahead
        if mask is not None:
            scores = scores + mask
        x = (F.softmax(scores, -1) @ v).transpose([0, 2, 1, 3]).reshape([b, n, c])
        return self.out(x), (k, v)

    def forward(self, x, mask=None, past=None):
        mixed, kept = self.attend(self.norm1(x), mask, past)
        x = x + mixed
        return x + self.mlp(self.norm2(x)), kept


@network([None, 3, None, None], tries=[(2, 32, 32), (1, 48, 40), (3, 64, 24)])
class ViT(nn.Layer):
    """Positions are interpolated to the number of patches."""

    def __init__(self, width=16, patch=8, grid=4):
        super().__init__()
        self.patch = patch
        self.embed = nn.Conv2D(3, width, patch, stride=patch)
        self.cls = self.create_parameter([1, 1, width])
        self.pos = self.create_parameter([1, grid * grid + 1, width])
        self.grid = grid
        self.blocks = nn.LayerList([Block(width) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 5)

    def positions(self, h, w):
        c = self.pos.shape[-1]
        grid = self.pos[:, 1:].reshape([1, self.grid, self.grid, c]).transpose([0, 3, 1, 2])
        grid = F.interpolate(grid, size=[h, w], mode="bicubic")
        return paddle.concat([self.pos[:, :1], grid.transpose([0, 2, 3, 1]).reshape([1, -1, c])], 1)

    def forward(self, x):
        b, _, height, width = x.shape
        h, w = height // self.patch, width // self.patch
        x = self.embed(x).flatten(2).transpose([0, 2, 1])
        x = paddle.concat([self.cls.expand([b, -1, -1]), x], 1) + self.positions(h, w)
        for block in self.blocks:
            x, _ = block(x)
        return self.head(self.norm(x)[:, 0])


@network([None, None, None, 8], tries=[(2, 14, 14), (1, 10, 17), (3, 7, 21)])
class SwinBlock(nn.Layer):
    """Shifted windows of 7, with padding; then patches are merged two by two."""

    def __init__(self, width=8, window=7, shift=3):
        super().__init__()
        self.window, self.shift = window, shift
        self.block = Block(width)
        self.merge = nn.Linear(4 * width, 2 * width)

    def windows(self, x):
        b, h, w, c = x.shape
        s = self.window
        x = x.reshape([b, h // s, s, w // s, s, c]).transpose([0, 1, 3, 2, 4, 5])
        return x.reshape([-1, s * s, c])

    def mask(self, h, w):
        s, shift = self.window, self.shift
        i, j = paddle.arange(h), paddle.arange(w)
        rows = (i >= h - s).astype("int64") + (i >= h - shift).astype("int64")
        columns = (j >= w - s).astype("int64") + (j >= w - shift).astype("int64")
        parts = rows.unsqueeze(1) * 3 + columns.unsqueeze(0)
        parts = self.windows(parts.reshape([1, h, w, 1]).astype("float32")).squeeze(-1)
        apart = (parts.unsqueeze(1) != parts.unsqueeze(2)).astype("float32") * -100.0
        return apart.unsqueeze(1)

    def forward(self, x):
        b, h, w, c = x.shape
        s = self.window
        down, right = (s - h % s) % s, (s - w % s) % s
        y = F.pad(x, [0, right, 0, down], data_format="NHWC")
        hp, wp = y.shape[1], y.shape[2]
        y = paddle.roll(y, [-self.shift, -self.shift], axis=[1, 2])
        mask = self.mask(hp, wp)
        y = self.windows(y)
        mask = mask.unsqueeze(0).expand([b, -1, -1, -1, -1]).flatten(0, 1)
        y, _ = self.block(y, mask)
        y = y.reshape([b, hp // s, wp // s, s, s, c]).transpose([0, 1, 3, 2, 4, 5])
        y = paddle.roll(y.reshape([b, hp, wp, c]), [self.shift, self.shift], axis=[1, 2])
        x = x + y[:, :h, :w]
        x = F.pad(x, [0, w % 2, 0, h % 2], data_format="NHWC")
        parts = [x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]]
        return self.merge(paddle.concat(parts, -1).flatten(1, 2))


@network([None, 3, None, None], tries=[(2, 64, 64), (1, 96, 32), (3, 32, 128)])
class YOLOHead(nn.Layer):
    """Boxes and scores of two levels, decoded; the selection is made outside."""

    def __init__(self, classes=4, anchors=2):
        super().__init__()
        self.classes, self.anchors = classes, anchors
        self.stem = nn.Sequential(
            nn.Conv2D(3, 8, 3, stride=4, padding=1), nn.BatchNorm2D(8), nn.LeakyReLU(0.1)
        )
        self.down = nn.Conv2D(8, 8, 3, stride=2, padding=1)
        self.heads = nn.LayerList([nn.Conv2D(8, anchors * (5 + classes), 1) for _ in range(2)])
        self.lateral = nn.Conv2D(8, 8, 1)
        self.sizes = [[[10.0, 13.0], [16.0, 30.0]], [[30.0, 61.0], [62.0, 45.0]]]

    def decode(self, out, sizes, stride):
        b, _, h, w = out.shape
        out = out.reshape([b, self.anchors, 5 + self.classes, h, w]).transpose([0, 1, 3, 4, 2])
        j, i = paddle.meshgrid(paddle.arange(h), paddle.arange(w))
        grid = paddle.stack([i, j], -1).astype("float32")
        centre = (F.sigmoid(out[..., :2]) + grid) * stride
        size = paddle.exp(out[..., 2:4]) * paddle.to_tensor(sizes).reshape([1, -1, 1, 1, 2])
        boxes = paddle.concat([centre - size / 2, centre + size / 2], -1)
        scores = F.sigmoid(out[..., 4:5]) * F.sigmoid(out[..., 5:])
        return boxes.reshape([b, -1, 4]), scores.reshape([b, -1, self.classes])

    def forward(self, x):
        fine = self.stem(x)
        coarse = self.down(fine)
        fine = fine + F.interpolate(self.lateral(coarse), scale_factor=2, mode="nearest")
        found = []
        for level, (features, stride) in enumerate([(fine, 4), (coarse, 8)]):
            found.append(self.decode(self.heads[level](features), self.sizes[level], stride))
        boxes = paddle.concat([each[0] for each in found], 1)
        scores = paddle.concat([each[1] for each in found], 1)
        limits = paddle.to_tensor([1.0, 1.0, 1.0, 1.0]) * paddle.stack(
            [paddle.full([], n, "float32") for n in (x.shape[3], x.shape[2]) * 2]
        )
        return paddle.minimum(paddle.clip(boxes, 0), limits), scores.transpose([0, 2, 1])


@network([None, 1, 32, None], tries=[(2, 64), (1, 100), (3, 37)])
class CRNN(nn.Layer):
    """Text lines of any width."""

    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2D(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(8, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(),
            nn.MaxPool2D((2, 2), (2, 1), (0, 1)), nn.Conv2D(8, 12, (8, 2)), nn.ReLU(),
        )  # fmt: skip
        self.rnn = nn.LSTM(12, 8, direction="bidirect")
        self.out = nn.Linear(16, 11)

    def forward(self, x):
        x = self.convs(x)
        x = x.squeeze(2).transpose([0, 2, 1])
        x, _ = self.rnn(x)
        return F.log_softmax(self.out(x), -1).transpose([1, 0, 2])


@network([None, 3, None, None], tries=IMAGES)
class UNet(nn.Layer):
    """Skips are cropped, or the upsampled input is padded, to the same sizes."""

    def __init__(self, width=6):
        super().__init__()
        self.one, self.two = (
            nn.Conv2D(3, width, 3, padding=1),
            nn.Conv2D(width, width, 3, padding=1),
        )
        self.three = nn.Conv2D(width, width, 3, padding=1)
        self.up = nn.Conv2DTranspose(width, width, 2, stride=2)
        self.mix1 = nn.Conv2D(2 * width, width, 3)
        self.mix2 = nn.Conv2D(2 * width, 2, 3, padding=1)

    def forward(self, x):
        a = F.relu(self.one(x))
        b = F.relu(self.two(F.max_pool2d(a, 2)))
        c = F.relu(self.three(F.max_pool2d(b, 2)))
        up = self.up(c)
        dy, dx = b.shape[2] - up.shape[2], b.shape[3] - up.shape[3]
        up = F.pad(up, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        b = F.relu(self.mix1(paddle.concat([b, up], 1)))
        b = F.interpolate(b, size=[a.shape[2] - 4, a.shape[3] - 4], mode="bilinear")
        top, left = (a.shape[2] - b.shape[2]) // 2, (a.shape[3] - b.shape[3]) // 2
        a = a[:, :, top : top + b.shape[2], left : left + b.shape[3]]
        return self.mix2(paddle.concat([a, b], 1))


@network(
    [None, None], [None, None], tries=[(2, 5, 2, 5), (1, 9, 1, 9), (3, 16, 3, 16)],
    dtypes=["int64", "int64"],
)  # fmt: skip
class BERT(nn.Layer):
    """Words, positions and a mask of the padding."""

    def __init__(self, width=16):
        super().__init__()
        self.words, self.positions = nn.Embedding(20, width), nn.Embedding(32, width)
        self.types, self.norm = nn.Embedding(2, width), nn.LayerNorm(width)
        self.blocks = nn.LayerList([Block(width) for _ in range(2)])
        self.pooler, self.head = nn.Linear(width, width), nn.Linear(width, 3)

    def forward(self, ids, attention_mask):
        n = ids.shape[1]
        places = paddle.arange(n, dtype="int64").unsqueeze(0)
        x = self.words(ids) + self.positions(places) + self.types(paddle.zeros_like(ids))
        mask = (attention_mask > 2).astype("float32").unsqueeze([1, 2])
        mask, x = (1.0 - mask) * -1e4, self.norm(x)
        for block in self.blocks:
            x, _ = block(x, mask)
        weights = (attention_mask > 2).astype("float32").unsqueeze(-1)
        mean = (x * weights).sum(1) / paddle.clip(weights.sum(1), 1e-6)
        return self.head(F.tanh(self.pooler(x[:, 0]))), mean, x / x.shape[1] ** 0.5


@network(
    [None, None], [2, 2, None, 2, None, 8],
    tries=[(2, 1, 2, 4), (1, 5, 1, 7), (3, 2, 3, 1)], dtypes=["int64", "float32"],
)  # fmt: skip
class GPT(nn.Layer):
    """New words after those whose keys and values are in the cache."""

    def __init__(self, width=16):
        super().__init__()
        self.words, self.positions = nn.Embedding(20, width), nn.Embedding(32, width)
        self.blocks = nn.LayerList([Block(width, 2, True) for _ in range(2)])
        self.norm = nn.LayerNorm(width)

    def forward(self, ids, cache):
        past, n = cache.shape[4], ids.shape[1]
        x = self.words(ids) + self.positions(paddle.arange(past, past + n))
        kept = []
        for block, each in zip(self.blocks, cache.unbind(0), strict=True):
            x, pair = block(x, None, (each[0], each[1]))
            kept.append(paddle.stack(pair))
        x = self.norm(x)
        logits = paddle.matmul(x[:, -1], self.words.weight, transpose_y=True)
        best = logits.topk(3)[1]
        return best, logits, paddle.stack(kept)


@network([None, None, 6], tries=[(2, 5), (1, 9), (3, 12)])
class Tacotron(nn.Layer):
    """A decoder that produces as many frames as there are letters, attending to all of them."""

    def __init__(self, width=8, mels=4):
        super().__init__()
        self.mels = mels
        self.memory = nn.Linear(6, width)
        self.cell = nn.GRUCell(mels + width, width)
        self.query, self.frame = nn.Linear(width, width), nn.Linear(2 * width, mels)

    def step(self, frame, state, memory):
        scores = (memory @ self.query(state).unsqueeze(-1)).squeeze(-1) / memory.shape[1] ** 0.5
        context = (F.softmax(scores, -1).unsqueeze(1) @ memory).squeeze(1)
        _, state = self.cell(paddle.concat([frame, context], -1), state)
        return self.frame(paddle.concat([state, context], -1)), state

    def forward(self, text):
        memory = self.memory(text)
        b, n, width = memory.shape
        frames = paddle.zeros([b, n, self.mels])
        state, frame = paddle.zeros([b, width]), paddle.zeros([b, self.mels])

        def goes_on(number, frame, state, frames):
            return number < paddle.full([], n, "int64")

        def once(number, frame, state, frames):
            frame, state = self.step(frame, state, memory)
            here = (paddle.arange(n) == number).astype("float32").reshape([1, n, 1])
            return number + 1, frame, state, frames * (1 - here) + frame.unsqueeze(1) * here

        start = paddle.zeros([], "int64")
        with paddle.no_grad():
            found = paddle.static.nn.while_loop(goes_on, once, [start, frame, state, frames])
        return found[3]


@network([None, 3, None, None], tries=IMAGES)
class DeepLab(nn.Layer):
    """Dilated branches and a pooled one, and classes at the size of the image."""

    def __init__(self, width=6):
        super().__init__()
        self.stem = nn.Conv2D(3, width, 3, stride=2, padding=1)
        self.body = nn.Conv2D(width, width, 3, stride=2, padding=1)
        self.branches = nn.LayerList(
            [nn.Conv2D(width, width, 3, padding=rate, dilation=rate) for rate in (1, 2, 4)]
        )
        self.pooled = nn.Conv2D(width, width, 1)
        self.low, self.head = nn.Conv2D(width, 4, 1), nn.Conv2D(4 * width + 4, 3, 3, padding=1)

    def forward(self, x):
        low = F.relu(self.stem(x))
        y = F.relu(self.body(low))
        parts = [F.relu(branch(y)) for branch in self.branches]
        mean = self.pooled(F.adaptive_avg_pool2d(y, 1))
        parts.append(F.interpolate(mean, size=y.shape[2:], mode="bilinear"))
        y = F.interpolate(
            paddle.concat(parts, 1), size=low.shape[2:], mode="bilinear", align_corners=True
        )
        y = self.head(paddle.concat([y, self.low(low)], 1))
        y = F.interpolate(y, size=paddle.shape(x)[2:], mode="bilinear")
        return y, y.argmax(1)


@network([None, None, 3], tries=[(2, 20), (1, 33), (3, 9)])
class PointNet(nn.Layer):
    """Neighbours of each point, by distance, and half of the points kept."""

    def __init__(self, width=8, near=4):
        super().__init__()
        self.near = near
        self.first, self.second = nn.Linear(6, width), nn.Linear(width, width)
        self.score, self.head = nn.Linear(width, 1), nn.Linear(width, 5)

    def forward(self, points):
        b, n, _ = points.shape
        square = (points**2).sum(-1)
        far = square.unsqueeze(2) + square.unsqueeze(1) - 2 * points @ points.transpose([0, 2, 1])
        near = far.topk(self.near, largest=False)[1]
        rows = paddle.arange(b).reshape([b, 1, 1]).expand([b, n, self.near])
        around = paddle.gather_nd(points, paddle.stack([rows, near], -1))
        middle = points.unsqueeze(2).expand([-1, -1, self.near, -1])
        x = F.relu(self.first(paddle.concat([middle, around - middle], -1))).max(2)
        x = F.relu(self.second(x))
        kept = self.score(x).squeeze(-1).topk(n // 2)[1]
        x = paddle.take_along_axis(x, kept.unsqueeze(-1).expand([b, n // 2, x.shape[-1]]), 1)
        return self.head(paddle.concat([x.max(1, keepdim=True), x], 1)), x.mean(1)
