"""LRScheduler: it counts epochs and computes the learning rate of the current one."""

import functools
import numbers
import warnings
from typing import Any

from jaxeager.core import ports
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    RefusedArgumentError,
    RefusedTypeError,
)
from jaxeager.graph.atomic import set_each
from jaxeager.graph.mode import grad_mode


def all_or_nothing(method):
    """Decorate a method of a scheduler: when it raises, the attributes are restored.

    See Note [Interrupts] in graph/atomic.py.
    """

    @functools.wraps(method)
    def guarded(self, *args, **kwargs):
        if grad_mode.capture is not None:
            grad_mode.capture.refuse("it moves a scheduler, which Python must do on each call.")
        before = _attributes_of(self)
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            set_each(before)
            raise

    return guarded


def _attributes_of(scheduler) -> list[tuple]:
    """Return the arguments with which ``set_each`` restores a scheduler and its inner ones."""
    found: list[tuple] = [(scheduler, "__dict__", dict(vars(scheduler)))]
    for value in vars(scheduler).values():
        if isinstance(value, LRScheduler):
            found += _attributes_of(value)
    return found


class LRScheduler:
    """Base of every scheduler: a counter ``last_epoch`` and its rate ``last_lr``.

    A subclass computes the rate of ``self.last_epoch`` in ``get_lr``. Making a scheduler steps it
    once, so it starts at epoch 0 (or one after the given ``last_epoch``).

    Args:
        learning_rate: the initial rate, kept as ``base_lr``.
        last_epoch: the last epoch of the run to resume; -1 for a new run.
        verbose: print a line at each step.

    Raises:
        InvalidTypeError: when ``learning_rate`` is not a number.
        InvalidArgumentError: when it is negative.

    Example:
        >>> import jaxeager as paddle
        >>> class Halving(paddle.optimizer.lr.LRScheduler):
        ...     def get_lr(self):
        ...         return self.base_lr * 0.5**self.last_epoch
        >>> halving = Halving(0.8)
        >>> halving.step()
        >>> halving()
        0.4
    """

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False):
        self.base_lr = checked_rate(learning_rate)
        self.last_lr = self.base_lr
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """Return the learning rate of the current epoch."""
        rate = self.last_lr
        if grad_mode.capture is not None:  # a fixed number in a program
            grad_mode.capture.depends_on(lambda: self.last_lr == rate)
        return rate

    def __repr__(self) -> str:
        return f"{type(self).__name__}(step {self.last_epoch}, rate {self.last_lr})"

    _repr_html_ = ports.notebook_form

    def get_lr(self) -> float:
        """Return the rate of epoch ``self.last_epoch``; every subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    @all_or_nothing
    def step(self, epoch: int | None = None) -> None:
        """Move to the next epoch, or to ``epoch``, and set ``last_lr``."""
        if epoch is None:
            self.last_epoch += 1
            self.last_lr = self.get_lr()
        else:
            self.last_epoch = epoch
            self.last_lr = self.get_lr_at_epoch()
        self._announce()

    def get_lr_at_epoch(self) -> float:
        """Return the rate of an epoch given to ``step``; a recurrence needs another formula."""
        return self.get_lr()

    def _announce(self) -> None:
        if self.verbose:
            name = type(self).__name__
            print(f"Epoch {self.last_epoch}: {name} set learning rate to {self.last_lr}.")

    def state_keys(self) -> None:
        """Set ``self.keys``, the attributes in a state dict. Override it to add more."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes named by ``state_keys``, tensors of one element as numbers."""
        self.state_keys()
        return {key: _plain(vars(self)[key]) for key in self.keys if key in vars(self)}

    @all_or_nothing
    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the result of state_dict.

        Raises:
            PreconditionNotMetError: when a key is not in ``state_dict``.
            InvalidArgumentError: when it is not a dict, or has another type where a number was.
        """
        checked(
            isinstance(state_dict, dict),
            "The state of a scheduler is a dict, such as its state_dict(), but received "
            f"{type(state_dict).__name__}.",
        )
        self.state_keys()
        missing = [key for key in self.keys if key not in state_dict]
        if missing:
            raise PreconditionNotMetError(
                f"The state dict has no {missing[0]!r}, which {type(self).__name__} needs; it has "
                f"{sorted(map(str, state_dict))}. Was it saved from another scheduler?"
            )
        for key in self.keys:
            value = state_dict[key]
            checked(
                isinstance(value, numbers.Real) or not _is_number(vars(self).get(key)),
                f"The state of a {type(self).__name__} has a number for {key!r}, but received "
                f"{type(value).__name__}.",
            )
        vars(self).update({key: state_dict[key] for key in self.keys})
        unused = sorted(map(str, set(state_dict) - set(self.keys) - self._nested_keys()))
        if unused:
            warnings.warn(
                f"{type(self).__name__} does not use {unused} of the state dict; was it saved "
                "from another scheduler?",
                stacklevel=2,
            )

    set_dict = set_state_dict

    def _loaded(self, state_dict: dict[str, Any]) -> list[tuple]:
        """Return the arguments of ``set_each`` for ``set_state_dict``; change nothing."""
        before = _attributes_of(self)
        try:
            self.set_state_dict(state_dict)
            after = _attributes_of(self)
            set_each(before)
        except BaseException:
            set_each(before)
            raise
        return after

    def _nested_keys(self) -> set[str]:
        """Return the keys of the state dict that belong to an inner scheduler."""
        return set()


def _is_number(value) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _plain(value):
    """Return a tensor of one element as a number; any other value as it is."""
    return value.item() if hasattr(value, "item") else value


def checked_rate(value, name: str = "learning_rate") -> float:
    """Return a learning rate as a float; InvalidTypeError or InvalidArgumentError when wrong."""
    checked_type(value, name, (float, int))
    if value < 0:
        raise InvalidArgumentError(f"{name} must not be negative, but is {value}.")
    return float(value)


def checked_type(value, name: str, kinds) -> None:
    """Raise InvalidTypeError unless ``value`` is an instance of ``kinds``."""
    if not isinstance(value, kinds):
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise RefusedTypeError(
            f"{name} must be {wanted}, but is {value!r}, of type {type(value).__name__}."
        )


def checked(condition: bool, message: str) -> None:
    """Raise InvalidArgumentError with ``message`` unless ``condition`` holds."""
    if not condition:
        raise RefusedArgumentError(message)


def checked_callable(value, name: str) -> None:
    """Raise InvalidTypeError unless ``value`` can be called."""
    if not callable(value):
        raise InvalidTypeError(
            f"{name} must be a function, but is {value!r}, of type {type(value).__name__}."
        )


def checked_count(value, name: str) -> None:
    """Raise InvalidTypeError or InvalidArgumentError unless ``value`` is a positive int."""
    checked_type(value, name, int)
    checked(value > 0, f"{name} must be a positive integer, but is {value}.")
