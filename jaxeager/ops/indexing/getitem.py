"""Reading: ``x[...]``, and the box that ints and slices select in a shape.

index_parse.py parses the index between the brackets; writing is in setitem.py. The rows of both are
in box_rows.py (ints and slices) and index_rows.py (arrays).
"""

import functools
from types import EllipsisType, NoneType
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.symbolic import is_symbolic, typical
from jaxeager.graph.views.view_places import add_view
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.kernels import know_numbers
from jaxeager.ops.indexing.box_rows import kept_sizes, read_slice, read_strided_slice, starts_array
from jaxeager.ops.indexing.index_parse import (
    BasicIndex,
    advanced_index,
    basic_index,
    check_bounds,
    check_mask,
    entries,
    is_basic,
)
from jaxeager.ops.indexing.index_rows import index_get
from jaxeager.ops.register import PUBLIC
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.memoized import planned


def getitem(x, item):
    """Return ``x[item]``.

    Raises:
        OutOfRangeError: for an index outside its dimension, or too many of them.
        InvalidArgumentError: for an object that cannot be an index.
    """
    array = x._array
    box = planned_box(array.shape, item) if type(item) in MAY_BE_BASIC else None
    if box is not None:
        return _read(x, box)
    if hasattr(item, "_storage") and array.ndim:
        index = item._array
        if index.dtype in _WIDE_INTEGERS and index.ndim:
            check_bounds(index, array.shape[0], 0)
            return index_get(x, [item], _along_first(array.ndim))
        if index.dtype == np.bool_ and index.shape == array.shape:
            return PUBLIC["masked_select"](x, dispatch.wrap(index))
    items = entries(item, array.ndim)
    if is_basic(items):  # integers of other types, 0-D tensors
        return _read(x, box_of(array.shape, basic_index(items, array.shape)))
    if len(items) == 1 and is_full_mask(items[0], array):
        return PUBLIC["masked_select"](x, dispatch.wrap(on_device(items[0])))
    arrays, pattern = advanced_index(items, array.shape)
    return index_get(x, as_given(item, arrays), pattern)


class Box(NamedTuple):
    """A region of a shape in the form that the ops that read and write it need.

    Attributes:
        index: the basic index that selects it.
        starts: its first element, as an array; None if that depends on an unknown size.
        kept: its shape in the result.
        is_everything: whether it is the whole tensor, unchanged.
        is_whole: whether it is the whole tensor except for added dimensions.
        has_gaps: whether a step is not 1.
    """

    index: BasicIndex
    starts: jax.Array | None
    kept: tuple[int, ...]
    is_everything: bool
    is_whole: bool
    has_gaps: bool


MAY_BE_BASIC = frozenset({int, slice, tuple, NoneType, EllipsisType, np.int64})
_WIDE_INTEGERS = frozenset(map(np.dtype, ("int32", "int64")))


@planned
def planned_box(shape: tuple, item) -> Box | None:
    """Return the box of an index of plain values, or None if it has more than ints and slices."""
    items = entries(item, len(shape))
    return box_of(shape, basic_index(items, shape)) if is_basic(items) else None


def box_of(shape: tuple, index: BasicIndex) -> Box:
    """Return the box that a basic index selects in a shape."""
    kept = list(kept_sizes(index.sizes(), index.squeeze))
    for axis in index.new_axes:
        kept.insert(axis, 1)
    has_gaps = any(step != 1 for step in index.steps)
    is_whole = index.spans == shape and not index.squeeze and not has_gaps
    everything = index.is_everything(shape)
    starts = None if any(map(is_symbolic, index.starts)) else starts_array(index.starts)
    return Box(index, starts, tuple(kept), everything, is_whole, has_gaps)


def starts_of(index: BasicIndex) -> jax.Array:
    """Return the start of a box that depends on an unknown size; it is not cached."""
    array = jnp.stack([jnp.asarray(start, jnp.int32) for start in index.starts])
    know_numbers(array, np.asarray([typical(start) for start in index.starts]))
    return array


@functools.cache
def _along_first(ndim: int) -> tuple:
    """Return the pattern of one index array along the first dimension."""
    return ("array", *[("slice", None, None, None)] * (ndim - 1))


def as_given(index, arrays: list) -> list:
    """Return the arrays of an index, with the user's Tensor in place of an array if it was one.

    Backward then checks their versions, as in Paddle.
    """
    parts = index if isinstance(index, tuple) else (index,)
    given = {id(part._array): part for part in parts if hasattr(part, "_storage")}
    return [given.get(id(array), array) for array in arrays]


def is_full_mask(item, array) -> bool:
    """Return whether an index is a mask over all dimensions of an array; raise for other sizes."""
    is_mask = isinstance(item, (jax.Array, np.ndarray)) and item.dtype == np.bool_
    if not is_mask or item.ndim != array.ndim or item.ndim == 0:
        return False
    check_mask(item, array.shape, 0)
    return True


def read_box(x, index: BasicIndex, records: bool = False):
    """Return the part of x that ints and slices select.

    Args:
        x: tensor of any shape.
        index: where to read.
        records: whether reading everything is also an op, instead of an alias of x.
    """
    return _read(x, box_of(x._array.shape, index), records)


def _read(x, box: Box, records: bool = False):
    index = box.index
    if box.is_everything and not records:
        alias = dispatch.wrap(x._array)
        alias._meta = None if x.stop_gradient else x._meta
        add_view(alias, x, None)
        return alias
    if box.is_whole and not records:
        out = x
    else:
        read = read_strided_slice if box.has_gaps else read_slice
        starts = box.starts if box.starts is not None else starts_of(index)
        out = read(x, starts, index.spans, index.steps, index.squeeze)
    return ROWS["unsqueeze"].function(out, list(index.new_axes)) if index.new_axes else out


def read_part(x, axis: int, start: int, length: int):
    """Return the part of a tensor between two places of an axis; it shares memory."""
    shape = x._array.shape
    starts = starts_array((0,) * axis + (start,) + (0,) * (len(shape) - axis - 1))
    spans = (*shape[:axis], length, *shape[axis + 1 :])
    return read_slice(x, starts, spans, (1,) * len(shape), ())
