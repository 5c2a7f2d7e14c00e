"""Answers that wait on a device: what checks have asked there, read many at a time.

Note [Reading late]
    Reading an array waits for its device, which would then run one op at a time. So where an array
    is not in host memory a check asks the device: a small kernel looks at the array, and its answer
    stays there. Answers are read together, when the thread waits anyhow or when many have come up.

    A thread is told of what it has asked itself: only there an error stops what goes on with a bad
    array. What a thread that has ended has left is told to the next that reads. A forked child can
    read nothing of its parent's devices and lets go of what the parent has asked.
"""

import os
import threading
from typing import Any

import jax
import numpy as np

from jaxeager.core.tracing import jit

FEW = 8  # answers that are read one by one
TOGETHER = 64  # answers that one kernel puts together, the last one repeated when there are fewer


class LateAnswers:
    """Questions whose answers were not read yet, by the thread that has asked.

    Example:
        >>> import jax.numpy as jnp
        >>> asked = LateAnswers()
        >>> asked.put(jnp.array(False), "is x finite?")
        1
        >>> [(bool(answer), question) for answer, question in asked.take()], asked.take()
        ([(False, 'is x finite?')], [])
    """

    def __init__(self):
        self._waiting: dict[int, list[tuple[jax.Array, Any]]] = {}
        self._pid = os.getpid()

    def put(self, answer: jax.Array, question: Any) -> int:
        """Keep a question and the array that will be its answer; return how many this thread has.

        Args:
            answer: an array that has a value, or will: no tracer. All are of one shape and dtype.
            question: anything; ``take`` gives it back.
        """
        waiting = self._waiting.setdefault(threading.get_ident(), [])
        waiting.append((answer, question))
        return len(waiting)

    def take(self, every_thread: bool = False) -> list[tuple[Any, Any]]:
        """Return pairs of an answer, on the host, and its question; they do not wait any more.

        Args:
            every_thread: also those of other threads that are running, not only of this one and of
                those that have ended.
        """
        if not self._waiting:
            return []
        if self._pid != os.getpid():
            self._waiting.clear()
            self._pid = os.getpid()
        busy = set() if every_thread else {thread.ident for thread in threading.enumerate()}
        busy.discard(threading.get_ident())
        idents = [ident for ident in list(self._waiting) if ident not in busy]
        pairs = [pair for ident in idents for pair in self._waiting.pop(ident, ())]
        answers = read_together([answer for answer, _ in pairs])
        return [(answer, question) for answer, (_, question) in zip(answers, pairs, strict=True)]


def _is_in_host_memory(array: jax.Array) -> bool:
    return all(device.platform == "cpu" for device in array.devices())


@jit
def _stacked(*arrays):
    return jax.numpy.stack(arrays)


def read_together(arrays: list) -> list:
    """Return the values of small arrays of one shape and dtype, in as few transfers as can be.

    Args:
        arrays: jax.Arrays, on any devices.

    Example:
        >>> import jax.numpy as jnp
        >>> [int(value) for value in read_together([jnp.int32(k) for k in range(3)])]
        [0, 1, 2]
    """
    if len(arrays) <= FEW and all(map(_is_in_host_memory, arrays)):
        return [np.asarray(array) for array in arrays]  # device_get takes 40 times as long
    if len(arrays) <= FEW or len({array.sharding for array in arrays}) > 1:
        return jax.device_get(arrays)
    values = []
    with jax.ensure_compile_time_eval():  # inside jax.jit too: these have values
        for start in range(0, len(arrays), TOGETHER):
            part = arrays[start : start + TOGETHER]
            padding = part[-1:] * (TOGETHER - len(part))
            values.extend(np.asarray(_stacked(*part, *padding))[: len(part)])
    return values
