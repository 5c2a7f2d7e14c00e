"""Schedulers whose rate is a closed formula of the epoch."""

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from jaxeager.optimizer.lr.base import (
    LRScheduler,
    checked,
    checked_callable,
    checked_count,
    checked_type,
)


class NoamDecay(LRScheduler):
    """``base_lr * d_model**-0.5 * min(epoch**-0.5, epoch * warmup_steps**-1.5)``.

    The schedule of "Attention Is All You Need": a linear warm-up, then the inverse square root.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.NoamDecay(d_model=4, warmup_steps=4)
        >>> scheduler()
        0.0
        >>> scheduler.step()
        >>> scheduler()
        0.0625
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked(d_model > 0, f"d_model must be positive, but is {d_model}.")
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        epoch = self.last_epoch
        decaying = epoch**-0.5 if epoch else 1
        warming = self.warmup_steps**-1.5 * epoch
        return self.base_lr * self.d_model**-0.5 * min(decaying, warming)


class PiecewiseDecay(LRScheduler):
    """``values[i]`` in the ``i``-th interval of epochs between ``boundaries``.

    Args:
        boundaries: ascending epochs at which the value changes.
        values: one more number than boundaries.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.PiecewiseDecay([2, 4], [0.1, 0.05, 0.01])
        >>> scheduler.step(3)
        >>> scheduler()
        0.05
    """

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked(len(boundaries) > 0, "boundaries must not be empty.")
        checked(
            len(values) > len(boundaries),
            f"values needs one element more than boundaries, but has {len(values)} for "
            f"{len(boundaries)} boundaries.",
        )
        self.boundaries = boundaries
        self.values = values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        for boundary, value in zip(self.boundaries, self.values, strict=False):
            if self.last_epoch < boundary:
                return value
        return self.values[-1]


class NaturalExpDecay(LRScheduler):
    """``base_lr * exp(-gamma * epoch)``.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.NaturalExpDecay(0.5, gamma=0.1)
        >>> scheduler.step()
        >>> round(scheduler(), 6)
        0.452419
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ):
        checked(gamma > 0.0, f"gamma must be positive, so that the rate decays, but is {gamma}.")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """``base_lr / (1 + gamma * epoch)``.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.InverseTimeDecay(0.5, gamma=0.25)
        >>> scheduler.step()
        >>> scheduler()
        0.4
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ):
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """``(base_lr - end_lr) * (1 - epoch / decay_steps) ** power + end_lr``.

    Args:
        learning_rate: the initial rate.
        decay_steps: epochs until ``end_lr``.
        end_lr: the last rate.
        power: exponent, positive.
        cycle: start again after ``decay_steps``, over 2, 3, ... times as many epochs; otherwise
            the rate stays at ``end_lr``.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.PolynomialDecay(0.5, decay_steps=4, end_lr=0.0)
        >>> scheduler.step()
        >>> scheduler()
        0.375
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_count(decay_steps, "decay_steps")
        checked(power > 0.0, f"power must be positive, so that the rate decays, but is {power}.")
        self.decay_steps = decay_steps
        self.end_lr = end_lr
        self.power = power
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        if self.cycle:
            rounds = max(1, math.ceil(self.last_epoch / self.decay_steps))
            done = self.last_epoch / (self.decay_steps * rounds)
        else:
            done = min(self.last_epoch, self.decay_steps) / self.decay_steps
        return (self.base_lr - self.end_lr) * (1 - done) ** self.power + self.end_lr


class ExponentialDecay(LRScheduler):
    """``base_lr * gamma ** epoch``.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.ExponentialDecay(0.5, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler()
        0.25
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ):
        checked(0.0 < gamma < 1.0, f"gamma must be between 0 and 1, but is {gamma}.")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * self.gamma**self.last_epoch


class MultiStepDecay(LRScheduler):
    """``base_lr * gamma ** (number of milestones reached)``.

    Args:
        learning_rate: the initial rate.
        milestones: list or tuple of ascending epochs.
        gamma: factor at each milestone, less than 1.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.MultiStepDecay(0.5, milestones=[2, 4], gamma=0.5)
        >>> scheduler.step(4)
        >>> scheduler()
        0.125
    """

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_type(milestones, "milestones", (tuple, list))
        ascending = all(a < b for a, b in itertools.pairwise(milestones))
        checked(ascending, f"milestones must ascend, but are {list(milestones)}.")
        checked(gamma < 1.0, f"gamma must be less than 1, but is {gamma}.")
        self.milestones = milestones
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * self.gamma ** bisect_right(self.milestones, self.last_epoch)


class StepDecay(LRScheduler):
    """``base_lr * gamma ** (epoch // step_size)``.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.StepDecay(0.5, step_size=2, gamma=0.5)
        >>> scheduler.step(3)
        >>> scheduler()
        0.25
    """

    def __init__(
        self,
        learning_rate: float,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_count(step_size, "step_size")
        checked(gamma < 1.0, f"gamma must be less than 1, but is {gamma}.")
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class LambdaDecay(LRScheduler):
    """``base_lr * lr_lambda(epoch)``.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.LambdaDecay(0.5, lambda epoch: 1 / (1 + epoch))
        >>> scheduler.step()
        >>> scheduler()
        0.25
    """

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_callable(lr_lambda, "lr_lambda")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """The first rate times ``lr_lambda(i)`` for each epoch ``i`` from 1 on.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.MultiplicativeDecay(0.5, lambda epoch: 0.5)
        >>> scheduler.step(2)
        >>> scheduler()
        0.125
    """

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_callable(lr_lambda, "lr_lambda")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch; call ``lr_lambda`` for every epoch so far."""
        rate = self.base_lr
        for epoch in range(1, self.last_epoch + 1):
            rate = rate * self.lr_lambda(epoch)
        return rate
