"""The arithmetic of LBFGS: pure functions on flat arrays, each one XLA call."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.kernels.tracing import jit
from jaxeager.optimizer.donation import donating
from jaxeager.optimizer.fused import decayed, working_dtype

LEAST_CURVATURE = 1e-10  # a step with less curvature of the loss along it is not kept


class History(NamedTuple):
    """The last steps and their changes, in ring buffers: number ``k`` is in row ``k % rows``.

    Attributes:
        steps: float[rows, n].
        changes: those of the gradient, float[rows, n].
        inverses: 1 / (step . change), float[rows].
        weights: those of the steps in the last direction, float[rows]; stored because Paddle does.
        count: the number of steps kept so far, int32[].
        scale: the initial guess of the inverse Hessian, float[].
    """

    steps: jax.Array
    changes: jax.Array
    inverses: jax.Array
    weights: jax.Array
    count: jax.Array
    scale: jax.Array


def empty_history(rows: int, like) -> History:
    """Return a history of no steps for a flat gradient."""
    table, column = np.zeros((rows, like.size), like.dtype), np.zeros(rows, like.dtype)
    first = (table, table, column, column, np.zeros((), np.int32), np.ones((), like.dtype))
    return History(*(jax.device_put(array, may_alias=False) for array in first))


@functools.partial(jit, bounded=False, static_argnames="decays")
def flatten(params: list, grads: list, direction, decays: tuple) -> tuple:
    """Return the gradient as one flat array, and some properties of it.

    Args:
        params: the parameters.
        grads: their gradients, None for zeros.
        direction: float[n], or None.
        decays: the penalty of each parameter: ("l1" or "l2", coefficient), or None.

    Returns:
        the gradient, float[n], and float[4]: its largest element and the sum of all, both of
        absolute values, the slope along the direction, and the sum of the penalties.
    """
    dtype = jnp.result_type(*(working_dtype(param.dtype) for param in params))
    flat, penalty = [], jnp.zeros((), dtype)
    for param, grad, decay in zip(params, grads, decays, strict=True):
        param = param.astype(dtype)
        grad = jnp.zeros_like(param) if grad is None else grad.astype(dtype)
        if decay is not None:
            grad = decayed(decay, param, grad)
            penalty = penalty + _penalty(decay, param)
        flat.append(grad.reshape(-1))
    grad = jnp.concatenate(flat)
    sizes = jnp.abs(grad)
    slope = jnp.zeros((), dtype) if direction is None else jnp.sum(grad * direction)
    return grad, jnp.stack([jnp.max(sizes, initial=0), jnp.sum(sizes), slope, penalty])


def _penalty(decay: tuple[str, float], param):
    kind, coefficient = decay
    size = jnp.sum(jnp.abs(param)) if kind == "l1" else jnp.sum(param * param) / 2
    return size * jnp.asarray(coefficient, param.dtype)


@functools.partial(jit, bounded=False)
def moved(params: list, direction, step) -> list:
    """Return parameters moved along a direction, each in its dtype."""
    result, start = [], 0
    for param in params:
        part = direction[start : start + math.prod(param.shape)].reshape(param.shape)
        result.append((param + part * step.astype(part.dtype)).astype(param.dtype))
        start += part.size
    return result


@functools.partial(jit, bounded=False)
def downhill(grad) -> tuple:
    """Return the first direction, and float[2]: its slope and its largest element."""
    return -grad, _described(-grad, grad)


@donating
def next_direction(history: Sequence, grad, old_grad, old_direction, old_step) -> tuple:
    """Return the history with the last step added, and the resulting direction.

    Args:
        history: the fields of a History, which are overwritten.
        grad: the gradient, float[n].
        old_grad: the one before, float[n].
        old_direction: the last direction, float[n].
        old_step: the distance along it, float[].

    Returns:
        the fields of the history; the direction, float[n]; float[2]: its slope and its largest
        element.
    """
    history = _remembered(
        History(*history), grad - old_grad, old_direction * old_step.astype(grad.dtype)
    )
    rows = history.inverses.shape[0]
    kept = jnp.minimum(history.count, rows)

    def newest_first(index, state):
        wanted, weights = state
        row = (history.count - 1 - index) % rows
        weight = jnp.sum(history.steps[row] * wanted) * history.inverses[row]
        return wanted - history.changes[row] * weight, weights.at[row].set(weight)

    def oldest_first(index, wanted):
        row = (history.count - kept + index) % rows
        weight = jnp.sum(history.changes[row] * wanted) * history.inverses[row]
        return wanted + history.steps[row] * (weights[row] - weight)

    wanted, weights = jax.lax.fori_loop(0, kept, newest_first, (-grad, history.weights))
    direction = jax.lax.fori_loop(0, kept, oldest_first, wanted * history.scale)
    return (*history._replace(weights=weights),), direction, _described(direction, grad)


def _remembered(history: History, change, step) -> History:
    """Return the history with one more step, unless the gradient hardly changed along it."""
    curvature = jnp.sum(change * step)
    is_kept = curvature > LEAST_CURVATURE
    row = history.count % history.inverses.shape[0]
    safe = jnp.where(is_kept, curvature, 1)

    def put(table, value):
        return table.at[row].set(jnp.where(is_kept, value, table[row]))

    return history._replace(
        steps=put(history.steps, step),
        changes=put(history.changes, change),
        inverses=put(history.inverses, 1 / safe),
        count=history.count + is_kept,
        scale=jnp.where(is_kept, curvature / jnp.sum(change * change), history.scale),
    )


def _described(direction, grad):
    return jnp.stack([jnp.sum(grad * direction), jnp.max(jnp.abs(direction), initial=0)])
