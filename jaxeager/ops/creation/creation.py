"""New tensors of given values: no operands, so no rows, and nothing is recorded.

Constant fills run a kernel that is compiled once per shape and dtype; matrices are made on the host
and moved, which never compiles. ``zeros`` documents the parameters that ``placed`` adds to each
function.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import as_array
from jaxeager.core import dtypes
from jaxeager.core.flags import flag
from jaxeager.core.open_size import as_tensor
from jaxeager.core.symbolic import has_symbols, is_symbolic
from jaxeager.errors import InvalidArgumentError, InvalidSizeError, InvalidTypeError
from jaxeager.kernels.executables import Origin
from jaxeager.kernels.size_limit import check_size
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call.creation_events import source
from jaxeager.ops.call.dispatch import raw, scalar_of_dtype, wrap
from jaxeager.ops.creation.placement import placed
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int, as_shape

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, Number, ShapeLike
    from jaxeager.tensor.tensor import Tensor


def checked_shape(shape) -> tuple[int, ...]:
    """Return a shape as a tuple of ints.

    Raises:
        InvalidArgumentError: when a dimension is negative.
    """
    dims = as_shape(shape)
    if any(n < 0 for n in dims):
        raise InvalidArgumentError(
            "Each value of attribute 'shape' is expected to be no less than 0. "
            f"But received: shape = {list(dims)}."
        )
    return dims


def dtype_or_default(dtype) -> np.dtype:
    """Return a dtype as np.dtype, the default floating one for None."""
    return dtypes.default_float() if dtype is None else dtypes.to_numpy(dtype)


def from_numpy(array: np.ndarray):
    """Return a Tensor with a copy of a NumPy array on the current device."""
    return wrap(as_array(array))


@partial(jit, static_argnums=(1, 2))
def _fill(value, shape, dtype):
    return jnp.full(shape, value, dtype)


@lru_cache(maxsize=1024)
def _constant_kernel(value: int, shape: tuple[int, ...], dtype: np.dtype):
    """Return a kernel without arguments for zeros or ones, twice as fast to call as ``_fill``."""
    origin = Origin(("full", shape, value, dtype))
    return jit(partial(jnp.full, shape, value, dtype), name="full", origin=origin)


def _constant(value: int, shape: tuple[int, ...], dtype: np.dtype):
    return wrap(_constant_kernel(value, shape, dtype)())


def _unspecified(shape: tuple[int, ...], dtype: np.dtype):
    """Return zeros, or a Tensor with every byte FLAGS_alloc_fill_value if that is set."""
    byte = flag("FLAGS_alloc_fill_value")
    if byte == -1:
        return _constant(0, shape, dtype)
    if dtype == np.bool_:
        return _constant(int(byte != 0), shape, dtype)
    element = np.frombuffer(int(byte).to_bytes(1) * dtype.itemsize, dtype)[0]
    return wrap(_fill(element, shape, dtype))


def _filled(value, shape: tuple[int, ...], dtype: np.dtype):
    """Return a Tensor full of a number, or of a one-element Tensor's value."""
    value = as_tensor(value) if is_symbolic(value) else value
    if hasattr(value, "_storage"):
        array = value._array
        if array.size != 1:
            raise InvalidArgumentError(
                "The fill value must be a number or a Tensor of one element, but its shape is "
                f"{list(array.shape)}."
            )
        return wrap(_fill(array.reshape(()).astype(dtype), shape, dtype))
    if not isinstance(value, (bool, int, float, complex, np.generic)):
        raise InvalidTypeError(f"The fill value must be a number, but received {value!r}.")
    return wrap(_fill(scalar_of_dtype(value, dtype), shape, dtype))


def _fill_dtype(value) -> np.dtype:
    """Return the dtype of ``full`` for a value: bool, complex128, or the default float."""
    if isinstance(value, (bool, np.bool_)):
        return np.dtype("bool")
    if isinstance(value, (complex, np.complexfloating)):
        return np.dtype("complex128")
    return dtypes.default_float()


@composite(method=False)
@source("full")
@placed("out device requires_grad pin_memory")
def full(
    shape: ShapeLike | int,
    fill_value: Number | str | Tensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor full of one value.

    Args:
        shape: an int, a list or tuple of ints (Tensors among them), or an int Tensor.
        fill_value: a number, a one-element Tensor, or a string such as "inf".
        dtype: element type; the default dtype for numbers, bool for a bool.
        name: accepted for compatibility.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when a dimension is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.full([2], 1.5).tolist()
        [1.5, 1.5]
    """
    value = float(fill_value) if isinstance(fill_value, str) else fill_value
    found = _fill_dtype(value) if dtype is None else dtypes.to_numpy(dtype)
    return _filled(value, checked_shape(shape), found)


@composite(method=False)
@source("full")
@placed("out device requires_grad pin_memory", sizes=True)
def zeros(
    shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor of zeros, of the default dtype unless one is given.

    Args:
        shape: an int, a list or tuple of ints (Tensors among them), or an int Tensor.
        dtype: element type, the default dtype.
        name: accepted for compatibility.
        out: tensor that becomes the result.
        device: "cpu", "gpu:0", a Place or a Device; the current device by default.
        requires_grad: whether the result requires a gradient.
        pin_memory: host memory next to an accelerator.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        InvalidArgumentError: when a dimension is negative.
        UnavailableError: for ``pin_memory`` on the CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros([2], "int32").tolist()
        [0, 0]
    """
    return _constant(0, checked_shape(shape), dtype_or_default(dtype))


@composite(method=False)
@source("full")
@placed("out device requires_grad pin_memory", sizes=True)
def ones(shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return a tensor of ones, of the default dtype unless one is given.

    The shape is an int, a list of ints or an int Tensor; see ``zeros`` for the other parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones([1, 2]).tolist()
        [[1.0, 1.0]]
    """
    return _constant(1, checked_shape(shape), dtype_or_default(dtype))


@composite(method=False)
@source("empty")
@placed("out device requires_grad pin_memory", sizes=True)
def empty(
    shape: ShapeLike | int, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor whose values are not specified.

    They are zeros, because XLA has no uninitialized memory; FLAGS_alloc_fill_value changes that.

    The shape is an int, a list of ints or an int Tensor; see ``zeros`` for the other parameters.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.empty([2, 3]).shape
        paddle.Size([2, 3])
    """
    return _unspecified(checked_shape(shape), dtype_or_default(dtype))


def _like(x, dtype) -> tuple[tuple[int, ...], np.dtype]:
    """Return the shape of a tensor, and its dtype unless another is given."""
    array = raw(x)
    return array.shape, array.dtype if dtype is None else dtypes.to_numpy(dtype)


@composite()
@source("full_like", "x")
@placed("device requires_grad pin_memory")
def full_like(
    x: Tensor,
    fill_value: Number | str | Tensor,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return a tensor full of one value, of another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.full_like(paddle.ones([2]), 3).tolist()
        [3.0, 3.0]
    """
    value = float(fill_value) if isinstance(fill_value, str) else fill_value
    return _filled(value, *_like(x, dtype))


@composite()
@source("full_like", "x")
@placed("device requires_grad pin_memory")
def zeros_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return zeros of another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.zeros_like(paddle.ones([2])).tolist()
        [0.0, 0.0]
    """
    return _constant(0, *_like(x, dtype))


@composite()
@source("full_like", "x")
@placed("device requires_grad pin_memory")
def ones_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return ones of another tensor's shape and dtype.

    ``x`` is a tensor of any shape and dtype; ``dtype``, if given, is that of the result.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.ones_like(paddle.zeros([2]), dtype="int64").tolist()
        [1, 1]
    """
    return _constant(1, *_like(x, dtype))


@composite()
@source("empty")
@placed("device requires_grad pin_memory")
def empty_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return a tensor of another's shape and dtype whose values are not specified; see ``empty``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.empty_like(paddle.ones([2])).shape
        paddle.Size([2])
    """
    return _unspecified(*_like(x, dtype))


# ---- matrices


@composite(method=False)
@source("eye")
@placed("out device requires_grad pin_memory")
def eye(
    num_rows: int,
    num_columns: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Return a matrix with ones on its diagonal.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns, ``num_rows`` by default.
        dtype: element type, the default dtype.
        name: accepted for compatibility.

    Returns:
        Tensor [num_rows, num_columns].

    Raises:
        InvalidSizeError: when a number is negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.eye(2, 3, "int32").tolist()
        [[1, 0, 0], [0, 1, 0]]
    """
    rows = as_int(num_rows, "num_rows")
    columns = rows if num_columns is None else as_int(num_columns, "num_columns")
    if rows < 0 or columns < 0:
        raise InvalidSizeError(
            f"num_rows and num_columns must not be negative, but are {rows} and {columns}."
        )
    found = dtype_or_default(dtype)
    check_size("eye", (rows, columns), found)
    if has_symbols((rows, columns)):
        return wrap((jnp.arange(rows)[:, None] == jnp.arange(columns)).astype(found))
    return from_numpy(np.eye(rows, columns, dtype=found))


def _triangle(find, row, col, offset, dtype):
    """Return the positions from np.tril_indices or np.triu_indices, int[2, n]."""
    rows = as_int(row, "row")
    columns = rows if col is None else as_int(col, "col")
    if rows < 0 or columns < 0:
        raise InvalidSizeError(f"row and col must not be negative, but are {rows} and {columns}.")
    check_size(find.__name__, (rows, columns), np.bool_)  # NumPy makes a mask of the whole matrix
    indices = np.stack(find(rows, as_int(offset, "offset"), columns))
    return from_numpy(indices.astype(dtypes.to_numpy(dtype)))


@composite(method=False)
@source("tril_indices")
def tril_indices(
    row: int, col: int | None = None, offset: int = 0, dtype: DTypeLike = "int64"
) -> Tensor:
    """Return row and column numbers of the lower triangle of a matrix, int64[2, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle(np.tril_indices, row, col, offset, dtype)


@composite(method=False)
@source("triu_indices")
def triu_indices(
    row: int, col: int | None = None, offset: int = 0, dtype: DTypeLike = "int64"
) -> Tensor:
    """Return row and column numbers of the upper triangle of a matrix, int64[2, n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.triu_indices(2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle(np.triu_indices, row, col, offset, dtype)
