"""Whole programs as users write them: ten steps of five usual models, and the losses they give.

Weights are NumPy draws seeded by the names of the parameters, so both libraries begin alike.
"""

import zlib

from ..probe import array
from ..registry import program

STEPS = 10
REASON = "ten steps of training add up the rounding of every sum before"


def draw_weights(np, network, scale=0.3):
    """Fills all but the scales of a network with numbers that depend on their names alone."""
    for name, parameter in network.named_parameters():
        if parameter.ndim > 1 or "bias" in name:
            draw = np.random.RandomState(zlib.crc32(name.encode()))
            value = draw.standard_normal(parameter.shape) * scale
            parameter.set_value(value.astype("float32"))


@program(rtol=2e-4, reason=REASON)
def image_classification(paddle, np):
    nn = paddle.nn
    draw = np.random.RandomState(0)

    class Pictures(paddle.io.Dataset):
        def __init__(self, count):
            super().__init__()
            self.labels = draw.randint(0, 3, count)
            noise = draw.standard_normal((count, 1, 8, 8)) * 0.3
            self.images = (noise + self.labels.reshape(-1, 1, 1, 1)).astype("float32")

        def __getitem__(self, index):
            return self.images[index], self.labels[index]

        def __len__(self):
            return len(self.labels)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2D(1, 4, 3, padding=1, bias_attr=False),
                nn.BatchNorm2D(4),
                nn.ReLU(),
                nn.MaxPool2D(2),
                nn.Conv2D(4, 8, 3, padding=1),
                nn.BatchNorm2D(8),
                nn.ReLU(),
                nn.AdaptiveAvgPool2D(1),
            )
            self.head = nn.Linear(8, 3)

        def forward(self, x):
            return self.head(paddle.flatten(self.features(x), 1))

    net = Net()
    draw_weights(np, net)
    schedule = paddle.optimizer.lr.StepDecay(0.1, step_size=4, gamma=0.5)
    optimizer = paddle.optimizer.Momentum(
        schedule, 0.9, parameters=net.parameters(), weight_decay=1e-4
    )
    criterion, accuracy = nn.CrossEntropyLoss(), paddle.metric.Accuracy()
    losses = []
    for images, labels in paddle.io.DataLoader(Pictures(16 * STEPS), batch_size=16):
        loss = criterion(net(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(float(loss))
    net.eval()
    with paddle.no_grad():
        for images, labels in paddle.io.DataLoader(Pictures(24), batch_size=8):
            accuracy.update(accuracy.compute(net(images), labels.reshape([-1, 1])))
    return {
        "losses": losses,
        "accuracy": float(accuracy.accumulate()),
        "rate": optimizer.get_lr(),
        "mean": array(net.features[1]._mean),
        "keys": list(net.state_dict()),
    }


@program(rtol=2e-4, reason=REASON)
def text_classification(paddle, np):
    nn, F = paddle.nn, paddle.nn.functional
    draw = np.random.RandomState(1)

    class Classifier(nn.Layer):
        def __init__(self, words, size, hidden, classes):
            super().__init__()
            self.embedding = nn.Embedding(words, size, padding_idx=0)
            self.lstm = nn.LSTM(size, hidden, num_layers=2, direction="bidirect")
            self.norm = nn.LayerNorm(2 * hidden)
            self.head = nn.Linear(2 * hidden, classes)

        def forward(self, tokens, lengths):
            states, (last, _) = self.lstm(self.embedding(tokens), sequence_length=lengths)
            mask = F.sequence_mask(lengths, maxlen=tokens.shape[1], dtype="float32")
            total = paddle.sum(states * mask.unsqueeze(-1), axis=1)
            mean = total / lengths.astype("float32").unsqueeze(-1)
            return self.head(self.norm(mean + paddle.concat([last[-2], last[-1]], axis=-1)))

    def batch(size=8, longest=7):
        lengths = draw.randint(2, longest + 1, size)
        tokens = draw.randint(1, 20, (size, longest))
        tokens[np.arange(longest) >= lengths.reshape(-1, 1)] = 0
        labels = (tokens[:, 0] > 10).astype("int64")
        return [paddle.to_tensor(each) for each in (tokens, lengths, labels)]

    model = Classifier(20, 6, 5, 2)
    draw_weights(np, model)
    with paddle.no_grad():
        model.embedding.weight[0] = 0.0
    optimizer = paddle.optimizer.Adam(
        learning_rate=0.02,
        parameters=model.parameters(),
        grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    losses = []
    for _ in range(STEPS):
        tokens, lengths, labels = batch()
        logits = model(tokens, lengths)
        loss = F.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    model.eval()
    tokens, lengths, labels = batch()
    guesses = paddle.argmax(model(tokens, lengths), axis=-1)
    return {
        "losses": losses,
        "right": int((guesses == labels).sum()),
        "padding": array(model.embedding.weight[0]),
    }


@program(rtol=5e-4, reason=REASON)
def variational_autoencoder(paddle, np):
    nn, F, distribution = paddle.nn, paddle.nn.functional, paddle.distribution
    draw = np.random.RandomState(2)

    class VAE(nn.Layer):
        def __init__(self, size, hidden, latent):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(size, hidden), nn.Tanh())
            self.mean = nn.Linear(hidden, latent)
            self.log_variance = nn.Linear(hidden, latent)
            self.decoder = nn.Sequential(
                nn.Linear(latent, hidden), nn.Silu(), nn.Linear(hidden, size)
            )

        def encode(self, x):
            hidden = self.encoder(x)
            return self.mean(hidden), self.log_variance(hidden)

        def forward(self, x, noise):
            mean, log_variance = self.encode(x)
            posterior = distribution.Normal(mean, paddle.exp(0.5 * log_variance))
            return self.decoder(posterior.loc + noise * posterior.scale), posterior

    def loss_of(logits, posterior, x):
        reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        prior = distribution.Normal(paddle.zeros([2]), paddle.ones([2]))
        divergence = distribution.kl_divergence(posterior, prior).sum()
        return (reconstruction + divergence) / x.shape[0], divergence

    model = VAE(12, 8, 2)
    draw_weights(np, model)
    optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters(), weight_decay=0.01)
    losses, divergences = [], []
    for _ in range(STEPS):
        x = paddle.to_tensor((draw.uniform(size=(16, 12)) < 0.3).astype("float32"))
        noise = paddle.to_tensor(draw.standard_normal((16, 2)).astype("float32"))
        loss, divergence = loss_of(*model(x, noise), x)
        optimizer.clear_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
        divergences.append(float(divergence))
    with paddle.no_grad():
        picture = F.sigmoid(model.decoder(paddle.to_tensor([[0.5, -1.0]])))
    return {"losses": losses, "divergences": divergences, "picture": array(picture)}


@program(rtol=5e-4, reason=REASON)
def small_gpt(paddle, np):
    nn, F = paddle.nn, paddle.nn.functional

    class Block(nn.Layer):
        def __init__(self, size, heads):
            super().__init__()
            self.before, self.between = nn.LayerNorm(size), nn.LayerNorm(size)
            self.attention = nn.MultiHeadAttention(size, heads, dropout=0.0)
            self.mlp = nn.Sequential(
                nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size)
            )

        def forward(self, x, mask):
            normed = self.before(x)
            x = x + self.attention(normed, normed, normed, attn_mask=mask)
            return x + self.mlp(self.between(x))

    class GPT(nn.Layer):
        def __init__(self, words, size, heads, depth, longest):
            super().__init__()
            self.words = nn.Embedding(words, size)
            self.places = nn.Embedding(longest, size)
            self.blocks = nn.LayerList([Block(size, heads) for _ in range(depth)])
            self.norm = nn.LayerNorm(size)

        def forward(self, tokens):
            length = tokens.shape[1]
            mask = paddle.triu(paddle.full([length, length], float("-inf")), 1)
            x = self.words(tokens) + self.places(paddle.arange(length))
            for block in self.blocks:
                x = block(x, mask)
            return paddle.matmul(self.norm(x), self.words.weight, transpose_y=True)

    model = GPT(words=11, size=8, heads=2, depth=2, longest=9)
    draw_weights(np, model, 0.2)
    cosine = paddle.optimizer.lr.CosineAnnealingDecay(0.02, T_max=STEPS)
    schedule = paddle.optimizer.lr.LinearWarmup(cosine, 4, start_lr=0.0, end_lr=0.02)
    kept = [p.name for n, p in model.named_parameters() if "norm" not in n and p.ndim > 1]
    optimizer = paddle.optimizer.AdamW(
        schedule,
        beta2=0.95,
        parameters=model.parameters(),
        weight_decay=0.1,
        apply_decay_param_fun=lambda name: name in kept,
        grad_clip=nn.ClipGradByGlobalNorm(1.0),
    )
    text = paddle.to_tensor((np.arange(4 * 9).reshape(4, 9) * 3 + np.arange(4)[:, None]) % 11)
    losses, rates = [], []
    for _ in range(STEPS):
        logits = model(text[:, :-1])
        loss = F.cross_entropy(logits.reshape([-1, 11]), text[:, 1:].reshape([-1]))
        loss.backward()
        optimizer.step()
        schedule.step()
        optimizer.clear_grad()
        losses.append(loss.item())
        rates.append(optimizer.get_lr())
    model.eval()
    written = text[:1, :3]
    with paddle.no_grad():
        for _ in range(4):
            following = model(written)[:, -1].argmax(-1, keepdim=True)
            written = paddle.concat([written, following], axis=1)
    return {"losses": losses, "rates": rates, "written": array(written)}


@program(rtol=2e-4, reason=REASON)
def graph_network(paddle, np):
    nn, F, geometric = paddle.nn, paddle.nn.functional, paddle.geometric
    draw = np.random.RandomState(4)

    class Convolution(nn.Layer):
        def __init__(self, size, out):
            super().__init__()
            self.own, self.around = nn.Linear(size, out), nn.Linear(size, out, bias_attr=False)

        def forward(self, x, sources, targets):
            near = geometric.send_u_recv(x, sources, targets, "mean", out_size=x.shape[0])
            return self.own(x) + self.around(near)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.second = Convolution(4, 8), Convolution(8, 8)
            self.edge = nn.Linear(8, 1)
            self.head = nn.Linear(8, 2)

        def forward(self, x, sources, targets, graphs):
            x = F.relu(self.first(x, sources, targets))
            x = F.relu(self.second(x, sources, targets))
            weight = F.sigmoid(self.edge(geometric.send_uv(x, x, sources, targets, "mul")))
            x = x + geometric.send_ue_recv(x, weight, sources, targets, "mul", "sum", x.shape[0])
            return self.head(geometric.segment_mean(x, graphs))

    def batch(count=6, nodes=5, edges=8):
        graphs = np.repeat(np.arange(count), nodes)
        ends = draw.randint(0, nodes, (2, count, edges)) + nodes * np.arange(count)[:, None]
        x = draw.standard_normal((count * nodes, 4)).astype("float32")
        labels = (x[:, 0].reshape(count, nodes).sum(1) > 0).astype("int64")
        sources, targets = ends.reshape(2, -1)
        return [paddle.to_tensor(each) for each in (x, sources, targets, graphs, labels)]

    net = Net()
    draw_weights(np, net)
    optimizer = paddle.optimizer.Adam(learning_rate=0.03, parameters=net.parameters())
    losses = []
    for _ in range(STEPS):
        *inputs, labels = batch()
        loss = F.cross_entropy(net(*inputs), labels)
        optimizer.clear_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.numpy()))
    x, sources, targets, graphs, _ = batch()
    x.stop_gradient = False
    net(x, sources, targets, graphs)[:, 1].sum().backward()
    return {"losses": losses, "importance": array(x.grad.abs().sum(-1))}
