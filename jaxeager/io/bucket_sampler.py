"""Batches of samples of similar length, so that there are few shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import Any

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io.batch_sampler import BatchSampler, check_batches

SPACINGS = ("quantiles", "powers")


class BucketBatchSampler(BatchSampler):
    """Lists of indices whose samples are padded to the boundary of their bucket.

    A kernel is compiled for every shape (docs/memory.md). Batches of this sampler, padded by
    ``PadCollate(lengths=sampler.boundaries)``, have at most ``max_buckets`` lengths. The last
    batch of a bucket may be smaller, which is one more shape for each, unless ``drop_last``.

    Args:
        lengths: the length of every sample: a list, array or Tensor; or a function of a sample. The
            function is called here, once for each sample of ``dataset``.
        batch_size: indices in a batch; a list has one number per bucket.
        boundaries: ascending lengths to pad to, each the greatest of its bucket; or how to choose
            them. "quantiles" assigns an equal number of samples to each bucket, up to the longest
            of all. "powers" uses the powers of two up to the first that holds the longest: they are
            the same for two sets of samples, which then share their kernels.
        dataset: the samples that a function ``lengths`` is called with.
        max_buckets: the greatest number of boundaries to choose.
        multiple_of: chosen boundaries are rounded up to multiples of this.
        tokens: instead of ``batch_size``: the greatest number of elements of a batch, padding
            included; a batch has at least one sample.
        shuffle: take samples and batches in the random order of the epoch.
        seed: with the epoch, the seed of the order, which is the same in every process.
        drop_last: leave out the last batch of each bucket when it is smaller.

    Attributes:
        boundaries: the lengths to pad to, ascending; only those that have samples.
        batch_sizes: the number of indices in a full batch of each bucket.
        epoch: the number of the next pass. ``set_epoch`` sets it, and each shuffled pass increases
            it.

    Raises:
        InvalidArgumentError: when the arguments are inconsistent, or a sample is longer than the
            last boundary.

    Paddle: there is no such sampler.

    Example:
        >>> import jaxeager as paddle
        >>> texts = ["a", "bcdef", "gh", "ijkl", "m", "nopqr"]
        >>> sampler = paddle.io.BucketBatchSampler(len, 2, [2, 5], dataset=texts)
        >>> list(sampler)
        [[0, 2], [1, 3], [4], [5]]
        >>> lengths = [3, 30, 7, 100, 60, 6]
        >>> sampler = paddle.io.BucketBatchSampler(lengths, boundaries="powers", tokens=128)
        >>> sampler.boundaries, sampler.batch_sizes
        ([4, 8, 32, 64, 128], [32, 16, 4, 2, 1])
    """

    def __init__(
        self,
        lengths: Any,
        batch_size: int | Sequence[int] | None = None,
        boundaries: Sequence[int] | str = "quantiles",
        *,
        dataset: Sized | None = None,
        max_buckets: int = 8,
        multiple_of: int = 1,
        tokens: int | None = None,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
    ):
        check_batches(1, shuffle, drop_last)
        for name, value in (("max_buckets", max_buckets), ("multiple_of", multiple_of)):
            _check_positive(name, value)
        self.lengths = _known_lengths(lengths, dataset)
        if isinstance(boundaries, str):
            chosen = _chosen(self.lengths, boundaries, max_buckets, multiple_of)
        else:
            chosen = _given(boundaries, self.lengths)
        buckets = np.searchsorted(chosen, self.lengths)  # the first boundary that is not shorter
        used, self._bucket_of = np.unique(buckets, return_inverse=True)
        self.boundaries: list[int] = [int(chosen[bucket]) for bucket in used]
        sizes = _batch_sizes(batch_size, tokens, [int(each) for each in chosen])
        self.batch_sizes: list[int] = [sizes[bucket] for bucket in used]
        self.batch_size: int | Sequence[int] | None = batch_size
        self.sampler: range = range(len(self.lengths))
        self.data_source: Sized | None = dataset
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        self.epoch = 0

    def __iter__(self) -> Iterator[list[int]]:
        order = np.arange(len(self.lengths))
        random = None
        if self.shuffle:
            random = np.random.RandomState([self.seed, self.epoch])
            random.shuffle(order)
            self.epoch += 1
        batches = self._batches(order.tolist())
        if random is not None:
            batches = [batches[place] for place in random.permutation(len(batches))]
        return iter(batches)

    def _batches(self, order: list[int]) -> list[list[int]]:
        """Return the batches in the order in which they become full, then the smaller ones."""
        batches: list[list[int]] = []
        filling: list[list[int]] = [[] for _ in self.boundaries]
        for index in order:
            bucket = self._bucket_of[index]
            filling[bucket].append(index)
            if len(filling[bucket]) == self.batch_sizes[bucket]:
                batches.append(filling[bucket])
                filling[bucket] = []
        return batches if self.drop_last else [*batches, *[each for each in filling if each]]

    def __len__(self) -> int:
        counts = np.bincount(self._bucket_of, minlength=len(self.boundaries))
        sizes = np.asarray(self.batch_sizes, np.int64)
        return int(((counts + (0 if self.drop_last else sizes - 1)) // sizes).sum())

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next epoch, so that every process shuffles alike."""
        self.epoch = epoch

    def padding(self) -> float:
        """Return the share of padding among the elements of all samples at their boundaries.

        Example:
            >>> import jaxeager as paddle
            >>> round(paddle.io.BucketBatchSampler([2, 4, 4, 6], 2, [4, 8]).padding(), 3)
            0.2
        """
        padded = np.asarray(self.boundaries, np.int64)[self._bucket_of].sum()
        return float(1 - self.lengths.sum() / padded) if padded else 0.0


def _known_lengths(lengths: Any, dataset) -> np.ndarray:
    """Return int64[samples], from the numbers themselves or from a function of each sample."""
    if callable(lengths):
        if dataset is None:
            raise InvalidArgumentError(
                "lengths is a function of samples, so dataset should be given, but is None."
            )
        known: Any = [lengths(dataset[index]) for index in range(len(dataset))]
    else:
        known = lengths.numpy() if hasattr(lengths, "numpy") else lengths
    array = np.asarray(known)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InvalidArgumentError(
            "lengths should be one integer for every sample, at least one, but have shape "
            f"{list(array.shape)} and dtype {array.dtype}."
        )
    if array.min() < 0:
        place = int(array.argmin())
        raise InvalidArgumentError(
            f"lengths should not be negative, but lengths[{place}] is {array[place]}."
        )
    if dataset is not None and len(dataset) != len(array):
        raise InvalidArgumentError(
            f"There are {len(array)} lengths of a dataset of {len(dataset)} samples."
        )
    return array.astype(np.int64)


def _given(boundaries, lengths: np.ndarray) -> np.ndarray:
    """Return the user's boundaries as int64, checked."""
    array = np.asarray(boundaries)
    is_rising = array.ndim == 1 and array.size and array.dtype.kind in "iu"
    if not is_rising or array[0] < 0 or np.any(np.diff(array) <= 0):
        raise InvalidArgumentError(
            f"boundaries should be rising lengths, or one of {SPACINGS}, but got {boundaries!r}."
        )
    too_long = int((lengths > array[-1]).sum())
    if too_long:
        place = int(lengths.argmax())
        raise InvalidArgumentError(
            f"{too_long} of {len(lengths)} samples are longer than the last boundary, {array[-1]}; "
            f"the longest, sample {place}, has {lengths[place]}. Add a boundary, or cut or leave "
            "out the longer samples."
        )
    return array.astype(np.int64)


def _chosen(lengths: np.ndarray, spacing: str, count: int, multiple: int) -> np.ndarray:
    """Return at most ``count`` boundaries, ascending; the last holds the longest sample."""
    longest = int(lengths.max())
    if spacing == "quantiles":
        found = np.quantile(lengths, np.arange(1, count + 1) / count, method="higher")
    elif spacing == "powers":
        last = max(longest - 1, 0).bit_length()  # the first power of two that holds it
        found = 2 ** np.arange(max(last - count + 1, 0), last + 1)
    else:
        raise InvalidArgumentError(
            f"boundaries should be rising lengths, or one of {SPACINGS}, but got {spacing!r}."
        )
    return np.unique(-(-found.astype(np.int64) // multiple) * multiple)


def _batch_sizes(batch_size, tokens, boundaries: list[int]) -> list[int]:
    """Return the number of samples in a batch, per bucket."""
    if (batch_size is None) == (tokens is None):
        raise InvalidArgumentError(
            "BucketBatchSampler takes either batch_size or tokens, but got "
            f"batch_size={batch_size!r} and tokens={tokens!r}."
        )
    if tokens is not None:
        _check_positive("tokens", tokens)
        return [max(tokens // max(each, 1), 1) for each in boundaries]
    if isinstance(batch_size, int):
        _check_positive("batch_size", batch_size)
        return [batch_size] * len(boundaries)
    sizes = list(batch_size)
    if len(sizes) != len(boundaries):
        raise InvalidArgumentError(
            f"batch_size should have a number for every boundary, {boundaries}, but is {sizes}."
        )
    for size in sizes:
        _check_positive("batch_size", size)
    return sizes


def _check_positive(name: str, value) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value <= 0:
        raise InvalidArgumentError(f"{name} should be a positive integer, but got {value!r}.")
