"""Train a diffusion model on scikit-learn's digits, and draw digits that no person wrote.

A network learns which noise was added to a picture, at a random one of 60 strengths; the strength
and the digit are inputs. The requested digits are then computed from pure noise, step by step.
It is ordinary Paddle code:

    python examples/diffusion.py                           # on Paddle
    python -m jaxeager examples/diffusion.py --steps 1000   # here
"""

import argparse
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from matplotlib.figure import Figure
from paddle import nn
from sklearn.datasets import load_digits
from tqdm import tqdm

TIMES, BATCH, WIDTH = 60, 128, 128


def schedule():
    """Return the noise that each time adds, and the share of the picture that is left by then."""
    added = np.linspace(1e-3, 0.2, TIMES)
    return added.astype("float32"), np.cumprod(1.0 - added).astype("float32")


def waves(times, size):
    """Return sines and cosines of times int64[n], as float[n, size]."""
    rates = paddle.exp(-np.log(100.0) * paddle.arange(size // 2, dtype="float32") / (size // 2))
    angles = times.astype("float32").unsqueeze(1) * rates
    return paddle.concat([angles.sin(), angles.cos()], axis=1)


class Block(nn.Layer):
    """Two layers added to their input; the condition scales and shifts what they read."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width, weight_attr=False, bias_attr=False)
        self.adapt = nn.Linear(width, 2 * width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x, condition):
        scale, shift = self.adapt(condition).chunk(2, axis=-1)
        return x + self.down(F.silu(self.up(self.norm(x) * (1 + scale) + shift)))


class Denoiser(nn.Layer):
    """Pictures float[n, 64], times and digits int64[n] to the noise in the pictures."""

    def __init__(self, width=WIDTH, depth=3):
        super().__init__()
        self.enter, self.leave = nn.Linear(64, width), nn.Linear(width, 64)
        self.digit = nn.Embedding(10, width, weight_attr=nn.initializer.Normal())
        self.time = nn.Sequential(nn.Linear(width, width), nn.Silu(), nn.Linear(width, width))
        self.blocks = nn.LayerList([Block(width) for _ in range(depth)])

    def forward(self, pictures, times, digits):
        condition = F.silu(self.time(waves(times, WIDTH)) + self.digit(digits))
        x = self.enter(pictures)
        for block in self.blocks:
            x = block(x, condition)
        return self.leave(x)


def train(model, pictures, digits, options):
    """Train along with an average of the weights; return the losses, and load the average."""
    rng = np.random.RandomState(options.seed)
    _, left = schedule()
    adam = paddle.optimizer.Adam(2e-3, parameters=model.parameters())
    average = {name: value.clone() for name, value in model.state_dict().items()}
    losses = []
    for step in (bar := tqdm(range(options.steps), unit="step")):
        chosen, times = rng.randint(0, len(digits), BATCH), rng.randint(0, TIMES, BATCH)
        noise = paddle.to_tensor(rng.normal(size=(BATCH, 64)).astype("float32"))
        share = paddle.to_tensor(left[times]).unsqueeze(1)
        noisy = share.sqrt() * paddle.to_tensor(pictures[chosen]) + (1 - share).sqrt() * noise
        found = model(noisy, paddle.to_tensor(times), paddle.to_tensor(digits[chosen]))
        loss = F.mse_loss(found, noise)
        loss.backward()
        adam.step()
        adam.clear_grad()
        with paddle.no_grad():
            kept = min(0.99, (step + 1) / (step + 10))
            for name, value in model.state_dict().items():
                average[name].set_value(kept * average[name] + (1 - kept) * value)
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    model.set_state_dict(average)
    return losses


@paddle.no_grad()
def draw(model, digits, seed):
    """Return a picture of each of the digits, as float[n, 8, 8] in [0, 1]."""
    model.eval()
    rng, (added, left) = np.random.RandomState(seed), schedule()
    shape = [len(digits), 64]
    x = paddle.to_tensor(rng.normal(size=shape).astype("float32"))
    for time in reversed(range(TIMES)):
        noise = model(x, paddle.full([len(digits)], time, dtype="int64"), digits)
        x = (x - added[time] / np.sqrt(1 - left[time]) * noise) / np.sqrt(1 - added[time])
        if time:
            fresh = paddle.to_tensor(rng.normal(size=shape).astype("float32"))
            x = x + np.sqrt(added[time]) * fresh
    return ((x.clip(-1, 1) + 1) / 2).reshape([-1, 8, 8]).numpy()


def plot(losses, drawn, path):
    """Write the losses and the drawn digits, ten in a row."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(losses, lw=0.8)
    left.set(xlabel="step", ylabel="mean squared error of the noise", yscale="log")
    rows = [np.concatenate(list(np.pad(row, 1)[1:-1]), axis=1) for row in np.split(drawn, 4)]
    right.imshow(np.concatenate(rows), cmap="gray_r")
    right.set(title="digits drawn", xticks=[], yticks=[])
    figure.savefig(path, dpi=110)


def main(arguments=None):
    """Train, and draw four rows of digits; return the losses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/diffusion"))
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    paddle.seed(options.seed)
    data = load_digits()
    pictures = (data.data / 8.0 - 1.0).astype("float32")
    model = Denoiser()
    losses = train(model, pictures, data.target.astype("int64"), options)
    drawn = draw(model, paddle.to_tensor(np.tile(np.arange(10), 4)), options.seed)
    plot(losses, drawn, options.out / "diffusion.png")
    print(f"loss {np.mean(losses[-20:]):.4f}, wrote {options.out / 'diffusion.png'}")
    return losses


if __name__ == "__main__":
    main()
