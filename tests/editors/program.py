"""A program as a user writes it: `test_language_server.py` asks an editor about each name in it."""

import numpy as np

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn
from jaxeager.io import DataLoader, Dataset, TensorDataset


class Points(Dataset):
    def __init__(self, count: int) -> None:
        self.inputs = paddle.randn([count, 4])
        self.labels = (self.inputs.sum(axis=1) > 0).astype("int64")

    def __getitem__(self, index: int) -> tuple[paddle.Tensor, paddle.Tensor]:
        return self.inputs[index], self.labels[index]

    def __len__(self) -> int:
        return self.inputs.shape[0]


class Classifier(nn.Layer):
    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.first = nn.Linear(4, width)
        self.norm = nn.LayerNorm(width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1))
        self.scale = self.create_parameter([1])
        self.last = nn.Linear(width, 2)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        hidden = self.norm(self.first(x))
        hidden = hidden + self.body(F.gelu(hidden)) * self.scale
        return self.last(hidden)


paddle.seed(7)
points = Points(32)
net = Classifier()
schedule = paddle.optimizer.lr.CosineAnnealingDecay(0.01, T_max=10)
optimizer = paddle.optimizer.AdamW(schedule, parameters=net.parameters(), weight_decay=0.01)
criterion = nn.CrossEntropyLoss()
loader = DataLoader(points, batch_size=8, shuffle=True)
for count, (batch, target) in enumerate(loader):
    logits = net(batch)
    loss = criterion(logits, target) + 0.1 * F.mse_loss(logits, F.one_hot(target, 2))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    schedule.step()
    print(count, loss.item())

with paddle.no_grad():
    scores = F.softmax(net(points.inputs), axis=-1)
    best, position = paddle.topk(scores, 1)
    mean = -scores[:, 0].log().mean() / 2.0
    rows = paddle.concat([best, position.astype(best.dtype)], axis=1)
    product = paddle.matmul(scores, scores, transpose_y=True) @ scores
    chosen = paddle.where(product > 0.5, product, paddle.zeros_like(product))
    parts = paddle.split(chosen, 2, axis=0)
    first = parts[0].reshape([-1, 1]).transpose([1, 0])
    array = first.numpy()
    number: float = mean.item()

weight = net.last.weight
gradient = weight.grad
pairs = TensorDataset([points.inputs, points.labels])
state = net.state_dict()
paddle.save(state, "net.pdparams")
fast = paddle.jit.to_static(net)
answer = fast(points.inputs)
(slope,) = paddle.grad(net(points.inputs).sum(), [weight])
sample = np.asarray(answer)
