"""Batch samplers: the indices of each batch, and each process's share of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING

import jax
import numpy as np

from jaxeager.errors import RefusedArgumentError
from jaxeager.io.dataset import IterableDataset
from jaxeager.io.sampler import RandomSampler, Sampler, SequenceSampler

if TYPE_CHECKING:
    from typing import Any


class BatchSampler(Sampler):
    """Lists of ``batch_size`` indices.

    Args:
        dataset: the dataset to sample, in order or shuffled; or None when ``sampler`` is given.
        sampler: indices to group, any iterable.
        shuffle: take the dataset in random order.
        batch_size: indices in a batch.
        drop_last: leave out a last batch that is smaller.

    Raises:
        InvalidArgumentError: when the arguments are inconsistent.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.io.BatchSampler("abcde", batch_size=2))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Sized | None = None,
        sampler: Iterable | None = None,
        shuffle: bool = False,
        batch_size: int = 1,
        drop_last: bool = False,
    ):
        super().__init__(dataset)
        if (dataset is None) == (sampler is None):
            raise RefusedArgumentError("BatchSampler takes either a dataset or a sampler.")
        check_batches(batch_size, shuffle, drop_last)
        if isinstance(dataset, IterableDataset):
            raise RefusedArgumentError("dataset should not be a paddle.io.IterableDataset.")
        if dataset is None and shuffle:
            raise RefusedArgumentError("shuffle should be False when sampler is set.")
        if dataset is not None:
            sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.sampler: Any = sampler
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.drop_last = drop_last

    def _indices(self) -> Iterable[int]:
        return self.sampler

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self._indices():
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def _count(self) -> int:
        return len(self.sampler)

    def __len__(self) -> int:
        round_up = 0 if self.drop_last else self.batch_size - 1
        return (self._count() + round_up) // self.batch_size


class DistributedBatchSampler(BatchSampler):
    """One process's share of each batch; every process gets the same number of samples.

    Samples from the start are repeated when the number of processes does not divide the dataset.
    The order of an epoch is the same in every process; ``set_epoch`` sets the epoch.

    Args:
        dataset: the dataset to sample.
        batch_size: indices in this process's batch.
        num_replicas: number of processes, by default those of ``jax.distributed``.
        rank: this process, by default jax's.
        shuffle: take the dataset in the random order of the epoch.
        drop_last: leave out a last batch that is smaller.

    Example:
        >>> import jaxeager as paddle
        >>> sampler = paddle.io.DistributedBatchSampler("abcdef", 2, num_replicas=2, rank=1)
        >>> list(sampler)
        [[2, 3], [5]]
    """

    def __init__(
        self,
        dataset: Sized,
        batch_size: int,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = False,
        drop_last: bool = False,
    ):
        super().__init__(dataset, None, False, batch_size, drop_last)
        check_batches(batch_size, shuffle, drop_last)
        self.dataset = dataset
        self.shuffle = shuffle
        self.nranks = jax.process_count() if num_replicas is None else num_replicas
        self.local_rank = jax.process_index() if rank is None else rank
        if not isinstance(self.nranks, int) or self.nranks <= 0:
            raise RefusedArgumentError(
                f"num_replicas should be a positive integer, but got {num_replicas!r}."
            )
        if not isinstance(self.local_rank, int) or not 0 <= self.local_rank < self.nranks:
            raise RefusedArgumentError(
                f"rank should be an integer from 0 to {self.nranks - 1}, but got {rank!r}."
            )
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / self.nranks)
        self.total_size = self.num_samples * self.nranks

    def _indices(self) -> list[int]:
        """Return this process's indices: its part of each full global batch, then of the rest."""
        order = np.resize(np.arange(len(self.dataset)), self.total_size)  # repeats from the start
        if self.shuffle:
            np.random.RandomState(self.epoch).shuffle(order)
            self.epoch += 1
        whole = self.total_size - self.total_size % (self.batch_size * self.nranks)
        full = order[:whole].reshape(-1, self.nranks, self.batch_size)[:, self.local_rank]
        rest = order[whole:].reshape(self.nranks, -1)[self.local_rank]
        return [*full.reshape(-1).tolist(), *rest.tolist()]

    def _count(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next epoch, so that every process shuffles alike."""
        self.epoch = epoch


def check_batches(batch_size, shuffle, drop_last) -> None:
    """Raise InvalidArgumentError unless these are a positive integer and two bools."""
    if not isinstance(batch_size, int) or batch_size <= 0:
        raise RefusedArgumentError(
            f"batch_size should be a positive integer, but got {batch_size!r}."
        )
    for name, value in (("shuffle", shuffle), ("drop_last", drop_last)):
        if not isinstance(value, bool):
            raise RefusedArgumentError(
                f"{name} should be a boolean value, but got {value!r}, of type "
                f"{type(value).__name__}."
            )
