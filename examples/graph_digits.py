"""A graph network learns to read 1,797 digits of which 50 have a label.

Each of scikit-learn's digits is a node, joined to the six most similar ones. The features of a node
are sent along the edges to its neighbours (`paddle.geometric`), so labels reach digits that have
none; the same network without edges shows the effect. It is ordinary Paddle code:

    python examples/graph_digits.py                          # on Paddle
    python -m jaxeager examples/graph_digits.py --steps 100   # here
"""

import argparse

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from sklearn.datasets import load_digits
from tqdm import tqdm

NEIGHBOURS, LABELLED = 6, 5  # edges to each node; labels of each digit


def nearest(pixels, count):
    """Return the edges from the `count` most similar nodes to each node: sources, targets."""
    squares = (pixels**2).sum(1)
    distance = squares[:, None] + squares - 2 * pixels @ pixels.T
    np.fill_diagonal(distance, distance.max() + 1)
    sources = np.argsort(distance, axis=1, kind="stable")[:, :count]
    return sources.reshape(-1), np.repeat(np.arange(len(pixels)), count)


class Attention(nn.Layer):
    """Each node takes the mean of its neighbours, weighted by how well they match (GAT)."""

    def __init__(self, wide, out):
        super().__init__()
        self.linear = nn.Linear(wide, out)
        self.send = nn.Linear(out, 1, bias_attr=False)
        self.receive = nn.Linear(out, 1, bias_attr=False)

    def forward(self, x, sources, targets):
        x = self.linear(x)
        scores = paddle.geometric.send_uv(self.send(x), self.receive(x), sources, targets, "add")
        scores = F.leaky_relu(scores, 0.2)
        # The largest score of a node cancels in its softmax: exp() stays small.
        largest = paddle.geometric.segment_max(scores.detach(), targets)
        chances = paddle.exp(scores - paddle.gather(largest, targets))
        total = paddle.geometric.segment_sum(chances, targets)
        chances = chances / paddle.gather(total, targets)
        return paddle.geometric.send_ue_recv(x, chances, sources, targets, "mul", "sum")


class GraphNet(nn.Layer):
    """Pixels float[nodes, 64] to logits [nodes, 10], with two rounds along the edges."""

    def __init__(self, width=64):
        super().__init__()
        self.enter = nn.Linear(64, width)
        self.mean = nn.Linear(2 * width, width)
        self.attention = Attention(width, width)
        self.leave = nn.Linear(2 * width, 10)

    def forward(self, pixels, sources, targets):
        x = F.relu(self.enter(pixels))
        around = paddle.geometric.send_u_recv(x, sources, targets, reduce_op="mean")
        x = F.relu(self.mean(paddle.concat([x, around], axis=1)))
        around = F.elu(self.attention(x, sources, targets))
        return self.leave(paddle.concat([x, around], axis=1))


def train(pixels, digits, edges, labelled, steps):
    """Train a new network; return the losses, and the accuracy on the nodes without labels."""
    model = GraphNet()
    adam = paddle.optimizer.AdamW(2e-3, parameters=model.parameters(), weight_decay=0.05)
    losses = []
    for _ in (bar := tqdm(range(steps), unit="step")):
        logits = model(pixels, *edges)
        loss = F.cross_entropy(logits[labelled], digits[labelled])
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    model.eval()
    with paddle.no_grad():
        right = model(pixels, *edges).argmax(axis=-1) == digits
    return losses, float(right[~labelled].astype("float32").mean())


def main(arguments=None):
    """Train with and without the edges; return the losses with them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    paddle.seed(options.seed)
    data, rng = load_digits(), np.random.RandomState(options.seed)
    sources, targets = nearest(data.data.astype("int64"), NEIGHBOURS)
    agree = (data.target[sources] == data.target[targets]).mean()
    print(f"{len(data.data)} nodes, {len(sources)} edges, {100 * agree:.1f} % between equal digits")
    chosen = [rng.permutation(np.flatnonzero(data.target == each))[:LABELLED] for each in range(10)]
    labelled = np.zeros(len(data.data), bool)
    labelled[np.concatenate(chosen)] = True
    pixels = paddle.to_tensor((data.data / 16.0).astype("float32"))
    digits, labelled = paddle.to_tensor(data.target.astype("int64")), paddle.to_tensor(labelled)
    edges = paddle.to_tensor(sources), paddle.to_tensor(targets)
    losses, with_edges = train(pixels, digits, edges, labelled, options.steps)
    alone = paddle.arange(len(data.data))
    _, without = train(pixels, digits, (alone, alone), labelled, options.steps)
    print(f"of the {len(data.data) - 10 * LABELLED} digits without a label it reads")
    print(f"  {100 * with_edges:.1f} % with edges, {100 * without:.1f} % without")
    return losses


if __name__ == "__main__":
    main()
