"""debug.time_machine: the states of the last steps, to go back to one and run it again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxeager.debug.replays import state
from jaxeager.errors import InvalidArgumentError
from jaxeager.tensor.tensor import Tensor


class _Moment(NamedTuple):
    """The state before one step, and its batch."""

    number: int
    state: state.State
    batch: tuple


class TimeMachine:
    """The result of ``debug.time_machine``: the last steps, each with its state and batch.

    Attributes:
        count: how many steps have begun.
    """

    def __init__(self, things: tuple, steps: int):
        self.count = 0
        self._things = things
        self._moments: deque[_Moment] = deque(maxlen=steps)

    def before_step(self, *batch: object) -> None:
        """Keep the state and the batch of a step that is about to run.

        Args:
            batch: what the step needs: tensors, arrays, or anything else, which is kept as it is.
        """
        copies = tuple([_copy(each) for each in batch])
        self._moments.append(_Moment(self.count, state.State(self._things), copies))
        self.count += 1

    @property
    def steps(self) -> list[int]:
        """Return the numbers of the steps that it can go back to; the first step is 0."""
        return [each.number for each in self._moments]

    @property
    def nbytes(self) -> int:
        """Return the bytes of the kept states and batches."""
        arrays = [each for moment in self._moments for each in state.arrays_in(moment.batch)]
        return sum(each.state.nbytes for each in self._moments) + sum(a.nbytes for a in arrays)

    def bad_step(self) -> int | None:
        """Return the number of the step that made the first NaN or Inf of the state.

        The current state counts as well. None means that all of it is finite, or that it was bad
        before the oldest step that is kept.
        """
        now = state.State(self._things)
        finite = [_is_finite(each.state.arrays()) for each in self._moments]
        following = [*finite[1:], _is_finite(now.arrays())] if finite else []
        for moment, before, after in zip(self._moments, finite, following, strict=True):
            if before and not after:
                return moment.number
        return None

    def back_to(self, step: int) -> tuple:
        """Restore the state before a step, and return its batch.

        Args:
            step: its number, one of ``steps``.

        Raises:
            InvalidArgumentError: when the step is not kept.
        """
        for moment in self._moments:
            if moment.number == step:
                moment.state.restore()
                return tuple([_copy(each) for each in moment.batch])
        raise InvalidArgumentError(
            f"Step {step} is not kept. The steps that are: {self.steps or 'none'}."
        )

    def run(self, step: int, function: Callable[..., Any]) -> Any:
        """Restore the state before a step, and call a function with its batch.

        Args:
            step: the number of the step.
            function: what to run: the step itself, under any tool.
        """
        return function(*self.back_to(step))

    def __repr__(self) -> str:
        kept = f"steps {self.steps[0]} to {self.steps[-1]}" if self._moments else "no step"
        return f"<TimeMachine: {kept}, {self.nbytes} bytes>"


def time_machine(*things: object, steps: int = 4) -> TimeMachine:
    """Keep the state before each of the last steps, to go back to the step before a NaN.

    ``before_step`` keeps the weights, gradients and buffers of Layers, the state of optimizers, the
    generators of random numbers, and the batch. The copies stay on the device, so memory is bounded
    by ``steps`` times their size.

    Args:
        things: the Layers, optimizers, schedulers and scalers that the steps change.
        steps: how many steps are kept; 1 or more.

    Raises:
        InvalidTypeError: when an object has no ``state_dict``.
        InvalidArgumentError: when ``steps`` is less than 1.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Linear(2, 1, bias_attr=False)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        >>> machine = paddle.debug.time_machine(model, sgd)
        >>> def step(x):
        ...     loss = model(x).log().sum()
        ...     loss.backward()
        ...     sgd.step()
        ...     sgd.clear_grad()
        ...     return float(loss)
        >>> for value in (1.0, 0.0, 2.0):
        ...     x = paddle.full([1, 2], value)
        ...     machine.before_step(x)
        ...     _ = step(x)
        >>> machine.steps, machine.bad_step()
        ([0, 1, 2], 1)
        >>> machine.run(1, step)
        -inf
    """
    state.check(things)
    if steps < 1:
        raise InvalidArgumentError(f"The number of steps must be 1 or more, but received {steps}.")
    return TimeMachine(things, steps)


def _copy(value: Any) -> Any:
    """Return a copy of the tensors and arrays in a batch; other objects are kept as they are."""
    if isinstance(value, Tensor):
        made = Tensor.from_array(jnp.copy(value._array))
        made.stop_gradient = value.stop_gradient
        return made
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_copy, value))
    return value


def _is_finite(arrays: list) -> bool:
    """Return whether the numbers of arrays are finite."""
    floats = [each for each in arrays if jnp.issubdtype(each.dtype, jnp.inexact)]
    return all(bool(jnp.isfinite(each).all()) for each in floats)
