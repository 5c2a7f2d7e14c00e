"""Forecasting: N-BEATS blocks and a dilated causal TCN with weight_norm, on waves and noise."""

import numpy as np
import paddle
from paddle import nn
from paddle.nn.utils import parameters_to_vector, remove_weight_norm, weight_norm


class Chomp(nn.Layer):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return x[:, :, : -self.size]

    def extra_repr(self):
        return f"size={self.size}"


class TCNBlock(nn.Layer):
    def __init__(self, ins, outs, kernel, dilation):
        super().__init__()
        pad = (kernel - 1) * dilation
        conv = nn.Conv1D(ins, outs, kernel, padding=pad, dilation=dilation)
        self.conv = weight_norm(conv, dim=0)
        self.chomp = Chomp(pad)
        self.act = nn.PReLU(num_parameters=outs, init=0.1)
        self.res = nn.Conv1D(ins, outs, 1) if ins != outs else None

    def forward(self, x):
        y = self.act(self.chomp(self.conv(x)))
        return y + (x if self.res is None else self.res(x))


class NBeatsBlock(nn.Layer):
    def __init__(self, back, ahead, width, degree):
        super().__init__()
        self.fc = nn.Sequential(
            ("fc1", nn.Linear(back, width)),
            ("act1", nn.ReLU()),
            ("fc2", nn.Linear(width, width)),
            ("act2", nn.ReLU()),
        )
        self.theta = nn.Linear(width, 2 * (degree + 1), bias_attr=False)
        t_back = np.linspace(-1, 0, back) ** np.arange(degree + 1)[:, None]
        t_ahead = np.linspace(0, 1, ahead) ** np.arange(degree + 1)[:, None]
        self.register_buffer("t_back", paddle.to_tensor(t_back, dtype="float32"))
        self.register_buffer("t_ahead", paddle.to_tensor(t_ahead, dtype=paddle.float32))

    def forward(self, x):
        back, ahead = paddle.split(self.theta(self.fc(x)), 2, axis=-1)
        return paddle.mm(back, self.t_back), paddle.einsum("bd,dt->bt", ahead, self.t_ahead)


class Model(nn.Layer):
    def __init__(self, back=24, ahead=6):
        super().__init__()
        self.tcn = nn.Sequential(*[TCNBlock(1 if i == 0 else 6, 6, 3, 2**i) for i in range(3)])
        self.proj = nn.Linear(6, ahead)
        self.blocks = nn.LayerList()
        for degree in (1, 3):
            self.blocks.append(NBeatsBlock(back, ahead, 16, degree))

    def forward(self, x):
        forecast = self.proj(self.tcn(x.unsqueeze(1))[:, :, -1])
        residual = x
        for block in self.blocks:
            b, f = block(residual)
            residual = residual - b
            forecast = forecast + f
        return forecast, residual


def windows(series, back, ahead):
    x = paddle.to_tensor(series, dtype="float32").unfold(0, back + ahead, 1)
    return x[:, :back], x[:, back:]


paddle.set_default_dtype("float32")
rng = np.random.RandomState(3)
t = np.arange(200)
series = np.sin(t / 6) + 0.01 * t + rng.normal(0, 0.05, t.shape)
x, y = windows(series, 24, 6)
mean, std = x.mean(1, keepdim=True), x.std(1, keepdim=True)
x, y = (x - mean) / (std + 1e-6), (y - mean) / (std + 1e-6)
print(x.shape, y.shape, mean[0].item(), f"{std[-1].item():.4f}")
model = Model()
for name, p in model.named_parameters():
    if p.ndim > 1 or name.endswith("weight_g"):
        p.set_value(rng.normal(0, 0.3, p.shape).astype("float32"))
print([n for n, _ in model.named_parameters()][:6], [n for n, _ in model.named_buffers()])
opt = paddle.optimizer.Adam(
    paddle.optimizer.lr.ExponentialDecay(0.01, 0.95), parameters=model.parameters(), beta1=0.8
)
criterion = nn.SmoothL1Loss(delta=0.5)
order = np.arange(len(x))
for epoch in range(3):
    rng.shuffle(order)
    total = 0.0
    for at in range(0, 128, 32):
        idx = paddle.to_tensor(order[at : at + 32])
        xb, yb = paddle.index_select(x, idx), paddle.gather(y, idx)
        forecast, residual = model(xb)
        loss = criterion(forecast, yb) + 0.1 * residual.pow(2).mean()
        loss.backward()
        opt.step()
        opt.clear_grad()
        total += loss.detach()
    opt._learning_rate.step()
    print("epoch", epoch, "loss %.5f" % (total / 4).item(), "lr %.6f" % opt.get_lr())
model.eval()
with paddle.no_grad():
    before = model(x[-4:])[0]
    for block in model.tcn:
        remove_weight_norm(block.conv)
    after = model(x[-4:])[0]
mape = ((before - y[-4:]).abs() / y[-4:].abs().clip(1e-2)).mean()
print("same", paddle.allclose(before, after, atol=1e-5).item(), f"mape {mape.item():.4f}")
print(model.tcn[0], parameters_to_vector(model.parameters()).shape)
print(paddle.quantile(before, 0.5).item() > -10, paddle.diff(before, axis=1).shape)
