"""What the arguments of ``Tensor(...)`` and ``Parameter(...)`` mean: values, or a shape.

Note [Constructors]
    As in Paddle, ``Tensor(2, 3)`` is of that shape, a list or tuple is of float32 (unless a dtype
    is given), and an array or a Tensor keeps its dtype. A single number that is no size is
    refused. After the values there may be a place, persistable, zero_copy, a name and
    stop_gradient (Paddle's order), or a dtype, a place and stop_gradient. ``Parameter(values)``
    is trained; with a dtype its first argument is a shape, as EagerParamBase's.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxeager.core import dtypes, places
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike

_IN_PADDLES_ORDER = ("place", "persistable", "zero_copy", "name", "stop_gradient")
_IN_OWN_ORDER = ("dtype", "place", "stop_gradient")
_OTHER_NAMES = {"data": "value", "device": "place", "requires_grad": "stop_gradient"}


def tensor_arguments(args: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``Tensor(...)`` by name: value, dtype, place, stop_gradient, ...

    Args:
        args: the arguments by position.
        given: those by keyword, in any of their names.

    Raises:
        InvalidTypeError: for a name that is unknown or given twice, and for a value that is no
            array.
    """
    if args and all(type(each) is int for each in args):
        values: Any = _zeros(args, given.get("dtype"))
        by_name: dict[str, Any] = {"value": values}
    else:
        first = args[1] if len(args) > 1 else None
        names = _IN_PADDLES_ORDER if isinstance(first, places.Place) else _IN_OWN_ORDER
        if len(args) > 1 + len(names):
            raise InvalidTypeError(f"Tensor() takes at most {1 + len(names)} arguments here.")
        by_name = dict(zip(("value", *names), args, strict=False))
    for name, value in given.items():
        known = _OTHER_NAMES.get(name, name)
        if known in by_name or known not in ("value", *_IN_PADDLES_ORDER, *_IN_OWN_ORDER):
            raise InvalidTypeError(f"Tensor() got {name!r}, which is unknown or given twice.")
        by_name[known] = not value if name == "requires_grad" else value
    return by_name | _of_float32(by_name)


def _of_float32(by_name: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be changed for a list without a dtype, and for no values at all."""
    values = by_name.get("value")
    if values is None:
        return {"value": np.zeros(0, "float32")}
    if isinstance(values, str | Number):  # NumPy's scalars are Numbers
        raise InvalidTypeError(
            f"Tensor() takes a shape, a list, an array or a Tensor, but received {values!r}: write "
            "paddle.to_tensor(...) for a single number."
        )
    if isinstance(values, list | tuple | range) and by_name.get("dtype") is None:
        return {"dtype": "float32"}
    return {}


def parameter_arguments(
    value: Any, trainable: Any, given: dict[str, Any]
) -> tuple[Any, bool, dict[str, Any]]:
    """Return the values of ``Parameter(...)``, whether it is trained, and the other options."""
    given = dict(given)
    for name in ("value", "data", "shape"):
        value = given.pop(name, value)
    dtype = given.pop("dtype", None)
    if not isinstance(trainable, bool | int):
        dtype, trainable = trainable, True
    for name in ("trainable", "requires_grad"):
        trainable = given.pop(name, trainable)
    if dtype is not None:
        sizes = [] if value is None else list(value)
        if any(size <= 0 for size in sizes):
            raise InvalidArgumentError(
                "Each dimension of shape for Parameter must be greater than 0, but received "
                f"{sizes}."
            )
        value = np.zeros(0, dtypes.to_numpy(dtype)) if value is None else _zeros(sizes, dtype)
    elif value is None:
        value = np.zeros(0, "float32")
    elif isinstance(value, list | tuple) and value and all(type(each) is int for each in value):
        raise InvalidTypeError(
            f"Parameter({value}) may be a shape, which needs a dtype, or values: write "
            f"Parameter({value}, 'float32') or Parameter(paddle.to_tensor(...))."
        )
    return value, bool(trainable), given


def _zeros(shape: Sequence[int], dtype: DTypeLike | None) -> np.ndarray:
    if min(shape, default=0) < 0:
        raise InvalidArgumentError(f"Sizes must not be negative, but the shape is {list(shape)}.")
    return np.zeros(shape, dtypes.to_numpy("float32" if dtype is None else dtype))
