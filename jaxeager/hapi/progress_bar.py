"""ProgressBar: one line of text about the progress of a loop."""

import shutil
import sys
import time

import numpy as np


class ProgressBar:
    """A line with the number of steps done, values of interest and the time per step.

    Args:
        num: the number of steps; None when it is unknown.
        width: characters of the bar, fewer on a narrow terminal.
        verbose: 1 draws a moving bar, 2 or 3 write a line for each step, 0 writes nothing.

    Example:
        >>> from jaxeager.hapi.progress_bar import ProgressBar
        >>> ProgressBar(4, verbose=2).update(2, [("loss", 0.5)])  # doctest: +ELLIPSIS
        step 2/4 - loss: 0.5000 - ...s/step
    """

    def __init__(self, num=None, width=30, verbose=1):
        columns = shutil.get_terminal_size().columns or 80
        self._num, self._verbose = num, verbose
        self._width = min(width, int(columns * 0.6), columns - 50)
        self._written = 0
        self._start = time.time()

    def update(self, current_num: int, values=()) -> None:
        """Write the line for a step.

        Args:
            current_num: the number of steps done.
            values: (name, number or list of numbers) pairs.
        """
        if not self._verbose:
            return
        spent = (time.time() - self._start) / current_num if current_num else 0
        text = "".join(f" - {name}:{_text_of(value)}" for name, value in values)
        if self._verbose == 1:
            self._draw(current_num, text, spent)
        else:
            sys.stdout.write(f"{self._count(current_num)}{text}{_pace(spent)}\n")
        sys.stdout.flush()

    def _count(self, current_num: int) -> str:
        if self._num:
            return f"step {current_num:{len(str(self._num))}d}/{self._num}"
        return f"step {current_num:3}"

    def _draw(self, current_num: int, text: str, spent: float) -> None:
        """Draw the bar over the previous one."""
        bar = self._count(current_num)
        if self._num is not None:
            done = int(self._width * current_num / self._num)
            head = "" if not done else "=" * (done - 1) + (">" if current_num < self._num else "=")
            bar += f" [{head}{'.' * (self._width - done)}]"
            if current_num < self._num:
                text += f" - ETA: {_duration(int(spent * (self._num - current_num)))}"
        line = bar + text + _pace(spent)
        is_last = self._num is None or current_num >= self._num
        sys.stdout.write("\b" * self._written + "\r" + line.ljust(self._written))
        sys.stdout.write("\n" if is_last else "")
        self._written = len(line)


def _text_of(value) -> str:
    """Format a number, or each of a list, briefly."""
    parts = []
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, np.ndarray) and each.size == 1:
            each = each.item()
        if isinstance(each, (float, np.floating)):
            parts.append(f"{each:.4f}" if abs(each) > 1e-3 else f"{each:.4e}")
        else:
            parts.append(str(each))
    return "".join(f" {part}" for part in parts)


def _pace(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f" - {seconds:.0f}s/step"
    return f" - {seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f" - {seconds * 1e6:.0f}us/step"


def _duration(seconds: int) -> str:
    if seconds > 3600:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    return f"{seconds // 60}:{seconds % 60:02}" if seconds > 60 else f"{seconds}s"
