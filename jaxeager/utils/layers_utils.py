"""Nested lists, tuples and dicts, as Paddle's older layers flatten them; and shapes.

Dicts are in the order of their sorted keys. Strings, None and tensors are leaves, not sequences.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import ShapeLike


def is_sequence(seq: object) -> bool:
    """Return whether a value is a list, a tuple or a dict.

    Example:
        >>> import jaxeager as paddle
        >>> [paddle.utils.is_sequence(each) for each in ([1], {"a": 1}, "text")]
        [True, True, False]
    """
    return isinstance(seq, dict) or (isinstance(seq, Sequence) and not isinstance(seq, str))


def _children(nest: Any) -> list:
    return [nest[key] for key in sorted(nest)] if isinstance(nest, dict) else list(nest)


def _like(nest: Any, children: list) -> Any:
    """Return a list, tuple or dict of the same kind with other children."""
    if isinstance(nest, dict):
        found = dict(zip(sorted(nest), children, strict=True))
        return type(nest)((key, found[key]) for key in nest)
    if hasattr(nest, "_fields"):
        return type(nest)(*children)
    return type(nest)(children)


def flatten(nest: object) -> list:
    """Return the leaves of a nested structure, in order.

    Args:
        nest: nested lists, tuples and dicts, or a single value.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.flatten([1, (2, {"b": 4, "a": 3})])
        [1, 2, 3, 4]
    """
    found, waiting = [], [nest]
    while waiting:
        each = waiting.pop()
        if is_sequence(each):
            waiting += reversed(_children(each))
        else:
            found.append(each)
    return found


def to_sequence(nest: Any) -> Any:
    """Return a list, tuple or dict unchanged, and anything else in a list.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.to_sequence(1)
        [1]
    """
    return nest if is_sequence(nest) else [nest]


def _packed(structure: object, ends: Iterator) -> Any:
    if not is_sequence(structure):
        return next(ends)
    return _like(structure, [_packed(each, ends) for each in _children(structure)])


def pack_sequence_as(structure: object, flat_sequence: Sequence[object]) -> Any:
    """Return a structure like another one, with other leaves.

    Args:
        structure: nested lists, tuples and dicts, or a single value.
        flat_sequence: the leaves, in the order of ``flatten``.

    Raises:
        InvalidArgumentError: when their number differs.
        InvalidTypeError: when they are not in a list or tuple.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.pack_sequence_as([0, (0,)], ["a", "b"])
        ['a', ('b',)]
    """
    if not is_sequence(flat_sequence):
        raise InvalidTypeError("flat_sequence must be a sequence")
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise InvalidArgumentError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had "
            f"{len(flat_sequence)} elements. Structure: {structure}, flat_sequence: "
            f"{flat_sequence}."
        )
    return _packed(structure, iter(flat_sequence))


def map_structure(func: Callable, *structure: Any) -> Any:
    """Return the structure of the first with ``func`` applied to the corresponding leaves of all.

    Args:
        func: takes one leaf of each.
        *structure: structures; the number of leaves is that of the shortest.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
        [11, (22,)]
    """
    columns = [flatten(each) for each in structure]
    return pack_sequence_as(structure[0], [func(*each) for each in zip(*columns, strict=False)])


def assert_same_structure(
    nest1: object, nest2: Any, check_types: bool = True, skip_if: Callable | None = None
) -> None:
    """Raise when two structures differ.

    Args:
        nest1: one structure.
        nest2: the other.
        check_types: whether lists, tuples and dicts must be of the same types.
        skip_if: called with two parts; True skips them.

    Raises:
        InvalidArgumentError: when their numbers of elements or their keys differ.
        InvalidTypeError: when their types differ.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.assert_same_structure([1, (2,)], ["a", ("b",)])
    """
    ends = len(flatten(nest1)), len(flatten(nest2))
    if ends[0] != ends[1] and skip_if is None:
        raise InvalidArgumentError(
            "The two structures don't have the same number of elements. First structure "
            f"({ends[0]} elements): {nest1}. Second structure ({ends[1]} elements): {nest2}."
        )
    if skip_if is not None and skip_if(nest1, nest2):
        return
    if is_sequence(nest1) != is_sequence(nest2):
        raise InvalidArgumentError(
            f"The two structures don't have the same nested structure: {nest1} and {nest2}."
        )
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise InvalidTypeError(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(nest1)}, while second structure has type {type(nest2)}."
        )
    if isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise InvalidArgumentError(
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{set(nest1)}, while second structure has keys {set(nest2)}."
        )
    for one, other in zip(_children(nest1), _children(nest2), strict=True):
        assert_same_structure(one, other, check_types, skip_if)


def copy_mutable_vars(structure: Any) -> Any:
    """Return a copy of a structure, whose leaves are the same objects."""
    return pack_sequence_as(copy.copy(structure), flatten(structure))


def hold_mutable_vars(structure: object) -> bool:
    """Return False: a structure never holds a tensor array of a static graph."""
    return False


def padding_to_same_structure(nest1: object, nest2: object, obj: object = None) -> tuple[Any, Any]:
    """Return two structures, with ``obj`` where one lacks an element of the other.

    Args:
        nest1: one structure.
        nest2: the other.
        obj: the inserted object.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.padding_to_same_structure(None, [1, 2])
        ([None, None], [1, 2])
    """

    def padded(value, model):
        if is_sequence(model) and not is_sequence(value):
            return pack_sequence_as(model, [obj] * len(flatten(model)))
        return value

    return padded(nest1, nest2), padded(nest2, nest1)


def convert_to_list(value: Any, n: int, name: str, dtype: type = int) -> list:
    """Return n numbers: a single one n times.

    Args:
        value: a number, or n of them.
        n: the number of elements.
        name: their name in an error.
        dtype: their type.

    Raises:
        InvalidArgumentError: for another number of them, or another type.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.convert_to_list(3, 2, "kernel_size")
        [3, 3]
    """
    if isinstance(value, dtype):
        return [value] * n
    try:
        found = list(value)
    except TypeError:
        raise InvalidArgumentError(
            f"The {name}'s type must be list or tuple. Received: {value}"
        ) from None
    if len(found) != n:
        raise InvalidArgumentError(f"The {name}'s length must be {n}. Received: {value}")
    for each in found:
        if not isinstance(each, dtype):
            raise InvalidArgumentError(
                f"The {name}'s type must be a list or tuple of {n} {dtype.__name__}. Received: "
                f"{value}, with {each!r} of {type(each)}."
            )
    return found


def is_same_shape(shape1: Sequence[int], shape2: Sequence[int]) -> bool:
    """Return whether two shapes are equal.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.is_same_shape([1, 2], (1, 2))
        True
    """
    return list(shape1) == list(shape2)


def check_shape(shape: ShapeLike) -> None:
    """Raise when a shape is invalid.

    Args:
        shape: ints, or a Tensor, whose values are not read.

    Raises:
        InvalidArgumentError: for a negative number.
        InvalidTypeError: for elements that are not ints.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.check_shape([2, 3])
    """
    if isinstance(shape, Tensor):
        return
    for each in shape:
        if isinstance(each, Tensor):
            continue
        if not isinstance(each, int):
            raise InvalidTypeError(
                "All elements in ``shape`` must be integers when it's a list or tuple"
            )
        if each < 0:
            raise InvalidArgumentError(
                "All elements in ``shape`` must be positive when it's a list or tuple"
            )


def convert_shape_to_list(shape: Any) -> list[int]:
    """Return a shape as a list of ints.

    Args:
        shape: ints and Tensors of one element, or a Tensor of several.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.utils.convert_shape_to_list((1, paddle.to_tensor(2)))
        [1, 2]
    """
    if isinstance(shape, Tensor):
        return shape.astype("int32").tolist()
    return [int(each.item()) if isinstance(each, Tensor) else each for each in shape]
