"""Decoders whose `while` depends on their output: as one program, saved and loaded."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn
from jaxeager.static import InputSpec


class GreedyText(nn.Layer):
    """A GPT of one layer that writes tokens until all rows have ended."""

    def __init__(self, words=7, width=8, longest=9, end=0):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.places = nn.Embedding(longest, width)
        self.query, self.key, self.value = [nn.Linear(width, width) for _ in range(3)]
        self.head = nn.Linear(width, words)
        self.longest, self.end, self.width = longest, end, width

    def step(self, token, at, keys, values):
        x = self.embedding(token) + self.places(at)
        keys[:, at] = self.key(x)
        values[:, at] = self.value(x)
        scores = (keys @ self.query(x).unsqueeze(-1)).squeeze(-1) / self.width**0.5
        scores = paddle.where(paddle.arange(self.longest) <= at, scores, paddle.full([], -1e9))
        return self.head((F.softmax(scores).unsqueeze(1) @ values).squeeze(1) + x)

    @paddle.no_grad()
    def forward(self, first):
        rows = first.shape[0]
        keys = paddle.zeros([rows, self.longest, self.width])
        values = paddle.zeros([rows, self.longest, self.width])
        text = paddle.full([rows, self.longest], self.end, "int64")
        text[:, 0] = first
        done = paddle.zeros([rows], "bool")
        length = 1
        while length < self.longest and not done.all():
            at = length - 1
            token = first if at == 0 else text[:, at]
            logits = self.step(token, paddle.to_tensor(at), keys, values)
            token = paddle.where(done, paddle.full([], self.end, "int64"), logits.argmax(-1))
            text[:, length] = token
            done = done | (token == self.end)
            length += 1
        return text, length


class Speech(nn.Layer):
    """A decoder after Tacotron: frames by a GRU over attention, until the gate stops it."""

    def __init__(self, width=6, bands=4, longest=12):
        super().__init__()
        self.prenet = nn.Sequential(nn.Linear(bands, width), nn.ReLU(), nn.Dropout(0.5))
        self.cell = nn.GRUCell(2 * width, width)
        self.frame, self.gate = nn.Linear(2 * width, bands), nn.Linear(2 * width, 1)
        self.longest, self.bands, self.width = longest, bands, width

    def attend(self, query, memory):
        weights = F.softmax((memory @ query.unsqueeze(-1)).squeeze(-1))
        return (weights.unsqueeze(1) @ memory).squeeze(1)

    def forward(self, memory):
        rows = memory.shape[0]
        frame = paddle.zeros([rows, self.bands])
        state = paddle.zeros([rows, self.width])
        context = memory.mean(1)
        frames = paddle.zeros([rows, self.longest, self.bands])
        i = 0
        while i < self.longest:
            state, _ = self.cell(paddle.concat([self.prenet(frame), context], -1), state)
            context = self.attend(state, memory)
            both = paddle.concat([state, context], -1)
            frame = self.frame(both)
            frames[:, i] = frame
            i += 1
            if F.sigmoid(self.gate(both)).min() > 0.62:
                break
        return frames, i


def texts(number):
    return paddle.to_tensor(np.random.default_rng(number).integers(1, 7, [3]))


def memories(number):
    scale = 4.0 if number % 2 else 1.0
    array = np.random.default_rng(number).normal(size=[2, 5, 6]) * scale
    return paddle.to_tensor(array, "float32")


@pytest.mark.parametrize(
    ("net", "inputs", "spec"),
    [
        (GreedyText, texts, InputSpec([None], "int64")),
        pytest.param(Speech, memories, InputSpec([None, None, 6]), marks=pytest.mark.deep),
    ],
)
def test_a_decoder_with_while(net, inputs, spec, tmp_path):
    paddle.seed(4)
    net = net()
    net.eval()
    if isinstance(net, GreedyText):
        net.head.bias.set_value(np.array([0.6] + [0] * 6, "float32"))
    else:
        net.gate.bias.set_value(np.array([0.3], "float32"))
    paddle.jit.save(net, f"{tmp_path}/net", [spec])
    loaded = paddle.jit.load(f"{tmp_path}/net")
    marked = paddle.jit.to_static(net.forward, full_graph=True)
    lengths = set()
    for number in range(6):
        wanted, length = net(inputs(number))
        lengths.add(int(length))
        for run in (marked, loaded):
            found, count = run(inputs(number))
            assert int(count) == int(length)
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert len(lengths) > 1
