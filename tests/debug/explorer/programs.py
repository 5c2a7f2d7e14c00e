"""Programs with a planted bug, which docs/explorer.md finds on the page."""

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F


class Gate(nn.Layer):
    """Multiplies its result with its sigmoid, and then writes into it through a view."""

    def __init__(self, width: int):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x):
        h = self.project(x)
        gated = h * F.sigmoid(h)  # saves h
        first = h[:, 0]
        first.scale_(0.5)  # writes into h
        return gated


class Standardize(nn.Layer):
    """Adds its result, divided by its spread, which is 0 as long as its weights are."""

    def __init__(self, width: int):
        super().__init__()
        self.project = nn.Linear(width, width, weight_attr=nn.initializer.Constant(0.0))

    def forward(self, x):
        h = self.project(x)
        centred = h - h.mean(axis=-1, keepdim=True)
        spread = paddle.sqrt((centred * centred).mean(axis=-1, keepdim=True))
        return x + centred / (spread + 1e-6)


class Square(paddle.autograd.PyLayer):
    """A square with a custom backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return paddle.multiply(x, x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * (x * 2.0)


class Tower(nn.Layer):
    """Ten layers; the seventh is an argument."""

    def __init__(self, seventh: nn.Layer, width: int = 8):
        super().__init__()
        blocks = [nn.Sequential(nn.Linear(width, width), nn.Tanh()) for _ in range(10)]
        blocks[7] = seventh
        self.layers = nn.LayerList(blocks)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def written_through_a_view():
    """Return a loss whose backward is refused."""
    paddle.seed(0)
    model = nn.Sequential(nn.Linear(6, 8), Gate(8), nn.Linear(8, 1))
    return model(paddle.randn([4, 6])).mean()


def tower_of_ten():
    """Return a model whose seventh layer starts with weights of 0."""
    paddle.seed(0)
    return Tower(Standardize(8))


def nan_in_layer_7(tower=None):
    """Return a finite loss whose gradients are NaN from the seventh layer down to the first."""
    return (tower or tower_of_ten())(paddle.randn([4, 8])).mean()
