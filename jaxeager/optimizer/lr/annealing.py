"""Smooth schedulers: cosine annealing, warm restarts, linear warm-up and linear change."""

import math
from typing import Any

from jaxeager.errors import RefusedArgumentError
from jaxeager.optimizer.lr.base import (
    LRScheduler,
    all_or_nothing,
    checked,
    checked_count,
    checked_type,
)


class CosineAnnealingDecay(LRScheduler):
    """Half a cosine from the initial rate to ``eta_min`` over ``T_max`` epochs, then back.

    Each step follows from the rate before it, as in Paddle, so a rate set by hand in between is
    respected; ``step(epoch)`` uses the closed formula.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.CosineAnnealingDecay(0.5, T_max=10)
        >>> for _ in range(5):
        ...     scheduler.step()
        >>> round(scheduler(), 6)
        0.25
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_count(T_max, "T_max")
        checked_type(eta_min, "eta_min", (float, int))
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate that follows ``last_lr``."""
        epoch, period = self.last_epoch, self.T_max
        if epoch == 0:
            return self.base_lr
        if (epoch - 1 - period) % (2 * period) == 0:  # the rate was eta_min: it rises again
            rise = (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / period)) / 2
            return self.last_lr + rise
        height = 1 + math.cos(math.pi * epoch / period)
        height_before = 1 + math.cos(math.pi * (epoch - 1) / period)
        return height / height_before * (self.last_lr - self.eta_min) + self.eta_min

    def get_lr_at_epoch(self) -> float:
        """Return the rate of an epoch given to ``step``."""
        height = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return self.eta_min + (self.base_lr - self.eta_min) * height / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine down to ``eta_min``, repeatedly, each ``T_mult`` times as long.

    Args:
        learning_rate: the rate at each restart.
        T_0: epochs of the first descent.
        T_mult: the ratio of the lengths of successive descents.
        eta_min: the lowest rate.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.CosineAnnealingWarmRestarts(0.5, T_0=2)
        >>> scheduler.step()
        >>> scheduler()
        0.25
        >>> scheduler.step()
        >>> scheduler()
        0.5
    """

    def __init__(
        self,
        learning_rate: float,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        for value, name in ((T_0, "T_0"), (T_mult, "T_mult")):
            checked(
                isinstance(value, int) and value > 0,
                f"{name} must be a positive integer, but is {value!r}.",
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate at ``T_cur`` epochs into a descent of ``T_i``."""
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return self.eta_min + (self.base_lr - self.eta_min) * height / 2

    @all_or_nothing
    def step(self, epoch: int | None = None) -> None:
        """Move to the next epoch, or to ``epoch``, which may be a fraction of one."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = epoch or 0
            checked(epoch >= 0, f"epoch must not be negative, but is {epoch}.")
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        self.last_lr = self.get_lr()
        self._announce()

    @all_or_nothing
    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the result of state_dict, and compute the place in the descent from its epoch."""
        super().set_state_dict(state_dict)
        self._jump(self.last_epoch)

    set_dict = set_state_dict

    def _jump(self, epoch: float) -> None:
        """Set ``T_cur`` and ``T_i`` for an epoch counted from the start."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            grown = epoch / self.T_0 * (self.T_mult - 1) + 1
            restarts = int(math.log(grown, self.T_mult))
            started = self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_cur = epoch - started
            self.T_i = self.T_0 * self.T_mult**restarts


class LinearLR(LRScheduler):
    """The initial rate times a factor that changes linearly from one value to another.

    Args:
        learning_rate: the rate that is multiplied by the factor.
        total_steps: epochs until ``end_factor``.
        start_factor: first factor, in (0, 1].
        end_factor: last factor, in [0, 1].

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.LinearLR(0.5, total_steps=5, start_factor=0.5)
        >>> scheduler.step()
        >>> round(scheduler(), 6)
        0.3
    """

    def __init__(
        self,
        learning_rate: float,
        total_steps: int,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked(0 < start_factor <= 1.0, f"start_factor must be in (0, 1], but is {start_factor}.")
        checked(0 <= end_factor <= 1.0, f"end_factor must be in [0, 1], but is {end_factor}.")
        checked(total_steps > 0, f"total_steps must be positive, but is {total_steps}.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_steps = total_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate that follows ``last_lr``."""
        if self.last_epoch == 0:
            return self.base_lr * self.start_factor
        if self.last_epoch > self.total_steps:
            return self.last_lr
        climb = self.end_factor - self.start_factor
        height_before = self.total_steps * self.start_factor + (self.last_epoch - 1) * climb
        return self.last_lr * (1.0 + climb / height_before)


class LinearWarmup(LRScheduler):
    """A line from ``start_lr`` to ``end_lr``, then a fixed rate or another scheduler.

    Args:
        learning_rate: the rate, or the LRScheduler, that follows the warm-up.
        warmup_steps: epochs of the warm-up.
        start_lr: rate at epoch 0.
        end_lr: rate at the end of the warm-up.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.LinearWarmup(0.5, 4, start_lr=0.0, end_lr=0.4)
        >>> scheduler.step()
        >>> scheduler()
        0.1
        >>> scheduler.step(10)
        >>> scheduler()
        0.5
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ):
        checked_type(learning_rate, "learning_rate", (float, int, LRScheduler))
        checked_count(warmup_steps, "warmup_steps")
        if not end_lr > start_lr:
            raise RefusedArgumentError(
                f"end_lr must be greater than start_lr, but they are {end_lr} and {start_lr}."
            )
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the rate of the current epoch; step the scheduler that follows the warm-up."""
        if self.last_epoch < self.warmup_steps:
            done = float(self.last_epoch)
            return (self.end_lr - self.start_lr) * done / self.warmup_steps + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate

    def state_dict(self) -> dict[str, Any]:
        """Return the state, with that of the scheduler that follows under ``LinearWarmup_LR``."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    @all_or_nothing
    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the result of state_dict."""
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler):
            checked(
                "LinearWarmup_LR" in state_dict,
                "The state dict has no 'LinearWarmup_LR', the state of the scheduler that follows "
                f"the warm-up; it has {sorted(map(str, state_dict))}.",
            )
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict

    def _nested_keys(self) -> set[str]:
        return {"LinearWarmup_LR"}
