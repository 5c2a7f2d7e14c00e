"""The learning rate of an optimizer: a number or a scheduler, as an array for the step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.as_array import is_guarded, on_device
from jaxeager.errors import InvalidTypeError, PreconditionNotMetError
from jaxeager.graph.mode import grad_mode
from jaxeager.optimizer.groups import warn_of_ascent
from jaxeager.optimizer.lr import LRScheduler

if TYPE_CHECKING:
    import jax


class HasLearningRate:
    """Base of Optimizer: its learning rate.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
        >>> paddle.optimizer.SGD(0.5, parameters=[w]).get_lr()
        0.5
    """

    _learning_rate: float | LRScheduler
    _rate: tuple[float | None, jax.Array | np.ndarray | None] = (None, None)

    def get_lr(self) -> float:
        """Return the current learning rate.

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
            >>> paddle.optimizer.SGD(0.5, parameters=[w]).get_lr()
            0.5
        """
        rate = self._learning_rate
        rate = rate() if isinstance(rate, LRScheduler) else rate
        if grad_mode.capture is not None:  # a fixed number in a program
            grad_mode.capture.depends_on(lambda: self.get_lr() == rate)
        return rate

    def set_lr(self, value: float) -> None:
        """Set the learning rate of an optimizer that has no scheduler.

        Raises:
            InvalidTypeError: when it is not a number.
            PreconditionNotMetError: when the optimizer has a scheduler.
        """
        if not isinstance(value, (int, float)):
            raise InvalidTypeError(
                "The type of 'value' in optimizer.set_lr must be float, but received "
                f"{type(value)}."
            )
        if isinstance(self._learning_rate, LRScheduler):
            raise PreconditionNotMetError(
                "optimizer's learning rate can't be LRScheduler when invoke this API, because this "
                "will lead to conflict; step the scheduler instead."
            )
        warn_of_ascent(value)
        self._learning_rate = float(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Replace the learning rate by a scheduler; InvalidTypeError when it is not one."""
        if not isinstance(scheduler, LRScheduler):
            raise InvalidTypeError(
                "The type of 'scheduler' in optimizer.set_lr_scheduler must be LRScheduler, but "
                f"received {type(scheduler)}."
            )
        self._learning_rate = scheduler

    def _rate_array(self):
        """Return the learning rate as a 0-D array, on the device once it stays the same.

        JAX distinguishes the two kinds and looks for another executable, so a number without a
        scheduler is on the device from the first step on.
        """
        if grad_mode.capture is not None:
            return grad_mode.capture.value_per_call(self._rate_array)
        rate = float(self.get_lr())
        known, array = self._rate
        if rate != known:
            array = np.asarray(rate)
            stays = known is None and not isinstance(self._learning_rate, LRScheduler)
            if stays or is_guarded():
                array = on_device(array)
        elif isinstance(array, np.ndarray):
            array = on_device(array)
        self._rate = (rate, array)
        return array
