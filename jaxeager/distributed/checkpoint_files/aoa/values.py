"""Descriptions of tensors that are made of those of a checkpoint, and read part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from jaxeager.core.dtypes import as_dtype

Shape = tuple[int, ...]
Read = Callable[[str, Shape, Shape], np.ndarray]
"""A function that returns the elements of a source: its name, their offset, their shape."""


class Value(NamedTuple):
    """A tensor that can be made.

    Attributes:
        shape: its shape.
        dtype: the name of its dtype.
        sources: the names of the sources it is made of.
        box: a function that returns the elements of a part: a function that reads sources, whether
            to cast, the offset of the part, its shape.
    """

    shape: Shape
    dtype: str
    sources: tuple[str, ...]
    box: Callable[[Read, bool, Shape, Shape], np.ndarray]


def source(name: str, shape: Iterable[int], dtype: str) -> Value:
    """Return a tensor of the checkpoint."""
    return Value(tuple(shape), dtype, (name,), lambda read, _, at, size: read(name, at, size))


def cast(value: Value, dtype: str) -> Value:
    """Return a tensor in another dtype."""
    to = as_dtype(dtype).dtype

    def box(read: Read, casts: bool, at: Shape, size: Shape) -> np.ndarray:
        part = value.box(read, casts, at, size)
        return part.astype(to) if casts else part

    return value._replace(dtype=as_dtype(dtype).name, box=box)


def transposed(value: Value, order: Iterable[int]) -> Value:
    """Return a tensor whose axes are ordered as in ``np.transpose``."""
    axes = tuple(order)
    places = tuple(int(axis) for axis in np.argsort(axes))

    def box(read: Read, casts: bool, at: Shape, size: Shape) -> np.ndarray:
        before = [tuple(each[axis] for axis in places) for each in (at, size)]
        return np.transpose(value.box(read, casts, *before), axes)

    return value._replace(shape=tuple(value.shape[axis] for axis in axes), box=box)


def cut(value: Value, axis: int, count: int) -> list[Value]:
    """Return a tensor's equal parts along an axis."""
    length = value.shape[axis] // count
    shape = _with(value.shape, axis, length)

    def part(begin: int) -> Value:
        def box(read: Read, casts: bool, at: Shape, size: Shape) -> np.ndarray:
            return value.box(read, casts, _with(at, axis, at[axis] + begin), size)

        return value._replace(shape=shape, box=box)

    return [part(number * length) for number in range(count)]


def joined(values: list[Value], axis: int) -> Value:
    """Return the tensor of several, one after the other along an axis."""
    ends = np.cumsum([each.shape[axis] for each in values])
    begins = [int(end) - each.shape[axis] for end, each in zip(ends, values, strict=True)]

    def box(read: Read, casts: bool, at: Shape, size: Shape) -> np.ndarray:
        found = []
        for value, begin in zip(values, begins, strict=True):
            low = max(at[axis] - begin, 0)
            high = min(at[axis] + size[axis] - begin, value.shape[axis])
            if low < high:
                place = _with(at, axis, low), _with(size, axis, high - low)
                found.append(value.box(read, casts, *place))
        if not found:
            return values[0].box(read, casts, _with(at, axis, 0), size)
        return np.concatenate(found, axis)

    names = tuple(dict.fromkeys(name for each in values for name in each.sources))
    return Value(_with(values[0].shape, axis, int(ends[-1])), values[0].dtype, names, box)


def _with(shape: Shape, axis: int, length: int) -> Shape:
    """Return a shape, or an offset, with another number at an axis."""
    return (*shape[:axis], length, *shape[axis + 1 :])
