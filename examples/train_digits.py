"""Train a small convolutional network on real handwritten digits, and check its gradients.

The data are scikit-learn's 1,797 scanned digits of 8x8 pixels, which come with the package. A fifth
of them is held out. The script writes a plot of loss and accuracy and the backward graph of one
step, and ends by comparing the gradient of every parameter with ``jax.grad`` of the same network
written a second time, in plain jax.

    python examples/train_digits.py --epochs 30 --seed 0 --out out/digits
"""

import argparse
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import jaxeager as paddle
from jaxeager import nn
from jaxeager.debug import draw_backward_graph

ACCURACY_WANTED = 0.97
GRADIENT_ERROR_ALLOWED = 1e-4


class DigitNet(nn.Layer):
    """Two convolutions and two linear layers: float[n, 1, 8, 8] to logits float[n, 10]."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2D(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.5), nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10)
        )

    def forward(self, images):
        return self.classifier(self.features(images))


class ShiftedDigits(paddle.io.Dataset):
    """The training digits, each moved by up to one pixel, again at each access."""

    def __init__(self, images, labels):
        self.padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
        self.labels = labels

    def __getitem__(self, index):
        row, column = np.random.randint(0, 3, size=2)
        return self.padded[index, :, row : row + 8, column : column + 8], self.labels[index]

    def __len__(self):
        return len(self.labels)


def load_split(seed):
    """Return (train images, test images, train labels, test labels); pixels are in [0, 1]."""
    digits = load_digits()
    images = (digits.images / 16.0).astype("float32")[:, None]
    labels = digits.target.astype("int64")
    return train_test_split(images, labels, test_size=0.2, random_state=seed, stratify=labels)


def accuracy(logits, labels):
    """Return the share of rows whose largest logit is the label, as a float."""
    return float((logits.argmax(axis=1) == labels).astype("float32").mean())


def evaluate(net, images, labels):
    """Return the accuracy on a whole set in a single step, without recording."""
    net.eval()
    with paddle.no_grad():
        result = accuracy(net(images), labels)
    net.train()
    return result


def train(net, split, epochs):
    """Train with Adam and a cosine learning rate; return the history of losses and accuracies."""
    train_images, test_images, train_labels, test_labels = split
    test_images, test_labels = paddle.to_tensor(test_images), paddle.to_tensor(test_labels)
    # Batches of one shape: every kernel is compiled once.
    loader = paddle.io.DataLoader(
        ShiftedDigits(train_images, train_labels), batch_size=64, shuffle=True, drop_last=True
    )
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(
        learning_rate=3e-3, T_max=epochs * len(loader)
    )
    adam = paddle.optimizer.Adam(learning_rate=schedule, parameters=net.parameters())
    criterion = nn.CrossEntropyLoss()
    history = {"loss": [], "train accuracy": [], "test accuracy": [], "steps": len(loader)}
    with tqdm(total=epochs * len(loader), unit="step", mininterval=0.3) as bar:
        for epoch in range(1, epochs + 1):
            hits = []
            for images, labels in loader:
                logits = net(images)
                loss = criterion(logits, labels)
                loss.backward()
                adam.step()
                adam.clear_grad()
                schedule.step()
                history["loss"].append(float(loss))
                hits.append(accuracy(logits, labels))
                bar.update()
                bar.set_postfix(epoch=epoch, loss=f"{history['loss'][-1]:.4f}", refresh=False)
            history["train accuracy"].append(float(np.mean(hits)))
            history["test accuracy"].append(evaluate(net, test_images, test_labels))
            bar.set_postfix(
                epoch=epoch,
                loss=f"{history['loss'][-1]:.4f}",
                test_accuracy=f"{100 * history['test accuracy'][-1]:.2f}%",
            )
    return history


def plot(history, stem):
    """Write the loss of every step and both accuracies of every epoch; return the paths."""
    per_step, steps = np.array(history["loss"]), history["steps"]
    epochs = np.arange(1, len(history["test accuracy"]) + 1)
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    at = np.arange(1, len(per_step) + 1) / steps
    left.plot(at, per_step, color="tab:blue", lw=1, alpha=0.35, label="each step")
    means = per_step.reshape(-1, steps).mean(axis=1)
    left.plot(epochs - 0.5, means, "o-", color="tab:blue", ms=3, label="mean of the epoch")
    left.set(xlabel="epoch", ylabel="cross entropy", yscale="log", title="training loss")
    left.legend(loc="upper right")
    right.plot(
        epochs,
        100 * np.array(history["train accuracy"]),
        "o-",
        ms=3,
        label="training (shifted, with dropout)",
    )
    right.plot(epochs, 100 * np.array(history["test accuracy"]), "s-", ms=3, label="held out")
    right.axhline(100 * ACCURACY_WANTED, color="gray", lw=1, ls="--", label="wanted at the end")
    right.set(xlabel="epoch", ylabel="percent", title="accuracy")
    right.legend(loc="lower right")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    for path in paths:
        figure.savefig(path, dpi=110)
    return paths


def loss_in_plain_jax(params, images, labels):
    """Compute the loss of the network again, in jax only, for ``jax.grad``."""

    def convolve(x, weight, bias):
        x = jax.lax.conv_general_dilated(x, weight, (1, 1), [(1, 1), (1, 1)])
        return x + bias[:, None, None]

    def halve(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    x = jax.nn.relu(convolve(images, *params[0:2]))
    x = halve(jax.nn.relu(convolve(x, *params[2:4])))
    x = jax.nn.relu(x.reshape(len(x), -1) @ params[4] + params[5])
    logits = x @ params[6] + params[7]
    return -jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels].mean()


def compare_with_jax(net, images, labels):
    """Return each gradient's error, relative to its largest entry, by parameter name."""
    net.eval()  # no dropout: both sides compute the same function
    net.clear_gradients()
    # Full float32 products on both sides, also where the accelerator's default is shorter.
    with jax.default_matmul_precision("float32"):
        nn.CrossEntropyLoss()(net(paddle.to_tensor(images)), paddle.to_tensor(labels)).backward()
        params = [jnp.asarray(parameter.numpy()) for parameter in net.parameters()]
        wanted = jax.jit(jax.grad(loss_in_plain_jax))(params, images, labels)
    errors = {}
    for (name, parameter), gradient in zip(net.named_parameters(), wanted, strict=True):
        difference = np.abs(parameter.grad.numpy() - np.asarray(gradient)).max()
        errors[name] = float(difference / np.abs(gradient).max())
    return errors


def draw_one_step(net, images, labels, stem):
    """Write the backward graph of the loss of one batch; return the paths."""
    loss = nn.CrossEntropyLoss()(net(paddle.to_tensor(images)), paddle.to_tensor(labels))
    return draw_backward_graph(loss, stem, format=("dot", "svg"))


def report(history, errors, seconds, plots, graphs):
    """Print the results; return whether they are good enough."""
    final = history["test accuracy"][-1]
    print(f"\ntest accuracy   {100 * final:.2f} % on the digits held out")
    print(f"training        {len(history['loss'])} steps in {seconds:.1f} s, compilation included")
    print("loss, accuracy  " + ", ".join(map(str, plots)))
    print("backward graph  " + ", ".join(map(str, graphs)))
    print("\ngradient of one batch against jax.grad, error relative to the largest entry")
    for name, error in errors.items():
        print(f"  {name:22s} {error:.1e}")
    worst = max(errors.values())
    print(f"  max relative error     {worst:.1e}")
    accurate, right = final >= ACCURACY_WANTED, worst <= GRADIENT_ERROR_ALLOWED
    if not accurate:
        print(f"FAILED: the accuracy wanted is {100 * ACCURACY_WANTED:.0f} %", file=sys.stderr)
    if not right:
        print(f"FAILED: the error allowed is {GRADIENT_ERROR_ALLOWED:.0e}", file=sys.stderr)
    return accurate and right


def main(arguments=None):
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/digits"))
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    paddle.seed(options.seed)
    np.random.seed(options.seed)  # the order of the batches, and the shifts
    split = load_split(options.seed)
    net = DigitNet()
    print(f"{len(split[0])} digits to train on, {len(split[1])} held out, on {paddle.get_device()}")
    started = time.perf_counter()
    history = train(net, split, options.epochs)
    seconds = time.perf_counter() - started

    batch = split[0][:64], split[2][:64]
    plots = plot(history, options.out / "training")
    graphs = draw_one_step(net, *batch, options.out / "backward_graph")
    errors = compare_with_jax(net, *batch)
    return 0 if report(history, errors, seconds, plots, graphs) else 1


if __name__ == "__main__":
    sys.exit(main())
