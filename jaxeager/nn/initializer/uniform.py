"""The Uniform initializer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxeager.errors import RefusedArgumentError
from jaxeager.nn.initializer import draws
from jaxeager.nn.initializer.initializer import Initializer, check_floating
from jaxeager.nn.initializer.normal import check_given


class Uniform(Initializer):
    """Initializer that draws uniformly from [low, high).

    Args:
        low: lower bound, included.
        high: upper bound, excluded up to rounding.

    Raises:
        RefusedArgumentError: if one of them is None, or low is greater than high.

    Example:
        >>> import jaxeager as paddle
        >>> weight = paddle.nn.Linear(9, 9, weight_attr=paddle.nn.initializer.Uniform(1, 2)).weight
        >>> bool((weight >= 1).all()), bool((weight <= 2).all())
        (True, True)
    """

    _op_name = "uniform"

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None):
        super().__init__()
        check_given(self, low=low, high=high)
        if low > high:
            raise RefusedArgumentError(
                f"high should greater or equal than low, but received low={low} and high={high}."
            )
        self._low, self._high = low, high

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        return draws.uniform(shape, dtype, self._low, self._high)
