"""Model-agnostic meta-learning on sine waves: one gradient step must be enough to learn a wave.

The outer loss depends on weights after an inner gradient step, so its gradient flows through that
step: ``paddle.grad(..., create_graph=True)`` inside, ``backward()`` outside. All tasks of a batch
are adapted together, with separate weights. They are compared with a network trained on all waves
together. The script checks the outer gradient against nested ``jax.grad``.

    python examples/maml.py --steps 1500 --seed 0 --out out/maml
"""

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from tqdm import tqdm

import jaxeager as paddle

SIZES = [1, 40, 40, 1]
TASKS, SHOTS, INNER_RATE = 20, 10, 0.02
GRADIENT_ERROR_ALLOWED = 1e-4
IMPROVEMENT_WANTED = 3.0  # the factor by which one step's error must decrease


def make_weights():
    """Return weights and biases of the network, as leaves that require gradients."""
    weights = []
    for fan_in, fan_out in pairwise(SIZES):
        weight = np.random.randn(fan_in, fan_out) * np.sqrt(2.0 / fan_in)
        for values in (weight, np.zeros((1, fan_out))):
            weights.append(paddle.to_tensor(values.astype("float32"), stop_gradient=False))
    return weights


def predict(weights, x):
    """Return the network's output: float[tasks, n, 1], with weights shared or one per task."""
    for layer in range(0, len(weights) - 2, 2):
        x = paddle.tanh(paddle.matmul(x, weights[layer]) + weights[layer + 1])
    return paddle.matmul(x, weights[-2]) + weights[-1]


def errors(weights, x, y):
    """Return the mean squared error of each task, float[tasks]."""
    return (predict(weights, x) - y).square().mean(axis=[1, 2])


def adapt(weights, x, y, steps=1, create_graph=True):
    """Return separate weights for each task, float[tasks, ...], after some gradient steps."""
    count = x.shape[0]
    own = [weight.unsqueeze(0).expand([count, *weight.shape]) for weight in weights]
    for _ in range(steps):
        if not create_graph:
            own = [weight.detach() for weight in own]
            for weight in own:
                weight.stop_gradient = False
        grads = paddle.grad(errors(own, x, y).sum(), own, create_graph=create_graph)
        own = [weight - INNER_RATE * grad for weight, grad in zip(own, grads, strict=True)]
    return own


def draw_tasks(count, shots):
    """Return x and y for adapting and for testing, float32[count, shots, 1] each."""
    amplitude = np.random.uniform(0.5, 3.0, (count, 1, 1))
    phase = np.random.uniform(0.0, np.pi, (count, 1, 1))
    x = np.random.uniform(-5.0, 5.0, (2, count, shots, 1))
    y = amplitude * np.sin(x + phase)
    return [each.astype("float32") for each in (x[0], y[0], x[1], y[1])]


def train(weights, loss_of, steps, name):
    """Train the weights with Adam on new tasks each step; return the losses."""
    adam = paddle.optimizer.Adam(learning_rate=2e-3, parameters=weights)
    losses = []
    with tqdm(total=steps, unit="step", mininterval=0.3, desc=name) as bar:
        for _ in range(steps):
            loss = loss_of(weights, *map(paddle.to_tensor, draw_tasks(TASKS, SHOTS)))
            loss.backward()
            adam.step()
            adam.clear_grad()
            losses.append(float(loss))
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
    return losses


def loss_after_a_step(weights, x, y, x_test, y_test):
    """Compute the loss of meta-learning: the error on other points after one step."""
    return errors(adapt(weights, x, y), x_test, y_test).mean()


def loss_before_it(weights, x, y, x_test, y_test):
    """Compute the loss of a network that is trained on all waves together."""
    return errors(weights, x_test, y_test).mean()


def loss_in_plain_jax(weights, x, y, x_test, y_test):
    """Compute the loss of meta-learning again, in jax only."""

    def error(weights, x, y):
        for layer in range(0, len(weights) - 2, 2):
            x = jnp.tanh(x @ weights[layer] + weights[layer + 1])
        return ((x @ weights[-2] + weights[-1] - y) ** 2).mean()

    def of_task(x, y, x_test, y_test):
        grads = jax.grad(error)(weights, x, y)
        own = [weight - INNER_RATE * grad for weight, grad in zip(weights, grads, strict=True)]
        return error(own, x_test, y_test)

    return jax.vmap(of_task)(x, y, x_test, y_test).mean()


def compare_with_jax(weights):
    """Return the largest error of the outer gradients, relative to each one's largest entry."""
    tasks = draw_tasks(TASKS, SHOTS)
    with jax.default_matmul_precision("float32"):
        found = paddle.grad(loss_after_a_step(weights, *map(paddle.to_tensor, tasks)), weights)
        arrays = [jnp.asarray(weight.numpy()) for weight in weights]
        wanted = jax.jit(jax.grad(loss_in_plain_jax))(arrays, *tasks)
    worst = [
        np.abs(ours.numpy() - np.asarray(theirs)).max() / np.abs(theirs).max()
        for ours, theirs in zip(found, wanted, strict=True)
    ]
    return float(max(worst))


def errors_by_step(weights, batches, most=10):
    """Return the mean error on new waves after 0, 1, ... gradient steps."""
    found = np.zeros(most + 1)
    for tasks in batches:
        x, y, x_test, y_test = map(paddle.to_tensor, tasks)
        for steps in range(most + 1):
            own = adapt(weights, x, y, steps, create_graph=False)
            with paddle.no_grad():
                found[steps] += float(errors(own, x_test, y_test).mean())
    return (found / len(batches)).tolist()


def plot(curves, losses, networks, path):
    """Write the training, the errors by number of steps, and the learning of one wave."""
    figure = Figure(figsize=(13, 3.8), layout="constrained")
    left, middle, *waves = figure.subplots(1, 4)
    for name, values in losses.items():
        width = max(1, len(values) // 50)
        left.plot(np.convolve(values, np.ones(width) / width, mode="valid"), label=name)
    left.set(xlabel="step of training", ylabel="squared error", title="training")
    for name, values in curves.items():
        middle.plot(values, "o-", ms=4, label=name)
    middle.set(xlabel="gradient steps on 10 points", title="100 new waves", ylim=(0, None))
    # The wave is given to TASKS networks, each of which draws a part of it: these are the shapes of
    # the training, for which there are kernels.
    at = np.linspace(-5.0, 5.0, TASKS * SHOTS, dtype="float32").reshape(TASKS, SHOTS, 1)
    x = np.random.uniform(-5.0, 5.0, (1, SHOTS, 1)).astype("float32").repeat(TASKS, axis=0)
    wave = lambda x: 2.5 * np.sin(x + 0.8)  # noqa: E731 - one formula
    given = paddle.to_tensor(x), paddle.to_tensor(wave(x))
    for ax, (name, weights) in zip(waves, networks.items(), strict=True):
        ax.plot(at.ravel(), wave(at).ravel(), color="gray", lw=3, alpha=0.4, label="the wave")
        ax.plot(x[0].ravel(), wave(x[0]).ravel(), "k.", label="its 10 points")
        for steps, style in ((0, ":"), (1, "--"), (10, "-")):
            own = adapt(weights, *given, steps, create_graph=False)
            ax.plot(at.ravel(), predict(own, paddle.to_tensor(at)).numpy().ravel(), style,
                    color="tab:red", label=f"after {steps} steps")  # fmt: skip
        ax.set(title=name, ylim=(-4.5, 4.5))
    for ax in (left, middle, *waves):
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
    figure.savefig(path, dpi=110)


def report(curves, error, seconds, path, is_quick):
    """Print the results; return whether they are good enough."""
    print(f"\ntraining both networks took {seconds:.1f} s, compilation included")
    print("squared error on new waves, by gradient steps on 10 points of each")
    for name, values in curves.items():
        print(f"  {name:18s} 0: {values[0]:.3f}   1: {values[1]:.3f}   10: {values[10]:.3f}")
    print(f"picture {path}")
    print(f"outer gradient against nested jax.grad: max relative error {error:.1e}")
    before, after, *_ = curves["meta-learnt"]
    is_right, is_trained = error <= GRADIENT_ERROR_ALLOWED, before / after >= IMPROVEMENT_WANTED
    if not is_right:
        print(f"FAILED: the error allowed is {GRADIENT_ERROR_ALLOWED:.0e}", file=sys.stderr)
    if not is_trained and not is_quick:
        wanted = f"FAILED: one step must make it {IMPROVEMENT_WANTED:g} times smaller"
        print(f"{wanted}; --quick is for a run that is too short for that", file=sys.stderr)
    return is_right and (is_trained or is_quick)


def main(arguments=None):
    """Run it all; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/maml"))
    parser.add_argument("--quick", action="store_true", help="a few steps, to see that it runs")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    paddle.seed(options.seed)
    np.random.seed(options.seed)
    networks = {"meta-learnt": make_weights(), "trained on all": make_weights()}
    error = compare_with_jax(networks["meta-learnt"])
    losses, started = {}, time.perf_counter()
    for (name, weights), loss in zip(
        networks.items(), (loss_after_a_step, loss_before_it), strict=True
    ):
        losses[name] = train(weights, loss, 10 if options.quick else options.steps, name)
    seconds = time.perf_counter() - started
    new = [draw_tasks(TASKS, SHOTS) for _ in range(5)]  # in the shapes of the training
    curves = {name: errors_by_step(weights, new) for name, weights in networks.items()}
    path = options.out / "maml.png"
    plot(curves, losses, networks, path)
    return 0 if report(curves, error, seconds, path, options.quick) else 1


if __name__ == "__main__":
    sys.exit(main())
