"""ReduceOnPlateau: a rate that falls when a metric no longer improves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.optimizer.lr.base import LRScheduler, all_or_nothing, checked, checked_rate

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class ReduceOnPlateau(LRScheduler):
    """Multiply the rate by ``factor`` when a metric has not improved for ``patience`` steps.

    Args:
        learning_rate: the initial rate.
        mode: "min" when a lower metric is better, "max" when a higher one is.
        factor: factor of the rate, less than 1.
        patience: the number of tolerated steps without improvement.
        threshold: the least change that counts as an improvement.
        threshold_mode: "rel" uses the threshold as a share of the best metric, "abs" as it is.
        cooldown: steps after a reduction in which nothing is counted.
        min_lr: the lower bound of the rate.
        epsilon: smaller changes of the rate are not made.
        verbose: print a line at each reduction.

    Example:
        >>> import jaxeager as paddle
        >>> scheduler = paddle.optimizer.lr.ReduceOnPlateau(0.5, factor=0.5, patience=1)
        >>> for loss in (1.0, 1.0, 1.0):
        ...     scheduler.step(loss)
        >>> scheduler()
        0.25
    """

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ):
        self.mode = _one_of("mode", mode, ("min", "max"))
        self.threshold_mode = _one_of("threshold_mode", threshold_mode, ("rel", "abs"))
        checked(factor < 1.0, f"factor must be less than 1, but is {factor}.")
        self.base_lr = checked_rate(learning_rate)
        self.last_lr = self.base_lr
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.epsilon = epsilon
        self.verbose = verbose
        self.cooldown_counter = 0
        self.best = None
        self.num_bad_epochs = 0
        self.last_epoch = 0

    def state_keys(self) -> None:
        """Set the attributes in a state dict: the counters, the best metric, the rate."""
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

    @all_or_nothing
    def step(self, metrics: Tensor | np.ndarray | float, epoch: int | None = None) -> None:
        """Count one more metric, and lower the rate when there were too many bad ones.

        Args:
            metrics: a number, or a Tensor or array of one element (read from the device).
            epoch: the epoch to move to, by default the next one.

        Raises:
            InvalidTypeError: when ``metrics`` is none of these.
            InvalidArgumentError: when it has more than one element.
        """
        metric = _number(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(metric, self.best):
            self.best = metric
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
            self._reduce()

    def _reduce(self) -> None:
        rate = max(self.last_lr * self.factor, self.min_lr)
        if self.last_lr - rate > self.epsilon:
            self.last_lr = rate
            self._announce()

    def _is_better(self, metric: float, best: float) -> bool:
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return metric < best - margin if self.mode == "min" else metric > best + margin


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value.lower() not in allowed:
        raise InvalidArgumentError(f"{name} must be one of {allowed}, but is {value!r}.")
    return value.lower()


def _number(metrics: Any) -> Any:
    """Return a metric as a NumPy or Python number."""
    if isinstance(metrics, (int, float, np.floating)):
        return metrics
    if not hasattr(metrics, "item"):
        raise InvalidTypeError(
            "metrics must be a number, a Tensor or an array of one element, but is of type "
            f"{type(metrics).__name__}."
        )
    size = int(np.prod(metrics.shape, dtype=np.int64))
    if size != 1:
        raise RefusedArgumentError(
            f"metrics must have one element, but has {size} (shape {list(metrics.shape)}). "
            "Reduce it first, with paddle.mean for example."
        )
    return np.asarray(metrics).reshape(())[()]
