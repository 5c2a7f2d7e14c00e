"""What the programs that train share: fixed weights and the loop."""

from .programs.vision_models import set_weights

STEPS = 20


def numbers(np, shape, seed=2):
    """Return normal numbers in float32, the same for the same seed."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def ids_drawn(np, shape, count, seed=3):
    """Return integers from 0 to `count`, exclusive, the same for the same seed."""
    return np.random.default_rng(seed).integers(0, count, shape)


def trained(optimizers, loss_of, steps=STEPS):
    """Return the losses of some steps, and whether the last is below the first.

    Args:
        optimizers: an optimizer, or several that take the same gradients.
        loss_of: a function of the number of the step that returns its loss.
        steps: how many.
    """
    optimizers = optimizers if isinstance(optimizers, list) else [optimizers]
    losses = []
    for step in range(steps):
        loss = loss_of(step)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.clear_grad()
        losses.append(float(loss))
    return [losses, losses[-1] < losses[0]]


__all__ = ["STEPS", "ids_drawn", "numbers", "set_weights", "trained"]
