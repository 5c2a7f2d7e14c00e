"""PyLayer, hooks, paddle.grad and a gradient penalty."""

import numpy as np
import paddle
from paddle.autograd import PyLayer


class Sign(PyLayer):
    """The sign, whose gradient passes straight through where the input is small."""

    @staticmethod
    def forward(ctx, x, limit=1.0):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return paddle.sign(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * (x.abs() <= ctx.limit).astype(grad.dtype)


class Binary(paddle.nn.Layer):
    def __init__(self, ins, outs):
        super().__init__()
        rng = np.random.RandomState(ins)
        self.weight = self.create_parameter(
            [ins, outs],
            default_initializer=paddle.nn.initializer.Assign(rng.normal(0, 0.5, (ins, outs))),
        )
        self.scale = paddle.create_parameter(
            [1], "float32", default_initializer=paddle.nn.initializer.Constant(0.5)
        )
        self.add_parameter("scale", self.scale)
        self.register_buffer("seen", paddle.zeros([1], dtype="int64"))

    def forward(self, x):
        self.seen += x.shape[0]
        return paddle.matmul(x, Sign.apply(self.weight, limit=0.8)) * self.scale


rng = np.random.RandomState(0)
x = paddle.to_tensor(rng.normal(size=(16, 6)), dtype="float32")
y = paddle.to_tensor(rng.normal(size=(16, 2)), dtype="float32")
net = paddle.nn.Sequential(
    ("first", Binary(6, 8)), ("act", paddle.nn.Tanh()), ("last", Binary(8, 2))
)
optimizer = paddle.optimizer.SGD(0.05, parameters=net.parameters())
norms = []
handle = net.last.weight.register_hook(lambda grad: norms.append(float(grad.norm())) or grad * 2)
shapes = []
net.first.register_forward_post_hook(lambda layer, ins, out: shapes.append(tuple(out.shape)))
for step in range(5):
    given = x.clone()
    given.stop_gradient = False
    loss = ((net(given) - y) ** 2).mean()
    (slope,) = paddle.grad(loss, [given], create_graph=True)
    penalty = (slope.norm(p=2, axis=1) - 0.1).square().mean()
    (loss + 0.1 * penalty).backward()
    optimizer.step()
    optimizer.clear_gradients()
    print(f"step {step} loss {loss.item():.6f} penalty {penalty.item():.6f} norm {norms[-1]:.6f}")
handle.remove()
print(shapes[-1], net.first.seen.item(), sorted(dict(net.named_buffers())))
print(net)
