"""Initializers with given values: Constant and Assign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedTypeError
from jaxeager.nn.initializer.initializer import Initializer

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Constant(Initializer):
    """Initializer that fills a parameter with one value.

    Args:
        value: the value, a real number.

    Raises:
        InvalidArgumentError: if value is None.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.Constant(0.5)
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[0.5, 0.5]]
    """

    _op_name = "full_"

    def __init__(self, value: float = 0.0):
        super().__init__()
        if value is None:
            raise InvalidArgumentError("value must not be none.")
        self._value = value

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        return np.full(shape, float(self._value)).astype(dtype)


class Assign(Initializer):
    """Initializer that fills a parameter with given values.

    Args:
        value: a NumPy array, list, tuple or Tensor of the parameter's shape.

    Raises:
        RefusedTypeError: if value is of any other type.

    Paddle:
        Paddle 3.3.1 changes the parameter's shape to that of the values when the two differ, so
        that a layer computes with a weight of another shape than it was built for. Here that is an
        InvalidArgumentError, raised when the parameter is created; reshape the values.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.Assign([[1.0, 2.0]])
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[1.0, 2.0]]
    """

    _op_name = "assign_value_"

    def __init__(self, value: np.ndarray | Sequence[int] | Tensor, name: str | None = None):
        super().__init__()
        if not (isinstance(value, (np.ndarray, list, tuple)) or hasattr(value, "_storage")):
            raise RefusedTypeError(
                "Assign takes a NumPy array, list, tuple or Tensor, but received "
                f"{type(value).__name__}."
            )
        array = getattr(value, "_array", None)
        # A copy: later writes of the caller to its array must not reach new parameters.
        self._value = np.array(value if array is None else array)

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        return self._value.astype(dtype)
