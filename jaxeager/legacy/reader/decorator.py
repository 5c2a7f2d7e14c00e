"""paddle.reader.decorator: functions that create readers from readers."""

from __future__ import annotations

import itertools
import queue
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError

__all__ = [
    "QUEUE_GET_TIMEOUT", "ComposeNotAligned", "XmapEndSignal", "buffered", "cache", "chain",
    "compose", "firstn", "map_readers", "multiprocess_reader", "shuffle", "xmap_readers",
]  # fmt: skip

Reader = Callable[[], Iterator[Any]]

QUEUE_GET_TIMEOUT = 60  # seconds; Paddle's waiting time for another process

_MISSING = object()


class ComposeNotAligned(InvalidArgumentError):
    """Raised when composed readers do not have the same number of samples."""


class XmapEndSignal:
    """The object that Paddle appends to a queue at its end."""


def cache(reader: Reader) -> Reader:
    """Return a reader of samples that are read now, once, and kept.

    Args:
        reader: the reader.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.reader.cache(lambda: iter(range(3)))())
        [0, 1, 2]
    """
    kept = tuple(reader())
    return lambda: iter(kept)


def map_readers(func: Callable[..., object], *readers: Reader) -> Reader:
    """Return a reader of a function's results on the samples of each reader.

    Args:
        func: takes a sample of each reader.
        readers: the readers.

    Example:
        >>> import jaxeager as paddle
        >>> numbers = lambda: iter(range(3))
        >>> list(paddle.reader.map_readers(lambda x, y: x * y, numbers, numbers)())
        [0, 1, 4]
    """
    return lambda: map(func, *[reader() for reader in readers])


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """Return a reader that shuffles samples in a buffer, with Python's random numbers.

    Args:
        reader: the reader.
        buf_size: the number of samples in the buffer; 0 and 1 leave them in order.

    Raises:
        InvalidArgumentError: for a negative number.

    Example:
        >>> import jaxeager as paddle
        >>> sorted(paddle.reader.shuffle(lambda: iter(range(5)), 3)())
        [0, 1, 2, 3, 4]
    """
    size = max(_not_negative("shuffle", "buf_size", buf_size), 1)

    def mixed() -> Iterator[Any]:
        samples = reader()
        while part := list(itertools.islice(samples, size)):
            random.shuffle(part)
            yield from part

    return mixed


def chain(*readers: Reader) -> Reader:
    """Return a reader of the readers' samples, one reader after another.

    Args:
        readers: the readers.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.reader.chain(lambda: iter([1]), lambda: iter([2, 3]))())
        [1, 2, 3]
    """
    return lambda: itertools.chain(*[reader() for reader in readers])


def compose(*readers: Reader, check_alignment: bool = True) -> Reader:
    """Return a reader of tuples that join a sample of each reader.

    Args:
        readers: the readers; samples that are tuples are joined whole.
        check_alignment: whether all must have the same number of samples; else the shortest ends
            it.

    Raises:
        ComposeNotAligned: while reading, when they do not.

    Example:
        >>> import jaxeager as paddle
        >>> pairs = lambda: iter([(1, 2), (3, 4)])
        >>> list(paddle.reader.compose(pairs, lambda: iter([5, 6]))())
        [(1, 2, 5), (3, 4, 6)]
    """

    def composed() -> Iterator[tuple]:
        for found in itertools.zip_longest(*[reader() for reader in readers], fillvalue=_MISSING):
            if any(each is _MISSING for each in found):
                if check_alignment:
                    raise ComposeNotAligned("outputs of readers are not aligned.")
                return
            parts = [each if isinstance(each, tuple) else (each,) for each in found]
            yield tuple(itertools.chain(*parts))

    return composed


def _read_ahead(readers: Sequence[Reader], size: int) -> Iterator[Any]:
    """Yield the samples that threads, one per reader, put into a queue of a given size."""
    waiting: queue.Queue = queue.Queue(size)

    def read(reader: Reader) -> None:
        try:
            for sample in reader():
                waiting.put((sample, None))
            waiting.put((_MISSING, None))
        except BaseException as error:
            waiting.put((_MISSING, error))

    for reader in readers:
        threading.Thread(target=read, args=(reader,), daemon=True).start()
    ended = 0
    while ended < len(readers):
        sample, error = waiting.get()
        if error is not None:
            raise error
        if sample is _MISSING:
            ended += 1
        else:
            yield sample


def buffered(reader: Reader, size: int) -> Reader:
    """Return a reader that reads ahead in a thread.

    Args:
        reader: the reader.
        size: the number of samples to read ahead.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.reader.buffered(lambda: iter(range(3)), 2)())
        [0, 1, 2]
    """
    return lambda: _read_ahead([reader], size)


def firstn(reader: Reader, n: int) -> Reader:
    """Return a reader of the first samples.

    Args:
        reader: the reader.
        n: the number of samples.

    Raises:
        InvalidArgumentError: for a negative number.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.reader.firstn(lambda: iter(range(9)), 2)())
        [0, 1]
    """
    count = _not_negative("firstn", "n", n)
    return lambda: itertools.islice(reader(), count)


def _not_negative(function: str, argument: str, value: int, least: int = 0) -> int:
    """Return a number of samples or threads after checking it."""
    if value < least:
        raise InvalidArgumentError(f"{function}: {argument} must be {least} or more, not {value}.")
    return value


def xmap_readers(
    mapper: Callable[[Callable[[Any], object]], Any],
    reader: Reader,
    process_num: int,
    buffer_size: int,
    order: bool = False,
) -> Reader:
    """Return a reader of a function's results on samples, in several threads.

    Args:
        mapper: takes a sample.
        reader: the reader.
        process_num: the number of threads.
        buffer_size: the number of samples to read ahead.
        order: whether samples stay in order; they always do.

    Raises:
        InvalidArgumentError: for no thread, or a negative ``buffer_size``.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.reader.xmap_readers(lambda x: x + 1, lambda: iter(range(3)), 2, 4)())
        [1, 2, 3]
    """
    _not_negative("xmap_readers", "process_num", process_num, 1)
    _not_negative("xmap_readers", "buffer_size", buffer_size)

    def mapped() -> Iterator[Any]:
        with ThreadPoolExecutor(process_num) as pool:
            waiting: deque[Future] = deque()
            for sample in reader():
                waiting.append(pool.submit(mapper, sample))
                if len(waiting) > buffer_size:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    return mapped


def multiprocess_reader(
    readers: Sequence[Reader], use_pipe: bool = True, queue_size: int = 1000
) -> Reader:
    """Return a reader that reads several readers concurrently, in no particular order.

    Args:
        readers: the readers.
        use_pipe: ignored.
        queue_size: the number of samples to read ahead.

    Raises:
        RefusedArgumentError: for an argument that is not a list, or an empty one.
        InvalidArgumentError: while reading, for a sample that is None.

    Paddle: starts a process for each reader; here it is a thread, as XLA does not survive a fork.

    Example:
        >>> import jaxeager as paddle
        >>> both = paddle.reader.multiprocess_reader([lambda: iter([1]), lambda: iter([2])])
        >>> sorted(both())
        [1, 2]
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise RefusedArgumentError("`readers` must be list or tuple.")

    def merged() -> Iterator[Any]:
        for sample in _read_ahead(readers, queue_size):
            if sample is None:
                raise InvalidArgumentError("sample has None")
            yield sample

    return merged
