"""paddle.tensor.array: lists of tensors, read and written at an index that is a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from jaxeager.tensor.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike

__all__ = ["array_length", "array_read", "array_write", "create_array"]


def create_array(
    dtype: DTypeLike, initialized_list: Sequence[Tensor] | None = None
) -> list[Tensor]:
    """Return a list of tensors.

    Args:
        dtype: that of the tensors; it is not checked.
        initialized_list: the tensors.

    Raises:
        InvalidTypeError: when an element is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.create_array("float32")
        []
    """
    for each in initialized_list or ():
        if not isinstance(each, Tensor):
            raise InvalidTypeError(
                f"All values in `initialized_list` should be Tensors, but received {type(each)}."
            )
    return list(initialized_list or ())


def _number(name: str, i: Tensor) -> int:
    """Return the index in a tensor of one element."""
    if not isinstance(i, Tensor) or list(i.shape) != [1]:
        raise InvalidArgumentError(f"{name}: the index is a Tensor of shape [1], but received {i}.")
    return int(i.item())


def array_write(x: Tensor, i: Tensor, array: list[Tensor] | None = None) -> list[Tensor]:
    """Write a tensor into a list, or at its end, and return the list.

    Args:
        x: the tensor.
        i: int[1], the index.
        array: the list; a new one when None.

    Raises:
        InvalidArgumentError: for an index of another form. (Paddle: AssertionError.)
        OutOfRangeError: for an index beyond the end. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle
        >>> len(paddle.tensor.array_write(paddle.ones([2]), paddle.to_tensor([0])))
        1
    """
    number = _number("array_write", i)
    array = [] if array is None else array
    if not 0 <= number <= len(array):
        raise OutOfRangeError(
            f"array_write: the list has {len(array)} tensors, but the index is {number}."
        )
    array[number : number + 1] = [x]
    return array


def array_read(array: list[Tensor], i: Tensor) -> Tensor:
    """Return the tensor at an index.

    Args:
        array: a list of tensors.
        i: int[1], the index.

    Raises:
        InvalidArgumentError: for an index of another form. (Paddle: AssertionError.)
        OutOfRangeError: for an index beyond the end.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.array_read([paddle.ones([2])], paddle.to_tensor([0])).tolist()
        [1.0, 1.0]
    """
    number = _number("array_read", i)
    if not -len(array) <= number < len(array):
        raise OutOfRangeError(
            f"array_read: the list has {len(array)} tensors, but the index is {number}."
        )
    return array[number]


def array_length(array: list[Tensor]) -> int:
    """Return the number of tensors in a list.

    Args:
        array: the list.

    Raises:
        InvalidTypeError: when it is not a list. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle
        >>> paddle.tensor.array_length([paddle.ones([2])])
        1
    """
    if not isinstance(array, list):
        raise InvalidTypeError(f"array_length takes a list, but received {type(array).__name__}.")
    return len(array)
