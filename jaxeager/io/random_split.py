"""random_split: disjoint random parts of a dataset."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax
import numpy as np

from jaxeager.arrays import random
from jaxeager.errors import InvalidArgumentError
from jaxeager.io.dataset import Subset

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.io.dataset import Dataset


def random_split(dataset: Dataset, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Return disjoint random subsets of a dataset.

    Args:
        dataset: samples found by index.
        lengths: sizes that add up to the dataset's, or shares that add up to 1.
        generator: a ``jaxeager.arrays.random.Generator``; by default the one that ``paddle.seed``
            seeds.

    Raises:
        InvalidArgumentError: when the lengths do not add up.

    Example:
        >>> import jaxeager as paddle
        >>> [len(part) for part in paddle.io.random_split(range(10), [0.7, 0.3])]
        [7, 3]
    """
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _sizes_of_shares(lengths, total)
    if sum(lengths) != total:
        raise InvalidArgumentError(
            "Sum of input lengths does not equal the length of the input dataset: "
            f"{list(lengths)} for {total} samples."
        )
    key = (generator or random.default_generator).next_key()
    order = np.asarray(jax.random.permutation(key, total)).tolist()
    ends = list(itertools.accumulate(lengths))
    return [
        Subset(dataset, order[end - length : end])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _sizes_of_shares(shares: Sequence[float], total: int) -> list[int]:
    """Return sizes for shares; the remainder from rounding goes to the first ones."""
    for index, share in enumerate(shares):
        if not 0 <= share <= 1:
            raise InvalidArgumentError(f"Fraction at index {index} is not between 0 and 1: {share}")
    sizes = [math.floor(total * share) for share in shares]
    for index in range(total - sum(sizes)):
        sizes[index % len(sizes)] += 1
    for index, size in enumerate(sizes):
        if size == 0:
            warnings.warn(
                f"Length of split at index {index} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return sizes
