"""The measures of one parameter in one step, computed by a kernel without waiting for it.

Note [Measures of a step]
    One small kernel per parameter reads the gradient, the value and the previous value, and returns
    two short arrays. They stay on the device until many steps later, and are then read together.
    The previous value is a separate copy: an optimizer writes into its buffers, so the old array no
    longer exists when its step has ended.
"""

from collections import deque
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.kernels.tracing import jit

READ_TOGETHER = 16  # steps whose measures are read in one transfer; up to 31 may be unread


class Measures(NamedTuple):
    """The measures of a parameter, or of several together, after one step.

    Attributes:
        grad: the norm of its gradient's finite elements; NaN if there are none.
        value: the norm of its own finite elements; NaN if there are none.
        update: the norm of its change since the previous step, likewise.
        zeros: the share of the gradient's elements that are 0.
        bad: how many elements of gradient and value are NaN or infinite.
        count: how many elements the parameter has.
    """

    grad: float
    value: float
    update: float
    zeros: float
    bad: int
    count: int


@jit
def _with_gradient(value, grad, before):
    return _measured(value, grad, before), jnp.copy(value)


@jit
def _without_gradient(value, before):
    return _measured(value, None, before), jnp.copy(value)


def measure(value, grad, before) -> tuple[Any, Any]:
    """Return the pending measures of a parameter, and a copy of its value.

    Args:
        value: its array.
        grad: its gradient's array; None if it has none.
        before: a copy of its value before the step.
    """
    if grad is None:
        return _without_gradient(value, before)
    return _with_gradient(value, grad, before)


def _measured(value, grad, before) -> tuple:
    """Return norms, and counts: zeros and bad elements of the gradient, bad ones of the value."""
    size, update = _norm(value), _norm(value - before)
    none = jnp.full_like(size, jnp.nan)
    norms = [none if grad is None else _norm(grad).astype(size.dtype), size, update]
    counts = [0, 0] if grad is None else [(grad == 0).sum(), _bad(grad)]
    return jnp.stack(norms), jnp.stack([jnp.int32(each) for each in [*counts, _bad(value)]])


def _norm(array):
    """Return the norm of the finite elements, without overflow of the squares; NaN for none."""
    sizes = jnp.abs(array).astype(jnp.float64 if array.dtype.itemsize == 8 else jnp.float32)
    are_finite = jnp.isfinite(sizes).reshape(-1)
    sizes = jnp.where(are_finite, sizes.reshape(-1), 0)
    largest = jnp.max(sizes, initial=0)
    scale = jnp.where(largest > 0, largest, 1)
    norm = jnp.sqrt(((sizes / scale) ** 2).sum()) * scale
    return jnp.where(are_finite.any() | (array.size == 0), norm, jnp.nan)


def _bad(array):
    return (~jnp.isfinite(array)).sum()


class History:
    """The measures of every step so far, read late; see Note [Measures of a step].

    Args:
        counts: how many elements each parameter has.
    """

    def __init__(self, counts: list[int]):
        self._counts = counts
        self._waiting: deque[list] = deque()
        self._rows: list[list[Measures]] = []

    def add(self, step: list) -> None:
        """Add the results of ``measure`` for all parameters."""
        self._waiting.append(step)
        if len(self._waiting) >= 2 * READ_TOGETHER:
            self._read([self._waiting.popleft() for _ in range(READ_TOGETHER)])

    def rows(self) -> list[list[Measures]]:
        """Return the measures of each step, for each parameter; wait for pending ones."""
        self._read(list(self._waiting))
        self._waiting.clear()
        return self._rows

    def _read(self, steps: list) -> None:
        for step in jax.device_get(steps):
            pairs = zip(step, self._counts, strict=True)
            found = [_measures_of(norms, counts, size) for (norms, counts), size in pairs]
            self._rows.append(found)


def _measures_of(norms, counts, count: int) -> Measures:
    grad, value, update = (float(each) for each in norms)
    zeros, bad, bad_values = (int(each) for each in counts)
    share = np.nan if np.isnan(grad) else zeros / max(count, 1)
    return Measures(grad, value, update, share, bad + bad_values, count)


def together(measures: list[Measures]) -> Measures:
    """Return the measures of several parameters, combined into one.

    Example:
        >>> together([Measures(3.0, 1.0, 0.1, 0.5, 0, 2), Measures(4.0, 0.0, 0.0, 0.0, 1, 2)])[:1]
        (5.0,)
    """
    graded = [each for each in measures if not np.isnan(each.grad)]
    known = sum(each.count for each in graded)
    zeros = sum(each.zeros * each.count for each in graded)
    return Measures(
        _length([each.grad for each in measures]),
        _length([each.value for each in measures]),
        _length([each.update for each in measures]),
        zeros / known if known else np.nan,
        sum(each.bad for each in measures),
        sum(each.count for each in measures),
    )


def _length(norms: list[float]) -> float:
    known = [each for each in norms if not np.isnan(each)]
    return float(np.linalg.norm(known)) if known else np.nan
