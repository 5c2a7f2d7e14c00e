"""The core of the package in one program, which must run under every setting of JAX.

`python core_program.py "CODE"` runs CODE, then each part; `tests/kernels/test_jax_settings.py` does
so in a separate process for each setting.
"""

import sys
import tempfile
from typing import Any

import numpy as np

import jaxeager as paddle

F, nn = paddle.nn.functional, paddle.nn


def creation():
    """Create empty tensors, and tensors of numbers, lists and arrays."""
    assert paddle.zeros([2, 3]).shape == [2, 3]
    assert paddle.ones([2], "int32").tolist() == [1, 1]
    assert paddle.full([2], 1.5).tolist() == [1.5, 1.5]
    assert paddle.arange(4).tolist() == [0, 1, 2, 3]
    assert paddle.eye(2).tolist() == paddle.diag(paddle.ones([2])).tolist()
    assert paddle.to_tensor([[1.0, 2.0]]).tolist() == [[1.0, 2.0]]
    assert paddle.to_tensor(np.ones(2, np.float32)).sum().item() == 2.0
    assert paddle.meshgrid(paddle.arange(2), paddle.arange(3))[0].shape == [2, 3]


def arithmetic():
    """Run operators, promotion, reductions, joins, linear algebra, in-place ops."""
    x, y = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([10.0, 20.0])
    assert (x + y).tolist() == [[11.0, 22.0], [13.0, 24.0]]
    assert (paddle.to_tensor([1, 2]) + 0.5).tolist() == [1.5, 2.5]
    wide = paddle.to_tensor([1.0, 2.0], "float64") * paddle.to_tensor([1.5, 2.0])
    assert wide.tolist() == [1.5, 4.0]
    assert ((x > 2) & (y > 5)).tolist() == [[False, False], [True, True]]
    assert x.matmul(x).tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert paddle.einsum("ij,kj->ik", x, x).tolist() == [[5.0, 11.0], [11.0, 25.0]]
    assert abs(paddle.linalg.inv(x).matmul(x).sum().item() - 2) < 1e-4
    assert x.mean(1).tolist() == [1.5, 3.5]
    assert x.argmax().item() == 3
    assert paddle.where(x > 2, x, paddle.zeros_like(x)).tolist() == [[0.0, 0.0], [3.0, 4.0]]
    assert paddle.concat([x, x]).shape == [4, 2]
    assert x.sort(0, descending=True)[0].tolist() == [3.0, 4.0]
    assert paddle.topk(x, 1)[0].tolist() == [[2.0], [4.0]]
    assert x.transpose([1, 0]).reshape([4]).tolist() == [1.0, 3.0, 2.0, 4.0]
    assert "[1., 2.]" in repr(x)
    x.add_(y).scale_(2.0).clip_(0.0, 30.0)
    assert x.tolist() == [[22.0, 30.0], [26.0, 30.0]]


class _Double(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, d):
        return d * 2


def autograd():
    """Run backward, gradients of gradients, hooks, PyLayers, writes through views."""
    x: Any = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    ((x * x).sum() + x[1] * 3).backward()
    assert x.grad.tolist() == [2.0, 7.0, 6.0]
    x.clear_grad()
    (slope,) = paddle.grad((x**3).sum(), x, create_graph=True)
    slope.sum().backward()
    assert np.allclose(x.grad.numpy(), [6.0, 12.0, 18.0])
    x.clear_grad()
    seen = []
    x.register_hook(lambda grad: seen.append(grad.tolist()))
    _Double.apply(x).sum().backward()
    assert seen == [[2.0, 2.0, 2.0]]
    x.clear_grad()
    written = x * 1.0
    written[0:1].scale_(4.0)
    written.unsqueeze(0).expand([2, 3]).sum().backward()
    assert x.grad.tolist() == [8.0, 2.0, 2.0]


def indexing():
    """Read and write by numbers, slices, lists, masks and tensors."""
    x = paddle.arange(12, dtype="float32").reshape([3, 4])
    assert x[-1, ::2].tolist() == [8.0, 10.0]
    assert x[x > 9].tolist() == [10.0, 11.0]
    assert x[[0, 1], [1, 2]].tolist() == [1.0, 6.0]
    assert x[paddle.to_tensor([0, 2]), None].shape == [2, 1, 4]
    x[0] = 5.0
    x[1, 1:3] = paddle.zeros([2])
    x[paddle.to_tensor([2])] = 7.0
    x[x == 4] = -1.0
    assert x.tolist() == [[5.0] * 4, [-1.0, 0.0, 0.0, 7.0], [7.0] * 4]
    assert paddle.nonzero(x == 0).tolist() == [[1, 1], [1, 2]]
    assert paddle.scatter(x, paddle.to_tensor([0]), paddle.ones([1, 4]))[0].tolist() == [1.0] * 4


def training():
    """Train a convolutional network for some steps, with mixed precision and files."""
    paddle.seed(7)
    net = nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
        nn.Dropout(0.1), nn.Linear(64, 8), nn.LayerNorm(8), nn.Linear(8, 3),
    )  # fmt: skip
    image, label = paddle.randn([4, 1, 8, 8]), paddle.to_tensor([0, 1, 2, 0])
    nn.Embedding(5, 4, padding_idx=0)(label).sum().backward()
    rate = paddle.optimizer.lr.StepDecay(1e-2, 2)
    clip = nn.ClipGradByGlobalNorm(1.0)
    optimizer = paddle.optimizer.AdamW(rate, parameters=net.parameters(), grad_clip=clip)
    for _ in range(3):
        loss = F.cross_entropy(net(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        rate.step()
    assert np.isfinite(loss.item())
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
        loss = F.cross_entropy(net(image), label)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    with tempfile.TemporaryDirectory() as folder:
        paddle.save(net.state_dict(), f"{folder}/net.pdparams")
        paddle.save(optimizer.state_dict(), f"{folder}/net.pdopt")
        net.set_state_dict(paddle.load(f"{folder}/net.pdparams"))
        optimizer.set_state_dict(paddle.load(f"{folder}/net.pdopt"))
    optimizer.step()
    net.eval()
    assert np.isfinite(net(image).numpy()).all()


def randomness():
    """Draw numbers, and restore the state they start from."""
    paddle.seed(3)
    first = paddle.rand([4]).tolist()
    paddle.seed(3)
    assert paddle.rand([4]).tolist() == first
    assert sorted(paddle.randperm(4).tolist()) == [0, 1, 2, 3]
    assert 0 <= paddle.randint(0, 5, [1]).item() < 5
    assert paddle.normal(0.0, 1.0, [2]).shape == [2]
    assert paddle.multinomial(paddle.ones([3]), 2).shape == [2]
    assert paddle.distribution.Normal(0.0, 1.0).sample([2]).shape == [2]
    state = paddle.get_rng_state()
    second = paddle.rand([2]).tolist()
    paddle.set_rng_state(state)
    assert paddle.rand([2]).tolist() == second


PARTS = (creation, arithmetic, autograd, indexing, training, randomness)

if __name__ == "__main__":
    exec(sys.argv[1])
    for part in PARTS:
        part()
        print(part.__name__)
