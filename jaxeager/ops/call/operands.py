"""The first two stages of a call: read the operands (parse) and cast them to one dtype (promote).

A cast for promotion is a separate op, and is recorded as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core import dtypes
from jaxeager.core.open_size import as_array
from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidTypeError
from jaxeager.graph import events
from jaxeager.graph.mode import grad_mode
from jaxeager.ops.call.bad_operands import bad_item, bad_operand
from jaxeager.ops.call.creation_events import number_tensor
from jaxeager.ops.call.kernels import constant_array
from jaxeager.ops.call.recording import edge_of
from jaxeager.ops.call.wrapping import raw
from jaxeager.ops.row import ROWS
from jaxeager.ops.rules import fitting, promotion
from jaxeager.ops.rules.real_only import check_real, refuse_complex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jaxeager.graph.meta import Edge
    from jaxeager.ops.call.types import Arrays, Operands, Reader
    from jaxeager.ops.row import Operand, OpRow

# ---- parse

bare_kinds: set[type] = set()
"""The classes of the jax.Arrays that calls have received instead of Tensors: a test for one of them
is ten times as fast as a test for jax.Array."""

bare_kinds_or_none: set[type] = {type(None)}
"""The same classes, and that of None, for an optional operand."""


LISTS: set[type] = {list, tuple}
"""The types of an operand that is a list of tensors."""


def readers_of(row: OpRow) -> tuple[Reader, ...]:
    """Return per operand its slot, the types other than Tensor, and whether it gets gradients."""

    def others(operand: Operand) -> set[type]:
        if operand.is_list:
            return LISTS
        return bare_kinds_or_none if operand.is_optional else bare_kinds

    return tuple([(each.slot, others(each), each.is_differentiable) for each in row.operands])


def read(
    readers: tuple[Reader, ...], operands: Sequence[Any], is_recording: bool
) -> tuple[Arrays, list[Edge | None], int]:
    """Return the arrays of operands, the edges of their gradients, and how many require one.

    Args:
        readers: those of the row; operands are tensors, or of a type that their reader allows.
        operands: those of the call.
        is_recording: whether edges are needed.
    """
    arrays: Arrays
    edges: list[Edge | None]
    arrays, edges, wanted = [], [], 0
    for slot, bare, is_reached in readers:
        operand = operands[slot]
        if type(operand) in bare:
            if bare is LISTS:
                arrays.append([each._array for each in operand])
                if is_reached and is_recording:
                    edges += map(edge_of, operand)
                    wanted += any(edges)
                continue
            arrays.append(operand)
            if is_reached:
                edges.append(None)
            continue
        arrays.append(operand._array)
        if is_reached and is_recording:
            meta: Any = operand._meta
            if meta is None or meta.stop_gradient:
                edges.append(None)
            else:
                edges.append(meta if meta.node else edge_of(operand))
                wanted += 1
    return arrays, edges, wanted


def operand_array(row: OpRow, operand: Operand, value: Any) -> Any:
    """Return the array of an operand's value, or None or a list of arrays.

    Raises:
        InvalidOperandError: when it is neither a Tensor nor a jax.Array.
    """
    array = getattr(value, "_array", None)
    if array is not None:
        return array
    if operand.is_list:
        return _list_arrays(row, operand, value)
    if isinstance(value, jax.Array):
        bare_kinds.add(type(value))
        bare_kinds_or_none.add(type(value))
        return value
    if value is None and operand.is_optional:
        return None
    raise bad_operand(row.name, operand.name, operand.slot, value)


def _list_arrays(row: OpRow, operand: Operand, values: Iterable[object]) -> list[jax.Array]:
    if not isinstance(values, (list, tuple)):
        raise bad_operand(row.name, operand.name, operand.slot, values, "list of Tensors")
    arrays: list[jax.Array] = []
    for rank, value in enumerate(values):
        array = getattr(value, "_array", None)
        if array is None:
            if not isinstance(value, jax.Array):
                raise bad_item(row.name, operand.name, operand.slot, rank, value)
            array = value
        arrays.append(array)
    return arrays


_scalar_cache: dict[tuple[object, np.dtype], jax.Array] = {}


def scalar_array(value: Any, dtype: np.dtype) -> Any:
    """Return a number as a 0-D array of the dtype that an op computes in; None stays None.

    The arrays are cached: making one costs ten times a dictionary look-up. For (b)float16 operands
    the scalars are float32.
    """
    if value is None:
        return None
    try:
        array = _scalar_cache.get((value, dtype))
    except TypeError:  # a Tensor compares element by element, a list has no hash
        array = None
    if array is None:
        if type(value) in _COMPLEX_NUMBERS:
            check_real(value, dtype, "The number")
        if dtype in dtypes.HALF:
            return scalar_array(value, np.dtype("float32"))
        if type(value) not in promotion.NUMBERS:
            return _scalar_from_tensor(value, dtype)
        array = scalar_of_dtype(value, dtype)
    return array


_COMPLEX_NUMBERS = frozenset({complex, np.complex64, np.complex128})


def scalar_of_dtype(value: Any, dtype: np.dtype) -> jax.Array:
    """Return a number as a 0-D array of exactly ``dtype``, from the cache when it is there."""
    key = (value if value else repr(value), dtype)  # 0.0 and -0.0 are equal, but not the same
    array = _scalar_cache.get(key)
    if array is None:
        if len(_scalar_cache) >= 4096:
            _scalar_cache.clear()
        array = _scalar_cache[key] = constant_array(fitting.host_number(value, dtype))
    return array


def _scalar_from_tensor(value: Any, dtype: np.dtype) -> jax.Array:
    array = value._array if hasattr(value, "_storage") else value
    array = as_array(array) if is_symbolic(array) else array
    if not isinstance(array, (jax.Array, np.ndarray)) or array.size != 1:
        raise InvalidTypeError(
            f"This argument must be a number or a Tensor of one element, but received {value!r}."
        )
    found = on_device(array)
    if found.dtype in dtypes.COMPLEX:
        refuse_complex(value, dtype, "The number")
    if found.shape == () and found.dtype == dtype:  # in lazy mode a method would read the value
        return found
    return found.reshape(()).astype(dtype)


# ---- promote


def promote(row: OpRow, operands: Operands) -> Operands:
    """Return the operands after type promotion; a cast is recorded as a separate op."""
    if row.promote == "float":
        return (promote_to_float(operands[0]), *operands[1:])
    return _promote_pairwise(row, operands)


def promote_to_float(x: Any) -> Any:
    """Return x, an integer or bool tensor cast to the default floating dtype by a recorded op."""
    if hasattr(x, "_storage"):
        dtype = x._array.dtype
        if not (dtype in dtypes.FLOATS or dtype in dtypes.COMPLEX):
            return cast(x, dtypes.default_float())
    return x


def _promote_pairwise(row: OpRow, operands: Operands) -> Operands:
    """Cast the operands named x and y to one dtype."""
    i, j = row.slots["x"], row.slots["y"]
    x, y = operands[i], operands[j]
    if hasattr(x, "_storage") and hasattr(y, "_storage") and x._array.dtype == y._array.dtype:
        return operands
    x = _as_operand(row, "x", operands[i], operands[j])
    y = _as_operand(row, "y", operands[j], operands[i])
    x_array, y_array = raw(x), raw(y)
    if x_array.dtype != y_array.dtype:
        if x is x_array or y is y_array:  # a number: it has the common dtype already
            target = x_array.dtype if x is x_array else y_array.dtype
        else:
            target = promotion.common_dtype(x_array, y_array, row.promote == "binary")
        x = x if x_array.dtype == target else cast(x, target)
        y = y if y_array.dtype == target else cast(y, target)
    if events.has_ops and not grad_mode.silent:
        x, y = _shown_number(row, x, y), _shown_number(row, y, x)
    promoted = list(operands)
    promoted[i], promoted[j] = x, y
    return tuple(promoted)


def _shown_number(row: OpRow, value: Any, other: Any) -> Any:
    """Return a number next to a tensor as the tensor that Paddle makes from it, for tools."""
    if hasattr(value, "_storage") or value.ndim or not hasattr(other, "_storage"):
        return value
    shape = other._array.shape
    if row.name == "floor_divide" and shape:
        shape = (1,)
    return number_tensor(value, value.dtype, shape)


def _as_operand(row: OpRow, name: str, value: Any, other: Any) -> Any:
    """Convert a Python number next to a tensor into an operand."""
    if hasattr(value, "_storage") or isinstance(value, jax.Array):
        return value
    if type(value) in promotion.NUMBERS and hasattr(other, "_storage"):
        return scalar_of_dtype(*fitting.operand(row.name, value, raw(other).dtype))
    raise bad_operand(row.name, name, row.slots[name], value, "int, float, bool or Tensor")


def cast(x: Any, dtype: np.dtype) -> Any:
    """Cast a tensor with the recorded ``cast`` op, or a raw array without one."""
    if hasattr(x, "_storage"):
        return ROWS["cast"].function(x, dtype)
    return x.astype(dtype)
