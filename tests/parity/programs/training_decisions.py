"""Decisions, series and mixtures: twenty steps from the same weights."""

from ..probe import array
from ..registry import program
from ..training import STEPS, ids_drawn, numbers, set_weights, trained

# ---- decisions


@program(is_deep=True)
def training_an_actor_and_its_critic(paddle, np):
    """Two optimizers, discounted returns, an entropy bonus, actions that NumPy drew."""
    nn, F, D = paddle.nn, paddle.nn.functional, paddle.distribution
    actor = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 3))
    critic = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 1))
    set_weights(paddle, np, actor)
    set_weights(paddle, np, critic)
    of_actor = paddle.optimizer.Adam(5e-3, parameters=actor.parameters())
    of_critic = paddle.optimizer.RMSProp(5e-3, parameters=critic.parameters())
    losses = []
    for step in range(STEPS):
        states, rewards = (
            paddle.to_tensor(numbers(np, (7, 4), step)),
            numbers(np, (7,), 90 + step),
        )
        actions, returns, total = paddle.to_tensor(ids_drawn(np, (7,), 3, step)), [], 0.0
        for reward in rewards[::-1]:
            total = float(reward) + 0.95 * total
            returns.insert(0, total)
        returns = paddle.to_tensor(returns, dtype="float32")
        policy = D.Categorical(logits=actor(states))
        values = critic(states).squeeze(-1)
        gain = returns - values.detach()
        chosen = F.log_softmax(actor(states), axis=-1)
        chosen = paddle.index_sample(chosen, actions.unsqueeze(1)).squeeze(1)
        of_policy = -(chosen * gain).mean() - 0.01 * policy.entropy().mean()
        of_values = F.smooth_l1_loss(values, returns)
        of_policy.backward()
        of_values.backward()
        for each in (of_actor, of_critic):
            each.step()
            each.clear_grad()
        losses.append([float(of_policy), float(of_values)])
    return losses


@program(is_deep=True)
def training_values_of_actions(paddle, np):
    """Double Q-learning: a target network that follows softly, clipped gradients by value."""
    nn, F = paddle.nn, paddle.nn.functional

    def network():
        return nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 3))

    net, target = set_weights(paddle, np, network()), network()
    target.set_state_dict(net.state_dict())
    optimizer = paddle.optimizer.AdamW(
        5e-3, parameters=net.parameters(), grad_clip=nn.ClipGradByValue(0.05)
    )

    def loss_of(step):
        now, then = (paddle.to_tensor(numbers(np, (8, 4), step + s)) for s in (0, 500))
        actions = paddle.to_tensor(ids_drawn(np, (8, 1), 3, step))
        rewards = paddle.to_tensor(numbers(np, (8,), 900 + step))
        over = paddle.to_tensor((ids_drawn(np, (8,), 5, step) == 0).astype("float32"))
        chosen = paddle.take_along_axis(net(now), actions, axis=1).squeeze(1)
        with paddle.no_grad():
            best = net(then).argmax(axis=1, keepdim=True)
            following = paddle.take_along_axis(target(then), best, axis=1).squeeze(1)
            wanted = rewards + 0.9 * (1 - over) * following
            for old, new in zip(target.parameters(), net.parameters(), strict=True):
                old.set_value(0.9 * old + 0.1 * new)
        return F.mse_loss(chosen, wanted)

    return [trained(optimizer, loss_of), array(target[0].weight)]


@program(
    is_deep=True,
    rtol=1e-3,
    reason="terms of size 1 cancel to 1e-2: the rounding of float32 is 1e-5",
)
def training_a_policy_within_bounds(paddle, np):
    """PPO: ratios of densities, clipped; normal actions with a learned spread; several epochs."""
    nn, D = paddle.nn, paddle.distribution

    class Policy(nn.Layer):
        def __init__(self):
            super().__init__()
            self.body, self.mean = nn.Linear(3, 8), nn.Linear(8, 2)
            self.log_std = self.create_parameter(
                [2], default_initializer=nn.initializer.Constant(-0.5)
            )

        def forward(self, x):
            return D.Normal(self.mean(paddle.tanh(self.body(x))), self.log_std.exp())

    policy = set_weights(paddle, np, Policy())
    optimizer = paddle.optimizer.Adam(0.01, parameters=policy.parameters(), epsilon=1e-5)
    states, actions = (
        paddle.to_tensor(numbers(np, (9, 3))),
        paddle.to_tensor(numbers(np, (9, 2), 4)),
    )
    gain = paddle.to_tensor(numbers(np, (9,), 5))
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    with paddle.no_grad():
        old = policy(states).log_prob(actions).sum(-1)

    def loss_of(_):
        found = policy(states)
        ratio = paddle.exp(found.log_prob(actions).sum(-1) - old)
        bounded = paddle.clip(ratio, 0.8, 1.2)
        return -paddle.minimum(ratio * gain, bounded * gain).mean() - 0.01 * found.entropy().mean()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_for_a_quick_start(paddle, np):
    """MAML with second derivatives: one inner step by paddle.grad, an outer Adam."""
    nn, F = paddle.nn, paddle.nn.functional
    first, second = (
        set_weights(paddle, np, nn.Linear(1, 10)),
        set_weights(paddle, np, nn.Linear(10, 1)),
    )
    weights = [*first.parameters(), *second.parameters()]
    optimizer = paddle.optimizer.Adam(0.01, parameters=weights)

    def run(x, values):
        return F.linear(F.tanh(F.linear(x, *values[:2])), *values[2:])

    def loss_of(step):
        total = 0.0
        for task in range(2):
            draw = np.random.default_rng(10 * step + task)
            x = draw.uniform(-2, 2, (6, 1)).astype("float32")
            y = np.sin(x + draw.uniform())
            near = F.mse_loss(run(paddle.to_tensor(x[:3]), weights), paddle.to_tensor(y[:3]))
            slopes = paddle.grad(near, weights, create_graph=True)
            fast = [w - 0.1 * g for w, g in zip(weights, slopes, strict=True)]
            total += F.mse_loss(run(paddle.to_tensor(x[3:]), fast), paddle.to_tensor(y[3:]))
        return total / 2

    return trained(optimizer, loss_of)


# ---- series and mixtures


@program(is_deep=True)
def training_a_forecast(paddle, np):
    """Dilated causal convolutions with weight norm, and a rate that falls on plateaus."""
    nn, F = paddle.nn, paddle.nn.functional

    class Block(nn.Layer):
        def __init__(self, inside, outside, dilation):
            super().__init__()
            self.pad = nn.Pad1D([2 * dilation, 0])
            conv = nn.Conv1D(inside, outside, 3, dilation=dilation)
            self.conv = nn.utils.weight_norm(conv)
            self.down = nn.Conv1D(inside, outside, 1) if inside != outside else nn.Identity()

        def forward(self, x):
            return F.relu(F.elu(self.conv(self.pad(x))) + self.down(x))

    net = nn.Sequential(Block(1, 4, 1), Block(4, 4, 2), Block(4, 4, 4))
    head = nn.Linear(4, 1)
    for each in (net, head):
        set_weights(paddle, np, each)
    rate = paddle.optimizer.lr.ReduceOnPlateau(0.02, factor=0.5, patience=2, threshold=0.05)
    both = [*net.parameters(), *head.parameters()]
    optimizer = paddle.optimizer.RMSProp(rate, rho=0.9, momentum=0.5, parameters=both)
    series = np.sin(np.arange(40) / 3).astype("float32") + 0.1 * numbers(np, (40,))
    x = np.stack([series[at : at + 12] for at in range(20)])[:, None]
    y, rates = series[12:32, None], []

    def loss_of(_):
        loss = F.smooth_l1_loss(
            head(net(paddle.to_tensor(x))[:, :, -1]), paddle.to_tensor(y), delta=0.3
        )
        rate.step(loss)
        rates.append(rate.last_lr)
        return loss

    return [trained(optimizer, loss_of), rates]


@program(is_deep=True)
def training_a_mixture_of_densities(paddle, np):
    """A mixture density network: logsumexp of components, softplus spreads, entropy of weights."""
    nn, F, D = paddle.nn, paddle.nn.functional, paddle.distribution
    net = set_weights(paddle, np, nn.Sequential(nn.Linear(1, 10), nn.Hardtanh(), nn.Linear(10, 9)))
    optimizer = paddle.optimizer.Adagrad(
        0.1, parameters=net.parameters(), initial_accumulator_value=0.01
    )
    x = np.linspace(-1, 1, 14, dtype="float32")[:, None]
    y = np.where(np.arange(14)[:, None] % 2, x, -x) + 0.05 * numbers(np, (14, 1))

    def loss_of(_):
        weights, means, spreads = net(paddle.to_tensor(x)).split(3, axis=1)
        each = D.Normal(means, F.softplus(spreads) + 1e-2).log_prob(paddle.to_tensor(y))
        return -paddle.logsumexp(F.log_softmax(weights, axis=1) + each, axis=1).mean()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_experts_and_their_gate(paddle, np):
    """The best two of four experts by topk and scatter, and a loss that balances them."""
    nn, F = paddle.nn, paddle.nn.functional
    gate = set_weights(paddle, np, nn.Linear(6, 4, bias_attr=False))
    experts = nn.LayerList(
        [nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 6)) for _ in range(4)]
    )
    set_weights(paddle, np, experts)
    both = [*gate.parameters(), *experts.parameters()]
    optimizer = paddle.optimizer.AdamW(0.01, parameters=both, weight_decay=0.01)
    x, wanted = paddle.to_tensor(numbers(np, (10, 6))), paddle.to_tensor(numbers(np, (10, 6), 4))

    def loss_of(_):
        shares = F.softmax(gate(x), axis=-1)
        best, which = paddle.topk(shares, 2, axis=-1)
        best = best / best.sum(-1, keepdim=True)
        out = paddle.zeros_like(x)
        for number, expert in enumerate(experts):
            rows, places = paddle.where(which == number)
            rows, places = rows.flatten(), places.flatten()
            if rows.shape[0] == 0:
                continue
            part = expert(paddle.index_select(x, rows)) * best[rows, places].unsqueeze(1)
            out = paddle.index_add(out, rows, 0, part)
        used = F.one_hot(which[:, 0], 4).mean(0)
        return F.mse_loss(out, wanted) + 0.01 * 4 * (used * shares.mean(0)).sum()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_by_parts_of_batches(paddle, np):
    """Gradients that add up over four parts, a clip of the sum, groups with rates of their own."""
    nn, F = paddle.nn, paddle.nn.functional
    body, head = (set_weights(paddle, np, nn.Linear(*sizes)) for sizes in ((6, 8), (8, 3)))
    optimizer = paddle.optimizer.AdamW(
        learning_rate=0.02, weight_decay=0.05, grad_clip=nn.ClipGradByGlobalNorm(0.3),
        parameters=[
            {"params": body.parameters(), "learning_rate": 0.1, "weight_decay": 0.2},
            {"params": head.parameters()},
        ],
    )  # fmt: skip
    x, labels, losses = numbers(np, (8, 6)), np.arange(8) % 3, []
    for _ in range(STEPS):
        total = 0.0
        for at in range(0, 8, 2):
            logits = head(F.relu(body(paddle.to_tensor(x[at : at + 2]))))
            loss = F.cross_entropy(logits, paddle.to_tensor(labels[at : at + 2])) / 4
            loss.backward()
            total += float(loss)
        optimizer.step()
        optimizer.clear_grad()
        losses.append(total)
    return [losses, array(body.bias)]
