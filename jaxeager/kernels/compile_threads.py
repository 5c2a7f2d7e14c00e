"""Threads that compile kernels before the calls that need them.

Note [Kernels compiled side by side]
    In lazy mode a kernel is known when its call is recorded, and needed when the segment runs; a
    backward knows its kernels before it runs (graph/vjps_ahead.py). XLA compiles without holding
    the interpreter's lock. So a kernel that was not made before is traced as soon as it is known,
    and ``submit`` queues its compilation. The call that misses the kernel takes it from the queue
    (``finish``): it waits for a thread that compiles it already, and compiles it itself when no
    thread has begun, so it never waits for another kernel.

    A caller may hold a lock that a thread needs (of a logging handler, or of a finalizer that runs
    in the thread). So ``finish`` waits for PATIENCE seconds at most, and its call then compiles the
    kernel a second time.

    Tracing and lowering are Python, so more threads than cores add little. One more than there are
    cores keeps XLA busy while Python works (first steps on 2 cores, with 1, 2 and 3 threads: 1.02,
    0.71 and 0.68 times that of eager mode for a GPT). On a GPU, autotuning gets slower beyond 8.
"""

import atexit
import contextlib
import functools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")

_MOST_THREADS = 8
_MOST_JOBS = 1000  # of which results are kept for a later call
PATIENCE = 30

_under_way: dict[str, threading.Event] = {}
_jobs: dict[str, tuple[Future, Callable[[], object]]] = {}


class _OfThread(threading.local):
    """What is known of the current thread: whether it is one of these."""

    is_one = False


_of_thread = _OfThread()
_is_ending = False  # whether the process ends


def compile_alone(compile_kernel: Callable[..., object], *operands: object) -> Future:
    """Call a function that compiles a large kernel, in one thread and in order.

    The result is not done, and can be cancelled, where no thread can begin.
    """
    return _submitted(_thread_of(os.getpid()), compile_kernel, *operands)


def submit(name: str, compile_kernel: Callable[[], object]) -> None:
    """Queue the compilation of a kernel, unless it is queued already.

    Args:
        name: identifies the kernel.
        compile_kernel: compiles it; ``finish`` returns its result. None means that it can only be
            compiled in the thread that calls the kernel.
    """
    if name in _jobs:
        return
    if len(_jobs) >= _MOST_JOBS:  # no call has needed them, as when recorded calls were dropped
        del _jobs[next(iter(_jobs))]
    _jobs[name] = _submitted(_threads_of(os.getpid()), compile_kernel), compile_kernel


def _submitted(
    pool: ThreadPoolExecutor, compile_kernel: Callable[..., object], *operands
) -> Future:
    try:
        return pool.submit(_run, compile_kernel, *operands)
    except RuntimeError:  # the main thread has ended, or the system starts no more threads
        return Future()


def finish(name: str) -> Any:
    """Take a kernel out of the queue, and have it compiled: by a thread that has begun, or here.

    Returns:
        the result of its ``compile_kernel``; None when it was not queued, or raised an error: its
        call then compiles it, and raises the error again.
    """
    if is_one():  # a finalizer may run in a thread that compiles this kernel
        return None
    done = _under_way.get(name)
    if done is not None:
        done.wait()
    job, compile_kernel = _jobs.pop(name, (None, None))
    if job is None or compile_kernel is None:
        return None
    try:
        made = None if job.cancel() else job.result(PATIENCE)
        return compile_kernel() if made is None else made
    except Exception:
        return None


@contextlib.contextmanager
def compiling(name: str) -> Iterator[None]:
    """Make ``finish`` wait for a kernel while a block compiles it in another thread."""
    done = _under_way[name] = threading.Event()
    try:
        yield
    finally:
        done.set()
        _under_way.pop(name, None)


def is_one() -> bool:
    """Return whether this is one of the threads. Another thread may wait for it."""
    return _of_thread.is_one


def _run(compile_kernel: Callable[..., Result], *operands: object) -> Result | None:
    return None if _is_ending else compile_kernel(*operands)


def _end() -> None:
    """Leave what is still queued: at its end a process waits for all threads of a pool."""
    global _is_ending
    _is_ending = True


# What is registered here runs before the pools' own wait; what ``atexit`` has would run after it.
getattr(threading, "_register_atexit", atexit.register)(_end)


def _mark() -> None:
    _of_thread.is_one = True


@functools.cache
def _threads_of(process: int) -> ThreadPoolExecutor:
    """Return the threads of this process; those of a forked process's parent do not exist in it."""
    return ThreadPoolExecutor(min(_cores() + 1, _MOST_THREADS), "kernels", _mark)


@functools.cache
def _thread_of(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "lazy", _mark)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
