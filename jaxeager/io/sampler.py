"""Samplers: the order in which the samples of a dataset are read.

Shuffling draws from NumPy's global generator, as in Paddle: after the same ``np.random.seed`` the
order is Paddle's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Sampler:
    """Base of the samplers; iterating one yields indices. A subclass defines ``__iter__``.

    Example:
        >>> import jaxeager as paddle
        >>> class Backwards(paddle.io.Sampler):
        ...     def __iter__(self):
        ...         return reversed(range(len(self.data_source)))
        >>> list(Backwards("abc"))
        [2, 1, 0]
    """

    def __init__(self, data_source: Sized | None = None):
        self.data_source: Any = data_source

    def __iter__(self) -> Iterator:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__().")


class SequenceSampler(Sampler):
    """Indices from first to last.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.io.SequenceSampler("abc"))
        [0, 1, 2]
    """

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Indices in random order.

    Args:
        data_source: the dataset to sample; only its length matters.
        replacement: draw each index independently, so that it may repeat.
        num_samples: how many, by default all.
        generator: an iterator of indices to use instead.

    Raises:
        InvalidTypeError: when ``replacement`` is not a bool.
        InvalidArgumentError: when there are not enough indices.

    Example:
        >>> import jaxeager as paddle
        >>> sorted(paddle.io.RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Iterable[int] | None = None,
    ):
        super().__init__(data_source)
        if not isinstance(replacement, bool):
            raise InvalidTypeError(
                f"expect boolean value for replacement, but got replacement={replacement}"
            )
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        count, length = self.num_samples, len(data_source)
        if not isinstance(count, int) or count <= 0:
            raise InvalidArgumentError(
                f"num_samples should be a positive integer, but got num_samples={count}"
            )
        if not replacement and count > length:
            raise InvalidArgumentError(
                "num_samples should be smaller than or equal to length of data_source when "
                f"replacement is False, but got num_samples: {count} > data_source: {length}"
            )

    @property
    def num_samples(self) -> int:
        """Return how many indices one pass yields."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        if self.generator is not None:
            for _, index in zip(range(self.num_samples), self.generator, strict=False):
                yield index
            return
        length = len(self.data_source)
        yield from np.random.choice(length, self.num_samples, replace=self.replacement).tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given indices, in random order.

    Raises:
        InvalidArgumentError: when there are none.

    Example:
        >>> import jaxeager as paddle
        >>> sorted(paddle.io.SubsetRandomSampler([5, 7]))
        [5, 7]
    """

    def __init__(self, indices: Sequence[int]):
        super().__init__()
        if len(indices) == 0:
            raise InvalidArgumentError(
                "The length of `indices` in SubsetRandomSampler should be greater than 0."
            )
        self.indices = indices

    def __iter__(self) -> Iterator[int]:
        return (self.indices[position] for position in np.random.permutation(len(self.indices)))

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with probabilities proportional to weights.

    Args:
        weights: n numbers, not negative: a list, array or Tensor; or rows of them, each of which is
            sampled separately.
        num_samples: how many indices to draw, per row.
        replacement: whether an index may repeat.

    Raises:
        InvalidArgumentError: when the weights or ``num_samples`` are invalid.

    Example:
        >>> import jaxeager as paddle
        >>> list(paddle.io.WeightedRandomSampler([0.0, 1.0], num_samples=3))
        [1, 1, 1]
    """

    def __init__(
        self,
        weights: np.ndarray | Tensor | Sequence[float],
        num_samples: int,
        replacement: bool = True,
    ):
        super().__init__()
        if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples <= 0:
            raise InvalidArgumentError(
                f"num_samples should be a positive integer, but got {num_samples!r}."
            )
        if not isinstance(replacement, bool):
            raise InvalidArgumentError(
                f"replacement should be a boolean value, but got {replacement!r}."
            )
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement

    def _rows(self) -> np.ndarray:
        """Return the weights as float64[rows, n]; raise InvalidArgumentError for invalid ones."""
        weights = self.weights.numpy() if isinstance(self.weights, Tensor) else self.weights
        array = np.asarray(weights, np.float64)
        if array.ndim not in (1, 2):
            raise RefusedArgumentError(
                f"weights should be a 1-D or 2-D array, but have shape {list(array.shape)}."
            )
        rows = array.reshape(-1, array.shape[-1])
        if not np.all(np.isfinite(rows)) or np.any(rows < 0):
            raise InvalidArgumentError(
                "weights should be positive values, not negative, INF or NaN."
            )
        positive = int((rows > 0).sum(axis=1).min())
        if positive == 0 or (not self.replacement and positive < self.num_samples):
            raise RefusedArgumentError(
                f"weights have {positive} positive values, but {self.num_samples} samples are "
                f"drawn with replacement={self.replacement}."
            )
        return rows

    def __iter__(self) -> Iterator[int]:
        for row in self._rows():
            shares = row / row.sum()
            drawn = np.random.choice(len(row), self.num_samples, self.replacement, shares)
            yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples * len(self._rows())
