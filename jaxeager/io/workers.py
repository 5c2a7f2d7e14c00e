"""Workers: the processes that read batches for one DataLoader, in order.

Worker ``k % num_workers`` reads batch ``k``, so its random draws depend on its seed only. Each
worker receives its next task before it has finished the last, so it never waits while there is
something to read.
"""

from __future__ import annotations

import collections
import contextlib
import os
import pickle
import time
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from jaxeager.errors import PreconditionNotMetError, UnavailableError
from jaxeager.io.by_value import dump_by_value
from jaxeager.io.channel import Channel, ChannelClosed, dump, is_readable, load, written
from jaxeager.io.fork_server import ForkServer, fork_server
from jaxeager.io.worker_main import BATCH, END, ERROR, Failure, Work

# A longer task is sent through shared memory: through the socket, it could block on a worker that
# is sending a batch, which this process would only read later.
MANY_INDICES = 2000


def _compact(indices: list) -> np.ndarray | list:
    """Return indices as an array when they are integers."""
    array = np.asarray(indices)
    return array if array.ndim == 1 and array.dtype.kind == "i" else indices


class Workers:
    """The worker processes of a loader.

    Args:
        work: the settings of the workers.
        shares_memory: whether their batches are sent in shared memory.
        timeout: seconds a batch may take; 0 waits forever.

    Raises:
        InvalidTypeError: when the dataset cannot be sent to another process.
    """

    def __init__(self, work: Work, shares_memory: bool, timeout: float):
        self.count = work.num_workers
        self.is_iterable = work.is_iterable
        self._timeout = timeout
        self._epoch = 0
        body, buffers, modules = dump_by_value(work, "The dataset of the DataLoader")
        self._server = fork_server()
        self._pids: list[int] = []
        self._channels: list[Channel] = []
        self._finalizer = weakref.finalize(self, _close, self._server, self._pids, self._channels)
        try:
            for number in range(self.count):
                pid, end = self._server.start(number, modules, shares_memory)
                self._pids.append(pid)
                self._channels.append(Channel(end))
            self._tell_all(body, buffers)
        except BaseException:
            self.close()
            raise

    def _tell_all(self, body: bytes, buffers: list) -> None:
        """Send the work to every worker; its arrays once, in memory shared until written to."""
        with contextlib.ExitStack() as stack:
            file = None
            if any(map(len, buffers)):
                file = written(buffers)
                stack.callback(os.close, file)
            for number, channel in enumerate(self._channels):
                try:
                    channel.send(body, buffers, file)
                except ChannelClosed:
                    raise self._death(number) from None

    def read(self, tasks: Iterable, ahead: int) -> Reading:
        """Return an iterator over the batch of every task, in order.

        Args:
            tasks: lists of indices, or indices.
            ahead: tasks that each worker receives in advance.
        """
        self._epoch += 1
        try:
            return Reading(self, self._epoch, iter(tasks), ahead)
        except Exception:
            raise
        except BaseException:  # an interrupt may leave an incomplete message
            self.close()
            raise

    def send(self, number: int, epoch: int, task: object) -> None:
        """Send a task to a worker."""
        if isinstance(task, list) and len(task) > MANY_INDICES:
            task = _compact(task)
        try:
            channel = self._channels[number]
            channel.send(*dump((epoch, task, channel.take_read_out())))
        except ChannelClosed:
            raise self._death(number) from None

    def receive(self, number: int, epoch: int) -> tuple[str, Any]:
        """Wait for a worker's next answer in this epoch; return it as (kind, value).

        Raises:
            UnavailableError: when the worker is dead, or takes too long.
            PreconditionNotMetError: when another iteration of the loader has begun.
        """
        if epoch != self._epoch:
            raise PreconditionNotMetError(
                "Another iteration over this DataLoader has begun; with persistent_workers only "
                "the last one continues."
            )
        if not self._finalizer.alive:
            raise PreconditionNotMetError("The workers of this DataLoader were ended.")
        channel = self._channels[number]
        deadline = time.monotonic() + self._timeout if self._timeout else None
        while True:
            wait_s = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not is_readable(channel, wait_s):
                raise UnavailableError(
                    f"DataLoader worker {number} sent no batch in {self._timeout} seconds, its "
                    "timeout."
                )
            try:
                found, kind, value = load(*channel.receive())
            except ChannelClosed:
                raise self._death(number) from None
            except OSError:
                self.close()
                raise
            if found == epoch:
                return kind, value

    def has_answer(self, number: int) -> bool:
        """Return whether a worker has sent something, without waiting."""
        return is_readable(self._channels[number], 0)

    def is_current(self, epoch: int) -> bool:
        """Return whether an epoch is the last one begun, with its workers still running."""
        return epoch == self._epoch and self._finalizer.alive

    def _death(self, number: int) -> UnavailableError:
        """Return the error for a worker that ended unexpectedly."""
        pid = self._pids[number]
        try:
            code = self._server.code(pid)
        finally:
            self.close()
        if code is None:
            how = "closed its channel"
        elif code < 0:
            how = f"was killed by signal {-code} (9 is often the system's, out of memory)"
        else:
            how = f"exited with code {code}"
        return UnavailableError(
            f"DataLoader worker {number} (pid {pid}) {how} without an answer. What it printed is "
            "above; num_workers=0 reads in this process, where a debugger works."
        )

    def is_open(self) -> bool:
        """Return whether the workers can be asked for batches."""
        return self._finalizer.alive and self._server.is_usable()

    def close(self) -> None:
        """End the workers; drop their unfinished tasks."""
        self._finalizer()


class Reading:
    """One pass over the batches of a loader."""

    def __init__(self, workers: Workers, epoch: int, tasks: Iterator, ahead: int):
        self._workers = workers
        self._epoch = epoch
        self._tasks = tasks
        self._turns: collections.deque[int] = collections.deque()  # the worker of each open task
        self._next = 0
        self._ended: set[int] = set()
        for _ in range(ahead * workers.count):
            self._give()

    def __iter__(self) -> Reading:
        return self

    def _give(self) -> None:
        """Send the next task to the worker whose turn it is, if there is one."""
        count = self._workers.count
        if len(self._ended) == count:
            return
        for task in self._tasks:
            while self._next % count in self._ended:
                self._next += 1
            number = self._next % count
            self._next += 1
            self._workers.send(number, self._epoch, task)
            self._turns.append(number)
            return

    def abandon(self) -> None:
        """End the workers, when it is unknown how much of their messages was read."""
        self._workers.close()

    def is_ready(self) -> bool:
        """Return whether the next batch has been received, without waiting."""
        if not self._turns or not self._workers.is_current(self._epoch):
            return False
        return self._workers.has_answer(self._turns[0])

    def __next__(self) -> Any:
        while self._turns:
            number = self._turns[0]
            kind, value = self._workers.receive(number, self._epoch)
            self._turns.popleft()
            if kind == END:
                self._ended.add(number)
                continue
            if number not in self._ended:
                self._give()
            if kind == ERROR:
                raise_again(value)
            assert kind == BATCH
            return value
        raise StopIteration


def raise_again(failure: Failure) -> None:
    """Raise a worker's error with its traceback, in its own type when it could be sent."""
    note = (
        f"It was raised in DataLoader worker {failure.worker}, whose traceback is:\n{failure.trace}"
    )
    error, args = _unpacked(failure)
    if error is None or isinstance(error, StopIteration):
        raise UnavailableError(f"{failure.kind}: {failure.text}\n\n{note}")
    error.args = args
    has_text = len(args) == 1 and isinstance(args[0], str)
    if has_text and type(error).__str__ in (BaseException.__str__, OSError.__str__):
        error.args = (f"{error.args[0]}\n\n{note}",)
    else:
        error.add_note(note)
    raise error


def _unpacked(failure: Failure) -> tuple[BaseException | None, tuple]:
    """Return the error and its arguments, or None when it could not be sent."""
    if failure.error is None:
        return None, ()
    try:
        return pickle.loads(failure.error)
    except Exception:  # its class was not found where the worker had it
        return None, ()


def _close(server: ForkServer, pids: list[int], channels: list[Channel]) -> None:
    for channel in channels:
        channel.close()
    if pids and server.is_usable():
        server.release(pids)
