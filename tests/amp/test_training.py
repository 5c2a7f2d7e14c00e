"""Networks train in mixed precision, with both dtypes and at both levels."""

import numpy as np
import pytest

import jaxeager as paddle

nn, F = paddle.nn, paddle.nn.functional
CASES = [(level, dtype) for level in ("O1", "O2") for dtype in ("float16", "bfloat16")]
# The conv net trains in each dtype and at each level; O1 with bfloat16 below.
USUAL = {"ConvNet-images-O1-float16", "ConvNet-images-O2-float16", "ConvNet-images-O2-bfloat16"}


class ConvNet(nn.Layer):
    """Two convolutions, a batch norm, pooling and a linear layer."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2),
            nn.Conv2D(4, 4, 3, bias_attr=False), nn.ReLU(),
        )  # fmt: skip
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class Classifier(nn.Layer):
    """An embedding, a transformer layer and a linear layer."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu")
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.block(self.embedding(x)).mean(1))


def images():
    draw = np.random.RandomState(0)
    return paddle.to_tensor(draw.randn(12, 1, 8, 8).astype("float32"))


def words():
    return paddle.to_tensor(np.random.RandomState(0).randint(0, 11, (12, 5)))


LABELS = np.arange(12) % 3


def train(make, batch, level, dtype, steps=20):
    """Train on one batch; return the losses, the network and the optimizer."""
    paddle.seed(7)
    net = make()
    adam = paddle.optimizer.AdamW(0.02, parameters=net.parameters())
    net, adam = paddle.amp.decorate(net, adam, level, dtype)
    scaler = paddle.amp.GradScaler(enable=dtype == "float16", init_loss_scaling=1024.0)
    labels, losses = paddle.to_tensor(LABELS), []
    for _ in range(steps):
        with paddle.amp.auto_cast(level=level, dtype=dtype):
            logits = net(batch)
            loss = F.cross_entropy(logits.astype("float32"), labels)
        scaler.scale(loss).backward()
        scaler.step(adam)
        scaler.update()
        assert all(p.grad.dtype == p.dtype for p in net.parameters() if not p.stop_gradient)
        adam.clear_grad()
        losses.append(loss.item())
    return losses, net, adam


@pytest.mark.parametrize(
    ("make", "batch", "level", "dtype"),
    [
        pytest.param(make, batch, *case, id=name, marks=() if name in USUAL else pytest.mark.deep)
        for make, batch in ((ConvNet, images), (Classifier, words))
        for case in CASES
        for name in ["-".join((make.__name__, batch.__name__, *case))]
    ],
)
def test_loss_goes_down(make, batch, level, dtype):
    losses, net, adam = train(make, batch(), level, dtype)
    assert np.isfinite(losses).all()
    assert losses[-1] < 0.3 * losses[0]
    masters = adam.state_dict().get("master_weights", {})
    halves = [p for p in net.parameters() if p.dtype.name == dtype]
    assert len(masters) == len(halves) == (0 if level == "O1" else len(halves))
    assert (level == "O2") == bool(halves)
    for param in halves:
        master = masters[param.name]
        assert master.dtype == paddle.float32
        np.testing.assert_array_equal(master.astype(dtype).numpy(), param.numpy())


def test_mixed_precision_follows_float32():
    plain, _, _ = train(ConvNet, images(), "O1", "bfloat16", steps=4)
    with pytest.MonkeyPatch.context() as patch:
        off = paddle.amp.auto_cast(enable=False)
        patch.setattr(paddle.amp, "auto_cast", lambda **arguments: off)
        wanted, _, _ = train(ConvNet, images(), "O1", "bfloat16", steps=4)
    np.testing.assert_allclose(plain, wanted, rtol=0.05)
    assert plain != wanted


def test_float16_without_a_scale_loses_small_gradients():
    """GradScaler prevents this."""

    def gradient(scale):
        x = paddle.to_tensor([1.0], stop_gradient=False)
        with paddle.amp.auto_cast(level="O2", use_promote=False):
            y = x * 1e-5
        (y.astype("float32") * 1e-3 * scale).backward()
        return x.grad.item() / scale

    assert gradient(1.0) == 0.0
    assert gradient(65536.0) == pytest.approx(1e-8, rel=1e-2)
