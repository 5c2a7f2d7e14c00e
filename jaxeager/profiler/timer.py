"""benchmark: the time of steps and of reading batches, without recording operations.

``Profiler`` and the iterators of DataLoader drive it. The first ten steps count for ``step_info``
but not for the summary, as in Paddle, because they are slower than the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from jaxeager.io import dataloader_iter

if TYPE_CHECKING:
    from jaxeager.io.dataloader_iter import _DataLoaderIterBase

_SKIPPED = 10
_Batch = TypeVar("_Batch")


class TimeAverager:
    """The average of times since the last ``reset``.

    Example:
        >>> averager = TimeAverager()
        >>> averager.record(0.5, 4)
        >>> averager.get_average(), averager.get_ips_average(), averager.get_step_average()
        (0.5, 8.0, 2.0)
    """

    def __init__(self):
        self.reset()

    def reset(self) -> None:
        """Reset the average."""
        self._count = self._samples = 0
        self._seconds = 0.0

    def record(self, usetime: float, num_samples: int | None = None) -> None:
        """Add a time, and its number of samples."""
        self._count += 1
        self._seconds += usetime
        self._samples += num_samples or 0

    def get_average(self) -> float:
        """Return the average seconds; 0 if there is no time."""
        return self._seconds / self._count if self._count else 0

    def get_ips_average(self) -> float:
        """Return the samples per second."""
        return self._samples / self._seconds if self._samples and self._seconds else 0

    def get_step_average(self) -> float:
        """Return the number of times per second."""
        return self._count / self._seconds if self._seconds else 0


class _Extremes:
    """The maximum, the minimum and the sum of numbers."""

    def __init__(self):
        self.max = 0.0
        self.min = float("inf")
        self.total = 0.0

    def add(self, number: float) -> None:
        self.max, self.min = max(self.max, number), min(self.min, number)
        self.total += number


class Event:
    """One timed task: a training, or an evaluation in the middle of one.

    Attributes:
        total_iters: the number of its steps.
        total_samples: the number of samples in the steps that count for the summary.
        speed_mode: "samples/s", or "steps/s" if steps do not have a number of samples.
        speed_unit: the same, in the words of ``step_info``.
        reader: the iterator that it reads from.
        need_record: whether it is timed now; false while another task reads.
    """

    def __init__(self):
        self.reader_cost_averager = TimeAverager()
        self.batch_cost_averager = TimeAverager()
        self.total_samples = 0
        self.total_iters = 0
        self.skip_iter = _SKIPPED
        self.reader: _DataLoaderIterBase | None = None
        self.need_record = True
        self.speed_mode = self.speed_unit = "samples/s"
        self._reads, self._batches, self._speeds = _Extremes(), _Extremes(), _Extremes()

    def reset(self) -> None:
        """Reset the averages of ``step_info``."""
        self.reader_cost_averager.reset()
        self.batch_cost_averager.reset()

    def record_reader(self, usetime: float) -> None:
        """Add the time to read a batch."""
        self.reader_cost_averager.record(usetime)
        if self.total_iters >= self.skip_iter:
            self._reads.add(usetime)

    def record_batch(self, usetime: float, num_samples: int | None = None) -> None:
        """Add the time of a step, including reading."""
        if num_samples is None:
            self.speed_mode = self.speed_unit = "steps/s"
        self.batch_cost_averager.record(usetime, num_samples)
        self.total_iters += 1
        if self.total_iters > self.skip_iter:
            self._batches.add(usetime)
            count = 1 if self.speed_mode == "steps/s" else num_samples or 0
            self.total_samples += count
            self._speeds.add(count / usetime)

    def reader_average(self) -> float:
        """Return the average time to read a batch."""
        return self.reader_cost_averager.get_average()

    def batch_average(self) -> float:
        """Return the average time of a step."""
        return self.batch_cost_averager.get_average()

    def speed_average(self) -> float:
        """Return the samples, or steps, per second."""
        if self.speed_mode == "samples/s":
            return self.batch_cost_averager.get_ips_average()
        return self.batch_cost_averager.get_step_average()

    def get_summary(self) -> dict:
        """Return "reader_summary", "batch_summary" and "ips_summary", and "reader_ratio" (%).

        Each of the three has "avg", "max" and "min"; it is empty before the eleventh step.
        """
        count = self.total_iters - self.skip_iter
        if count <= 0:
            return {}
        reads, batches, speeds = self._reads, self._batches, self._speeds
        averages = reads.total / count, batches.total / count, self.total_samples / batches.total
        names = ("reader_summary", "batch_summary", "ips_summary")
        summary: dict[str, dict | float] = {
            name: {"max": each.max, "min": each.min, "avg": average}
            for name, each, average in zip(names, (reads, batches, speeds), averages, strict=True)
        }
        return summary | {"reader_ratio": averages[0] / averages[1] * 100}


class Benchmark:
    """Times steps and the reading of batches, for nested tasks.

    A Profiler calls ``begin``, ``step`` and ``end``; ``before_reader`` and ``after_reader`` are
    called around the reading of a batch.

    Attributes:
        num_samples: the number of samples of the last step.
        current_event: the innermost task; None if nothing is timed.
        events: all tasks that have begun and not ended, the innermost last.
    """

    def __init__(self):
        self.num_samples: int | None = None
        self.events: list[Event] = []
        self._began_step = self._began_read = 0.0

    @property
    def current_event(self) -> Event | None:
        return self.events[-1] if self.events else None

    def begin(self) -> None:
        """Begin a task."""
        self.events.append(Event())
        self._began_step = time.perf_counter()
        dataloader_iter.set_timed("benchmark", _timed_read)

    def step(self, num_samples: int | None = None) -> None:
        """End a step.

        Args:
            num_samples: the number of its samples.
        """
        self.num_samples = num_samples
        self.after_step()

    def after_step(self) -> None:
        """End a step of ``num_samples``."""
        event = self.current_event
        if event is not None and event.need_record:
            event.record_batch(time.perf_counter() - self._began_step, self.num_samples)
            self._began_step = time.perf_counter()

    def step_info(self, unit: str) -> str:
        """Return the times of reading and of a step since the last call, and samples per second.

        Args:
            unit: the word for a sample.
        """
        event, message = self.current_event, ""
        if event is None:
            return message
        reader, batch, speed = event.reader_average(), event.batch_average(), event.speed_average()
        if reader:
            message += f" reader_cost: {reader:.5f} s"
        if batch:
            event.speed_unit = "steps/s" if event.speed_mode == "steps/s" else f"{unit}/s"
            message += f" batch_cost: {batch:.5f} s"
        if speed:
            message += f" ips: {speed:.3f} {event.speed_unit}"
        event.reset()
        return message

    def before_reader(self) -> None:
        """Note that the reading of a batch begins."""
        self._began_read = time.perf_counter()

    def after_reader(self) -> None:
        """Note that the reading of a batch has ended."""
        event = self.current_event
        if event is not None and event.need_record:
            event.record_reader(time.perf_counter() - self._began_read)

    def check_if_need_record(self, reader: _DataLoaderIterBase) -> None:
        """Exclude the time of another task, an evaluation, that reads from another dataset.

        Args:
            reader: the iterator that is about to read.
        """
        event = self.current_event
        if event is None:
            return
        if event.reader is None:
            event.reader = reader
            return
        is_same = event.reader._dataset is reader._dataset
        if is_same and not event.need_record:
            self._began_step = time.perf_counter()
        event.need_record = is_same

    def end(self) -> None:
        """End the innermost task and print its summary."""
        if not self.events:
            return
        _print_summary(self.events[-1])
        self.events.pop()
        self._began_step = time.perf_counter()
        if not self.events:
            dataloader_iter.set_timed("benchmark", None)


def _print_summary(event: Event) -> None:
    summary = event.get_summary()
    if not summary:
        return
    print("Perf Summary".center(100, "="))
    if summary["reader_ratio"]:
        print(f"Reader Ratio: {summary['reader_ratio']:.3f}%")
    print(f"Time Unit: s, IPS Unit: {event.speed_unit}")
    print(_line("", "avg", "max", "min"))
    names = {"reader_cost": "reader_summary", "batch_cost": "batch_summary", "ips": "ips_summary"}
    for name, key in names.items():
        numbers = summary[key]
        if name != "reader_cost" or numbers["avg"]:
            print(_line(name, *[f"{numbers[each]:.5f}" for each in ("avg", "max", "min")]))


def _line(*words: str) -> str:
    return f"| {' | '.join(word.center(15) for word in words)} |"


def _timed_read(iterator: _DataLoaderIterBase, read: Callable[[], _Batch]) -> _Batch:
    """Read a batch, and time it."""
    _benchmark.check_if_need_record(iterator)
    _benchmark.before_reader()
    batch = read()
    _benchmark.after_reader()
    return batch


_benchmark = Benchmark()


def benchmark() -> Benchmark:
    """Return the Benchmark of this process.

    Example:
        >>> from jaxeager.profiler.timer import benchmark
        >>> benchmark().begin()
        >>> for _ in range(3):
        ...     benchmark().step(num_samples=4)
        >>> benchmark().step_info("images")
        ' batch_cost: ... s ips: ... images/s'
        >>> benchmark().end()
    """
    return _benchmark
