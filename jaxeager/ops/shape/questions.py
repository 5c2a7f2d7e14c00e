"""Properties of a tensor: the number of elements and dimensions, the shape, the kind of dtype."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from jaxeager.arrays.as_array import on_device
from jaxeager.core import dtypes, ports, symbolic
from jaxeager.core.symbolic import has_symbols
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.call.dispatch import wrap
from jaxeager.ops.register import composite
from jaxeager.ops.rules.attrs import as_int

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite()
def numel(x: Tensor, name: str | None = None) -> Tensor:
    """Return the number of elements, as a 0-D int64 tensor.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.numel(paddle.ones([2, 3])).item()
        6
    """
    made = wrap(on_device(x._array.size, np.int64))
    return ports.known_number(made, x._array.size) if _is_known(x) else made


@composite(method=False)  # Tensor.rank is a separate method that returns an int
def rank(input: Tensor) -> Tensor:
    """Return the number of dimensions, as a 0-D int32 tensor.

    ``input`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.rank(paddle.ones([2, 3])).item()
        2
    """
    return wrap(on_device(input.ndim, np.int32))


@composite(method=False)
def shape(input: Tensor) -> Tensor:
    """Return the shape, as an int64 tensor.

    ``input`` is a tensor of any dtype; for n dimensions the result is int64[n].

    Example:
        >>> import jaxeager as paddle
        >>> paddle.shape(paddle.ones([2, 3])).tolist()
        [2, 3]
    """
    sizes = input._array.shape
    if has_symbols(sizes):
        return ports.open_number(sizes)
    made = wrap(on_device(sizes, np.int64))
    return ports.known_number(made, sizes) if _is_known(input) else made


@composite()
def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Return whether a tensor has no elements, as a 0-D bool tensor.

    ``x`` is a tensor of any shape and dtype.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_empty(paddle.ones([0, 3])).item()
        True
    """
    return wrap(on_device(x._array.size == 0))


@composite()
def is_tensor(x: object) -> bool:
    """Return whether an object is a Tensor, dense or sparse.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_tensor(paddle.ones([1])), paddle.is_tensor([1.0])
        (True, False)
    """
    return hasattr(x, "_storage") or hasattr(type(x), "_is_of_paddle_sparse")


def _is_known(x: Tensor) -> bool:
    """Return whether x has no values yet, as in a captured function, but a shape of numbers."""
    return isinstance(x._array, Tracer) and not has_symbols(x._array.shape)


def _check_tensor(name: str, x) -> None:
    if not hasattr(x, "_storage"):
        raise InvalidTypeError(f"{name}: takes a Tensor, but received {type(x).__name__}.")


@composite()
def is_complex(x: Tensor) -> bool:
    """Return whether a tensor holds complex numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_complex(paddle.ones([1]))
        False
    """
    _check_tensor("is_complex", x)
    return x._array.dtype in dtypes.COMPLEX


@composite()
def is_floating_point(x: Tensor) -> bool:
    """Return whether a tensor holds floating-point numbers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_floating_point(paddle.ones([1]))
        True
    """
    _check_tensor("is_floating_point", x)
    return x._array.dtype in dtypes.FLOATS


@composite()
def is_integer(x: Tensor) -> bool:
    """Return whether a tensor holds integers.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.is_integer(paddle.to_tensor([1, 2]))
        True
    """
    _check_tensor("is_integer", x)
    return jnp.issubdtype(x._array.dtype, np.integer)


@composite(method=False)
def tolist(x: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers; wait for them.

    ``x`` is a tensor of any shape and dtype; for a 0-D one the result is a number.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tolist(paddle.to_tensor([1, 2]))
        [1, 2]
    """
    return x.tolist()


@composite()
def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Return the shape that two shapes are broadcast to, as a list.

    A size of -1 is one that is not known yet: it is broadcast to the size it meets, and stays -1
    next to 1 and -1.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_shape([2, 1], [3])
        [2, 3]
    """
    first, second = (tuple(as_int(n, "size") for n in shape) for shape in (x_shape, y_shape))
    try:
        if any(type(size) is int and size == -1 for size in (*first, *second)):
            return _broadcast_unknown(first, second)
        return list(symbolic.broadcast_shapes(first, second))
    except ValueError:
        raise InvalidArgumentError(
            "Broadcast dimension mismatch. Operands could not be broadcast together with the shape "
            f"of X = {list(first)} and the shape of Y = {list(second)}."
        ) from None


def _broadcast_unknown(*shapes: tuple[int, ...]) -> list[int]:
    """Return the shape that two shapes with sizes of -1 are broadcast to."""
    rank = max(map(len, shapes))
    first, second = ((1,) * (rank - len(shape)) + shape for shape in shapes)
    result = []
    for pair in zip(first, second, strict=True):
        known = [size for size in pair if size != -1] or [1]
        (size,) = symbolic.broadcast_shapes(*((each,) for each in known))
        result.append(-1 if size == 1 and len(known) < 2 else size)
    return result


@composite()
def broadcast_shapes(*shapes: Sequence[int]) -> list[int]:
    """Return the shape that all the given shapes are broadcast to, as a list.

    Raises:
        InvalidArgumentError: when they do not broadcast.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.broadcast_shapes([2, 1], [3], [1, 1])
        [2, 3]
    """
    return reduce(broadcast_shape, shapes, [])
