"""A variational autoencoder of handwritten digits, an example of paddle.distribution.

An encoder maps each image to a normal distribution over two numbers, a decoder draws the image that
two numbers represent (Kingma, Welling 2013). The loss is the cross entropy of the pixels of a
reparametrized draw plus the Kullback-Leibler divergence from the standard normal distribution, both
of ``paddle.distribution``. The script compares the gradient with ``jax.grad`` of the same loss in
plain jax, and draws the codes of the digits and the images between them.

    python examples/vae.py --epochs 60 --out out/vae
"""

import argparse
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from tqdm import tqdm

import jaxeager as paddle
from jaxeager import nn
from jaxeager.distribution import Normal, kl_divergence

PIXELS, HIDDEN, LATENT = 64, 128, 2
LOSS_WANTED = 26.2  # nats per image; knowing the mean image alone leaves 27.1
GRADIENT_ERROR_ALLOWED = 1e-4


class VAE(nn.Layer):
    """Encoder and decoder: images float[n, 64] in [0, 1], codes float[n, 2]."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(PIXELS, HIDDEN), nn.Tanh())
        self.loc = nn.Linear(HIDDEN, LATENT)
        self.log_scale = nn.Linear(HIDDEN, LATENT)
        self.decoder = nn.Sequential(
            nn.Linear(LATENT, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, PIXELS)
        )

    def encode(self, images):
        """Return the distribution of the code of each image."""
        hidden = self.encoder(images)
        return Normal(self.loc(hidden), paddle.exp(self.log_scale(hidden)))

    def forward(self, images):
        """Return the logits of the pixels, the draws they were computed from, and the posterior."""
        posterior = self.encode(images)
        draws = posterior.rsample()
        return self.decoder(draws), draws, posterior


def loss_of(net, images):
    """Return the mean negative bound of a batch in nats, the draws and the posterior."""
    logits, draws, posterior = net(images)
    misfit = nn.functional.binary_cross_entropy_with_logits(logits, images, reduction="none")
    prior = Normal(paddle.zeros_like(posterior.loc), paddle.ones_like(posterior.scale))
    divergence = kl_divergence(posterior, prior)
    return (misfit.sum(axis=1) + divergence.sum(axis=1)).mean(), draws, posterior


def train(net, images, epochs, workers):
    """Train with NAdam and a cosine learning rate; return the mean loss of each epoch."""
    data = paddle.io.TensorDataset([paddle.to_tensor(images)])
    loader = paddle.io.DataLoader(
        data,
        batch_size=128,
        shuffle=True,
        drop_last=True,
        num_workers=workers,
        persistent_workers=workers > 0,
    )
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(4e-3, T_max=epochs * len(loader))
    optimizer = paddle.optimizer.NAdam(schedule, parameters=net.parameters())
    means = []
    with tqdm(total=epochs * len(loader), unit="step", mininterval=0.3) as bar:
        for epoch in range(1, epochs + 1):
            losses = []
            for (batch,) in loader:
                loss, _, _ = loss_of(net, batch)
                loss.backward()
                optimizer.step()
                optimizer.clear_grad()
                schedule.step()
                losses.append(loss.detach())
                bar.update()
            means.append(float(paddle.stack(losses).mean()))
            bar.set_postfix(epoch=epoch, loss=f"{means[-1]:.2f}")
    return means


def loss_in_plain_jax(params, images, noise):
    """Compute the loss again, in jax only, for given noise and ``jax.grad``."""
    w, b, w_loc, b_loc, w_scale, b_scale, w_in, b_in, w_out, b_out = params
    hidden = jnp.tanh(images @ w + b)
    loc, log_scale = hidden @ w_loc + b_loc, hidden @ w_scale + b_scale
    draws = loc + jnp.exp(log_scale) * noise
    logits = jnp.tanh(draws @ w_in + b_in) @ w_out + b_out
    misfit = jax.nn.softplus(logits) - images * logits
    divergence = 0.5 * (loc**2 + jnp.exp(2 * log_scale)) - log_scale - 0.5
    return (misfit.sum(axis=1) + divergence.sum(axis=1)).mean()


def gradient_error(net, images):
    """Return the largest error of a gradient, relative to that gradient's largest entry."""
    net.clear_gradients()
    with jax.default_matmul_precision("float32"):
        loss, draws, posterior = loss_of(net, paddle.to_tensor(images))
        loss.backward()
        noise = ((draws - posterior.loc) / posterior.scale).numpy()
        params = [jnp.asarray(each.numpy()) for each in net.parameters()]
        gradient = jax.jit(jax.grad(loss_in_plain_jax))
        wanted = gradient(params, jnp.asarray(images), jnp.asarray(noise))
    return max(
        float(np.abs(each.grad.numpy() - np.asarray(right)).max() / np.abs(right).max())
        for each, right in zip(net.parameters(), wanted, strict=True)
    )


def atlas(net, count=13):
    """Return one image of the decoder's output on a square of codes: float[10 n, 10 n]."""
    # Steps of equal probability, so that the map shows the likely codes.
    steps = 2**0.5 * paddle.erfinv(2.0 * paddle.linspace(0.02, 0.98, count) - 1.0)
    across, down = paddle.meshgrid(steps, -steps, indexing="xy")
    with paddle.no_grad():
        codes = paddle.stack([across.flatten(), down.flatten()], axis=1)
        drawn = nn.functional.sigmoid(net.decoder(codes)).reshape([count * count, 1, 8, 8])
        tiles = nn.functional.pad(drawn, [1, 1, 1, 1]).reshape([count, count, 10, 10])
    return tiles.transpose([0, 2, 1, 3]).reshape([10 * count, 10 * count]).numpy()


def plot(net, images, labels, means, path):
    """Write the loss, the codes of the digits, and the atlas of the decoder's output."""
    figure = Figure(figsize=(15, 5), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    left.plot(np.arange(1, len(means) + 1), means, color="tab:blue")
    left.set(xlabel="epoch", ylabel="nats an image", title="loss")
    left.grid(alpha=0.3)
    with paddle.no_grad():
        codes = net.encode(paddle.to_tensor(images)).mean.numpy()
    dots = middle.scatter(*codes.T, c=labels, cmap="tab10", s=7, vmin=-0.5, vmax=9.5)
    figure.colorbar(dots, ax=middle, ticks=range(10), label="digit")
    middle.set(title="where the digits lie", xlabel="first number", ylabel="second number")
    right.imshow(atlas(net), cmap="gray_r")
    right.set(title="what the decoder draws there", xticks=[], yticks=[])
    figure.savefig(path, dpi=100)


def main(arguments=None):
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=0, help="processes that make batches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/vae"))
    parser.add_argument("--quick", action="store_true", help="a few epochs, no demand on the loss")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    paddle.seed(options.seed)
    np.random.seed(options.seed)
    digits = load_digits()
    images = (digits.data / 16.0).astype("float32")
    net = VAE()
    means = train(net, images, 4 if options.quick else options.epochs, options.workers)
    error = gradient_error(net, images[:64])
    path = options.out / "vae.png"
    plot(net, images, digits.target, means, path)

    print(
        f"\nloss      {means[0]:.2f} nats an image in the first epoch, {means[-1]:.2f} in the last"
    )
    print(f"gradient  max relative error {error:.1e} against jax.grad")
    print(f"picture   {path}")
    learnt = options.quick or means[-1] <= LOSS_WANTED
    if not learnt:
        wanted = f"FAILED: the loss wanted is {LOSS_WANTED}"
        print(f"{wanted}; --quick is for a run that is too short for that", file=sys.stderr)
    if error > GRADIENT_ERROR_ALLOWED:
        print(f"FAILED: the error allowed is {GRADIENT_ERROR_ALLOWED:.0e}", file=sys.stderr)
    return 0 if learnt and error <= GRADIENT_ERROR_ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
