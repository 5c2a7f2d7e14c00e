"""Recommenders, physics and graphs: twenty steps from the same weights."""

import itertools

from ..probe import array
from ..registry import program
from ..training import ids_drawn, numbers, set_weights, trained

# ---- recommenders


@program
def training_a_recommender_of_crossed_features(paddle, np):
    """DeepFM: sparse tables, products of pairs, lazy Adam, its AUC."""
    nn, F = paddle.nn, paddle.nn.functional

    class DeepFM(nn.Layer):
        def __init__(self, count=40, fields=4, dense=3, size=5):
            super().__init__()
            sparse = paddle.ParamAttr(initializer=nn.initializer.TruncatedNormal(0.0, 0.1))
            self.first = nn.Embedding(count, 1, sparse=True, weight_attr=sparse)
            self.second = nn.Embedding(count, size, padding_idx=0, sparse=True, weight_attr=sparse)
            self.dense = self.create_parameter([1, dense, size])
            sizes, layers = [(fields + dense) * size, 16, 8], []
            for number, (inside, outside) in enumerate(itertools.pairwise(sizes)):
                layers += [nn.Linear(inside, outside), nn.ReLU()]
                self.add_sublayer(f"linear_{number}", layers[-2])
            self.deep, self.out = layers, nn.Linear(8, 1)

        def forward(self, ids, dense):
            y = self.first(ids).sum(1)
            x = paddle.concat([self.second(ids), dense.unsqueeze(2) * self.dense], axis=1)
            crossed = 0.5 * (x.sum(1).square() - x.square().sum(1)).sum(1, keepdim=True)
            x = x.flatten(1)
            for each in self.deep:
                x = each(x)
            return F.sigmoid(y + crossed + self.out(x))

    model = set_weights(paddle, np, DeepFM())
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters(), lazy_mode=True)
    ids, dense = ids_drawn(np, (8, 4), 40), numbers(np, (8, 3))
    labels = (ids.sum(1, keepdims=True) % 2).astype("float32")
    auc = paddle.metric.Auc()

    def loss_of(_):
        found = model(paddle.to_tensor(ids), paddle.to_tensor(dense))
        auc.update(np.concatenate([1 - array(found), array(found)], axis=1), labels)
        return F.log_loss(found, paddle.to_tensor(labels)).mean()

    return [trained(optimizer, loss_of), float(auc.accumulate()), array(model.second.weight)[:3]]


@program(is_deep=True)
def training_two_towers(paddle, np):
    """Users and things by the negatives of their batch; cosine likeness, Ftrl-like momentum."""
    nn, F = paddle.nn, paddle.nn.functional
    users, things = nn.Embedding(12, 6), nn.Embedding(15, 6)
    towers = nn.LayerList(
        [nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4)) for _ in "ab"]
    )
    for each in (users, things, towers):
        set_weights(paddle, np, each)
    both = [*users.parameters(), *things.parameters(), *towers.parameters()]
    optimizer = paddle.optimizer.Momentum(0.1, 0.9, parameters=both, weight_decay=1e-4)
    who, what = ids_drawn(np, (20, 6), 12), ids_drawn(np, (20, 6), 15, 4)

    def loss_of(step):
        one = towers[0](users(paddle.to_tensor(who[step])))
        two = towers[1](things(paddle.to_tensor(what[step])))
        scores = F.cosine_similarity(one.unsqueeze(1), two.unsqueeze(0), axis=2) / 0.2
        return F.cross_entropy(scores, paddle.arange(6))

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_interest_in_what_was_seen(paddle, np):
    """Attention over a history of any length, a Dice-like activation, a loss with class weights."""
    nn, F = paddle.nn, paddle.nn.functional

    class Interest(nn.Layer):
        def __init__(self):
            super().__init__()
            self.things = nn.Embedding(20, 6, padding_idx=0)
            self.weigh = nn.Sequential(nn.Linear(24, 8), nn.Sigmoid(), nn.Linear(8, 1))
            self.norm = nn.BatchNorm1D(12, momentum=0.8, weight_attr=False, bias_attr=False)
            self.alpha = self.create_parameter([12], is_bias=True)
            self.out = nn.Linear(12, 2)

        def forward(self, history, thing):
            seen, asked = self.things(history), self.things(thing).unsqueeze(1)
            asked = asked.expand_as(seen)
            scores = self.weigh(paddle.concat([seen, asked, seen - asked, seen * asked], -1))
            absent = (history == 0).unsqueeze(-1)
            scores = paddle.where(absent, paddle.full_like(scores, -1e9), scores)
            x = (F.softmax(scores / 6**0.5, axis=1) * seen).sum(1)
            x = paddle.concat([x, asked[:, 0]], axis=1)
            part = F.sigmoid(self.norm(x))
            return self.out(part * x + (1 - part) * self.alpha * x)

    model = set_weights(paddle, np, Interest())
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters(), amsgrad=True)
    history = ids_drawn(np, (6, 5), 19) + 1
    history *= np.arange(5) < np.array([5, 3, 4, 1, 2, 5])[:, None]
    thing, labels = ids_drawn(np, (6,), 19, 4) + 1, np.arange(6) % 2

    def loss_of(_):
        logits = model(paddle.to_tensor(history), paddle.to_tensor(thing))
        weights = paddle.to_tensor([0.4, 1.6])
        return F.cross_entropy(logits, paddle.to_tensor(labels), weight=weights)

    return [trained(optimizer, loss_of), array(model.things.weight)[0]]


# ---- physics and mathematics


@program
def training_a_solution_of_a_differential_equation(paddle, np):
    """Burgers' equation: first and second derivatives by paddle.grad are in the loss."""
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1))
    set_weights(paddle, np, net)
    optimizer = paddle.optimizer.Adam(5e-3, parameters=net.parameters())
    draw = np.random.default_rng(1)
    inside, first = draw.uniform(-1, 1, (2, 16, 1)).astype("float32"), np.zeros((16, 1), "float32")

    def loss_of(_):
        x, t = (paddle.to_tensor(each, stop_gradient=False) for each in inside)
        u = net(paddle.concat([x, t], axis=1))
        (by_x,) = paddle.grad(u.sum(), x, create_graph=True)
        (by_t,) = paddle.grad(u.sum(), t, create_graph=True)
        (by_xx,) = paddle.grad(by_x.sum(), x, create_graph=True)
        missed = by_t + u * by_x - (0.01 / np.pi) * by_xx
        start = net(paddle.concat([x.detach(), paddle.to_tensor(first)], axis=1))
        wanted = -paddle.sin(np.pi * x.detach())
        return missed.square().mean() + (start - wanted).square().mean()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_a_flow_of_an_equation(paddle, np):
    """Four steps of Runge-Kutta through a network; a loss of ends and of the way."""
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(2, 10), nn.Softsign(), nn.Linear(10, 2))
    set_weights(paddle, np, net)
    optimizer = paddle.optimizer.AdamW(0.01, parameters=net.parameters())
    start, end = paddle.to_tensor(numbers(np, (5, 2))), paddle.to_tensor(numbers(np, (5, 2), 4))

    def loss_of(_):
        x, h, energy = start, 0.25, 0.0
        for _ in range(4):
            k1 = net(x)
            k2 = net(x + h / 2 * k1)
            k3 = net(x + h / 2 * k2)
            k4 = net(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            energy = energy + h * k1.pow(2).sum(-1).mean()
        return paddle.dist(x, end, p=2) + 0.01 * energy

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_an_operator_of_frequencies(paddle, np):
    """A Fourier neural operator: complex weights as two real ones, rfft and irfft."""
    nn, F = paddle.nn, paddle.nn.functional

    class Spectral(nn.Layer):
        def __init__(self, width=4, modes=3):
            super().__init__()
            self.modes = modes
            self.weight = self.create_parameter([width, width, modes, 2])
            self.beside = nn.Conv1D(width, width, 1)

        def forward(self, x):
            spectrum = paddle.fft.rfft(x, axis=-1)
            low = paddle.einsum(
                "bim,iom->bom", spectrum[..., : self.modes], paddle.as_complex(self.weight)
            )
            rest = paddle.zeros([*low.shape[:2], spectrum.shape[-1] - self.modes], "complex64")
            low = paddle.fft.irfft(paddle.concat([low, rest], axis=-1), n=x.shape[-1], axis=-1)
            return F.gelu(low + self.beside(x))

    net = nn.Sequential(nn.Conv1D(1, 4, 1), Spectral(), Spectral(), nn.Conv1D(4, 1, 1))
    set_weights(paddle, np, net)
    optimizer = paddle.optimizer.Adam(5e-3, parameters=net.parameters())
    x = paddle.to_tensor(numbers(np, (3, 1, 16)))
    wanted = paddle.cumsum(x, axis=-1) / 4

    def loss_of(_):
        missed = (net(x) - wanted).flatten(1).norm(p=2, axis=1)
        return (missed / wanted.flatten(1).norm(p=2, axis=1)).mean()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_a_process_of_gauss(paddle, np):
    """The marginal likelihood by Cholesky, in float64; predictions with their variance."""
    scale, length, noise = (
        paddle.create_parameter(
            [1], "float64", default_initializer=paddle.nn.initializer.Constant(v)
        )
        for v in (0.0, -0.5, -2.0)
    )
    optimizer = paddle.optimizer.Rprop(
        0.02, parameters=[scale, length, noise], learning_rate_range=(1e-5, 0.5)
    )
    x = paddle.to_tensor(np.linspace(-1, 1, 9)[:, None])
    y = paddle.sin(3 * x) + 0.1 * paddle.cos(17 * x)
    y.stop_gradient = False  # without it Paddle's backward ends the process

    def kernel(a, b):
        return scale.exp() * paddle.exp(-0.5 * paddle.cdist(a, b).square() / length.exp() ** 2)

    def loss_of(_):
        root = paddle.linalg.cholesky(
            kernel(x, x) + (noise.exp() + 1e-6) * paddle.eye(9, dtype="float64")
        )
        alpha = paddle.linalg.cholesky_solve(y, root)
        return 0.5 * (y * alpha).sum() + root.diagonal().log().sum()

    result = trained(optimizer, loss_of)
    new = paddle.to_tensor([[0.05], [0.7]], dtype="float64")
    root = paddle.linalg.cholesky(kernel(x, x) + noise.exp() * paddle.eye(9, dtype="float64"))
    half = paddle.linalg.triangular_solve(root, kernel(x, new), upper=False)
    spread = kernel(new, new).diagonal() - half.square().sum(0)
    return [result, array(scale), array(spread)]


@program(is_deep=True)
def training_a_density_by_invertible_steps(paddle, np):
    """Affine couplings with their log-determinants under a distribution of independent normals."""
    nn, D = paddle.nn, paddle.distribution
    nets = nn.LayerList(
        [nn.Sequential(nn.Linear(1, 8), nn.Silu(), nn.Linear(8, 2)) for _ in range(3)]
    )
    set_weights(paddle, np, nets)
    optimizer = paddle.optimizer.Adam(0.01, parameters=nets.parameters())
    data = numbers(np, (12, 2))
    data[:, 1] += data[:, 0] ** 2
    base = D.Independent(D.Normal(paddle.zeros([2]), paddle.ones([2])), 1)

    def loss_of(_):
        x, total = paddle.to_tensor(data), 0.0
        for number, net in enumerate(nets):
            first, second = x[:, :1], x[:, 1:]
            if number % 2:
                first, second = second, first
            log_scale, shift = net(first).chunk(2, axis=1)
            second = second * paddle.exp(paddle.tanh(log_scale)) + shift
            total = total + paddle.tanh(log_scale).squeeze(1)
            x = paddle.concat([first, second][:: -1 if number % 2 else 1], axis=1)
        return -(base.log_prob(x) + total).mean()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_with_a_line_search(paddle, np):
    """L-BFGS with strong Wolfe steps on a least squares fit in float64."""
    paddle.set_default_dtype("float64")
    try:
        net = paddle.nn.Sequential(paddle.nn.Linear(3, 5), paddle.nn.Tanh(), paddle.nn.Linear(5, 1))
        set_weights(paddle, np, net)
        optimizer = paddle.optimizer.LBFGS(
            0.8, max_iter=4, history_size=5, line_search_fn="strong_wolfe",
            parameters=net.parameters(),
        )  # fmt: skip
        draw = np.random.default_rng(4)
        x, y = (paddle.to_tensor(draw.normal(size=(10, size))) for size in (3, 1))

        def closure():
            optimizer.clear_grad()
            loss = paddle.nn.functional.mse_loss(net(x), y)
            loss.backward()
            return loss

        return [float(optimizer.step(closure)) for _ in range(5)]
    finally:
        paddle.set_default_dtype("float32")


# ---- graphs


@program(is_deep=True)
def training_a_network_of_neighbours(paddle, np):
    """Messages along edges, means of neighbours, attention over edges, masked nodes."""
    nn, F, G = paddle.nn, paddle.nn.functional, paddle.geometric

    class Neighbours(nn.Layer):
        def __init__(self):
            super().__init__()
            self.own, self.near, self.out = nn.Linear(5, 8), nn.Linear(5, 8), nn.Linear(8, 3)
            self.score = nn.Linear(16, 1, bias_attr=False)

        def forward(self, x, source, target):
            mean = G.send_u_recv(x, source, target, reduce_op="mean", out_size=x.shape[0])
            x = F.relu(self.own(x) + self.near(mean))
            both = paddle.concat([x[source], x[target]], axis=1)
            score = F.leaky_relu(self.score(both), 0.2).exp()
            ones = paddle.ones([x.shape[0], 1])
            ones.stop_gradient = False  # without it Paddle's backward fails
            total = G.send_ue_recv(ones, score, source, target, "mul", "sum")
            x = G.send_ue_recv(x, score, source, target, "mul", "sum") / (total + 1e-9)
            return self.out(F.normalize(x, axis=1) * 2.0)

    net = set_weights(paddle, np, Neighbours())
    optimizer = paddle.optimizer.Adam(0.02, parameters=net.parameters(), weight_decay=5e-4)
    x = paddle.to_tensor(numbers(np, (7, 5)))
    source = paddle.to_tensor([0, 1, 2, 3, 4, 5, 6, 0, 2, 4])
    target = paddle.to_tensor([1, 2, 3, 4, 5, 6, 0, 3, 5, 1])
    known, labels = paddle.to_tensor([0, 2, 3, 5]), paddle.to_tensor([0, 1, 2, 1])

    def loss_of(_):
        logits = paddle.gather(net(x, source, target), known)
        return F.cross_entropy(logits, labels)

    return trained(optimizer, loss_of)
