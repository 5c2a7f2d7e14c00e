"""Checks of numbers on an accelerator: computed there after every op, read in batches.

Note [Checking late]
    See Note [Reading late] of late_answers.py. The answers of a thread are read when BATCH of them
    are pending, or when the arrays they hold reach BATCH_BYTES; when a backward ends; when a value
    is read; when the check is switched off; at exit. An error is then raised where the answers are
    read, and names the op, the tensor and the line of the op that made it. Until then the batch
    holds the arrays and their operands, so that the report can show them. Errors that are unread
    when the flag is switched off, or at exit, are written to stderr instead of raised, because
    there is no computation left to stop.

    On a CPU too XLA may still be computing the result of an op, if it is large. Forward waits for
    it, because the error belongs to the call. In backward no result is visible before its end, so
    gradients that are not ready are checked later, in order: before a hook receives one, before
    anything else is reported, at the end at the latest.
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import jax

from jaxeager.debug.common.late_answers import LateAnswers
from jaxeager.debug.numbers.statistics import all_finite, is_finite, nothing, probe_of
from jaxeager.kernels.executables import Array

if TYPE_CHECKING:
    from typing import Any

BATCH = 64
BATCH_BYTES = 1 << 30


class _Question(NamedTuple):
    """An array whose check is pending; the other fields are for the report if it is bad."""

    array: Any
    describe: Callable
    goes_to: object


class _Batch(threading.local):
    """The pending questions of a thread.

    Attributes:
        left: how many more bytes the questions to its devices may hold.
        held: the arrays already counted, by ``id``.
        computed: questions about arrays in host memory that were not ready yet.
    """

    def __init__(self):
        self.computed: collections.deque[_Question] = collections.deque()
        self.empty()

    def empty(self) -> None:
        self.left = BATCH_BYTES
        self.held: set[int] = set()

    def hold(self, thing) -> None:
        """Count an array, including those in lists, tuples and arguments of a partial function."""
        thing = getattr(thing, "args", thing)
        if isinstance(thing, (list, tuple)):
            for each in thing:
                self.hold(each)
        elif isinstance(thing, jax.Array) and id(thing) not in self.held:
            self.held.add(id(thing))
            self.left -= thing.size * thing.dtype.itemsize


class LateChecks:
    """Arrays to be checked when they are ready: see Note [Checking late].

    Args:
        found: called for every bad array, with the array, ``describe`` and ``goes_to`` as passed
            to ``put``.
    """

    def __init__(self, found: Callable):
        self._found = found
        self._answers = LateAnswers()
        self._batch = _Batch()

    def put(self, array, describe: Callable, goes_to) -> None:
        """Ask whether an array is finite. About 10 us, without waiting.

        Args:
            array: a jax.Array that is not a tracer.
            describe: returns the array's Site; a tuple or a partial function.
            goes_to: the destination of a gradient.
        """
        if probe_of(array.aval) is nothing:
            return
        waiting = self._answers.put(all_finite(array), _Question(array, describe, goes_to))
        self._batch.hold((array, describe))
        if waiting >= BATCH or self._batch.left < 0:
            self.settle()

    def put_off(self, array, describe: Callable, goes_to) -> bool:
        """Keep an array in host memory that is being computed; return False if it is ready.

        Args:
            array, describe, goes_to: as for ``put``.
        """
        computed = self._batch.computed
        while computed and (computed[0].array.is_ready() or len(computed) >= BATCH):
            self._check_first()
        if type(array) is not Array or array.is_ready():
            return False
        computed.append(_Question(array, describe, goes_to))
        return True

    def _check_first(self) -> None:
        question = self._batch.computed.popleft()
        if not is_finite(question.array):
            self._found(*question, is_late=True)

    def catch_up(self) -> None:
        """Wait for the arrays that were put off in this thread, and report bad ones."""
        while self._batch.computed:
            self._check_first()

    def settle(self, every_thread: bool = False) -> None:
        """Read the pending answers of this thread, and report bad arrays.

        Raises:
            PreconditionNotMetError: at level 0, for the first; the rest of the batch is dropped.
        """
        if self._batch.computed:
            self.catch_up()
        pairs = self._answers.take(every_thread)
        if not pairs:
            return
        self._batch.empty()
        for is_fine, question in pairs:
            if not is_fine:
                self._found(*question, is_late=True)
