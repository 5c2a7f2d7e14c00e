"""Indexing and assignment: the rows behind ``x[...]`` and ``x[...] = v``.

Where a slice starts is a run-time array, so ``x[i]`` in a loop compiles once per shape.
"""

import functools
from types import EllipsisType, NoneType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.core.arrays import on_device
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.memory import add_view
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.kernels import constant_array
from jaxeager.ops.indexing.index_parse import (
    BasicIndex,
    advanced_index,
    basic_index,
    check_bounds,
    check_mask,
    entries,
    is_basic,
    rebuild,
    with_bool_dims,
)
from jaxeager.ops.register import PUBLIC, op
from jaxeager.ops.row import ROWS, ViewRule
from jaxeager.ops.rules.attrs import Scalar, Static, Tensors
from jaxeager.ops.rules.plans import planned
from jaxeager.ops.rules.promotion import NUMBERS
from jaxeager.ops.rules.samples import WITH_COMPLEX, Sample, values


def _region(x, starts, spans):
    return jax.lax.dynamic_slice(x, [starts[i] for i in range(len(spans))], spans)


def _put_region(x, region, starts):
    return jax.lax.dynamic_update_slice(x, region, [starts[i] for i in range(x.ndim)])


def _strides(steps: tuple) -> tuple:
    return tuple(slice(None, None, step) for step in steps)


def _kept(sizes, squeeze) -> tuple:
    return tuple(size for dim, size in enumerate(sizes) if dim not in squeeze)


def slice_forward(x, starts, *, spans: Static, steps: Static, squeeze: Static):
    picked = _region(x, starts, spans)[_strides(steps)]
    return picked.reshape(_kept(picked.shape, squeeze))


def slice_vjp(x, starts, dout, *, spans, steps):
    region = jnp.zeros(spans, dout.dtype)
    strides = _strides(steps)
    picked = dout.reshape(region[strides].shape)
    if all(step == 1 for step in steps):
        return _put_region(jnp.zeros(x.shape, dout.dtype), picked, starts)
    return _put_region(jnp.zeros(x.shape, dout.dtype), region.at[strides].set(picked), starts)


def slice_reference(x, starts, *, spans, steps, squeeze):
    region = x[tuple(slice(s, s + n) for s, n in zip(starts, spans, strict=True))]
    picked = region[_strides(steps)]
    return picked.reshape(_kept(picked.shape, squeeze))


def write_slice(base, value, starts, *, spans, steps, squeeze):
    """Puts the box back."""
    return _write(base, value.reshape(_sizes(spans, steps)), starts, spans, steps)


def slice_samples():
    x = values((4, 5))
    yield Sample(x, np.array([1, 2]), spans=(2, 3), steps=(1, 1), squeeze=())
    yield Sample(x, np.array([3, 0]), spans=(1, 5), steps=(1, 1), squeeze=(0,))
    yield Sample(x, np.array([0, 0]), spans=(0, 5), steps=(1, 1), squeeze=())
    yield Sample(values((3,)), np.array([2]), spans=(1,), steps=(1,), squeeze=(0,))


_slice = op(
    "slice", slice_forward, vjp=slice_vjp, saves="starts", shapes="x", nondiff="starts",
    view=ViewRule(write_slice),
    public=None, reference=slice_reference, samples=slice_samples,
    formula="dx = zeros with dout put where it was read",
    doc="Reads a box out of a tensor; dimensions given by an int disappear.",
    example="paddle.to_tensor([1.0, 2.0, 3.0])[1:]",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def strided_slice_samples():
    x = values((5, 6))
    yield Sample(x, np.array([0, 1]), spans=(5, 5), steps=(2, 2), squeeze=())
    yield Sample(x, np.array([0, 2]), spans=(5, 1), steps=(-1, 1), squeeze=(1,))
    yield Sample(values((7,)), np.array([1]), spans=(6,), steps=(-3,), squeeze=())


_strided_slice = op(
    "strided_slice", slice_forward, vjp=slice_vjp, saves="starts", shapes="x", nondiff="starts",
    view=ViewRule(write_slice),
    public=None, reference=slice_reference, samples=strided_slice_samples,
    formula="dx = zeros with dout put where it was read",
    doc="Reads every n-th element of a box; negative steps read backwards.",
    example="paddle.to_tensor([1.0, 2.0, 3.0])[::2]",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def index_elementwise_get_forward(x, index: Tensors, *, pattern: Static):
    return with_bool_dims(x, pattern)[rebuild(pattern, index)]


def index_elementwise_get_reference(x, index, *, pattern):
    return x[_with_bools(pattern, index)]


def _with_bools(pattern, index) -> tuple:
    """Returns the index that NumPy takes for a pattern."""
    found = rebuild(pattern, index)
    return tuple(
        bool(len(each)) if part == "bool" else each
        for part, each in zip(pattern, found, strict=True)
    )


def index_samples():
    x = values((4, 3, 5))
    rows, columns = np.array([[0, 2], [3, 0]]), np.array([1, -1])
    full = ("slice", None, None, None)
    yield Sample(x, [rows], pattern=("array", full, full))
    yield Sample(x, [rows, columns], pattern=("array", full, "array"))
    yield Sample(x, [columns], pattern=(("slice", 1, None, 2), None, "array", full))
    yield Sample(x, [np.zeros(0, np.int64)], pattern=("array", full, full))
    yes, no = np.zeros(1, np.int64), np.zeros(0, np.int64)
    yield Sample(x, [yes], pattern=(full, "bool", full, full))
    yield Sample(x, [no, np.array(2)], pattern=("bool", "array", full, full))
    yield Sample(x, [columns, yes], pattern=("array", full, full, "bool"))


_index_get = op(
    "index_elementwise_get", index_elementwise_get_forward, saves="index", shapes="x",
    nondiff="index", public=None, reference=index_elementwise_get_reference,
    samples=index_samples,
    formula="dx = zeros with dout added where it was read",
    doc="Reads elements at integer indices, by NumPy's rules.",
    example="paddle.to_tensor([1.0, 2.0, 3.0])[[2, 0]]",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def _write(x, update, starts, spans, steps):
    """Returns x with a box (or every n-th element of it) replaced."""
    if all(step == 1 for step in steps):
        return _put_region(x, update, starts)
    region = _region(x, starts, spans).at[_strides(steps)].set(update)
    return _put_region(x, region, starts)


def _sizes(spans, steps) -> tuple:
    return tuple(-(-span // abs(step)) for span, step in zip(spans, steps, strict=True))


def set_value_forward(x, starts, *, value: Scalar, spans: Static, steps: Static):
    return _write(x, jnp.full(_sizes(spans, steps), value, x.dtype), starts, spans, steps)


def set_value_vjp(starts, dout, *, spans, steps):
    zeros = jnp.zeros(_sizes(spans, steps), dout.dtype)
    return _write(dout, zeros, starts, spans, steps)


def set_value_reference(x, starts, *, value, spans, steps):
    out = np.array(x)
    out[(*_numpy_box(starts, spans), ...)][(*_strides(steps), ...)] = value
    return out


def _numpy_box(starts, spans) -> tuple:
    return tuple(slice(s, s + n) for s, n in zip(starts, spans, strict=True))


def set_value_samples():
    x = values((4, 5))
    yield Sample(x, np.array([1, 2]), value=3.0, spans=(2, 3), steps=(1, 1))
    yield Sample(x, np.array([0, 0]), value=-1.0, spans=(3, 5), steps=(2, -2))
    yield Sample(x, np.array([0, 0]), value=-1.0, spans=(0, 5), steps=(1, 1))
    yield Sample(values(()), np.zeros(0, np.int64), value=2.0, spans=(), steps=())


_set_value = op(
    "set_value", set_value_forward, vjp=set_value_vjp, saves="starts", nondiff="starts",
    public=None, reference=set_value_reference, samples=set_value_samples,
    formula="dx = dout, 0 where the number was written",
    doc="Writes a number into a box of a tensor.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def set_value_with_tensor_forward(x, values, starts, *, spans: Static, steps: Static, kept: Static):
    sizes = _sizes(spans, steps)
    box = jnp.broadcast_to(_without_leading(values, kept), kept).reshape(sizes)
    return _write(x, box.astype(x.dtype), starts, spans, steps)


def _without_leading(values, kept):
    """Drops leading dimensions of size 1 that the box does not have."""
    extra = max(values.ndim - len(kept), 0)
    return values.reshape(values.shape[extra:]) if set(values.shape[:extra]) <= {1} else values


def set_value_with_tensor_vjp(values, starts, dout, *, spans, steps, kept):
    sizes = _sizes(spans, steps)
    dx = _write(dout, jnp.zeros(sizes, dout.dtype), starts, spans, steps)
    dbox = _region(dout, starts, spans)[_strides(steps)].reshape(kept)
    extra = dbox.ndim - values.ndim
    shape = (1,) * extra + values.shape if extra >= 0 else values.shape[-extra:]
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    return dx, dbox.sum(axis=axes, dtype=dbox.dtype).reshape(values.shape)


def set_value_with_tensor_reference(x, values, starts, *, spans, steps, kept):
    out = np.array(x)
    view = out[_numpy_box(starts, spans)][_strides(steps)]
    view[...] = np.broadcast_to(values, kept).reshape(view.shape)
    return out


def set_value_with_tensor_samples():
    x = values((4, 5))
    box: dict[str, Any] = {"spans": (2, 3), "steps": (1, 1), "kept": (2, 3)}
    yield Sample(x, values((2, 3), seed=1), np.array([1, 2]), **box)
    yield Sample(x, values((3,), seed=1), np.array([1, 2]), **box)
    yield Sample(x, values((), seed=1), np.array([1, 2]), **box)
    column = {"spans": (4, 1), "steps": (-2, 1), "kept": (2,)}
    yield Sample(x, values((2,), seed=1), np.array([0, 2]), **column)


_set_value_with_tensor = op(
    "set_value_with_tensor", set_value_with_tensor_forward, vjp=set_value_with_tensor_vjp,
    saves="values starts", nondiff="starts", public=None,
    reference=set_value_with_tensor_reference, samples=set_value_with_tensor_samples,
    formula="dx = dout, 0 where written; dvalues = dout where written",
    doc="Writes a tensor, broadcast, into a box of another.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def index_put_scalar_forward(x, index: Tensors, *, value: Scalar, pattern: Static):
    wide = with_bool_dims(x, pattern)
    return wide.at[rebuild(pattern, index)].set(value.astype(x.dtype)).reshape(x.shape)


def index_put_scalar_reference(x, index, *, value, pattern):
    out = np.array(x)
    out[_with_bools(pattern, index)] = value
    return out


def index_put_scalar_samples():
    for sample in index_samples():
        yield Sample(*sample.inputs, value=1.5, **sample.attrs)


_index_put_scalar = op(
    "index_elementwise_put", index_put_scalar_forward, saves="index", shapes="x", nondiff="index",
    public=None, reference=index_put_scalar_reference, samples=index_put_scalar_samples,
    formula="dx = dout, 0 where the number was written",
    doc="Writes a number at integer indices.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def index_put_tensor_forward(x, index: Tensors, values, *, pattern: Static):
    wide, where = with_bool_dims(x, pattern), rebuild(pattern, index)
    shape = jax.eval_shape(lambda a, *i: a[rebuild(pattern, i)], wide, *index).shape
    values = jnp.broadcast_to(_without_leading(values, shape), shape)
    return wide.at[where].set(values.astype(x.dtype)).reshape(x.shape)


def index_put_tensor_reference(x, index, values, *, pattern):
    out = np.array(x)
    out[_with_bools(pattern, index)] = values
    return out


def index_put_tensor_samples():
    x = values((4, 3))
    full = ("slice", None, None, None)
    yield Sample(x, [np.array([0, 2])], values((2, 3), seed=1), pattern=("array", full))
    yield Sample(x, [np.array([3, 1])], values((3,), seed=1), pattern=("array", full))
    pair = [np.array([0, 2]), np.array([1, 0])]
    yield Sample(x, pair, values((), seed=1), pattern=("array", "array"))
    yes, no = np.zeros(1, np.int64), np.zeros(0, np.int64)
    yield Sample(x, [yes], values((4, 1, 3), seed=1), pattern=(full, "bool", full))
    yield Sample(x, [no, np.array(2)], values((3,), seed=1), pattern=("bool", "array", full))


_index_put_tensor = op(
    "index_elementwise_put_with_tensor", index_put_tensor_forward, saves="index",
    shapes="x values", nondiff="index", public=None, reference=index_put_tensor_reference,
    samples=index_put_tensor_samples,
    formula="dx = dout, 0 where written; dvalues = dout where it is the value kept",
    doc="Writes a tensor, broadcast, at integer indices; the last of equal indices is kept.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


# ---- reading


_starts_cache: dict = {}


def starts_array(starts: tuple) -> jax.Array:
    """Returns where a box starts as an array, from a cache."""
    array = _starts_cache.get(starts)
    if array is None:
        if len(_starts_cache) >= 65536:
            _starts_cache.clear()
        array = _starts_cache[starts] = constant_array(np.asarray(starts, np.int32))
    return array


def getitem(x, item):
    """Returns ``x[item]``.

    Raises:
        OutOfRangeError: for an index outside its dimension, or too many of them.
        InvalidArgumentError: for an index of a kind that is none.
    """
    array = x._array
    box = _planned_box(array.shape, item) if type(item) in _MAY_BE_BASIC else None
    if box is not None:
        return _read(x, box)
    if hasattr(item, "_storage") and array.ndim:
        index = item._array
        if index.dtype in _WIDE_INTEGERS and index.ndim:
            check_bounds(index, array.shape[0], 0)
            return _index_get(x, [item], _along_first(array.ndim))
        if index.dtype == np.bool_ and index.shape == array.shape:
            return PUBLIC["masked_select"](x, dispatch.wrap(index))
    items = entries(item, array.ndim)
    if is_basic(items):  # integers of other types, 0-D tensors
        return _read(x, _box(array.shape, basic_index(items, array.shape)))
    if len(items) == 1 and _is_full_mask(items[0], array):
        return PUBLIC["masked_select"](x, dispatch.wrap(on_device(items[0])))
    arrays, pattern = advanced_index(items, array.shape)
    return _index_get(x, _as_given(item, arrays), pattern)


class Box(NamedTuple):
    """A region of a shape as the ops that read and write it want it.

    Attributes:
        index: where it is.
        starts: its first element, as an array.
        kept: its shape, as the result has it.
        is_everything: whether it is the whole tensor as it is.
        is_whole: whether it is, but for dimensions that are added.
        has_gaps: whether a step is not 1.
    """

    index: BasicIndex
    starts: jax.Array
    kept: tuple[int, ...]
    is_everything: bool
    is_whole: bool
    has_gaps: bool


_MAY_BE_BASIC = frozenset({int, slice, tuple, NoneType, EllipsisType, np.int64})
_WIDE_INTEGERS = frozenset(map(np.dtype, ("int32", "int64")))


@planned
def _planned_box(shape: tuple, item) -> Box | None:
    """Returns the box of an index of plain values, None when it is not made of ints and slices."""
    items = entries(item, len(shape))
    return _box(shape, basic_index(items, shape)) if is_basic(items) else None


def _box(shape: tuple, index: BasicIndex) -> Box:
    kept = list(_kept(index.sizes(), index.squeeze))
    for axis in index.new_axes:
        kept.insert(axis, 1)
    has_gaps = any(step != 1 for step in index.steps)
    is_whole = index.spans == shape and not index.squeeze and not has_gaps
    everything = index.is_everything(shape)
    return Box(index, starts_array(index.starts), tuple(kept), everything, is_whole, has_gaps)


@functools.cache
def _along_first(ndim: int) -> tuple:
    """Returns the pattern of one index array along the first dimension."""
    return ("array", *[("slice", None, None, None)] * (ndim - 1))


def _as_given(index, arrays: list) -> list:
    """Returns the arrays of an index, as the Tensors the user gave where it was one.

    Their versions are checked in backward then, as Paddle does.
    """
    parts = index if isinstance(index, tuple) else (index,)
    given = {id(part._array): part for part in parts if hasattr(part, "_storage")}
    return [given.get(id(array), array) for array in arrays]


def _is_full_mask(item, array) -> bool:
    is_mask = isinstance(item, (jax.Array, np.ndarray)) and item.dtype == np.bool_
    if not is_mask or item.ndim != array.ndim or item.ndim == 0:
        return False
    check_mask(item, array.shape, 0)
    return True


def read_box(x, index: BasicIndex, records: bool = False):
    """Returns what ints and slices pick out of x.

    Args:
        x: tensor of any shape.
        index: where to read.
        records: whether reading everything is an op as well, not x under another name.
    """
    return _read(x, _box(x._array.shape, index), records)


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
        read = _strided_slice if box.has_gaps else _slice
        out = read(x, box.starts, index.spans, index.steps, index.squeeze)
    return ROWS["unsqueeze"].function(out, list(index.new_axes)) if index.new_axes else out


def read_part(x, axis: int, start: int, length: int):
    """Returns the part of a tensor between two places of an axis; it shares memory."""
    shape = x._array.shape
    starts = starts_array((0,) * axis + (start,) + (0,) * (len(shape) - axis - 1))
    spans = (*shape[:axis], length, *shape[axis + 1 :])
    return _slice(x, starts, spans, (1,) * len(shape), ())


# ---- writing


def setitem(x, item, value) -> None:
    """Writes ``x[item] = value`` in place; the value is cast to x's dtype.

    Raises:
        InvalidArgumentError: for a leaf that requires grad, a value of a kind or shape that
            does not fit.
        OutOfRangeError: for an index outside its dimension.
    """
    _check_leaf(x)
    value = _value_operand(value, x._array.dtype)
    array = x._array
    box = _planned_box(array.shape, item) if type(item) in _MAY_BE_BASIC else None
    if box is not None:
        _write_box(x, box, value)
        return
    items = entries(item, array.ndim)
    if is_basic(items):
        _write_box(x, _box(array.shape, basic_index(items, array.shape)), value)
        return
    is_number = type(value) in NUMBERS
    is_one_value = is_number or value.ndim == 0
    if is_one_value and len(items) == 1 and _is_full_mask(items[0], array):
        filled = value if not is_number else dispatch.scalar_of_dtype(value, array.dtype)
        dispatch.call_inplace(ROWS["masked_fill"], (x, on_device(items[0]), filled))
        return
    arrays, pattern = advanced_index(items, array.shape)
    arrays = _as_given(item, arrays)
    if is_number:
        dispatch.call_inplace(_index_put_scalar.row, (x, arrays), (pattern,), (value,))
    else:
        _check_fits(value, _picked_shape(array, pattern, arrays))
        dispatch.call_inplace(_index_put_tensor.row, (x, arrays, value), (pattern,))


def _picked_shape(array, pattern: tuple, arrays: list) -> tuple:
    index = rebuild(pattern, [dispatch.raw(each) for each in arrays])
    return jax.eval_shape(lambda a: with_bool_dims(a, pattern)[index], array).shape


def _check_leaf(x) -> None:
    dispatch.check_inplace(x, "Leaf Tensor")


def _value_operand(value, dtype):
    """Returns a number or a Tensor of x's dtype.

    A one-element NumPy array counts as a tensor; a list is refused, as in Paddle.
    """
    if type(value) in NUMBERS:
        return value
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
        dispatch.call_inplace(_set_value.row, (x, box.starts), static, (value,))
        return
    dispatch.call_inplace(_set_value_with_tensor.row, *_box_arguments(x, box, value))


def _box_arguments(x, box: Box, value) -> tuple[tuple, tuple]:
    """Returns operands and attributes that write a Tensor into a box."""
    if value._array.shape != box.kept:
        _check_fits(value, box.kept)
    return (x, value, box.starts), (box.index.spans, box.index.steps, box.kept)


def with_box(x, items: list, value):
    """Returns a copy of x with a Tensor, cast and broadcast, at ints and slices.

    Raises:
        InvalidArgumentError: when the value does not fit.
        OutOfRangeError: for an index outside its dimension.
    """
    shape = x._array.shape
    box, value = _box(shape, basic_index(items, shape)), _value_operand(value, x._array.dtype)
    return dispatch.call(_set_value_with_tensor.row, *_box_arguments(x, box, value))
