"""ModelAverage: the mean of the parameters over the last steps."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import PreconditionNotMetError, UnimplementedError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.kernels.tracing import jit
from jaxeager.optimizer.optimizer import Optimizer
from jaxeager.optimizer.rules import DENSE, Rule, number_in
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import jax

    from jaxeager.optimizer.types import ParametersLike

STEPS_IN_ONE_SUM = 16384  # then a second sum continues, so that added values are not rounded away


class AverageHyper(NamedTuple):
    """Numbers of the rule: the window's share of all steps, and its minimum and maximum length."""

    rate: float
    shortest: int
    longest: int


def _counted(powers, hyper: AverageHyper) -> tuple:
    """Return the steps of this window, of all, and whether the window ends with this step."""
    steps, _, updates = (power.reshape(()) for power in powers)
    one = number_in(steps.dtype, 1)
    steps, updates = steps + one, updates + one
    share = (updates.astype(np.float32) * np.float32(hyper.rate)).astype(updates.dtype)
    wanted = jnp.minimum(number_in(steps.dtype, hyper.longest), share)
    ends = (steps >= number_in(steps.dtype, hyper.shortest)) & (steps >= wanted)
    return steps, updates, ends


def accumulate(param, grad, slots, powers, rate, hyper: AverageHyper) -> tuple[jax.Array, tuple]:
    """Add the parameter, which stays unchanged, to the sums of its window."""
    first, second, third, restore = slots
    _, updates, ends = _counted(powers, hyper)
    zero = number_in(param.dtype, 0.0)
    first = first + param
    is_full = updates % number_in(updates.dtype, STEPS_IN_ONE_SUM) == 0
    first, second = jnp.where(is_full, zero, first), jnp.where(is_full, second + first, second)
    third = jnp.where(ends, first + second, third)
    return param, (jnp.where(ends, zero, first), jnp.where(ends, zero, second), third, restore)


def count(powers, hyper: AverageHyper) -> tuple:
    """Return the number of steps in the current window, in the last one, and in all."""
    steps, updates, ends = _counted(powers, hyper)
    now = jnp.where(ends, number_in(steps.dtype, 0), steps)
    return now.reshape(1), jnp.where(ends, steps, powers[1]), updates.reshape(1)


@jit
def averages(params: list, sums: list, counts: list) -> list:
    """Return the mean of each parameter over its windows; a parameter never counted unchanged."""
    means = []
    for param, parts, (now, before) in zip(params, sums, counts, strict=True):
        steps = (now + before).reshape(())
        mean = sum(parts) / jnp.maximum(steps, 1).astype(parts[0].dtype)
        means.append(jnp.where(steps > 0, mean.astype(param.dtype), param))
    return means


class ModelAverage(Optimizer):
    """Keeps the mean of each parameter over a window of the last steps.

    The window grows with the number of steps: it is ``average_window_rate`` of them, at least
    ``min_average_window`` and at most ``max_average_window``. Call ``step`` after the optimizer's.

    Args:
        average_window_rate: the window's share of all steps so far.
        parameters: tensors; those that have a gradient at a step are averaged.
        min_average_window: the least length of the window.
        max_average_window: the greatest.
        name: a prefix of the accumulators' names.

    Paddle: a parameter that was never averaged becomes NaN in ``apply``; here it is unchanged.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> sgd = paddle.optimizer.SGD(0.25, parameters=[w])
        >>> average = paddle.incubate.ModelAverage(1.0, parameters=[w])
        >>> for _ in range(2):
        ...     w.sum().backward()
        ...     sgd.step()
        ...     average.step()
        ...     sgd.clear_grad()
        >>> with average.apply():
        ...     w.tolist()
        [0.625]
        >>> w.tolist()
        [0.5]
    """

    _rule = Rule(
        "average_accumulates",
        accumulate,
        ("sum_1", "sum_2", "sum_3", "restore"),
        ("num_accumulates", "old_num_accumulates", "num_updates"),
        count,
        counts=True,
        of_rows=DENSE,
    )

    def __init__(
        self,
        average_window_rate: float,
        parameters: ParametersLike | None = None,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        name: str | None = None,
    ):
        super().__init__(0.0, parameters, name=name)
        self.average_window = average_window_rate
        self.min_average_window = min_average_window
        self.max_average_window = max_average_window
        self._was_applied = False
        self._applied: object = None

    def _hyper(self, group: dict) -> AverageHyper:
        return AverageHyper(self.average_window, self.min_average_window, self.max_average_window)

    def _entry_hyper(self, param, hyper: Any, regularizer) -> tuple[tuple, tuple | None]:
        return hyper, None

    def _narrow_accumulators(self) -> bool:
        return False

    def minimize(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: set[Tensor] | set[str] | None = None,
    ) -> None:
        """Count the parameters as they are now, as ``step`` does."""
        self.step()

    @contextlib.contextmanager
    def apply(self, executor: object = None, need_restore: bool = True) -> Iterator[None]:
        """Set the parameters to their means inside a ``with`` statement.

        Args:
            executor: only for static graphs.
            need_restore: whether the parameters get their values back at the end.

        Raises:
            PreconditionNotMetError: when there was no step.
        """
        _refuse_executor(executor)
        params = [param for param in self._params if self._state.has(param)]
        if not params:
            raise PreconditionNotMetError(
                "There is nothing to average yet: call step() after a step of the optimizer."
            )
        slots = [[slot._array for slot in self._state.slots(param)] for param in params]
        means = averages(
            [param._array for param in params],
            [slot[:3] for slot in slots],
            [self._counts(param) for param in params],
        )
        restores = [self._state.slots(param)[3] for param in params]
        kept = [p._array.astype(r._array.dtype) for p, r in zip(params, restores, strict=True)]
        mark = self._applied = object()
        try:
            also = [(self, "_was_applied", True), (self, "_applied", None)]
            write_arrays([*params, *restores], [*means, *kept], also=also)
            yield
            if need_restore:
                self.restore()
        except BaseException:
            if need_restore and self._applied is not mark:
                self.restore()
            raise

    def restore(self, executor: object = None) -> None:
        """Restore the values of the parameters from before ``apply``.

        Raises:
            PreconditionNotMetError: when there was no ``apply``.
        """
        _refuse_executor(executor)
        if not self._was_applied:
            raise PreconditionNotMetError("There is nothing to restore: apply() was never called.")
        params = [param for param in self._params if self._state.has(param)]
        restores = [self._state.slots(param)[3]._array for param in params]
        arrays = [r.astype(p._array.dtype) for p, r in zip(params, restores, strict=True)]
        write_arrays(params, arrays)

    def _counts(self, param: Tensor) -> list:
        powers = self._state.powers(param)
        return [] if powers is None else [tensor._array for tensor in powers.tensors[:2]]


def _refuse_executor(executor) -> None:
    if executor is not None:
        raise UnimplementedError("executor belongs to static graphs; leave it out.")
