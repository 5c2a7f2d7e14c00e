"""Collating samples of varying lengths: arrays are padded to one length, then stacked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.io.collate import default_collate_fn, tensor_class


class PadCollate:
    """A ``collate_fn`` of a DataLoader that pads the arrays of samples to one length.

    Samples may be nested as for the default collation: arrays, tuples of fields, dicts. A list of
    numbers is also an array. The arrays that have the axis are padded, or only those of some
    fields; everything else is stacked. NumPy does the padding: nothing is compiled, and workers
    need no JAX.

    Args:
        axis: the axis of a sample along which lengths differ.
        pad_value: the value to append to a sample; a dict has one for each field that needs a value
            other than 0.
        lengths: the lengths to pad to, such as ``BucketBatchSampler.boundaries``: the first that
            holds the longest sample is used. By default that sample's own length.
        fields: the fields to pad: positions in a tuple or keys of a dict. By default all with the
            axis.
        with_lengths: also return the lengths of the samples, int64[batch].
        with_mask: also return bool[batch, length], True for values, False for padding.

    With lengths or a mask, each padded array becomes a list: the values, then the lengths, then the
    mask.

    Raises:
        InvalidArgumentError: when a sample is longer than the last length, differs in shape along
            another axis, or has no such field.

    Paddle: there is no such collation.

    Example:
        >>> import jaxeager as paddle
        >>> data = [([5, 6, 7], 0), ([8], 1)]
        >>> collate = paddle.io.PadCollate(lengths=[4, 8], with_mask=True)
        >>> for (ids, mask), labels in paddle.io.DataLoader(data, batch_size=2, collate_fn=collate):
        ...     print(ids.tolist(), mask.astype("int32").tolist(), labels.tolist())
        [[5, 6, 7, 0], [8, 0, 0, 0]] [[1, 1, 1, 0], [1, 0, 0, 0]] [0, 1]
    """

    def __init__(
        self,
        axis: int = 0,
        pad_value: Any = 0,
        lengths: Sequence[int] | None = None,
        fields: Sequence | None = None,
        with_lengths: bool = False,
        with_mask: bool = False,
    ):
        self.axis = axis
        self.pad_value = pad_value
        self.lengths = None if lengths is None else sorted(int(each) for each in lengths)
        self.fields = None if fields is None else list(fields)
        self.with_lengths, self.with_mask = with_lengths, with_mask
        if self.lengths == []:
            raise InvalidArgumentError("lengths should be at least one length, but is empty.")

    def __call__(self, batch: list) -> Any:
        """Return a list of samples as one batch."""
        for field in (*(self.fields or ()), *(_values_by_field(self.pad_value) or ())):
            _check_field(field, batch[0])
        return self._collate(batch, (), self.fields is None)

    def _collate(self, batch: list, path: tuple, is_padded: bool) -> Any:
        """Combine the samples of one field.

        Args:
            batch: the part of each sample at ``path``.
            path: keys and positions from the sample to the field.
            is_padded: whether its arrays are padded.
        """
        sample = batch[0]
        if _is_array(sample):
            arrays = [_as_array(each) for each in batch]
            axis = self.axis + arrays[0].ndim * (self.axis < 0)
            if is_padded and 0 <= axis < arrays[0].ndim:
                return self._pad(arrays, axis, path)
            return default_collate_fn(arrays)
        if isinstance(sample, Mapping):
            return {key: self._field(batch, key, path, is_padded) for key in sample}
        if isinstance(sample, (tuple, list)) and len({len(each) for each in batch}) == 1:
            return [self._field(batch, i, path, is_padded) for i in range(len(sample))]
        return default_collate_fn(batch)

    def _field(self, batch: list, key, path: tuple, is_padded: bool) -> Any:
        is_chosen = self.fields is not None and not path and key in self.fields
        return self._collate([each[key] for each in batch], (*path, key), is_padded or is_chosen)

    def _pad(self, arrays: list, axis: int, path: tuple) -> Any:
        """Return arrays padded and stacked, with lengths and mask if requested."""
        shapes = [_without(each.shape, axis) for each in arrays]
        if len(set(shapes)) > 1:
            raise InvalidArgumentError(
                f"{_named(path)} differ in more than axis {self.axis}, which is padded: they have "
                f"the shapes {sorted({each.shape for each in arrays})}."
            )
        sizes = [each.shape[axis] for each in arrays]
        shape = list(arrays[0].shape)
        shape[axis] = self._padded_length(max(sizes), path)
        filled = [each for each in arrays if each.size] or arrays  # [] is float64 in NumPy
        stacked = np.full([len(arrays), *shape], self._value(path), np.result_type(*filled))
        for row, array, size in zip(stacked, arrays, sizes, strict=True):
            row[(slice(None),) * axis + (slice(size),)] = array
        more = [np.asarray(sizes, np.int64)] if self.with_lengths else []
        if self.with_mask:
            more.append(np.arange(shape[axis]) < np.asarray(sizes)[:, None])
        return [stacked, *more] if more else stacked

    def _padded_length(self, longest: int, path: tuple) -> int:
        if self.lengths is None:
            return longest
        place = bisect_left(self.lengths, longest)
        if place == len(self.lengths):
            raise InvalidArgumentError(
                f"{_named(path)} are up to {longest} long, but the last length to pad to is "
                f"{self.lengths[-1]}; cut them, or add a greater one to lengths."
            )
        return self.lengths[place]

    def _value(self, path: tuple):
        by_field = _values_by_field(self.pad_value)
        if by_field is None:
            return self.pad_value
        return by_field.get(path[0], 0) if path else 0


def _values_by_field(pad_value) -> Mapping | None:
    return pad_value if isinstance(pad_value, Mapping) else None


def _check_field(field, sample) -> None:
    """Raise InvalidArgumentError unless a sample has a field with that key or position."""
    if isinstance(sample, Mapping):
        there = list(sample)
    else:
        has_fields = isinstance(sample, (tuple, list)) and not _is_array(sample)
        there = list(range(len(sample))) if has_fields else []
    if field not in there:
        raise InvalidArgumentError(
            f"There is no field {field!r} in a sample: it has {there or 'no fields'}, and is a "
            f"{type(sample).__name__}."
        )


def _is_array(value) -> bool:
    """Return whether a value is an array: of NumPy, a tensor, or a list of numbers."""
    if isinstance(value, list):
        return all(isinstance(each, (int, float, np.number, np.bool_)) for each in value)
    tensor = tensor_class()
    return isinstance(value, np.ndarray) or (tensor is not None and isinstance(value, tensor))


def _as_array(value) -> np.ndarray:
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def _without(shape: tuple, axis: int) -> tuple:
    return shape[:axis] + shape[axis + 1 :]


def _named(path: tuple) -> str:
    return f"The samples' fields {'.'.join(map(str, path))}" if path else "The samples"
