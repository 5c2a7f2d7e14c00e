"""Conversions of what nested containers hold, which programs take from ``paddle.framework.io``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.errors import InvalidTypeError, UnimplementedError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.legacy.base.core.tensors import DenseTensor


def _transformed_from_lodtensor(obj: object) -> bool:
    """Return whether an object is an array, as which files have tensors."""
    return isinstance(obj, np.ndarray)


def _to_LodTensor(ndarray: np.ndarray) -> DenseTensor:
    """Return a DenseTensor with the value of an array.

    Raises:
        InvalidTypeError: for another object.
    """
    from jaxeager.legacy.base.core.tensors import DenseTensor

    if not isinstance(ndarray, np.ndarray):
        raise InvalidTypeError(
            f"Type of `ndarray` should be numpy.ndarray, but received {type(ndarray)}."
        )
    made = DenseTensor()
    made.set(ndarray)
    return made


def _parse_every_object(
    obj: Any, condition_func: Callable[[Any], bool], convert_func: Callable[[Any], Any]
) -> Any:
    """Convert what meets a condition in nested containers; dicts and lists change in place.

    Args:
        obj: an object, or a dict, list, tuple or set of them.
        condition_func: whether an object is to be converted.
        convert_func: returns what replaces it.

    Raises:
        UnimplementedError: for a container of another kind.

    Example:
        >>> from jaxeager.framework.io.nested import _parse_every_object
        >>> _parse_every_object({"a": [1, 2.5]}, lambda x: isinstance(x, int), str)
        {'a': ['1', 2.5]}
    """
    if condition_func(obj):
        return convert_func(obj)
    if type(obj) in (dict, OrderedDict, list):
        for key in range(len(obj)) if isinstance(obj, list) else list(obj):
            obj[key] = _parse_every_object(obj[key], condition_func, convert_func)
        return obj
    if type(obj) in (tuple, set):
        return type(obj)(_parse_every_object(list(obj), condition_func, convert_func))
    if isinstance(obj, Iterable) and not isinstance(obj, (str, np.ndarray, Tensor)):
        raise UnimplementedError(
            "The iterable objects supported are tuple, list, dict, OrderedDict, string. But "
            f"received {type(obj)}."
        )
    return obj
