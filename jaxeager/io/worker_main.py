"""A worker process of a DataLoader: it reads the requested batches until its channel is closed."""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import random
import signal
import sys
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxeager.io import light
from jaxeager.io.channel import Channel, ChannelClosed, dump, load
from jaxeager.io.collate import default_collate_fn, tensor_class
from jaxeager.io.worker_info import WorkerInfo, set_worker_info

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH, END, ERROR = "batch", "end", "error"


class Work(NamedTuple):
    """The settings that all workers of a loader receive.

    Attributes:
        dataset: the samples.
        collate_fn: a function from a list of samples to a batch; None for the default one.
        is_iterable: whether the dataset yields its samples in its own order.
        is_batched: whether samples are collated at all.
        batch_size: of an iterable dataset.
        drop_last: of an iterable dataset.
        num_workers: the number of workers.
        seed: the seed that the seeds of all workers are derived from.
        init_fn: called with the worker's number at the start.
    """

    dataset: Any
    collate_fn: Callable | None
    is_iterable: bool
    is_batched: bool
    batch_size: int | None
    drop_last: bool
    num_workers: int
    seed: int
    init_fn: Callable[[int], object] | None


class Failure(NamedTuple):
    """An error of a worker, in the form that is sent."""

    worker: int
    error: bytes | None
    kind: str
    text: str
    trace: str


class BatchPickler(pickle.Pickler):
    """A pickler of batches; it writes tensors as arrays, which the parent converts back."""

    def reducer_override(self, value: Any):
        """Return how to pickle a tensor."""
        tensor = tensor_class()
        if tensor is not None and isinstance(value, tensor):
            return _itself, (np.asarray(value._array),)
        return NotImplemented


def _itself(value: Any) -> Any:
    return value


def run(channel: Channel, number: int) -> None:
    """Do the work that the first message describes, until the other end is closed.

    Messages are (epoch, task, completely read files); a task is the argument of ``Source.fetch``.
    Each is answered with (epoch, kind, value).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    try:
        source = _start(channel, number)
        while True:
            epoch, task, read_out = load(*channel.receive())
            channel.give_back(read_out)
            _answer(
                channel, epoch, number, lambda task=task, epoch=epoch: source.fetch(epoch, task)
            )
    except ChannelClosed:
        pass


def _start(channel: Channel, number: int) -> Source:
    """Return the source of the batches; an error in creating it answers every task."""
    body, buffers = channel.receive(is_private=True)
    try:
        work: Work = load(body, buffers)
        set_seeds(work.seed, number)
        set_worker_info(WorkerInfo(number, work.num_workers, work.seed, work.dataset))
        if work.init_fn is not None:
            work.init_fn(number)
        return Source(work)
    except Exception as error:
        return FailedSource(error)


def set_seeds(seed: int, number: int) -> None:
    """Seed Python's and NumPy's generators, and jaxeager's as soon as it is imported."""
    random.seed(seed + number)
    np.random.seed(np.random.SeedSequence([seed, number]).generate_state(4))

    def seed_jaxeager() -> None:
        sys.modules["jaxeager.arrays.random"].seed(seed + number)  # type: ignore[attr-defined]

    if "jaxeager.arrays.random" in sys.modules:
        seed_jaxeager()
    else:
        light.when_complete.append(seed_jaxeager)


def _answer(channel: Channel, epoch: int, number: int, fetch) -> None:
    """Send the fetched result, or its error."""
    try:
        kind, value = fetch()
        message = dump((epoch, kind, value), BatchPickler)
    except Exception as error:
        message = dump((epoch, ERROR, failure(number, error)))
    channel.send(*message)


def failure(number: int, error: Exception) -> Failure:
    """Return an error in a form that can be sent: as itself if possible, and as text."""
    trace = "".join(traceback.format_exception(error))
    try:
        packed = pickle.dumps((error, error.args))
        pickle.loads(packed)
    except Exception:
        packed = None
    return Failure(number, packed, type(error).__name__, str(error), trace)


class Source:
    """A source that fetches batches of a dataset."""

    def __init__(self, work: Work):
        self._work = work
        self._epoch = -1
        self._samples: Iterator = iter(())

    def fetch(self, epoch: int, task: Any) -> tuple[str, Any]:
        """Return (BATCH, a batch), or (END, None) when an iterable dataset is exhausted.

        Args:
            epoch: a new epoch restarts an iterable dataset.
            task: indices, or one index, or None for the next batch.
        """
        if self._work.is_iterable:
            return self._next(epoch)
        if not self._work.is_batched:
            sample = self._work.dataset[task]
            return BATCH, sample if self._work.collate_fn is None else self._collate(sample)
        indices = task.tolist() if isinstance(task, np.ndarray) else task
        return BATCH, self._collate([self._work.dataset[index] for index in indices])

    def _next(self, epoch: int) -> tuple[str, Any]:
        if epoch != self._epoch:
            self._epoch, self._samples = epoch, iter(self._work.dataset)
        if not self._work.is_batched:
            for sample in self._samples:
                return BATCH, sample if self._work.collate_fn is None else self._collate(sample)
            return END, None
        batch = list(itertools.islice(self._samples, self._work.batch_size))
        is_short = len(batch) < (self._work.batch_size or 0)
        if not batch or (is_short and self._work.drop_last):
            return END, None
        return BATCH, self._collate(batch)

    def _collate(self, samples: Any) -> Any:
        return (self._work.collate_fn or default_collate_fn)(samples)


class FailedSource(Source):
    """A source that raises the error that kept the worker from starting."""

    def __init__(self, error: Exception):
        self._error = error

    def fetch(self, epoch: int, task: object) -> tuple[str, Any]:
        """Raise the error."""
        raise self._error


def leave(code: int) -> None:
    """End the process immediately, without the handlers it inherited."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
