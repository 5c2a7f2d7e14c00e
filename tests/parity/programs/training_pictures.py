"""Models of pictures as public code writes them: twenty steps from the same weights."""

from ..probe import array
from ..registry import program
from ..training import numbers, set_weights, trained


@program
def training_a_segmentation_network(paddle, np):
    """Downward and upward with skips; activations by name; Dice and cross entropy."""
    nn, F = paddle.nn, paddle.nn.functional

    class Activation(nn.Layer):
        def __init__(self, act):
            super().__init__()
            names = {name.lower(): name for name in dir(nn)}
            self.act = getattr(nn, names[act])()

        def forward(self, x):
            return self.act(x)

    class ConvBN(nn.Sequential):
        def __init__(self, inside, outside, act="relu"):
            super().__init__(
                nn.Conv2D(inside, outside, 3, padding="same", bias_attr=False),
                nn.BatchNorm2D(outside),
                Activation(act),
            )

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.second = ConvBN(3, 4), ConvBN(4, 8, "swish")
            self.pool = nn.MaxPool2D(2, 2)
            self.up = nn.Conv2DTranspose(8, 4, 2, stride=2)
            self.third, self.head = ConvBN(8, 4, "relu6"), nn.Conv2D(4, 3, 1)

        def forward(self, x):
            one = self.first(x)
            two = self.second(self.pool(one))
            x = self.third(paddle.concat([one, self.up(two)], axis=1))
            small = self.head(x)
            return F.interpolate(small, x.shape[2:], mode="bilinear", align_corners=True)

    net = set_weights(paddle, np, Net())
    rate = paddle.optimizer.lr.PolynomialDecay(0.05, decay_steps=20, power=0.9)
    optimizer = paddle.optimizer.Momentum(
        rate, 0.9, parameters=net.parameters(), weight_decay=paddle.regularizer.L2Decay(4e-5)
    )
    x = paddle.to_tensor(numbers(np, (2, 3, 12, 12)))
    labels = (numbers(np, (2, 12, 12), 3) > 0).astype("int64")
    labels[:, 0] = 255

    def loss_of(_):
        logits, given = net(x), paddle.to_tensor(labels)
        loss = F.cross_entropy(logits, given, ignore_index=255, axis=1)
        seen = paddle.clip(given, max=2).unsqueeze(-1)
        loss += 0.5 * F.dice_loss(F.softmax(logits, axis=1).transpose([0, 2, 3, 1]), seen)
        rate.step()
        return loss

    return [trained(optimizer, loss_of), array(net.first[1]._variance)]


@program(is_deep=True)
def training_a_detector(paddle, np):
    """Deformable convolution, regions of features, focal and smooth L1 losses, group norms."""
    nn, F, ops = paddle.nn, paddle.nn.functional, paddle.vision.ops

    class Detector(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2D(3, 4, 3, stride=2, padding=1)
            self.norm = nn.GroupNorm(2, 4)
            self.offset = nn.Conv2D(4, 27, 3, padding=1)
            self.deform = ops.DeformConv2D(4, 4, 3, padding=1)
            self.align = ops.RoIAlign(2, spatial_scale=0.5)
            self.classes, self.boxes = nn.Linear(16, 3), nn.Linear(16, 4)

        def forward(self, x, boxes, counts):
            x = F.relu(self.norm(self.stem(x)))
            offset, mask = self.offset(x).split([18, 9], axis=1)
            x = F.relu(self.deform(x, offset * 0.1, F.sigmoid(mask)))
            x = self.align(x, boxes, counts).flatten(1)
            return self.classes(x), self.boxes(x)

    net = set_weights(paddle, np, Detector())
    optimizer = paddle.optimizer.AdamW(0.01, parameters=net.parameters())
    x = paddle.to_tensor(numbers(np, (2, 3, 16, 16)))
    boxes = paddle.to_tensor(np.float32([[1, 1, 9, 9], [3, 2, 15, 11], [0, 4, 7, 15]]))
    counts = paddle.to_tensor(np.int32([2, 1]))
    labels = paddle.to_tensor(np.eye(3, dtype="float32")[[0, 2, 1]])
    goals = paddle.to_tensor(numbers(np, (3, 4), 5))

    def loss_of(_):
        logits, found = net(x, boxes, counts)
        loss = F.sigmoid_focal_loss(logits, labels, normalizer=paddle.to_tensor([3.0]))
        return loss + F.smooth_l1_loss(found, goals, delta=0.5)

    result = trained(optimizer, loss_of)
    kept = ops.nms(boxes, 0.2, net(x, boxes, counts)[0].max(axis=1))
    return [result, array(kept)]


@program(is_deep=True)
def training_anchors(paddle, np):
    """YOLO's own loss on two scales, decoded boxes of the trained head."""
    nn, ops = paddle.nn, paddle.vision.ops
    head = set_weights(paddle, np, nn.Conv2D(6, 2 * (5 + 3), 1))
    anchors = [8, 9, 10, 23]
    optimizer = paddle.optimizer.Momentum(1e-3, 0.9, parameters=head.parameters())
    x = paddle.to_tensor(numbers(np, (2, 6, 4, 4)))
    draw = np.random.default_rng(3)
    boxes = draw.uniform(0.2, 0.6, (2, 3, 4)).astype("float32")
    labels = draw.integers(0, 3, (2, 3)).astype("int32")

    def loss_of(_):
        return ops.yolo_loss(
            head(x), paddle.to_tensor(boxes), paddle.to_tensor(labels), anchors, [0, 1], 3,
            ignore_thresh=0.7, downsample_ratio=8, use_label_smooth=False,
        ).mean()  # fmt: skip

    result = trained(optimizer, loss_of)
    sizes = paddle.to_tensor(np.int32([[32, 32], [24, 40]]))
    boxes, scores = ops.yolo_box(head(x), sizes, anchors, 3, 0.01, 8)
    return [result, array(boxes), array(scores)]


@program(is_deep=True)
def training_two_networks_against_each_other(paddle, np):
    """A generator and a discriminator with spectral norm, two optimizers, detached fakes."""
    nn, F = paddle.nn, paddle.nn.functional
    maker = nn.Sequential(
        nn.Linear(4, 32), nn.ReLU(), nn.Unflatten(1, [8, 2, 2]),
        nn.Conv2DTranspose(8, 4, 4, stride=2, padding=1), nn.InstanceNorm2D(4), nn.LeakyReLU(0.2),
        nn.Conv2DTranspose(4, 1, 4, stride=2, padding=1), nn.Tanh(),
    )  # fmt: skip
    judge = nn.Sequential(
        nn.Conv2D(1, 4, 4, stride=2, padding=1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 1)
    )
    set_weights(paddle, np, maker)
    set_weights(paddle, np, judge)
    options = {"beta1": 0.5, "beta2": 0.99}
    of_maker = paddle.optimizer.Adam(2e-3, parameters=maker.parameters(), **options)
    of_judge = paddle.optimizer.Adam(2e-3, parameters=judge.parameters(), **options)
    real, losses = paddle.to_tensor(np.tanh(numbers(np, (4, 1, 8, 8)))), []
    for step in range(20):
        drawn = paddle.to_tensor(numbers(np, (4, 4), 100 + step))
        fake = maker(drawn)
        right, wrong = judge(real), judge(fake.detach())
        loss = F.relu(1.0 - right).mean() + F.relu(1.0 + wrong).mean()
        of_judge.clear_grad()
        loss.backward()
        of_judge.step()
        of_maker.clear_grad()
        cost = -judge(fake).mean()
        cost.backward()
        of_maker.step()
        losses.append([float(loss), float(cost)])
    return losses


@program(is_deep=True)
def training_a_critic_with_a_penalty(paddle, np):
    """A Wasserstein critic: the norm of its input's gradient is part of the loss."""
    nn = paddle.nn
    critic = set_weights(
        paddle, np, nn.Sequential(nn.Linear(6, 16), nn.Softplus(), nn.Linear(16, 1))
    )
    optimizer = paddle.optimizer.RMSProp(1e-2, parameters=critic.parameters())
    real, fake, mixed = (numbers(np, (5, size), size) for size in (6, 6, 1))
    fake += 1

    def loss_of(_):
        between = paddle.to_tensor(mixed * real + (1 - mixed) * fake, stop_gradient=False)
        (slope,) = paddle.grad(critic(between).sum(), between, create_graph=True)
        penalty = ((slope.norm(2, axis=1) - 1) ** 2).mean()
        gap = critic(paddle.to_tensor(fake)).mean() - critic(paddle.to_tensor(real)).mean()
        return gap + 10.0 * penalty

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_a_variational_autoencoder(paddle, np):
    """Normal distributions and their divergence; what is drawn comes from NumPy."""
    nn, F, D = paddle.nn, paddle.nn.functional, paddle.distribution

    class Autoencoder(nn.Layer):
        def __init__(self):
            super().__init__()
            self.encode = nn.Sequential(nn.Linear(10, 8), nn.ELU())
            self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)
            self.decode = nn.Sequential(nn.Linear(2, 8), nn.SELU(), nn.Linear(8, 10))

        def forward(self, x, noise):
            hidden = self.encode(x)
            found = D.Normal(self.mean(hidden), F.softplus(self.spread(hidden)) + 1e-3)
            return self.decode(found.mean + noise * found.scale), found

    net = set_weights(paddle, np, Autoencoder())
    optimizer = paddle.optimizer.Adamax(5e-3, parameters=net.parameters())
    x = (numbers(np, (6, 10)) > 0).astype("float32")

    def loss_of(step):
        noise = paddle.to_tensor(numbers(np, (6, 2), step))
        logits, found = net(paddle.to_tensor(x), noise)
        prior = D.Normal(paddle.zeros([6, 2]), paddle.ones([6, 2]))
        missed = F.binary_cross_entropy_with_logits(logits, paddle.to_tensor(x), reduction="none")
        return (missed.sum(1) + D.kl_divergence(found, prior).sum(1)).mean()

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_a_denoiser_with_averaged_weights(paddle, np):
    """Diffusion: sinusoidal steps, a shifted norm, weights averaged by hand, five steps back."""
    nn, F = paddle.nn, paddle.nn.functional

    class Denoiser(nn.Layer):
        def __init__(self):
            super().__init__()
            self.time = nn.Linear(8, 16)
            self.first, self.norm = nn.Conv2D(1, 8, 3, padding=1), nn.GroupNorm(4, 8)
            self.last = nn.Conv2D(8, 1, 3, padding=1)

        def forward(self, x, step):
            rates = paddle.exp(paddle.arange(4, dtype="float32") * (-np.log(100.0) / 4))
            angles = step.astype("float32").unsqueeze(1) * rates.unsqueeze(0)
            time = self.time(paddle.concat([angles.sin(), angles.cos()], axis=1))
            scale, shift = time.unsqueeze([2, 3]).chunk(2, axis=1)
            x = self.norm(self.first(x)) * (1 + scale) + shift
            return self.last(F.silu(x))

    net = set_weights(paddle, np, Denoiser())
    averaged = {key: value.clone().detach() for key, value in net.state_dict().items()}
    optimizer = paddle.optimizer.AdamW(5e-3, parameters=net.parameters(), weight_decay=0.0)
    kept = paddle.cumprod(1.0 - paddle.linspace(1e-2, 0.3, 10), dim=0)
    x = paddle.to_tensor(numbers(np, (4, 1, 6, 6)))

    def loss_of(step):
        noise = paddle.to_tensor(numbers(np, (4, 1, 6, 6), 50 + step))
        at = paddle.to_tensor((np.arange(4) * 3 + step) % 10)
        part = paddle.gather(kept, at).reshape([-1, 1, 1, 1])
        loss = F.mse_loss(net(part.sqrt() * x + (1 - part).sqrt() * noise, at), noise)
        with paddle.no_grad():
            for key, value in net.state_dict().items():
                averaged[key].scale_(0.9).add_(value * 0.1)
        return loss

    result = trained(optimizer, loss_of)
    net.set_state_dict(averaged)
    net.eval()
    with paddle.no_grad():
        x = paddle.to_tensor(numbers(np, (2, 1, 6, 6), 99))
        for at in range(4, -1, -1):
            noise = net(x, paddle.full([2], at))
            x = (x - (1 - kept[at]).sqrt() * noise) / kept[at].sqrt()
            x = x.clip(-3, 3)
    return [result, array(x)]


@program(is_deep=True)
def training_a_transformer_of_patches(paddle, np):
    """Patches by unfold, a class token, MultiHeadAttention, cosine decay, mixed-up pictures."""
    nn, F = paddle.nn, paddle.nn.functional

    class Patches(nn.Layer):
        def __init__(self):
            super().__init__()
            self.unfold, self.project = nn.Unfold(4, strides=4), nn.Linear(48, 8)
            init = nn.initializer.TruncatedNormal(std=0.02)
            self.token = self.create_parameter([1, 1, 8], default_initializer=init)
            self.places = self.create_parameter([1, 5, 8], default_initializer=init)
            self.norms = nn.LayerList([nn.LayerNorm(8) for _ in range(2)])
            self.attend = nn.MultiHeadAttention(8, 2)
            self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
            self.head = nn.Linear(8, 5)

        def forward(self, x):
            x = self.project(self.unfold(x).transpose([0, 2, 1]))
            x = paddle.concat([self.token.expand([x.shape[0], -1, -1]), x], 1) + self.places
            y = self.norms[0](x)
            x = x + self.attend(y, y, y)
            return self.head((x + self.mlp(self.norms[1](x)))[:, 0])

    net = set_weights(paddle, np, Patches())
    rate = paddle.optimizer.lr.CosineAnnealingDecay(0.01, T_max=10, eta_min=1e-4)
    optimizer = paddle.optimizer.NAdam(rate, parameters=net.parameters())
    pictures, labels = numbers(np, (4, 3, 8, 8)), np.eye(5, dtype="float32")[[0, 3, 1, 4]]

    def loss_of(step):
        part = 0.5 + 0.02 * step
        x, y = (part * each + (1 - part) * each[::-1] for each in (pictures, labels))
        rate.step()
        return F.cross_entropy(net(paddle.to_tensor(x)), paddle.to_tensor(y), soft_label=True)

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_largernumbers(paddle, np):
    """Super-resolution: weight norm, PReLU, pixel shuffle, Charbonnier loss, step decay."""
    nn, F = paddle.nn, paddle.nn.functional
    normed = nn.utils.weight_norm
    net = nn.Sequential(
        nn.Conv2D(3, 8, 3, padding=1), nn.PReLU(8), normed(nn.Conv2D(8, 12, 3, padding=1), dim=0),
        nn.PixelShuffle(2),
    )  # fmt: skip
    set_weights(paddle, np, net)
    rate = paddle.optimizer.lr.MultiStepDecay(5e-3, milestones=[8, 14], gamma=0.5)
    optimizer = paddle.optimizer.Adam(rate, parameters=net.parameters())
    large = paddle.to_tensor(numbers(np, (2, 3, 8, 8)))
    small = F.interpolate(large, scale_factor=0.5, mode="bicubic")

    def loss_of(_):
        rate.step()
        base = F.interpolate(small, scale_factor=2, mode="bilinear", align_corners=False)
        return ((net(small) + base - large) ** 2 + 1e-6).sqrt().mean()

    return [trained(optimizer, loss_of), array(net[2].weight_g)]


@program(is_deep=True)
def training_pairs_of_views(paddle, np):
    """Contrastive learning: normalized features, a matrix of similarities, Nesterov's momentum.

    In float64: its float32 runs part by 4e-5, as two norms divide by the spread of ten numbers.
    """
    nn, F = paddle.nn, paddle.nn.functional
    paddle.set_default_dtype("float64")
    net = nn.Sequential(
        nn.Conv2D(3, 6, 3, stride=2, padding=1), nn.BatchNorm2D(6), nn.Hardswish(),
        nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(6, 8), nn.BatchNorm1D(8), nn.ReLU(),
        nn.Linear(8, 4),
    )  # fmt: skip
    set_weights(paddle, np, net)
    optimizer = paddle.optimizer.Momentum(0.05, 0.9, net.parameters(), use_nesterov=True)
    first, second = (
        paddle.to_tensor(numbers(np, (5, 3, 8, 8), seed), "float64") for seed in (4, 5)
    )

    def loss_of(_):
        found = F.normalize(net(paddle.concat([first, first * 0.5 + second])), axis=1)
        likeness = found @ found.T / 0.5
        likeness = likeness.masked_fill(paddle.eye(10).astype("bool"), -1e9)
        partner = paddle.to_tensor((np.arange(10) + 5) % 10)
        return F.cross_entropy(likeness, partner)

    try:
        return trained(optimizer, loss_of)
    finally:
        paddle.set_default_dtype("float32")


@program(is_deep=True)
def training_a_pupil_of_a_teacher(paddle, np):
    """Distillation: a frozen teacher, hooks that catch features, divergence of softened outputs."""
    nn, F = paddle.nn, paddle.nn.functional

    def network(width):
        return nn.Sequential(nn.Linear(6, width), nn.Tanh(), nn.Linear(width, 4))

    teacher, pupil, adapt = network(16), network(5), nn.Linear(5, 16)
    for each in (teacher, pupil, adapt):
        set_weights(paddle, np, each)
    teacher.eval()
    seen = {}
    for name, each in (("teacher", teacher), ("pupil", pupil)):
        each[1].register_forward_post_hook(
            lambda layer, inputs, out, name=name: seen.__setitem__(name, out)
        )
    optimizer = paddle.optimizer.Lamb(
        5e-3, parameters=[*pupil.parameters(), *adapt.parameters()], lamb_weight_decay=0.01
    )
    x, labels = paddle.to_tensor(numbers(np, (6, 6))), paddle.to_tensor(np.arange(6) % 4)

    def loss_of(_):
        with paddle.no_grad():
            wanted = F.softmax(teacher(x) / 4.0)
        logits = pupil(x)
        loss = F.kl_div(F.log_softmax(logits / 4.0), wanted, reduction="batchmean") * 16.0
        loss = loss + F.mse_loss(adapt(seen["pupil"]), seen["teacher"])
        return 0.7 * loss + 0.3 * F.cross_entropy(logits, labels)

    return trained(optimizer, loss_of)


@program(is_deep=True)
def training_a_network_that_looks_straight(paddle, np):
    """A spatial transformer: affine_grid and grid_sample within the graph."""
    nn, F = paddle.nn, paddle.nn.functional

    class Straight(nn.Layer):
        def __init__(self):
            super().__init__()
            self.locate = nn.Sequential(nn.Flatten(), nn.Linear(64, 6))
            self.out = nn.Sequential(nn.MaxPool2D(2), nn.Flatten(), nn.Linear(16, 3))

        def forward(self, x):
            bend = 0.1 * paddle.tanh(self.locate(x)).reshape([-1, 2, 3])
            bend = bend + paddle.to_tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
            grid = F.affine_grid(bend, x.shape, align_corners=False)
            return self.out(F.grid_sample(x, grid, padding_mode="border", align_corners=False))

    net = set_weights(paddle, np, Straight())
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters(), weight_decay=1e-4)
    x, labels = paddle.to_tensor(numbers(np, (4, 1, 8, 8))), paddle.to_tensor([0, 2, 1, 0])
    x.stop_gradient = False  # without it Paddle's backward ends the process
    return trained(optimizer, lambda _: F.cross_entropy(net(x), labels))


@program(is_deep=True)
def training_an_autoencoder_that_remembers_places(paddle, np):
    """Pooling that returns places and its inverse; local response norm; L1 decay of one layer."""
    nn, F = paddle.nn, paddle.nn.functional

    class Places(nn.Layer):
        def __init__(self):
            super().__init__()
            sparse = paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(1e-3))
            self.down = nn.Conv2D(1, 4, 3, padding=1, weight_attr=sparse)
            self.norm = nn.LocalResponseNorm(3)
            self.pool, self.unpool = nn.MaxPool2D(2, return_mask=True), nn.MaxUnPool2D(2)
            self.up = nn.Conv2D(4, 1, 3, padding=1, padding_mode="reflect")

        def forward(self, x):
            small, places = self.pool(self.norm(F.celu(self.down(x))))
            return self.up(self.unpool(small, places))

    net = set_weights(paddle, np, Places())
    optimizer = paddle.optimizer.Momentum(0.02, 0.9, parameters=net.parameters())
    x = paddle.to_tensor(numbers(np, (2, 1, 8, 8)))
    return trained(optimizer, lambda _: F.l1_loss(net(x), x))


@program(is_deep=True)
def training_points_in_space(paddle, np):
    """A point cloud network: shared Conv1D, max over points, a regular transform, margin loss."""
    nn, F = paddle.nn, paddle.nn.functional

    class Points(nn.Layer):
        def __init__(self):
            super().__init__()
            self.bend = nn.Sequential(nn.Conv1D(3, 8, 1), nn.ReLU(), nn.AdaptiveMaxPool1D(1))
            self.matrix = nn.Linear(8, 9)
            self.features = nn.Sequential(nn.Conv1D(3, 12, 1), nn.BatchNorm1D(12), nn.Mish())
            self.out = nn.Linear(12, 3)

        def forward(self, x):
            matrix = self.matrix(self.bend(x).flatten(1)).reshape([-1, 3, 3]) + paddle.eye(3)
            x = self.features(paddle.bmm(matrix, x)).max(axis=-1)
            off = paddle.bmm(matrix, matrix.transpose([0, 2, 1])) - paddle.eye(3)
            return self.out(x), paddle.linalg.norm(off, "fro", axis=[1, 2]).mean()

    net = set_weights(paddle, np, Points())
    optimizer = paddle.optimizer.RAdam(0.01, parameters=net.parameters())
    x, labels = paddle.to_tensor(numbers(np, (4, 3, 10))), paddle.to_tensor([0, 1, 2, 1])

    def loss_of(_):
        logits, bent = net(x)
        return F.multi_margin_loss(logits, labels) + 1e-2 * bent

    return trained(optimizer, loss_of)
