"""Ops on shapes that are not known while a program is written."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.core import symbolic
from jaxeager.jit.saved_model.open_sizes import attempts
from jaxeager.nn import functional as F
from jaxeager.static import InputSpec


class Net(paddle.nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def written(x, y):
    x = x.clone()
    x[:, 0] = 1.0
    x[-1] = y[0]
    return x


GROUPS = {
    "indices": lambda x, y: [
        x[:, 1:], x[:, :-1], x[-1], x[..., None], x[:, ::2], x[::-1], written(x, y),
        paddle.gather(x, x.argmax(-1) % 2, axis=1), x.masked_fill(x > 0, 0.0),
        paddle.take_along_axis(x, x.argsort(-1), axis=-1), x.split(2, axis=1)[1],
    ],
    "shapes": lambda x, y: [
        x.reshape([-1]), x.reshape([x.shape[0], 2, -1]), x.flatten(), x.T, x.tile([2, 1]),
        x[:1].expand([x.shape[0], 4]), x.unsqueeze(1).expand_as(x.unsqueeze(1)), x.roll(1, 0),
        paddle.stack([x, y], 1), paddle.concat([x, y]), F.pad(x, [1, 0, 0, 1]),
    ],
    "new": lambda x, y: [
        paddle.zeros([x.shape[0], 2]), paddle.ones(x.shape), paddle.full([x.shape[0]], 3.0),
        paddle.arange(x.shape[0]), paddle.arange(1, x.shape[0], dtype="float32"),
        paddle.tril(paddle.ones([x.shape[0], x.shape[0]])), paddle.shape(x), x.numel(),
        F.sequence_mask(paddle.full([x.shape[0]], 2, "int64"), maxlen=x.shape[0]),
    ],
    "sums": lambda x, y: [
        x.mean(), x.std(0), x.sum() / x.shape[0], x * x.shape[0], x.shape[0] - x, x.prod(0),
        x.cumsum(0), x.sort(0), F.softmax(x, 0), F.layer_norm(x, [4]), F.cosine_similarity(x, y),
        paddle.where(x > y, x, paddle.zeros([4])), F.cross_entropy(x, x.argmax(-1)),
        paddle.cdist(x, y), x @ y.T, paddle.einsum("bi,bj->bij", x, y), x.logsumexp(0),
    ],
}  # fmt: skip


@pytest.mark.parametrize("group", GROUPS)
def test_ops_on_sizes_that_are_not_known(group, tmp_path):
    net = Net(GROUPS[group])
    paddle.jit.save(net, f"{tmp_path}/net", [InputSpec([None, 4])] * 2)
    loaded = paddle.jit.load(f"{tmp_path}/net")
    for count in (3, 6):
        draws = np.random.default_rng(count)
        given = [paddle.to_tensor(draws.normal(size=(count, 4)).astype("float32")) for _ in "xy"]
        for number, (found, wanted) in enumerate(zip(loaded(*given), net(*given), strict=True)):
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), number
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=2e-5, atol=1e-6)


def test_which_sizes_are_taken_for_equal():
    specs = [InputSpec([None, None, 8]), InputSpec([None, 3, None])]
    shapes = [[str(shape) for shape in each.shapes] for each in attempts(specs, False)]
    assert shapes == [
        ["(batch, size1, 8)", "(batch_1, 3, size2_1)"],
        ["(batch, size1, 8)", "(batch, 3, size2_1)"],
        ["(batch, size1, 8)", "(batch, 3, size2)"],
    ]
    called = [[str(shape) for shape in each.shapes] for each in attempts(specs[:1], True)]
    assert called == [["(batch, size1, 8)"], ["(-1, -1, 8)"]]
    fixed = list(attempts([InputSpec([2, 3])], False))
    assert [(each.shapes, each.symbols) for each in fixed] == [([(2, 3)], [])]


def test_sizes_that_are_known():
    (batch,) = attempts([InputSpec([None, 3])], False).__next__().shapes[0][:1]
    assert symbolic.is_symbolic(batch)
    assert symbolic.known_size((batch, 3, 4)) == 12
    assert symbolic.has_symbols((2, batch))
    assert not symbolic.has_symbols((2, 3))
    assert symbolic.broadcast_shapes((batch, 1), (3,)) == (batch, 3)
    assert repr(paddle.Size([batch, 3])) == "paddle.Size([batch, 3])"


def test_attention_over_unknown_sizes(tmp_path):
    class Attention(paddle.nn.Layer):
        def forward(self, x):
            return paddle.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)

    spec = [paddle.static.InputSpec([None, None, 2, 4], "float32")]
    paddle.jit.save(Attention(), str(tmp_path / "attention"), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / "attention"))
    for shape in ([1, 3, 2, 4], [2, 5, 2, 4]):
        x = paddle.to_tensor(np.random.default_rng(0).normal(size=shape).astype("float32"))
        np.testing.assert_allclose(loaded(x).numpy(), Attention()(x).numpy(), rtol=1e-5, atol=1e-6)
