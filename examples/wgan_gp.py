"""Train a Wasserstein GAN with gradient penalty on scikit-learn's 8x8 digits.

The penalty keeps the norm of the critic's gradient, by its input, near 1. So the loss contains a
gradient, ``paddle.grad(..., create_graph=True)``, and its backward is a gradient of a gradient. The
script compares that with ``jax.grad`` of the same loss, written a second time in plain jax.

    python examples/wgan_gp.py --steps 2500 --seed 0 --out out/wgan_gp
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
from tqdm import tqdm

import jaxeager as paddle
from jaxeager import nn

NOISE, WIDTH, PIXELS, BATCH = 16, 128, 64, 64
CRITIC_STEPS, PENALTY = 3, 10.0
GRADIENT_ERROR_ALLOWED = 1e-4
GAP_WANTED = 0.5  # the share of its peak that the critic's gap must fall to


def make_generator():
    """Return the network from noise, float[n, 16], to pixels in [0, 1], float[n, 64]."""
    return nn.Sequential(
        nn.Linear(NOISE, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
        nn.Linear(WIDTH, PIXELS), nn.Sigmoid(),
    )  # fmt: skip


def make_critic():
    """Return the network from pixels, float[n, 64], to a score without bounds, float[n, 1]."""
    return nn.Sequential(
        nn.Linear(PIXELS, WIDTH), nn.LeakyReLU(0.2), nn.Linear(WIDTH, WIDTH), nn.LeakyReLU(0.2),
        nn.Linear(WIDTH, 1),
    )  # fmt: skip


def critic_loss(critic, real, fake, mix):
    """Return the critic's loss, its gap between real and fake, and the mean gradient norm.

    Args:
        critic: the network.
        real, fake: pixels, float[n, 64].
        mix: float[n, 1] in [0, 1]; the penalty uses points between real and fake.
    """
    between = real * mix + fake * (1.0 - mix)
    between.stop_gradient = False
    (slope,) = paddle.grad(critic(between).sum(), [between], create_graph=True)
    norms = (slope.square().sum(axis=1) + 1e-12).sqrt()
    gap = critic(real).mean() - critic(fake).mean()
    return (norms - 1.0).square().mean() * PENALTY - gap, gap, norms.mean()


def train(generator, critic, digits, steps):
    """Train both; return the history of gaps and gradient norms, one of each per step."""
    adam = {"learning_rate": 5e-4, "beta1": 0.5, "beta2": 0.9}
    of_generator = paddle.optimizer.Adam(parameters=generator.parameters(), **adam)
    of_critic = paddle.optimizer.Adam(parameters=critic.parameters(), **adam)
    gaps, norms = [], []
    with tqdm(total=steps, unit="step", mininterval=0.3) as bar:
        for _ in range(steps):
            for _ in range(CRITIC_STEPS):
                real = paddle.to_tensor(digits[np.random.randint(0, len(digits), BATCH)])
                with paddle.no_grad():
                    fake = generator(paddle.randn([BATCH, NOISE]))
                loss, gap, norm = critic_loss(critic, real, fake, paddle.rand([BATCH, 1]))
                loss.backward()
                of_critic.step()
                of_critic.clear_grad()
            (-critic(generator(paddle.randn([BATCH, NOISE]))).mean()).backward()
            of_generator.step()
            of_generator.clear_grad()
            of_critic.clear_grad()  # gradients of the generator's loss, not for the critic
            gaps.append(float(gap))
            norms.append(float(norm))
            bar.update()
            bar.set_postfix(gap=f"{gaps[-1]:.3f}", norm=f"{norms[-1]:.3f}", refresh=False)
    return gaps, norms


def loss_in_plain_jax(params, real, fake, mix):
    """Compute the critic's loss again, in jax only, for ``jax.grad``."""

    def critic(x):
        for weight, bias in zip(params[0:4:2], params[1:4:2], strict=True):
            x = jax.nn.leaky_relu(x @ weight + bias, 0.2)
        return (x @ params[4] + params[5])[..., 0]

    slopes = jax.vmap(jax.grad(critic))(real * mix + fake * (1.0 - mix))
    norms = jnp.sqrt((slopes**2).sum(axis=1) + 1e-12)
    gap = critic(real).mean() - critic(fake).mean()
    return ((norms - 1.0) ** 2).mean() * PENALTY - gap


def compare_with_jax(critic, digits):
    """Return the largest error of the loss's gradients, relative to each one's largest entry."""
    real, fake = digits[:BATCH], np.random.rand(BATCH, PIXELS).astype("float32")
    mix = np.random.rand(BATCH, 1).astype("float32")
    critic.clear_gradients()
    with jax.default_matmul_precision("float32"):
        loss, _, _ = critic_loss(critic, *map(paddle.to_tensor, (real, fake, mix)))
        loss.backward()
        params = [jnp.asarray(parameter.numpy()) for parameter in critic.parameters()]
        wanted = jax.jit(jax.grad(loss_in_plain_jax))(params, real, fake, mix)
    errors = [
        np.abs(parameter.grad.numpy() - np.asarray(grad)).max() / max(np.abs(grad).max(), 1e-6)
        for parameter, grad in zip(critic.parameters(), wanted, strict=True)
    ]
    return float(max(errors))


def tiles(images, rows=6, columns=8):
    """Return images, float[48, 64], side by side as one picture."""
    picture = np.full((rows * 9 + 1, columns * 9 + 1), 0.2, "float32")
    for place, image in enumerate(images[: rows * columns]):
        row, column = divmod(place, columns)
        picture[row * 9 + 1 : row * 9 + 9, column * 9 + 1 : column * 9 + 9] = image.reshape(8, 8)
    return picture


def smooth(values, width):
    """Return the running mean of values."""
    return np.convolve(values, np.ones(width) / width, mode="valid")


def plot(gaps, norms, digits, fakes, path):
    """Write the history and two sheets of digits."""
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    axes = figure.subplots(1, 4, width_ratios=[1.2, 1.2, 1, 1])
    width = max(1, len(gaps) // 30)
    at = np.arange(len(gaps) - width + 1) + width
    for ax, values, title in ((axes[0], gaps, "gap between real and fake"),
                              (axes[1], norms, "norm of the critic's gradient")):  # fmt: skip
        ax.plot(np.arange(1, len(values) + 1), values, lw=0.8, alpha=0.3, color="tab:blue")
        ax.plot(at, smooth(values, width), color="tab:blue")
        ax.set(xlabel="step of the generator", title=title)
        ax.grid(alpha=0.3)
    axes[1].axhline(1.0, color="gray", ls="--", lw=1)
    for ax, images, title in ((axes[2], digits, "digits"), (axes[3], fakes, "made up")):
        ax.imshow(tiles(images), cmap="gray_r", vmin=0, vmax=1)
        ax.set(title=title, xticks=[], yticks=[])
    figure.savefig(path, dpi=110)


def report(gaps, norms, error, seconds, path, is_quick):
    """Print the results; return whether they are good enough."""
    width = max(1, len(gaps) // 30)
    gap, norm = smooth(gaps, width), float(np.mean(norms[-width:]))
    share = float(gap[-1] / gap.max())
    print(f"\ntraining        {len(gaps)} steps in {seconds:.1f} s, compilation included")
    print(f"gap             {gap.max():.3f} at its peak, {gap[-1]:.3f} at the end ({share:.0%})")
    print(f"gradient norm   {norm:.3f} at the end, 1 is wanted")
    print(f"picture         {path}")
    print(f"loss with penalty against jax.grad: max relative error {error:.1e}")
    is_right, is_trained = error <= GRADIENT_ERROR_ALLOWED, share <= GAP_WANTED
    if not is_right:
        print(f"FAILED: the error allowed is {GRADIENT_ERROR_ALLOWED:.0e}", file=sys.stderr)
    if not is_trained and not is_quick:
        wanted = f"FAILED: the gap wanted is {GAP_WANTED:.0%} of its peak"
        print(f"{wanted}; --quick is for a run that is too short for that", file=sys.stderr)
    return is_right and (is_trained or is_quick)


def main(arguments=None):
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/wgan_gp"))
    parser.add_argument("--quick", action="store_true", help="a few steps, to see that it runs")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    paddle.seed(options.seed)
    np.random.seed(options.seed)
    digits = (load_digits().data / 16.0).astype("float32")
    np.random.shuffle(digits)
    generator, critic = make_generator(), make_critic()
    error = compare_with_jax(critic, digits)
    started = time.perf_counter()
    gaps, norms = train(generator, critic, digits, 10 if options.quick else options.steps)
    seconds = time.perf_counter() - started
    with paddle.no_grad():
        fakes = generator(paddle.randn([48, NOISE])).numpy()
    path = options.out / "wgan_gp.png"
    plot(gaps, norms, digits, fakes, path)
    return 0 if report(gaps, norms, error, seconds, path, options.quick) else 1


if __name__ == "__main__":
    sys.exit(main())
