"""Worker threads of a DataLoader: they read batches ahead, in order."""

import collections
import contextlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, NamedTuple

from jaxeager.errors import UnavailableError


class WorkerInfo(NamedTuple):
    """Which worker this is: ``id`` of ``num_workers``, its ``seed``, and the ``dataset``."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_local = threading.local()


def get_worker_info() -> WorkerInfo | None:
    """Returns what the current DataLoader worker is, or None outside of one.

    Example:
        >>> import jaxeager as paddle
        >>> print(paddle.io.get_worker_info())
        None
    """
    return getattr(_local, "info", None)


def read_ahead(
    fetch: Callable[[Any], Any],
    tasks: Iterable,
    dataset: Any,
    num_workers: int,
    in_flight: int,
    timeout: float,
    worker_init_fn: Callable[[int], None] | None,
) -> Iterator:
    """Yields ``fetch(task)`` of every task in order, up to ``in_flight`` of them read ahead.

    An error in a worker, in ``worker_init_fn`` too, is raised here.

    Raises:
        UnavailableError: when a batch takes longer than ``timeout`` seconds.

    Example:
        >>> from jaxeager.io.workers import read_ahead
        >>> list(read_ahead(lambda n: n * n, range(4), None, 2, 4, 0, None))
        [0, 1, 4, 9]
    """
    ids = itertools.count()

    def run(task):
        if get_worker_info() is None:
            number = next(ids)
            _local.info = WorkerInfo(number, num_workers, number, dataset)
            if worker_init_fn is not None:
                worker_init_fn(number)
        return fetch(task)

    pool = ThreadPoolExecutor(num_workers, thread_name_prefix="DataLoader")
    tasks, futures = iter(tasks), collections.deque()
    try:
        for task in itertools.islice(tasks, in_flight):
            futures.append(pool.submit(run, task))
        while futures:
            future = futures.popleft()
            with _timing_out(timeout):
                batch = future.result(timeout or None)
            for task in itertools.islice(tasks, 1):
                futures.append(pool.submit(run, task))
            yield batch
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextlib.contextmanager
def _timing_out(timeout: float) -> Iterator[None]:
    try:
        yield
    except FutureTimeoutError:
        raise UnavailableError(
            f"No batch came from the DataLoader's workers in {timeout} seconds, its timeout."
        ) from None
