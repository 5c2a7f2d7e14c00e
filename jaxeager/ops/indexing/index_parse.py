"""The parser of the index in ``x[...]``: basic and advanced indices."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import host_values, on_device
from jaxeager.core import ports
from jaxeager.core.symbolic import greater, is_symbolic, lesser
from jaxeager.errors import InvalidArgumentError, InvalidIndexError, OutOfRangeError
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.value_checks import can_be_looked_at, refused

_INTS = (int, np.integer)
_BOOLS = (bool, np.bool_)
_NARROW = tuple(np.dtype(name) for name in ("int8", "uint8", "int16", "uint16"))


class BasicIndex(NamedTuple):
    """Ints and slices, one entry per dimension of the tensor.

    Attributes:
        starts: first element of the region (the lowest, also for negative steps).
        spans: length of the region that holds all selected elements.
        steps: step within it; negative reads it backwards.
        squeeze: dimensions indexed by an int, which disappear.
        new_axes: positions of ``None`` in the result.
    """

    starts: tuple[int, ...]
    spans: tuple[int, ...]
    steps: tuple[int, ...]
    squeeze: tuple[int, ...]
    new_axes: tuple[int, ...]

    def sizes(self) -> tuple[int, ...]:
        """Return the number of selected elements per dimension."""
        return tuple(
            -(-span // abs(step)) for span, step in zip(self.spans, self.steps, strict=True)
        )

    def is_everything(self, shape) -> bool:
        """Return whether the index selects all elements of a shape, in order, and adds no axis."""
        whole = self.spans == tuple(shape) and all(step == 1 for step in self.steps)
        return whole and not self.squeeze and not self.new_axes


def entries(index, ndim: int) -> list:
    """Return the entries of an index: ints, slices, None, bools, arrays; ``...`` is expanded.

    An Ellipsis of no dimensions is kept where it separates arrays: as in NumPy, the dimensions that
    they select are then the first ones.

    Raises:
        InvalidArgumentError: for an entry that is not an index.
        OutOfRangeError: for more entries than dimensions; also a ValueError unless it is an int.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    items = [_entry(item, position) for position, item in enumerate(items)]
    used = sum(_dims_used(item) for item in items if item is not Ellipsis)
    dots = [position for position, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise InvalidArgumentError("An index can only have one ellipsis ('...').")
    if used > ndim:
        text = f"Too many indices: {used} given, but the tensor has {ndim} dimensions."
        raise refused(_kind_beyond(items, ndim)(text))
    fill = [slice(None)] * (ndim - used)
    where = dots[0] if dots else len(items)
    before, after = items[:where], items[where + len(dots) :]
    if dots and not fill and _has_place(before) and _has_place(after):
        fill = [Ellipsis]
    return before + fill + after


def _kind_beyond(items: list, ndim: int) -> type[OutOfRangeError]:
    """Return the error for more entries than dimensions; Paddle's depends on the first beyond."""
    used = 0
    for item in items:
        used += 0 if item is Ellipsis else _dims_used(item)
        if used > ndim:
            return OutOfRangeError if isinstance(item, int) else InvalidIndexError
    return InvalidIndexError


def _has_place(items: list) -> bool:
    return any(not (item is None or isinstance(item, slice)) for item in items)


def _dims_used(item) -> int:
    if item is None or isinstance(item, _BOOLS):
        return 0
    if isinstance(item, (jax.Array, np.ndarray)) and item.dtype == np.bool_:
        return item.ndim
    return 1


def _entry(item, position: int):
    """Return one entry in plain form: int, slice, None, Ellipsis, bool or an array."""
    if item is None or item is Ellipsis or isinstance(item, _BOOLS):
        return item
    if isinstance(item, _INTS):
        return int(item)
    if isinstance(item, slice):
        return item
    if hasattr(item, "_storage"):
        item = item._array
    elif isinstance(item, (list, tuple, range)):
        item = _listed(item, position)
    if isinstance(item, (jax.Array, np.ndarray)):
        if item.dtype == np.bool_ or np.issubdtype(item.dtype, np.integer):
            return _of_array(item)
        if isinstance(item, np.ndarray) and item.size == 0 and item.dtype == np.float64:
            return item.astype(np.int64)  # NumPy makes a float64 array from []
    elif is_symbolic(item):
        return item
    elif hasattr(type(item), "__index__"):
        return operator.index(item)
    raise _no_index(item, position)


def _of_array(item):
    """Return the number in a 0-D array, else the array; narrow integers become int32."""
    if item.ndim == 0 and not isinstance(item, Tracer):
        return item.item()
    return item.astype(np.int32) if item.dtype in _NARROW else item


def _listed(item, position: int) -> np.ndarray:
    """Return a list of ints, bools, arrays or lists of them as an array."""
    try:
        return np.asarray([np.asarray(each) for each in item])
    except ValueError:
        raise InvalidArgumentError(
            f"The list in {position}th slice item holds lists of different lengths: {item!r}."
        ) from None


def _no_index(item, position: int) -> InvalidArgumentError:
    return InvalidArgumentError(
        "Currently, Tensor.__indices__() only allows indexing by Boolean, Integers, Slices, "
        "Ellipsis, None, Tuples of these types and List / Tensor of Bool and Integers, but "
        f"received {getattr(item, 'dtype', type(item).__name__)} in {position}th slice item"
    )


def is_basic(items: list) -> bool:
    """Return whether the entries are ints, slices, None and ``...`` only."""
    return all(
        item is None
        or item is Ellipsis
        or type(item) is int
        or isinstance(item, slice)
        or is_symbolic(item)
        for item in items
    )


def basic_index(items: list, shape: tuple[int, ...]) -> BasicIndex:
    """Return the region that basic entries select.

    Raises:
        OutOfRangeError: for an int outside its dimension.
        InvalidArgumentError: for a step of zero.
    """
    starts, spans, steps, squeeze, new_axes = [], [], [], [], []
    out_position = 0
    for item in items:
        if item is Ellipsis:
            continue
        if item is None:
            new_axes.append(out_position)
            out_position += 1
            continue
        dim = len(starts)
        size = shape[dim]
        if isinstance(item, slice):
            start, span, step = _slice_region(item, size)
            out_position += 1
        else:
            start, span, step = _int_region(item, size, dim)
            squeeze.append(dim)
        starts.append(start)
        spans.append(span)
        steps.append(step)
    return BasicIndex(*(tuple(each) for each in (starts, spans, steps, squeeze, new_axes)))


def _int_region(index: int, size: int, dim: int) -> tuple[int, int, int]:
    if not -size <= index < size:
        text = (
            f"The starting index {index} of slice is out of bounds in tensor {dim}-th axis, "
            f"it should be in the range of [{-size}, {size})."
        )
        raise refused(OutOfRangeError(text))
    return (index if index >= 0 else size + index), 1, 1


def _slice_region(item: slice, size: int) -> tuple[int, int, int]:
    bounds = [None if v is None else _bound(v) for v in (item.start, item.stop, item.step)]
    if bounds[2] == 0:
        raise InvalidArgumentError("The step of a slice must not be 0.")
    if is_symbolic(size) or any(map(is_symbolic, bounds)):
        return _symbolic_region(bounds, size)
    picked = range(size)[slice(*bounds)]
    if not picked:
        return 0, 0, 1
    low, high = min(picked[0], picked[-1]), max(picked[0], picked[-1])
    return low, high - low + 1, max(min(picked.step, _MOST_STEP), -_MOST_STEP)


def _symbolic_region(bounds: list, size) -> tuple:
    """Return the region of a slice with symbolic bounds or a symbolic size."""
    start, stop, step = bounds
    step = 1 if step is None else step
    if step > 0:
        low = 0 if start is None else _within(start, size, 0)
        end = size if stop is None else _within(stop, size, 0)
    else:  # backwards, from the place before ``end``
        low = 0 if stop is None else _within(stop, size, -1) + 1
        end = size if start is None else _within(start, size, -1) + 1
        end = lesser(end, size)
    return low, greater(end - low, 0), step


def _within(bound, size, least: int):
    """Return a bound of a slice, counted from the front and limited to a size."""
    if bound < 0:
        return greater(size + bound, least)
    return lesser(bound, size)


_MOST_STEP = 2**31 - 1  # a longer step selects one element, and exceeds XLA's limit


def _bound(value) -> int:
    """Return a bound of a slice as an int.

    Raises:
        InvalidArgumentError: when it is not one.
    """
    if is_symbolic(value):
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise InvalidArgumentError(
            "Currently, slice indices only allows None, integers, tensor(int) and numpy(int) in "
            f"slice item, but received {value!r}."
        ) from None


def check_within(
    array, least: int, bound: int, error: Callable[[int], Exception], ignored: int | None = None
) -> None:
    """Raise ``error(index)`` for the first integer outside [least, bound). About 2 us.

    Every op with indices calls this, because XLA clamps or drops indices that are out of range.
    Where the check would wait for an accelerator, FLAGS_check_index=1 makes the device do it.

    Args:
        array: the indices.
        least: the lowest index allowed.
        bound: one more than the highest index allowed.
        error: returns the exception for an index, which names it and the bounds.
        ignored: an index outside the bounds that is allowed nevertheless.
    """
    if can_be_looked_at(array):
        values = host_values(array)
        if _are_within(values, least, bound):
            return
        bad = values[(values < least) | (values >= bound)]
        bad = bad if ignored is None else bad[bad != ignored]
        if bad.size:
            raise refused(error(int(bad.reshape(-1)[0])))
    elif ports.look_at_indices is not None and not isinstance(array, Tracer):
        ports.look_at_indices(array, least, bound, error, ignored)


def _are_within(values: np.ndarray, least: int, bound: int) -> bool:
    """Return whether all integers are in [least, bound)."""
    if values.size <= 32:  # for so few, Python is faster than NumPy
        listed = values.tolist() if values.ndim == 1 else values.ravel().tolist()
        return not listed or (min(listed) >= least and max(listed) < bound)
    # The ufuncs themselves: the methods min and max take twice as long.
    return np.minimum.reduce(values, None) >= least and np.maximum.reduce(values, None) < bound


def check_bounds(array, size: int, dim: int, kind: type[OutOfRangeError] = OutOfRangeError) -> None:
    """Raise an error of the given kind for integers outside [-size, size); see ``check_within``."""
    check_within(array, -size, size, partial(_out_of_bounds, kind, size, dim))


def _out_of_bounds(kind: type, size: int, dim: int, index: int) -> OutOfRangeError:
    return kind(
        f"The index {index} is out of bounds in tensor {dim}-th axis, "
        f"it should be in the range of [{-size}, {size})."
    )


def advanced_index(items: list, shape: tuple[int, ...]) -> tuple[list, tuple]:
    """Split entries with arrays into the arrays and a static pattern.

    Boolean masks become integer indices. This needs their values, so it waits for the device.

    Returns:
        integer arrays, and a hashable pattern: "array", "bool" (see Note [Bools in an index]),
        None, Ellipsis, or ("slice", start, stop, step).

    Raises:
        OutOfRangeError: for a mask of another shape or an index out of bounds.
    """
    arrays, pattern, dim = [], [], 0
    for item in items:
        if item is None or item is Ellipsis:
            pattern.append(item)
        elif isinstance(item, slice):
            pattern.append(("slice", item.start, item.stop, item.step))
            dim += 1
        elif isinstance(item, _BOOLS):
            arrays.append(on_device(np.zeros(1 if item else 0), np.int32))
            pattern.append("bool")
        elif is_symbolic(item):
            if not -shape[dim] <= item < shape[dim]:
                raise _out_of_bounds(OutOfRangeError, shape[dim], dim, item)
            arrays.append(jnp.asarray(item, np.int32))
            pattern.append("array")
            dim += 1
        elif type(item) is int:
            check_bounds(host_values(item), shape[dim], dim)
            arrays.append(on_device(np.array(item, place_dtype(item))))
            pattern.append("array")
            dim += 1
        elif item.dtype == np.bool_:
            check_mask(item, shape, dim)
            arrays += [on_device(each) for each in np.nonzero(host_values(item))]
            pattern += ["array"] * item.ndim
            dim += item.ndim
        else:
            check_bounds(item, shape[dim], dim)
            arrays.append(on_device(item))
            pattern.append("array")
            dim += 1
    return arrays, tuple(pattern)


def check_mask(mask, shape: tuple[int, ...], dim: int) -> None:
    """Raise OutOfRangeError when a mask does not have the shape of the dimensions it covers."""
    for offset, size in enumerate(mask.shape):
        if size != shape[dim + offset]:
            text = (
                f"The shape of boolean index {size} did not match indexed tensor "
                f"{shape[dim + offset]} along axis {dim + offset}."
            )
            raise refused(OutOfRangeError(text))


def rebuild(pattern: tuple, arrays) -> tuple:
    """Return the index that a pattern and its arrays describe."""
    arrays = iter(arrays)
    return tuple(
        slice(*part[1:])
        if isinstance(part, tuple)
        else next(arrays)
        if isinstance(part, str)
        else part
        for part in pattern
    )


def with_bool_dims(x, pattern: tuple) -> Any:
    """Return x with a new dimension of size 1 per bool of a pattern; x itself without bools.

    Note [Bools in an index]
        A single bool indexes no dimension of the tensor: it is a mask of no dimensions, where True
        selects all of the tensor and False nothing. So it becomes an index array along a new
        dimension of size 1: [0] for True, [] for False. It follows the rules of the other arrays
        (including ints): they broadcast, and if one of them is separated from the others, the
        dimensions that they select are the first ones.
    """
    if "bool" not in pattern:
        return x
    dims = [part for part in pattern if part is not None and part is not Ellipsis]
    new = [place for place, part in enumerate(dims) if part == "bool"]
    return np.expand_dims(x, new) if isinstance(x, np.ndarray) else jnp.expand_dims(x, new)
