"""Train a stack of 12 transformer blocks with and without recompute, and measure the memory.

With ``recompute`` a block keeps only its input; the values that its backward needs are computed
again. The script uses the digits of scikit-learn as sequences of pixels, counts the bytes of all
live arrays while one step runs, and compares the gradients, including dropout.

    python examples/recompute.py --width 64 --seed 0 --out out/recompute
"""

import argparse
import gc
import sys
import time
from pathlib import Path

import jax
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import jaxeager as paddle
from jaxeager import nn
from jaxeager.distributed.fleet.utils import recompute

BLOCKS, HEADS, PIXELS, CLASSES = 12, 4, 64, 10
GRADIENT_ERROR_ALLOWED = 1e-4
PEAK_WANTED = 0.35  # of the peak without recompute


class DigitTransformer(nn.Layer):
    """Twelve blocks over the pixels of a digit: float[n, 64] to logits float[n, 10].

    Args:
        width: the size of a pixel's vector.
        together: the number of blocks that are recomputed as one segment; 0 recomputes none.
    """

    def __init__(self, width, together=0):
        super().__init__()
        self.together = together
        self.value = nn.Linear(1, width)
        self.place = self.create_parameter([PIXELS, width])
        self.blocks = nn.LayerList(
            [nn.TransformerEncoderLayer(width, HEADS, 4 * width, 0.1) for _ in range(BLOCKS)]
        )
        self.head = nn.Linear(width, CLASSES)

    def forward(self, pixels):
        h = self.value(pixels.unsqueeze(2)) + self.place
        for start in range(0, BLOCKS, self.together or BLOCKS):
            blocks = self.blocks[start : start + (self.together or BLOCKS)]
            run = nn.Sequential(*blocks)
            h = recompute(run, h) if self.together else run(h)
        return self.head(h.mean(axis=1))


class MemoryWatch:
    """Counts the bytes of live arrays after every layer's forward, and in its backward.

    Attributes:
        levels: MB above those at the start, in the order of the step.
        turn: the number of levels that belong to the forward pass.
    """

    def __init__(self, net):
        self.levels: list[float] = []
        self.turn = 0
        for layer in net.sublayers():
            layer.register_forward_post_hook(self.after_forward)

    def start(self):
        """Forget the levels and take the current bytes as zero."""
        gc.collect()
        self.levels.clear()
        self.base = live_bytes()

    def look(self, *_):
        """Count once."""
        self.levels.append((live_bytes() - self.base) / 1e6)

    def after_forward(self, layer, inputs, output):
        """Count, and again when the gradient of the output is computed."""
        self.look()
        if isinstance(output, paddle.Tensor) and not output.stop_gradient:
            output.register_hook(self.look)


def live_bytes():
    """Return the bytes of all live arrays."""
    return sum(array.nbytes for array in jax.live_arrays())


def one_step(net, pixels, labels, seed, watch=None):
    """Run forward and backward; return the gradients."""
    net.clear_gradients()
    paddle.seed(seed)  # dropout drops the same each time
    loss = nn.CrossEntropyLoss()(net(pixels), labels)
    if watch is not None:
        watch.turn = len(watch.levels)
    loss.backward()
    return [parameter.grad.numpy() for parameter in net.parameters()]


def measure(width, pixels, labels, seed, together):
    """Return memory levels, the turn, seconds of a step, and gradients."""
    paddle.seed(seed)
    net = DigitTransformer(width, together)
    one_step(net, pixels, labels, seed)  # compiles
    times = []
    for _ in range(5):
        started = time.perf_counter()
        grads = one_step(net, pixels, labels, seed)
        times.append(time.perf_counter() - started)
    net.clear_gradients()
    watch = MemoryWatch(net)
    watch.start()
    one_step(net, pixels, labels, seed, watch)
    return watch.levels, watch.turn, min(times), grads


def plot(found, path):
    """Write the memory during a step, and peak and time by the size of a segment."""
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.7, 1])
    for name, (levels, turn, _, _) in found.items():
        forward = np.linspace(0, 1, turn, endpoint=False)
        backward = np.linspace(1, 2, len(levels) - turn)
        left.plot([*forward, *backward], levels, lw=1.2, label=name)
    left.axvline(1.0, color="gray", lw=1, ls="--")
    left.set(xlabel="forward, then backward", ylabel="MB above the start",
             title="live arrays during one step", xticks=[])  # fmt: skip
    left.legend(title="recomputed")
    left.grid(alpha=0.3)
    peaks = [max(levels) for levels, *_ in found.values()]
    bars = right.bar(list(found), peaks, color=[f"C{place}" for place in range(len(found))])
    labels = [
        f"{peak:.0f} MB\n{1000 * seconds:.0f} ms"
        for peak, (_, _, seconds, _) in zip(peaks, found.values(), strict=True)
    ]
    right.bar_label(bars, labels)
    right.set(ylabel="peak, MB", title="peak memory and time of a step", ylim=(0, 1.2 * max(peaks)))
    right.tick_params(axis="x", labelsize="small")
    figure.savefig(path, dpi=110)


def report(found, path):
    """Print the results; return whether they are good enough."""
    plain, *_ = found.values()
    peak = max(plain[0])
    print(
        f"\n{'recomputed':18s} {'peak MB':>8s} {'of it':>6s} {'ms a step':>10s} {'gradients':>10s}"
    )
    shares, errors = [], []
    for name, (levels, _, seconds, grads) in found.items():
        # Relative to the largest gradient of all: that of a key's bias is 0 but for rounding.
        off = [np.abs(a - b).max() for a, b in zip(grads, plain[3], strict=True)]
        errors.append(float(max(off) / max(np.abs(each).max() for each in plain[3])))
        shares.append(max(levels) / peak)
        print(f"{name:18s} {max(levels):8.1f} {shares[-1]:6.0%} {1000 * seconds:10.0f} "
              f"{errors[-1]:10.1e}")  # fmt: skip
    print(f"picture {path}")
    is_right, is_small = max(errors) <= GRADIENT_ERROR_ALLOWED, shares[1] <= PEAK_WANTED
    if not is_right:
        print(f"FAILED: the error allowed is {GRADIENT_ERROR_ALLOWED:.0e}", file=sys.stderr)
    if not is_small:
        print(f"FAILED: the peak wanted is {PEAK_WANTED:.0%}", file=sys.stderr)
    return is_right and is_small


def main(arguments=None):
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/recompute"))
    parser.add_argument("--quick", action="store_true", help="a small model, to see that it runs")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    width, batch = (16, 4) if options.quick else (options.width, options.batch)

    digits = load_digits()
    pixels = paddle.to_tensor((digits.data[:batch] / 16.0).astype("float32"))
    labels = paddle.to_tensor(digits.target[:batch].astype("int64"))
    variants = {"nothing": 0, "each block": 1, "three blocks": 3}
    found = {}
    for name, together in tqdm(variants.items(), unit="variant"):
        found[name] = measure(width, pixels, labels, options.seed, together)
    path = options.out / "recompute.png"
    plot(found, path)
    return 0 if report(found, path) else 1


if __name__ == "__main__":
    sys.exit(main())
