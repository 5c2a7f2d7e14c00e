"""Draw the picture of docs/autograd.md: python tools/draw_autograd.py writes docs/images."""

import pathlib

import jaxeager as paddle
from jaxeager.debug import draw_backward_graph

IMAGES = pathlib.Path(__file__).resolve().parents[1] / "docs" / "images"


def program():
    """Return the loss of the page's program, which has every kind of slot and rank."""
    x = paddle.to_tensor([[1.0, 2.0, 3.0, 4.0]], stop_gradient=False)
    w = paddle.to_tensor([[4.0, 4.0, 1.0, 0.5]], stop_gradient=False)
    x.name, w.name = "x", "w"
    y = x * w
    a, b = paddle.split(y, 2, axis=1)
    z = paddle.concat([a, b, a], axis=1)
    values, _ = paddle.topk(z, 2)
    loss = values.sum()
    loss.name = "loss"
    return loss


if __name__ == "__main__":
    for path in draw_backward_graph(program(), IMAGES / "autograd_graph", "svg", show_slots=True):
        print(path.name)
    (IMAGES / "autograd_graph.dot").unlink()
