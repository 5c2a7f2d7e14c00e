"""OnDevice: batches that are copied to the device before they are requested."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from jaxeager.io.workers import Reading, Workers


class OnDevice:
    """An iterator over the batches that workers read.

    When a batch is returned, the copies of those received in the meantime are started: JAX copies
    them to the device while the program computes.

    Args:
        reading: the batches as the workers send them.
        finish: a function from such a batch to one of tensors.
        ahead: the number of batches converted to tensors before they are requested.
        workers: ended with the iteration; None when they are kept.
    """

    def __init__(
        self, reading: Reading, finish: Callable[[Any], object], ahead: int, workers: Workers | None
    ):
        self._reading = reading
        self._finish = finish
        self._ahead = ahead
        self._workers = workers
        self._ready: collections.deque[tuple[object, Exception | None]] = collections.deque()
        self._is_closed = False

    def __iter__(self) -> OnDevice:
        return self

    def __next__(self) -> Any:
        if self._is_closed:
            raise StopIteration
        try:
            if not self._ready:
                self._take()
            batch, error = self._ready.popleft()
            if error is not None:
                raise error
            while len(self._ready) < self._ahead and self._reading.is_ready():
                self._take()
        except BaseException as error:
            if not isinstance(error, Exception):  # an interrupt may leave an incomplete message
                self._reading.abandon()
            self.close()
            raise
        return batch

    def _take(self) -> None:
        """Add the next batch, or the error or end instead of it, to those that are ready."""
        try:
            self._ready.append((self._finish(next(self._reading)), None))
        except Exception as error:
            self._ready.append((None, error))

    def close(self) -> None:
        """End the iteration, and the workers unless they are kept."""
        self._is_closed = True
        self._ready.clear()
        if self._workers is not None:
            self._workers.close()
