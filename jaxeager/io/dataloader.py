"""DataLoader: batches of tensors from a dataset."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, overload

import numpy as np

from jaxeager.core import places as devices
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    RefusedArgumentError,
    UnimplementedError,
)
from jaxeager.io.as_tensors import as_tensors
from jaxeager.io.batch_sampler import BatchSampler, check_batches
from jaxeager.io.dataloader_iter import _DataLoaderIterMultiProcess, _DataLoaderIterSingleProcess
from jaxeager.io.dataset import IterableDataset, TensorDataset
from jaxeager.io.prefetch import OnDevice
from jaxeager.io.typed_batches import Batch, Collated, Sample, Samples
from jaxeager.io.worker_main import END, Source, Work
from jaxeager.io.workers import Workers

__path__: list[str] = []  # Paddle's is a package: module_aliases.py has what is in it

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike
    from jaxeager.tensor.tensor import Tensor


def _check_dataset(dataset: object) -> None:
    """Check whether an object has samples; None is left to the batch sampler.

    Raises:
        InvalidTypeError: when it has no samples.
    """
    if dataset is None or isinstance(dataset, IterableDataset) or hasattr(dataset, "__getitem__"):
        return
    advice = (
        "Wrap an object that can only be iterated in an IterableDataset"
        if hasattr(dataset, "__iter__")
        else "paddle.io.TensorDataset makes a dataset from tensors"
    )
    raise InvalidTypeError(
        "DataLoader takes a paddle.io.Dataset, or an object with samples by index (__getitem__) "
        f"and a length (__len__), but received {dataset!r}, of type {type(dataset).__name__}. "
        f"{advice}."
    )


class DataLoader(Generic[Sample, Batch]):
    """An iterable over the batches of a dataset; it can be iterated repeatedly.

    A batch is the result of ``collate_fn`` for a list of samples, with arrays converted to tensors:
    a list of fields for samples that are tuples or lists, a dict for dicts.

    With ``num_workers``, that many processes read the batches, in the same order as without. Each
    has a copy of the dataset, so the content of the dataset must be picklable: open files and
    connections in ``worker_init_fn`` or on first use; a worker maps a ``numpy.memmap`` again. The
    script needs no ``if __name__ == "__main__"`` (see Note [No main guard] in by_value.py). An
    IterableDataset is copied too: each copy reads its share from ``get_worker_info``. NumPy's and
    Python's generators are seeded in each worker, from NumPy's generator here and the number of the
    pass.

    Args:
        dataset: a Dataset, anything with ``__getitem__`` and ``__len__``, or an IterableDataset.
        feed_list: only for static graphs.
        places: the device of the batches (the first one of a list), by default the current one.
        return_list: accepted and stored; batches are never dicts of feeds.
        batch_sampler: lists of indices, instead of the next four arguments.
        batch_size: samples in a batch; None yields the samples as they are.
        shuffle: take the dataset in random order, drawn from NumPy's generator.
        drop_last: leave out a last batch that is smaller.
        collate_fn: a function from a list of samples to a batch.
        num_workers: processes that read ahead.
        use_buffer_reader: with workers, copy finished batches to the device before they are
            requested, while the program computes.
        reader_buffer_size: how many batches to copy ahead.
        prefetch_factor: batches each worker reads ahead.
        use_shared_memory: transfer large arrays from workers in shared memory, not through a
            socket.
        timeout: seconds a worker may take for a batch; 0 waits forever.
        worker_init_fn: called with the worker's number when a worker starts.
        persistent_workers: keep the workers, and their copies of the dataset, for the next pass.

    Raises:
        InvalidArgumentError: when the arguments are inconsistent.
        UnimplementedError: for ``feed_list``.

    Paddle: an error in the dataset is raised where the batch is requested (Paddle waits forever),
    with its own type and the worker's traceback; workers are not forked from this process, so they
    need a picklable dataset; strings are passed on.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> data = [(np.full([2], i, "float32"), i) for i in range(3)]
        >>> for images, labels in paddle.io.DataLoader(data, batch_size=2):
        ...     print(images.shape, labels.tolist())
        paddle.Size([2, 2]) [0, 1]
        paddle.Size([1, 2]) [2]
    """

    def __init__(
        self,
        dataset: Samples[Sample] | Iterable[Sample],
        feed_list: Sequence[Tensor] | None = None,
        places: PlaceLike | Sequence[PlaceLike] | None = None,
        return_list: bool = True,
        batch_sampler: BatchSampler | None = None,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Sample]], Batch] | None = None,
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
        for name, value in (
            ("num_workers", num_workers),
            ("timeout", timeout),
            ("reader_buffer_size", reader_buffer_size),
        ):
            if value < 0:
                raise RefusedArgumentError(f"{name} should be a non-negative value, not {value}.")
        if prefetch_factor <= 0:
            raise RefusedArgumentError(
                f"prefetch_factor should be a positive value, not {prefetch_factor}."
            )
        _check_dataset(dataset)
        self.dataset: Any = dataset
        self.return_list = return_list
        self.collate_fn = collate_fn
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.use_buffer_reader = use_buffer_reader
        self.reader_buffer_size = reader_buffer_size
        self.use_shared_memory = use_shared_memory and num_workers > 0  # as in Paddle
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.persistent_workers = persistent_workers
        self._passes = 0
        self._workers: Workers | None = None
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
                "An IterableDataset yields its samples in its own order: shuffle and batch_sampler "
                f"must be left out, but are {shuffle} and {batch_sampler}."
            )
        if self.batch_size is not None:
            check_batches(self.batch_size, shuffle, self.drop_last)

    def _batches(self, batch_sampler, shuffle: bool):
        """Return the batch sampler, or None when samples are yielded one by one."""
        if batch_sampler is not None:
            if self.batch_size != 1 or shuffle or self.drop_last:
                raise RefusedArgumentError(
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

    @property
    def places(self) -> list[devices.Place]:
        """Return the device of the batches, in a list."""
        return [devices.place_of(devices.current_device()) if self._place is None else self._place]

    @property
    def feed_list(self) -> None:
        """Return None: the list belongs to static graphs."""
        return None

    @property
    def pin_memory(self) -> bool:
        """Return True, as in Paddle; the memory of a batch is XLA's, pinned or not."""
        return True

    @property
    def dataset_kind(self) -> int:
        """Return 1 for an IterableDataset, else 0."""
        return int(self._is_iterable)

    @property
    def auto_collate_batch(self) -> bool:
        """Return whether samples are joined to batches."""
        return self.batch_size is not None if self._is_iterable else self.batch_sampler is not None

    @property
    def _persistent_workers(self) -> bool:
        return self.persistent_workers

    def __len__(self) -> int:
        if self._is_iterable:
            raise InvalidArgumentError("length of IterableDataset not supported.")
        return len(self.dataset if self.batch_sampler is None else self.batch_sampler)

    @overload
    def __iter__(self: DataLoader[dict[Any, Any], Collated]) -> Iterator[dict[Any, Tensor]]: ...
    @overload
    def __iter__(self: DataLoader[Sequence[Any], Collated]) -> Iterator[list[Tensor]]: ...
    @overload
    def __iter__(self: DataLoader[Any, Collated]) -> Iterator[Tensor]: ...
    @overload
    def __iter__(self: DataLoader[Any, Batch]) -> Iterator[Batch]: ...
    def __iter__(self) -> Iterator[Any]:
        self._passes += 1
        if self.num_workers:
            return _DataLoaderIterMultiProcess(self, self._iterate_with_workers())
        return _DataLoaderIterSingleProcess(self, self._iterate_here())

    def _iterate_here(self) -> Iterator:
        if self.collate_fn is None and type(self.dataset) is TensorDataset and self.batch_sampler:
            return map(self._finish, map(self.dataset.rows, self.batch_sampler))
        source = Source(self._work(0))
        answers = (source.fetch(self._passes, task) for task in self._tasks())
        batches = itertools.takewhile(lambda answer: answer[0] != END, answers)
        return (self._finish(batch) for _, batch in batches)

    def __call__(self) -> Iterator:
        """Return an iterator over the batches."""
        return iter(self)

    def _tasks(self) -> Iterable:
        """Return what the workers read: lists of indices, or indices, or None repeatedly."""
        if self._is_iterable:
            return itertools.repeat(None)
        return range(len(self.dataset)) if self.batch_sampler is None else self.batch_sampler

    def _work(self, seed: int) -> Work:
        return Work(
            self.dataset,
            self.collate_fn,
            self._is_iterable,
            self.auto_collate_batch,
            self.batch_size,
            self.drop_last,
            self.num_workers,
            seed,
            self.worker_init_fn,
        )

    def _iterate_with_workers(self) -> Iterator:
        workers = self._workers
        if workers is None or not workers.is_open():
            if workers is not None:
                workers.close()
            work = self._work(self._base_seed())
            workers = Workers(work, self.use_shared_memory, self.timeout)
        if self.persistent_workers:
            self._workers = workers
        reading = workers.read(self._tasks(), self.prefetch_factor)
        ahead = self.reader_buffer_size if self.use_buffer_reader else 0
        return OnDevice(reading, self._finish, ahead, None if self.persistent_workers else workers)

    def _base_seed(self) -> int:
        """Return a seed that depends on NumPy's state and the pass, without drawing from NumPy.

        So the order of a shuffled dataset is the same with workers as without.
        """
        copy = np.random.RandomState()
        copy.set_state(np.random.get_state())
        drawn = np.random.SeedSequence([copy.randint(2**31), self._passes])
        return int(drawn.generate_state(1)[0])

    def _finish(self, batch: object) -> Any:
        return as_tensors(batch, self._place)
