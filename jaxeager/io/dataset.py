"""Datasets: samples by index, samples in sequence, and datasets of datasets."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.errors import (
    InvalidIndexError,
    RefusedArgumentError,
    UnsizedError,
)

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Dataset:
    """Samples that are read by index. A subclass defines ``__getitem__`` and ``__len__``.

    Example:
        >>> import jaxeager as paddle
        >>> class Squares(paddle.io.Dataset):
        ...     def __getitem__(self, idx):
        ...         return idx * idx
        ...     def __len__(self):
        ...         return 4
        >>> Squares()[3]
        9
    """

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError(f"'__getitem__' not implement in class {type(self).__name__}")

    def __len__(self) -> int:
        raise NotImplementedError(f"'__len__' not implement in class {type(self).__name__}")


class IterableDataset(Dataset):
    """Samples that are yielded in sequence. A subclass defines ``__iter__``.

    Example:
        >>> import jaxeager as paddle
        >>> class Countdown(paddle.io.IterableDataset):
        ...     def __iter__(self):
        ...         yield from (3, 2, 1)
        >>> [batch.tolist() for batch in paddle.io.DataLoader(Countdown(), batch_size=2)]
        [[3, 2], [1]]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"'__iter__' not implement in class {type(self).__name__}")

    def __getitem__(self, idx: Any) -> Any:
        raise RuntimeError(
            f"'__getitem__' should not be called for IterableDataset {type(self).__name__}"
        )

    def __len__(self) -> int:
        # Also a TypeError, so that list(dataset) knows that there is no length.
        raise UnsizedError(
            f"'__len__' should not be called for IterableDataset {type(self).__name__}."
        )


class TensorDataset(Dataset):
    """Samples that are the rows of tensors: sample ``i`` is the tuple of every tensor's row ``i``.

    Args:
        tensors: tensors of the same first dimension.

    Raises:
        InvalidArgumentError: when their first dimensions differ.

    Example:
        >>> import jaxeager as paddle
        >>> data = paddle.io.TensorDataset([paddle.to_tensor([[1, 2], [3, 4]])])
        >>> len(data), data[1][0].tolist()
        (2, [3, 4])
    """

    def __init__(self, tensors: Sequence[Tensor | np.ndarray]):
        tensors = list(tensors)
        lengths = [tensor.shape[0] if tensor.ndim else None for tensor in tensors]
        if not tensors or None in lengths or len(set(lengths)) > 1:
            raise RefusedArgumentError(
                "tensors not have same shape of the 1st dimension: their shapes are "
                f"{[list(tensor.shape) for tensor in tensors]}."
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor | np.ndarray, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def rows(self, indices: list[int]) -> list[Tensor | np.ndarray]:
        """Return the samples of several indices as one batch: one gather per tensor."""
        index = np.asarray(indices)
        return [tensor[index] for tensor in self.tensors]


class ComposeDataset(Dataset):
    """Datasets of the same length side by side: their fields are combined in one sample.

    Example:
        >>> import jaxeager as paddle
        >>> rows = paddle.io.TensorDataset([paddle.to_tensor([1.0, 2.0])])
        >>> [field.item() for field in paddle.io.ComposeDataset([rows, rows])[1]]
        [2.0, 2.0]
    """

    def __init__(self, datasets: list[Dataset]):
        self.datasets = _datasets(datasets)
        for dataset in self.datasets:
            if not isinstance(dataset, Dataset) or isinstance(dataset, IterableDataset):
                raise RefusedArgumentError(
                    "ComposeDataset combines paddle.io.Datasets that have a length, but got "
                    f"a {type(dataset).__name__}."
                )
        lengths = [len(dataset) for dataset in self.datasets]
        if len(set(lengths)) > 1:
            raise RefusedArgumentError(f"lengths of datasets should be same, but are {lengths}.")

    def __getitem__(self, idx) -> tuple:
        fields: list[Any] = []
        for dataset in self.datasets:
            sample = dataset[idx]
            fields.extend(sample if isinstance(sample, (list, tuple)) else [sample])
        return tuple(fields)

    def __len__(self) -> int:
        return len(self.datasets[0])


class ChainDataset(IterableDataset):
    """Iterable datasets one after another.

    Example:
        >>> import jaxeager as paddle
        >>> class Pair(paddle.io.IterableDataset):
        ...     def __iter__(self):
        ...         yield from (1, 2)
        >>> [sample for sample in paddle.io.ChainDataset([Pair(), Pair()])]
        [1, 2, 1, 2]
    """

    def __init__(self, datasets: list[IterableDataset]):
        self.datasets = _datasets(datasets)
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise RefusedArgumentError(
                    "ChainDataset only support paddle.io.IterableDataset, but got a "
                    f"{type(dataset).__name__}; use ConcatDataset for others."
                )

    def __iter__(self) -> Iterator:
        return itertools.chain.from_iterable(self.datasets)


class ConcatDataset(Dataset):
    """Concatenated datasets with one index.

    Example:
        >>> import jaxeager as paddle
        >>> both = paddle.io.ConcatDataset([[10, 11], [20, 21, 22]])
        >>> len(both), both[2], both[-1]
        (5, 20, 22)
    """

    def __init__(self, datasets: Iterable):
        self.datasets = _datasets(datasets)
        for dataset in self.datasets:
            if isinstance(dataset, IterableDataset):
                raise RefusedArgumentError(
                    "ConcatDataset does not support IterableDataset; use ChainDataset."
                )
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable) -> list[int]:
        """Return the cumulative sums of the lengths of the datasets."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __getitem__(self, idx: int):
        length = len(self)
        if not -length <= idx < length:
            raise InvalidIndexError(
                f"absolute value of index should not exceed dataset length, but the index is {idx} "
                f"for {length} samples."
            )
        idx %= length
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][idx - start]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


class Subset(Dataset):
    """Some of the samples of a dataset, by their indices.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.io.Subset([10, 11, 12], [2, 0])[0]
        12
    """

    def __init__(self, dataset: Dataset, indices: Sequence[int]):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx):
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


def _datasets(datasets: Iterable) -> list:
    """Return datasets as a list; raise InvalidArgumentError when there are none."""
    datasets = list(datasets)
    if not datasets:
        raise RefusedArgumentError("datasets should not be an empty iterable.")
    return datasets
