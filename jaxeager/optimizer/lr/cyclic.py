"""Schedulers that rise and fall: one cycle, and endless cycles."""

import math
from collections.abc import Callable

from jaxeager.errors import InvalidArgumentError
from jaxeager.optimizer.lr.base import (
    LRScheduler,
    checked,
    checked_count,
    checked_rate,
    checked_type,
)


def _cosine(start: float, end: float, done: float) -> float:
    """Return the point at the share ``done`` of half a cosine from start to end."""
    return end + (start - end) / 2.0 * (math.cos(math.pi * done) + 1)


def _line(start: float, end: float, done: float) -> float:
    """Return the point at the share ``done`` of a line from start to end."""
    return (end - start) * done + start


class OneCycleLR(LRScheduler):
    """One rise to ``max_learning_rate`` and one descent to ``end_learning_rate``.

    Args:
        max_learning_rate: the peak; the run starts at ``max_learning_rate / divide_factor``.
        total_steps: steps of the whole cycle; stepping past it is an error.
        divide_factor: the peak over the initial rate.
        end_learning_rate: the last rate.
        phase_pct: share of the steps for the rise.
        anneal_strategy: "cos" or "linear".
        three_phase: fall to the initial rate first, in as many steps as the rise, then to the end.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.OneCycleLR(1.0, total_steps=11, phase_pct=0.5)
        >>> round(scheduler(), 6)
        0.04
        >>> for _ in range(10):
        ...     scheduler.step()
        >>> round(scheduler(), 6)
        0.0001
    """

    def __init__(
        self,
        max_learning_rate: float,
        total_steps: int,
        divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001,
        phase_pct: float = 0.3,
        anneal_strategy: str = "cos",
        three_phase: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_rate(max_learning_rate, "max_learning_rate")
        checked_rate(end_learning_rate, "end_learning_rate")
        checked_count(total_steps, "total_steps")
        checked_type(phase_pct, "phase_pct", float)
        checked(0 <= phase_pct <= 1, f"phase_pct must be between 0 and 1, but is {phase_pct}.")
        checked_type(divide_factor, "divide_factor", (float, int))
        if anneal_strategy not in ("cos", "linear"):
            raise InvalidArgumentError(
                f"anneal_strategy must be 'cos' or 'linear', but is {anneal_strategy!r}."
            )
        self.total_steps = total_steps
        self._anneal = _cosine if anneal_strategy == "cos" else _line
        initial = max_learning_rate / float(divide_factor)
        final = float(end_learning_rate)
        if three_phase:
            checked(
                phase_pct < 0.5,
                f"phase_pct must be less than 0.5 with three_phase, but is {phase_pct}.",
            )
            peak, back = phase_pct * total_steps - 1, 2 * phase_pct * total_steps - 2
            self._ends = [0, peak, back, total_steps - 1]
            self._rates = [initial, max_learning_rate, initial, final]
        else:
            self._ends = [0, phase_pct * total_steps - 1, total_steps - 1]
            self._rates = [initial, max_learning_rate, final]
        super().__init__(initial, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current step; InvalidArgumentError after ``total_steps``."""
        step = self.last_epoch
        checked(
            step <= self.total_steps,
            f"OneCycleLR was stepped {step} times, but its total_steps is {self.total_steps}.",
        )
        phase = 0
        while phase < len(self._rates) - 2 and step > self._ends[phase + 1]:
            phase += 1
        start, end = self._ends[phase], self._ends[phase + 1]
        done = (step - start) / (end - start)
        return self._anneal(self._rates[phase], self._rates[phase + 1], done)


class CyclicLR(LRScheduler):
    """Triangles between two rates, in repeated cycles with an optional scale of the height.

    Args:
        base_learning_rate: the lowest rate.
        max_learning_rate: the highest rate, before scaling.
        step_size_up: steps of the rise.
        step_size_down: steps of the descent; the same number by default.
        mode: "triangular" (same height), "triangular2" (halved at each cycle) or "exp_range"
            (times ``exp_gamma ** step``).
        exp_gamma: base of "exp_range".
        scale_fn: a user's scale of the height, instead of ``mode``.
        scale_mode: whether ``scale_fn`` gets the "cycle" number or the "iterations" count.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.CyclicLR(0.25, 0.5, step_size_up=2)
        >>> rates = []
        >>> for _ in range(5):
        ...     rates.append(scheduler())
        ...     scheduler.step()
        >>> rates
        [0.25, 0.375, 0.5, 0.375, 0.25]
    """

    def __init__(
        self,
        base_learning_rate: float,
        max_learning_rate: float,
        step_size_up: int,
        step_size_down: int | None = None,
        mode: str = "triangular",
        exp_gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_rate(max_learning_rate, "max_learning_rate")
        checked_count(step_size_up, "step_size_up")
        if step_size_down is not None:
            checked_count(step_size_down, "step_size_down")
        checked_type(exp_gamma, "exp_gamma", float)
        checked(
            scale_fn is not None or mode in ("triangular", "triangular2", "exp_range"),
            f"mode must be 'triangular', 'triangular2' or 'exp_range' unless scale_fn is given, "
            f"but is {mode!r}.",
        )
        checked(
            scale_mode in ("cycle", "iterations"),
            f"scale_mode must be 'cycle' or 'iterations', but is {scale_mode!r}.",
        )
        self.cycle_size = float(step_size_up + (step_size_down or step_size_up))
        self.step_up_pct = step_size_up / self.cycle_size
        self.max_lr = float(max_learning_rate)
        self.amplitude = self.max_lr - base_learning_rate
        self.mode = mode
        self.gamma = exp_gamma
        self.scale_fn = scale_fn
        self.scale_mode = scale_mode
        super().__init__(base_learning_rate, last_epoch, verbose)

    def _scale(self, cycle: float) -> float:
        """Return the factor of the height in the current step of the ``cycle``-th cycle."""
        if self.scale_fn is not None:
            return self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.mode == "exp_range":
            return self.gamma**self.last_epoch
        return 0.5 ** (cycle - 1) if self.mode == "triangular2" else 1.0

    def get_lr(self) -> float:
        """Return the rate of the current step."""
        cycle = 1 + self.last_epoch // self.cycle_size
        done = 1.0 + self.last_epoch / self.cycle_size - cycle
        if done <= self.step_up_pct:
            height = done / self.step_up_pct
        else:
            height = (1 - done) / (1 - self.step_up_pct)
        return self.base_lr + self.amplitude * height * self._scale(cycle)
