"""Keep the tensors saved for backward in another form: in host memory, or with half the bits.

``paddle.autograd.saved_tensors_hooks`` passes every tensor that an op saves for backward to
``pack``, and the result to ``unpack`` when backward needs it. The script trains one network on
scikit-learn's digits three times: unchanged, with saved tensors moved to host memory as NumPy
arrays, and with saved float32 tensors rounded to bfloat16. It prints the bytes that the device
holds for backward, and the errors of the gradients of one batch.

    python examples/saved_tensors.py --epochs 20 --seed 0 --out out/saved_tensors
"""

import argparse
import contextlib
import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import jaxeager as paddle
from jaxeager import nn

BATCH = 64
ERRORS_ALLOWED = {"as they are": 0.0, "on the host": 0.0, "as bfloat16": 0.05}
ACCURACY_WANTED = 0.95


class Ledger:
    """Counts the bytes that the device holds for backward."""

    def __init__(self):
        self.bytes = self.most_bytes = 0

    def add(self, count):
        """Add bytes, or subtract them."""
        self.bytes += count
        self.most_bytes = max(self.most_bytes, self.bytes)


def bytes_of(tensor):
    """Return the size of a tensor's values."""
    return int(np.prod(tensor.shape)) * tensor.element_size()


def keep(ledger):
    """Leave saved tensors unchanged, and count them."""

    def pack(tensor):
        ledger.add(bytes_of(tensor))
        return tensor

    def unpack(tensor):
        ledger.add(-bytes_of(tensor))
        return tensor

    return paddle.autograd.saved_tensors_hooks(pack, unpack)


def offload(ledger):
    """Keep saved tensors in host memory, as NumPy arrays."""
    return paddle.autograd.saved_tensors_hooks(lambda tensor: tensor.numpy(), paddle.to_tensor)


def compress(ledger):
    """Keep saved float32 tensors as bfloat16: the range stays, 8 of 24 bits of each value too."""

    def pack(tensor):
        is_wide = tensor.dtype == paddle.float32
        packed = tensor.astype("bfloat16") if is_wide else tensor
        ledger.add(bytes_of(packed))
        return packed, tensor.dtype

    def unpack(saved):
        packed, dtype = saved
        ledger.add(-bytes_of(packed))
        return packed.astype(dtype)

    return paddle.autograd.saved_tensors_hooks(pack, unpack)


FORMS = {"as they are": keep, "on the host": offload, "as bfloat16": compress}


def make_net(seed):
    """Return a small convolutional network: float[n, 1, 8, 8] to logits float[n, 10]."""
    paddle.seed(seed)
    return nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1), nn.GELU(), nn.Conv2D(16, 32, 3, padding=1), nn.GELU(),
        nn.MaxPool2D(2, 2), nn.Flatten(), nn.Linear(512, 64), nn.Tanh(), nn.Linear(64, 10),
    )  # fmt: skip


def gradients(net, images, labels, form):
    """Return the gradient of each parameter for one batch, and the most bytes kept."""
    net.clear_gradients()
    ledger = Ledger()
    with form(ledger):
        loss = nn.CrossEntropyLoss()(net(images), labels)
    loss.backward()
    return [parameter.grad.numpy() for parameter in net.parameters()], ledger.most_bytes


def compare(net, images, labels):
    """Return the bytes kept and the gradients' largest relative error, by form."""
    wanted, _ = gradients(net, images, labels, lambda ledger: contextlib.nullcontext())
    kept, errors = {}, {}
    for name, form in FORMS.items():
        found, kept[name] = gradients(net, images, labels, form)
        errors[name] = max(
            float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))
            for ours, theirs in zip(found, wanted, strict=True)
        )
    return kept, errors


def train(net, split, epochs, form, name, seed):
    """Train with Adam; return the losses of all steps and the accuracy on the held-out data."""
    train_images, test_images, train_labels, test_labels = split
    adam = paddle.optimizer.Adam(learning_rate=1e-3, parameters=net.parameters())
    criterion, losses = nn.CrossEntropyLoss(), []
    order, steps = np.random.default_rng(seed), len(train_labels) // BATCH
    with tqdm(total=epochs * steps, unit="step", mininterval=0.3, desc=name) as bar:
        for _ in range(epochs):
            for rows in order.permutation(len(train_labels))[: steps * BATCH].reshape(steps, BATCH):
                images, labels = map(paddle.to_tensor, (train_images[rows], train_labels[rows]))
                with form(Ledger()):
                    loss = criterion(net(images), labels)
                loss.backward()
                adam.step()
                adam.clear_grad()
                losses.append(float(loss))
                bar.update()
                bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    with paddle.no_grad():
        found = net(paddle.to_tensor(test_images)).argmax(axis=1).numpy()
    return losses, float((found == test_labels).mean())


def plot(losses, kept, errors, path):
    """Write the losses, the bytes kept on the device, and the errors of the gradients."""
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.6, 1, 1])
    for (name, values), style in zip(losses.items(), ("-", "--", ":"), strict=True):
        width = max(1, len(values) // 40)
        left.plot(np.convolve(values, np.ones(width) / width, mode="valid"), style, label=name)
    left.set(xlabel="step", ylabel="cross entropy", yscale="log", title="training")
    left.legend()
    left.grid(alpha=0.3)
    colors = ["tab:blue", "tab:orange", "tab:green"]
    bars = middle.bar(list(kept), [count / 1e6 for count in kept.values()], color=colors)
    middle.bar_label(bars, fmt="%.2f")
    middle.set(ylabel="MB on the device", title="kept for backward, one batch")
    bars = right.bar(list(errors), [100 * error for error in errors.values()], color=colors)
    right.bar_label(bars, fmt="%.2f")
    right.set(ylabel="percent", title="largest error of a gradient")
    for ax in (middle, right):
        ax.margins(y=0.12)
    figure.savefig(path, dpi=110)


def report(kept, errors, accuracies, seconds, path, is_quick):
    """Print the results; return whether they are good enough."""
    print(f"\n{'saved tensors':14s} {'device bytes':>12s} {'gradient error':>15s} {'accuracy':>9s}")
    for name in FORMS:
        share = f"{100 * accuracies[name]:.2f} %"
        print(f"{name:14s} {kept[name]:12,d} {errors[name]:15.1e} {share:>9s}")
    saved = 1 - kept["as bfloat16"] / kept["as they are"]
    print(f"bfloat16 saves {saved:.0%} of the bytes; training three times took {seconds:.1f} s")
    print(f"picture {path}")
    good = True
    for name, allowed in ERRORS_ALLOWED.items():
        if errors[name] > allowed:
            print(f"FAILED: the error allowed {name} is {allowed:.0e}", file=sys.stderr)
            good = False
    if min(accuracies.values()) < ACCURACY_WANTED and not is_quick:
        wanted = f"FAILED: the accuracy wanted is {ACCURACY_WANTED:.0%}"
        print(f"{wanted}; --quick is for a run that is too short for that", file=sys.stderr)
        good = False
    return good


def main(arguments=None):
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/saved_tensors"))
    parser.add_argument("--quick", action="store_true", help="one epoch, to see that it runs")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    digits = load_digits()
    images = (digits.images / 16.0).astype("float32")[:, None]
    split = train_test_split(
        images, digits.target.astype("int64"), test_size=0.2, random_state=options.seed
    )
    batch = [paddle.to_tensor(values[:BATCH]) for values in split[::2]]
    kept, errors = compare(make_net(options.seed), *batch)
    epochs = 1 if options.quick else options.epochs
    losses, accuracies, started = {}, {}, time.perf_counter()
    for name, form in FORMS.items():
        net = make_net(options.seed)
        losses[name], accuracies[name] = train(net, split, epochs, form, name, options.seed)
    seconds = time.perf_counter() - started
    path = options.out / "saved_tensors.png"
    plot(losses, kept, errors, path)
    return 0 if report(kept, errors, accuracies, seconds, path, options.quick) else 1


if __name__ == "__main__":
    sys.exit(main())
