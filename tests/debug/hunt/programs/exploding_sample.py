import numpy as np
import paddle

paddle.seed(0)
net = paddle.nn.Linear(8, 1)
x = np.random.default_rng(0).normal(size=[6, 8]).astype("float32")
x[4] = 0.25


def loss_of(x):
    spread = x.var(axis=-1, keepdim=True)
    return (net(x) / (spread + 1e-6).sqrt()).square().mean()  # BUG


print(paddle.debug.sensitivity(loss_of, net, paddle.to_tensor(x)))
