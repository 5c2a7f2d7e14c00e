"""A heat equation by gradients of gradients, L-BFGS, a neural ODE by Runge-Kutta."""

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F

rng = np.random.RandomState(0)


def fill(net):
    for p in net.parameters():
        p.set_value((rng.randn(*p.shape) * 0.5).astype("float32"))
    return net


# heat equation u_t = u_xx
net = fill(
    nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
)
xt = paddle.to_tensor(rng.rand(32, 2).astype("float32"), stop_gradient=False)


def residual():
    u = net(xt)
    g = paddle.grad(u, xt, create_graph=True)[0]
    u_x, u_t = g[:, :1], g[:, 1:]
    u_xx = paddle.grad(u_x, xt, paddle.ones_like(u_x), create_graph=True)[0][:, :1]
    at0 = paddle.concat([xt[:, :1], paddle.zeros_like(xt[:, :1])], axis=1).detach()
    first = paddle.sin(np.pi * at0[:, :1])
    return ((u_t - 0.1 * u_xx) ** 2).mean() + ((net(at0) - first) ** 2).mean()


opt = paddle.optimizer.Adam(0.01, parameters=net.parameters())
for step in range(6):
    loss = residual()
    loss.backward()
    opt.step()
    opt.clear_grad()
    print("pinn", step, f"{loss.item():.4f}")
lbfgs = paddle.optimizer.LBFGS(
    max_iter=4, history_size=5, line_search_fn="strong_wolfe", parameters=net.parameters()
)


def closure():
    lbfgs.clear_grad()
    loss = residual()
    loss.backward()
    return loss


print("lbfgs", f"{float(lbfgs.step(closure)):.3f}")

# neural ODE
field = fill(nn.Sequential(nn.Linear(2, 8), nn.Softplus(beta=2.0), nn.Linear(8, 2)))
opt = paddle.optimizer.RMSProp(0.01, parameters=field.parameters(), centered=True, momentum=0.5)
start = paddle.to_tensor(rng.randn(16, 2).astype("float32"))
goal = start @ paddle.to_tensor([[0.0, 1.0], [-1.0, 0.0]])
for step in range(4):
    z, h = start, 0.25
    for _ in range(4):
        k1 = field(z)
        k2 = field(z + h / 2 * k1)
        k3 = field(z + h / 2 * k2)
        k4 = field(z + h * k3)
        z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    loss = F.smooth_l1_loss(z, goal)
    loss.backward()
    opt.step()
    opt.clear_grad()
    print("ode", step, f"{loss.item():.4f}")
