"""Copies of tensors, and the addition of a number: clone, assign, increment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.as_array import is_beside, without_tensors
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.mode import unrecorded
from jaxeager.ops.call.dispatch import raw
from jaxeager.ops.creation.creation import from_numpy
from jaxeager.ops.elementwise import complex as complex_rows
from jaxeager.ops.register import composite
from jaxeager.ops.row import ROWS

if TYPE_CHECKING:
    from jaxeager.core.types import Number, TensorLike
    from jaxeager.tensor.tensor import Tensor


@composite()
def clone(x: Tensor, name: str | None = None) -> Tensor:
    """Return a copy that gradients pass through.

    ``x`` is a tensor of any shape and dtype; the copy has the same.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.clone(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """
    return complex_rows.assign(x)


def _to_assign(x):
    """Return the argument of ``assign`` as a Tensor of NumPy's dtype; a number as one of [1]."""
    if isinstance(x, (list, tuple)) and _are_tensors_of_one_dtype(x):
        from jaxeager.ops.shape.joining import stack

        return stack(list(x))
    array = np.asarray(without_tensors(x))
    if array.dtype.kind not in "biufc" and array.dtype not in dtypes.HALF:
        raise InvalidTypeError(
            "assign() takes a Tensor, NumPy array, number, or list of those, but received "
            f"{type(x).__name__}."
        )
    return from_numpy(array if isinstance(x, (np.ndarray, list, tuple)) else array.reshape(1))


def _are_tensors_of_one_dtype(values) -> bool:
    found = {raw(each).dtype if hasattr(each, "_storage") else None for each in values}
    return len(found) == 1 and None not in found


@composite(method=False)
def assign(x: TensorLike, output: Tensor | None = None) -> Tensor:
    """Return a copy of ``x``, or write ``x`` into ``output`` and return that.

    Args:
        x: Tensor, NumPy array, number or list; Python floats are float64 here, as in Paddle.
        output: tensor to write into, in place; its version increases, and it stays on its device.

    Returns:
        Tensor of the shape of ``x``, [1] for a number; or ``output``. A leaf that requires a
        gradient, such as a parameter, stays a leaf: the write is not recorded.

    Raises:
        InvalidTypeError: for anything that is not an array.
        InvalidArgumentError: when ``output`` is such a leaf and ``x`` requires a gradient.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.assign(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """
    is_tensor = hasattr(x, "_storage")
    source = x if is_tensor else _to_assign(x)
    if output is None:
        return complex_rows.assign(source) if is_tensor else source  # type: ignore[return-value]
    if not is_beside(source._array, output._array):  # type: ignore[union-attr]
        source = source._put(output._array.sharding)  # type: ignore[union-attr]
    write = ROWS["assign_out"].inplace_function
    if output.is_leaf and source.stop_gradient:  # type: ignore[union-attr]
        return unrecorded(write, output, source)
    return write(output, source)


@composite()
def increment(x: Tensor, value: Number = 1.0, name: str | None = None) -> Tensor:
    """Add a number to a tensor of one element at most, in place, and return it.

    ``x`` may have any dtype, which it keeps.

    Raises:
        InvalidArgumentError: when the tensor has more elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.increment(paddle.zeros([1])).tolist()
        [1.0]
    """
    if raw(x).size > 1:
        raise InvalidArgumentError(
            f"The number of elements in Input(X) should be 1. Now the number is {raw(x).size}."
        )
    return ROWS["scale"].inplace_function(x, None, value)
