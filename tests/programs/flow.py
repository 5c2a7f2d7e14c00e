"""A normalising flow (RealNVP) with paddle.distribution: transforms, log densities, KL, sampling shapes."""

import math

import numpy as np
import paddle
from paddle import distribution as D
from paddle import nn


class Coupling(nn.Layer):
    def __init__(self, mask, hidden=16):
        super().__init__()
        self.register_buffer("mask", paddle.to_tensor(mask, dtype="float32"))
        self.net = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, 4))

    def params(self, x):
        s, t = self.net(x * self.mask).chunk(2, axis=-1)
        return paddle.tanh(s) * (1 - self.mask), t * (1 - self.mask)

    def forward(self, x):
        s, t = self.params(x)
        return x * s.exp() + t, s.sum(-1)

    def inverse(self, y):
        s, t = self.params(y)
        return (y - t) * (-s).exp(), -s.sum(-1)


class Flow(nn.Layer):
    def __init__(self, depth=4):
        super().__init__()
        self.layers = nn.LayerList([Coupling([i % 2, (i + 1) % 2]) for i in range(depth)])
        self.loc = paddle.zeros([2])
        self.base = D.Independent(D.Normal(self.loc, paddle.ones([2])), 1)

    def log_prob(self, x):
        total = 0.0
        for layer in reversed(self.layers):
            x, log_det = layer.inverse(x)
            total = total + log_det
        return self.base.log_prob(x) + total

    def sample(self, z):
        for layer in self.layers:
            z, _ = layer(z)
        return z


rng = np.random.RandomState(0)
flow = Flow()
for p in flow.parameters():
    if p.ndim == 2:
        p.set_value(rng.normal(0, 0.3, p.shape).astype("float32"))
opt = paddle.optimizer.Adamax(0.02, parameters=flow.parameters())
angle = rng.uniform(0, np.pi, 256)
moons = np.stack([np.cos(angle), np.sin(angle)], 1) + rng.normal(0, 0.1, (256, 2))
x = paddle.to_tensor(moons.astype("float32"))
for step in range(8):
    loss = -flow.log_prob(x).mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
    print(f"step {step} nll {loss.item():.5f} bits {loss.item() / math.log(2) / 2:.5f}")
z = paddle.to_tensor(rng.normal(size=(5, 2)).astype("float32"))
y = flow.sample(z)
back = y
for layer in reversed(flow.layers):
    back, _ = layer.inverse(back)
print(y.shape, bool(paddle.allclose(back, z, atol=1e-4)), flow.base.sample([3]).shape)

log_normal = D.TransformedDistribution(
    D.Normal(paddle.to_tensor([0.0, 0.5]), paddle.to_tensor([1.0, 0.3])),
    [D.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0)), D.ExpTransform()],
)
print(
    log_normal.log_prob(paddle.to_tensor([2.0, 5.0])).numpy().round(4),
    log_normal.sample((4,)).shape,
)
p = D.Normal(paddle.to_tensor([0.0]), paddle.to_tensor([1.0]))
q = D.Normal(paddle.to_tensor([1.0], stop_gradient=False), paddle.to_tensor([2.0]))
print(D.kl_divergence(p, q).item(), p.entropy().item(), q.rsample([2]).stop_gradient)
mvn = D.MultivariateNormal(paddle.zeros([2]), paddle.to_tensor([[1.0, 0.3], [0.3, 2.0]]))
print(f"{mvn.log_prob(paddle.to_tensor([0.5, -0.5])).item():.5f}", mvn.mean.tolist())
mixture = paddle.logsumexp(
    paddle.stack([D.Normal(m, 0.5).log_prob(paddle.to_tensor([0.1])) for m in (-1.0, 1.0)])
    + math.log(0.5),
    axis=0,
)
print(f"{mixture.item():.5f}")
for d in (
    D.Beta(2.0, 3.0),
    D.Gamma(2.0, 3.0),
    D.Laplace(0.0, 1.0),
    D.Gumbel(0.0, 1.0),
    D.Bernoulli(paddle.to_tensor(0.3)),
    D.Exponential(paddle.to_tensor(1.5)),
    D.StudentT(5.0, 0.0, 1.0),
    D.Cauchy(0.0, 1.0),
    D.LogNormal(0.0, 1.0),
    D.Uniform(0.0, 3.0),
    D.Poisson(paddle.to_tensor(3.0)),
    D.Binomial(5, paddle.to_tensor(0.4)),
):
    value = paddle.to_tensor(1.0) if not isinstance(d, D.Beta) else paddle.to_tensor(0.4)
    print(type(d).__name__, f"{float(d.log_prob(value)):.4f}", d.batch_shape, d.event_shape)
simplex = D.StickBreakingTransform()
print(simplex.forward(paddle.to_tensor([0.2, -0.1, 0.4])).numpy().round(4))
print(D.Dirichlet(paddle.to_tensor([1.0, 2.0, 3.0])).entropy().numpy().round(4))
