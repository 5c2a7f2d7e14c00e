"""Writing: ``x[...] = value``."""

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core.open_size import as_tensor
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call import dispatch
from jaxeager.ops.indexing.box_rows import set_value, set_value_with_tensor
from jaxeager.ops.indexing.getitem import (
    MAY_BE_BASIC,
    Box,
    as_given,
    box_of,
    is_full_mask,
    planned_box,
    starts_of,
)
from jaxeager.ops.indexing.index_parse import (
    advanced_index,
    basic_index,
    entries,
    is_basic,
    rebuild,
    with_bool_dims,
)
from jaxeager.ops.indexing.index_rows import index_put_scalar, index_put_tensor
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules.promotion import NUMBERS
from jaxeager.ops.rules.real_only import check_real


def setitem(x, item, value) -> None:
    """Write ``x[item] = value`` in place; the value is cast to x's dtype.

    Raises:
        InvalidArgumentError: for a leaf that requires grad, or a value whose kind or shape does
            not fit.
        OutOfRangeError: for an index outside its dimension.
    """
    _check_leaf(x)
    value = _value_operand(value, x._array.dtype)
    array = x._array
    box = planned_box(array.shape, item) if type(item) in MAY_BE_BASIC else None
    if box is not None:
        _write_box(x, box, value)
        return
    items = entries(item, array.ndim)
    if is_basic(items):
        _write_box(x, box_of(array.shape, basic_index(items, array.shape)), value)
        return
    is_number = type(value) in NUMBERS
    is_one_value = is_number or value.ndim == 0
    if is_one_value and len(items) == 1 and is_full_mask(items[0], array):
        filled = value if not is_number else dispatch.scalar_of_dtype(value, array.dtype)
        dispatch.call_inplace(ROWS["masked_fill"], (x, on_device(items[0]), filled))
        return
    arrays, pattern = advanced_index(items, array.shape)
    arrays = as_given(item, arrays)
    if is_number:
        dispatch.call_inplace(index_put_scalar.row, (x, arrays), (pattern,), (value,))
    else:
        _check_fits(value, _picked_shape(array, pattern, arrays))
        dispatch.call_inplace(index_put_tensor.row, (x, arrays, value), (pattern,))


def _picked_shape(array, pattern: tuple, arrays: list) -> tuple:
    index = rebuild(pattern, [dispatch.raw(each) for each in arrays])
    return jax.eval_shape(lambda a: with_bool_dims(a, pattern)[index], array).shape


def _check_leaf(x) -> None:
    dispatch.check_inplace(x, "Leaf Tensor")


def _value_operand(value, dtype):
    """Return a number or a Tensor of x's dtype.

    A one-element NumPy array counts as a tensor; a list raises an error, as in Paddle.
    """
    if type(value) in NUMBERS:
        check_real(value, dtype, "the value")
        return value
    if not hasattr(value, "_storage"):
        value = as_tensor(value) if is_symbolic(value) else value
    if not hasattr(value, "_storage"):
        if not isinstance(value, (np.ndarray, jax.Array)):
            raise InvalidArgumentError(
                "Value type error. The assign value allows Tensor, numpy.ndarray, integer, float, "
                f"complex or bool, but received {type(value).__name__}."
            )
        value = dispatch.wrap(on_device(value))
    return value if value._array.dtype == dtype else dispatch.cast(value, dtype)


def _check_fits(value, shape: tuple) -> None:
    given = value._array.shape
    core = given[max(len(given) - len(shape), 0) :]
    fits = len(given) <= len(shape) or set(given[: len(given) - len(shape)]) <= {1}
    pairs = zip(core[::-1], shape[::-1], strict=False)
    if not fits or any(n not in (1, m) for n, m in pairs):
        raise InvalidArgumentError(
            "The shape of tensor assigned value must match the shape of target shape: "
            f"{list(shape)}, but now shape is {list(given)}."
        )


def _write_box(x, box: Box, value) -> None:
    if type(value) in NUMBERS:
        static = (box.index.spans, box.index.steps)
        starts = box.starts if box.starts is not None else starts_of(box.index)
        dispatch.call_inplace(set_value.row, (x, starts), static, (value,))
        return
    dispatch.call_inplace(set_value_with_tensor.row, *_box_arguments(x, box, value))


def _box_arguments(x, box: Box, value) -> tuple[tuple, tuple]:
    """Return the operands and attributes to write a Tensor into a box."""
    if value._array.shape != box.kept:
        _check_fits(value, box.kept)
    starts = box.starts if box.starts is not None else starts_of(box.index)
    return (x, value, starts), (box.index.spans, box.index.steps, box.kept)


def with_box(x, items: list, value):
    """Return a copy of x with a Tensor, cast and broadcast, written at ints and slices.

    Raises:
        InvalidArgumentError: when the value does not fit.
        OutOfRangeError: for an index outside its dimension.
    """
    shape = x._array.shape
    box, value = box_of(shape, basic_index(items, shape)), _value_operand(value, x._array.dtype)
    return dispatch.call(set_value_with_tensor.row, *_box_arguments(x, box, value))
