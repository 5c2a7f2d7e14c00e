"""paddle.callbacks: additional actions of a Model during training."""

import numbers
import os
import warnings

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.hapi.callback import Callback, CallbackList
from jaxeager.hapi.progress_logger import ProgBarLogger
from jaxeager.optimizer.lr import LRScheduler as Scheduler

__all__ = [
    "Callback",
    "EarlyStopping",
    "LRScheduler",
    "ModelCheckpoint",
    "ProgBarLogger",
    "ReduceLROnPlateau",
]


class ModelCheckpoint(Callback):
    """A callback that saves model and optimizer: ``<save_dir>/<epoch>`` and ``<save_dir>/final``.

    Args:
        save_freq: the number of epochs between saves.
        save_dir: a folder; nothing is saved when None.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.callbacks.ModelCheckpoint(2, "runs").save_dir
        'runs'
    """

    def __init__(self, save_freq=1, save_dir=None):
        super().__init__()
        self.save_freq, self.save_dir = save_freq, save_dir

    def _save(self, name) -> None:
        path = f"{self.save_dir}/{name}"
        print(f"save checkpoint at {os.path.abspath(path)}")
        self.model.save(path)

    def on_epoch_end(self, epoch, logs=None):
        """Save under the epoch's number, every ``save_freq`` epochs."""
        if self.model is not None and self.save_dir and epoch % self.save_freq == 0:
            self._save(epoch)

    def on_train_end(self, logs=None):
        """Save under "final"."""
        if self.model is not None and self.save_dir:
            self._save("final")


class LRScheduler(Callback):
    """A callback that steps the optimizer's learning rate scheduler. Every Model has one, by step.

    Args:
        by_step: step after every batch.
        by_epoch: step after every epoch; ``by_step`` must be False then.

    Raises:
        InvalidArgumentError: when both are True.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.callbacks.LRScheduler(by_step=False, by_epoch=True).by_epoch
        True
    """

    def __init__(self, by_step=True, by_epoch=False):
        super().__init__()
        if by_step and by_epoch:
            raise InvalidArgumentError("by_step option is mutually exclusive with by_epoch")
        self.by_step, self.by_epoch = by_step, by_epoch

    def _step(self) -> None:
        rate = getattr(self.model._optimizer, "_learning_rate", None)
        if isinstance(rate, Scheduler):
            rate.step()

    def on_epoch_end(self, epoch, logs=None):
        """Step the scheduler, with ``by_epoch``."""
        if self.by_epoch:
            self._step()

    def on_train_batch_end(self, step, logs=None):
        """Step the scheduler, with ``by_step``."""
        if self.by_step:
            self._step()


class _Watcher(Callback):
    """A callback that watches one value of the evaluations.

    Args:
        monitor: the name of the value.
        mode: "min" or "max", which is better; "auto" uses "max" for names with "acc" in them.
    """

    def __init__(self, monitor: str, mode: str):
        super().__init__()
        self.monitor = monitor
        if mode not in ("auto", "min", "max"):
            warnings.warn(
                f"{type(self).__name__} mode {mode} is unknown, fallback to auto mode.",
                stacklevel=3,
            )
            mode = "auto"
        self.mode = mode
        self._wants_more = mode == "max" or (mode == "auto" and "acc" in monitor)
        self._worst = -np.inf if self._wants_more else np.inf

    def _value(self, logs):
        """Return the watched number of an evaluation; warn and return None if there is none."""
        if logs is None or self.monitor not in logs:
            warnings.warn(
                f"Monitor of {type(self).__name__} should be loss or metric name.", stacklevel=4
            )
            return None
        value = logs[self.monitor]
        value = value[0] if isinstance(value, (list, tuple)) else value
        return value if isinstance(value, numbers.Number) else None

    def _is_better(self, value, best, margin: float) -> bool:
        return bool(value > best + margin if self._wants_more else value < best - margin)


class EarlyStopping(_Watcher):
    """A callback that stops training when evaluations no longer improve.

    Args:
        monitor: the name of the watched value: "loss" or a metric's.
        mode: "min" or "max", which is better; "auto" uses "max" for names with "acc" in them.
        patience: the number of evaluations without improvement after which to stop.
        verbose: whether to print when it stops.
        min_delta: the least improvement of the value that counts.
        baseline: the value that the first evaluation must improve on; None for no such value.
        save_best_model: whether to save the best model as ``<save_dir>/best_model``, with the
            ``save_dir`` of ``Model.fit``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.callbacks.EarlyStopping("acc", patience=2).patience
        2
    """

    def __init__(
        self,
        monitor="loss",
        mode="auto",
        patience=0,
        verbose=1,
        min_delta=0,
        baseline=None,
        save_best_model=True,
    ):
        super().__init__(monitor, mode)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.min_delta, self.save_best_model = abs(min_delta), save_best_model
        self.save_dir = None  # Model.fit sets it
        self.wait_epoch = self.stopped_epoch = 0

    def on_train_begin(self, logs=None):
        """Reset the best value."""
        self.wait_epoch = 0
        self.best_value = self._worst if self.baseline is None else self.baseline

    def on_eval_end(self, logs=None):
        """Compare an evaluation with the best one."""
        value = self._value(logs)
        if value is None:
            return
        saves = self.save_best_model and self.save_dir is not None
        path = os.path.join(self.save_dir or "", "best_model")
        if self._is_better(value, self.best_value, self.min_delta):
            self.best_value, self.wait_epoch = value, 0
            if saves:
                self.model.save(path)
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= self.patience:
            self.model.stop_training = True
            if self.verbose > 0:
                print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
                if saves:
                    print(f"Best checkpoint has been saved at {os.path.abspath(path)}")
        self.stopped_epoch += 1


class ReduceLROnPlateau(_Watcher):
    """A callback that lowers a constant learning rate when evaluations no longer improve.

    Args:
        monitor: the name of the watched value: "loss" or a metric's.
        factor: the factor of the learning rate, less than 1.
        patience: the number of evaluations without improvement after which to lower it.
        verbose: whether to print when it is lowered.
        mode: "min" or "max", which is better; "auto" uses "max" for names with "acc" in them.
        min_delta: the least improvement of the value that counts.
        cooldown: the number of evaluations to wait after lowering it.
        min_lr: the least learning rate.

    Raises:
        InvalidArgumentError: when ``factor`` is not less than 1.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.callbacks.ReduceLROnPlateau(factor=0.5).factor
        0.5
    """

    def __init__(
        self,
        monitor="loss",
        factor=0.1,
        patience=10,
        verbose=1,
        mode="auto",
        min_delta=1e-4,
        cooldown=0,
        min_lr=0,
    ):
        super().__init__(monitor, mode)
        if factor >= 1.0:
            raise InvalidArgumentError(
                f"ReduceLROnPlateau does not support a factor >= 1.0. Received {factor}."
            )
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.min_delta, self.cooldown, self.min_lr = min_delta, cooldown, min_lr
        self.epoch = 0
        self.on_train_begin()

    def on_train_begin(self, logs=None):
        """Reset the best value."""
        self.best = self._worst
        self.cooldown_counter = self.wait = 0

    def in_cooldown(self) -> bool:
        """Return whether the cooldown after the last lowering still lasts."""
        return self.cooldown_counter > 0

    def on_eval_end(self, logs=None):
        """Compare an evaluation with the best one."""
        value = self._value(logs)
        if value is None:
            return
        rate = self.model._optimizer._learning_rate
        if not isinstance(rate, float):
            warnings.warn(f"Expected learning_rate be float, bug got {type(rate)}.", stacklevel=2)
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(value, self.best, self.min_delta):
            self.best, self.wait = value, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._lower()
        self.epoch += 1

    def _lower(self) -> None:
        rate = self.model._optimizer.get_lr()
        if rate <= self.min_lr:
            return
        rate = max(rate * self.factor, self.min_lr)
        self.model._optimizer.set_lr(rate)
        if self.verbose > 0:
            print(f"\nEpoch {self.epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}.")
        self.cooldown_counter, self.wait = self.cooldown, 0


def configured(callbacks, model, *, log_freq=2, verbose=2, save_freq=1, save_dir=None, **params):
    """Return the CallbackList of a run: the given callbacks, and default ones for missing kinds.

    Args:
        callbacks: a callback, a list of them, or None.
        model: the Model.
        log_freq: the number of steps between prints.
        verbose: how much to print; see ProgBarLogger.
        save_freq: the number of epochs between saves.
        save_dir: where to save; nothing is saved when None.
        **params: further ``params`` of the callbacks: epochs, steps, metrics.
    """
    found = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks or []]
    found = [each for each in found if each != []]

    def has(kind) -> bool:
        return any(isinstance(each, kind) for each in found)

    if verbose and not has(ProgBarLogger):
        found.insert(0, ProgBarLogger(log_freq, verbose))
    if not has(ModelCheckpoint):
        found.append(ModelCheckpoint(save_freq, save_dir))
    if not has(LRScheduler):
        found.append(LRScheduler())
    for each in found:
        if isinstance(each, EarlyStopping):
            each.save_dir = save_dir
    given = {"batch_size": None, "epochs": None, "steps": None, "verbose": verbose, "metrics": []}
    return CallbackList(found, model, {**given, **params})
