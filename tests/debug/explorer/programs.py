"""Programs with a planted bug, which docs/explorer.md finds on the page."""

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F


class Gate(nn.Layer):
    """Multiplies what it computes with its sigmoid, and then writes into it through a view."""

    def __init__(self, width: int):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x):
        h = self.project(x)
        gated = h * F.sigmoid(h)  # saves h
        first = h[:, 0]
        first.scale_(0.5)  # writes into h
        return gated


class Distance(nn.Layer):
    """Divides by the length of what relu has left, which may be nothing."""

    def __init__(self, width: int):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x):
        kept = F.relu(self.project(x))
        length = paddle.sqrt((kept * kept).sum(axis=-1, keepdim=True))
        return kept / (length + 1.0)


class Square(paddle.autograd.PyLayer):
    """A square with a backward of its own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return paddle.multiply(x, x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * (x * 2.0)


class Tower(nn.Layer):
    """Ten layers, of which the seventh is given."""

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
    """Returns a loss whose backward is refused."""
    paddle.seed(0)
    model = nn.Sequential(nn.Linear(6, 8), Gate(8), nn.Linear(8, 1))
    return model(paddle.randn([4, 6])).mean()


def dying_tower():
    """Returns a model of which a layer has died: relu leaves nothing of it."""
    paddle.seed(0)
    tower = Tower(Distance(8))
    with paddle.no_grad():
        tower.layers[7].project.bias.set_value(paddle.full([8], -3.0))
    return tower


def nan_in_layer_7(tower=None):
    """Returns a finite loss whose gradients are NaN from the seventh layer of its tower on."""
    return (tower or dying_tower())(paddle.randn([4, 8])).mean()
