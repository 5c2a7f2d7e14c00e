"""Pictures: transforms, a residual network, L2Decay, freezing, a subset and a random split."""

import numpy as np
import paddle
from paddle import nn
from paddle.io import DataLoader, Subset, TensorDataset
from paddle.regularizer import L2Decay
from paddle.vision import transforms as T


class Block(nn.Layer):
    def __init__(self, ins, outs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2D(ins, outs, 3, stride, 1, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(outs)
        self.conv2 = nn.Conv2D(outs, outs, 3, padding="same", bias_attr=False)
        self.bn2 = nn.BatchNorm2D(outs, weight_attr=paddle.ParamAttr(regularizer=L2Decay(0.0)))
        self.short = nn.Identity() if ins == outs else nn.Conv2D(ins, outs, 1, stride)

    def forward(self, x):
        y = nn.functional.relu(self.bn1(self.conv1(x)))
        return nn.functional.relu(self.bn2(self.conv2(y)) + self.short(x))


class Net(nn.Layer):
    def __init__(self, classes=3):
        super().__init__()
        self.stages = nn.LayerList([Block(3, 4), Block(4, 8, 2)])
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.heads = nn.LayerDict({"main": nn.Linear(8, classes), "aux": nn.Linear(8, 1)})

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        x = paddle.flatten(self.pool(x), 1)
        return self.heads["main"](x), self.heads["aux"](x)


rng = np.random.RandomState(12)
raw = rng.randint(0, 255, (48, 14, 14, 3)).astype("uint8")
labels = rng.randint(0, 3, 48)
for picture, label in zip(raw, labels):
    picture[..., label] //= 3
prepare = T.Compose([T.CenterCrop(10), T.ToTensor(), T.Normalize([0.5] * 3, [0.25] * 3)])
pictures = paddle.stack([prepare(picture) for picture in raw])
print(pictures.shape, f"{pictures.mean().item():.5f} {pictures.std().item():.5f}")

net = Net()
for parameter in net.parameters():
    if parameter.ndim >= 2:
        parameter.set_value(rng.normal(0, 0.2, parameter.shape).astype("float32"))
optimizer = paddle.optimizer.Momentum(
    paddle.optimizer.lr.PolynomialDecay(0.05, 20, end_lr=0.001),
    parameters=net.parameters(),
    weight_decay=L2Decay(1e-3),
    use_nesterov=True,
)
data = TensorDataset([pictures, paddle.to_tensor(labels)])
for x, y in DataLoader(Subset(data, list(range(36))), batch_size=12):
    main, aux = net(x)
    loss = nn.functional.cross_entropy(
        main, y
    ) + 0.3 * nn.functional.binary_cross_entropy_with_logits(
        aux, (y == 0).astype("float32").unsqueeze(1)
    )
    loss.backward()
    optimizer.step()
    optimizer._learning_rate.step()
    optimizer.clear_grad()
    print(f"loss {loss.item():.5f} mean {net.stages[0].bn1._mean.abs().sum().item():.5f}")

for parameter in net.stages.parameters():
    parameter.trainable = False
tuned = [p for p in net.parameters() if not p.stop_gradient]
before = net.stages[0].conv1.weight.numpy().copy()
optimizer = paddle.optimizer.Adagrad(0.1, parameters=[
    {"params": net.heads["main"].parameters()},
    {"params": net.heads["aux"].parameters(), "learning_rate": 0.1},
])  # fmt: skip
net.eval()
for _ in range(3):
    main, aux = net(pictures[36:])
    loss = nn.functional.cross_entropy(main, paddle.to_tensor(labels[36:])) + aux.square().mean()
    loss.backward()
    optimizer.step()
    net.clear_gradients()
    print(f"tuned {loss.item():.5f}")
print(len(tuned), bool((before == net.stages[0].conv1.weight.numpy()).all()))
