"""The edit distance of sequences of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


def edit_distance(
    input: Tensor,
    label: Tensor,
    normalized: bool = True,
    ignored_tokens: Sequence[int] | None = None,
    input_length: Tensor | None = None,
    label_length: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the number of sequences, and the edit distance of each from its label.

    The distance is the least number of insertions, deletions and substitutions. The host computes
    it, after a wait for the device.

    Args:
        input: int64[batch, length].
        label: int64[batch, label length].
        normalized: divide a distance by the length of the label.
        ignored_tokens: None, as in Paddle.
        input_length: int64[batch]: the length of each sequence; the whole of it when None.
        label_length: int64[batch]: the length of each label.

    Returns:
        int64[1] and float32[batch, 1].

    Raises:
        InvalidArgumentError: for ignored tokens, tensors of other shapes, and an empty label by
            which a distance is to be divided.

    Paddle: without lengths, the sequences must have one element.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.nn.functional.loss import edit_distance
        >>> a, b = paddle.to_tensor([[1, 2, 3]]), paddle.to_tensor([[1, 3, 3]])
        >>> edit_distance(a, b, normalized=False)[1].tolist()
        [[1.0]]
    """
    if ignored_tokens:
        raise InvalidArgumentError(f"Expected ignored_tokens is None (got {ignored_tokens})")
    if input.ndim != 2 or label.ndim != 2 or input.shape[0] != label.shape[0]:
        raise InvalidArgumentError(
            "edit_distance takes [batch, length] and [batch, label length], but received "
            f"{list(input.shape)} and {list(label.shape)}."
        )
    found = [
        _distance(one, other, normalized, number)
        for number, (one, other) in enumerate(
            zip(_rows(input, input_length), _rows(label, label_length), strict=True)
        )
    ]
    count = paddle.to_tensor([len(found)], dtype="int64")
    return count, paddle.to_tensor(found, dtype="float32").reshape([len(found), 1])


def _rows(tensor: Tensor, length: Tensor | None) -> list[np.ndarray]:
    """Return the sequences of a tensor, without what is behind their ends."""
    rows = tensor.numpy()
    ends = [rows.shape[1]] * len(rows) if length is None else length.numpy().reshape(-1)
    return [row[: int(end)] for row, end in zip(rows, ends, strict=True)]


def _distance(one: np.ndarray, other: np.ndarray, normalized: bool, number: int) -> float:
    """Return the edit distance of two sequences, a row of the table of prefixes at a time."""
    if normalized and not len(other):
        raise InvalidArgumentError(f"Reference string {number} is empty.")
    steps = np.arange(len(other) + 1)
    row = steps
    for count, element in enumerate(one, 1):
        kept = np.concatenate([[count], np.minimum(row[1:] + 1, row[:-1] + (other != element))])
        row = np.minimum.accumulate(kept - steps) + steps  # insertions, from the left
    return float(row[-1]) / len(other) if normalized else float(row[-1])
