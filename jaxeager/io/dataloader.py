"""DataLoader: batches of tensors from a dataset."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jaxeager import places as devices
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.io.batch_sampler import BatchSampler, check_batches
from jaxeager.io.collate import as_tensors, default_collate_fn
from jaxeager.io.dataset import IterableDataset, TensorDataset
from jaxeager.io.workers import read_ahead


class DataLoader:
    """Iterates over a dataset in batches; may be iterated again and again.

    A batch is what ``collate_fn`` makes of a list of samples, with arrays turned into tensors: a
    list of fields for samples that are tuples or lists, a dict for dicts. With ``num_workers``,
    threads read batches ahead; reading files and most of NumPy and OpenCV run in parallel then.

    Args:
        dataset: a Dataset, anything with ``__getitem__`` and ``__len__``, or an IterableDataset.
        feed_list: only for static graphs.
        places: the device of the batches (the first one of a list), by default the current one.
        return_list: kept; batches are never dicts of feeds.
        batch_sampler: lists of indices, instead of the four below.
        batch_size: samples in a batch; None gives the samples as they are.
        shuffle: take the dataset in random order, drawn from NumPy's generator.
        drop_last: leave out a last batch that is smaller.
        collate_fn: from a list of samples to a batch.
        num_workers: threads that read ahead.
        use_buffer_reader: kept; XLA copies batches to the device while the program runs on.
        reader_buffer_size: kept, as above.
        prefetch_factor: batches read ahead per worker.
        use_shared_memory: kept; threads share memory anyway.
        timeout: seconds a worker may take for a batch; 0 waits for ever.
        worker_init_fn: called with its number when a worker starts.
        persistent_workers: kept; threads cost nothing to start.

    Raises:
        InvalidArgumentError: when the arguments do not go together.
        UnimplementedError: for ``feed_list``, and for workers of an IterableDataset.

    Paddle: an error in the dataset is raised where the batch is asked for (Paddle waits for ever);
    workers are threads, not processes; strings are passed on.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> data = [(np.full([2], i, "float32"), i) for i in range(3)]
        >>> for images, labels in paddle.io.DataLoader(data, batch_size=2):
        ...     print(images.shape, labels.tolist())
        [2, 2] [0, 1]
        [1, 2] [2]
    """

    def __init__(
        self,
        dataset,
        feed_list=None,
        places=None,
        return_list: bool = True,
        batch_sampler: BatchSampler | None = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        reader_buffer_size: int = 2,
        prefetch_factor: int = 2,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        persistent_workers: bool = False,
    ):
        if feed_list is not None:
            raise UnimplementedError("feed_list belongs to static graphs; leave it out.")
        for name, value in (("num_workers", num_workers), ("timeout", timeout)):
            if value < 0:
                raise InvalidArgumentError(f"{name} should be a non-negative value, not {value}.")
        self.dataset = dataset
        self.return_list = return_list
        self.collate_fn = collate_fn
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.batch_size = batch_size
        self.drop_last = drop_last
        self._is_iterable = isinstance(dataset, IterableDataset)
        if isinstance(places, (list, tuple)):
            places = places[0] if places else None
        self._place = None if places is None else devices.as_place(places)
        if self._is_iterable:
            self.batch_sampler = None
            self._check_iterable(shuffle, batch_sampler)
        else:
            self.batch_sampler = self._batches(batch_sampler, shuffle)

    def _check_iterable(self, shuffle: bool, batch_sampler) -> None:
        if shuffle or batch_sampler is not None:
            raise InvalidArgumentError(
                "An IterableDataset gives its samples in its own order: shuffle and batch_sampler "
                f"must be left out, but are {shuffle} and {batch_sampler}."
            )
        if self.batch_size is not None:
            check_batches(self.batch_size, shuffle, self.drop_last)
        if self.num_workers:
            raise UnimplementedError(
                "num_workers > 0 with an IterableDataset is not in jaxeager yet; use num_workers=0."
            )

    def _batches(self, batch_sampler, shuffle: bool):
        """Returns the batch sampler, or None when samples are given one by one."""
        if batch_sampler is not None:
            if self.batch_size != 1 or shuffle or self.drop_last:
                raise InvalidArgumentError(
                    "batch_size/shuffle/drop_last should not be set when batch_sampler is given."
                )
            self.batch_size = None
            return batch_sampler
        if self.batch_size is None:
            if shuffle or self.drop_last:
                raise InvalidArgumentError(
                    "shuffle and drop_last need a batch_size, which is None here."
                )
            return None
        return BatchSampler(
            self.dataset, shuffle=shuffle, batch_size=self.batch_size, drop_last=self.drop_last
        )

    def __len__(self) -> int:
        if self._is_iterable:
            raise InvalidArgumentError("length of IterableDataset not supported.")
        return len(self.dataset if self.batch_sampler is None else self.batch_sampler)

    def __iter__(self) -> Iterator:
        if self._is_iterable:
            return map(self._finish, self._iterable_batches())
        tasks: Iterable = range(len(self.dataset))
        if self.batch_sampler is not None:
            tasks = self.batch_sampler
        if not self.num_workers:
            return map(self._fetch, tasks)
        return read_ahead(
            self._fetch,
            tasks,
            self.dataset,
            self.num_workers,
            self.num_workers * self.prefetch_factor,
            self.timeout,
            self.worker_init_fn,
        )

    def __call__(self) -> Iterator:
        """Returns an iterator over the batches."""
        return iter(self)

    def _iterable_batches(self) -> Iterator:
        """Yields collated batches of an IterableDataset, or its samples when batch_size is None."""
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from samples if self.collate_fn is None else map(self.collate_fn, samples)
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self._collate(batch)

    def _fetch(self, task) -> Any:
        """Returns the batch of a list of indices, or the sample of one index."""
        if self.batch_sampler is None:
            sample = self.dataset[task]
            return self._finish(sample if self.collate_fn is None else self.collate_fn(sample))
        if self.collate_fn is None and type(self.dataset) is TensorDataset:
            return self._finish(self.dataset.rows(task))
        return self._finish(self._collate([self.dataset[index] for index in task]))

    def _collate(self, batch: list) -> Any:
        return (self.collate_fn or default_collate_fn)(batch)

    def _finish(self, batch: Any) -> Any:
        return as_tensors(batch, self._place)
