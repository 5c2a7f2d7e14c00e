"""Timers of parts of a training step, by their names."""

from __future__ import annotations

import time
from collections.abc import Sequence

import jaxeager as paddle
from jaxeager.errors import RefusedStateError

_made: list[Timers] = []  # the timers of this process, once ``set_timers`` was called


def is_timer_initialized() -> bool:
    """Return whether ``set_timers`` was called."""
    return bool(_made)


def set_timers() -> None:
    """Make the timers of this process.

    Raises:
        RefusedStateError: when they exist.
    """
    if _made:
        raise RefusedStateError("timers has been already initialized.")
    _made.append(Timers())


def get_timers() -> Timers:
    """Return the timers of this process.

    Raises:
        RefusedStateError: when ``set_timers`` was not called.
    """
    if not _made:
        raise RefusedStateError("timers is not initialized. Call set_timers() first.")
    return _made[0]


class _Timer:
    """A timer, which waits for the device when it starts and stops.

    Args:
        name: its name.
    """

    def __init__(self, name: str):
        self.name = name
        self.elapsed_, self.started_, self.start_time = 0.0, False, time.time()

    def start(self) -> None:
        """Start it.

        Raises:
            RefusedStateError: when it runs.
        """
        if self.started_:
            raise RefusedStateError(f"The timer {self.name!r} has already started.")
        paddle.device.synchronize()
        self.start_time, self.started_ = time.time(), True

    def stop(self) -> None:
        """Stop it, and add the time since its start.

        Raises:
            RefusedStateError: when it does not run.
        """
        if not self.started_:
            raise RefusedStateError(f"The timer {self.name!r} is not started.")
        paddle.device.synchronize()
        self.elapsed_ += time.time() - self.start_time
        self.started_ = False

    def reset(self) -> None:
        """Set its time to 0, and stop it."""
        self.elapsed_, self.started_ = 0.0, False

    def elapsed(self, reset: bool = True) -> float:
        """Return its time in seconds; a running timer continues.

        Args:
            reset: set its time to 0.
        """
        runs = self.started_
        if runs:
            self.stop()
        found = self.elapsed_
        if reset:
            self.reset()
        if runs:
            self.start()
        return found


class Timers:
    """Timers by their names; a call returns the timer of a name, and makes it at first.

    Example:
        >>> from jaxeager.distributed.fleet.utils.timer_helper import Timers
        >>> timers = Timers()
        >>> timers("forward").start()
        >>> timers("forward").stop()
        >>> timers("forward").elapsed() > 0
        True
    """

    def __init__(self) -> None:
        self.timers: dict[str, _Timer] = {}

    def __call__(self, name: str, use_event: bool = False) -> _Timer:
        """Return the timer of a name.

        Args:
            name: the name.
            use_event: accepted for compatibility: XLA has no events to measure with, so every
                timer waits for the device.
        """
        return self.timers.setdefault(name, _Timer(name))

    def log(self, names: Sequence[str], normalizer: float = 1.0, reset: bool = True) -> None:
        """Print the times of some timers, in milliseconds.

        Args:
            names: their names.
            normalizer: a number that divides the times, such as the number of steps.
            reset: set the times to 0.
        """
        times = (f"{name}: {self._milliseconds(name, normalizer, reset):.2f}" for name in names)
        print(" | ".join(["time (ms)", *times]), flush=True)

    def _milliseconds(self, name: str, normalizer: float, reset: bool) -> float:
        return self.timers[name].elapsed(reset=reset) * 1000.0 / normalizer
