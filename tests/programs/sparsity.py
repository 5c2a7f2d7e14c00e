"""Sparse training: weights of a 2:4 pattern, kept through steps of several optimizers."""

import os

os.environ.update(FLAGS_enable_pir_api="0")  # without it Paddle 3.3.1 cannot create the masks

import numpy as np
import paddle
from paddle import nn
from paddle.incubate import asp


def values(shape, seed):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def fill(net):
    for seed, parameter in enumerate(net.parameters()):
        parameter.set_value(values(parameter.shape, seed) * np.float32(0.3))


def counts(net):
    """Return the number of values of each parameter that are not zero."""
    return [int(np.count_nonzero(p.numpy())) for p in net.parameters()]


def keep_training(net):
    """Paddle's step leaves masked parameters with stop_gradient=True: they would not move again."""
    for parameter in net.parameters():
        parameter.stop_gradient = False


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.small = nn.Conv2D(4, 6, 3, padding=1), nn.Linear(3, 4)
        self.first, self.second, self.norm = nn.Linear(24, 8), nn.Linear(8, 5), nn.LayerNorm(4)

    def forward(self, x):
        hidden = self.second(self.first(paddle.flatten(nn.functional.relu(self.conv(x)), 1)))
        return (hidden**2).mean() + (self.norm(self.small(hidden[:, :3])) ** 3).mean()


def train(make, algorithm, n=2, m=4):
    net = Net()
    fill(net)
    optimizer = asp.decorate(make(net.parameters()))
    masks = asp.prune_model(net, n=n, m=m, mask_algo=algorithm)
    print(type(optimizer).__name__, optimizer.get_lr(), [p.name in masks for p in net.parameters()])
    for seed in range(4):
        loss = net(paddle.to_tensor(values((3, 4, 2, 2), seed)))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        keep_training(net)
        print(f"{float(loss):.5f}", counts(net))
    for parameter in net.parameters():
        print(f"{float((parameter * paddle.cos(parameter * 9)).sum()):.4f}", end=" ")
    print([asp.check_sparsity(p.numpy().T, n=n, m=m) for p in net.parameters() if p.ndim > 1])
    return net, optimizer


SGD = lambda p: paddle.optimizer.SGD(0.1, parameters=p)  # noqa: E731
MOMENTUM = lambda p: paddle.optimizer.Momentum(  # noqa: E731
    paddle.optimizer.lr.StepDecay(0.1, 2), parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.5)
)
ADAM = lambda p: paddle.optimizer.AdamW(0.01, parameters=p, weight_decay=0.1)  # noqa: E731
train(SGD, "mask_1d")
train(MOMENTUM, "mask_2d_greedy")
net, adam = train(ADAM, "mask_1d", n=1, m=2)

# ---- masks in the state of the optimizer
name = f"{net.first.weight.name}.asp_mask"
state = adam.state_dict()
print(state[name].dtype, state[name].stop_gradient, state[name].name == name, name in state)
state = {key: value.numpy() if hasattr(value, "numpy") else value for key, value in state.items()}
state[name] = 1 - state[name]
adam.set_state_dict(state)
before = net.first.weight.numpy()
net(paddle.to_tensor(values((3, 4, 2, 2), 0))).backward()
adam.step()
keep_training(net)
print(counts(net), int(np.count_nonzero(before * net.first.weight.numpy())))
del state[name]
try:
    adam.set_state_dict(state)
except AssertionError:
    print("its mask is missing")


# ---- which layers are pruned
class MyOwnLayer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.kernel = self.create_parameter([4, 8])


def first_half(weight, m, n, algorithm, name):
    print("prune", type(weight).__name__, m, n, algorithm, name)
    mask = np.zeros_like(weight)
    mask[:, : weight.shape[1] // 2] = 1
    return weight * mask, mask


asp.add_supported_layer(MyOwnLayer, first_half)
for which in ([], [0], [1, 3], [0, 1]):
    net = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 8), nn.Embedding(4, 8), MyOwnLayer())
    fill(net)
    asp.set_excluded_layers([net[number].full_name() for number in which])
    asp.decorate(SGD(net.parameters()))
    asp.prune_model(net)
    print("without", which, counts(net))
    asp.reset_excluded_layers()
    asp.decorate(SGD(net.parameters()))
    asp.prune_model(net)
    print("with all", counts(net))
for layer in (net[2], "linear_special"):
    asp.add_supported_layer(layer)
asp.decorate(SGD(net.parameters()))
asp.prune_model(net, mask_algo="mask_2d_greedy")
print("embeddings too", counts(net))
special = nn.Linear(8, 8, weight_attr=paddle.ParamAttr(name="linear_special"))
fill(special)
try:
    asp.prune_model(special)
except AssertionError:
    print("no optimizer is decorated")
asp.prune_model(special, with_mask=False)
print("by its name", counts(special))

# ---- minimize, after which Paddle's parameters are results of the masking
net = Net()
fill(net)
optimizer = asp.decorate(SGD(net.parameters()))
asp.prune_model(net, mask_algo="mask_2d_greedy")
loss = net(paddle.to_tensor(values((3, 4, 2, 2), 5)))
loss.backward()
operators, pairs = optimizer.minimize(loss)
print(operators, len(pairs), counts(net), [f"{float((p * p).sum()):.4f}" for p in net.parameters()])
