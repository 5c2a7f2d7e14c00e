"""Answers that stay on a device: the results of checks, read many at a time.

Note [Reading late]
    Reading an array waits for its device, which would then run one op at a time. So if an array is
    not in host memory, a small kernel checks it on the device, and its answer stays there. Answers
    are read together, when the thread waits anyway or when many have accumulated.

    A thread gets the answers to its own questions: only there does an error stop the code that
    continues with a bad array. The answers of a thread that has ended are passed to the next
    thread that reads. A forked child cannot read its parent's devices, and drops the parent's
    questions.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import jax
import numpy as np

from jaxeager.kernels.tracing import jit

FEW = 8  # up to so many answers are read one by one
TOGETHER = 64  # answers that one kernel stacks; the last is repeated if there are fewer


class LateAnswers:
    """Questions whose answers are not read yet, per thread.

    Example:
        >>> import jax.numpy as jnp
        >>> asked = LateAnswers()
        >>> asked.put(jnp.array(False), "is x finite?")
        1
        >>> [(bool(answer), question) for answer, question in asked.take()], asked.take()
        ([(False, 'is x finite?')], [])
    """

    def __init__(self):
        self._waiting: dict[int, list[tuple[jax.Array, object]]] = {}
        self._pid = os.getpid()

    def put(self, answer: jax.Array, question: object) -> int:
        """Store a question and its future answer; return how many this thread has.

        Args:
            answer: an array that has, or will have, a value: not a tracer. All are of one shape and
                dtype.
            question: any object; ``take`` returns it.
        """
        waiting = self._waiting.setdefault(threading.get_ident(), [])
        waiting.append((answer, question))
        return len(waiting)

    def take(self, every_thread: bool = False) -> list[tuple[np.ndarray, Any]]:
        """Return pairs of an answer, on the host, and its question, and remove them.

        Args:
            every_thread: include those of other running threads, not only those of this thread and
                of threads that have ended.
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
    """Return the values of small arrays of one shape and dtype, in as few transfers as possible.

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
    with jax.ensure_compile_time_eval():  # inside jax.jit too: these arrays are concrete
        for start in range(0, len(arrays), TOGETHER):
            part = arrays[start : start + TOGETHER]
            padding = part[-1:] * (TOGETHER - len(part))
            values.extend(np.asarray(_stacked(*part, *padding))[: len(part)])
    return values
