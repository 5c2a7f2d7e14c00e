"""Run one step of a Conv/Sigmoid/MaxPool/Linear model, print its gradients, draw its graph.

python examples/debug_guide_model.py --seed 0 --out out/debug_guide
"""

import argparse
import sys
from pathlib import Path

import jaxeager as paddle
from jaxeager import nn
from jaxeager.debug import draw_backward_graph


class SmallNet(nn.Layer):
    """Two convolutions, then two linear layers: float[n, 1, 28, 28] to float[n, 10]."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2D(1, 8, 5),
            nn.Sigmoid(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(8, 16, 3),
            nn.Sigmoid(),
            nn.MaxPool2D(2, 2),
        )
        self.fc = nn.Sequential(nn.Linear(16 * 5 * 5, 64), nn.Sigmoid(), nn.Linear(64, 10))

    def forward(self, images):
        features = self.conv(images)
        return self.fc(features.reshape([images.shape[0], -1]))


def main(arguments=None):
    """Run the step; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/debug_guide"))
    options = parser.parse_args(arguments)

    paddle.seed(options.seed)
    model = SmallNet()
    loss = model(paddle.randn([4, 1, 28, 28])).square().mean()
    written = draw_backward_graph(loss, options.out / "backward_graph", format=("dot", "svg"))
    loss.backward()

    print(f"loss {float(loss):.6f}\n")
    print(f"{'parameter':14s} {'shape':18s} norm of its gradient")
    for name, parameter in model.named_parameters():
        norm = float(parameter.grad.norm())
        print(f"{name:14s} {list(parameter.shape)!s:18s} {norm:.6f}")
    print("\nbackward graph", ", ".join(map(str, written)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
