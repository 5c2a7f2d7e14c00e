"""Draw the picture of docs/gradient-report.md, and print its table.

python tools/draw_gradient_report.py  # needs the extra "examples"
"""

from pathlib import Path

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F

IMAGE = Path(__file__).resolve().parents[1] / "docs" / "images" / "gradient_report.png"


class Block(nn.Layer):
    """A linear layer and tanh."""

    def __init__(self, width: int, bias: float):
        super().__init__()
        self.linear = nn.Linear(width, width, bias_attr=nn.initializer.Constant(bias))

    def forward(self, x):
        return F.tanh(self.linear(x))


class Deep(nn.Layer):
    """Eight blocks; the bias of the fifth saturates its tanh."""

    def __init__(self, width: int = 32):
        super().__init__()
        self.stem = nn.Linear(16, width)
        self.blocks = nn.LayerList([Block(width, 8.0 if k == 4 else 0.0) for k in range(8)])
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        x = F.tanh(self.stem(x))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def main() -> None:
    """Train for 40 steps, write the picture and print the table."""
    paddle.seed(0)
    model = Deep()
    sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    x, labels = paddle.randn([64, 16]), paddle.randint(0, 4, [64])
    with paddle.debug.gradient_report(model, sgd) as report:
        for _ in range(40):
            F.cross_entropy(model(x), labels).backward()
            sgd.step()
            sgd.clear_grad()
    print(report)
    report.save(IMAGE)


if __name__ == "__main__":
    main()
