"""Checking numbers on an accelerator: looked at there after every op, read in batches.

Note [Looking late]
    See Note [Reading late] of late_answers.py. The flags of a thread are read when BATCH of them
    wait, or when what they hold comes to BATCH_BYTES; when a backward ends; when a value is read;
    when the check is switched off; at exit. An error then comes from where the flags were read, and
    names the op, the tensor and the line of the op that made it. Until then the batch holds the
    arrays and what they were made from, so that it can say the rest. What was not read when the
    flag is switched off, or at exit, is written to stderr instead of raised: nothing is left that
    could be stopped.

    On a CPU too XLA may still be computing what an op has returned, when that is large. Forward, it
    is waited for, because the error belongs to the call. In backward nothing is seen before it has
    ended, so gradients that are not there yet are looked at when they are, in their order: before a
    hook sees one, before anything else is reported, at the end at the latest.
"""

import collections
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from jaxeager.core.arrays import on_device
from jaxeager.debug.common.late_answers import LateAnswers
from jaxeager.debug.numbers.statistics import all_finite, is_finite, look_of, nothing

_Array: Any = type(on_device(0))
BATCH = 64
BATCH_BYTES = 1 << 30


class _Question(NamedTuple):
    """Whether an array is finite; the rest is for the report of one that is not."""

    array: Any
    describe: Callable
    goes_to: Any


class _Batch(threading.local):
    """What waits in a thread.

    Attributes:
        left: how many bytes more the questions to its devices may hold.
        held: the arrays that were counted, by ``id``.
        computed: questions about arrays in host memory that were not there yet.
    """

    def __init__(self):
        self.computed: collections.deque[_Question] = collections.deque()
        self.empty()

    def empty(self) -> None:
        self.left = BATCH_BYTES
        self.held: set[int] = set()

    def hold(self, thing) -> None:
        """Count an array, or those in lists and tuples and among what a partial function holds."""
        thing = getattr(thing, "args", thing)
        if isinstance(thing, (list, tuple)):
            for each in thing:
                self.hold(each)
        elif isinstance(thing, jax.Array) and id(thing) not in self.held:
            self.held.add(id(thing))
            self.left -= thing.size * thing.dtype.itemsize


class LateLooks:
    """Arrays that a check has to look at when they are there: see Note [Looking late].

    Args:
        found: told of every one that is bad: its array, ``describe`` and ``goes_to`` as ``put`` was
            given them.
    """

    def __init__(self, found: Callable):
        self._found = found
        self._answers = LateAnswers()
        self._batch = _Batch()

    def put(self, array, describe: Callable, goes_to) -> None:
        """Ask whether an array is finite. About 10 us, and nothing is waited for.

        Args:
            array: a jax.Array that is no tracer.
            describe: returns the array's Site; a tuple or a partial function.
            goes_to: where a gradient goes.
        """
        if look_of(array.aval) is nothing:
            return
        waiting = self._answers.put(all_finite(array), _Question(array, describe, goes_to))
        self._batch.hold((array, describe))
        if waiting >= BATCH or self._batch.left < 0:
            self.settle()

    def put_off(self, array, describe: Callable, goes_to) -> bool:
        """Keep an array in host memory that is being computed; False when it is there.

        Args:
            array, describe, goes_to: as for ``put``.
        """
        computed = self._batch.computed
        while computed and (computed[0].array.is_ready() or len(computed) >= BATCH):
            self._look_at_first()
        if type(array) is not _Array or array.is_ready():
            return False
        computed.append(_Question(array, describe, goes_to))
        return True

    def _look_at_first(self) -> None:
        question = self._batch.computed.popleft()
        if not is_finite(question.array):
            self._found(*question, is_late=True)

    def catch_up(self) -> None:
        """Wait for what was put off in this thread, and have reported what is bad."""
        while self._batch.computed:
            self._look_at_first()

    def settle(self, every_thread: bool = False) -> None:
        """Read what waits for this thread, and have reported what is bad.

        Raises:
            PreconditionNotMetError: at level 0, for the first; the rest of the batch is let go.
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
