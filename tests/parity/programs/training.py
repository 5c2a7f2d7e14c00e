"""Whole training runs from the same weights: the curves agree to 1e-4."""

from ..probe import names
from ..registry import program

CURVES = {
    "rtol": 1e-4,
    "reason": "float32 rounding of whole steps adds up; 1e-4 is what the project promises",
}


def _fill(np, layer, seed=101, scale=0.4):
    """Gives every parameter that is trained its values, by place and shape."""
    r = np.random.default_rng(seed)
    for parameter in layer.parameters():
        if not parameter.stop_gradient:
            parameter.set_value((r.normal(size=parameter.shape) * scale).astype("float32"))
    return layer


def _run(paddle, net, optimizer, batches, loss_of, scheduler=None):
    """Returns the loss of each step."""
    losses = []
    for x, y in batches:
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if scheduler is not None:
            scheduler.step()
        losses.append(float(loss))
    return losses


def _batches(paddle, np, shape, classes, steps=8, seed=102):
    r = np.random.default_rng(seed)
    for _ in range(steps):
        yield (
            paddle.to_tensor(r.normal(size=shape).astype("float32")),
            paddle.to_tensor(r.integers(0, classes, shape[0])),
        )


@program(**CURVES)
def training_a_perceptron(paddle, np):
    """Two layers, tanh, SGD on a regression."""
    nn = paddle.nn
    net = _fill(np, nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)))
    x = np.random.default_rng(103).normal(size=(16, 3)).astype("float32")
    y = np.sin(x.sum(1, keepdims=True))
    batches = [(paddle.to_tensor(x), paddle.to_tensor(y))] * 20
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    losses = _run(paddle, net, optimizer, batches, nn.functional.mse_loss)
    return [losses, losses[-1] < losses[0], [p.numpy() for p in net.parameters()]]


@program(**CURVES)
def training_lenet(paddle, np):
    """Convolutions, pooling, linear layers, Adam."""
    nn = paddle.nn
    net = nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Conv2D(4, 6, 3), nn.ReLU(), nn.MaxPool2D(2, 2),
        nn.Flatten(), nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4),
    )  # fmt: skip
    _fill(np, net)
    optimizer = paddle.optimizer.Adam(0.003, parameters=net.parameters())
    losses = _run(
        paddle, net, optimizer, _batches(paddle, np, (6, 1, 8, 8), 4), nn.CrossEntropyLoss()
    )
    return [losses, [p.numpy() for p in net.parameters()][:2]]


@program(**CURVES)
def training_with_batch_norm(paddle, np):
    """Convolution and batch norm under Momentum with weight decay, then evaluation."""
    nn = paddle.nn
    net = nn.Sequential(
        nn.Conv2D(2, 4, 3, bias_attr=False),
        nn.BatchNorm2D(4),
        nn.ReLU(),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(4, 3),
    )
    _fill(np, net)
    optimizer = paddle.optimizer.Momentum(0.05, parameters=net.parameters(), weight_decay=1e-3)
    losses = _run(
        paddle, net, optimizer, _batches(paddle, np, (8, 2, 6, 6), 3), nn.CrossEntropyLoss()
    )
    net.eval()
    x = paddle.to_tensor(np.random.default_rng(104).normal(size=(2, 2, 6, 6)).astype("float32"))
    return [losses, net(x).numpy(), net[1]._mean.numpy()]


def _block(paddle):
    """Returns a transformer block's class, written out of linear layers."""
    nn, F = paddle.nn, paddle.nn.functional

    class Block(nn.Layer):
        def __init__(self, width, heads):
            super().__init__()
            self.heads, self.width = heads, width
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

        def attend(self, x):
            batch, length = x.shape[0], x.shape[1]
            qkv = self.qkv(x).reshape([batch, length, 3, self.heads, self.width // self.heads])
            q, k, v = paddle.unbind(qkv.transpose([2, 0, 3, 1, 4]), axis=0)
            scores = paddle.matmul(q, k, transpose_y=True) * (self.width // self.heads) ** -0.5
            mask = paddle.triu(paddle.full([length, length], -1e9), 1)
            mixed = paddle.matmul(F.softmax(scores + mask, axis=-1), v)
            return self.out(mixed.transpose([0, 2, 1, 3]).reshape([batch, length, self.width]))

        def forward(self, x):
            x = x + self.attend(self.norm1(x))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    return Block(8, 2)


@program(**CURVES)
def training_a_transformer(paddle, np):
    """Embedding, two blocks, tied output, AdamW with a warm-up and global clipping."""
    nn = paddle.nn

    class Model(nn.Layer):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(5, 8)
            self.blocks = nn.LayerList([_block(paddle), _block(paddle)])
            self.norm = nn.LayerNorm(8)

        def forward(self, ids):
            x = self.tokens(ids) + self.places(paddle.arange(ids.shape[1]))
            for block in self.blocks:
                x = block(x)
            return paddle.matmul(self.norm(x), self.tokens.weight, transpose_y=True)

    net = _fill(np, Model(), scale=0.3)
    scheduler = paddle.optimizer.lr.LinearWarmup(0.01, warmup_steps=3, start_lr=0.001, end_lr=0.01)
    optimizer = paddle.optimizer.AdamW(
        scheduler,
        parameters=net.parameters(),
        weight_decay=0.05,
        grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    r = np.random.default_rng(105)
    ids = [r.integers(0, 11, (4, 6)) for _ in range(8)]
    batches = [(paddle.to_tensor(i[:, :-1]), paddle.to_tensor(i[:, 1:])) for i in ids]
    losses = _run(paddle, net, optimizer, batches, nn.CrossEntropyLoss(), scheduler)
    return {
        "losses": losses,
        "names": names([p.name for p in net.parameters()])[:6],
        "tokens": net.tokens.weight.numpy(),
    }


@program(**CURVES)
def training_from_a_loader(paddle, np):
    """An epoch over a DataLoader, evaluation under no_grad, accuracy."""
    nn, r = paddle.nn, np.random.default_rng(106)
    x = r.normal(size=(40, 4)).astype("float32")
    y = (x[:, 0] + x[:, 1] > 0).astype("int64")
    data = paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor(y)])
    net = _fill(np, nn.Sequential(nn.Linear(4, 6), nn.Sigmoid(), nn.Linear(6, 2)))
    optimizer = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    losses = []
    for _ in range(4):
        losses += _run(
            paddle, net, optimizer, paddle.io.DataLoader(data, batch_size=16), nn.CrossEntropyLoss()
        )
    net.eval()
    with paddle.no_grad():
        right = (
            (net(paddle.to_tensor(x)).argmax(axis=1) == paddle.to_tensor(y))
            .astype("float32")
            .mean()
        )
    return [losses, float(right)]


@program(**CURVES)
def gradient_accumulation(paddle, np):
    """Two half batches before each step give the whole batch's step."""
    nn = paddle.nn
    x = np.random.default_rng(107).normal(size=(8, 3)).astype("float32")
    nets = [_fill(np, nn.Linear(3, 2)) for _ in range(2)]
    for net, pieces in zip(nets, ([x], [x[:4], x[4:]]), strict=True):
        optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        for _ in range(3):
            for piece in pieces:
                (net(paddle.to_tensor(piece)) ** 2).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
    return [[p.numpy() for p in net.parameters()] for net in nets]


@program(**CURVES)
def fine_tuning(paddle, np):
    """A frozen body, a trained head: only the head moves."""
    nn = paddle.nn
    body, head = _fill(np, nn.Linear(3, 4)), _fill(np, nn.Linear(4, 2), seed=108)
    for parameter in body.parameters():
        parameter.stop_gradient = True
    before = body.weight.numpy()
    optimizer = paddle.optimizer.Adam(0.1, parameters=[*body.parameters(), *head.parameters()])
    net = nn.Sequential(body, nn.Tanh(), head)
    losses = _run(
        paddle, net, optimizer, _batches(paddle, np, (6, 3), 2, steps=4), nn.CrossEntropyLoss()
    )
    return [losses, bool((body.weight.numpy() == before).all()), head.weight.numpy()]


@program(**CURVES)
def training_with_plain_tensors(paddle, np):
    """Logistic regression with leaves and in-place updates under no_grad."""
    r = np.random.default_rng(109)
    x, y = r.normal(size=(20, 3)).astype("float32"), (r.normal(size=(20, 1)) > 0).astype("float32")
    w = paddle.to_tensor(np.zeros([3, 1], "float32"), stop_gradient=False)
    b = paddle.to_tensor(np.zeros([1], "float32"), stop_gradient=False)
    losses = []
    for _ in range(10):
        p = paddle.nn.functional.sigmoid(paddle.to_tensor(x) @ w + b)
        loss = -(
            paddle.to_tensor(y) * paddle.log(p) + (1 - paddle.to_tensor(y)) * paddle.log(1 - p)
        ).mean()
        loss.backward()
        with paddle.no_grad():
            w.subtract_(w.grad * 0.5)
            b.subtract_(b.grad * 0.5)
        w.clear_grad()
        b.clear_grad()
        losses.append(float(loss))
    return [losses, w.numpy(), b.numpy(), w.inplace_version]
