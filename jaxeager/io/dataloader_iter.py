"""The iterators of DataLoader, and the timing of their reads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxeager.io.dataloader import DataLoader

Timed = Callable[[Any, Callable[[], Any]], Any]
_timed: dict[str, Timed] = {}


def set_timed(who: str, timed: Timed | None) -> None:
    """Read every batch through ``timed``, a function of (iterator, its reader), until it is None.

    Args:
        who: the key of the caller; several callers may time at the same time.
        timed: the function; it returns the batch.
    """
    if timed is None:
        _timed.pop(who, None)
    else:
        _timed[who] = timed


class _DataLoaderIterBase:
    """One pass over the batches of a DataLoader; Paddle's name for the result of ``iter(loader)``.

    Args:
        loader: the DataLoader.
        batches: the iterator that yields the batches.
    """

    def __init__(self, loader: DataLoader[Any, Any], batches: Iterator):
        self._batches = batches
        self._dataset = loader.dataset
        self._batch_sampler = loader.batch_sampler
        self._return_list = loader.return_list
        self._drop_last = loader.drop_last
        self._num_workers = loader.num_workers
        self._use_buffer_reader = loader.use_buffer_reader
        self._reader_buffer_size = loader.reader_buffer_size
        self._prefetch_factor = loader.prefetch_factor
        self._use_shared_memory = loader.use_shared_memory
        self._timeout = loader.timeout
        self._worker_init_fn = loader.worker_init_fn
        self._collate_fn = loader.collate_fn

    def __iter__(self) -> _DataLoaderIterBase:
        return self

    def __next__(self) -> Any:
        if not _timed:
            return next(self._batches)
        read = functools.partial(next, self._batches)
        for timed in tuple(_timed.values()):
            read = functools.partial(timed, self, read)
        return read()

    def __len__(self) -> int:
        return len(self._batch_sampler)  # type: ignore[arg-type]  # without one: TypeError

    def close(self) -> None:
        """End the pass, and the workers that are not kept."""
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()


class _DataLoaderIterSingleProcess(_DataLoaderIterBase):
    """One pass that this process reads."""


class _DataLoaderIterMultiProcess(_DataLoaderIterBase):
    """One pass that worker processes read."""
